"""Any number of attention layers commutes with P, each with weights of its own.

By induction on the layers: if the tokens that enter a layer are permuted, so are those that leave
it, whatever they are and whatever the weights. The layers have skips, and no positions, or added
rows, biases and masks that P keeps; any other layer that commutes with P can be stacked alike, by
the same rule of the kernel.
"""

from orderproof.proofs.prelude import *
from orderproof.proofs.shared.decoder_blocks import MASK
from orderproof.symbolic.schemes import models
from orderproof.symbolic.schemes.models import CONTEXT, FEATURES

X = tensor("X", i=n, k=FEATURES)
PLAIN, PLACED = (
    models.deep_model(X, models.positions(letters, CONTEXT)) for letters in ("", "EBG")
)


@theorem(
    title="Attention of any depth commutes with every P that keeps its positions",
    words=(
        Sentence(
            "Layers of attention with skips, as many as one likes, each with weights of its "
            "own, commute with P.",
            (0,),
        ),
        Sentence(
            "So they do with added rows, score biases and masks that P keeps: E = P E, "
            "B = P B Pᵀ and G = P G Pᵀ.",
            (1,),
        ),
    ),
    source="AI Stack Exchange, question 32236; biases of the scores: Raffel et al. 2020, "
    "section 2.1",
    citations=("s0", "raffel2020"),
    uses=("self_attention_equivariant", "sum_act"),
)
def every_depth() -> Proof:
    """By induction on the layers. No layer at all leaves the tokens as they are. If the states that
    enter a layer are permuted, so are those that leave it, whatever they are and whatever its
    weights: for a layer without positions by self_attention_equivariant and row_wise_equivariant:
    {chain Z}
    If P keeps the added rows, the score biases and the mask, the same layer commutes with P for the
    same reason, with these tensors permuted and then put back:
    {chain Z_p}
    """
    numeric = {"numeric": by_numpy(scale=1 / 4)}
    moves, out = {leaf_of(X): (sigma, None)}, {"i": sigma}
    plain, placed = (
        equivariance(t, moves, out, numeric, facts=facts, row="i", column="k", given=given)
        for t, facts, given in ((PLAIN, (), ()), (PLACED, models.kept("EBG"), MASK))
    )
    theta = tuple(
        node for node in reachable(PLAIN.node) if node.op.kind == "leaf" and "W_" in node.op.data[0]
    )
    return Proof(
        # a certificate does not say how a hypothesis passes into a definition
        claims=(plain, replace(placed, push=None)),
        pushed=(plain.pushed, placed.pushed),
        derivation="""
            Z′ = Layer^L(P X, θ_L)         by definition
               = P Layer^L(X, θ_L)         induction on the layers
               = P Z                       by definition

            Z_p′ = Layer^L(P X + E, B, G, θ_L)     by definition
                 = Layer^L(P X + P E, B, G, θ_L)   by hypothesis
                 = Layer^L(P (X + E), B, G, θ_L)   P A + P B = P (A + B)
                 = P Layer^L(X + E, B, G, θ_L)     induction on the layers; by hypothesis
                 = P Z_p                           by definition
        """,
        planted=(transposed(plain), transposed(placed)),
        show=show(
            Named("Z", PLAIN, "i", "k"),
            Named("Z_p", PLACED, "i", "k"),
            letters={FEATURES: "kce", models.LAYERS: "l"},
            bundles={theta: "theta_L"},
        ),
    )
