"""If P G Pᵀ = G, attention with the weights G = exp B on the exponentials commutes with P.

The scores move by row and by column, and the weights G at (σi, σj) are those at (i, j): so the
attention weights move by row and by column, and the output by row.
"""

from orderproof.proofs.prelude import *

from .score_bias import BIAS, LAYER, NO_ZERO_ROW, WEIGHTS


def expected(t: Values) -> Array:
    """Attention with weights on the exponentials."""
    q, k, v = (t["X"] @ t[name] for name in ("W_Q", "W_K", "W_V"))
    return reference.sets.weighted_attention(q, k, v, t["G"])


@theorem(
    title="Attention with a score bias commutes with the permutations that fix the bias",
    words="If P G Pᵀ = G, no row of G ≥ 0 being all 0, attention with the weights G on the "
    "exponentials of the scores commutes with P.",
    source="biases of the scores: Raffel et al. 2020, section 2.1; Press et al. 2022",
    citations=("raffel2020", "press2022"),
    uses=("qkv_equivariant", "scores_conjugate", "perm_transpose_mul", "sum_act"),
)
def equivariant_of_fixed_score_bias() -> Proof:
    """The scores move by row and by column (scores_conjugate), and G does not change if it is moved
    so:
    {chain A}
    The output follows as in self_attention_equivariant.
    """
    kept = equivariance(
        LAYER.Z, TOKENS, {"i": sigma},
        {"sympy": by_sympy_within(3, 4), "numeric": by_numpy(expected)},
        facts=[fixed(BIAS.G, i=sigma, j=sigma)],
        row="i", column="r", given=[WEIGHTS, NO_ZERO_ROW],
    )  # fmt: skip
    return Proof(
        claims=in_rocq("score_bias_iff", kept),
        derivation="""
            A′[i, j] = G[i, j] exp(S′[i, j]) / (Σ_l G[i, l] exp(S′[i, l]))   by definition
                     = G[σ(i), σ(j)] exp(S[σ(i), σ(j)]) / (Σ_l G[σ(i), σ(l)] exp(S[σ(i), σ(l)]))
                                        S′ = P S Pᵀ (scores_conjugate); by hypothesis
                     = G[σ(i), σ(j)] exp(S[σ(i), σ(j)]) / (Σ_l G[σ(i), l] exp(S[σ(i), l]))   sum_act
                     = (P A Pᵀ)[i, j]   by definition

            Z′ = A′ V′                  by definition
               = (P A Pᵀ) (P V)         A′ = P A Pᵀ; V′ = P V (qkv_equivariant)
               = (P A) V                Pᵀ P = I (perm_transpose_mul)
               = P (A V)                (A B) C = A (B C)
               = P Z                    by definition
        """,
        planted=nearby(
            kept,
            "Without the hypothesis it fails: a bias that P does not fix can break the symmetry.",
            given=frozenset({WEIGHTS, NO_ZERO_ROW}),
        ),
        show=show(*LAYER.named()),
        cited=dict.fromkeys("QKV", "qkv_equivariant") | {"S": "scores_conjugate"},
    )
