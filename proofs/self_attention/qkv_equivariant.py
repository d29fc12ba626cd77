"""Queries, keys and values move with the tokens: (P X) W = P (X W).

A weight acts on features, a permutation on tokens, and each token's row is computed from that row
alone. So a bias changes nothing, and neither would any map f applied row by row.
"""

from orderproof.proofs.prelude import *

with_bias = add(contract(X, W_Q, "c"), tensor("b", k=d_k))
row_wise = opaque("f", {"c": "c"}, X, {"h": Set("e")})


@theorem(
    title="Queries, keys and values are permutation equivariant",
    words=(
        Sentence(
            "A linear map of the features, such as a query, key or value weight, commutes "
            "with a permutation of the rows.",
            (0, 1, 2),
        ),
        Sentence("So does one with a bias, and so does any map of each row.", (3, 4)),
    ),
    source="Why positionnal Embedding Matters?, step 1; AI Stack Exchange, question 32236",
    citations=("vaswani2017",),
)
def qkv_equivariant() -> Proof:
    """Permuting picks rows, and a weight multiplies from the other side:
    {chain Q}
    Keys and values go the same way. A bias adds one row to every row, and a map of each row sees
    one row at a time; neither asks where the row stands.
    """
    marks = {"sympy": by_sympy, "numeric": by_numpy()}
    named = (*SELF.named("QKV"), Named("B", with_bias, "i", "k"), Named("F", row_wise, "i", "h"))
    claims = [
        equivariance(x.term, TOKENS, {x.row: sigma}, marks, row=x.row, column=x.column)
        for x in named
    ]
    return Proof(
        claims=in_rocq("qkv_equivariant", *claims),
        derivation="""
            Q′ = (P X) W_Q      by definition
               = P (X W_Q)      (A B) C = A (B C)
               = P Q            by definition

            K′ = (P X) W_K      by definition
               = P (X W_K)      (A B) C = A (B C)
               = P K            by definition

            V′ = (P X) W_V      by definition
               = P (X W_V)      (A B) C = A (B C)
               = P V            by definition

            B′ = Q′ + 1 bᵀ      by definition
               = P Q + 1 bᵀ     Q′ = P Q
               = P (Q + 1 bᵀ)   P 1 = 1
               = P B            by definition

            F′ = f(P X)         by definition
               = P f(X)         f acts on each row
               = P F            by definition
        """,
        planted=nearby(
            claims[0],
            "The queries are permuted with the tokens: equivariant is not invariant.",
            rhs=SELF.Q,
        ),
        show=show(*named),
    )
