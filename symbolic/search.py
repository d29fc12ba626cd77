"""Look for a counterexample: one σ, one X and one choice of weights with f(PX) ≠ P f(X).

The solver reads the very term that the kernel proves things about. A direct encoding (`exp` unknown
to the solver) does not come back even at n = 2, d = 1; so every score is asked to be an integer
multiple m·ln 2, whose exponential is the rational 2^m. A witness is exact all the same; the absence
of one is a statement about the bound, never a proof. Nothing here is trusted: what is found is
simplified, and replayed, before it is reported.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import z3

from .entries import Algebra, Entries, Model, ReadingError, evaluate
from .read_exact import Exact, power_of_two
from .read_interval import Intervals, ends
from .read_z3 import Reals
from .replay import check
from .schemes import SCHEMES, Scheme, scheme
from .witness import MAX_SIZE, TENSOR_DIGITS, Enclosure, Matrix, Side, Witness, outward

MAX_EXPONENT = 4  # |m| in the scores m·ln 2
STEPS = 250_000  # of the solver in one attempt: counted, not timed, so that a run can be repeated
ATTEMPTS = 64

Table = Sequence[Sequence[Fraction | int]]


class SearchError(ValueError):
    """A search that makes no sense: what was given and what was expected."""


@dataclass(frozen=True)
class SearchResult:
    """What a search found out.

    `answer` is "witness" (with `witness`, replayed), "symmetric" (with `proof`, or because every
    permutation asked for is the identity), "none within bound" (`reason` states the bound: this is
    no proof) or "unknown". `sigma` is the permutation, none where several were tried.
    """

    answer: str
    scheme: str
    n: int
    d: int
    sigma: tuple[int, ...] | None
    reason: str
    witness: Witness | None = None
    proof: object | None = None

    def to_json(self, file: str | None = None) -> dict[str, Any]:
        """The result for a program; `file` is where the witness was written."""
        return {
            "answer": self.answer,
            "file": file,
            "scheme": self.scheme,
            "n": self.n,
            "d": self.d,
            "sigma": None if self.sigma is None else list(self.sigma),
            "reason": self.reason,
        }


def search(
    name: str,
    n: int,
    d: int,
    *,
    sigma: Sequence[int] | None = None,
    table: Table | None = None,
    timeout: float = 10.0,
    proof: Callable[[Scheme], object | None] = lambda scheme: None,
) -> SearchResult:
    """A counterexample to f(PX) = P f(X) for a position scheme, n tokens and d features.

    `sigma` lists σ(0), …, σ(n−1); without it the swaps of neighbours, which generate all, are tried
    in turn. `table` (n×d) fixes the learned table. `proof` returns a proof of the symmetry, for all
    n, d and weights, where there is one; only then is the answer "symmetric" for σ ≠ 1. Raises
    SchemeError and SearchError on bad input.
    """
    chosen, sigmas = _checked(name, n, d, sigma, table)
    only = sigmas[0] if len(sigmas) == 1 else None
    found = proof(chosen)
    if found is not None:
        reason = "proved for all n, all d and all weights"
        return SearchResult("symmetric", name, n, d, only, reason, proof=found)
    if not sigmas or sigmas == [tuple(range(n))]:
        reason = "P is the identity, and f(X) = f(X)"
        return SearchResult("symmetric", name, n, d, tuple(range(n)), reason)
    if chosen.entry is not None:
        return _separated(chosen, n, d, sigmas[0])
    return search_bounded(name, n, d, sigma=sigma, table=table, timeout=timeout)


def search_bounded(
    name: str,
    n: int,
    d: int,
    *,
    sigma: Sequence[int] | None = None,
    table: Table | None = None,
    timeout: float = 10.0,
) -> SearchResult:
    """The solver's part of `search`: "witness", "none within bound" or "unknown", for any scheme
    whose table is rational, also where a proof of the symmetry is known."""
    chosen, sigmas = _checked(name, n, d, sigma, table)
    if chosen.entry is not None:
        raise SearchError(f"bounded search: given the scheme {name}, expected a rational table")
    deadline = time.monotonic() + timeout
    unknown: SearchResult | None = None
    for each in sigmas or [tuple(range(n))]:
        result = _Search(chosen, n, d, each, table).run(deadline)
        if result.answer == "witness":
            return result
        if result.answer == "unknown":
            unknown = unknown or result
    if unknown is not None:
        return unknown
    only = sigmas[0] if len(sigmas) == 1 else None
    which = f"σ = {list(only)}" if only else "σ any swap of neighbours"
    reason = (
        f"no counterexample with n = {n}, d = {d}, {which}, any real X"
        f"{'' if table is not None or name == 'none' else ' and E'}, W_Q = q√d·ln 2 times the "
        "projection on the first feature with any real q, W_K and W_V that projection, and every "
        f"score an integer multiple m·ln 2 with |m| <= {MAX_EXPONENT}; this is no proof"
    )
    return SearchResult("none within bound", name, n, d, only, reason)


def direct_encoding(n: int, d: int, timeout: float) -> tuple[str, float]:
    """What the search is measured against: the learned scheme with every entry an unknown real and
    `exp` an unknown positive function. The solver's answer, and the seconds it took."""
    chosen, (sigma, *_) = _checked("learned", n, d, None, None)
    solver = z3.Solver()
    solver.set("timeout", max(1, int(timeout * 1000)))
    unknown = z3.Function("exp", z3.RealSort(), z3.RealSort())
    root = z3.Real("root of d")
    solver.add(root > 0, root * root == d)

    def exp(a: Any) -> Any:
        solver.add(unknown(a) > 0)
        return unknown(a)

    names = ("X", "E", "W_Q", "W_K", "W_V")
    tensors = {name: _Unknowns(name) for name in names}
    algebra = _with(Reals(), exp=exp, sqrt=lambda x: root)
    lhs, rhs = _both(chosen, n, d, sigma, tensors, algebra)
    solver.add(z3.Or([lhs[i] != rhs[i] for i in lhs]))
    start = time.perf_counter()
    answer = solver.check()
    return str(answer), time.perf_counter() - start


