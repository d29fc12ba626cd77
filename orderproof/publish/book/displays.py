"""Formulas as the book sets them: displayed, in a line of text, as a chain with its reasons.

A formula is never scaled: one that is too wide for its line is broken at a relation, an operator
or a comma, and where its brackets or its fraction leave no such place, these are opened first.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence

from markupsafe import Markup

from orderproof.check.page import Example, Formula, Line, Section, Table

from .latex_text import formula, width, words

LINE = 40  # letters: of a formula that may share its line with others
SHORT = 26  # letters: of a formula that may stand in a line of text unbroken
Words = Callable[[object], Markup]  # words as LaTeX, with theorems cited by their number
_CHUNK = re.compile(r",\\; ?")  # between what a list of quantifiers or conditions consists of


def inline(f: Formula) -> Markup:
    """A formula in a line of text; a short one is not broken."""
    whole = formula(f.latex)
    return Markup("${{{}}}$" if width(f.latex) <= SHORT else "${}$").format(whole)


def displayed(f: Formula, mark: str = "") -> Markup:
    """A formula on a line of its own, or on several; with a mark such as (1) at its left."""
    left = Markup("[{}]").format(mark) if mark else Markup("")
    return Markup("\\shownformula{}{{{}}}").format(left, formula(f.latex))


def together(numbered: Sequence[tuple[str, Formula]]) -> list[Markup]:
    """Formulas with their numbers, if they have some, displayed; short ones that follow one another
    in as few lines as they need."""
    out = []
    for short, found in itertools.groupby(numbered, lambda item: width(item[1].latex) <= LINE):
        group = list(found)
        if short and len(group) > 1:
            out.append(row(group))
        else:
            out += [displayed(f, mark) for mark, f in group]
    return out


def row(numbered: Sequence[tuple[str, Formula]]) -> Markup:
    """Formulas beside each other, none of them broken, in as few lines as they need."""
    items = (Markup(r"\rowitem{{{}}}{{{}}}").format(m, formula(f.latex)) for m, f in numbered)
    return Markup(r"\shownrow{{{}}}").format(Markup(r"\rowgap ").join(items))


def listed(formulas: Sequence[Formula]) -> Markup:
    """Formulas one after the other, in as few lines as they need."""
    return Markup(r", \quad ").join(inline(f) for f in formulas)


def apart(f: Formula) -> list[str]:
    """The parts of a list of quantifiers: sizes, tensors with their shape, maps."""
    return [part for part in re.split(_CHUNK, f.latex) if part]


def reason(parts: Sequence[str | Formula], tex: Words) -> Markup:
    """Why a line equals the one above it."""
    return Markup("").join(
        Markup("${{{}}}$").format(formula(p.latex)) if isinstance(p, Formula) else tex(p)
        for p in parts
    )


def chain(section: Section, tex: Words, *, asides: bool = False) -> Markup:
    """A chain of equal formulas, a line each, with its reasons at the right."""
    out = []
    for k, line in enumerate(section.lines):
        shown = formula(line.formula.latex)
        if k == 0:
            out.append(Markup(r"\chain{{{}}}").format(shown))
        else:
            out.append(Markup(r"\becomes{{{}}}{{{}}}").format(shown, reason(line.reason, tex)))
        if asides and line.aside:
            out.append(Markup(r"\aside{{{}}}").format(formula(line.aside.latex)))
    return Markup("\n").join([*out, Markup("\\chainend")])


def left_side(line: Line) -> str:
    """The letters of what a chain begins with: Z for Z′, H_post for H′_post[i, c]."""
    return re.sub(r"\[.*|[′']", "", line.formula.plain)


def table(found: Table) -> Markup:
    """A table of a worked example."""
    columns = zip(found.head, *found.rows, strict=True)
    wide = [max(len(c) if isinstance(c, str) else width(c.latex) for c in col) for col in columns]
    room = max(0.2, 0.9 - 0.014 * sum(w for w in wide if w <= 36))
    share = room / max(1, sum(w > 36 for w in wide))
    paragraph = rf">{{\raggedright\arraybackslash}}p{{{share:.2f}\linewidth}}"
    kinds = "".join(paragraph if w > 36 else "l" for w in wide)
    rows = Markup(" \\\\\n").join(_cells(row) for row in found.rows)
    return Markup(
        "\\begin{{shown}}\\small\\renewcommand{{\\arraystretch}}{{1.2}}%\n"
        "\\begin{{tabular}}{{@{{}}{}@{{}}}}\n\\toprule\n{} \\\\\n\\midrule\n{} \\\\\n"
        "\\bottomrule\n\\end{{tabular}}\n\\end{{shown}}\n"
    ).format(Markup(kinds), _cells(found.head), rows)


def _cells(row: Sequence[str | Formula]) -> Markup:
    cells = [
        words(c) if isinstance(c, str) else Markup("${}$").format(formula(c.latex)) for c in row
    ]
    tall = any(not isinstance(c, str) and "frac" in c.latex for c in row)
    return Markup(r"\rule[-5.5pt]{0pt}{17pt}" if tall else "") + Markup(" & ").join(cells)


def parts(example: Example, tex: Words) -> Markup:
    """What a worked example consists of, in order."""
    out = []
    for part in example.parts:
        if isinstance(part, Table):
            out.append(table(part))
        elif isinstance(part, Formula):
            out.append(displayed(part))
        else:
            out.append(tex(part) + "\n")
    return Markup("\n").join(out)
