"""Masked attention commutes with P where P leaves the mask as it is: P M Pᵀ = M.

Moved along, a mask moves nothing else (mask_transport); left where it is, it breaks the symmetry,
except for those P that leave it as it is: then f(P X, M) = f(P X, P M Pᵀ) = P f(X, M).
"""

from orderproof.proofs.prelude import *

from .masks import ADDED, NAMED, masked


@theorem(
    title="Masked attention commutes with the permutations that fix the mask",
    words="Attention commutes with P if P fixes the mask: added to the scores, as weights g ≥ 0 "
    "of which no query has only 0, and as padding.",
    source="masks: Vaswani et al. 2017, section 3.2.3",
    citations=("vaswani2017",),
    uses=("mask_transport", "perm_transpose_mul", "qkv_equivariant", "softmax_conjugate"),
)
def equivariant_of_fixed_mask() -> Proof:
    """Here Z_0, Y_0 and U_0 are the outputs for permuted tokens, with the mask as it is. By
    hypothesis that is the mask permuted, and mask_transport applies.
    """
    still = masked(mask_moves=False)
    kept = Named("The mask as it is, with P M Pᵀ = M", ADDED.Z, "i", "r")
    images = [
        replace(x, name=f"{x.name}_0", term=image(x.term, TOKENS))
        for x in NAMED
        if x.name in "ZBYCU"
    ]
    return Proof(
        claims=in_rocq("mask_transport", *still),
        derivation="""
            Z_0 = softmax(((P X) W_Q) ((P X) W_K)ᵀ / √(d_k) + P M Pᵀ) ((P X) W_V)   by hypothesis
                = softmax((P Q) (P K)ᵀ / √(d_k) + P M Pᵀ) (P V)   (A B) C = A (B C)
                = softmax(P (Q Kᵀ) Pᵀ / √(d_k) + P M Pᵀ) (P V)   (A B)ᵀ = Bᵀ Aᵀ; (A B) C = A (B C)
                = softmax(P S Pᵀ + P M Pᵀ) (P V)   entry by entry
                = softmax(P T Pᵀ) (P V)            P A + P B = P (A + B)
                = (softmax(P T) Pᵀ) (P V)          softmax_conjugate
                = (P A Pᵀ) (P V)                   softmax acts on each row
                = (P A) V                          Pᵀ P = I (perm_transpose_mul)
                = P Z                              (A B) C = A (B C)
        """,
        planted=nearby(
            still[0],
            "Without the hypothesis it fails: a mask that P does not fix can break the symmetry.",
            given=frozenset(),
        ),
        show=show(*NAMED, *images),
        pushed=(),
        chains=((kept, still[0].pushed.theorem),),
    )
