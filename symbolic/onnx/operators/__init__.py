"""What each operator of ONNX means in the calculus, one file a family."""

from . import elementwise, indexing, linear, norms, reductions, shapes

__all__ = ["elementwise", "indexing", "linear", "norms", "reductions", "shapes"]
