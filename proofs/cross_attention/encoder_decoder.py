"""An encoder block of the source before a decoder block of the target, as terms.

m source tokens Y, and H the encoder's outputs, the memory of the decoder; n target tokens X
"""

from orderproof.proofs.prelude import *
from orderproof.proofs.shared.decoder_blocks import G
from orderproof.symbolic.models.attention import Activation
from orderproof.symbolic.models.decoder import DECODER, decoder_block

SOURCE = replace(WIDTHS, i=m)
ENCODER = {**SOURCE.tensors(BLOCK, ",E"), "epsilon": EPSILON}
WEIGHTS = {**WIDTHS.tensors(DECODER, ",D"), "epsilon": EPSILON}


def _stack(activation: Activation, *, pre_norm: bool) -> tuple[Term, Term]:
    """The memory, and the decoder's output."""
    source = Y.rename({"j": "i"})
    encoded = block(source, ENCODER, SOURCE, activation, pre_norm=pre_norm).rename({"i": "j"})
    whole = decoder_block(X, encoded, WEIGHTS, WIDTHS, activation, pre_norm=pre_norm, mask=G)
    return encoded, whole


POST, PRE = _stack(relu, pre_norm=False), _stack(gelu, pre_norm=True)


BUNDLES = {
    tuple(ENCODER[name].node for name in BLOCK): "theta_E",
    tuple(WEIGHTS[name].node for name in DECODER): "theta_D",
}


def named() -> tuple[Named, ...]:
    """The memory and the output of both kinds of blocks."""
    return tuple(
        Named(f"{letter}_{kind}", t, *axes)
        for kind, pair in (("post", POST), ("pre", PRE))
        for letter, t, axes in zip("HZ", pair, (("j", "c"), ("i", "c")), strict=True)
    )
