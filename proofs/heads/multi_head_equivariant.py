"""Multi-head attention commutes with every permutation of its tokens, however keys are shared.

Each head is self-attention with weights of its own, so each head's output moves as Z_h′ = P Z_h;
the output projection acts on features. That keys and values are shared by all heads (multi-query),
or by groups of heads (grouped-query, φ any map of heads to groups), changes nothing in this: the
permutation acts on tokens, and nothing is asked of heads.
"""

from orderproof.proofs.prelude import *
from orderproof.proofs.shared.heads import GROUPED, OWN, SHARED, grouped, own, shared

from .claims import equivariant


@theorem(
    title="Multi-head attention is permutation equivariant, with shared keys or without",
    words="Permuting the tokens permutes the outputs of multi-head attention, for any number of "
    "heads and any widths: with separate keys and values for each head, shared by all heads "
    "(MQA), and shared by groups of heads (GQA).",
    source="Vaswani et al. 2017, section 3.2.2; MQA: Shazeer 2019, section 3; GQA: Ainslie et "
    "al. 2023, section 2.2",
    citations=("vaswani2017", "shazeer2019", "ainslie2023"),
    uses=(
        "self_attention_equivariant",
        "qkv_equivariant",
        "softmax_conjugate",
        "perm_transpose_mul",
    ),
)
def multi_head_equivariant() -> Proof:
    """Each head is self-attention with weights of its own, so that its output moves with the
    tokens: self_attention_equivariant. What is left is the projection, which acts on features, and
    the sum over heads:
    {chain O}
    Where heads share keys and values, their keys still move with the tokens. Nothing in
    self_attention_equivariant asks that two heads have different ones.
    """
    first, mqa, gqa = (
        equivariant(layer.O, by_numpy(expected))
        for layer, expected in ((OWN, own), (SHARED, shared), (GROUPED, grouped))
    )
    return Proof(
        claims=in_rocq("multi_head_equivariant", first, mqa, gqa),
        derivation="""
            Q′[h] = (P X) W_Q[h]                  by definition
                  = P (X W_Q[h])                  (A B) C = A (B C)
                  = P Q[h]                        by definition

            K′[h] = (P X) W_K[h]                  by definition
                  = P (X W_K[h])                  (A B) C = A (B C)
                  = P K[h]                        by definition

            V′[h] = (P X) W_V[h]                  by definition
                  = P (X W_V[h])                  (A B) C = A (B C)
                  = P V[h]                        by definition

            S′[h] = Q′[h] K′[h]ᵀ / √(d_k)         by definition
                  = (P Q[h]) (P K[h])ᵀ / √(d_k)   Q′[h] = P Q[h]; K′[h] = P K[h]
                  = P (Q[h] K[h]ᵀ) Pᵀ / √(d_k)    (A B)ᵀ = Bᵀ Aᵀ; (A B) C = A (B C)
                  = P (Q[h] K[h]ᵀ / √(d_k)) Pᵀ    entry by entry
                  = P S[h] Pᵀ                     by definition

            A′[h] = softmax(S′[h])                by definition
                  = softmax(P S[h] Pᵀ)            S′[h] = P S[h] Pᵀ
                  = softmax(P S[h]) Pᵀ            softmax_conjugate
                  = P softmax(S[h]) Pᵀ            softmax acts on each row
                  = P A[h] Pᵀ                     by definition

            Z′[h] = A′[h] V′[h]                   by definition
                  = (P A[h] Pᵀ) (P V[h])          A′[h] = P A[h] Pᵀ; V′[h] = P V[h]
                  = (P A[h]) V[h]                 Pᵀ P = I (perm_transpose_mul)
                  = P (A[h] V[h])                 (A B) C = A (B C)
                  = P Z[h]                        by definition

            O′ = Σ_h Z′[h] W_O[h]                 by definition
               = Σ_h (P Z[h]) W_O[h]              Z′[h] = P Z[h]
               = Σ_h P (Z[h] W_O[h])              (A B) C = A (B C)
               = P (Σ_h Z[h] W_O[h])              P A + P B = P (A + B)
               = P O                              by definition
        """,
        planted=transposed(first),
        show=show(
            *OWN.named("QKVSAZO"),
            Named("O_MQA", SHARED.O, "i", "c"),
            Named("O_GQA", GROUPED.O, "i", "c"),
        ),
        pushed=(first.pushed,),
        primes=(mqa.pushed, gqa.pushed),
    )
