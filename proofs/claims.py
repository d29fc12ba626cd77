"""Claims and theorems of the book: what is stated, and which checks are to settle it.

A claim is an atom (=, ≠, >) between two terms, universally quantified unless its kind says
"exists". Its marks are functions that look at the claim itself; the statement that is printed and
the statement that is checked are the same two terms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from orderproof.symbolic.derivation import Named, Show
from orderproof.symbolic.kernel import Equation, Theorem
from orderproof.symbolic.language import image, symbols
from orderproof.symbolic.tactic import Motion, Pushed, Stuck, push
from orderproof.symbolic.terms import Map, Name, Op, Set, Term, at

from .pages import Example, Formula

Check = Callable[["Claim"], tuple[bool | None, str]]  # ok (None: undecided) and the detail


Condition = tuple[str, tuple[int, ...]]  # of a size: ("≥", (2,)), ("∈", (2, 3))


def meets(size: int, condition: Condition) -> bool:
    """Whether a size meets a condition."""
    relation, values = condition
    if relation not in ("≥", "∈"):
        raise ValueError(f"condition on a size: given {condition}, expected ≥ or ∈")
    return size >= min(values) if relation == "≥" else size in values


class StuckError(RuntimeError):
    """A derivation that a theorem file relies on did not go through: says where it ended."""


@dataclass(frozen=True)
class Claim:
    """lhs relation rhs, for all values of the axes of both, with the checks that give its marks."""

    kind: str
    lhs: Term
    rhs: Term
    marks: Mapping[str, Check]
    scope: str
    relation: str = "="
    row: Name | None = None
    column: Name | None = None
    hyps: frozenset[Equation] = frozenset()
    theorem: Theorem | None = None
    motion: bool = False  # whether what holds for two permutations holds for their product
    sizes: Mapping[Set, Condition] = field(default_factory=dict)
    tables: Mapping[Op, Formula] = field(default_factory=dict)  # tensors given by a formula
    expected: str = "proved"
    rocq: str = ""  # the theorem of proofs/rocq/ that states it
    provided: Formula | None = None  # a condition that no equation between terms says
    nonzero: Term | None = None  # what is divided by, where the claim is about its being 0 nowhere
    push: tuple[Term, Pushed] | None = None  # what was pushed through which term, to be certified

    def declared(self) -> tuple[str, ...]:
        """The marks that it is to carry where every tool is installed."""
        return (*self.marks, *(["rocq"] if self.rocq or self.push else []))

    def holds(self, values: tuple[Any, Any]) -> bool:
        """The atom between two values; a NaN satisfies none."""
        left, right = values
        if left != left or right != right:
            return False
        match self.relation:
            case "=":
                return bool(left == right)
            case "≠":
                return bool(left != right)
            case ">":
                return bool(left > right)
        raise ValueError(f"relation: given {self.relation!r}, expected =, ≠ or >")


@dataclass(frozen=True)
class Neighbour:
    """A false statement next to the true one, changed in one place; every mark must reject it."""

    claim: Claim
    reason: str


@dataclass(frozen=True)
class TheoremFile:
    """A theorem as its file states it."""

    id: str
    title: str
    words: str
    source: str
    claims: tuple[Claim, ...]
    show: Show
    neighbour: Neighbour
    neighbours: tuple[Neighbour, ...] = ()  # further ones, where claims carry other checks
    pushed: tuple[Pushed, ...] = ()
    primes: tuple[Pushed, ...] = ()  # pushes whose images are primed, without their steps
    chains: tuple[tuple[Named, Theorem], ...] = ()  # theorems shown step by step
    definitions: tuple[Op, ...] = ()  # written out, by entries
    lemmas: Mapping[Theorem, str] = field(default_factory=dict)  # named in those steps
    citations: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()
    titles: Mapping[str, str] = field(default_factory=dict)  # of sections, where TITLES do not fit
    cited: Mapping[str, str] = field(default_factory=dict)  # tensor ↦ the theorem that moves it
    examples: tuple[Example, ...] = ()
    witnesses: Mapping[str, str] = field(default_factory=dict)  # file name ↦ counterexample file


def pushing(term: Term, moves: Mapping[Op, Motion], facts: Sequence[Theorem] = ()) -> Pushed:
    """The push that a theorem file relies on."""
    result = push(term, moves, facts)
    if isinstance(result, Stuck):
        raise StuckError(f"{term.node}: {result}")
    return result


def equality(
    lhs: Term,
    rhs: Term,
    theorem: Theorem,
    marks: Mapping[str, Check],
    *,
    row: Name | None = None,
    column: Name | None = None,
    motion: bool = False,
    scope: str = "all n, all widths",
) -> Claim:
    """lhs = rhs, stated here, with the theorem that is to say the same (see `by_kernel`)."""
    return Claim(
        "equality", lhs, rhs, marks, scope, row=row, column=column, hyps=theorem.hyps,
        theorem=theorem, motion=motion,
    )  # fmt: skip


def equivariance(
    term: Term,
    moves: Mapping[Op, Motion],
    motion: Mapping[Any, Map],
    pushed: Pushed,
    marks: Mapping[str, Check],
    *,
    row: Name | None = None,
    column: Name | None = None,
) -> Claim:
    """term with its tensors moved = term with these axes moved (none: invariance).

    What holds for two permutations, for all values of the tensors, holds for one after the other,
    unless the permutations occur in the term itself or in a hypothesis.
    """
    rhs = at(term, {a: m(a) for a, m in motion.items()})
    composes = not symbols(term)[1] and not pushed.theorem.hyps
    claim = equality(
        image(term, moves), rhs, pushed.theorem, marks, row=row, column=column, motion=composes
    )
    return replace(claim, push=(term, pushed))


def in_rocq(name: str, *claims: Claim) -> tuple[Claim, ...]:
    """These claims, which the theorem of this name in proofs/rocq/Headlines.v states too."""
    return tuple(replace(claim, rocq=name) for claim in claims)


def nearby(claim: Claim, reason: str, **changed: Any) -> Neighbour:
    """The planted falsehood: the claim changed in one place, with its marks."""
    return Neighbour(replace(claim, **changed), reason)


__all__ = [
    "Claim",
    "Formula",
    "Map",
    "Named",
    "Neighbour",
    "Set",
    "Show",
    "StuckError",
    "TheoremFile",
    "equality",
    "equivariance",
    "in_rocq",
    "nearby",
    "pushing",
]
