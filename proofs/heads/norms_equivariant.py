"""Layer norm and RMS norm commute with every permutation of the rows.

A mean and a variance over the features of a token are numbers of that token; gain and bias are the
same for all tokens. So a norm acts on each row, and cannot add order. (It can lose what order there
is: equal rows may come out of unequal ones.)
"""

from orderproof.proofs.prelude import *

from .claims import equivariant

gamma, beta = tensor("gamma", c=d), tensor("beta", c=d)
NORMED = layer_norm(X, gamma, beta, EPSILON, "c")
SCALED = rms_norm(X, gamma, EPSILON, "c")


@theorem(
    title="Layer norm and RMS norm are permutation equivariant",
    words="Layer norm and RMS norm commute with a permutation of the rows.",
    source="layer norm: Ba et al. 2016, eq. (3); RMS norm: Zhang and Sennrich 2019, eq. (4)",
    citations=("ba2016", "zhang2019"),
    uses=("qkv_equivariant",),
)
def norms_equivariant() -> Proof:
    """Mean, variance and mean square are numbers of a row, and gain and bias are the same for all
    rows; so both norms act on each row, as in row_wise_equivariant.
    """
    options: dict[str, Any] = {"given": [POSITIVE], "over": sizes({d: 1})}
    norm = equivariant(NORMED, by_paper("encoder.layer_norm", "X gamma beta epsilon"), **options)
    root = equivariant(SCALED, by_paper("encoder.rms_norm", "X gamma epsilon"), **options)
    return Proof(
        claims=in_rocq("row_wise_equivariant", norm, root),
        derivation="""
            N_L′ = LayerNorm(P X, γ, β, ε)   by definition
                 = P LayerNorm(X, γ, β, ε)   LayerNorm acts on each row
                 = P N_L                     by definition

            N_R′ = RMSNorm(P X, γ, ε)        by definition
                 = P RMSNorm(X, γ, ε)        RMSNorm acts on each row
                 = P N_R                     by definition
        """,
        planted=transposed(norm),
        show=show(Named("N_L", NORMED, "i", "c"), Named("N_R", SCALED, "i", "c")),
        definitions=(mean_definition(d), variance_definition(d), NORMED.node.op, SCALED.node.op),
    )
