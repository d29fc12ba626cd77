"""The operators that are read in a constant, by name. Every other is refused, by name too."""

from __future__ import annotations

from collections.abc import Callable

from . import arithmetic, movement, sums, unknown
from .expression import Expr
from .node import Node
from .tensors import Indices, Refused, Tensor

Reader = Callable[[Node], Tensor | tuple[Tensor, ...]]


def of_one_shape(node: Node) -> Tensor:
    """An operator that keeps the dimensions of its first input: no more is read of it."""
    t = node.input(0)

    def entry(_: Indices) -> Expr:
        raise Refused(f"given the entries of {node.call.op}, expected its dimensions to be used")

    return Tensor(t.dims, t.sort, entry)


SAME_SHAPE = (
    "BatchNormalization", "InstanceNormalization", "GroupNormalization", "Dropout", "PRelu",
    "IsNaN", "LpNormalization",
)  # fmt: skip

BY_ENTRY = (
    "Erf", "Gelu", "Sigmoid", "Elu", "LeakyRelu", "Selu", "Softplus", "Softsign", "HardSigmoid",
    "HardSwish", "Mish", "Celu", "Swish", "Tan", "Atan", "Sinh", "Cosh",
)  # fmt: skip

OPERATORS: dict[str, Reader] = {
    **dict.fromkeys(arithmetic.ENTRYWISE, arithmetic.entrywise),
    **dict.fromkeys(sums.FOLDS, sums.reduced),
    **dict.fromkeys(SAME_SHAPE, of_one_shape),
    **dict.fromkeys(BY_ENTRY, unknown.entrywise),
    **dict.fromkeys(("Softmax", "LogSoftmax"), unknown.along_one),
    **dict.fromkeys(("LayerNormalization", "RMSNormalization"), unknown.normalised),
    "Gemm": unknown.linear, "Einsum": unknown.einsum,
    "Mod": arithmetic.modulo, "Where": arithmetic.chosen, "Clip": arithmetic.clipped,
    "Cast": arithmetic.casted, "CastLike": arithmetic.casted,
    "Constant": movement.constant, "Shape": movement.shape, "Size": movement.size_of,
    "Gather": movement.gather, "GatherND": movement.gather_places,
    "Slice": movement.sliced, "Concat": movement.joined,
    "Split": movement.parted, "Squeeze": movement.squeezed, "Unsqueeze": movement.unsqueezed,
    "Reshape": movement.reshape, "Flatten": movement.flatten, "Transpose": movement.transposed,
    "Expand": movement.expand, "Tile": movement.tiled, "Range": movement.ranged,
    "ConstantOfShape": movement.filled, "EyeLike": movement.eye_like, "Trilu": movement.triangle,
    "CumSum": sums.cumulated, "MatMul": sums.multiplied,
}  # fmt: skip
