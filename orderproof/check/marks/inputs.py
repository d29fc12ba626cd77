"""Inputs that satisfy the hypotheses of a statement, drawn for floating point, seeds fixed.

Tensors are made as the hypotheses ask: t in place of x where x = t is given, equal entries where
they say so, signs, and then by rejection. Each drawn input is checked against every hypothesis.
All entries zero, and all entries equal, are always among them where the hypotheses admit that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orderproof.check.claims import Counts, Maps
from orderproof.check.sampling import (
    about_indices,
    admits,
    functions_over,
    given_maps,
    moved_sets,
    orbits,
    other_maps,
    signs,
    with_given_maps,
)
from orderproof.symbolic.calculus.terms import Map, Term, map_type, reachable
from orderproof.symbolic.models.builders import number
from orderproof.symbolic.readings.index_arrays import IndexArrays
from orderproof.symbolic.readings.numpy_arrays import Floats, arrays
from orderproof.symbolic.statements.statement import Atom, Statement, in_text_order, symbols_of

from .bounds import holds_at

SEED = 20261121
DRAWS = 1_000  # of maps, until they satisfy the hypotheses
TENSOR_DRAWS = 40  # of tensors, likewise
Inputs = dict[str, Any]


def drawn(
    s: Statement, rng: np.random.Generator, scale: float
) -> Iterator[tuple[Counts, Maps, Inputs, str]]:
    """Sizes, maps and tensors that satisfy the hypotheses: at moderate sizes four times, once all
    zero and once all equal; and with each set once at its least, and all of them."""
    without: list[Counts] = []  # sizes at which no maps were found
    for trial, (sizes, kinds) in enumerate(_sizes(s)):
        maps = None if sizes in without else _random_maps(s, sizes, trial)
        if maps is None:
            without.append(sizes)
            continue
        for kind in kinds:
            given = _inputs(s, sizes, maps, kind, rng, scale)
            if given is not None:
                yield sizes, maps, given, kind


def _sizes(s: Statement) -> Iterator[tuple[Counts, tuple[str, ...]]]:
    """Sizes, and the kinds of inputs at them."""
    _, moved, others = moved_sets(s)
    usual = {x: 7 - k for k, x in enumerate(moved)} | {x: 3 + k for k, x in enumerate(others)}
    lower = {x: max(s.sizes.lower(x), int(x in functions_over(s))) for x in s.sets}
    tried = [(usual, ("random", "zero", "alike"))] + [(usual, ("random",))] * 3
    tried += [(usual | {x: lower[x]}, ("least",)) for x in s.sets]
    tried += [(lower, ("least",)), ({x: max(k, 1) for x, k in lower.items()}, ("least",))]
    seen: set[tuple[tuple[str, int], ...]] = set()
    cases = sorted(s.sizes.among) or [()]
    for turn, (sizes, kinds) in enumerate(tried):
        chosen = cases if kinds == ("least",) else [cases[-1 - turn % len(cases)]]
        for case in chosen:
            own = dict(zip(s.sizes.of, case, strict=True))
            named = {x.name: own.get(x, k) for x, k in sizes.items()}
            key = tuple(sorted(named.items()))
            if admits(s, named) and not (kinds == ("least",) and key in seen):
                seen.add(key)
                yield named, kinds


def _inputs(
    s: Statement, sizes: Counts, maps: Maps, kind: str, rng: np.random.Generator, scale: float
) -> Inputs | None:
    """Tensors of a kind that satisfy every hypothesis; None if there are none among those drawn."""
    asked = [a for a in in_text_order(s.given) if not about_indices(a)]
    for _ in range(TENSOR_DRAWS if kind in ("random", "least") else 1):
        given = tensors_of(*s.terms, sizes=sizes, rng=rng)
        for name, x in given.items():
            if not callable(x):
                flat = np.zeros(x.shape) if kind == "zero" else np.full(x.shape, 0.5)
                given[name] = x * scale if kind in ("random", "least") else flat
        for name, sign in signs(s.given).items():
            if name in given:
                x = given[name]
                # about one weight in four is 0: with more of them a mask would cancel differences
                some = np.where(x < -0.67 * scale, 0, np.abs(x))
                given[name] = np.abs(x) + 1 if sign == "<" else some
        for name, first in orbits(s, sizes, maps).items():
            if name in given:
                x = given[name]
                entries = [x[first(i)] for i in np.ndindex(*x.shape)]
                given[name] = np.array(entries).reshape(x.shape)
        given = {k: x if callable(x) else x.astype(np.float32).astype(float)
                 for k, x in given.items()}  # fmt: skip
        failed = next((a for a in asked if not holds_at(a, sizes, maps, given)), None)
        if failed is None:
            return given
        if failed.relation == "=" and not failed.some:
            return None  # of real numbers: other draws will not be equal either
    return None


def _random_maps(s: Statement, sizes: Counts, trial: int) -> Maps | None:
    """Random tables for the maps of a statement, drawn until its hypotheses about indices hold;
    None if none of those drawn satisfies them."""
    about = Statement(Atom(number(0), "=", number(0)), frozenset(filter(about_indices, s.given)))
    maps = (*moved_sets(s)[0],), (*other_maps(s),)
    found = _maps_of(about, *maps, tuple(sorted(sizes.items())), trial)
    return None if found is None else dict(found)


@lru_cache(maxsize=1024)  # claims side by side have their hypotheses in common
def _maps_of(
    s: Statement,
    permutations: tuple[Map, ...],
    others: tuple[Map, ...],
    named: tuple[tuple[str, int], ...],
    trial: int,
) -> Maps | None:
    """Tables for these maps that satisfy what is given; those that it gives by others come last."""
    sizes, rng, given = dict(named), np.random.default_rng([SEED, trial]), given_maps(s)
    late = [a for a in s.given if not symbols_of(a).isdisjoint(given)]
    for _ in range(DRAWS if permutations or others else 1):
        chosen: Maps = {}
        for m in permutations:
            chosen[m.data[0]] = _permutation(trial, sizes[map_type(m)[1].name], rng)
        for m in others:
            dom, cod, _ = map_type(m)
            n = IndexArrays(sizes).size(cod)
            k = IndexArrays(sizes).size(dom[0]) if dom else 1
            if n == 0 and k > 0:
                return None  # into nothing there is no map
            table = [int(x) for x in rng.integers(max(n, 1), size=k)]
            if m not in given:
                chosen[m.data[0]] = table if dom else table[0]
        early = all(a in late or holds_at(a, sizes, chosen, {}) for a in s.given)
        maps = with_given_maps(s, sizes, chosen, _floats) if early else None
        if maps is not None and all(holds_at(a, sizes, maps, {}) for a in late):
            return maps
        if all(k <= 1 for k in sizes.values()):
            return None
    return None


def _floats(t: Term, sizes: Counts, maps: Maps) -> NDArray[Any]:
    """A term about indices in floating point, without rounding."""
    return np.asarray(arrays(t, sizes, maps, {}, Floats(np.float64), literal=True))


def _permutation(trial: int, n: int, rng: np.random.Generator) -> list[int]:
    """A 3-cycle first (a swap is its own inverse: its P and Pᵀ are equal)."""
    return (
        [1, 2, 0, *range(3, n)] if trial == 0 and n >= 3 else [int(x) for x in rng.permutation(n)]
    )


# ----------------------------------------------------------------------------------- the tensors
def tensors_of(*terms: Term, sizes: Mapping[str, int], rng: np.random.Generator) -> dict[str, Any]:
    """Random entries for the tensors of terms; for an opaque row-wise map, one that is not linear;
    for an opaque number of two rows, one that is positive and not symmetric."""
    found: dict[str, Any] = {}
    every = {node.op for term in terms for node in reachable(term.node)}
    ops = (op for op in every if op.kind in ("leaf", "opaque"))
    for op in sorted(ops, key=lambda op: op.data[0]):  # by names: nodes are numbered by the past
        match op.kind, op.data:
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
    if last == 0:  # of nothing, zeros
        return np.zeros((*x.shape[:-1], size))
    return np.asarray(np.maximum(x[..., first % last], x[..., (first + 1) % last]))


def _weight(to: Any, q: Any, k: Any) -> Any:
    """exp(max(first of q, last of k)), in the arithmetic of a reading."""
    first, last = to.map(lambda x: _feature(x, 0), q), to.map(lambda x: _feature(x, -1), k)
    return to.functions["exp"](to.functions["max"](first, last))


def _feature(x: NDArray[Any], k: int) -> NDArray[Any]:
    """The first or last feature; 0 where there is none."""
    return np.asarray(x[..., k] if x.shape[-1] else np.zeros(x.shape[:-1]))


def weight(q: NDArray[Any], k: NDArray[Any]) -> NDArray[Any]:
    """The same of two rows, for an independent reference."""
    return np.asarray(np.exp(np.maximum(q[0], k[-1])))
