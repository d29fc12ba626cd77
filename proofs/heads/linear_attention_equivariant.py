"""Linear attention commutes with every permutation of the tokens, for any feature map φ.

The features of each query and key are maps of rows, so they move with the tokens. The sums over the
keys, which all queries share, do not change by sum_act; and each query reads them by itself.
"""

from orderproof.proofs.prelude import *

from .claims import f, linear_in_features


@theorem(
    title="Linear attention is permutation equivariant",
    words="Linear attention with any feature map φ commutes with every P.",
    source="Katharopoulos et al. 2020, eq. (4) and (5)",
    citations=("katharopoulos2020",),
    uses=("qkv_equivariant", "kernel_attention_equivariant", "perm_transpose_mul", "sum_act"),
)
def linear_attention_equivariant() -> Proof:
    """The features are maps of rows, and move with the tokens. What all queries share does not
    change: h is a sum over the tokens, and
    {chain H}
    Each query reads this by itself, with features that move with it.
    """

    def phi(row: Term) -> Term:
        return opaque("phi", {"k": "k"}, row, {"a": f})

    return linear_in_features(
        phi,
        lambda t: lambda row: t["phi"](row, t["sizes"]["f"]),
        names="phi_Q phi_K H h L",
        titles=("Any features", "Linear attention"),
        derivation="""
            φ_Q′ = φ(Q′)               by definition
                 = φ(P Q)              Q′ = P Q (qkv_equivariant)
                 = P φ(Q)              φ acts on each row
                 = P φ_Q               by definition

            φ_K′ = φ(K′)               by definition
                 = φ(P K)              K′ = P K (qkv_equivariant)
                 = P φ(K)              φ acts on each row
                 = P φ_K               by definition

            H′ = φ_K′ᵀ V′              by definition
               = (P φ_K)ᵀ (P V)        φ_K′ = P φ_K; V′ = P V (qkv_equivariant)
               = φ_Kᵀ V                Pᵀ P = I (perm_transpose_mul)
               = H                     by definition

            h′[a] = Σ_i φ_K′[i, a]     by definition
                  = Σ_i φ_K[σ(i), a]   φ_K′ = P φ_K
                  = Σ_i φ_K[i, a]      sum_act
                  = h[a]               by definition

            L′[i, r] = (Σ_a φ_Q′[i, a] H′[a, r]) / (Σ_a φ_Q′[i, a] h′[a])   by definition
                     = (Σ_a φ_Q[σ(i), a] H[a, r]) / (Σ_a φ_Q[σ(i), a] h[a])
                                       φ_Q′ = P φ_Q; H′ = H; h′[a] = h[a]
                     = (P L)[i, r]     by definition
        """,
    )
