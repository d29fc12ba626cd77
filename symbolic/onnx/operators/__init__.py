"""What each operator of ONNX means in the calculus, one file a family."""

from . import (
    attention,
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
    "attention",
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
