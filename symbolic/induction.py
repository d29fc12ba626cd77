"""The one lemma for every n, by induction in SMT: S(a, n) = Σ_{j<n} a[j] is blind to a swap.

Arrays are functions from ℕ; S is known by S(a, 0) = 0 and S(a, n+1) = S(a, n) + a[n] alone. Each
`Obligation` is one quantifier-free question, sound for all its free constants: its assumptions
are instances of the two equations, of lemmas proved by earlier obligations, and of the induction
hypothesis. Every permutation of a finite set is a product of swaps, so swaps are enough.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import z3

from .architecture import shifted_softmax, softmax
from .language import number, total
from .terms import Map, Name, Term, at

INT, REAL = z3.IntSort(), z3.RealSort()
ARRAY = z3.ArraySort(INT, REAL)
TIMEOUT = 10_000  # milliseconds for one obligation: a time-out is "unknown", never a proof


@dataclass(frozen=True)
class Obligation:
    """`assume` implies `goal` for all values of the constants in them."""

    name: str
    says: str
    assume: tuple[Any, ...]
    goal: Any

    def solver(self) -> z3.Solver:
        """The assumptions with the negated goal: unsat means proved."""
        solver = z3.Solver()
        solver.set("timeout", TIMEOUT)
        solver.add(*self.assume, z3.Not(self.goal))
        return solver

    def smtlib(self) -> str:
        """A standalone SMT-LIB 2 file that states the obligation; unsat means proved."""
        head = f"; {self.name}: {self.says}\n; expected answer: unsat\n(set-logic ALL)\n"
        # not to_smt2, which numbers shared parts by what the process did before
        return f"{head}{self.solver().sexpr()}(check-sat)\n"

    def check(self) -> bool | None:
        """True if proved, False if refuted, None if undecided. Contradictory assumptions prove
        nothing and count as undecided."""
        alone = z3.Solver()
        alone.set("timeout", TIMEOUT)
        alone.add(*self.assume)
        if alone.check() != z3.sat:
            return None
        answer = self.solver().check()
        return True if answer == z3.unsat else False if answer == z3.sat else None


def sums(*pairs: tuple[Any, Any]) -> Iterator[Any]:
    """S(a, 0) = 0 and S(a, n+1) = S(a, n) + a[n] for these (a, n)."""
    for a, n in pairs:
        yield SUM(a, 0) == 0
        yield SUM(a, n + 1) == SUM(a, n) + z3.Select(a, n)


SUM = z3.Function("S", ARRAY, INT, REAL)


def sum_is_order_blind() -> tuple[Obligation, ...]:
    """Σ_{j<n} a(σ(j)) = Σ_{j<n} a(j) for every n and every σ, from swaps."""
    a, v = z3.Const("a", ARRAY), z3.Real("v")
    i, j, n = z3.Ints("i j n")
    b = z3.Store(a, i, v)

    def outside(n: Any) -> Any:
        return z3.Implies(i >= n, SUM(b, n) == SUM(a, n))

    def inside(n: Any) -> Any:
        new = SUM(a, n) - z3.Select(a, i) + v
        return z3.Implies(z3.And(i >= 0, i < n), SUM(b, n) == new)

    swapped = z3.Store(z3.Store(a, i, z3.Select(a, j)), j, z3.Select(a, i))
    both = (i >= 0, i < n, j >= 0, j < n, i != j)
    half = z3.Store(a, i, z3.Select(a, j))
    # the update lemma, instantiated at (a, i, a[j]) and at (half, j, a[i])
    first = SUM(half, n) == SUM(a, n) - z3.Select(a, i) + z3.Select(a, j)
    second = SUM(swapped, n) == SUM(half, n) - z3.Select(half, j) + z3.Select(a, i)
    base, step = tuple(sums((a, n), (b, n))), (n >= 0, *sums((a, n), (b, n)))
    return (
        Obligation("outside_base", "an entry beyond n is not summed: n = 0", base, outside(0)),
        Obligation(
            "outside_step", "the same: n to n + 1", (*step, outside(n)), outside(n + 1)
        ),
        Obligation(
            "update_base", "entry i < n becoming v adds v − a[i]: n = 0", base, inside(0)
        ),
        Obligation(
            "update_step", "the same: n to n + 1", (*step, outside(n), inside(n)), inside(n + 1)
        ),
        Obligation(
            "swap", "swapping entries i and j < n does not change the sum",
            (*both, first, second), SUM(swapped, n) == SUM(a, n),
        ),
    )  # fmt: skip


def softmax_rows() -> tuple[Obligation, ...]:
    """For positive weights w and n ≥ 1 with T = Σ_{l<n} w[l]: T > 0, every w[j]/T > 0, and
    Σ_{j<n} w[j]/T = 1, the latter as R(k)·T = S(w, k) for the partial sums R of the quotients."""
    w, q, t = z3.Const("w", ARRAY), z3.Const("q", ARRAY), z3.Real("T")
    n, k, j = z3.Ints("n k j")
    positive = z3.Select(w, n) > 0
    quotient = (t > 0, z3.Select(q, k) * t == z3.Select(w, k), k >= 0)
    return (
        Obligation(
            "total_base", "T > 0: n = 1", (*sums((w, 0)), z3.Select(w, 0) > 0), SUM(w, 1) > 0
        ),
        Obligation(
            "total_step", "T > 0: n to n + 1",
            (n >= 1, *sums((w, n)), positive, SUM(w, n) > 0), SUM(w, n + 1) > 0,
        ),
        Obligation(
            "entry", "w[j] > 0 and T > 0 give w[j]/T > 0",
            (t > 0, z3.Select(w, j) > 0), z3.Select(w, j) / t > 0,
        ),
        Obligation(
            "row_base", "R(k)·T = S(w, k): k = 0",
            tuple(sums((w, 0), (q, 0))), SUM(q, 0) * t == SUM(w, 0),
        ),
        Obligation(
            "row_step", "the same: k to k + 1",
            (*quotient, *sums((w, k), (q, k)), SUM(q, k) * t == SUM(w, k)),
            SUM(q, k + 1) * t == SUM(w, k + 1),
        ),
        Obligation(
            "row_sum", "at k = n, where S(w, n) = T > 0: R(n) = 1",
            (t > 0, SUM(w, n) == t, SUM(q, n) * t == SUM(w, n)), SUM(q, n) == 1,
        ),
    )  # fmt: skip


def softmax_shift() -> tuple[Obligation, ...]:
    """softmax(s − c) = softmax(s): with weights w and u = exp(−c) > 0, Σ_{j<n} w[j]·u = u·S(w, n)
    by induction, so (w[j]·u) / Σ(w·u) = w[j] / Σ w."""
    w, q, k, j = z3.Const("w", ARRAY), z3.Const("q", ARRAY), z3.Int("k"), z3.Int("j")
    u, t, r = z3.Reals("u T R")
    return (
        Obligation(
            "shift_base", "S(w·u, 0) = u·S(w, 0)",
            tuple(sums((w, 0), (q, 0))), SUM(q, 0) == u * SUM(w, 0),
        ),
        Obligation(
            "shift_step", "the same: k to k + 1",
            (
                k >= 0, *sums((w, k), (q, k)), z3.Select(q, k) == u * z3.Select(w, k),
                SUM(q, k) == u * SUM(w, k),
            ),
            SUM(q, k + 1) == u * SUM(w, k + 1),
        ),
        Obligation(
            "shift_entry", "T = S(w, n) > 0, R = u·T and u > 0: the quotients agree",
            (t > 0, u > 0, r == u * t), (u * z3.Select(w, j)) / r == z3.Select(w, j) / t,
        ),
    )  # fmt: skip


# ------------------------------------------------------------------------------ what they say
@dataclass(frozen=True)
class Account:
    """A statement about terms, the obligations behind it, and the steps between them on paper."""

    lhs: Term
    relation: str
    rhs: Term
    obligations: tuple[Obligation, ...]
    paper: str

    @property
    def statement(self) -> tuple[Term, str, Term]:
        """What the obligations are an account of."""
        return self.lhs, self.relation, self.rhs


def sum_account(a: Term, axis: Name, sigma: Map) -> Account:
    """Σⱼ a(σ(j)) = Σⱼ a(j)"""
    moved = at(a, {axis: sigma(axis)})
    paper = "every permutation is a product of swaps"
    return Account(total(moved, axis), "=", total(a, axis), sum_is_order_blind(), paper)


def row_sum_account(scores: Term, axis: Name) -> Account:
    """Σⱼ softmax(s)ⱼ = 1"""
    whole = total(softmax(scores, axis), axis)
    return Account(whole, "=", number(1), softmax_rows(), "the weights w = exp(s) are positive")


def positive_account(scores: Term, axis: Name) -> Account:
    """softmax(s)ⱼ > 0"""
    paper = "the weights w = exp(s) are positive"
    return Account(softmax(scores, axis), ">", number(0), softmax_rows(), paper)


def shift_account(scores: Term, axis: Name) -> Account:
    """the shifted softmax = the softmax"""
    paper = "exp(s − c) = exp(s)·u with u = exp(−c) > 0, and the total T > 0"
    shifted, plain = shifted_softmax(scores, axis), softmax(scores, axis)
    return Account(shifted, "=", plain, (*softmax_rows()[:2], *softmax_shift()), paper)
