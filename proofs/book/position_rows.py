"""How the book's page of one scheme is divided: rows of cells with one reason, and the two sides of
its counterexample.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from orderproof.proofs.check.page import Example, Formula, Table
from orderproof.proofs.schemes.table import Cell


class WrongPortrait(ValueError):
    """A counterexample, or a reason, that has not the parts of one."""


@dataclass(frozen=True)
class Row:
    """Symmetries of a scheme that follow one another and have one verdict for one reason."""

    symmetries: tuple[str, ...]
    cell: Cell  # the first of them
    why: str
    by: tuple[str, ...]  # of a refutation for every n, the theorems by which an output then differs


@dataclass(frozen=True)
class Sides:
    """A counterexample: what is chosen, before and after σ, and what the symmetry asks."""

    first: str
    before: Example
    after: Example
    last: str


def rows(cells: Sequence[Cell]) -> list[Row]:
    """The cells of a scheme, those together whose verdict and reason are the same."""

    def told(c: Cell) -> tuple[object, ...]:
        return c.verdict, c.smallest, c.sign, c.regime, why(c)

    found = []
    for _, group in itertools.groupby(cells, told):
        first, *others = group
        ground = first.every_n
        by = (ground.theorem, *ground.beside) if ground else ()
        found.append(Row(tuple(c.symmetry for c in (first, *others)), first, why(first), by))
    return found


def why(c: Cell) -> str:
    """The reason; of a refutation for every n what changes, without the witness, which is a file,
    and without the theorems."""
    if c.every_n is None:
        return c.told
    regime = c.regime.partition("; looked at")[0]
    argument = c.told.partition(f"; {regime}: ")[2]
    changes, _, theorems = argument.partition("; so an output differs by ")
    if not changes or theorems != str(c.every_n):
        raise WrongPortrait(f"{c.scheme}, {c.symmetry}: given no argument for every n: {c.told}")
    return changes


def sides(example: Example) -> Sides:
    """A counterexample as two sides that stand beside each other; WrongPortrait where it has not
    the parts of one: text, twice text, table and mean, text."""
    kinds = [type(part) for part in example.parts]
    if kinds != [str, *[str, Table, Formula] * 2, str]:
        raise WrongPortrait(f"{example.title}: given parts {[k.__name__ for k in kinds]}")
    first, *both, last = example.parts
    before, after = (Example("", tuple(side)) for side in (both[:3], both[3:]))
    return Sides(str(first), before, after, str(last))
