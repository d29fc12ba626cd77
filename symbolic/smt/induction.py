"""Lemma 1 for every n, by induction in SMT: a reduction does not depend on the order of its terms.

Arrays are functions from ℕ. A reduction R of the first n entries by ⊕ is known by R(a, 0) = e and
R(a, n+1) = R(a, n) ⊕ a(n) alone. Each obligation is one question, sound for all its free constants:
its assumptions are instances of the two equations, of the laws of ⊕, of what earlier obligations
prove, and of the induction hypothesis. The way, for the sum and the product: an
entry that changes (`update`), two that are exchanged (`swap`), and then `permuted`, as every
permutation of {0, …, n} is one that leaves n alone and then a swap.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import z3

from .lemma import Schema, axiom, induction, lemma

INT, REAL = z3.IntSort(), z3.RealSort()
ARRAY = z3.ArraySort(INT, REAL)
SUM = z3.Function("S", ARRAY, INT, REAL)


@dataclass(frozen=True, eq=False)
class Reduction:
    """R(a, n) = a(0) ⊕ … ⊕ a(n−1), by its two equations."""

    name: str
    array: Any  # the sort of what is reduced
    of: Callable[[Any, Any], Any]
    op: Callable[[Any, Any], Any]
    neutral: Any

    @cached_property
    def empty(self) -> Schema:
        """R(a, 0) = e"""
        a = z3.Const("a", self.array)
        return axiom(f"{self.name}_of_nothing", "R(a, 0) = e", (a,), self.of(a, 0) == self.neutral)

    @cached_property
    def next(self) -> Schema:
        """R(a, n+1) = R(a, n) ⊕ a(n)"""
        a = z3.Const("a", self.array)
        more = self.of(a, n + 1) == self.op(self.of(a, n), a[n])
        return axiom(f"{self.name}_of_one_more", "R(a, n+1) = R(a, n) ⊕ a(n)", (n, a), more, 0)


i, j, k, l, n = z3.Ints("i j k l n")  # noqa: E741 (an index, as mathematics writes it)
SUMMING = Reduction("sum", ARRAY, SUM, lambda x, y: x + y, z3.RealVal(0))


# ----------------------------------------------------------------------- one entry, then two
def _inside(*places: Any) -> tuple[Any, ...]:
    return tuple(bound for p in places for bound in (p >= 0, p < n))


def _exchanged(a: Any, i: Any, j: Any) -> Any:
    return z3.Store(z3.Store(a, i, z3.Select(a, j)), j, z3.Select(a, i))


@cache
def one_entry(r: Reduction) -> tuple[Schema, ...]:
    """From one entry to two: beyond n, below n, and two entries exchanged. There is no minus in a
    monoid: what becomes v is overwritten by e first, and then combined with v."""
    a, v = z3.Const("a", r.array), z3.Const("v", r.array.range())
    b, bare, half = z3.Store(a, i, v), z3.Store(a, i, r.neutral), z3.Store(a, i, a[j])
    outside = induction(
        f"{r.name}_outside",
        "an entry beyond n does not matter",
        (n, a, i, v),
        z3.Implies(i >= n, r.of(b, n) == r.of(a, n)),
        0,
        base=(r.empty.at(a), r.empty.at(b)),
        step=(r.next.at(n, a), r.next.at(n, b)),
    )
    if r is SUMMING:
        new, says = SUM(a, n) - a[i] + v, "adds v − a(i)"
        step = [r.next.at(n, a), r.next.at(n, b), outside.at(n, a, i, v)]
    else:
        new, says = r.op(r.of(bare, n), v), "is overwritten by e and v combined"
        step = [
            r.next.at(n, bare), r.next.at(n, b), outside.at(n, a, i, v),
            outside.at(n, a, i, r.neutral),
        ]  # fmt: skip
    update = induction(
        f"{r.name}_update",
        f"entry i < n becoming v {says}",
        (n, a, i, v),
        z3.Implies(z3.And(*_inside(i)), r.of(b, n) == new),
        0,
        step=tuple(step),
    )
    if r is SUMMING:
        facts = [update.at(n, a, i, a[j]), update.at(n, half, j, a[i])]
    else:  # a itself is a with entry i becoming a(i)
        facts = [
            update.at(n, half, j, a[i]), update.at(n, a, i, a[i]), update.at(n, bare, j, a[j]),
            update.at(n, z3.Store(a, j, r.neutral), i, a[j]),
        ]  # fmt: skip
    swap = lemma(
        f"{r.name}_swap",
        "exchanging entries i and j < n changes nothing",
        (n, a, i, j),
        z3.Implies(z3.And(*_inside(i, j), i != j), r.of(_exchanged(a, i, j), n) == r.of(a, n)),
        tuple(facts),
        least=0,
    )
    return outside, update, swap  # fmt: skip


# ------------------------------------------------------------------------------ every permutation
SIGMA, TAU, BOTH = (z3.Const(name, z3.ArraySort(INT, INT)) for name in ("sigma", "tau", "rho"))


def _permutes(s: Any, m: Any) -> tuple[Any, Any]:
    """s is injective from {0, …, m−1} into itself."""
    below, both = z3.And(k >= 0, k < m), z3.And(k >= 0, k < m, l >= 0, l < m, k != l)
    within = z3.ForAll([k], z3.Implies(below, z3.And(s[k] >= 0, s[k] < m)))
    return within, z3.ForAll([k, l], z3.Implies(both, s[k] != s[l]))


def _moved(b: Any, a: Any, s: Any, m: Any) -> Any:
    """b(k) = a(s(k)) for k < m."""
    return z3.ForAll([k], z3.Implies(z3.And(k >= 0, k < m), b[k] == a[s[k]]))


def _swapped(s: Any) -> Any:
    """s, and then the exchange of the values n and σ(n)."""
    return z3.If(s == n, SIGMA[n], z3.If(s == SIGMA[n], n, s))


# of one σ and n each: these are definitions, of τ and of ρ
REST = axiom(
    "rest", "τ is σ, then the swap of n and σ(n)", (), z3.ForAll([k], TAU[k] == _swapped(SIGMA[k]))
)
COMPOSED = axiom(
    "composed", "ρ is σ, then τ", (), z3.ForAll([k], BOTH[k] == TAU[SIGMA[k]])
)  # fmt: skip


@cache
def generated_by_swaps() -> tuple[Schema, ...]:
    """Every σ is a swap after a permutation that leaves the last place alone; they compose."""
    after = z3.And(SIGMA[j] == _swapped(TAU[j]), TAU[n] == n, *_permutes(TAU, n))
    both = z3.And(*_permutes(SIGMA, n), *_permutes(TAU, n))
    return (
        lemma(
            "permutation_generated",
            "a permutation σ of {0, …, n} is τ, then the swap of n and σ(n), where τ leaves n "
            "alone and permutes {0, …, n−1}",
            (n,), z3.Implies(z3.And(*_permutes(SIGMA, n + 1)), after), (REST.at(),), least=0,
        ),
        lemma(
            "permutation_composed", "σ and then τ is a permutation ρ",
            (n,), z3.Implies(both, z3.And(*_permutes(BOTH, n))), (COMPOSED.at(),), least=0,
        ),
    )  # fmt: skip


@cache
def every_permutation(r: Reduction) -> tuple[Schema, ...]:
    """R(b, n) = R(a, n) whenever b(k) = a(σ(k)) for k < n, for all a, b, σ at once, by induction
    on n from the swap; the induction hypothesis is instantiated at the exchanged a, at b and τ.
    Then invariance under σ and under τ gives invariance under their composition."""
    a, b, c = (z3.Const(name, r.array) for name in "abc")
    last = _exchanged(a, SIGMA[n], n)
    *_, swap = one_entry(r)

    def invariant(b: Any, a: Any, s: Any) -> Any:
        given = z3.And(*_permutes(s, n), _moved(b, a, s, n))
        return z3.Implies(given, r.of(b, n) == r.of(a, n))

    both = z3.And(
        *_permutes(SIGMA, n), *_permutes(TAU, n), _moved(c, a, TAU, n),
        invariant(c, a, TAU), invariant(b, c, SIGMA),
    )  # fmt: skip
    return (
        lemma(
            f"{r.name}_permuted_composed",
            "invariance under σ and under τ gives it under ρ, ρ(k) = τ(σ(k))",
            (n, a, b, c), z3.Implies(both, invariant(b, a, BOTH)), (COMPOSED.at(),), least=0,
            smallest=True,
        ),
        induction(
            f"{r.name}_permuted", "a reduction does not depend on the order of its terms",
            (n, a, b, SIGMA), invariant(b, a, SIGMA), 0,
            base=(r.empty.at(a), r.empty.at(b)),
            step=(
                REST.at(), r.next.at(n, b), r.next.at(n, last), swap.at(n + 1, a, SIGMA[n], n)
            ),
            hypotheses=((last, b, TAU),), smallest=True,
        ),
    )  # fmt: skip
