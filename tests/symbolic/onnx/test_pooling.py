"""Pooling and padding against onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.symbolic.onnx.one_operator import agrees, graph, node, refusal, sets_of

LINE = {"x": ["b", 2, "n"]}
PICTURE = {"x": ["b", 2, "n", "m"]}
POOLS: list[dict[str, Any]] = [
    {"kernel_shape": [3]},
    {"kernel_shape": [3], "pads": [1, 1]},
    {"kernel_shape": [3], "pads": [1, 1], "strides": [2]},
    {"kernel_shape": [2], "strides": [2]},
    {"kernel_shape": [2], "dilations": [2]},
    {"kernel_shape": [4], "auto_pad": "SAME_LOWER"},
    {"kernel_shape": [4], "auto_pad": "SAME_UPPER", "strides": [3]},
]


@pytest.mark.parametrize("op", ["AveragePool", "MaxPool"])
@pytest.mark.parametrize("attributes", POOLS, ids=str)
def test_pooling_along_a_line(op: str, attributes: dict[str, Any]) -> None:
    """Padding counts as nothing, not as zero; strides and dilations are the windows'."""
    pool = graph([node(op, "x", "y", **attributes)], LINE)
    agrees(pool)
    agrees(pool, ("x", 2))
    agrees(graph([node(op, "x", "y", **attributes)], {"x": [2, 2, 12]}))


@pytest.mark.parametrize("op", ["AveragePool", "MaxPool"])
def test_pooling_of_pictures(op: str) -> None:
    """Rows and columns have their own windows."""
    both = {"kernel_shape": [3, 2], "pads": [1, 0, 1, 1], "strides": [2, 1]}
    agrees(graph([node(op, "x", "y", **both)], PICTURE))
    ceil = {"kernel_shape": [3, 2], "strides": [2, 2], "ceil_mode": 1}
    agrees(graph([node(op, "x", "y", **ceil)], {"x": ["b", 2, 8, 7]}))


def test_averages_that_count_the_padding() -> None:
    """With count_include_pad every window counts its padding."""
    both = {"kernel_shape": [3], "pads": [1, 1], "count_include_pad": 1}
    agrees(graph([node("AveragePool", "x", "y", **both)], LINE))


@pytest.mark.parametrize("op", ["GlobalAveragePool", "GlobalMaxPool"])
def test_pooling_over_everything(op: str) -> None:
    """One number for each channel."""
    agrees(graph([node(op, "x", "y")], PICTURE))


PADS = np.array([0, 0, 1, 0, 0, 2])


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "wrap"])
def test_paddings(mode: str) -> None:
    """Each mode reads its own places."""
    padding = graph([node("Pad", "x p", "y", mode=mode)], LINE, {"p": PADS})
    agrees(padding)
    agrees(padding, ("x", 2))


def test_padding_by_a_value_and_cutting() -> None:
    """A value stands outside, in every corner once; negative padding cuts."""
    constants = {"p": np.array([1, 0, 1, 2]), "v": np.float32(3.5), "a": np.array([2, 3])}
    agrees(graph([node("Pad", "x p v a", "y")], PICTURE, constants))
    cut = {"p": np.array([0, 0, 1, 0, 0, -1]), "v": np.float32(-2)}
    agrees(graph([node("Pad", "x p v", "y")], LINE, cut), ("x", 2))
    assert sets_of(graph([node("Pad", "x p", "y")], LINE, cut), ("x", 2))[2]


@pytest.mark.parametrize("op", ["AveragePool", "MaxPool"])
@pytest.mark.parametrize("mode", ["constant", "edge", "wrap"])
def test_pooling_of_padded_tensors(op: str, mode: str) -> None:
    """What a padding put there counts: as zeros, or as copies."""
    nodes = [node("Pad", "x p", "padded", mode=mode), node(op, "padded", "y", kernel_shape=[4])]
    agrees(graph(nodes, LINE, {"p": PADS}))
    agrees(graph(nodes, LINE, {"p": PADS}), ("x", 2))


def test_views_of_views() -> None:
    """A slice of a padding, a reversal of a roll: places are composed in the right order."""
    constants = {
        "p": PADS, "one": np.array([1]), "end": np.array([2**62]), "two": np.array([2]),
        "three": np.array([3]), "back": np.array([-1]), "zero": np.array([0]),
        "before": np.array([-(2**62)]),
    }  # fmt: skip
    roll = [
        node("Slice", "x three end two", "a"),
        node("Slice", "x zero three two", "b"),
        node("Concat", "a b", "rolled", axis=2),
    ]
    long = {"x": ["b", 2, "n"]}
    nodes = [*roll, node("Slice", "rolled back before two back", "y")]
    agrees(graph(nodes, long, constants), ("x", 2))
    roll[0], roll[1] = (node("Slice", t, o) for t, o in
                        [("x one end two", "a"), ("x zero one two", "b")])  # fmt: skip
    whole = graph([*roll, node("Slice", "rolled back before two back", "y")], long, constants)
    agrees(whole, ("x", 2))
    assert sets_of(whole, ("x", 2))[2]
    padded = node("Pad", "x p", "padded", mode="reflect")
    cut = node("Slice", "padded one end two", "y")
    agrees(graph([padded, cut], long, constants), ("x", 2))
    agrees(graph([padded, cut], long, constants))


def test_indices_of_the_largest_are_refused() -> None:
    """They are not read, and must not be taken for the values."""
    pool = graph([node("MaxPool", "x", "z y", kernel_shape=[2])], LINE)
    assert "indices" in refusal(pool)


def test_two_nodes_of_one_name() -> None:
    """Their tables are two, though of one name and over one set."""
    three, five = (
        node("AveragePool", "x", f"y{k}", kernel_shape=[k], pads=[k // 2] * 2, name="pool")
        for k in (3, 5)
    )
    model = graph([three, five, node("Sub", "y3 y5", "y")], LINE)
    agrees(model)
    agrees(model, ("x", 2))
