"""With any weight function in place of exp, too, P E = E gives f(P X) = P f(X).

P X + E = P (X + E), and attention with any weight function takes it from there.
"""

from orderproof.proofs.prelude import *

from .added_tables import WITH_TABLE, E

WEIGHTS = normalised(weigh("w", WITH_TABLE.Q, WITH_TABLE.K, "k"), "j")
Z = contract(WEIGHTS, WITH_TABLE.V, "j")


@theorem(
    title="Attention with any weight function commutes with P if P E = E",
    words="If P E = E, attention of X + E with any weight function in place of exp commutes with "
    "P for all X and all weights.",
    source="positions added to the tokens: Vaswani et al. 2017, section 3.5",
    citations=("vaswani2017",),
    uses=(
        "kernel_attention_equivariant",
        "equivariant_of_fixed_position_table",
        "qkv_equivariant",
        "perm_transpose_mul",
    ),
)
def kernel_attention_of_fixed_position_table() -> Proof:
    """As before, the tokens with their table are permuted, and with them queries and keys. Then
    {chain A}
    and the output follows as in self_attention_equivariant.
    """
    marks = {"sympy": by_sympy, "numeric": by_numpy()}
    facts = [fixed(E, i=sigma)]
    claim = equivariance(Z, TOKENS, {"i": sigma}, marks, facts=facts, row="i", column="r")
    return Proof(
        claims=(claim,),
        derivation="""
            H′ = P X + E                by definition
               = P X + P E              by hypothesis
               = P (X + E)              P A + P B = P (A + B)
               = P H                    by definition

            A′[i, j] = w(Q′[i], K′[j]) / (Σ_l w(Q′[i], K′[l]))   by definition
                     = w(Q[σ(i)], K[σ(j)]) / (Σ_l w(Q[σ(i)], K[σ(l)]))
                                        Q′ = P Q (qkv_equivariant); K′ = P K (qkv_equivariant)
                     = w(Q[σ(i)], K[σ(j)]) / (Σ_l w(Q[σ(i)], K[l]))   sum_act
                     = (P A Pᵀ)[i, j]   by definition

            Z′ = A′ V′                  by definition
               = (P A Pᵀ) (P V)         A′ = P A Pᵀ; V′ = P V (qkv_equivariant)
               = (P A) V                Pᵀ P = I (perm_transpose_mul)
               = P (A V)                (A B) C = A (B C)
               = P Z                    by definition
        """,
        planted=transposed(claim),
        show=show(
            Named("H", add(X, E), "i", "c"),
            *WITH_TABLE.named("QKV"),
            Named("A", WEIGHTS, "i", "j"),
            Named("Z", Z, "i", "r"),
        ),
        cited=dict.fromkeys("QKV", "qkv_equivariant"),
    )
