"""A claim derived entry by entry at a small size, each entry from those before it, by SymPy."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import Any

import sympy
from markupsafe import Markup

from orderproof.check.prove.entry_steps import Steps, least_case, steps
from orderproof.check.sampling import Case, substituted
from orderproof.proofs import catalogue
from orderproof.publish.pages.statements import style_of
from orderproof.symbolic.counting import PEOPLE
from orderproof.symbolic.readings.notation import Latex

from .theorems import BadChapter

_ENTRY = re.compile(r"(?P<name>.+)_\{(?P<index>[\d,]+)\}")


def entries(name: str, tokens: int, *, claim: int = 1) -> Markup:
    """A claim (counted from 1) of a theorem at so many tokens; BadChapter where it has no such
    case."""
    theorem = catalogue.load(name)
    bare = substituted(theorem.claims[claim - 1].statement)
    case = least_case(bare, tokens)
    if case is None:
        raise BadChapter(f"entries({name}): no case with {tokens} tokens")
    found = steps(bare, style_of(theorem).labels, *case)
    out = [Markup("\\noindent Let {}.\n").format(_at(case))]
    for _, group in itertools.groupby(found.named, lambda pair: _read(pair[0])[0]):
        lines = [_equation(symbol, value, found) for symbol, value in group]
        out.append(_columns(lines))
    left, right = (_matrix(side) for side in found.sides)
    both = "\\[ \\text{{left side}} = {}, \\qquad \\text{{right side}} = {} \\]\n"
    out.append(Markup(both).format(left, right))
    return Markup("").join(out)


def _at(case: Case) -> Markup:
    """The sizes, and the permutations by their images, counted from 1."""
    to = Latex()
    sizes, maps = case[0], case[1]
    parts = []
    for size, names in itertools.groupby(sizes, sizes.__getitem__):
        parts.append("$" + " = ".join([*map(to.symbol, names), str(size)]) + "$")
    for name, table in maps.items():
        if isinstance(table, Sequence):
            letter = to.symbol(name)
            for k, image in enumerate(PEOPLE.images(table)):
                parts.append(f"${letter}({PEOPLE(k)}) = {image}$")
    return Markup(", ".join(parts))


def _read(symbol: sympy.Symbol) -> tuple[str, str]:
    """The tensor and the index of an entry: W_Q and 11."""
    found = re.fullmatch(_ENTRY, symbol.name)
    return (found["name"], found["index"]) if found else (symbol.name, "")


def _letters(symbol: sympy.Symbol) -> str:
    """An entry in LaTeX: W_{Q,\\,11}, K'_{21}."""
    name, index = _read(symbol)
    base = name.replace("′", "")
    made = Latex().prime(base) if "′" in name else Latex().symbol(base)
    return Latex().indexed(made, list(index)) if index else made


def _latex(value: Any) -> str:
    names = {x: _letters(x) for x in value.free_symbols}
    return str(sympy.latex(value, symbol_names=names, fold_short_frac=False))


def _equation(symbol: sympy.Symbol, value: Any, found: Steps) -> str:
    """An entry, what it is made of, and the entry before it that is the same expression."""
    chain = dict.fromkeys([_latex(symbol), _latex(found.formed.get(symbol, value)), _latex(value)])
    return " = ".join(chain)


def _columns(lines: Sequence[str]) -> Markup:
    """Equations two in a line."""
    rows = (
        " & ".join(rf"$\displaystyle {x}$" for x in lines[k : k + 2])
        for k in range(0, len(lines), 2)
    )
    return Markup(
        "\\begin{{shown}}\\small\\renewcommand{{\\arraystretch}}{{1.35}}%\n"
        "\\begin{{tabular}}{{@{{}}l@{{\\qquad}}l@{{}}}}\n{}\n\\end{{tabular}}\n\\end{{shown}}\n"
    ).format(Markup(" \\\\[3pt]\n").join(map(Markup, rows)))


def _matrix(side: Any) -> Markup:
    """The entries of a side with two axes, as a matrix."""
    rows = itertools.groupby(sorted(side.items()), lambda item: item[0][0])
    return Markup(r"\begin{{pmatrix}} {} \end{{pmatrix}}").format(
        Markup(r" \\ ").join(
            Markup(" & ").join(Markup(_latex(v)) for _, v in row) for _, row in rows
        )
    )
