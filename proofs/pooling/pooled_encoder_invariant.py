"""The mean of the outputs of an encoder without positions does not depend on the tokens' order.

Each layer commutes with P (encoder_equivariant). So the rows of the last layer move with the
tokens, however many layers there are, and their mean does not change.
"""

from orderproof.proofs.prelude import *
from orderproof.proofs.shared.encoder_models import POST, post

x = mean(POST, "i")


@theorem(
    title="A pooled encoder without positions is permutation invariant",
    words="Permuting the tokens does not change the mean of the outputs of an encoder without "
    "positions, of any depth.",
    source="Why positionnal Embedding Matters?; Zaheer et al. 2017, theorem 2",
    citations=("zaheer2017",),
    uses=("encoder_equivariant", "pooling_invariant", "sum_act"),
)
def pooled_encoder_invariant() -> Proof:
    pooled = equivariance(
        x, TOKENS, {},
        {"numeric": by_numpy(lambda given: np.mean(post(given), axis=0), scale=1 / 8)},
        given=[POSITIVE], over=sizes({n: 1}),
    )  # fmt: skip
    weighted = contract(tensor("v", i=n), POST, "i")
    return Proof(
        claims=in_rocq("bag_of_words", pooled),
        derivation="""
            x′[c] = (Σ_i X_L′[i, c]) / n     by definition
                  = (Σ_i X_L[σ(i), c]) / n   X_L′ = P X_L (encoder_equivariant)
                  = (Σ_i X_L[i, c]) / n      sum_act
                  = x[c]                     by definition
        """,
        planted=nearby(
            pooled,
            "With a weight for each position, as in reading one row, the order matters.",
            lhs=image(weighted, TOKENS),
            rhs=weighted,
        ),
        show=show(Named("X_L", POST, "i", "c"), Named("x", x)),
        cited={"X_L": "encoder_equivariant"},
        titles={"x": "The mean after any number of blocks"},
    )
