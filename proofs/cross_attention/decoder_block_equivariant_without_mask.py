"""Without a causal mask a decoder block commutes with every permutation of its target tokens.

Self-attention without a mask is equivariant, cross-attention has one query for each target token,
and all else acts on rows. The memory may be in any order of its own: Z(P X, R Y) = P Z(X, Y). P and
Pᵀ differ from three tokens on, where SymPy's entries are too large.
"""

from orderproof.proofs.prelude import *
from orderproof.proofs.shared import decoder_blocks as blocks


@theorem(
    title="Without a mask a decoder block is equivariant in its target tokens",
    words="Permuting the target tokens permutes the outputs of a decoder block without a causal "
    "mask, in whichever order its memory stands: with the norms after the residuals, and before "
    "the maps.",
    source="Vaswani et al. 2017, section 3.1; Xiong et al. 2020",
    citations=("vaswani2017", "xiong2020"),
    uses=(
        "multi_head_equivariant",
        "multi_head_cross_attention_equivariant",
        "row_wise_equivariant",
    ),
)
def decoder_block_equivariant_without_mask() -> Proof:
    """Self-attention and cross-attention commute with P, in whichever order the memory stands
    (multi_head_equivariant, multi_head_cross_attention_equivariant), and all else acts on rows.
    """
    post, pre = (
        blocks.equivariant_in_targets(
            t, numeric=by_numpy(blocks.decoder(pre_norm=kind), scale=1 / 8)
        )
        for t, kind in ((blocks.OPEN_POST.Z, False), (blocks.OPEN_PRE.Z, True))
    )
    return Proof(
        claims=(post, pre),
        derivation="""
            M_post′ = MultiHead(P X, θ_S)                       by definition
                    = P MultiHead(X, θ_S)                       multi_head_equivariant
                    = P M_post                                  by definition

            U_post′ = LayerNorm(P X + M_post′, γ_1, β_1, ε)     by definition
                    = LayerNorm(P X + P M_post, γ_1, β_1, ε)    M_post′ = P M_post
                    = LayerNorm(P (X + M_post), γ_1, β_1, ε)    P A + P B = P (A + B)
                    = P LayerNorm(X + M_post, γ_1, β_1, ε)      LayerNorm acts on each row
                    = P U_post                                  by definition

            C_post′ = CrossHeads(U_post′, R Y, θ_C)             by definition
                    = CrossHeads(P U_post, R Y, θ_C)            U_post′ = P U_post
                    = P CrossHeads(U_post, Y, θ_C)
                                                multi_head_cross_attention_equivariant
                    = P C_post                                  by definition

            Y_post′ = LayerNorm(U_post′ + C_post′, γ_2, β_2, ε)   by definition
                    = LayerNorm(P U_post + P C_post, γ_2, β_2, ε)
                                                U_post′ = P U_post; C_post′ = P C_post
                    = LayerNorm(P (U_post + C_post), γ_2, β_2, ε)   P A + P B = P (A + B)
                    = P LayerNorm(U_post + C_post, γ_2, β_2, ε)   LayerNorm acts on each row
                    = P Y_post                                  by definition

            F_post′ = ReLUFFN(Y_post′, θ_F)                     by definition
                    = ReLUFFN(P Y_post, θ_F)                    Y_post′ = P Y_post
                    = P ReLUFFN(Y_post, θ_F)                    ReLUFFN acts on each row
                    = P F_post                                  by definition

            Z_post′ = LayerNorm(Y_post′ + F_post′, γ_3, β_3, ε)   by definition
                    = LayerNorm(P Y_post + P F_post, γ_3, β_3, ε)
                                                Y_post′ = P Y_post; F_post′ = P F_post
                    = LayerNorm(P (Y_post + F_post), γ_3, β_3, ε)   P A + P B = P (A + B)
                    = P LayerNorm(Y_post + F_post, γ_3, β_3, ε)   LayerNorm acts on each row
                    = P Z_post                                  by definition
        """,
        planted=(transposed(post), transposed(pre)),
        pushed=(post.pushed,),
        primes=(pre.pushed,),
        titles=blocks.TITLES,
        show=blocks.show_both(blocks.OPEN_POST, blocks.OPEN_PRE),
    )
