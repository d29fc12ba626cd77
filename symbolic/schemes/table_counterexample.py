"""One permutation: ask the solver for f(PX) ≠ P f(X), and make what it finds simple.

The solver reads the very term that the kernel proves things about. A direct encoding (`exp` unknown
to the solver) does not come back even at n = 2, d = 1; so every score is asked to be an integer
multiple m·ln 2, whose exponential is the rational 2^m. Nothing here is trusted: see replay.py.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm
from typing import Any

import z3

from orderproof.symbolic.readings.entries import Algebra, Entries, Model, evaluate
from orderproof.symbolic.readings.error import ReadingError
from orderproof.symbolic.readings.rationals import Exact, power_of_two
from orderproof.symbolic.readings.z3_reals import Reals
from orderproof.symbolic.witness.table_file import Enclosure, Matrix, Side, Witness

from .tables import Scheme

MAX_EXPONENT = 4  # |m| in the scores m·ln 2
STEPS = 250_000  # of the solver in one attempt: counted, not timed, so that a run can be repeated
ATTEMPTS = 64
LARGE = 10**12  # no reader wants to see a larger numerator or denominator

Table = Sequence[Sequence[Fraction | int]]


@dataclass(frozen=True)
class _Variant:
    """What an attempt fixes beyond the bound: less to choose, and so sooner found."""

    sparse: bool = False  # X has one free row, and so has E: the two that σ connects
    scaled: bool = True  # W_Q is q times the projection, not the projection itself
    placed: bool = False  # the sides differ in the first entry that σ moves
    moved: bool = True  # P moves X: two different tokens change places


SPARSE, GENERAL = _Variant(sparse=True), _Variant(moved=False)
CYCLE = (_Variant(scaled=False, placed=True), _Variant(placed=True), _Variant(scaled=False))


@dataclass(frozen=True)
class _Point:
    """Values of all that the solver may choose."""

    x: Matrix
    e: Matrix
    q: Fraction  # the only entry of W_Q


class Search:
    """One scheme, one size, one σ ≠ 1. The solver is restarted after a fixed number of steps, with
    another seed and another variant: it finds a witness at once or hardly ever."""

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

    def run(self) -> Witness | str:
        """A witness, "none within bound" (the general variant is unsatisfiable) or "unknown"."""
        spare: _Point | None = None
        variants = [GENERAL, *CYCLE] if self.table else [SPARSE, GENERAL, *CYCLE]
        variants += [CYCLE[k % len(CYCLE)] for k in range(ATTEMPTS - len(variants))]
        for attempt, variant in enumerate(variants):
            answer, point = self.attempt(attempt, variant)
            if variant == GENERAL and answer == z3.unsat:
                return "none within bound"
            if point is not None and self.sides(point):
                if self.moves(point):
                    return self.witness(self.simplified(point))
                spare = spare or point
            if time.monotonic() >= self.deadline:
                break
        return self.witness(self.simplified(spare)) if spare else "unknown"

    def attempt(self, attempt: int, variant: _Variant) -> tuple[Any, _Point | None]:
        """One run of the solver: its answer, and what it chose where that is rational."""
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

        moved_to = self.sigma[self.place]
        x = Unknowns("X", context, moved_to if variant.sparse else None)
        e = Unknowns("E", context, self.place if variant.sparse else None)
        q = z3.Real("q", context) if variant.scaled else real(1)
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
        here = (self.place, self.feature)
        solver.add(z3.Or([lhs[i] != rhs[i] for i in ([here] if variant.placed else lhs)]))
        if variant.moved:
            solver.add(x(*here) != x(moved_to, self.feature))
        left = max(1, int((self.deadline - time.monotonic()) * 1000))
        solver.set("random_seed", attempt, "rlimit", STEPS * (1 + attempt // 8), "timeout", left)
        answer = solver.check()
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

    def moves(self, point: _Point) -> bool:
        """Whether PX ≠ X."""
        return any(point.x[i] != point.x[self.sigma[i]] for i in range(self.n))

    def tensors(self, point: _Point) -> dict[str, Matrix]:
        """All five, W_Q in units of √d·ln 2."""
        unit = projection(self.d, self.feature)
        scaled = tuple(tuple(v * point.q for v in row) for row in unit)
        return {"X": point.x, "E": point.e, "W_Q": scaled, "W_K": unit, "W_V": unit}

    def sides(self, point: _Point) -> tuple[Entries, Entries] | None:
        """Both sides in rational arithmetic; none where this is no witness within the bound."""
        tensors = self.tensors(point)
        for rows in tensors.values():
            values = [v for row in rows for v in row]
            if max(map(abs, values)) >= LARGE or lcm(*(v.denominator for v in values)) >= LARGE:
                return None
        read = {name: _entry(rows) for name, rows in tensors.items()}
        try:
            algebra = in_units(Exact(), _bounded_power)
            lhs, rhs = both(self.chosen, self.n, self.d, self.sigma, read, algebra)
        except ReadingError:
            return None
        return (lhs, rhs) if lhs != rhs else None

    def simplified(self, point: _Point) -> _Point:
        """A witness as simple as single changes make it: an entry replaced by a simpler one from
        0, 1, −1, 2, −2 while both sides still differ (and P still moves X, if it did)."""
        moves, better = self.moves(point), True
        while better:
            better = False
            for simpler in self.simpler(point):
                if time.monotonic() >= self.deadline:
                    return point
                if self.moves(simpler) >= moves and self.sides(simpler):
                    point, better = simpler, True
                    break
        return point

    def simpler(self, point: _Point) -> Iterator[_Point]:
        """Each point with one simpler entry."""
        for q in _simpler_than(point.q):
            yield replace(point, q=q)
        for i in range(self.n):
            for k in range(self.d):
                for v in _simpler_than(point.x[i][k]):
                    yield replace(point, x=put(point.x, i, k, v))
                for v in _simpler_than(point.e[i][k]) if self.table is None else ():
                    yield replace(point, e=put(point.e, i, k, v))

    def witness(self, point: _Point) -> Witness:
        """The point with both its sides."""
        lhs, rhs = self.sides(point) or ({}, {})
        differ = next((i, k) for i, k in sorted(lhs) if lhs[i, k] != rhs[i, k])
        left, right = (side_of(t, self.n, self.d, lambda v: (v, v)) for t in (lhs, rhs))
        size, tensors = (self.n, self.d), self.tensors(point)
        return Witness(self.chosen.name, *size, self.sigma, tensors, left, right, differ)


class Unknowns:
    """A tensor of unknown reals, made as they are asked for: all, or a row with 0 elsewhere."""

    def __init__(self, name: str, context: z3.Context, row: int | None = None) -> None:
        self.name, self.context, self.row = name, context, row
        self.known: dict[tuple[int, ...], Any] = {}

    def __call__(self, *index: int) -> Any:
        if self.row is not None and len(index) == 2 and index[0] != self.row:
            return z3.RealVal(0, self.context)
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


def _bounded_power(m: Fraction) -> Fraction:
    if abs(m) > MAX_EXPONENT:
        raise ReadingError(f"2^m: given m = {m}, expected |m| <= {MAX_EXPONENT}")
    return power_of_two(m)


def put(rows: Matrix, i: int, k: int, value: Fraction) -> Matrix:
    """The matrix with another value in row i, column k."""
    row = (*rows[i][:k], value, *rows[i][k + 1 :])
    return (*rows[:i], row, *rows[i + 1 :])


def _simpler_than(v: Fraction) -> list[Fraction]:
    order = [Fraction(k) for k in (0, 1, -1, 2, -2)]
    return order[: order.index(v)] if v in order else order


def side_of(entries: Entries, n: int, d: int, end: Callable[[Any], Enclosure]) -> Side:
    """A side as a file holds it: n×d, each entry an enclosure."""
    return tuple(tuple(end(entries[i, k]) for k in range(d)) for i in range(n))
