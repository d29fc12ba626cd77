"""No softmax is needed: with any weight function w(q, k), attention commutes with P.

exp(q·k) is one choice. Take any w: the weights move by row and by column with their queries and
keys, and the sum over j does not see an order. So it is without dividing by Σⱼ w(qᵢ, kⱼ), and
with it wherever that is not 0. (Where it is 0, both sides divide by the same 0: the derivation
uses no rule of arithmetic, and holds whatever division by 0 is taken to mean.)
"""

from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from orderproof.numeric.reference import sets as reference
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
)
from orderproof.proofs.marks.numeric import Inputs, by_numpy, weight
from orderproof.proofs.marks.sympy_entries import by_sympy
from orderproof.proofs.shared.symbols import LETTERS, MATRICES, SELF, TOKENS, d_k, sigma
from orderproof.symbolic.calculus.terms import Set, Term
from orderproof.symbolic.models.builders import (
    add,
    contract,
    divide,
    exp,
    inverse,
    moved,
    number,
    opaque,
    pointwise,
    tensor,
    total,
)
from orderproof.symbolic.models.variants import linear_attention, normalised, random_features, weigh

f = Set("f")  # features that φ makes of d_k
A = weigh("w", SELF.Q, SELF.K, "k")  # any number w(qᵢ, kⱼ)
U = contract(A, SELF.V, "j")
B = normalised(A, "j")
Z = contract(B, SELF.V, "j")

phi_Q, phi_K = (opaque("phi", {"k": "k"}, t, {"a": f}) for t in (SELF.Q, SELF.K))
H, h = contract(phi_K, SELF.V, "j"), total(phi_K, "j")  # what all queries share
L = linear_attention(phi_Q, phi_K, SELF.V, "j", "a")

omega = tensor("omega", a=f, k=d_k)  # drawn once, and the same for all tokens
psi_Q, psi_K = (random_features(t, omega, "k", "a") for t in (SELF.Q, SELF.K))
M, m = contract(psi_K, SELF.V, "j"), total(psi_K, "j")
F = linear_attention(psi_Q, psi_K, SELF.V, "j", "a")

G = divide(number(1), add(number(1), exp(pointwise("neg", add(SELF.S, tensor("b"))))))
Y = contract(G, SELF.V, "j")

REFERENCES: dict[Term, Callable[..., NDArray[Any]]] = {
    U: lambda q, k, v, t: reference.kernel_attention(q, k, v, weight, normalised=False),
    Z: lambda q, k, v, t: reference.kernel_attention(q, k, v, weight, normalised=True),
    L: lambda q, k, v, t: reference.linear_attention(
        q, k, v, lambda row: t["phi"](row, t["sizes"]["f"])
    ),
    F: lambda q, k, v, t: reference.linear_attention(
        q, k, v, reference.positive_random_features(t["omega"])
    ),
    Y: lambda q, k, v, t: reference.sigmoid_attention(q, k, v, t["b"]),
}


