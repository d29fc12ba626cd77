"""An encoder of any depth, each layer with weights of its own, commutes with every permutation.

By induction on the layers: X_l′ = P X_l for the tokens after l layers, since the next block is
given nothing but them. The stack is one term, so that the claims are about every depth at once.
SymPy's entries of two layers are too large to build within seconds; those of one are in
encoder_block_equivariant.
"""

from orderproof.proofs.prelude import *
from orderproof.proofs.shared.encoder_models import FINAL, POST, PRE, post, pre


@theorem(
    title="Encoders of any depth are permutation equivariant",
    words=(
        Sentence(
            "Permuting the tokens permutes the outputs of a post-norm encoder of any depth, "
            "each layer with weights of its own.",
            (0,),
        ),
        Sentence("So it does for a pre-norm encoder of any depth with its final norm.", (1,)),
    ),
    source="AI Stack Exchange, question 32236 (ViT, encoder-only); Vaswani et al. 2017, section "
    "3.1; the final norm of a pre-norm encoder: Xiong et al. 2020, table 1",
    citations=("vaswani2017", "xiong2020", "s0"),
    uses=("encoder_block_equivariant", "row_wise_equivariant"),
)
def encoder_equivariant() -> Proof:
    """By induction on the layers, with encoder_block_equivariant for the step. The final norm of a
    pre-norm encoder acts on each row.
    """
    first, last = (
        equivariance(t, TOKENS, {"i": sigma}, marks, row="i", column="c", given=[POSITIVE])
        for t, marks in (
            (POST, {"numeric": by_numpy(post, scale=1 / 8)}),
            (FINAL, {"numeric": by_numpy(pre, scale=1 / 8, dtypes=("float64",))}),
        )
    )
    return Proof(
        claims=in_rocq("encoder_equivariant", first, last),
        derivation="""
            X_L′ = PostNorm^L(P X, θ_L)     by definition
                 = P PostNorm^L(X, θ_L)     induction on the layers
                 = P X_L                    by definition

            H_L′ = PreNorm^L(P X, θ_L)      by definition
                 = P PreNorm^L(X, θ_L)      induction on the layers
                 = P H_L                    by definition

            Z′ = LayerNorm(H_L′, γ, β, ε)   by definition
               = LayerNorm(P H_L, γ, β, ε)  H_L′ = P H_L
               = P LayerNorm(H_L, γ, β, ε)  LayerNorm acts on each row
               = P Z                        by definition
        """,
        planted=(transposed(first), transposed(last)),
        show=show(
            Named("X_L", POST, "i", "c"), Named("H_L", PRE, "i", "c"), Named("Z", FINAL, "i", "c")
        ),
    )
