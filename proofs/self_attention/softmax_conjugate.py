"""softmax(P S Rᵀ) = P softmax(S) Rᵀ, for a rectangular S and two unrelated permutations.

softmax works on one row at a time, so P passes through it untouched. Within a row each weight is
exp(sⱼ) over Σⱼ exp(sⱼ); R moves the numerators, and the denominator, a sum, stays the same.
"""

from orderproof.proofs.prelude import *

S = tensor("S", i=n, j=m)
A = softmax(S, "j")
s = tensor("s", j=m)
one_row = inlined(softmax(s, "j"))  # exp(sⱼ) / Σⱼ exp(sⱼ)


@theorem(
    title="Softmax commutes with permutations of rows and of columns",
    words=(
        (
            "Permuting the rows and the columns of a score matrix, by any two "
            "permutations, permutes its softmax in the same way."
        ),
        rows_of_softmax("ρ"),
    ),
    source="Why positionnal Embedding Matters?, step 2; AI Stack Exchange, question 32236",
    uses=("sum_act",),
)
def softmax_conjugate() -> Proof:
    """One row at a time. In the denominator, the sum runs over the same exponentials in another
    order:
    {chain a | entries}
    So a permutation of the columns passes through softmax; one of the rows passes because softmax
    never looks from one row into another:
    {chain A}
    {remarks}
    """
    marks = {"sympy": by_sympy, "numeric": by_numpy()}
    claim = equivariance(
        A, {leaf_of(S): (sigma, rho)}, {"i": sigma, "j": rho}, marks, row="i", column="j"
    )
    return Proof(
        claims=in_rocq("softmax_conjugate", claim),
        derivation="""
            a′[j] = exp(s[ρ(j)]) / (Σ_l exp(s[ρ(l)]))   by definition
                  = exp(s[ρ(j)]) / (Σ_l exp(s[l]))      sum_act
                  = a[ρ(j)]                             by definition

            A′ = softmax(P S Rᵀ)                        by definition
               = softmax(P S) Rᵀ                        shown above
               = P softmax(S) Rᵀ                        softmax acts on each row
               = P A Rᵀ                                 by definition
        """,
        planted=nearby(
            claim,
            "The factor on the right is Rᵀ, not R: at a 3-cycle the two differ.",
            rhs=moved(A, i=sigma, j=inverse(rho)),
        ),
        show=show(Named("a", one_row), Named("A", A, "i", "j")),
        pushed=(pushing(one_row, {leaf_of(s): (rho,)}), claim.pushed),
    )
