"""No softmax is needed: with any weight function w(q, k), attention commutes with P.

exp(q·k) is one choice. Take any w: the weights move by row and by column with their queries and
keys, and the sum over j does not depend on its order. So it is without dividing by Σⱼ w(qᵢ, kⱼ),
and with it wherever that is not 0. (Where it is 0, both sides divide by the same 0: the derivation
uses no rule of arithmetic, and holds whatever division by 0 is taken to mean.)
"""

from orderproof.proofs.prelude import *

from .claims import equivariant_attention

A = weigh("w", SELF.Q, SELF.K, "k")  # any number w(qᵢ, kⱼ)
U = contract(A, SELF.V, "j")
B = normalised(A, "j")
Z = contract(B, SELF.V, "j")


@theorem(
    title="Attention with any weight function is permutation equivariant",
    words="With any number w(q, k) in place of exp(q·k), attention commutes with every P: as a "
    "plain sum, and divided by the sum of the weights.",
    source="Katharopoulos et al. 2020, eq. (3)",
    citations=("katharopoulos2020",),
    uses=("qkv_equivariant", "perm_transpose_mul", "sum_act"),
)
def kernel_attention_equivariant() -> Proof:
    """The weights move by row and by column, as the scores did:
    {chain A}
    In the plain sum, two permutations meet and cancel, as in self_attention_equivariant. For the
    normalised form, the denominators are sums over the keys:
    {chain B}
    Where a denominator is 0, both sides divide by the same 0: the derivation uses no rule of
    arithmetic, and holds whatever division by 0 is taken to mean.
    """

    def claim(t: Term, divided: bool) -> Claim:
        def expected(q: Array, k: Array, v: Array, _: Values) -> Array:
            from orderproof.check.marks.inputs import weight

            return reference.sets.kernel_attention(q, k, v, weight, normalised=divided)

        return equivariant_attention(t, expected)

    plain = claim(U, False)
    return Proof(
        claims=in_rocq("kernel_attention_equivariant", plain, claim(Z, True)),
        derivation="""
            A′[i, j] = w(Q′[i], K′[j])                       by definition
                     = w(Q[σ(i)], K[σ(j)])    Q′ = P Q (qkv_equivariant); K′ = P K (qkv_equivariant)
                     = (P A Pᵀ)[i, j]                        by definition

            U′ = A′ V′                                       by definition
               = (P A Pᵀ) (P V)                              A′ = P A Pᵀ; V′ = P V (qkv_equivariant)
               = (P A) V                                     Pᵀ P = I (perm_transpose_mul)
               = P (A V)                                     (A B) C = A (B C)
               = P U                                         by definition

            B′[i, j] = A′[i, j] / (Σ_l A′[i, l])             by definition
                     = A[σ(i), σ(j)] / (Σ_l A[σ(i), σ(l)])   A′ = P A Pᵀ
                     = A[σ(i), σ(j)] / (Σ_l A[σ(i), l])      sum_act
                     = (P B Pᵀ)[i, j]                        by definition

            Z′ = B′ V′                                       by definition
               = (P B Pᵀ) (P V)                              B′ = P B Pᵀ; V′ = P V (qkv_equivariant)
               = (P B) V                                     Pᵀ P = I (perm_transpose_mul)
               = P (B V)                                     (A B) C = A (B C)
               = P Z                                         by definition
        """,
        planted=transposed(plain),
        show=show(
            *SELF.named("QKV"),
            Named("A", A, "i", "j"),
            Named("U", U, "i", "r"),
            Named("B", B, "i", "j"),
            Named("Z", Z, "i", "r"),
        ),
        cited=dict.fromkeys("QKV", "qkv_equivariant"),
        titles={
            "A": "The weights of any function w",
            "U": "The plain sum",
            "B": "The weights, normalised",
            "Z": "The output, normalised",
        },
    )
