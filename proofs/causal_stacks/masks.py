"""Self-attention with a mask: added to the scores, as weights on their exponentials, as padding.

M is added to the scores; G are weights, one for each query and key; g are weights of the keys. A
weight 0 stands for −∞ added to the score
"""

from orderproof.proofs.prelude import *

M, G, g = tensor("M", i=n, j=n), tensor("G", i=n, j=n), tensor("g", j=n)
ADDED, WEIGHTED, PADDED = replace(SELF, score_bias=M), replace(SELF, mask=G), replace(SELF, mask=g)

NAMED = (
    *SELF.named("QKVS"),
    Named("T", ADDED.S, "i", "j"), Named("A", ADDED.A, "i", "j"), Named("Z", ADDED.Z, "i", "r"),
    Named("B", WEIGHTED.A, "i", "j"), Named("Y", WEIGHTED.Z, "i", "r"),
    Named("C", PADDED.A, "i", "j"), Named("U", PADDED.Z, "i", "r"),
)  # fmt: skip


def expected(t: Values) -> Array:
    """Attention with the mask that is given, from the papers."""
    q, k, v = (t["X"] @ t[name] for name in ("W_Q", "W_K", "W_V"))
    if "M" in t:
        return reference.attention.attention(q, k, v, bias=t["M"])
    return reference.sets.weighted_attention(q, k, v, t["G"] if "G" in t else t["g"])


def masked(*, mask_moves: bool) -> list[Claim]:
    """Attention with each of the masks commutes with P: if the mask is permuted with the tokens; or
    if it is not, and P leaves it as it is."""
    marks = {"sympy": by_sympy_within(3, 4), "numeric": by_numpy(expected)}
    claims = []
    for layer, mask in ((ADDED, M), (WEIGHTED, G), (PADDED, g)):
        by = {str(axis): sigma for axis in mask.axes}
        moves = TOKENS | ({leaf_of(mask): tuple(by.values())} if mask_moves else {})
        facts = [] if mask_moves else [fixed(mask, **by)]
        weights = [Atom(number(0), "≤", mask), Atom(number(0), "<", total(mask, "j"))]
        given = [] if mask is M else weights
        claims.append(
            equivariance(
                layer.Z, moves, {"i": sigma}, marks, facts=facts, row="i", column="r", given=given
            )
        )
    return claims
