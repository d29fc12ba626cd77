"""A term of the calculus in numbers, for any sizes: `evaluate`, of orderproof/api.py."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial, reduce
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orderproof.symbolic.calculus.terms import Map, Op, ShapeError, Term, map_type
from orderproof.symbolic.models.builders import leaf_of
from orderproof.symbolic.readings.index_arrays import IndexArrays
from orderproof.symbolic.readings.numpy_arrays import Floats, arrays
from orderproof.symbolic.statements.statement import Atom, Statement, StatementError


def evaluate(
    term: Term, *, values: Mapping[Any, Any] | None = None, seed: int = 0, **sizes: int
) -> NDArray[np.float64]:
    """A term in floating point, for these sizes of its sets (n=7, d=3): an array, its axes in the
    order of `term.axes`.

    `values` has arrays by tensors or their names ({X: array}, {"X": array}), functions by row-wise
    maps, and permutations as lists of σ(0), …, σ(n−1) ({sigma: [1, 0, 2]}); shapes give sizes too.
    That a mask is ≥ 0 is not checked. What is not in `values` is random, by the seed and its name
    alone, so that two terms have the same X: normal numbers (which no mask is), a permutation that
    is not the identity, a row-wise map that is not linear. A tensor evaluates to its own entries. A
    size d_k, d_v that is not given is that of d. Raises ShapeError or ReadingError: what was given,
    what was expected.
    """
    if not _is_integer(seed, 0):
        raise ShapeError(f"evaluate: given seed = {seed!r}, expected an integer of at least 0")
    if values is not None and not isinstance(values, Mapping):
        raise ShapeError(f"evaluate: given values of type {type(values).__name__}, expected a dict")
    try:
        stated = Statement(Atom(term, "=", term))
    except StatementError as e:
        raise ShapeError(f"evaluate: {e}") from None
    symbols: tuple[Op | Map, ...] = (*stated.tensors, *stated.maps)
    given = _given(values or {}, {str(x.data[0]): x for x in symbols})
    leaves = {str(x.data[0]): x for x in stated.tensors if x.kind == "leaf"}
    of_values = {
        s.name: k
        for name in given.keys() & leaves.keys()
        for s, k in zip(leaves[name].data[1], np.shape(given[name]), strict=False)
    }
    found = _sizes([s.name for s in stated.sets], sizes, of_values)

    def rng(name: str) -> np.random.Generator:
        return np.random.default_rng([seed, *name.encode()])

    size = IndexArrays(found).size
    permutations = [m for m in stated.maps if map_type(m)[2]]
    maps = {m.data[0]: _moving(size(map_type(m)[1]), rng(m.data[0])) for m in permutations}
    tensors: dict[str, Any] = {
        name: rng(name).normal(size=[size(s) for s in x.data[1]]) for name, x in leaves.items()
    }
    for name, _, yields in (x.data for x in stated.tensors if x.kind == "opaque"):
        tensors[name] = partial(_row_map if yields else _weight, partial(rng, name))
    return np.array(arrays(term, found, maps | given, tensors | given, Floats(np.float64)))


def _row_map(rng: Callable[[], np.random.Generator], x: NDArray[Any], size: int) -> NDArray[Any]:
    """A row-wise map that is not linear: the larger of two linear ones."""
    first, second = rng().normal(size=(2, x.shape[-1], size))
    return np.asarray(np.maximum(x @ first, x @ second))


def _weight(rng: Callable[[], np.random.Generator], _: Any, *rows: NDArray[Any]) -> NDArray[Any]:
    """A positive number of several rows: exp of the largest of a linear map of each."""
    drawn = rng()
    largest = reduce(np.maximum, [x @ drawn.normal(size=x.shape[-1]) for x in rows])
    return np.asarray(np.exp(largest))


# The dtypes of NumPy that values of a tensor may have, and of an operator; otherwise of a map.
_WANTED = {"leaf": ("biuf", "an array of real numbers"), "opaque": ("", "a function")}


def _given(values: Mapping[Any, Any], symbols: Mapping[str, Op | Map]) -> dict[str, Any]:
    """The values by the names of these tensors and maps, each of its kind, and given once."""
    given: dict[str, Any] = {}
    for key, value in values.items():
        name = _name(key)
        if name not in symbols:
            expected = ", ".join(sorted(symbols)) or "none"
            raise ShapeError(f"evaluate: given values of {name}, expected those of {expected}")
        if name in given:
            raise ShapeError(f"evaluate: given values of {name} twice, expected them once")
        kinds, expected = _WANTED.get(symbols[name].kind, ("iu", "a list of integers"))
        try:
            fits = np.asarray(value).dtype.kind in kinds or ("b" not in kinds and callable(value))
        except ValueError:  # rows of several lengths
            fits = False
        if not fits:
            shown = " ".join(repr(value).split())[:80]
            raise ShapeError(f"evaluate: {name}: given {shown}, expected {expected}")
        given[name] = value
    return given


def _name(key: Any) -> str:
    """The name of a tensor or a map, which may be given in its place."""
    if isinstance(key, str | Map):
        return key if isinstance(key, str) else str(key.data[0])
    if not isinstance(key, Term):
        raise ShapeError(f"evaluate: given values of {key!r}, expected a tensor, map or name")
    return str(leaf_of(key).data[0])


def _sizes(
    names: Sequence[str], sizes: Mapping[str, Any], of_values: Mapping[str, int]
) -> dict[str, int]:
    """The size of each set: as it is given, as values have it, or of d_k as of d."""
    for name in {"term", "values", "seed"}.intersection(names):
        raise ShapeError(f"evaluate: given a set {name}, expected another name: {name}= is no size")
    found = {**of_values, **sizes}
    for name, k in found.items():
        if name not in names:
            expected = ", ".join(names) or "none"
            raise ShapeError(f"evaluate: given a size of {name}, expected sizes of {expected}")
        if not _is_integer(k, 1):
            raise ShapeError(f"evaluate: given {name} = {k}, expected an integer of at least 1")
    if "d" in found:
        found = {name: found["d"] for name in names if name.startswith(("d_k", "d_v"))} | found
    if missing := [name for name in names if name not in found]:
        has = ", ".join(f"{name} = {k}" for name, k in sizes.items()) or "no size"
        raise ShapeError(f"evaluate: given {has}, expected sizes of {', '.join(missing)} too")
    return {name: int(found[name]) for name in names}


def _is_integer(x: Any, least: int) -> bool:
    """Whether x is a whole number of at least this, and not True."""
    return type(x) is not bool and isinstance(x, Integral) and int(x) >= least


def _moving(n: int, rng: np.random.Generator) -> list[int]:
    """A random permutation, and not the identity where there is another."""
    while True:
        sigma = [int(k) for k in rng.permutation(n)]
        if n < 2 or sigma != list(range(n)):
            return sigma
