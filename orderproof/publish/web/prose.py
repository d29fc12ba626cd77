"""Words as HTML: P_σ with its subscript, and the id of a theorem as a link with a preview."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from markupsafe import Markup, escape

from orderproof.check.page import TheoremPage
from orderproof.publish.latex_text import SUBSCRIPT, UNDER, curly

from . import mathml

# A theorem's id in words; one without an underscore (naturality) is a word.
IDENTIFIER = re.compile(r"(?<![\w#/])[a-z]{2,}(?:_[a-z]+)+(?![\w/]|\.(?:py|v|json))")


@cache
def plain(text: str) -> Markup:
    """Words in which an id is no citation."""
    under = re.sub(UNDER, r"\1<sub>\2</sub>", str(escape(curly(text))))
    return Markup(re.sub(SUBSCRIPT, r"\1<sub>\2</sub>", under))


def card(page: TheoremPage) -> Markup:
    """The preview of a theorem: title, verdict, its sentences and its first claim."""
    said = page.said or page.title
    claim = page.claims[0] if page.claims else None
    formula = (
        Markup("")
        if claim is None or claim.headline
        else Markup('<span class="formula-line">{}</span>').format(
            mathml.shown(claim.statement.latex)
        )
    )
    more = f" and {len(page.claims) - 1} more" if len(page.claims) > 1 else ""
    return Markup(
        '<span class="card"><b>{}</b> <span class="verdict {}">{}</span>'
        '<span class="card-words">{}</span>{}<span class="quiet">claim (1){}</span></span>'
    ).format(plain(page.title), page.shade, page.reads, plain(said), formula, more)


@dataclass(frozen=True)
class Prose:
    """Words of pages that stand at one depth below the site's front page (`root`: "" or "../")."""

    cards: Mapping[str, Markup]  # the preview of every theorem of the site
    root: str

    def url(self, theorem: str) -> str:
        """Where the page of a theorem is."""
        return f"{self.root}theorem/{theorem}.html"

    def ref(self, theorem: str, text: str | Markup) -> Markup:
        """A link to a theorem, with its preview; a theorem that is not in the site by its id."""
        if theorem not in self.cards:
            return Markup("<code>{}</code>").format(theorem)
        return Markup('<span class="ref"><a href="{}">{}</a>{}</span>').format(
            self.url(theorem), text, self.cards[theorem]
        )

    def words(self, value: object) -> Markup:
        """What an expression in a template prints: markup as it is, all else as words."""
        if isinstance(value, Markup):
            return value
        text, out, last = str(value), Markup(""), 0
        for found in re.finditer(IDENTIFIER, text):
            if found[0] in self.cards:
                code = Markup("<code>{}</code>").format(Markup("_<wbr>").join(found[0].split("_")))
                out += plain(text[last : found.start()]) + self.ref(found[0], code)
                last = found.end()
        return out + plain(text[last:])
