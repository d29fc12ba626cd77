"""The sum, the mean and the maximum of the rows, and what a learned query reads, have no order.

Let the rows of H be what an equivariant model made of the tokens: H moves with them, H′ = P H. A
sum over the rows does not depend on their order, nor does a maximum; and a learned query is one
query over all rows. Whatever is pooled is the same for every order.
"""

from orderproof.proofs.prelude import *
from orderproof.symbolic.models.attention import attention

H = tensor("H", i=n, c=d)  # what any equivariant model makes of the tokens
q = tensor("q", c=d)
ROWS: dict[Op, Motion] = {leaf_of(H): (sigma, None)}  # H ↦ P H

s, mu, a = total(H, "i"), mean(H, "i"), reduce("max", H, "i")
u = attention(q, H.rename({"i": "j"}), H.rename({"i": "j", "c": "r"}), "j", "c")
weighted = total(multiply(tensor("v", i=n), H), "i")


@theorem(
    title="Pooling is permutation invariant",
    words=(
        Sentence(
            "Rows that move with the tokens have the same sum, mean and maximum in every order.",
            (0, 1, 2),
        ),
        Sentence("The output of a learned query over them is the same in every order.", (3,)),
    ),
    source="Why positionnal Embedding Matters?; Zaheer et al. 2017, theorem 2; Lee et al. "
    "2019, section 3.2",
    citations=("zaheer2017", "lee2019"),
    uses=("generation_order_independent", "softmax_conjugate", "sum_act"),
)
def pooling_invariant() -> Proof:
    """The lemma that a sum does not depend on the order of its terms is all that is needed, for
    maxima as for sums:
    {chain s}
    {chain a}
    The mean is the sum, divided by a number that does not change. The learned query reads a
    weighted sum; its weights move with the rows, by softmax_conjugate, so that every value keeps
    its weight:
    {chain u}
    """

    def claim(pooled: Term, expected: Reference, least: int = 0) -> Claim:
        marks = {"sympy": by_sympy, "numeric": by_numpy(expected)}
        return equivariance(pooled, ROWS, {}, marks, over=sizes({n: least}))

    added = claim(s, lambda g: np.sum(g["H"], axis=0))
    return Proof(
        claims=in_rocq(
            "pooling_invariant",
            added,
            claim(mu, lambda g: np.mean(g["H"], axis=0), 1),
            claim(a, lambda g: np.max(g["H"], axis=0), 1),
            claim(u, lambda g: reference.sets.pooled_by_query(g["H"], g["q"])),
        ),
        derivation="""
            s′[c] = Σ_i H[σ(i), c]     by definition
                  = Σ_i H[i, c]        sum_act
                  = s[c]               by definition

            m′[c] = s′[c] / n          by definition
                  = s[c] / n           s′[c] = s[c]
                  = m[c]               by definition

            a′[c] = max_i H[σ(i), c]   by definition
                  = max_i H[i, c]      sum_act
                  = a[c]               by definition

            u′[r] = Σ_i softmax_i((Σ_c q[c] H[σ(i), c]) / √d) H[σ(i), r]   by definition
                  = Σ_i softmax_j((Σ_c q[c] H[j, c]) / √d)[σ(i)] H[σ(i), r]   softmax_conjugate
                  = Σ_i softmax_i((Σ_c q[c] H[i, c]) / √d) H[i, r]   sum_act
                  = u[r]               by definition
        """,
        planted=nearby(
            added,
            "With a weight for each position, as in taking the last row, the order matters.",
            lhs=image(weighted, ROWS),
            rhs=weighted,
        ),
        show=show(Named("s", s), Named("m", mu), Named("a", a), Named("u", u)),
        titles={
            "s": "The sum of the rows",
            "m": "Their mean",
            "a": "Their maximum, feature by feature",
            "u": "What a learned query reads from them",
        },
    )
