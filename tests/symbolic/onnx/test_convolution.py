"""Convolutions of every padding against onnxruntime, and which positions are one set."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.symbolic.onnx.one_operator import agrees, error, floats, graph, node, refusal, sets_of

Runner = pytest.importorskip("orderproof.symbolic.onnx.run").Runner
LINE = {"x": ["b", 4, "n"]}


def conv1d(kernel: int = 3, out: int = 6, group: int = 1, **attributes: Any) -> Any:
    """A convolution along n, of four channels."""
    constants = {"w": floats([out, 4 // group, kernel]), "c": floats([out], 1)}
    return graph([node("Conv", "x w c", "y", group=group, **attributes)], LINE, constants)


@pytest.mark.parametrize(
    "attributes",
    [
        {},
        {"kernel": 1},
        {"kernel": 1, "strides": [2]},
        {"pads": [1, 1]},
        {"pads": [2, 0]},
        {"pads": [0, 3], "dilations": [2]},
        {"pads": [2, 2], "dilations": [2]},
        {"pads": [1, 1], "strides": [2]},
        {"kernel": 2, "strides": [2]},
        {"kernel": 4, "auto_pad": "SAME_UPPER"},
        {"kernel": 4, "auto_pad": "SAME_LOWER"},
        {"kernel": 4, "auto_pad": "SAME_LOWER", "strides": [3]},
        {"auto_pad": "VALID", "strides": [2]},
        {"pads": [1, 1], "group": 2},
        {"pads": [1, 1], "group": 4, "out": 8},
        {"kernel": 1, "group": 4, "out": 4},
    ],
    ids=str,
)
def test_convolutions_along_a_line(attributes: dict[str, Any]) -> None:
    """A wrong stride, dilation, padding, group or order of taps gives other values."""
    agrees(conv1d(**attributes))


def test_a_convolution_of_the_axis_in_question() -> None:
    """The axis is not split or cut: its convolution must be read all the same."""
    agrees(conv1d(pads=[1, 1]), ("x", 2))
    agrees(conv1d(kernel=2, strides=[2]), ("x", 2))


def test_convolutions_of_pictures() -> None:
    """Rows and columns have their own strides and paddings: none may be taken for the other's."""
    inputs = {"x": ["b", 3, "n", "m"]}
    weights = {"w": floats([4, 3, 3, 2]), "c": floats([4], 1)}
    padded = {"pads": [1, 0, 2, 1], "strides": [2, 1], "dilations": [1, 2]}
    agrees(graph([node("Conv", "x w c", "y", **padded)], inputs, weights))
    patches = {"x": ["b", 3, 8, 6]}
    agrees(graph([node("Conv", "x w c", "y", strides=[3, 2])], patches | {"x": ["b", 3, 9, 6]},
                 weights))  # fmt: skip
    agrees(graph([node("Conv", "x w", "y", strides=[3, 2])], patches, weights))


def test_positions_of_the_same_number_are_the_same() -> None:
    """Else no convolution could be seen to commute with a shift, a reversal, or anything."""
    assert sets_of(conv1d(pads=[1, 1]), ("x", 2)) == [False, False, True]
    assert sets_of(conv1d(), ("x", 2)) == [False, False, False]


def circular(mode: str) -> Any:
    """A circular convolution as exporters write it."""
    constants = {
        "w": floats([6, 4, 3]), "pads": np.array([0, 0, 1, 0, 0, 1]), "two": np.array([2]),
        "last": np.array([-1]), "end": np.array([2**62]), "zero": np.array([0]),
        "one": np.array([1]),
    }  # fmt: skip
    if mode == "wrap":
        pad = [node("Pad", "x pads", "padded", mode="wrap")]
    else:
        pad = [
            node("Slice", "x last end two", "head"),
            node("Slice", "x zero one two", "tail"),
            node("Concat", "head x tail", "padded", axis=2),
        ]
    return graph([*pad, node("Conv", "padded w", "y")], LINE, constants)


@pytest.mark.parametrize("mode", ["wrap", "slices"])
def test_circular_convolutions_come_back_to_their_positions(mode: str) -> None:
    """The n + 2 positions of the padding are views of the n: the n windows are over the n again,
    by one table, which a shift leaves as it is."""
    agrees(circular(mode), ("x", 2))
    agrees(circular(mode))
    assert sets_of(circular(mode), ("x", 2)) == [False, False, True]


def test_what_is_no_convolution_is_refused() -> None:
    """A kernel of other channels means nothing; it must not be read as if it fitted."""
    wrong = graph([node("Conv", "x w", "y")], LINE, {"w": floats([6, 3, 3])})
    assert "channels" in refusal(wrong)


def test_a_flipped_kernel_is_noticed() -> None:
    """The comparison would be worthless if a kernel read backwards passed it."""
    right = conv1d(pads=[1, 1])
    flipped = graph(
        [node("Conv", "x w c", "y", pads=[1, 1])], LINE,
        {"w": floats([6, 4, 3])[..., ::-1].copy(), "c": floats([6], 1)},
    )  # fmt: skip
    sizes = {"n": 7, "m": 5, "b": 2}
    given = Runner(right).random_inputs(sizes, 1)
    other = Runner(flipped).run(given)["y"]
    assert not error(right, sizes, change=lambda _: other) <= 1
