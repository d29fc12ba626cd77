"""What each operator of ONNX means in the calculus, one file a family."""

from . import (
    attention,
    blocks,
    branches,
    convolution,
    elementwise,
    indexing,
    linear,
    norms,
    one_hot,
    padding,
    pooling,
    reductions,
    scans,
    scatter,
    shapes,
    sorting,
)

__all__ = [
    "attention",
    "blocks",
    "branches",
    "convolution",
    "elementwise",
    "indexing",
    "linear",
    "norms",
    "one_hot",
    "padding",
    "pooling",
    "reductions",
    "scans",
    "scatter",
    "shapes",
    "sorting",
]
