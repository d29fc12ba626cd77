"""One permutation: a construction where the table tells two tokens apart, else the solver's answer.

The construction needs no search: X = −PᵀE cancels the permuted table, or, where the table is free
as well, one entry of X and one of E are 1. Where the table has equal rows the solver is asked for
f(PX) ≠ P f(X). It reads the very term that the kernel proves things about. A direct encoding (`exp`
unknown to the solver) does not come back even at n = 2, d = 1; so every score is asked to be an
integer multiple m·ln 2, whose exponential is the rational 2^m. Nothing here is trusted: see
replay.py.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import Any

import z3

from orderproof.symbolic.readings.entries import Algebra, Entries, Model, evaluate
from orderproof.symbolic.readings.error import ReadingError
from orderproof.symbolic.readings.rationals import Exact, power_of_two
from orderproof.symbolic.readings.z3_reals import Reals
from orderproof.symbolic.smt.z3_process import solved
from orderproof.symbolic.witness.fields import Enclosure, Matrix, Side
from orderproof.symbolic.witness.scheme_file import WEIGHTS, PositionWitness

from .tables import Scheme

MAX_EXPONENT = 4  # |m| in the scores m·ln 2 that the solver may choose
CONSTRUCTED = 256  # the same of a construction, so that both sides fit in a file
STEPS = 250_000  # of the solver: counted, not timed, so that a run can be repeated
LARGE = 10**12  # no reader wants to see a larger numerator or denominator

Table = Sequence[Sequence[Fraction | int]]


@dataclass(frozen=True)
class _Point:
    """Values of all that may be chosen."""

    x: Matrix
    e: Matrix
    q: Fraction  # the only entry of W_Q


class Search:
    """One scheme, one size, one σ ≠ 1."""

    def __init__(
        self,
        chosen: Scheme,
        n: int,
        d: int,
        sigma: tuple[int, ...],
        table: Table | None,
        deadline: float,
    ) -> None:
        self.chosen, self.n, self.d, self.sigma = chosen, n, d, sigma
        self.table: Matrix | None = None
        self.feature = 0  # what the weights look at: where a given table tells places apart
        if table is not None:
            self.table = tuple(tuple(Fraction(v) for v in row) for row in table)
            columns = list(zip(*self.table, strict=True))
            apart = (k for k, c in enumerate(columns) if any(c[i] != c[sigma[i]] for i in range(n)))
            self.feature = next(apart, 0)
        self.deadline = deadline  # of time.monotonic()
        self.place = next(i for i in range(n) if sigma[i] != i)

    def run(self) -> PositionWitness | str:
        """A witness, "none within bound" (the solver's question is unsatisfiable) or "unknown"."""
        found = self.witness(self.constructed(), CONSTRUCTED)
        if found is not None:
            return found
        answer, point = self.attempt()
        if answer == z3.unsat:
            return "none within bound"
        return self.witness(point, MAX_EXPONENT) or "unknown"

    def constructed(self) -> _Point | None:
        """Tokens and a table for which both sides differ; None where the table has equal rows.

        With D = E − PᵀE in the feature that the weights look at and X = −PᵀE, f(PX) is 0. In
        f(X) a row a with D_a > 0 weighs D_b by 2^(q·D_a·D_b), which grows with D_b; the D_b sum to
        0 and are not all 0, so the mean is positive. A free table is 1 at one place i, and X is 1
        at σ(i): with n tokens, row i of f(PX) is 32/(n + 15) and of P f(X) is 4/(n + 2).
        """
        n, d, f = self.n, self.d, self.feature
        zero = tuple((Fraction(),) * d for _ in range(n))
        if self.table is None:
            if self.chosen.name != "learned":
                return None
            one = Fraction(1)
            x = put(zero, self.sigma[self.place], f, one)
            return _Point(x, put(zero, self.place, f, one), one)
        back = [self.sigma.index(i) for i in range(n)]
        x = tuple(tuple(-v for v in self.table[i]) for i in back)
        found = [self.table[i][f] + x[i][f] for i in range(n)]
        below = lcm(*(v.denominator for v in found))
        unit = Fraction(gcd(*(int(v * below) for v in found)), below)
        return _Point(x, self.table, 1 / unit**2) if unit else None

    def attempt(self) -> tuple[Any, _Point | None]:
        """The solver's answer, and what it chose where that is rational."""
        context = z3.Context()  # a fresh one, so that what ran before makes no difference
        solver = z3.Solver(ctx=context)

        def real(v: Fraction | int) -> Any:
            return z3.RealVal(str(v), context)

        weights: dict[Any, tuple[Any, Any]] = {}

        def exp(score: Any) -> Any:
            score = z3.simplify(score, som=True)  # so that equal scores share their weight
            if score.get_id() not in weights:
                w = z3.Real(f"weight_{len(weights)}", context)
                weights[score.get_id()] = score, w
                exponents = range(-MAX_EXPONENT, MAX_EXPONENT + 1)
                cases = [z3.And(score == m, w == real(Fraction(2) ** m)) for m in exponents]
                solver.add(z3.Or(cases))
            return weights[score.get_id()][1]

        x, e, q = Unknowns("X", context), Unknowns("E", context), z3.Real("q", context)
        unit = _entry(projection(self.d, self.feature), real)
        tensors = {
            "X": x,
            "E": e if self.table is None else _entry(self.table, real),
            "W_Q": lambda k, c: q if k == c == self.feature else real(0),
            "W_K": unit,
            "W_V": unit,
        }
        algebra = with_functions(in_units(Reals(exp, context), exp), mul=self.multiply)
        try:
            lhs, rhs = both(self.chosen, self.n, self.d, self.sigma, tensors, algebra)
        except TimeoutError:
            return z3.unknown, None
        solver.add(z3.Or([lhs[i] != rhs[i] for i in lhs]))
        left = max(1, int((self.deadline - time.monotonic()) * 1000))
        solver.set("random_seed", 1, "rlimit", STEPS, "timeout", left)
        answer = solved(solver)
        return answer, self.point(solver.model(), x, e, q) if answer == z3.sat else None

    def multiply(self, a: Any, b: Any) -> Any:
        """The product; large terms take long to build, and must not outlast the deadline."""
        if time.monotonic() >= self.deadline:
            raise TimeoutError
        return a * b

    def point(self, model: Any, x: Unknowns, e: Unknowns, q: Any) -> _Point | None:
        """What the solver chose; none where some value is irrational."""

        def value(of: Any) -> Fraction:
            return Fraction(str(model.eval(of, model_completion=True).as_fraction()))

        def rows(of: Unknowns) -> Matrix:
            return tuple(tuple(value(of(i, k)) for k in range(self.d)) for i in range(self.n))

        try:
            return _Point(rows(x), self.table or rows(e), value(q))
        except (AttributeError, ValueError):  # an algebraic number has no such method
            return None

    def tensors(self, point: _Point) -> dict[str, Matrix]:
        """All five, W_Q in units of √d·ln 2."""
        unit = projection(self.d, self.feature)
        scaled = tuple(tuple(v * point.q for v in row) for row in unit)
        return {"X": point.x, "E": point.e, "W_Q": scaled, "W_K": unit, "W_V": unit}

    def sides(self, point: _Point, most: int) -> tuple[Entries, Entries] | None:
        """Both sides in rational arithmetic; none where this is no witness whose scores are at most
        so many ln 2. The weights look at one feature alone, and so does this: in the others both
        sides are 0. The replay computes all of them."""
        for rows in self.tensors(point).values():
            values = [v for row in rows for v in row]
            if max(map(abs, values)) >= LARGE or lcm(*(v.denominator for v in values)) >= LARGE:
                return None
        weights = {"W_Q": point.q, "W_K": Fraction(1), "W_V": Fraction(1)}
        read = {name: _entry(((value,),)) for name, value in weights.items()} | {
            name: _entry(tuple((row[self.feature],) for row in rows))
            for name, rows in (("X", point.x), ("E", point.e))
        }
        algebra = in_units(Exact(), lambda m: _bounded_power(m, most))
        try:
            found = both(self.chosen, self.n, 1, self.sigma, read, algebra)
        except ReadingError:
            return None
        places: list[tuple[int, ...]] = [(i, k) for i in range(self.n) for k in range(self.d)]
        lhs, rhs = (
            {p: t[p[0], 0] if p[1] == self.feature else Fraction() for p in places} for t in found
        )
        return (lhs, rhs) if lhs != rhs else None

    def witness(self, point: _Point | None, most: int) -> PositionWitness | None:
        """The point with both its sides; None where they are equal, or a score is too large."""
        sides = self.sides(point, most) if point is not None else None
        if point is None or sides is None:
            return None
        lhs, rhs = sides
        differ = next((i, k) for i, k in sorted(lhs) if lhs[i, k] != rhs[i, k])
        left, right = (side_of(t, self.n, self.d, lambda v: (v, v)) for t in (lhs, rhs))
        return filed(self.chosen, self.sigma, self.tensors(point), left, right, differ)


class Unknowns:
    """A tensor of unknown reals, made as they are asked for."""

    def __init__(self, name: str, context: z3.Context) -> None:
        self.name, self.context = name, context
        self.known: dict[tuple[int, ...], Any] = {}

    def __call__(self, *index: int) -> Any:
        label = "_".join((self.name, *map(str, index)))
        return self.known.setdefault(index, z3.Real(label, self.context))


@dataclass
class _Functions:
    """An algebra with other functions of the same names."""

    base: Algebra
    functions: Mapping[str, Callable[..., Any]]

    def number(self, value: Fraction) -> Any:
        return self.base.number(value)

    def reduce(self, kind: str, values: Sequence[Any], counts: Sequence[Any]) -> Any:
        return self.base.reduce(kind, values, counts)


def with_functions(base: Algebra, **functions: Callable[..., Any]) -> _Functions:
    """An algebra in which some functions are read otherwise."""
    return _Functions(base, {**base.functions, **functions})


def in_units(base: Algebra, exp: Callable[[Any], Any]) -> _Functions:
    """W_Q in units of √d·ln 2: the √d that divides the scores is gone, and exp is 2 to the power.
    The square root in the head is the only one, of d."""
    return with_functions(base, exp=exp, sqrt=lambda x: base.number(Fraction(1)))


def both(
    chosen: Scheme, n: int, d: int, sigma: Sequence[int], tensors: Mapping[str, Any], a: Algebra
) -> tuple[Entries, Entries]:
    """The entries of f(PX) and of P f(X)."""
    model = Model({"n": n, "d": d}, {"σ": sigma}, tensors)
    return evaluate(chosen.lhs, model, a), evaluate(chosen.rhs, model, a)


def projection(d: int, feature: int = 0) -> Matrix:
    """The d×d projection on a feature."""
    return tuple(tuple(Fraction(int(k == c == feature)) for c in range(d)) for k in range(d))


def _entry(rows: Matrix, value: Callable[[Fraction], Any] = Fraction) -> Callable[..., Any]:
    """Entries of a matrix; the scheme `constant` asks for a column alone, as its rows are equal."""
    return lambda *index: value(rows[index[0] if len(index) == 2 else 0][index[-1]])


def _bounded_power(m: Fraction, most: int) -> Fraction:
    if abs(m) > most:
        raise ReadingError(f"2^m: given m = {m}, expected |m| <= {most}")
    return power_of_two(m)


def put(rows: Matrix, i: int, k: int, value: Fraction) -> Matrix:
    """The matrix with another value in row i, column k."""
    row = (*rows[i][:k], value, *rows[i][k + 1 :])
    return (*rows[:i], row, *rows[i + 1 :])


def filed(
    chosen: Scheme, sigma: tuple[int, ...], tensors: Mapping[str, Matrix],
    lhs: Side, rhs: Side, differ: tuple[int, int],
) -> PositionWitness:  # fmt: skip
    """A witness as its file holds it: of a table those rows that the scheme leaves free."""
    x = tensors["X"]
    free = {"constant": 1, "learned": len(x)}.get(chosen.name, 0)
    table = {str(i): tensors["E"][i] for i in range(free)}
    layer = {name: tensors[name] for name in WEIGHTS}
    return PositionWitness(
        chosen.name, {}, "layer", 1, len(x), len(x[0]), sigma, table, x, (layer,), lhs, rhs, differ
    )


def side_of(entries: Entries, n: int, d: int, end: Callable[[Any], Enclosure]) -> Side:
    """A side as a file holds it: n×d, each entry an enclosure."""
    return tuple(tuple(end(entries[i, k]) for k in range(d)) for i in range(n))
