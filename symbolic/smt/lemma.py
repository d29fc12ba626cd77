"""Lemmas with their range: what is proved, and what it rests on.

The obligations of a lemma are computed from its formula and its range, and another proof uses it by
an instance that carries the range as a condition. So no gap can be left between base and step, or
between what is proved and what is used.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import z3

from .obligation import Obligation

KINDS = ("axiom", "lemma", "induction")


@dataclass(frozen=True, eq=False)
class Schema:
    """`formula` for all values of its `variables`; where there is a `least`, the first of these is
    a size n, and the formula is about every n ≥ least.

    An axiom is a definition, or a law, that no solver proves. A lemma is one question. By
    induction it is two: the base at n = least, and, for n ≥ least, the step from the formula at n
    (and the values of the other variables in `hypotheses`) to n + 1.
    """

    kind: str
    name: str
    says: str
    variables: tuple[Any, ...]
    formula: Any
    least: int | None = None
    uses: tuple[Instance, ...] = ()  # in the one question, or in the step
    start: tuple[Instance, ...] = ()  # in the base
    hypotheses: tuple[tuple[Any, ...], ...] = ()
    smallest: bool = False  # a model of the assumptions is looked for at the least size

    def __post_init__(self) -> None:
        if self.kind not in KINDS or (self.kind == "induction" and self.least is None):
            raise ValueError(f"{self.name}: given {self.kind}, {self.least}, expected {KINDS}")

    def at(self, *values: Any) -> Instance:
        """The formula at these values of the variables, to be used in a proof."""
        return Instance(self, values)

    def said(self, *values: Any) -> Any:
        """The formula at these values, whatever the range."""
        if len(values) != len(self.variables):
            raise ValueError(f"{self.name}: given {len(values)} values, expected {self.variables}")
        lifted = [z3.IntVal(v) if isinstance(v, int) else v for v in values]
        return z3.substitute(self.formula, *zip(self.variables, lifted, strict=True))

    @cached_property
    def obligations(self) -> tuple[Obligation, ...]:
        """What is to be proved: nothing, or one question, or base and step."""
        if self.kind == "axiom":
            return ()
        inside = () if self.least is None else (self.variables[0] >= self.least,)
        if self.kind == "lemma":
            return (self._asked("", self.says, inside, self.formula, self.uses),)
        n, *others = self.variables
        hypotheses = (self.said(n, *v) for v in self.hypotheses or (others,))
        base, step = f"{self.says}: {n} = {self.least}", f"{self.says}: from {n} to {n} + 1"
        return (
            self._asked("_base", base, (), self.said(self.least, *others), self.start),
            self._asked(
                "_step", step, (*inside, *hypotheses), self.said(n + 1, *others), self.uses
            ),
        )

    def _asked(
        self, part: str, says: str, own: tuple[Any, ...], goal: Any, uses: tuple[Instance, ...]
    ) -> Obligation:
        names = tuple(dict.fromkeys(u.of.name for u in uses))
        assume = (*own, *(u.formula for u in uses))
        example = (self.variables[0] == self.least,) if self.smallest else ()
        return Obligation(self.name + part, says, assume, goal, example, names)


@dataclass(frozen=True, eq=False)
class Instance:
    """A schema at given values of its variables, within its range."""

    of: Schema
    values: tuple[Any, ...]

    @property
    def formula(self) -> Any:
        """What may be assumed."""
        said, least = self.of.said(*self.values), self.of.least
        if least is None:
            return said
        size = self.values[0]
        if isinstance(size, int):
            return said if size >= least else z3.Implies(z3.IntVal(size) >= least, said)
        return z3.Implies(size >= least, said)


def axiom(
    name: str, says: str, variables: tuple[Any, ...], formula: Any, least: int | None = None
) -> Schema:
    """A definition, or a law that is assumed."""
    return Schema("axiom", name, says, variables, formula, least)


def lemma(
    name: str,
    says: str,
    variables: tuple[Any, ...],
    formula: Any,
    uses: tuple[Instance, ...] = (),
    least: int | None = None,
    smallest: bool = False,
) -> Schema:
    """A formula for all values at once."""
    return Schema("lemma", name, says, variables, formula, least, uses, smallest=smallest)


def induction(
    name: str,
    says: str,
    variables: tuple[Any, ...],
    formula: Any,
    least: int,
    *,
    base: tuple[Instance, ...] = (),
    step: tuple[Instance, ...] = (),
    hypotheses: tuple[tuple[Any, ...], ...] = (),
    smallest: bool = False,
) -> Schema:
    """A formula for every n ≥ least, n being the first of the variables."""
    return Schema(
        "induction", name, says, variables, formula, least, step, base, hypotheses, smallest
    )


def used_by(schema: Schema) -> Iterator[Instance]:
    """The instances that its proof uses."""
    yield from schema.start
    yield from schema.uses
