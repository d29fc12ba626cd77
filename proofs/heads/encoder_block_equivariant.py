"""An encoder block commutes with every permutation of its tokens: Z′ = P Z.

A block is multi-head attention, a feed-forward map, two residuals and two layer norms. Attention is
equivariant; all else acts on rows. Where the norms stand, before what they belong to (pre-norm) or
after its residual (post-norm), is of no account.
"""

from orderproof.proofs.prelude import *
from orderproof.proofs.shared.encoder_models import POST_PARTS, PRE_PARTS, encoder, named

from .claims import equivariant


@theorem(
    title="Pre-norm and post-norm encoder blocks are permutation equivariant",
    words="Permuting the tokens permutes the outputs of an encoder block of multi-head attention, "
    "feed-forward map, residuals and layer norms: with the norms after the residuals, and before "
    "the maps.",
    source="AI Stack Exchange, question 32236 (ViT, encoder-only); post-norm: Vaswani et al. 2017, "
    "section 3.1; pre-norm: Xiong et al. 2020, table 1",
    citations=("vaswani2017", "xiong2020", "s0"),
    uses=("multi_head_equivariant", "row_wise_equivariant"),
)
def encoder_block_equivariant() -> Proof:
    """A composition of maps that commute with P commutes with P. For post-norm, line by line:
    {chain M_post}
    {chain Y_post}
    The feed-forward map acts on each row of this, and the last norm is like the first. Where the
    norms come before the maps, the same steps are taken in another order.
    """
    post, pre = (
        equivariant(t, by_numpy(encoder(pre_norm=pre_norm, deep=False)), given=[POSITIVE])
        for t, pre_norm in ((POST_PARTS.Z, False), (PRE_PARTS.Z, True))
    )
    return Proof(
        claims=in_rocq("encoder_block_equivariant", post, pre),
        derivation="""
            M_post′ = MultiHead(P X, θ_A)                    by definition
                    = P MultiHead(X, θ_A)                    multi_head_equivariant
                    = P M_post                               by definition

            Y_post′ = LayerNorm(P X + M_post′, γ_1, β_1, ε)   by definition
                    = LayerNorm(P X + P M_post, γ_1, β_1, ε)   M_post′ = P M_post
                    = LayerNorm(P (X + M_post), γ_1, β_1, ε)   P A + P B = P (A + B)
                    = P LayerNorm(X + M_post, γ_1, β_1, ε)   LayerNorm acts on each row
                    = P Y_post                               by definition

            F_post′ = ReLUFFN(Y_post′, θ_F)                  by definition
                    = ReLUFFN(P Y_post, θ_F)                 Y_post′ = P Y_post
                    = P ReLUFFN(Y_post, θ_F)                 ReLUFFN acts on each row
                    = P F_post                               by definition

            Z_post′ = LayerNorm(Y_post′ + F_post′, γ_2, β_2, ε)   by definition
                    = LayerNorm(P Y_post + P F_post, γ_2, β_2, ε)
                                                             Y_post′ = P Y_post; F_post′ = P F_post
                    = LayerNorm(P (Y_post + F_post), γ_2, β_2, ε)   P A + P B = P (A + B)
                    = P LayerNorm(Y_post + F_post, γ_2, β_2, ε)   LayerNorm acts on each row
                    = P Z_post                               by definition

            N_pre′ = LayerNorm(P X, γ_1, β_1, ε)             by definition
                   = P LayerNorm(X, γ_1, β_1, ε)             LayerNorm acts on each row
                   = P N_pre                                 by definition

            M_pre′ = MultiHead(N_pre′, θ_A)                  by definition
                   = MultiHead(P N_pre, θ_A)                 N_pre′ = P N_pre
                   = P MultiHead(N_pre, θ_A)                 multi_head_equivariant
                   = P M_pre                                 by definition

            Y_pre′ = P X + M_pre′                            by definition
                   = P X + P M_pre                           M_pre′ = P M_pre
                   = P (X + M_pre)                           P A + P B = P (A + B)
                   = P Y_pre                                 by definition

            G_pre′ = LayerNorm(Y_pre′, γ_2, β_2, ε)          by definition
                   = LayerNorm(P Y_pre, γ_2, β_2, ε)         Y_pre′ = P Y_pre
                   = P LayerNorm(Y_pre, γ_2, β_2, ε)         LayerNorm acts on each row
                   = P G_pre                                 by definition

            F_pre′ = GELUFFN(G_pre′, θ_F)                    by definition
                   = GELUFFN(P G_pre, θ_F)                   G_pre′ = P G_pre
                   = P GELUFFN(G_pre, θ_F)                   GELUFFN acts on each row
                   = P F_pre                                 by definition

            Z_pre′ = Y_pre′ + F_pre′                         by definition
                   = P Y_pre + P F_pre                       Y_pre′ = P Y_pre; F_pre′ = P F_pre
                   = P (Y_pre + F_pre)                       P A + P B = P (A + B)
                   = P Z_pre                                 by definition
        """,
        planted=transposed(post),
        show=show(*named(POST_PARTS, "MYFZ", "post"), *named(PRE_PARTS, "NMYGFZ", "pre")),
    )
