"""Lemmas with their range, and accounts: what is proved of a statement, and what it rests on.

The obligations of a lemma are computed from its formula and its range, and another proof uses it by
an instance that carries the range as a condition. So no gap can be left between base and step, or
between what is proved and what is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import z3

from .obligation import Obligation
from .terms import Map, Name, Set, Term

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
    smallest: bool = False  # an example of what is assumed is looked for at the least size

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
    """A definition, or a law of what is spoken of."""
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


@dataclass(frozen=True)
class Account:
    """A statement about terms, and the lemmas behind it, the last of which is to say the same of
    the values in `reading`: for constants of its formula, terms. Each lemma is to use earlier ones.
    `kind` is the reduction that R stands for, `paper` what no machine has checked; `nonzero` names
    the term in the reading that the statement takes to be 0 nowhere, if there is one."""

    lhs: Term
    relation: str
    rhs: Term
    axis: Name  # what is reduced, or normalised: its size is that of the last lemma
    over: Set
    schemas: tuple[Schema, ...]
    reading: Mapping[str, Term | Map]
    paper: str
    kind: str = "sum"
    nonzero: str = ""

    @property
    def where(self) -> Term | None:
        """What the statement takes to be 0 nowhere."""
        given = self.reading.get(self.nonzero)
        return given if isinstance(given, Term) else None

    @property
    def sizes(self) -> dict[Set, tuple[str, tuple[int, ...]]]:
        """For which sizes the last lemma is proved: no condition means every n ≥ 0."""
        least = self.schemas[-1].least if self.schemas else None
        return {} if least == 0 else {self.over: ("≥", (-1 if least is None else least,))}

    @property
    def statement(self) -> tuple[Any, ...]:
        """What this is an account of: both sides, and no hypotheses."""
        return self.lhs, self.relation, self.rhs, frozenset()

    def covers(self, sizes: Mapping[Set, tuple[str, tuple[int, ...]]]) -> bool:
        """Whether it is about every size that these conditions admit."""
        _, proved = self.sizes.get(self.over, ("≥", (0,)))
        _, asked = sizes.get(self.over, ("≥", (0,)))
        return 0 <= proved[0] <= min(asked)

    @property
    def obligations(self) -> tuple[Obligation, ...]:
        """All that is to be proved."""
        return tuple(o for schema in self.schemas for o in schema.obligations)

    @property
    def axioms(self) -> tuple[Schema, ...]:
        """The definitions and laws that are assumed."""
        used = (u.of for s in self.schemas for u in used_by(s))
        return tuple(dict.fromkeys(s for s in used if s.kind == "axiom"))

    def fault(self) -> str:
        """Why the obligations, if proved, would not prove the last lemma; nothing if they do."""
        names = [s.name for s in self.schemas]
        if not names or self.schemas[-1].kind == "axiom" or self.schemas[-1].least is None:
            return "no lemma about every size"
        if len(set(names)) < len(names):
            return "two lemmas of one name"
        proved: list[Schema] = []
        for schema in self.schemas:
            if type(schema) is not Schema:
                return f"{schema.name}: base and step are not made of one formula"
            for u in used_by(schema):
                if u.of.kind != "axiom" and not any(u.of is known for known in proved):
                    return f"{schema.name} uses {u.of.name}, which is not proved before"
            if schema.kind == "axiom":
                return f"{schema.name} is assumed"
            proved.append(schema)
        return ""


def used_by(schema: Schema) -> Iterator[Instance]:
    """The instances that its proof uses."""
    yield from schema.start
    yield from schema.uses