# -- what is common --------------------------------------------------------------------------------


class _Unknowns:
    """A tensor of unknown reals, made as they are asked for."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.known: dict[tuple[int, ...], Any] = {}

    def __call__(self, *index: int) -> Any:
        label = "_".join((self.name, *map(str, index)))
        return self.known.setdefault(index, z3.Real(label))


@dataclass(frozen=True)
class _Other:
    """An algebra with other functions of the same names."""

    base: Algebra
    functions: Mapping[str, Callable[..., Any]]

    def number(self, value: Fraction) -> Any:
        return self.base.number(value)

    def reduce(self, kind: str, values: Sequence[Any], counts: Sequence[Any]) -> Any:
        return self.base.reduce(kind, values, counts)


def _with(base: Algebra, **functions: Callable[..., Any]) -> _Other:
    return _Other(base, {**base.functions, **functions})


def _in_units(base: Algebra, exp: Callable[[Any], Any]) -> _Other:
    """W_Q in units of √d·ln 2: the √d that divides the scores is gone, and exp is 2 to the power.
    The square root in the head is the only one, of d."""
    return _with(base, exp=exp, sqrt=lambda x: base.number(Fraction(1)))


def _both(
    chosen: Scheme, n: int, d: int, sigma: Sequence[int], tensors: Mapping[str, Any], a: Algebra
) -> tuple[Entries, Entries]:
    """The entries of f(PX) and of P f(X)."""
    model = Model({"n": n, "d": d}, {"σ": sigma}, tensors)
    return evaluate(chosen.lhs, model, a), evaluate(chosen.rhs, model, a)


def _checked(
    name: str, n: int, d: int, sigma: Sequence[int] | None, table: Table | None
) -> tuple[Scheme, list[tuple[int, ...]]]:
    chosen = scheme(name)
    for symbol, value in (("n", n), ("d", d)):
        if not 1 <= value <= MAX_SIZE:
            raise SearchError(f"{symbol}: given {value}, expected an integer from 1 to {MAX_SIZE}")
    if table is not None:
        if name != "learned":
            raise SearchError(f"table: given for the scheme {name}, expected the scheme learned")
        shape = f"{len(table)} rows of lengths {sorted({len(row) for row in table})}"
        if len(table) != n or any(len(row) != d for row in table):
            raise SearchError(f"table: given {shape}, expected {n} rows of length {d}")
    if sigma is not None:
        if sorted(sigma) != list(range(n)):
            raise SearchError(f"sigma: given {list(sigma)}, expected a permutation of 0 to {n - 1}")
        return chosen, [tuple(sigma)]
    swaps = [[*range(k), k + 1, k, *range(k + 2, n)] for k in range(n - 1)]
    return chosen, [tuple(s) for s in swaps]


def _replayed(w: Witness) -> SearchResult:
    outcome = check(w)
    if not outcome.ok:
        raise ReadingError(f"the search and the replay disagree: {outcome.reason}")
    return SearchResult("witness", w.scheme, w.n, w.d, w.sigma, outcome.reason, witness=w)


def _projection(d: int) -> Matrix:
    return tuple(tuple(Fraction(int(k == c == 0)) for c in range(d)) for k in range(d))


def _entry(rows: Matrix) -> Callable[..., Any]:
    return lambda *index: rows[index[0]][index[-1]]
