"""Rows that indices choose, against the sum of products with zeros and ones that the term is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the extra orderproof[onnx] is not installed")

from orderproof.symbolic.onnx.arrays import Chosen, Evaluator, ModelFloats, ones_at
from orderproof.symbolic.onnx.graph import Array, Graph
from orderproof.symbolic.onnx.reader import read
from orderproof.symbolic.onnx.values import Realised
from tests.symbolic.onnx.one_operator import floats, graph, node

SIZES = {"b": 2, "n": 3, "m": 4}
TABLE = {"w": floats((5, 6))}
ENDS = {"depth": np.int64(5), "ends": floats((2,))}
PICKED = {  # one sum over the places of each index
    "Gather": graph([node("Gather", "w i_at", "y")], {"i_at": ["b", "n"]}, TABLE),
    "Gather along axis 1": graph([node("Gather", "w i_at", "y", axis=1)], {"i_at": ["n"]}, TABLE),
    "Gather of an input": graph(
        [node("Gather", "x i_at", "y", axis=1)], {"x": ["b", 5, "n"], "i_at": ["n", "m"]}
    ),
    "GatherElements": graph(
        [node("GatherElements", "x i_at", "y", axis=1)], {"x": ["b", 5, 3], "i_at": ["b", "m", 3]}
    ),
    "GatherND, one number each": graph(
        [node("GatherND", "w i_at", "y")], {"i_at": ["n", "m", 1]}, TABLE
    ),
    "Gather, then a sum": graph(
        [node("Gather", "w i_at", "e"), node("ReduceSum", "e axes", "y")],
        {"i_at": ["b", "n"]}, {**TABLE, "axes": np.array([1])},
    ),
}  # fmt: skip
OTHERS = {
    "GatherND, two numbers each": graph(
        [node("GatherND", "x i_at", "y")], {"x": [5, 5, 3], "i_at": ["m", 2]}
    ),
    "GatherND in batches": graph(
        [node("GatherND", "x i_at", "y", batch_dims=1)], {"x": ["b", 5, 3], "i_at": ["b", "m", 1]}
    ),
    "OneHot": graph([node("OneHot", "i_at depth ends", "y")], {"i_at": ["b", "n"]}, ENDS),
    "OneHot, then a product": graph(
        [node("OneHot", "i_at depth ends", "hot"), node("MatMul", "hot w", "y")],
        {"i_at": ["b", "n"]}, {**ENDS, **TABLE},
    ),
    "a table of one row": graph([node("Gather", "w i_at", "y")], {"i_at": ["n"]}, {
        "w": floats((1, 3))
    }),
}  # fmt: skip
EVERY = {**PICKED, **OTHERS}


def product(index: Array, places: Array, size: Array) -> Array:
    """The zeros and ones by their definition."""
    return np.asarray(np.where(index < 0, index + size, index) == places, dtype=places.dtype)


def inputs(g: Graph, seed: int) -> dict[str, Array]:
    """Random inputs, indices from beyond the first place, from the end, to beyond the last."""
    rng = np.random.default_rng(seed)
    found: dict[str, Array] = dict(g.constants)
    for name, t in g.inputs.items():
        shape = [SIZES[d] if isinstance(d, str) else d for d in t.dims]
        found[name] = rng.integers(-8, 9, shape) if name == "i_at" else rng.normal(size=shape)
    return found


def value(g: Graph, given: dict[str, Array], of: Callable[..., Any], dtype: Any) -> Array:
    """The term of y on arrays, its zeros and ones made by a function."""
    reader, _ = read(g, None, evaluate=g.constants.__getitem__)
    realised, y = Realised(reader.atoms), reader.values["y"]
    term = realised.of(y)
    if "is_place" not in reader.functions:
        pytest.fail("no zeros and ones are made: the comparison means nothing")
    reader.functions["is_place"] = of
    return Evaluator(reader, realised, SIZES, given.__getitem__).value(y, term, dtype)


def apart(g: Graph, seed: int, of: Callable[..., Any], dtype: Any = np.float64) -> bool:
    """Whether a function gives another value than the product."""
    given = inputs(g, seed)
    one, other = (value(g, given, f, dtype) for f in (of, product))
    assert one.dtype == other.dtype == dtype
    return not np.array_equal(one, other)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", EVERY)
def test_a_choice_is_the_product(name: str, dtype: Any) -> None:
    """An index from the end, outside, or on several axes would choose another row than the term
    does, and a wrong reading of a gather would agree with the model."""
    assert not any(apart(EVERY[name], seed, ones_at, dtype) for seed in range(6))


def _clipped(i: Array, v: Array, n: Array) -> Any:
    return ones_at(np.clip(i, -n, n - 1), v, n)


def _from_the_start(i: Array, v: Array, n: Array) -> Any:
    return ones_at(np.where(i < 0, -1 - i, i), v, n)


def _next(i: Array, v: Array, n: Array) -> Any:
    return ones_at(i + 1, v, n)


def _of_the_first_index(i: Array, v: Array, n: Array) -> Any:
    return ones_at(np.broadcast_to(i[:1], i.shape), v, n)


@pytest.mark.parametrize("fault", [_clipped, _from_the_start, _next, _of_the_first_index])
@pytest.mark.parametrize("name", [x for x in EVERY if x != "a table of one row"])
def test_another_choice_is_seen(name: str, fault: Callable[..., Any]) -> None:
    """The comparison above could not fail."""
    assert any(apart(EVERY[name], seed, fault) for seed in range(6))


@pytest.mark.parametrize("name", PICKED)
def test_a_table_is_not_multiplied(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An embedding would cost its whole vocabulary at each token."""
    with monkeypatch.context() as m:
        m.delattr(Chosen, "whole")
        value(PICKED[name], inputs(PICKED[name], 0), ones_at, np.float64)
    with monkeypatch.context() as m:
        m.setattr(Chosen, "sum_with", lambda *_: None)
        m.delattr(Chosen, "whole")
        with pytest.raises(AttributeError, match="whole"):
            value(PICKED[name], inputs(PICKED[name], 0), ones_at, np.float64)


