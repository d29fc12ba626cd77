"""Cross-attention with heads: equivariant in the queries, invariant in the memory, O′ = P O.

Each head is cross-attention with weights of its own, and the output projection acts on features.
"""

from orderproof.proofs.prelude import *
from orderproof.proofs.shared.heads import ACROSS, across


@theorem(
    title="Multi-head cross-attention: equivariant in queries, invariant in the memory",
    words=(
        Sentence(
            "Permuting the queries permutes the outputs of cross-attention with any number of "
            "heads, in whichever order the memory stands.",
            (0,),
        ),
        Sentence("Permuting the memory changes nothing.", (1,)),
    ),
    source="Vaswani et al. 2017, sections 3.2.2 and 3.2.3",
    citations=("vaswani2017",),
    uses=(
        "cross_attention_equivariant",
        "multi_head_equivariant",
        "softmax_conjugate",
        "perm_transpose_mul",
    ),
)
def multi_head_cross_attention_equivariant() -> Proof:
    """Each head is cross-attention with weights of its own (cross_attention_equivariant), and the
    output projection acts on features.
    """
    marks = {"sympy": by_sympy_to(3, d=2), "numeric": by_numpy(across)}
    both = equivariance(ACROSS.O, TOKENS | MEMORY, {"i": sigma}, marks, row="i", column="c")
    memory = equivariance(ACROSS.O, MEMORY, {}, marks, row="i", column="c")
    return Proof(
        claims=(both, memory),
        derivation="""
            Q′[h] = (P X) W_Q[h]                  by definition
                  = P (X W_Q[h])                  (A B) C = A (B C)
                  = P Q[h]                        by definition

            K′[h] = (R Y) W_K[h]                  by definition
                  = R (Y W_K[h])                  (A B) C = A (B C)
                  = R K[h]                        by definition

            V′[h] = (R Y) W_V[h]                  by definition
                  = R (Y W_V[h])                  (A B) C = A (B C)
                  = R V[h]                        by definition

            S′[h] = Q′[h] K′[h]ᵀ / √(d_k)         by definition
                  = (P Q[h]) (R K[h])ᵀ / √(d_k)   Q′[h] = P Q[h]; K′[h] = R K[h]
                  = P (Q[h] K[h]ᵀ) Rᵀ / √(d_k)    (A B)ᵀ = Bᵀ Aᵀ; (A B) C = A (B C)
                  = P (Q[h] K[h]ᵀ / √(d_k)) Rᵀ    entry by entry
                  = P S[h] Rᵀ                     by definition

            A′[h] = softmax(S′[h])                by definition
                  = softmax(P S[h] Rᵀ)            S′[h] = P S[h] Rᵀ
                  = softmax(P S[h]) Rᵀ            softmax_conjugate
                  = P softmax(S[h]) Rᵀ            softmax acts on each row
                  = P A[h] Rᵀ                     by definition

            Z′[h] = A′[h] V′[h]                   by definition
                  = (P A[h] Rᵀ) (R V[h])          A′[h] = P A[h] Rᵀ; V′[h] = R V[h]
                  = (P A[h]) V[h]                 Rᵀ R = I (perm_transpose_mul)
                  = P (A[h] V[h])                 (A B) C = A (B C)
                  = P Z[h]                        by definition

            O′ = Σ_h Z′[h] W_O[h]                 by definition
               = Σ_h (P Z[h]) W_O[h]              Z′[h] = P Z[h]
               = Σ_h P (Z[h] W_O[h])              (A B) C = A (B C)
               = P (Σ_h Z[h] W_O[h])              P A + P B = P (A + B)
               = P O                              by definition
        """,
        planted=nearby(
            memory,
            "If the queries are permuted, so are the outputs: invariance holds in the memory "
            "alone.",
            lhs=both.lhs,
        ),
        show=show(*ACROSS.named("QKVSAZO")),
        pushed=(both.pushed,),
    )
