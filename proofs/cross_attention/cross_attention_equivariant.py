"""Cross-attention: equivariant in the queries, invariant in the memory.

The decoder looks back at a memory Y. Permute its own tokens, and the outputs are permuted; permute
the memory, keys and values together, and nothing changes at all. With both, Z′ = P Z.
"""

from orderproof.proofs.prelude import *


@theorem(
    title="Cross-attention is equivariant in its queries and invariant in its memory",
    words="Permuting the queries permutes the outputs, and permuting keys and values together "
    "changes nothing: both at once, and each alone.",
    source="AI Stack Exchange, question 32236 (the decoder looks back); Dive into Deep "
    "Learning, thread under section 10.6 (Q, K and V differ)",
    uses=("softmax_conjugate", "perm_transpose_mul"),
)
def cross_attention_equivariant() -> Proof:
    """Queries move with their tokens, and keys and values with theirs (qkv_equivariant). The scores
    have the first as rows and the second as columns, and so have the weights, by softmax_conjugate,
    which was stated for two unrelated permutations for this purpose. In the output the sum runs
    over the memory, and R is gone:
    {chain Z}
    With the identity for R or for P one has the first two claims.
    """
    marks = {"sympy": by_sympy, "numeric": by_paper("attention.cross_attention", "X Y W_Q W_K W_V")}

    def claim(moves: Moves, motion: dict[Name, Map]) -> Claim:
        return equivariance(CROSS.Z, moves, motion, marks, row="i", column="r")

    first = claim(TOKENS, {"i": sigma})
    invariant = claim(MEMORY, {})
    both = claim(TOKENS | MEMORY, {"i": sigma})
    return Proof(
        claims=in_rocq("cross_attention_equivariant", first, invariant, both),
        derivation="""
            Q′ = (P X) W_Q               by definition
               = P (X W_Q)               (A B) C = A (B C)
               = P Q                     by definition

            K′ = (R Y) W_K               by definition
               = R (Y W_K)               (A B) C = A (B C)
               = R K                     by definition

            V′ = (R Y) W_V               by definition
               = R (Y W_V)               (A B) C = A (B C)
               = R V                     by definition

            S′ = Q′ K′ᵀ / √(d_k)         by definition
               = (P Q) (R K)ᵀ / √(d_k)   Q′ = P Q; K′ = R K
               = P (Q Kᵀ) Rᵀ / √(d_k)    (A B)ᵀ = Bᵀ Aᵀ; (A B) C = A (B C)
               = P (Q Kᵀ / √(d_k)) Rᵀ    entry by entry
               = P S Rᵀ                  by definition

            A′ = softmax(S′)             by definition
               = softmax(P S Rᵀ)         S′ = P S Rᵀ
               = softmax(P S) Rᵀ         softmax_conjugate
               = P softmax(S) Rᵀ         softmax acts on each row
               = P A Rᵀ                  by definition

            Z′ = A′ V′                   by definition
               = (P A Rᵀ) (R V)          A′ = P A Rᵀ; V′ = R V
               = (P A) V                 Rᵀ R = I (perm_transpose_mul)
               = P (A V)                 (A B) C = A (B C)
               = P Z                     by definition
        """,
        planted=nearby(
            invariant,
            "If the queries are permuted, so are the outputs: invariance holds in the memory "
            "alone.",
            lhs=first.lhs,
        ),
        show=show(*CROSS.named()),
        pushed=(both.pushed,),
    )
