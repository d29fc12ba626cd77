"""The book's LaTeX, from its template. Words are escaped unless they are marked as LaTeX."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from orderproof.proofs.check.page import Formula, Table, TheoremPage

from .latex_text import bookmark, code, formula, width, words
from .position_chapter import sign as cell_sign

TEMPLATES = Path(__file__).with_name("templates")
SYNTAX: dict[str, Any] = {
    "block_start_string": "<%",
    "block_end_string": "%>",
    "variable_start_string": "<<",
    "variable_end_string": ">>",
    "comment_start_string": "<#",
    "comment_end_string": "#>",
    "trim_blocks": True,
    "lstrip_blocks": True,
    "keep_trailing_newline": True,
    "undefined": jinja2.StrictUndefined,
    "autoescape": True,
}
SIGNS = {True: "✓", False: "✗", None: "?"}  # whether a layer agreed


# A theorem's id in words; one without an underscore (naturality) is a word.
IDENTIFIER = re.compile(r"(?<![\w#])[a-z]{2,}(?:_[a-z]+)+(?!\w)")


def _tex(value: object, titles: Mapping[str, str] | None = None) -> Markup:
    """What an expression in the template prints: LaTeX as it is, all else as words, in which a
    theorem of the book is cited by its number."""
    if isinstance(value, Markup):
        return value
    text, out, last = str(value), [], 0
    for found in re.finditer(IDENTIFIER, text):
        if found[0] in (titles or {}):
            cited = Markup(rf"theorem~\ref{{thm:{found[0]}}}")
            out += [words(text[last : found.start()]), cited]
            last = found.end()
    return Markup("").join([*out, words(text[last:])])


def _math(f: Formula) -> Markup:
    return formula(f.latex)


def _cells(row: Sequence[str | Formula]) -> Markup:
    cells = (words(c) if isinstance(c, str) else Markup("${}$").format(_math(c)) for c in row)
    tall = (
        r"\rule[-5.5pt]{0pt}{17pt}"
        if any(not isinstance(c, str) and "frac" in c.latex for c in row)
        else ""
    )
    return Markup(tall) + Markup(" & ").join(cells)


def _columns(table: Table) -> Markup:
    """A column as wide as it needs to be; of words longer than a line, a paragraph."""
    columns = zip(table.head, *table.rows, strict=True)
    wide = [max(len(c) if isinstance(c, str) else width(c.latex) for c in col) for col in columns]
    room = max(0.2, 0.9 - 0.014 * sum(w for w in wide if w <= 36))
    share = room / max(1, sum(w > 36 for w in wide))
    paragraph = rf">{{\raggedright\arraybackslash}}p{{{share:.2f}\linewidth}}"
    return Markup("".join(paragraph if w > 36 else "l" for w in wide))


def render(context: dict[str, Any]) -> str:
    """The whole of book.tex."""
    environment = _environment(context["titles"])
    return environment.get_template("book.tex.jinja").render(context, cells=_cells)


def theorem(page: TheoremPage) -> str:
    """One theorem with its derivation, for any document that has amsmath and amssymb."""
    return _environment().get_template("theorem.tex.jinja").render(page=page)


def _environment(titles: Mapping[str, str] | None = None) -> jinja2.Environment:
    def tex(value: object) -> Markup:
        return _tex(value, titles)

    def reason(parts: Sequence[str | Formula]) -> Markup:
        inline = Markup("${{{}}}$")  # a short formula, not to be broken
        return Markup("").join(
            inline.format(_math(p)) if isinstance(p, Formula) else tex(p) for p in parts
        )

    # plain: the words of a tool, in which an id is no citation
    return environment(
        tex, math=_math, code=code, bookmark=bookmark, columns=_columns, reason=reason,
        plain=words, raw=Markup,
    )  # fmt: skip


def environment(finalize: Callable[[object], Markup], **filters: Any) -> jinja2.Environment:
    """The templates with these filters, and those that LaTeX and HTML have in common."""
    found = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES), finalize=finalize, **SYNTAX
    )
    found.filters |= {
        "sign": lambda mark: SIGNS[mark.ok],
        "cell_sign": cell_sign,
        "sentence": lambda text: f"{text[0].upper()}{text[1:]}.",
        "width": lambda f: width(f.latex),
        **filters,
    }
    return found
