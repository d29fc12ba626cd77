"""Claims derived entry by entry at a small size, each entry from those before it, by SymPy.

Entries are numbered from 1: Q_12 stands in row 1 and column 2 of Q.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Any

import sympy

from orderproof.check.claims import Claim, TheoremFile
from orderproof.check.page import Formula
from orderproof.check.prove.entry_steps import Steps, largest_definition, least_case, steps
from orderproof.check.sampling import Case, substituted
from orderproof.symbolic.counting import PEOPLE
from orderproof.symbolic.readings.notation import Latex, Plain

from .model import Block, Display, Paragraph
from .pages.statements import stated, style_of
from .theorem import BadSlot

LARGEST = 5000  # symbols in an entry of a definition that is written out, say an encoder block
SIDES = ("left", "right")


def of_first_claim(theorem: TheoremFile, tokens: int) -> tuple[Block, ...]:
    """The first claim of a theorem at so many tokens, its sides as matrices; BadSlot where it has
    no such case."""
    at, made = _derived(theorem, theorem.claims[0], tokens)
    let = (x for f in at for x in (", ", f))
    sides = (
        Formula(rf"\text{{{name} side}} = {_matrix(side)}", f"{name} side")
        for name, side in zip(SIDES, made.sides, strict=True)
    )
    return (
        Paragraph(("Let ", *itertools.islice(let, 1, None), ".")),
        *_named(made),
        *(Display((("", f),)) for f in sides),
    )


def of_claims(theorem: TheoremFile, tokens: int) -> Iterator[Block]:
    """Every claim at so many tokens, other sizes at most 2 where it admits that, in generic real
    symbols that satisfy its hypotheses, with permutations that move all; both sides entry by entry.
    """
    for number, claim in enumerate(theorem.claims, 1):
        try:
            at, made = _derived(theorem, claim, tokens)
        except BadSlot as why:
            yield Paragraph((f"claim {number}: {why}",))
            continue
        yield Paragraph((f"claim {number}: ", stated(claim, theorem)))
        cases = ", ".join(f.plain for f in at) or "its only size"
        yield Paragraph((f"at {cases}",), continues=True)
        yield from _named(made)
        for name, side in zip(SIDES, made.sides, strict=True):
            yield Paragraph((f"{name} side",), continues=True)
            places = {str([k + 1 for k in index]): x for index, x in sorted(side.items())}
            yield Display(tuple(("", _equal(place, place, x)) for place, x in places.items()))


def _derived(theorem: TheoremFile, claim: Claim, tokens: int) -> tuple[list[Formula], Steps]:
    """The sizes and permutations at which a claim is derived, and its steps; BadSlot where it has
    no such case, or is too large."""
    bare = substituted(claim.statement)
    case = least_case(bare, tokens)
    if case is None:
        raise BadSlot(f"no case with {tokens} tokens")
    if (size := largest_definition(bare, case[0])) > LARGEST:
        said = f"an entry of a definition in it has {size} symbols, more than {LARGEST}"
        raise BadSlot(f"not printed entry by entry: {said}")
    return list(_at(case)), steps(bare, style_of(theorem).labels, *case)


def _at(case: Case) -> Iterator[Formula]:
    """Sizes, and the permutations by their images, counted from 1."""
    sizes, maps = case[0], case[1]
    both = (Latex(), Plain())
    for size, names in itertools.groupby(sizes, sizes.__getitem__):
        each = list(names)
        yield Formula(*(" = ".join([*map(to.symbol, each), str(size)]) for to in both))
    for name, table in maps.items():
        if isinstance(table, int):
            yield Formula(*(f"{to.symbol(name)} = {PEOPLE(table)}" for to in both))
        elif isinstance(table, Sequence):
            for k, image in enumerate(PEOPLE.images(table)):
                yield Formula(*(f"{to.symbol(name)}({PEOPLE(k)}) = {image}" for to in both))


def _named(found: Steps) -> Iterator[Display]:
    """The entries of each tensor: what an entry is made of, and the entry before it that is the
    same expression."""
    for _, group in itertools.groupby(found.named, lambda pair: _read(pair[0])[0]):
        lines = []
        for symbol, value in group:
            formed = found.formed.get(symbol, value)
            chain = dict.fromkeys([_latex(symbol), _latex(formed), _latex(value)])
            lines.append(("", _equal(" = ".join([*chain][:-1]), symbol, value)))
        yield Display(tuple(lines))


def _equal(latex: str, plain: Any, value: Any) -> Formula:
    """What an entry equals; in plain text Q_12 for Q_{12}."""
    bare = re.sub(r"_\{([\d,]+)\}", r"_\1", f"{plain} = {value}")
    return Formula(f"{latex} = {_latex(value)}", bare)


def _read(symbol: sympy.Symbol) -> tuple[str, str]:
    """The tensor and the index of an entry: W_Q and 11."""
    name, _, index = symbol.name.partition("_{")
    return name, index.rstrip("}")


def _letters(symbol: sympy.Symbol) -> str:
    """An entry in LaTeX: W_{Q,\\,11}, K'_{21}."""
    name, index = _read(symbol)
    base = name.replace("′", "")
    made = Latex().prime(base) if "′" in name else Latex().symbol(base)
    return Latex().indexed(made, list(index)) if index else made


def _latex(value: Any) -> str:
    names = {x: _letters(x) for x in value.free_symbols}
    return str(sympy.latex(value, symbol_names=names, fold_short_frac=False))


def _matrix(side: Any) -> str:
    """The entries of a side with two axes, as a matrix."""
    rows = itertools.groupby(sorted(side.items()), lambda item: item[0][0])
    inside = r" \\ ".join(" & ".join(_latex(v) for _, v in row) for _, row in rows)
    return rf"\begin{{pmatrix}} {inside} \end{{pmatrix}}"
