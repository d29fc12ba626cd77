"""Pooling forgets the order: sum, mean, maximum, a learned query, a class token.

Let the rows of H be what an equivariant model made of the tokens: H moves with them, H′ = P H. A
sum over the rows does not see their order, nor does a maximum; a learned query is one query over
all rows; and a class token stands apart from the tokens, so that P, which is then diag(1, P),
leaves it where it is. Whatever is pooled is the same for every order.
"""

import numpy as np

from orderproof.numeric.reference import attention as reference
from orderproof.numeric.reference import sets as reference_sets
from orderproof.proofs.book.script import main
from orderproof.proofs.check.claims import (
    Claim,
    Named,
    Sentence,
    Show,
    TheoremFile,
    equivariance,
    in_rocq,
    nearby,
    sizes,
)
from orderproof.proofs.marks.numeric import Reference, by_numpy
from orderproof.proofs.marks.sympy_entries import by_sympy
from orderproof.proofs.shared.symbols import (
    LETTERS,
    MATRICES,
    TOKENS,
    Attention,
    X,
    as_keys,
    d,
    n,
    sigma,
)
from orderproof.symbolic.calculus.terms import Map, Op, Term, at
from orderproof.symbolic.derive.push import Motion
from orderproof.symbolic.models.attention import attention
from orderproof.symbolic.models.builders import (
    POINT,
    cat,
    image,
    leaf_of,
    mean,
    multiply,
    reduce,
    tensor,
    total,
)

H = tensor("H", i=n, c=d)  # what any equivariant model makes of the tokens
q = tensor("q", c=d)
ROWS: dict[Op, Motion] = {leaf_of(H): (sigma, None)}  # H ↦ P H

s, m, a = total(H, "i"), mean(H, "i"), reduce("max", H, "i")
u = attention(q, H.rename({"i": "j"}), H.rename({"i": "j", "c": "r"}), "j", "c")

t = tensor("t", i=POINT, c=d)  # the class token, in front of the others
C = cat(t, X, "i")
weighted = total(multiply(tensor("v", i=n), H), "i")
WITH_CLASS = Attention(C, as_keys(C))
z = at(WITH_CLASS.Z, {"i": Map("inl", (POINT, n))("p")})  # its row of the output
BESIDE = Map("beside", (Map("identity", (POINT,)), sigma))


def theorem() -> TheoremFile:
    """Of rows that move; and at a class token in front of the tokens."""

    def claim(
        pooled: Term, moves: dict[Op, Motion], by_reference: Reference, least: int = 0
    ) -> Claim:
        numeric = by_numpy(by_reference)
        marks = {"sympy": by_sympy, "numeric": numeric}
        over = sizes({n: least})
        return equivariance(pooled, moves, {}, marks, over=over)

    added = claim(s, ROWS, lambda g: np.sum(g["H"], axis=0))
    claims = (
        added,
        claim(m, ROWS, lambda g: np.mean(g["H"], axis=0), 1),
        claim(a, ROWS, lambda g: np.max(g["H"], axis=0), 1),
        claim(u, ROWS, lambda g: reference_sets.pooled_by_query(g["H"], g["q"])),
        claim(
            z,
            TOKENS,
            lambda g: reference.cross_attention(
                g["t"], np.vstack([g["t"], g["X"]]), g["W_Q"], g["W_K"], g["W_V"]
            ),
        ),
    )
    return TheoremFile(
        id="pooling_invariant",
        title="Pooling forgets the order",
        words=(
            Sentence(
                "Rows that move with the tokens have the same sum, mean and maximum in every "
                "order.",
                (0, 1, 2),
            ),
            Sentence("A learned query reads the same from them.", (3,)),
            Sentence(
                "The output of self-attention at a class token in front of the tokens does "
                "not change.",
                (4,),
            ),
        ),
        claims=(*in_rocq("pooling_invariant", *claims[:4]), claims[4]),
        derivation="""
            s′[c] = Σ_i H[σ(i), c]                                            by definition
                  = Σ_i H[i, c]                                               Lemma 1
                  = s[c]                                                      by definition

            m′[c] = s′[c] / n                                                 by definition
                  = s[c] / n                                                  s′[c] = s[c]
                  = m[c]                                                      by definition

            a′[c] = max_i H[σ(i), c]                                          by definition
                  = max_i H[i, c]                                             Lemma 1
                  = a[c]                                                      by definition

            u′[r] = Σ_i softmax_i((Σ_c q[c] H[σ(i), c]) / √d) H[σ(i), r]      by definition
                  = Σ_i softmax_j((Σ_c q[c] H[j, c]) / √d)[σ(i)] H[σ(i), r]   softmax_conjugate
                  = Σ_i softmax_i((Σ_c q[c] H[i, c]) / √d) H[i, r]            Lemma 1
                  = u[r]                                                      by definition

            C′[i, c] = [t[j, c]; X[σ(j), c]][i]                               by definition
                     = [t[j, c]; X[j, c]][(id+σ)(i)]                          on each part
                     = (P_1 C)[i, c]                                          by definition

            z′[1, r] = D′[1, r]                                               by definition
                     = D[(id+σ)(1), r]                       D′ = P_1 D (self_attention_equivariant)
                     = D[1, r]                                                composition of maps
                     = z[1, r]                                                by definition
        """,
        uses=("self_attention_equivariant", "generation_order_independent", "sum_act"),
        neighbour=nearby(
            added,
            "With weights that stay at their places, as in taking the last row, the order is seen.",
            lhs=image(weighted, ROWS),
            rhs=weighted,
        ),
        source="S1; Zaheer et al. 2017, theorem 2; Lee et al. 2019, section 3.2",
        citations=("zaheer2017", "lee2019"),
        show=Show(
            (
                Named("s", s),
                Named("m", m),
                Named("a", a),
                Named("u", u),
                Named("C", C, "i", "c"),
                Named("D", WITH_CLASS.Z, "i", "r"),
                Named("z", z, "r"),
            ),
            MATRICES | {BESIDE: "P_1"},
            LETTERS,
        ),
        cited={"D": "self_attention_equivariant"},
        titles={
            "s": "The sum of the rows",
            "m": "Their mean",
            "a": "Their maximum, feature by feature",
            "u": "What a learned query reads from them",
            "C": "A class token in front; P₁ = diag(1, P) leaves it where it is",
            "z": "The output of self-attention at the class token",
        },
    )


if __name__ == "__main__":
    main(__spec__)
