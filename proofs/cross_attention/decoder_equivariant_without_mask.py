"""Without a causal mask a decoder of any depth commutes with every permutation of its targets.

What every layer is given is permuted, and so is what it gives: by induction on the layers. The
memory may be in any order of its own: Z(P X, R Y) = P Z(X, Y).
"""

from orderproof.proofs.prelude import *
from orderproof.proofs.shared.decoder_blocks import equivariant_in_targets

from .decoders import OPEN_POST, OPEN_PRE, by_decoder, show_decoders


@theorem(
    title="Without a mask a decoder of any depth is equivariant in its target tokens",
    words="Permuting the target tokens permutes the outputs of a decoder of any depth without a "
    "causal mask, each layer with weights of its own, in whichever order its memory stands: with "
    "the norms after the residuals, and before the maps.",
    source="Vaswani et al. 2017, section 3.1; Xiong et al. 2020",
    citations=("vaswani2017", "xiong2020"),
    uses=("decoder_block_equivariant_without_mask",),
)
def decoder_equivariant_without_mask() -> Proof:
    """By induction on the layers, with decoder_block_equivariant_without_mask for the step."""
    post = equivariant_in_targets(OPEN_POST)
    pre = equivariant_in_targets(OPEN_PRE, numeric=by_decoder)
    return Proof(
        claims=(post, pre),
        derivation="""
            Z_post′ = PostNormDecoder^L(P X, R Y, θ_L)   by definition
                    = P PostNormDecoder^L(X, Y, θ_L)     induction on the layers
                    = P Z_post                           by definition

            Z_pre′ = PreNormDecoder^L(P X, R Y, θ_L)     by definition
                   = P PreNormDecoder^L(X, Y, θ_L)       induction on the layers
                   = P Z_pre                             by definition
        """,
        planted=(transposed(post), transposed(pre)),
        show=show_decoders("Z_post Z_pre", OPEN_POST, OPEN_PRE),
    )
