"""Running sums, Fourier transforms, sorted values, scatters against onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.symbolic.onnx.one_operator import (
    agrees,
    error,
    floats,
    graph,
    node,
    refusal,
    sets_of,
)

Evaluator = pytest.importorskip("orderproof.symbolic.onnx.arrays").Evaluator

LINE = {"x": ["b", "n", 4]}


@pytest.mark.parametrize("exclusive", [0, 1])
@pytest.mark.parametrize("reverse", [0, 1])
def test_running_sums(exclusive: int, reverse: int) -> None:
    """From the other end, or without the term itself, there are other sums."""
    sums = node("CumSum", "x a", "y", exclusive=exclusive, reverse=reverse)
    for asked in (None, ("x", 1)):
        agrees(graph([sums], LINE, {"a": np.array(-2)}), asked)


@pytest.mark.parametrize("parts", [1, 2])
@pytest.mark.parametrize("attributes", [{}, {"inverse": 1}, {"onesided": 1}], ids=str)
def test_fourier_transforms(parts: int, attributes: dict[str, Any]) -> None:
    """A wrong sign of the angle, or parts exchanged, gives other numbers."""
    if attributes.get("onesided") and parts == 2:
        pytest.skip("half a transform is one of real numbers")
    inputs = {"x": ["b", "n", 3, parts]}
    agrees(graph([node("DFT", "x - a", "y", **attributes)], inputs, {"a": np.array(1)}))
    agrees(graph([node("DFT", "x", "y", axis=1, **attributes)], inputs, opset=17))
    assert sets_of(graph([node("DFT", "x - a", "y")], inputs, {"a": np.array(1)}), ("x", 1))[1]


def test_fourier_transforms_of_a_given_length() -> None:
    """What is longer is cut, what is shorter is filled with zeros."""
    for length in (4, 9):
        constants = {"a": np.array(1), "k": np.array(length)}
        agrees(graph([node("DFT", "x k a", "y")], {"x": ["b", 6, "n", 1]}, constants))


@pytest.mark.parametrize("most", [0, 1])
@pytest.mark.parametrize("asked", [None, ("x", 1)])
def test_sorted_values(most: int, asked: Any) -> None:
    """The values of each rank, by counting; equal values take one rank each."""
    model = graph(
        [node("TopK", "x k", "y places", axis=1, largest=most)], LINE, {"k": np.array([3])}
    )

    def given(sizes: Any) -> Any:
        rng = np.random.default_rng(4)
        return {"x": rng.integers(0, 3, (sizes["b"], sizes["n"], 4)).astype(np.float32)}

    if asked:
        assert not any(sets_of(model, asked))  # ranks are no tokens
    agrees(model, asked)
    for n in (3, 5, 9):
        sizes = {"b": 2, "n": n, "m": 3}
        assert error(model, sizes, asked, inputs=given(sizes)) <= 1


def test_places_of_the_largest() -> None:
    """Rows of features: where the largest stand."""
    last = node("TopK", "x k", "values y", axis=2)
    agrees(graph([last], LINE, {"k": np.array([2])}))


def test_sorting_all() -> None:
    """As many ranks as tokens are ranks all the same, and no tokens."""
    nodes = [node("Shape", "x", "k", start=1, end=2), node("TopK", "x k", "y i", axis=1)]
    agrees(graph(nodes, LINE), ("x", 1))
    assert sets_of(graph(nodes, LINE), ("x", 1)) == [False, False, False]


def test_values_in_any_order_are_refused() -> None:
    """sorted = 0 leaves the order open: there is no term of it."""
    model = graph([node("TopK", "x k", "y i", axis=1, sorted=0)], LINE, {"k": np.array([2])})
    assert "order" in refusal(model)


def test_hardmax() -> None:
    """One at the first of the largest."""
    agrees(graph([node("Hardmax", "x", "y", axis=-1)], LINE))


@pytest.mark.parametrize("how", ["add", "max", "min", "mul"])
def test_scatters_at_places_that_are_data(how: str) -> None:
    """Graph networks: messages of m edges to n nodes; several edges may end in one node."""
    inputs = {"x": ["n", 4], "u": ["m", 4], "i_to": ["m", 1]}
    nd = graph([node("ScatterND", "x i_to u", "y", reduction=how)], inputs)
    agrees(nd, ranges={"i_to": (0, 5)})
    agrees(nd, ("x", 0), ranges={"i_to": (0, 5)})
    wide = [
        node("Shape", "u", "s"),
        node("Expand", "i_to s", "places"),
        node("ScatterElements", "x places u", "y", axis=0, reduction=how),
    ]
    agrees(graph(wide, inputs, opset=18), ranges={"i_to": (-6, 5)})
    free = inputs | {"i_to": ["m", 4]}
    each = graph([node("ScatterElements", "x i_to u", "y", axis=0, reduction=how)], free)
    agrees(each, ranges={"i_to": (0, 5)})


def test_scatters_at_two_places_each() -> None:
    """A pair names a row and a column, in this order."""
    inputs = {"x": ["n", 5, 2], "u": ["m", 2], "i_to": ["m", 2]}
    nd = graph([node("ScatterND", "x i_to u", "y", reduction="add")], inputs)
    agrees(nd, ranges={"i_to": (0, 4)})


def test_replacing_at_constant_places() -> None:
    """What stood there goes; of two updates at one place the last stays."""
    inputs = {"x": [6, "n"], "u": [4, "n"]}
    model = graph([node("ScatterND", "x p u", "y")], inputs, {"p": np.array([[5], [0], [5], [-3]])})
    agrees(model)
    pairs = {"p": np.array([[[0, 1], [2, 2]], [[5, 0], [0, 1]]])}
    agrees(graph([node("ScatterND", "x p u", "y")], {"x": [6, 3, "n"], "u": [2, 2, "n"]}, pairs))
    elements = {"p": np.random.default_rng(0).permuted(np.tile(np.arange(6)[:4], (3, 1)), axis=1)}
    agrees(graph([node("ScatterElements", "x p u", "y", axis=1)], {"x": [3, 6], "u": [3, 4]},
                 elements))  # fmt: skip
    assert "depend on data" in refusal(
        graph([node("ScatterND", "x i_to u", "y")], {"x": [6, "n"], "u": [4, "n"], "i_to": [4, 1]})
    )


def test_replacing_a_slice() -> None:
    """How exporters write x[1:] = u: places from a Range, which grows with n."""
    nodes = [
        node("Shape", "x", "s", start=0, end=1),
        node("Squeeze", "s", "k"),
        node("Range", "one k step", "r"),
        node("Unsqueeze", "r last", "p"),
        node("Slice", "x first end", "tail"),
        node("Neg", "tail", "u"),
        node("ScatterND", "x p u", "y"),
    ]
    constants = {
        "one": np.array(1), "step": np.array(1), "last": np.array([1]), "first": np.array([1]),
        "end": np.array([2**62]),
    }  # fmt: skip
    for asked in (None, ("x", 0)):
        agrees(graph(nodes, {"x": ["n", 3]}, constants), asked)


def test_zeros_and_ones() -> None:
    """One at the place, counted from the end where it is negative; the identity shifted."""
    constants = {"d": np.array(6), "v": floats([2])}
    for axis in (0, -1):
        model = graph([node("OneHot", "i_at d v", "y", axis=axis)], {"i_at": ["b", "n"]}, constants)
        agrees(model, ranges={"i_at": (-6, 5)})
    for k in (0, 1):
        nodes = [node("EyeLike", "x", "e", k=k), node("Add", "e x", "y")]
        agrees(graph(nodes, {"x": ["n", "m"]}))


@pytest.mark.parametrize("mode", ["DCR", "CRD"])
def test_channels_and_places(mode: str) -> None:
    """Blocks of channels first, or channels first."""
    inputs = {"x": ["b", 12, "n", "m"]}
    agrees(graph([node("DepthToSpace", "x", "y", blocksize=2, mode=mode)], inputs))
    agrees(graph([node("SpaceToDepth", "x", "y", blocksize=2)], {"x": ["b", 3, 4, 6]}))


def test_gathers_at_several_places() -> None:
    """Pairs of row and column; batch by batch."""
    pairs = {"x": ["n", 5, 2], "i_at": ["m", 2]}
    agrees(graph([node("GatherND", "x i_at", "y")], pairs), ranges={"i_at": (0, 4)})
    batches = {"x": ["b", "n", 2], "i_at": ["b", "m", 1]}
    model = graph([node("GatherND", "x i_at", "y", batch_dims=1)], batches)
    agrees(model, ranges={"i_at": (0, 5)})
