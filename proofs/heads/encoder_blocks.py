"""An encoder block, post-norm with ReLU and pre-norm with GELU, as terms and from the papers."""

from orderproof.proofs.prelude import *
from orderproof.proofs.symbols import WEIGHTS
from orderproof.symbolic.models.attention import Block

POST = block_parts(X, WEIGHTS, WIDTHS, relu, pre_norm=False)
PRE = block_parts(X, WEIGHTS, WIDTHS, gelu, pre_norm=True)


def named(block: Block, parts: str, suffix: str) -> tuple[Named, ...]:
    """The tensors of a block by name, with tokens as rows and features as columns."""
    return tuple(Named(f"{x}_{suffix}", getattr(block, x), "i", "c") for x in parts)


def layer(
    block: reference.encoder.Layer, activation: reference.encoder.Activation
) -> Callable[[Values], Array]:
    """A block with this activation, from the paper."""
    return lambda t: block(t["X"], t, activation)
