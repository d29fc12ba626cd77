"""Resizing against onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.symbolic.onnx.one_operator import agrees, graph, node, refusal

LINE = {"x": ["b", 2, "n"]}
PICTURE = {"x": ["b", 2, "n", 5]}


@pytest.mark.parametrize("mode", ["nearest", "linear"])
@pytest.mark.parametrize(
    "placed", ["half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"]
)
def test_scales(mode: str, placed: str) -> None:
    """Each way of placing the new positions between the old ones has its own weights."""
    for scale in (2.0, 0.5):
        options = {"mode": mode, "coordinate_transformation_mode": placed}
        constants = {"s": np.float32([1, 1, scale])}
        model = graph([node("Resize", "x - s", "y", **options)], LINE, constants)
        if scale < 1 and placed == "align_corners":  # n / 2 is rounded, or not
            assert "no whole number" in refusal(model)
            continue
        agrees(model)
        agrees(model, ("x", 2))


@pytest.mark.parametrize("rounded", ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"])
def test_nearest(rounded: str) -> None:
    """Which of two neighbours is the nearest."""
    options = {"nearest_mode": rounded, "coordinate_transformation_mode": "asymmetric"}
    constants = {"s": np.float32([1, 1, 2, 2])}
    agrees(graph([node("Resize", "x - s", "y", **options)], PICTURE, constants))


def test_given_sizes_of_pictures() -> None:
    """Sizes instead of scales; cubic weights."""
    for mode in ("nearest", "linear", "cubic"):
        constants = {"z": np.array([1, 2, 9, 7])}
        model = graph([node("Resize", "x - - z", "y", mode=mode)], {"x": [1, 2, 6, 5]}, constants)
        agrees(model)


def test_twice_the_size_that_is_dynamic() -> None:
    """As exporters write interpolate(scale_factor=2) of a dynamic size."""
    nodes = [
        node("Shape", "x", "own"),
        node("Mul", "own twice", "new"),
        node("Resize", "x - - new", "y"),
    ]
    agrees(graph(nodes, LINE, {"twice": np.array([1, 1, 2])}), ("x", 2))


def test_what_is_not_read() -> None:
    """Antialiasing has other weights."""
    options: dict[str, Any] = {"mode": "linear", "antialias": 1}
    constants = {"s": np.float32([1, 1, 0.5, 1])}
    assert "antialias" in refusal(graph([node("Resize", "x - s", "y", **options)], PICTURE,
                                        constants))  # fmt: skip