def test_rows_that_are_not_chosen_have_no_say() -> None:
    """A padding row of −∞ would make every embedding NaN, which it is not in the model."""
    g = graph([node("Gather", "w i_at", "y")], {"i_at": ["b", "n"]}, TABLE)
    w = TABLE["w"].copy()
    w[3] = -np.inf
    for at in (0, 3):
        given = {"w": w, "i_at": np.array([[0, 1, 2], [4, at, -1]])}
        assert np.array_equal(value(g, given, ones_at, np.float32), w[given["i_at"]])
        assert np.isnan(value(g, given, product, np.float32)).any()


def test_places_in_another_order_are_multiplied() -> None:
    """A table that is permuted would be read as if it were not."""
    index, places = np.array([[2.0], [0.0]]), np.array([[1.0, 2.0, 0.0]])
    found = ones_at(index, places, np.array([[3.0]]))
    assert np.array_equal(found, [[0, 1, 0], [0, 0, 1]])


@pytest.mark.parametrize(
    ("subscripts", "shape"),
    [("iv,vd->id", (4, 3)), ("iv,dv->di", (3, 4)), ("iv,ivd->id", (5, 4, 3)), ("iv,v->i", (4,)),
     ("iv,vid->", (4, 5, 3)), ("iv,iv->v", (5, 4)), ("iv,id->vd", (5, 3)), ("iv,vd->id", (1, 3))],
)  # fmt: skip
def test_every_sum_with_ones_is_that_of_the_numbers(
    subscripts: str, shape: tuple[int, ...]
) -> None:
    """A sum over other places than those of the ones, or with indices that are no whole numbers,
    would be taken for a choice."""
    ones = Chosen(np.array([[1.5], [np.nan], [2.0], [-7.0], [0.0]]), 1, 4)
    x, to = floats(shape), ModelFloats(np.float64, {})
    wanted = np.einsum(subscripts, ones.whole(np.float64), x)
    axes, out = subscripts.split("->")
    swapped = ",".join(reversed(axes.split(",")))
    for found in (to.contract(subscripts, ones, x), to.contract(f"{swapped}->{out}", x, ones)):
        assert found.dtype == np.float64 and np.allclose(found, wanted, rtol=1e-12, atol=0)
