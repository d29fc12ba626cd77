"""Decoders of any depth, and an encoder of any depth before them, as terms and from the papers.

L layers of the decoder, L_E of the encoder, each with weights of its own, ε the same in all; m
source tokens Y and n target tokens X; H what the encoder makes of Y, the memory of every layer
"""

from orderproof.proofs.prelude import *
from orderproof.proofs.shared import decoder_blocks
from orderproof.proofs.shared.decoder_blocks import G
from orderproof.proofs.shared.encoder_models import each_layer
from orderproof.proofs.symbols import L, of_all_layers
from orderproof.symbolic.models.decoder import DECODER, decoder_block
from orderproof.symbolic.models.stacks import stacked

from . import encoder_decoder

L_E = Set("L_E")
SOURCE = replace(WIDTHS, i=m)


WEIGHTS = of_all_layers(WIDTHS, DECODER, L)
ENCODER = of_all_layers(SOURCE, BLOCK, L_E, ",E")


def _decoder(memory: Term, mask: Term | None, *, pre_norm: bool) -> Term:
    activation = gelu if pre_norm else relu
    layer = decoder_block(X, memory, WEIGHTS, WIDTHS, activation, pre_norm=pre_norm, mask=mask)
    return stacked(layer, "l")


def _memory(*, pre_norm: bool) -> Term:
    activation, source = gelu if pre_norm else relu, Y.rename({"j": "i"})
    layer = block(source, ENCODER, SOURCE, activation, pre_norm=pre_norm)
    return stacked(layer, "l").rename({"i": "j"})


POST, PRE = (_decoder(Y, G, pre_norm=pre_norm) for pre_norm in (False, True))
OPEN_POST, OPEN_PRE = (_decoder(Y, None, pre_norm=pre_norm) for pre_norm in (False, True))
MEMORIES = tuple(_memory(pre_norm=pre_norm) for pre_norm in (False, True))
BOTH = tuple(
    _decoder(memory, G, pre_norm=pre_norm)
    for memory, pre_norm in zip(MEMORIES, (False, True), strict=True)
)


def decoded(t: Values, *, pre_norm: bool) -> Array:
    """The decoder from the paper, layer by layer; with the mask G where there is one."""
    layer = (
        reference.decoder.pre_norm_decoder_block
        if pre_norm
        else reference.decoder.post_norm_decoder_block
    )
    x, activation = t["X"], reference.encoder.gelu if pre_norm else reference.encoder.relu
    for w in each_layer(t, DECODER):
        x = layer(x, t["Y"], w, activation, t.get("G"))
    return x


def show_deep(decoders: Mapping[str, Term], *others: Named) -> Show:
    """How the book writes these outputs and others, and the weights of all layers together."""
    found = decoder_blocks.show_blocks(
        *others, *(Named(k, t, "i", "c") for k, t in decoders.items())
    )
    bundles = {
        tuple(w[name].node for name in shapes): letter
        for w, shapes, letter in ((WEIGHTS, DECODER, "theta_L"), (ENCODER, BLOCK, "theta_M"))
    }
    letters = {**found.letters, L: "l", L_E: "l"}
    return replace(found, bundles=bundles | encoder_decoder.BUNDLES, letters=letters)


def show_both(others: tuple[Named, ...]) -> Show:
    """The same of encoders and decoders of any depth, beside those of one block each."""
    memories = [Named(k, t, "j", "c") for k, t in zip(("M_post", "M_pre"), MEMORIES, strict=True)]
    return show_deep(dict(zip(("U_post", "U_pre"), BOTH, strict=True)), *others, *memories)
