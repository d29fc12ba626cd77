"""If P G Pᵀ = G, attention with the weights G = exp B on the exponentials commutes with P.

The scores move by row and by column, and the weights G at (σi, σj) are those at (i, j): so the
attention weights move by row and by column, and the output by row.
"""

from typing import Any

from numpy.typing import NDArray

from orderproof.numeric.reference import sets as reference
from orderproof.proofs.book.script import main
from orderproof.proofs.check.claims import Sentence, TheoremFile, equivariance, in_rocq, nearby
from orderproof.proofs.marks.numeric import Inputs, by_numpy
from orderproof.proofs.marks.sympy_entries import by_sympy_within
from orderproof.proofs.shared.bias_models import G
from orderproof.proofs.shared.score_bias import NAMED, NO_ZERO_ROW, WEIGHTS, Z
from orderproof.proofs.shared.symbols import TOKENS, show, sigma
from orderproof.symbolic.derive.push import fixed


def expected(t: Inputs) -> NDArray[Any]:
    """Attention with weights on the exponentials."""
    q, k, v = (t["X"] @ t[name] for name in ("W_Q", "W_K", "W_V"))
    return reference.weighted_attention(q, k, v, t["G"])


def theorem() -> TheoremFile:
    """Under the hypothesis P G Pᵀ = G."""
    kept = equivariance(
        Z, TOKENS, {"i": sigma},
        {"sympy": by_sympy_within(3, 4), "numeric": by_numpy(expected)},
        facts=[fixed(G, i=sigma, j=sigma)],
        row="i", column="r", given=[WEIGHTS, NO_ZERO_ROW],
    )  # fmt: skip
    return TheoremFile(
        id="equivariant_of_fixed_score_bias",
        title="Attention with a score bias commutes with the permutations that fix the bias",
        words=(
            Sentence(
                "If P G Pᵀ = G, no row of G ≥ 0 being all 0, attention with the weights G on the "
                "exponentials of the scores commutes with P.",
                (0,),
            ),
        ),
        claims=in_rocq("score_bias_iff", kept),
        derivation="""
            A′[i, j] = G[i, j] exp(S′[i, j]) / (Σ_l G[i, l] exp(S′[i, l]))   by definition
                     = G[σ(i), σ(j)] exp(S[σ(i), σ(j)]) / (Σ_l G[σ(i), σ(l)] exp(S[σ(i), σ(l)]))
                                        S′ = P S Pᵀ (scores_conjugate); by hypothesis
                     = G[σ(i), σ(j)] exp(S[σ(i), σ(j)]) / (Σ_l G[σ(i), l] exp(S[σ(i), l]))   Lemma 1
                     = (P A Pᵀ)[i, j]   by definition

            Z′ = A′ V′                  by definition
               = (P A Pᵀ) (P V)         A′ = P A Pᵀ; V′ = P V (qkv_equivariant)
               = (P A) V                Pᵀ P = I (perm_transpose_mul)
               = P (A V)                (A B) C = A (B C)
               = P Z                    by definition
        """,
        uses=("qkv_equivariant", "scores_conjugate", "perm_transpose_mul", "sum_act"),
        neighbour=nearby(
            kept,
            "Without the hypothesis it fails: a bias that P does not fix can break the symmetry.",
            given=frozenset({WEIGHTS, NO_ZERO_ROW}),
        ),
        source="biases of the scores: Raffel et al. 2020, section 2.1; Press et al. 2022",
        citations=("raffel2020", "press2022"),
        show=show(*NAMED),
        cited=dict.fromkeys("QKV", "qkv_equivariant") | {"S": "scores_conjugate"},
    )


if __name__ == "__main__":
    main(__spec__)
