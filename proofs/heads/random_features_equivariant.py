"""Attention by fixed random features commutes with every permutation of the tokens.

Linear attention with the features ψ(x) = exp(ω x − |x|²/2)/√f, whose directions ω are drawn once
and are the same for all tokens. The symmetry is exact for every draw.
"""

from orderproof.proofs.prelude import *

from .claims import f, linear_in_features


@theorem(
    title="Attention by fixed random features is permutation equivariant",
    words="Attention by fixed random features commutes with every P.",
    source="Choromanski et al. 2021",
    citations=("choromanski2021",),
    uses=("qkv_equivariant", "linear_attention_equivariant", "perm_transpose_mul", "sum_act"),
)
def random_features_equivariant() -> Proof:
    """This is linear_attention_equivariant with the features
    {where ψ_Q[i, a]}
    of the queries, and the same of the keys.
    """
    omega = tensor("omega", a=f, k=d_k)  # drawn once, and the same for all tokens
    return linear_in_features(
        lambda row: random_features(row, omega, "k", "a"),
        lambda t: reference.sets.positive_random_features(t["omega"]),
        names="psi_Q psi_K M m F",
        titles=("Random features", "Attention by random features"),
        derivation="""
            ψ_Q′[i, a] = exp(Σ_k Q′[i, k] ω[a, k] − (Σ_k Q′[i, k]²) / 2) / √f
                                         by definition
                       = exp(Σ_k Q[σ(i), k] ω[a, k] − (Σ_k Q[σ(i), k]²) / 2) / √f
                                         Q′ = P Q (qkv_equivariant)
                       = (P ψ_Q)[i, a]   by definition

            ψ_K′[j, a] = exp(Σ_k K′[j, k] ω[a, k] − (Σ_k K′[j, k]²) / 2) / √f
                                         by definition
                       = exp(Σ_k K[σ(j), k] ω[a, k] − (Σ_k K[σ(j), k]²) / 2) / √f
                                         K′ = P K (qkv_equivariant)
                       = (P ψ_K)[j, a]   by definition

            M′ = ψ_K′ᵀ V′                by definition
               = (P ψ_K)ᵀ (P V)          ψ_K′ = P ψ_K; V′ = P V (qkv_equivariant)
               = ψ_Kᵀ V                  Pᵀ P = I (perm_transpose_mul)
               = M                       by definition

            m′[a] = Σ_i ψ_K′[i, a]       by definition
                  = Σ_i ψ_K[σ(i), a]     ψ_K′ = P ψ_K
                  = Σ_i ψ_K[i, a]        sum_act
                  = m[a]                 by definition

            F′[i, r] = (Σ_a ψ_Q′[i, a] M′[a, r]) / (Σ_a ψ_Q′[i, a] m′[a])   by definition
                     = (Σ_a ψ_Q[σ(i), a] M[a, r]) / (Σ_a ψ_Q[σ(i), a] m[a])
                                         ψ_Q′ = P ψ_Q; M′ = M; m′[a] = m[a]
                     = (P F)[i, r]       by definition
        """,
    )
