"""Sigmoid attention commutes with every permutation of the tokens.

Each weight is the sigmoid of its own score: no row is normalised. The weights move by row and by
column as the scores do, and the sum over the keys does not depend on its order.
"""

from orderproof.proofs.prelude import *

from .claims import equivariant_attention

G = divide(number(1), add(number(1), exp(pointwise("neg", add(SELF.S, tensor("b"))))))
Y = contract(G, SELF.V, "j")


@theorem(
    title="Sigmoid attention is permutation equivariant",
    words="Permuting the tokens permutes the outputs of sigmoid attention.",
    source="Ramapuram et al. 2024",
    citations=("ramapuram2024",),
    uses=("qkv_equivariant", "scores_conjugate", "perm_transpose_mul"),
)
def sigmoid_attention_equivariant() -> Proof:
    """Sigmoid weights move as the scores do (scores_conjugate), and the sum over the keys is that
    of kernel_attention_equivariant.
    """
    claim = equivariant_attention(
        Y, lambda q, k, v, t: reference.sets.sigmoid_attention(q, k, v, t["b"])
    )
    return Proof(
        claims=in_rocq("kernel_attention_equivariant", claim),
        derivation="""
            G′[i, j] = 1 / (1 + exp(−(S′[i, j] + b)))        by definition
                     = 1 / (1 + exp(−(S[σ(i), σ(j)] + b)))   S′ = P S Pᵀ (scores_conjugate)
                     = (P G Pᵀ)[i, j]                        by definition

            Y′ = G′ V′                                       by definition
               = (P G Pᵀ) (P V)                              G′ = P G Pᵀ; V′ = P V (qkv_equivariant)
               = (P G) V                                     Pᵀ P = I (perm_transpose_mul)
               = P (G V)                                     (A B) C = A (B C)
               = P Y                                         by definition
        """,
        planted=transposed(claim),
        show=show(*SELF.named("VS"), Named("G", G, "i", "j"), Named("Y", Y, "i", "r")),
        cited={"V": "qkv_equivariant", "S": "scores_conjugate"},
        titles={"G": "Sigmoid weights", "Y": "Sigmoid attention"},
    )
