"""Decoders of any depth, and encoders before decoders: a block of each, and both of any depth.

L layers of the decoder, L_E of the encoder, each with weights of its own, ε the same in all; m
source tokens Y and n target tokens X; what the encoder makes of Y is the memory of every layer
"""

from orderproof.proofs.prelude import *
from orderproof.proofs.shared.decoder_blocks import G, decoder
from orderproof.proofs.shared.encoder_models import both
from orderproof.proofs.symbols import L, of_all_layers
from orderproof.symbolic.models.attention import Weights
from orderproof.symbolic.models.decoder import DECODER, decoder_block
from orderproof.symbolic.models.stacks import stacked

L_E = Set("L_E")
SOURCE = replace(WIDTHS, i=m)
ENCODER = {**SOURCE.tensors(BLOCK, ",E"), "epsilon": EPSILON}  # of one block, as the next
WEIGHTS = {**WIDTHS.tensors(DECODER, ",D"), "epsilon": EPSILON}
ENCODERS = of_all_layers(SOURCE, BLOCK, L_E, ",E")
DECODERS = of_all_layers(WIDTHS, DECODER, L)


def _stack(layer: Term) -> Term:
    """A layer once for each layer's weights, or the block itself where they are those of one."""
    return stacked(layer, "l") if "l" in layer.axes else layer


def _decoder(memory: Term, weights: Weights, mask: Term | None = G, **kind: Any) -> Term:
    return _stack(decoder_block(X, memory, weights, WIDTHS, mask=mask, **kind))


def _after_encoder(encoder: Weights, decoder: Weights, **kind: Any) -> tuple[Term, Term]:
    """What an encoder makes of the source, and what a decoder makes of the target and of that."""
    encoded = _stack(block(Y.rename({"j": "i"}), encoder, SOURCE, **kind)).rename({"i": "j"})
    return encoded, _decoder(encoded, decoder, **kind)


POST, PRE = both(_decoder, Y, DECODERS)
OPEN_POST, OPEN_PRE = both(_decoder, Y, DECODERS, mask=None)
MODELS = (*both(_after_encoder, ENCODER, WEIGHTS), *both(_after_encoder, ENCODERS, DECODERS))
by_decoder = by_numpy(decoder(pre_norm=True, deep=True), scale=1 / 8, dtypes=("float64",))


def show_decoders(names: str, *tokens: Term) -> Show:
    """How the book writes these tokens: of the target, or of the source as a memory over j."""
    bundles = (
        (DECODERS, DECODER, "theta_L"), (ENCODERS, BLOCK, "theta_M"),
        (ENCODER, BLOCK, "theta_E"), (WEIGHTS, DECODER, "theta_D"),
    )  # fmt: skip
    return show(
        *(
            Named(name, t, "j" if "j" in t.axes else "i", "c")
            for name, t in zip(names.split(), tokens, strict=True)
        ),
        letters={L_E: "l"},
        bundles={tuple(w[name].node for name in shapes): x for w, shapes, x in bundles},
    )
