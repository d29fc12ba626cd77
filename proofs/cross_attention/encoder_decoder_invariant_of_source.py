"""An encoder before a decoder: the order of the source tokens changes nothing in the output.

Without positions the encoder's outputs are permuted with the source tokens; they are the memory of
every layer of the decoder, and the decoder does not depend on the order of that. Encoder and
decoder are of any depth, and the target tokens have any mask. The first two claims are of one block
each. An order of the source that is wrong within the encoder changes no output either, so numbers
could not tell a false claim about it from a true one: the blocks have numeric marks of their own.
"""

from orderproof.proofs.prelude import *
from orderproof.proofs.shared.decoder_blocks import invariant_of_memory, with_targets_permuted

from .decoders import MODELS, show_decoders


@theorem(
    title="An encoder-decoder without positions is invariant under permuting its source",
    words=(
        Sentence(
            "Permuting the source tokens changes nothing in the outputs of an encoder block "
            "and the decoder block that looks at it, whatever the mask of the target tokens: "
            "with the norms after the residuals, and before the maps.",
            (0, 1),
        ),
        Sentence(
            "Nor does it with any number of layers in encoder and decoder, each with weights "
            "of its own.",
            (2, 3),
        ),
    ),
    source="AI Stack Exchange, question 32236 (“There are multiple of them”); Vaswani et al. 2017, "
    "section 3.1; Xiong et al. 2020",
    citations=("vaswani2017", "xiong2020", "s0"),
    uses=(
        "encoder_block_equivariant",
        "decoder_block_invariant_of_memory",
        "decoder_invariant_of_memory",
    ),
)
def encoder_decoder_invariant_of_source() -> Proof:
    """The encoder hands its rows over in another order, and to the decoder this makes no
    difference:
    {chain U_post}
    """
    (H_post, Z_post), (H_pre, Z_pre), (M_post, U_post), (M_pre, U_pre) = MODELS
    terms = (H_post, Z_post, H_pre, Z_pre, M_post, M_pre, U_post, U_pre)
    claims = tuple(map(invariant_of_memory, (Z_post, Z_pre, U_post, U_pre)))
    return Proof(
        claims=claims,
        derivation="""
            H_post′ = PostNorm(R Y, θ_E)                        by definition
                    = R PostNorm(Y, θ_E)                        encoder_block_equivariant
                    = R H_post                                  by definition

            Z_post′ = PostNormDecoder(X, H_post′, G, θ_D)       by definition
                    = PostNormDecoder(X, R H_post, G, θ_D)      H_post′ = R H_post
                    = PostNormDecoder(X, H_post, G, θ_D)        decoder_block_invariant_of_memory
                    = Z_post                                    by definition

            H_pre′ = PreNorm(R Y, θ_E)                          by definition
                   = R PreNorm(Y, θ_E)                          encoder_block_equivariant
                   = R H_pre                                    by definition

            Z_pre′ = PreNormDecoder(X, H_pre′, G, θ_D)          by definition
                   = PreNormDecoder(X, R H_pre, G, θ_D)         H_pre′ = R H_pre
                   = PreNormDecoder(X, H_pre, G, θ_D)           decoder_block_invariant_of_memory
                   = Z_pre                                      by definition

            M_post′ = PostNorm^(L_E)(R Y, θ_M)              by definition
                      = R PostNorm^(L_E)(Y, θ_M)              induction on the layers
                      = R M_post                              by definition

            U_post′ = PostNormDecoder^L(X, M_post′, G, θ_L)   by definition
                      = PostNormDecoder^L(X, R M_post, G, θ_L)   M_post′ = R M_post
                      = PostNormDecoder^L(X, M_post, G, θ_L)  induction on the layers
                      = U_post                                by definition

            M_pre′ = PreNorm^(L_E)(R Y, θ_M)                by definition
                     = R PreNorm^(L_E)(Y, θ_M)                induction on the layers
                     = R M_pre                                by definition

            U_pre′ = PreNormDecoder^L(X, M_pre′, G, θ_L)    by definition
                     = PreNormDecoder^L(X, R M_pre, G, θ_L)   M_pre′ = R M_pre
                     = PreNormDecoder^L(X, M_pre, G, θ_L)     induction on the layers
                     = U_pre                                  by definition
        """,
        planted=(
            with_targets_permuted(claims[0]),
            with_targets_permuted(claims[1], ", pre-norm too"),
            with_targets_permuted(claims[2], ", at any depth"),
            with_targets_permuted(claims[3], ", so too"),
        ),
        show=show_decoders("H_post Z_post H_pre Z_pre M_post M_pre U_post U_pre", *terms),
    )
