"""A decoder block does not depend on the order of its memory: Z(X, R Y) = Z(X, Y).

The memory enters in cross-attention alone, as keys and values, and a sum over the memory does not
depend on the order of its terms. That is so whatever the mask of the target tokens, a causal one
among them, and whether the norms stand before the maps or after the residuals.
"""

from orderproof.proofs.prelude import *
from orderproof.proofs.shared import decoder_blocks as blocks


@theorem(
    title="A decoder block is invariant under permuting its memory",
    words="Permuting the memory changes nothing in the outputs of a decoder block of masked "
    "self-attention, cross-attention, feed-forward map, residuals and layer norms, whatever the "
    "mask: with the norms after the residuals, and before the maps.",
    source="AI Stack Exchange, question 32236 (the decoder looks back); Vaswani et al. 2017, "
    "section 3.1; Xiong et al. 2020",
    citations=("vaswani2017", "xiong2020", "s0"),
    uses=("multi_head_cross_attention_equivariant",),
)
def decoder_block_invariant_of_memory() -> Proof:
    """The memory enters in cross-attention alone, which does not see its order:
    {chain C_post}
    All that is computed from this is the same. Nothing was used of the mask.
    """
    # the post-norm block has its features before its tokens
    after = by_numpy(lambda t: blocks.decoder(pre_norm=False)(t).T, scale=1 / 8)
    before = by_numpy(blocks.decoder(pre_norm=True), scale=1 / 8)
    small = {"d": 2} | dict.fromkeys(("h", "d_k", "d_v", "d_f"), 1)  # SymPy's entries are large
    post = blocks.invariant_of_memory(blocks.POST.Z, sympy=by_sympy_at((2, small)), numeric=after)
    pre = blocks.invariant_of_memory(blocks.PRE.Z, sympy=by_sympy_at((2, {"d": 1})), numeric=before)
    return Proof(
        claims=(post, pre),
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
        planted=(blocks.with_targets_permuted(post), blocks.with_targets_permuted(pre)),
        definitions=(blocks.POST.M.node.op, blocks.POST.C.node.op),
        titles=blocks.TITLES,
        show=blocks.show_both(blocks.POST, blocks.PRE),
    )
