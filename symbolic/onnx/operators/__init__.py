"""What each operator of ONNX means in the calculus, one file a family."""

from . import (
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
