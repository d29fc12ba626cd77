"""The numeric mark: both sides of a claim in floating point, against their rounding bounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orderproof.numeric.rounding import Ball, bounded
from orderproof.symbolic.index_arrays import IndexArrays
from orderproof.symbolic.terms import Term, map_type, reachable

from .claims import Check, Claim
from .marks import Maps, Sizes, admitted, least, moved_sets, named, orbits
from .witnesses import Witness, covered

SEED = 20261121
DRAWS = 100_000  # of maps, until they satisfy the hypotheses
UNBOUNDED = "no finite bound"  # ends the detail of a mark that says no for want of one


def tensors_of(*terms: Term, sizes: Mapping[str, int], rng: np.random.Generator) -> dict[str, Any]:
    """Random entries for the tensors of terms; for an opaque row-wise map, one that is not linear;
    for an opaque number of two rows, one that is positive and not symmetric."""
    found: dict[str, Any] = {}
    for term in terms:
        for node in reachable(term.node):
            match node.op.kind, node.op.data:
                case "leaf", (name, sets) if name not in found:
                    found[name] = rng.normal(size=[IndexArrays(sizes).size(s) for s in sets])
                case "opaque", (name, _, yields):
                    found[name] = _larger if yields else _weight
    unknown = sorted(name for name, values in found.items() if values is _larger)
    return found | {name: partial(_larger, turn=k) for k, name in enumerate(unknown)}


def _larger(x: NDArray[Any], size: int, turn: int = 0) -> NDArray[Any]:
    """A row-wise map without rounding, and not linear: the larger of two features side by side,
    each map another two. Of error bounds it makes one of its result: |max(a, b) − max(x, y)| ≤
    max(|a − x|, |b − y|)."""
    first = np.arange(turn, turn + size)
    last = x.shape[-1]
    return np.asarray(np.maximum(x[..., first % last], x[..., (first + 1) % last]))


def _weight(to: Any, q: Any, k: Any) -> Any:
    """exp(max(first of q, last of k)), in the arithmetic of a reading."""
    first, last = to.map(lambda x: x[..., 0], q), to.map(lambda x: x[..., -1], k)
    return to.functions["exp"](to.functions["max"](first, last))


def weight(q: NDArray[Any], k: NDArray[Any]) -> NDArray[Any]:
    """The same of two rows, for an independent reference."""
    return np.asarray(np.exp(np.maximum(q[0], k[-1])))


Inputs = dict[str, Any]
Reference = Callable[[Inputs], NDArray[Any]]


FLOATS = (np.float64, np.float32)


def by_numpy(
    reference: Reference | None = None,
    *,
    drawn: Callable[[dict[str, Any]], dict[str, Any]] = lambda given: given,
    dtypes: Sequence[Any] = FLOATS,
) -> Check:
    """Both sides in floating point differ by no more than their rounding bounds allow; so do the
    right side before any permutation and an independent reference, where one is given. `drawn`
    makes what a theorem asks of its tensors (ε > 0) out of normal random entries. The reference is
    given maps that are no permutations too. A bound above the largest value leaves it open."""

    def check(claim: Claim) -> tuple[bool | None, str]:
        if claim.relation not in ("=", ">", "≠") or claim.kind == "exists":
            return None, f"the relation is {claim.relation}; this check is of = and >, for all"
        rng = np.random.default_rng(SEED)
        _, moved, others = moved_sets(claim)
        worst, count, smallest = 0.0, 0, float("inf")
        for dtype in dtypes:
            for trial in range(5 if claim.sizes else 4):
                sizes = {s.name: 7 - k for k, s in enumerate(moved)}
                sizes |= {s.name: 3 + k for k, s in enumerate(others)}
                if trial == 4:
                    sizes |= {s.name: least(claim, s) for s in claim.sizes}
                given = drawn(tensors_of(claim.lhs, claim.rhs, sizes=sizes, rng=rng))
                maps = _random_maps(claim, sizes, trial, rng)
                for name, place in orbits(claim, sizes, maps).items():
                    shape = given[name].shape
                    given[name] = np.array(
                        [given[name][place(i)] for i in np.ndindex(*shape)]
                    ).reshape(shape)
                pair = [_literal(t, sizes, maps, given, dtype) for t in (claim.lhs, claim.rhs)]
                left, right = ((np.asarray(b.value, np.float64), b.error) for b in pair)
                right = (
                    _aligned(right[0], claim.rhs, claim.lhs),
                    _aligned(right[1], claim.rhs, claim.lhs),
                )
                ratio = _ratio(left, right, ">" if claim.relation == ">" else "=")
                if reference is not None:
                    ratio = max(ratio, _against(reference, claim, sizes, maps, given, dtype))
                if claim.relation == "≠":  # for all values: refuted here, and never made green
                    if ratio <= 1:
                        return False, "no difference beyond rounding"
                    return None, "the sides differ here; this check proves no ≠"
                if not (ratio <= 1):
                    finite = np.all(np.isfinite([left[1].max(initial=0), right[1].max(initial=0)]))
                    told = f"{ratio:.3g} times the bound" if finite else UNBOUNDED
                    return False, f"{dtype.__name__}, trial {trial}: {told}"
                largest = float(np.max(np.abs(left[0]), initial=0))
                if 0 < largest < np.max(left[1], initial=0):
                    return None, f"{dtype.__name__}: the bound is vacuous, above every value"
                worst, count = max(worst, ratio), count + 1
                if trial < 4:  # the least size may leave nothing to compare
                    smallest = min(smallest, largest)
        if not smallest > 0:
            return None, "all values were zero: nothing was compared"
        kinds = " and ".join(d.__name__ for d in dtypes)
        return True, f"{count} runs, {kinds}, seed {SEED}: at most {_share(worst)} of the bound"

    return check


def _literal(term: Term, sizes: Sizes, maps: Maps, given: dict[str, Any], dtype: Any) -> Ball:
    """A term to the letter: each definition as it is defined, not as libraries compute it."""
    return bounded(term, sizes, maps, given, dtype, literal=True)


def _share(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio >= 0.01 else "0.01" if ratio else "0"


def _aligned(x: NDArray[Any], source: Term, target: Term) -> NDArray[Any]:
    """An array with the axes of one term put in the order of another's, of size 1 if lacking."""
    order = [source.axes.index(a) for a in target.axes if a in source.axes]
    return np.transpose(x, order)[
        tuple(slice(None) if a in source.axes else None for a in target.axes)
    ]


