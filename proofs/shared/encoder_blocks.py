"""An encoder block, post-norm with ReLU and pre-norm with GELU, as terms and from the papers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from orderproof.numeric.reference import encoder as reference
from orderproof.proofs.check.claims import Named
from orderproof.symbolic.models.attention import Block, block_parts, gelu, relu

from .encoder_symbols import WEIGHTS, WIDTHS
from .symbols import X

Values = dict[str, NDArray[Any]]
POST = block_parts(X, WEIGHTS, WIDTHS, relu, pre_norm=False)
PRE = block_parts(X, WEIGHTS, WIDTHS, gelu, pre_norm=True)


def named(block: Block, parts: str, suffix: str) -> tuple[Named, ...]:
    """The tensors of a block by name, with tokens as rows and features as columns."""
    return tuple(Named(f"{x}_{suffix}", getattr(block, x), "i", "c") for x in parts)


def layer(
    block: reference.Layer, activation: reference.Activation
) -> Callable[[Values], NDArray[Any]]:
    """A block with this activation, from the paper."""
    return lambda t: block(t["X"], t, activation)
