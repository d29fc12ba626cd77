"""Self-attention with a mask: added to the scores, as weights on their exponentials, as padding.

M is added to the scores; G are weights, one for each query and key; g are weights of the keys. A
weight 0 stands for −∞ added to the score
"""

from orderproof.proofs.prelude import *

M = tensor("M", i=n, j=n)  # added to the scores
G = tensor("G", i=n, j=n)  # weights, one for each query and key
g = tensor("g", j=n)  # weights of the keys: padding

ADDED, WEIGHTED, PADDED = replace(SELF, score_bias=M), replace(SELF, mask=G), replace(SELF, mask=g)
T, A, Z = ADDED.S, ADDED.A, ADDED.Z
B, Y = WEIGHTED.A, WEIGHTED.Z
C, U = PADDED.A, PADDED.Z

NAMED = (
    *SELF.named("QKVS"),
    Named("T", T, "i", "j"), Named("A", A, "i", "j"), Named("Z", Z, "i", "r"),
    Named("B", B, "i", "j"), Named("Y", Y, "i", "r"),
    Named("C", C, "i", "j"), Named("U", U, "i", "r"),
)  # fmt: skip

MOVES: tuple[Moves, ...] = (  # the tokens, and the mask of each kind
    TOKENS | {leaf_of(M): (sigma, sigma)},
    TOKENS | {leaf_of(G): (sigma, sigma)},
    TOKENS | {leaf_of(g): (sigma,)},
)
MASKS = {  # of weights: none is negative, and no query has none
    Z: [],
    Y: [Atom(number(0), "≤", G), Atom(number(0), "<", total(G, "j"))],
    U: [Atom(number(0), "≤", g), Atom(number(0), "<", total(g, "j"))],
}


def _projected(t: Values) -> list[Array]:
    return [t["X"] @ t[name] for name in ("W_Q", "W_K", "W_V")]


def _added(t: Values) -> Array:
    return reference.attention.attention(*_projected(t), bias=t["M"])


def _weighted(t: Values) -> Array:
    q, k, v = _projected(t)
    return reference.sets.weighted_attention(q, k, v, t["G"] if "G" in t else t["g"])


REFERENCES = {Z: _added, Y: _weighted, U: _weighted}


def masked(t: Term, moves: Moves, *facts: Theorem) -> Claim:
    """That one of Z, Y and U commutes with P, where these tensors move and these facts hold."""
    marks = {"sympy": by_sympy_within(3, 4), "numeric": by_numpy(REFERENCES[t])}
    return equivariance(
        t, moves, {"i": sigma}, marks, facts=facts, row="i", column="r", given=MASKS[t]
    )
