"""Laws of sums and maxima over the first n entries of an array, each proved once, by induction.

A law says: if its `entries` hold for every k < n, then its conclusion does. A chain (chain.py) uses
it at the arrays of a statement, where `entries` is a question of its own, about one k.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import z3

from .induction import (
    ARRAY,
    INT,
    SIGMA,
    SUM,
    SUMMING,
    Reduction,
    every_permutation,
    generated_by_swaps,
    k,
    n,
    one_entry,
)
from .lemma import Schema, axiom, induction, lemma

A, B, C = (z3.Const(name, ARRAY) for name in "abc")
P = z3.Int("p")
U = z3.Real("u")
TRUE = z3.BoolVal(True)
PRODUCT = Reduction(
    "prod", ARRAY, z3.Function("P", ARRAY, INT, z3.RealSort()), lambda x, y: x * y, z3.RealVal(1)
)


@dataclass(frozen=True, eq=False)
class Law:
    """For every n ≥ least: if `entries` holds for all 0 ≤ k < n, so does `conclusion`. `before` are
    the lemmas that its own proof rests on."""

    schema: Schema  # of the variables of the law, the size n first
    entries: Any
    conclusion: Any
    before: tuple[Schema, ...] = ()

    @property
    def name(self) -> str:
        """The name of its lemma."""
        return self.schema.name

    @property
    def least(self) -> int:
        """The least n."""
        return self.schema.least or 0

    @property
    def schemas(self) -> tuple[Schema, ...]:
        """Every lemma behind the law, itself last."""
        return (*self.before, self.schema)

    def said(self, values: Sequence[Any], place: Any) -> tuple[Any, Any]:
        """Its condition on the entry at an index, and its conclusion, at these values."""
        to = [*zip(self.schema.variables, values, strict=True)]
        given = z3.substitute(self.entries, *to, (k, place))
        return given, z3.substitute(self.conclusion, *to)


def _inside(place: Any, size: Any = n) -> Any:
    return z3.And(place >= 0, place < size)


def _all(entries: Any) -> Any:
    """entries for every k < n."""
    return entries if z3.is_true(entries) else z3.ForAll([k], z3.Implies(_inside(k), entries))


def _summed(name: str, says: str, others: tuple[Any, ...], entries: Any, conclusion: Any) -> Law:
    """A law by induction from the empty sum, with the two equations of the sums of its arrays."""
    arrays = [v for v in others if v.sort() == ARRAY]
    schema = induction(
        name, says, (n, *others), z3.Implies(_all(entries), conclusion), 0,
        base=tuple(SUMMING.empty.at(x) for x in arrays),
        step=tuple(SUMMING.next.at(n, x) for x in arrays),
    )  # fmt: skip
    return Law(schema, entries, conclusion)


AGREE = _summed(
    "agree", "sums of equal entries are equal", (A, B), A[k] == B[k], SUM(A, n) == SUM(B, n)
)
SPLIT = _summed(
    "split", "Σ (b + c) = Σ b + Σ c", (A, B, C), A[k] == B[k] + C[k],
    SUM(A, n) == SUM(B, n) + SUM(C, n),
)  # fmt: skip
SCALE = _summed(
    "scale", "Σ u·b = u·Σ b", (A, B, U), A[k] == U * B[k], SUM(A, n) == U * SUM(B, n)
)  # fmt: skip
CONSTANT = _summed(
    "constant", "n equal entries u add up to n·u", (A, U), A[k] == U,
    SUM(A, n) == z3.ToReal(n) * U,
)  # fmt: skip
POSITIVE = _summed(
    "positive", "a sum of at least one positive entry is positive", (A,), A[k] > 0,
    z3.And(SUM(A, n) >= 0, z3.Implies(n >= 1, SUM(A, n) > 0)),
)  # fmt: skip
MORE = _summed(
    "more", "Σ a ≤ Σ b where a ≤ b, and Σ a < Σ b where an entry p is less", (A, B, P),
    A[k] <= B[k],
    z3.And(
        SUM(A, n) <= SUM(B, n),
        z3.Implies(z3.And(_inside(P), A[P] < B[P]), SUM(A, n) < SUM(B, n)),
    ),
)  # fmt: skip
PRESENT = _summed(
    "present", "a sum of entries ≥ 0 is positive if an entry p is", (A, P), A[k] >= 0,
    z3.And(SUM(A, n) >= 0, z3.Implies(z3.And(_inside(P), A[P] > 0), SUM(A, n) > 0)),
)  # fmt: skip
SUPPORT = _summed(
    "support", "of a, b ≥ 0, b positive where a is: if Σ a > 0, then Σ b > 0", (A, B),
    z3.And(A[k] >= 0, B[k] >= 0, z3.Implies(A[k] > 0, B[k] > 0)),
    z3.And(SUM(A, n) >= 0, SUM(B, n) >= 0, z3.Implies(SUM(A, n) > 0, SUM(B, n) > 0)),
)  # fmt: skip
SINGLE = _summed(
    "single", "all entries but that at p are u", (A, U, P), z3.Implies(k != P, A[k] == U),
    SUM(A, n) == z3.ToReal(n) * U + z3.If(_inside(P), A[P] - U, 0),
)  # fmt: skip


# ------------------------------------------------------------------------------- the order of terms
@cache
def permuted(reduction: Reduction) -> Law:
    """A reduction does not depend on the order of its terms: b(k) = a(σ(k)), σ a permutation."""
    schema = every_permutation(reduction)[-1]
    _, a, b, sigma = schema.variables
    given = z3.And(
        z3.And(sigma[k] >= 0, sigma[k] < n),
        z3.Implies(z3.And(_inside(P), k != P), sigma[k] != sigma[P]),
        b[k] == a[sigma[k]],
    )  # P is another index: the question is about any two
    before = (*one_entry(reduction), *generated_by_swaps(), *every_permutation(reduction)[:-1])
    same = reduction.of(b, n) == reduction.of(a, n)
    return Law(schema, given, same, before)


# --------------------------------------------------------------------------- the largest, the least
@dataclass(frozen=True, eq=False)
class Extreme:
    """The largest (least) of the first n ≥ 1 entries is a(top(a, n)): where it is, top, is defined
    by top(a, 1) = 0 and top(a, n+1) = n if a(n) is beyond a(top(a, n)), else top(a, n)."""

    name: str
    top: Any
    beyond: Callable[[Any, Any], Any]  # x > y, or x < y

    def of(self, a: Any, size: Any) -> Any:
        """The largest (least) entry."""
        return a[self.top(a, size)]

    @cached_property
    def first(self) -> Schema:
        """top(a, 1) = 0"""
        return axiom(f"{self.name}_of_one", "top(a, 1) = 0", (A,), self.top(A, 1) == 0)

    @cached_property
    def next(self) -> Schema:
        """top(a, n+1)"""
        beyond = self.beyond(A[n], self.of(A, n))
        more = self.top(A, n + 1) == z3.If(beyond, n, self.top(A, n))
        return axiom(f"{self.name}_of_one_more", "n, if a(n) is beyond", (n, A), more, 1)

    @cached_property
    def bound(self) -> Law:
        """No entry is beyond a(top(a, n)), and 0 ≤ top(a, n) < n."""
        says = f"the {self.name} is an entry, and no entry is beyond it"
        said = z3.And(
            _inside(self.top(A, n)),
            z3.Implies(_inside(P), z3.Not(self.beyond(A[P], self.of(A, n)))),
        )
        return self._inductive(f"{self.name}_bound", says, (n, A, P), said)

    def _inductive(
        self, name: str, says: str, variables: tuple[Any, ...], said: Any, *, sums: bool = False
    ) -> Law:
        first = (SUMMING.empty.at(A), SUMMING.next.at(0, A)) if sums else ()
        more = (SUMMING.next.at(n, A),) if sums else ()
        schema = induction(
            name, says, variables, said, 1,
            base=(self.first.at(A), *first), step=(self.next.at(n, A), *more),
        )  # fmt: skip
        return Law(schema, TRUE, said)

    @cached_property
    def scaled(self) -> Law:
        """The largest of u·b(k) is u times the largest of b, if u > 0."""
        says = f"the {self.name} of u·b is u times that of b, for u > 0"
        said = z3.Implies(U > 0, self.of(A, n) == U * self.of(B, n))
        at = self.top(A, n), self.top(B, n)
        return self._compared(f"{self.name}_scaled", says, (A, B, U), A[k] == U * B[k], said, at)

    @cached_property
    def permuted(self) -> Law:
        """The largest of a(σ(k)) is the largest of a."""
        back = z3.Const("tau", z3.ArraySort(INT, INT))
        given = z3.And(
            B[k] == A[SIGMA[k]], SIGMA[k] >= 0, SIGMA[k] < n, back[k] >= 0, back[k] < n,
            SIGMA[back[k]] == k,
        )  # fmt: skip
        says = f"the {self.name} does not depend on the order"
        at = self.top(A, n), self.top(B, n), SIGMA[self.top(B, n)], back[self.top(A, n)]
        return self._compared(
            f"{self.name}_permuted", says, (A, B, SIGMA, back), given,
            self.of(B, n) == self.of(A, n), at,
        )  # fmt: skip

    @cached_property
    def signed(self) -> Law:
        """If the largest is not positive, the sum is not, and is not more than any entry."""
        if self.name != "max":
            raise ValueError(f"given {self.name}, expected max")
        below = z3.And(SUM(A, n) <= 0, z3.Implies(_inside(P), SUM(A, n) <= A[P]))
        said = z3.Implies(self.of(A, n) <= 0, below)
        says = "if no entry is positive, neither is the sum, and it is at most each entry"
        return self._inductive("max_signed", says, (n, A, P), said, sums=True)

    def _compared(
        self, name: str, says: str, others: tuple[Any, ...], given: Any, said: Any,
        at: tuple[Any, ...],
    ) -> Law:  # fmt: skip
        """A law that follows from the bounds, and from the hypothesis at a few indices."""
        arrays = [v for v in others if v.sort() == ARRAY]
        uses = tuple(self.bound.schema.at(n, x, y) for x in arrays for y in at)
        schema = lemma(name, says, (n, *others), z3.Implies(_all(given), said), uses, least=1)
        return Law(schema, given, said, (self.bound.schema,))


LARGEST = Extreme("max", z3.Function("top", ARRAY, INT, INT), lambda x, y: x > y)
LEAST = Extreme("min", z3.Function("low", ARRAY, INT, INT), lambda x, y: x < y)

# ----------------------------------------------------- real functions, by laws that are assumed
REAL = z3.RealSort()
NAMES = ("Exp", "Sin", "Cos", "Root", "Inv")  # exp, sin and so on are functions of cvc5's own
EXP, SIN, COS, ROOT, INVERSE = (z3.Function(name, REAL, REAL) for name in NAMES)
_x, _y, _z = z3.Reals("x y z")
QUOTIENT = axiom(
    "inverse", "x/y is x·y⁻¹, where y·y⁻¹ = 1 unless y = 0", (_x,),
    z3.Implies(_x != 0, _x * INVERSE(_x) == 1),
)  # fmt: skip
QUOTIENT_SIGN = lemma(
    "inverse_sign", "y⁻¹ > 0 for y > 0", (_x,), z3.Implies(_x > 0, INVERSE(_x) > 0),
    (QUOTIENT.at(_x),),
)  # fmt: skip
QUOTIENT_PRODUCT = lemma(
    "inverse_product", "x·(x·y)⁻¹ = y⁻¹ for x·y ≠ 0", (_x, _y, _z),
    z3.Implies(z3.And(_z == _x * _y, _z != 0), _x * INVERSE(_z) == INVERSE(_y)),
    (QUOTIENT.at(_y), QUOTIENT.at(_z)),
)  # fmt: skip
EXP_POSITIVE = axiom("exp_positive", "exp x > 0", (_x,), EXP(_x) > 0)
EXP_SUM = axiom(
    "exp_sum", "exp(x + y) = exp x · exp y", (_x, _y, _z),
    z3.Implies(_z == _x + _y, EXP(_z) == EXP(_x) * EXP(_y)),
)  # fmt: skip
EXP_SIGN = axiom(
    "exp_sign", "exp is strictly increasing, and exp 0 = 1", (_x,),
    z3.And(
        z3.Implies(_x > 0, EXP(_x) > 1), z3.Implies(_x < 0, EXP(_x) < 1),
        z3.Implies(_x == 0, EXP(_x) == 1),
    ),
)  # fmt: skip
ROOT_SIGN = axiom(
    "sqrt", "√x > 0 for x > 0, and √1 = 1", (_x,),
    z3.And(z3.Implies(_x > 0, ROOT(_x) > 0), z3.Implies(_x == 1, ROOT(_x) == 1)),
)  # fmt: skip
CIRCLE = axiom("circle", "cos² x + sin² x = 1", (_x,), COS(_x) * COS(_x) + SIN(_x) * SIN(_x) == 1)
CIRCLE_TIMES = lemma(
    "circle_times", "cos² x · y + sin² x · y = y", (_x, _y),
    COS(_x) * COS(_x) * _y + SIN(_x) * SIN(_x) * _y == _y, (CIRCLE.at(_x),),
)  # fmt: skip
ANGLE_SUM = axiom(
    "angle_sum", "the addition theorems", (_x, _y, _z),
    z3.Implies(_z == _x + _y, z3.And(
        SIN(_z) == SIN(_x) * COS(_y) + COS(_x) * SIN(_y),
        COS(_z) == COS(_x) * COS(_y) - SIN(_x) * SIN(_y),
    )),
)  # fmt: skip
ANGLE_SAME = axiom(
    "angle_same", "equal angles", (_x, _z),
    z3.Implies(_z == _x, z3.And(SIN(_z) == SIN(_x), COS(_z) == COS(_x))),
)  # fmt: skip
ANGLE_OPPOSITE = axiom(
    "angle_opposite", "sin(−x) = −sin x and cos(−x) = cos x", (_x, _z),
    z3.Implies(_z == -_x, z3.And(SIN(_z) == -SIN(_x), COS(_z) == COS(_x))),
)  # fmt: skip
