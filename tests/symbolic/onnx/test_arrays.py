"""Rows that indices choose, against the sum of products with zeros and ones that the term is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.symbolic.onnx.one_operator import floats, graph

from orderproof.symbolic.onnx.arrays import Chosen, Evaluator, ModelFloats, ones_at  # isort: skip
from orderproof.symbolic.onnx.graph import Array, Graph  # isort: skip
from orderproof.symbolic.onnx.reader import read  # isort: skip
from orderproof.symbolic.onnx.values import Realised  # isort: skip

SIZES = {"b": 2, "n": 3, "m": 4}
TABLE, BN = {"w": floats((5, 6))}, "int64[b, n] i_at"
ENDS = {"depth": 5, "ends": (2,)}
PICKED = {  # one sum over the places of each index
    "Gather": graph("y = Gather(w, i_at)", BN, **TABLE),
    "Gather along axis 1": graph("y = Gather<axis = 1>(w, i_at)", "int64[n] i_at", **TABLE),
    "Gather of an input": graph("y = Gather<axis = 1>(x, i_at)",
                                "float[b, 5, n] x, int64[n, m] i_at"),
    "GatherElements": graph("y = GatherElements<axis = 1>(x, i_at)",
                            "float[b, 5, 3] x, int64[b, m, 3] i_at"),
    "GatherND, one number each": graph("y = GatherND(w, i_at)", "int64[n, m, 1] i_at", **TABLE),
    "Gather, then a sum": graph("e = Gather(w, i_at) y = ReduceSum(e, axes)", BN, axes=[1],
                                **TABLE),
}  # fmt: skip
OTHERS = {
    "GatherND, two numbers each": graph("y = GatherND(x, i_at)",
                                        "float[5, 5, 3] x, int64[m, 2] i_at"),
    "GatherND in batches": graph("y = GatherND<batch_dims = 1>(x, i_at)",
                                 "float[b, 5, 3] x, int64[b, m, 1] i_at"),
    "OneHot": graph("y = OneHot(i_at, depth, ends)", BN, **ENDS),
    "OneHot, then a product": graph("h = OneHot(i_at, depth, ends) y = MatMul(h, w)", BN,
                                    **ENDS, **TABLE),
    "a table of one row": graph("y = Gather(w, i_at)", "int64[n] i_at", w=(1, 3)),
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


FAULTS: dict[str, Callable[[Array, Array], Array]] = {
    "clipped": lambda i, n: np.clip(i, -n, n - 1),
    "from the start": lambda i, n: np.where(i < 0, -1 - i, i),
    "next": lambda i, n: i + 1,
    "of the first index": lambda i, n: np.broadcast_to(i[:1], i.shape),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", [x for x in EVERY if x != "a table of one row"])
def test_another_choice_is_seen(name: str, fault: str) -> None:
    """The comparison above could not fail."""

    def of(i: Array, v: Array, n: Array) -> Any:
        return ones_at(FAULTS[fault](i, n), v, n)

    assert any(apart(EVERY[name], seed, of) for seed in range(6))


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
    g, w = PICKED["Gather"], TABLE["w"].copy()
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