def _random_maps(claim: Claim, sizes: Sizes, trial: int, rng: np.random.Generator) -> Maps:
    """Random tables for the maps of a claim, drawn until its hypotheses about indices hold."""
    for _ in range(DRAWS):
        maps: Maps = {}
        for m in named(claim)[1]:
            dom, cod, bijective = map_type(m)
            n = sizes[cod.name]
            if bijective:
                maps[m.data[0]] = _permutation(trial, n, rng)
            elif not dom:
                maps[m.data[0]] = int(rng.integers(n))
            else:
                maps[m.data[0]] = [int(x) for x in rng.integers(n, size=sizes[dom[0].name])]
        if admitted(claim, sizes, maps):
            return maps
    raise ValueError(f"no maps that satisfy the hypotheses among {DRAWS} drawn")


def _permutation(trial: int, n: int, rng: np.random.Generator) -> list[int]:
    """A 3-cycle first (a swap is its own inverse and would hide P in place of its transpose)."""
    return (
        [1, 2, 0, *range(3, n)] if trial == 0 and n >= 3 else [int(x) for x in rng.permutation(n)]
    )


def _ratio(left: Any, right: Any, relation: str) -> float:
    """How much of the bound the difference takes; NaN or no bound at all is infinitely much."""
    with np.errstate(invalid="ignore"):  # ∞ − ∞ is NaN, and rejected below
        difference, bound = np.abs(left[0] - right[0]), left[1] + right[1]
    if relation == ">":
        return 0.0 if np.all(left[0] - left[1] > right[0] + right[1]) else float("inf")
    fine = np.isfinite(difference) & np.isfinite(bound)
    if not np.all(fine):
        return float("inf")
    exact = difference == 0
    with np.errstate(over="ignore"):  # against no bound at all: infinitely much
        ratios = np.where(exact, 0.0, difference / np.where(bound > 0, bound, np.finfo(float).tiny))
    return float(np.max(ratios, initial=0))


def _against(
    reference: Reference, claim: Claim, sizes: Sizes, maps: Maps, given: Inputs, dtype: Any
) -> float:
    """The term and the independent reference on the same inputs, against twice the term's bound
    (each computes in its own order, within the same bound)."""
    moving = {m.data[0] for m in moved_sets(claim)[0]}
    others = {name: table for name, table in maps.items() if name not in moving}
    inputs = {k: v.astype(dtype) if hasattr(v, "astype") else v for k, v in given.items()}
    expected = reference(inputs | others | {"sizes": sizes})
    still = {m.data[0]: list(range(sizes[map_type(m)[1].name])) for m in moved_sets(claim)[0]}
    ball = _literal(claim.rhs, sizes, still | others, given, dtype)
    if claim.rhs.axes == (claim.column, claim.row):  # the reference has rows first
        ball = Ball(ball.value.T, ball.error.T)
    if expected.shape != ball.value.shape:
        return float("inf")
    return _ratio((np.asarray(ball.value, np.float64), ball.error), (expected, ball.error), "=")


def by_numpy_differs(witnesses: Sequence[Witness]) -> Check:
    """At each witness the two sides differ, in floating point, by more than rounding explains."""

    def check(claim: Claim) -> tuple[bool | None, str]:
        if claim.relation not in ("≠", "=") or (claim.relation == "=" and claim.kind == "exists"):
            return None, f"the relation is {claim.relation}; this check is of ≠"
        if witnesses and not covered(claim, [w.sizes for w in witnesses]):
            return False, "the witnesses are not of the sizes that the claim is about"
        least = float("inf")
        for witness in witnesses:
            for dtype in (np.float64, np.float32):
                given = {k: np.asarray(v, dtype=float) for k, v in witness.tensors.items()}
                width = given[witness.query].shape[-1]
                given[witness.query] = given[witness.query] * np.sqrt(width) * np.log(2.0)
                left, right = (
                    bounded(t, witness.sizes, witness.maps, given, dtype)
                    for t in (claim.lhs, claim.rhs)
                )
                other = [_aligned(x, claim.rhs, claim.lhs) for x in (right.value, right.error)]
                gap = np.abs(left.value.astype(float) - other[0]) - left.error - other[1]
                best = float(np.nanmax(gap, initial=-1.0))
                if claim.relation == "=":  # for all values: refuted here, and never made green
                    if best > 0:
                        return False, f"sizes {witness.sizes}: a difference beyond rounding"
                    return None, "the sides agree here; this check proves no ="
                if not (best > 0):
                    return False, f"sizes {witness.sizes}: no difference beyond rounding"
                least = min(least, best)
        return (
            (True, f"{len(witnesses)} witnesses differ by at least {least:.3g} beyond rounding")
            if witnesses
            else (None, "no witness given")
        )

    return check