def theorem() -> TheoremFile:
    """Any weights, plain and normalised; features; random features; sigmoid."""

    def claim(t: Term) -> Claim:
        def by_reference(given: Inputs) -> NDArray[Any]:
            projected = [given["X"] @ given[name] for name in ("W_Q", "W_K", "W_V")]
            return REFERENCES[t](*projected, given)

        marks = {"sympy": by_sympy, "numeric": by_numpy(by_reference)}
        out = {"i": sigma}
        return equivariance(t, TOKENS, out, marks, row="i", column="r")

    plain = claim(U)
    return TheoremFile(
        id="kernel_attention_equivariant",
        title="Any weight function will do",
        words=(
            Sentence(
                "With any number w(q, k) in place of exp(q·k), attention commutes with every "
                "P: as a plain sum, and divided by the sum of the weights.",
                (0, 1),
            ),
            Sentence(
                "So do linear attention with any feature map φ, attention by fixed random "
                "features, and sigmoid attention.",
                (2, 3, 4),
            ),
        ),
        claims=in_rocq(
            "kernel_attention_equivariant", plain, claim(Z), claim(L), claim(F), claim(Y)
        ),
        derivation="""
            A′[i, j] = w(Q′[i], K′[j])                                      by definition
                     = w(Q[σ(i)], K[σ(j)])    Q′ = P Q (qkv_equivariant); K′ = P K (qkv_equivariant)
                     = (P A Pᵀ)[i, j]                                       by definition

            U′ = A′ V′                                                      by definition
               = (P A Pᵀ) (P V)                              A′ = P A Pᵀ; V′ = P V (qkv_equivariant)
               = (P A) V                                                    Pᵀ P = I (Lemma 1)
               = P (A V)                                                    (A B) C = A (B C)
               = P U                                                        by definition

            B′[i, j] = A′[i, j] / (Σ_l A′[i, l])                            by definition
                     = A[σ(i), σ(j)] / (Σ_l A[σ(i), σ(l)])                  A′ = P A Pᵀ
                     = A[σ(i), σ(j)] / (Σ_l A[σ(i), l])                     Lemma 1
                     = (P B Pᵀ)[i, j]                                       by definition

            Z′ = B′ V′                                                      by definition
               = (P B Pᵀ) (P V)                              B′ = P B Pᵀ; V′ = P V (qkv_equivariant)
               = (P B) V                                                    Pᵀ P = I (Lemma 1)
               = P (B V)                                                    (A B) C = A (B C)
               = P Z                                                        by definition

            φ_Q′ = φ(Q′)                                                    by definition
                 = φ(P Q)                                                 Q′ = P Q (qkv_equivariant)
                 = P φ(Q)                                                   φ acts on each row
                 = P φ_Q                                                    by definition

            φ_K′ = φ(K′)                                                    by definition
                 = φ(P K)                                                 K′ = P K (qkv_equivariant)
                 = P φ(K)                                                   φ acts on each row
                 = P φ_K                                                    by definition

            H′ = φ_K′ᵀ V′                                                   by definition
               = (P φ_K)ᵀ (P V)                             φ_K′ = P φ_K; V′ = P V (qkv_equivariant)
               = φ_Kᵀ V                                                     Pᵀ P = I (Lemma 1)
               = H                                                          by definition

            h′[a] = Σ_i φ_K′[i, a]                                          by definition
                  = Σ_i φ_K[σ(i), a]                                        φ_K′ = P φ_K
                  = Σ_i φ_K[i, a]                                           Lemma 1
                  = h[a]                                                    by definition

            L′[i, r] = (Σ_a φ_Q′[i, a] H′[a, r]) / (Σ_a φ_Q′[i, a] h′[a])   by definition
                     = (Σ_a φ_Q[σ(i), a] H[a, r]) / (Σ_a φ_Q[σ(i), a] h[a])
                    φ_Q′ = P φ_Q; H′ = H; h′[a] = h[a]
                     = (P L)[i, r]                                          by definition

            ψ_Q′[i, a] = exp(Σ_k Q′[i, k] ω[a, k] − (Σ_k Q′[i, k] Q′[i, k]) / 2) / √f  by definition
                       = exp(Σ_k Q[σ(i), k] ω[a, k] − (Σ_k Q[σ(i), k] Q[σ(i), k]) / 2) / √f
                    Q′ = P Q (qkv_equivariant)
                       = (P ψ_Q)[i, a]                                      by definition

            ψ_K′[j, a] = exp(Σ_k K′[j, k] ω[a, k] − (Σ_k K′[j, k] K′[j, k]) / 2) / √f  by definition
                       = exp(Σ_k K[σ(j), k] ω[a, k] − (Σ_k K[σ(j), k] K[σ(j), k]) / 2) / √f
                    K′ = P K (qkv_equivariant)
                       = (P ψ_K)[j, a]                                      by definition

            M′ = ψ_K′ᵀ V′                                                   by definition
               = (P ψ_K)ᵀ (P V)                             ψ_K′ = P ψ_K; V′ = P V (qkv_equivariant)
               = ψ_Kᵀ V                                                     Pᵀ P = I (Lemma 1)
               = M                                                          by definition

            m′[a] = Σ_i ψ_K′[i, a]                                          by definition
                  = Σ_i ψ_K[σ(i), a]                                        ψ_K′ = P ψ_K
                  = Σ_i ψ_K[i, a]                                           Lemma 1
                  = m[a]                                                    by definition

            F′[i, r] = (Σ_a ψ_Q′[i, a] M′[a, r]) / (Σ_a ψ_Q′[i, a] m′[a])   by definition
                     = (Σ_a ψ_Q[σ(i), a] M[a, r]) / (Σ_a ψ_Q[σ(i), a] m[a])
                    ψ_Q′ = P ψ_Q; M′ = M; m′[a] = m[a]
                     = (P F)[i, r]                                          by definition

            G′[i, j] = 1 / (1 + exp(−(S′[i, j] + b)))                       by definition
                     = 1 / (1 + exp(−(S[σ(i), σ(j)] + b)))            S′ = P S Pᵀ (scores_conjugate)
                     = (P G Pᵀ)[i, j]                                       by definition

            Y′ = G′ V′                                                      by definition
               = (P G Pᵀ) (P V)                              G′ = P G Pᵀ; V′ = P V (qkv_equivariant)
               = (P G) V                                                    Pᵀ P = I (Lemma 1)
               = P (G V)                                                    (A B) C = A (B C)
               = P Y                                                        by definition
        """,
        uses=("qkv_equivariant", "scores_conjugate", "sum_act"),
        neighbour=nearby(
            plain,
            "With Pᵀ in place of P it fails for every σ that is not its own inverse, for these "
            "weights as for softmax.",
            rhs=moved(U, i=inverse(sigma)),
        ),
        source="Katharopoulos et al. 2020, eq. (3) to (5)",
        citations=("katharopoulos2020", "choromanski2021", "ramapuram2024"),
        show=Show(
            (
                *SELF.named("QKV"),
                Named("A", A, "i", "j"),
                Named("U", U, "i", "r"),
                Named("B", B, "i", "j"),
                Named("Z", Z, "i", "r"),
                Named("phi_Q", phi_Q, "i", "a"),
                Named("phi_K", phi_K, "j", "a"),
                Named("H", H, "a", "r"),
                Named("h", h),
                Named("L", L, "i", "r"),
                Named("psi_Q", psi_Q, "i", "a"),
                Named("psi_K", psi_K, "j", "a"),
                Named("M", M, "a", "r"),
                Named("m", m),
                Named("F", F, "i", "r"),
                Named("S", SELF.S, "i", "j"),
                Named("G", G, "i", "j"),
                Named("Y", Y, "i", "r"),
            ),
            MATRICES,
            LETTERS | {f: "a"},
        ),
        cited=dict.fromkeys("QKV", "qkv_equivariant") | {"S": "scores_conjugate"},
        titles={
            "A": "The weights, whatever they are",
            "U": "The plain sum",
            "B": "The weights, normalised",
            "Z": "The output, normalised",
            "phi_Q": "Any features of the queries",
            "phi_K": "Any features of the keys",
            "H": "The sums over the keys, which do not change: with the values",
            "h": "The sums over the keys: of the features alone",
            "M": "The sums over the keys, which do not change: with the values",
            "m": "The sums over the keys: of the features alone",
            "L": "Linear attention",
            "psi_Q": "Random features of the queries",
            "psi_K": "Random features of the keys",
            "F": "Attention by random features",
            "G": "Sigmoid weights",
            "Y": "Sigmoid attention",
        },
    )


if __name__ == "__main__":
    main(__spec__)
