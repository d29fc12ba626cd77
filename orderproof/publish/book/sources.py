"""The book's LaTeX sources: chapters, front matter and what stands behind, from the pages of all
theorems and, where it was computed, the chapter on position schemes.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence

import jinja2
from markupsafe import Markup

from orderproof.check.page import RECORDED, TheoremPage
from orderproof.publish import formulas

from . import displays, prose, rocq_source
from .bibliography import cited
from .entries import entries
from .front import front
from .latex import SYNTAX, TEMPLATES
from .latex_text import bookmark, code
from .position_chapter import PositionChapter
from .references import Names
from .tables import Tables
from .theorems import BadChapter, Theorems


def text(
    pages: Sequence[TheoremPage],
    date: datetime.date,
    positions: PositionChapter | None = None,
    *,
    undrawn: str = "",
    chapters: Sequence[prose.Chapter] | None = None,
) -> str:
    """The whole of book.tex. BadChapter where a chapter asks for what there is not."""
    found = prose.chapters() if chapters is None else chapters
    names = Names(prose.kinds(found), {p.id for p in pages if p.verdict == RECORDED})
    theorems = Theorems(pages, names)
    keys: dict[str, None] = {}

    def cite(*wanted: str) -> Markup:
        """The number of a reference."""
        cited(wanted)
        keys.update(dict.fromkeys(wanted))
        return Markup(r"\cite{{{}}}").format(Markup(",".join(wanted)))

    tables = Tables(pages, positions, names, cite, undrawn)
    functions: dict[str, Callable[..., Markup]] = {
        **theorems.functions(),
        **tables.functions(),
        **rocq_source.functions(),
        "formula": formula,
        "entries": entries,
        "cite": cite,
    }
    texts = prose.rendered(found, functions, names)
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES), finalize=names.tex, **SYNTAX
    )
    environment.filters |= {"bookmark": bookmark, "code": code}
    return environment.get_template("book.tex.jinja").render(
        front=front(pages, date),
        chapters=texts,
        references=cited(keys),
        claims_list=tables.claims_list,
    )


def formula(name: str, *others: str, inline: bool = False) -> Markup:
    """A formula of the chapter's module, displayed or in a line of text; or several displayed
    beside each other."""
    known = formulas.formulas()
    for given in (name, *others):
        if given not in known:
            raise BadChapter(f"formula({given}): given no name of a chapter's formulas.py")
    shown, *more = (formulas.printed(known[given]) for given in (name, *others))
    if more:
        return displays.row([("", f) for f in (shown, *more)])
    return displays.inline(shown) if inline else displays.displayed(shown)
