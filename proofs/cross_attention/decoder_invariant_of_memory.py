"""A decoder of any depth does not depend on the order of its memory: Z(X, R Y) = Z(X, Y).

Every layer is given the same memory, and none depends on its order: by induction on the layers.
"""

from orderproof.proofs.prelude import *
from orderproof.proofs.shared.decoder_blocks import invariant_of_memory, with_targets_permuted

from .decoders import POST, PRE, by_decoder, show_decoders


@theorem(
    title="A decoder of any depth is invariant under permuting its memory",
    words="Permuting the memory changes nothing in the outputs of a decoder of any depth, each "
    "layer with weights of its own, whatever the mask: with the norms after the residuals, and "
    "before the maps.",
    source="AI Stack Exchange, question 32236 (“There are multiple of them”); Vaswani et al. 2017, "
    "section 3.1; Xiong et al. 2020",
    citations=("vaswani2017", "xiong2020", "s0"),
    uses=("decoder_block_invariant_of_memory",),
)
def decoder_invariant_of_memory() -> Proof:
    """By induction on the layers: each is given the same memory, and none depends on its order."""
    post, pre = invariant_of_memory(POST), invariant_of_memory(PRE, numeric=by_decoder)
    return Proof(
        claims=(post, pre),
        derivation="""
            Z_post′ = PostNormDecoder^L(X, R Y, G, θ_L)   by definition
                    = PostNormDecoder^L(X, Y, G, θ_L)     induction on the layers
                    = Z_post                              by definition

            Z_pre′ = PreNormDecoder^L(X, R Y, G, θ_L)     by definition
                   = PreNormDecoder^L(X, Y, G, θ_L)       induction on the layers
                   = Z_pre                                by definition
        """,
        planted=(with_targets_permuted(post), with_targets_permuted(pre, ", pre-norm too")),
        show=show_decoders("Z_post Z_pre", POST, PRE),
    )
