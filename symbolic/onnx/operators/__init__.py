"""What each operator of ONNX means in the calculus, one file a family."""

from . import (
    branches,
    convolution,
    elementwise,
    indexing,
    linear,
    norms,
    padding,
    pooling,
    reductions,
    shapes,
)

__all__ = [
    "branches",
    "convolution",
    "elementwise",
    "indexing",
    "linear",
    "norms",
    "padding",
    "pooling",
    "reductions",
    "shapes",
]
