"""Pages from templates: what the filters of the templates do."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup, escape

from orderproof.check.page import Formula
from orderproof.check.schemes.table import Cell
from orderproof.publish.bibliography import Reference
from orderproof.publish.latex_text import curly
from orderproof.publish.line_breaks import width
from orderproof.publish.schemes import file_of
from orderproof.publish.schemes import sign as cell_sign
from orderproof.publish.sentences import short

from . import facts, mathml
from .beside import source_of
from .prose import Prose, plain

TEMPLATES = Path(__file__).with_name("templates")
AGREES = {True: "✓", False: "✗", None: "?"}


class Pages:
    """The templates, for pages at the top of the site and for those one folder below."""

    def __init__(self, cards: Mapping[str, Markup], common: Mapping[str, Any]) -> None:
        self._cards = cards
        self._common = common
        self._environments = {root: _environment(Prose(cards, root)) for root in ("", "../")}

    def render(self, template: str, root: str = "", **context: Any) -> str:
        """A page; `root` is the way from it to the front page."""
        found = self._environments[root].get_template(f"{template}.html.jinja")
        return found.render(**self._common, **context, root=root, prose=Prose(self._cards, root))


def _environment(prose: Prose) -> jinja2.Environment:
    linked = cache(prose.words)  # what is no markup: the same words stand on many pages

    def words(value: object) -> Markup:
        return value if isinstance(value, Markup) else linked(str(value))

    def reason(parts: Sequence[str | Formula]) -> Markup:
        return Markup("").join(
            mathml.inline(p.latex) if isinstance(p, Formula) else prose.words(p) for p in parts
        )

    found = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        finalize=words,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
        autoescape=True,
    )

    def cited(text: str, references: Sequence[Reference]) -> Markup:
        """Words in which a reference is a link; one that they do not name stands after them."""
        out = prose.words(text)
        for r in references:
            name = plain(short(r))
            link = Markup('<a href="{}references.html#ref-{}">{}</a>').format(
                prose.root, r.key, name
            )
            out = Markup(out.replace(name, link, 1) if name in out else f"{out} {link}")
        return out

    found.filters |= {
        "anchor": lambda name: "-".join(re.findall(r"\w+", name)),  # rocq-recorded
        "agrees": lambda mark: AGREES[mark.ok],
        "attr": lambda value: Markup(escape(str(value))),  # words of an attribute: no links
        "breakable": breakable,
        "carried": facts.carried,
        "cell_file": file_of,
        "cell_sign": cell_sign,
        "cell_url": cell_url,
        "cited": cited,
        "equal": lambda f: mathml.shown(f"= {f.latex}"),  # a line of a derivation
        "inline": lambda f: mathml.inline(f.latex),
        "math": lambda f: mathml.shown(f.latex),
        "outcome": facts.outcome,
        "plain": plain,
        "reason": reason,
        "rocq_file": source_of,
        "sentence": lambda text: f"{text[0].upper()}{text[1:]}.",
        "short": short,
        "sign": lambda mark: facts.SIGNS[mark.state],
        "verbatim": lambda text: Markup(escape(text)),
        "width": lambda f: width(f.latex),
    }
    return found


@cache
def breakable(text: str) -> Markup:
    """Words with paths of files in them, which may break after a slash or an underscore."""
    return Markup(re.sub("([/_])", r"\1<wbr>", str(escape(curly(text)))))


def cell_url(c: Cell) -> str:
    """Where a cell of the table is, on the page of its scheme, from the top of the site."""
    return f"scheme/{c.scheme}.html#{c.symmetry}"
