"""A decoder block does not depend on the order of its memory: Z(X, R Y) = Z(X, Y).

The memory enters in cross-attention alone, as keys and values, and a sum over the memory does not
depend on the order of its terms. That is so whatever the mask of the target tokens, a causal one
among them, and whether the norms stand before the maps or after the residuals.
"""

from orderproof.proofs.prelude import *
from orderproof.proofs.shared import decoder_blocks as blocks
from orderproof.proofs.shared.decoder_blocks import MASKS, POST, PRE, named, post, pre, show_blocks


@theorem(
    title="A decoder block is invariant under permuting its memory",
    words=(
        Sentence(
            "Permuting the memory changes nothing in the outputs of a decoder block of masked "
            "self-attention, cross-attention, feed-forward map, residuals and layer norms, "
            "whatever the mask: with the norms after the residuals, and before the maps.",
            (0, 1),
        ),
    ),
    source="AI Stack Exchange, question 32236 (the decoder looks back); Vaswani et al. 2017, "
    "section 3.1; Xiong et al. 2020",
    citations=("vaswani2017", "xiong2020", "s0"),
    uses=("multi_head_cross_attention_equivariant",),
)
def decoder_block_invariant_of_memory() -> Proof:

    def claim(t: Term, marks: dict[str, Check]) -> Claim:
        return equivariance(t, MEMORY, {}, marks, row="i", column="c", given=MASKS)

    # the post-norm block has its features before its tokens
    after = by_numpy(lambda t: post(t).T, scale=1 / 8)
    first = claim(POST.Z, {"sympy": by_sympy_at((2, blocks.SMALL)), "numeric": after})
    second = claim(
        PRE.Z, {"sympy": by_sympy_at((2, {"d": 1})), "numeric": by_numpy(pre, scale=1 / 8)}
    )
    return Proof(
        claims=(first, second),
        derivation="""
            C_post′ = CrossHeads(U_post, R Y, θ_C)              by definition
                    = CrossHeads(U_post, Y, θ_C)
                                                multi_head_cross_attention_equivariant
                    = C_post                                    by definition

            Y_post′ = LayerNorm(U_post + C_post′, γ_2, β_2, ε)  by definition
                    = LayerNorm(U_post + C_post, γ_2, β_2, ε)   C_post′ = C_post
                    = Y_post                                    by definition

            F_post′ = ReLUFFN(Y_post′, θ_F)                     by definition
                    = ReLUFFN(Y_post, θ_F)                      Y_post′ = Y_post
                    = F_post                                    by definition

            Z_post′ = LayerNorm(Y_post′ + F_post′, γ_3, β_3, ε)   by definition
                    = LayerNorm(Y_post + F_post, γ_3, β_3, ε)   Y_post′ = Y_post; F_post′ = F_post
                    = Z_post                                    by definition

            C_pre′ = CrossHeads(B_pre, R Y, θ_C)                by definition
                   = CrossHeads(B_pre, Y, θ_C)
                                                multi_head_cross_attention_equivariant
                   = C_pre                                      by definition

            Y_pre′ = U_pre + C_pre′                             by definition
                   = U_pre + C_pre                              C_pre′ = C_pre
                   = Y_pre                                      by definition

            G_pre′ = LayerNorm(Y_pre′, γ_3, β_3, ε)             by definition
                   = LayerNorm(Y_pre, γ_3, β_3, ε)              Y_pre′ = Y_pre
                   = G_pre                                      by definition

            F_pre′ = GELUFFN(G_pre′, θ_F)                       by definition
                   = GELUFFN(G_pre, θ_F)                        G_pre′ = G_pre
                   = F_pre                                      by definition

            Z_pre′ = Y_pre′ + F_pre′                            by definition
                   = Y_pre + F_pre                              Y_pre′ = Y_pre; F_pre′ = F_pre
                   = Z_pre                                      by definition
        """,
        neighbour=nearby(
            first,
            "If the target tokens are permuted as well, and the mask is not, another row stands "
            "in the place of each.",
            lhs=image(POST.Z, MEMORY | TOKENS),
        ),
        neighbours=(
            nearby(
                second,
                "If the target tokens are permuted as well, and the mask is not, another row "
                "stands in the place of each.",
                lhs=image(PRE.Z, MEMORY | TOKENS),
            ),
        ),
        definitions=(POST.M.node.op, POST.C.node.op),
        titles=blocks.TITLES,
        show=show_blocks(*named(POST, "MUCYFZ", "post"), *named(PRE, "NMUBCYGFZ", "pre")),
    )
