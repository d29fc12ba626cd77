"""Search for a counterexample to the symmetry of a position scheme, and say what was found.

A witness is exact and replayed before it is reported. The absence of one is a statement about the
bound of the search, never a proof; "symmetric" is said where the kernel's proof is handed in.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from orderproof.symbolic.calculus.kernel import Theorem
from orderproof.symbolic.derive.push import Stuck, push
from orderproof.symbolic.models.builders import leaf_of
from orderproof.symbolic.readings.interval import Intervals, ends
from orderproof.symbolic.witness.replay import check
from orderproof.symbolic.witness.scheme_file import MAX_SIZE, PositionWitness, dumps, parse

from .search import outward
from .table_counterexample import (
    MAX_EXPONENT,
    Search,
    Table,
    both,
    filed,
    projection,
    put,
    side_of,
)
from .tables import SIGMA, Scheme, X, scheme

HANG = 600.0  # seconds, of proofs: time stops only what hangs, and steps bound the work of a solver


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
    witness: PositionWitness | None = None
    proof: object | None = None

    def __repr__(self) -> str:
        return f"<SearchResult {self.scheme}, n = {self.n}, d = {self.d}: {self.answer}>"

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


def symmetry_proof(scheme: Scheme) -> Theorem | None:
    """The kernel's theorem f(PX) = P f(X) for a scheme, for every n, d and all weights, if the
    push goes through."""
    pushed = push(scheme.model(X), {leaf_of(X): (SIGMA, None)})
    return None if isinstance(pushed, Stuck) else pushed.theorem


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
    found = []
    for each in sigmas:
        if each == tuple(range(n)):
            continue
        if time.monotonic() >= deadline:
            found.append("unknown")
            break
        answer = Search(chosen, n, d, each, table, deadline).run()
        if isinstance(answer, PositionWitness):
            return _replayed(answer)
        found.append(answer)
    only = sigmas[0] if len(sigmas) == 1 else None
    if "unknown" in found:
        reason = "the solver gave up within the given time and number of steps"
        return SearchResult("unknown", name, n, d, only, reason)
    which = f"σ = {list(only)}" if only else "σ any swap of neighbours"
    reason = (
        f"no counterexample with n = {n}, d = {d}, {which}, any real X"
        f"{'' if table is not None or name == 'none' else ' and E'}, W_Q = q√d·ln 2 times the "
        "projection on one feature with any real q, W_K and W_V that projection, and every "
        f"score an integer multiple m·ln 2 with |m| <= {MAX_EXPONENT}; this is no proof"
    )
    return SearchResult("none within bound", name, n, d, only, reason)


def _separated(chosen: Scheme, n: int, d: int, sigma: tuple[int, ...]) -> SearchResult:
    """The table of sines: no search. Each W is the projection on the first feature, sin of the row
    number; X has a 1 at the first token that moves, or is 0. For X = 0, row i of f(X) is
    g(sin i) with g(q) = Σ_j exp(q s_j) s_j / Σ_j exp(q s_j), whose derivative is a variance, so
    that rows differ as soon as sines do; and sin i = sin j for no integers i ≠ j."""
    algebra = Intervals()
    entry = chosen.entry
    values = {
        (i, k): algebra.sinusoid(function, i, power)
        for i in range(n)
        for k in range(d)
        for function, power in [entry(i, k, d)]  # type: ignore[misc]
    }
    place = next(i for i in range(n) if sigma[i] != i)
    for one in (Fraction(1), Fraction(0)):
        x = put(tuple((Fraction(),) * d for _ in range(n)), place, 0, one)
        tensors = {"X": x} | dict.fromkeys(("W_Q", "W_K", "W_V"), projection(d))
        read: dict[str, Any] = {
            name: (lambda *i, rows=rows: algebra.number(rows[i[0]][i[1]]))
            for name, rows in tensors.items()
        }
        read["E"] = lambda i, k: values[i, k]
        entries = both(chosen, n, d, sigma, read, algebra)
        lhs, rhs = (outward(side_of(t, n, d, ends)) for t in entries)
        for i in range(n):
            if lhs[i][0][1] < rhs[i][0][0] or rhs[i][0][1] < lhs[i][0][0]:
                return _replayed(filed(chosen, sigma, tensors, lhs, rhs, (i, 0)))
    reason = "the enclosures of both sides overlap everywhere"
    return SearchResult("unknown", chosen.name, n, d, sigma, reason)


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


def _replayed(w: PositionWitness) -> SearchResult:
    outcome = check(parse(dumps(w).encode(), "witness"))
    if not outcome.ok:
        raise RuntimeError(f"the search and the replay disagree: {outcome.reason}")
    if outcome.witness != w:
        raise RuntimeError("the search and its file disagree: other values are read than written")
    return SearchResult("witness", w.scheme, w.n, w.d, w.sigma, outcome.reason, witness=w)
