"""How the book cites its theorems: an id by its kind, and by the number that LaTeX gives it."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from markupsafe import Markup

from orderproof.check.page import TheoremPage
from orderproof.publish.pages.derivations import LEMMA, LEMMA_ID

from .latex import IDENTIFIER
from .latex_text import words

NAMED = re.compile(rf"{IDENTIFIER.pattern}|\b{LEMMA}\b")


class Names:
    """Theorems by the kind under which the book prints them: theorem, lemma, ...; and those that
    are recorded from Rocq, which a raised R says wherever they are cited."""

    def __init__(self, kinds: Mapping[str, str], recorded: Collection[str] = ()) -> None:
        self.kinds = kinds
        self.recorded = recorded

    def ref(self, name: str) -> Markup:
        """Theorem 3.4."""
        kind = self.kinds.get(name, "theorem").capitalize()
        mark = Markup(r"\recorded{}") if name in self.recorded else Markup("")
        return Markup(r"{}~\ref{{thm:{}}}{}").format(kind, Markup(name), mark)

    def title(self, page: TheoremPage) -> str:
        """The title without a number that it has of old."""
        short = page.title.removeprefix(f"{LEMMA}: ")
        return short[:1].upper() + short[1:]

    def tex(self, value: object) -> Markup:
        """What an expression of a template prints: LaTeX as it is, all else as words, in which a
        theorem of the book is cited by its number."""
        if isinstance(value, Markup):
            return value
        text, out, last = str(value), [], 0
        for found in re.finditer(NAMED, text):
            name = LEMMA_ID if found[0] == LEMMA else found[0]
            if name in self.kinds:
                out += [words(text[last : found.start()]), self.ref(name)]
                last = found.end()
        return Markup("").join([*out, words(text[last:])])
