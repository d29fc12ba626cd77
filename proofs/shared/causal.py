"""The symbols of the theorems on causal masks: a context, a last token, and attention under a mask.

n tokens of context C, and one more, x, after them: T = (C; x), over n + 1 places
σ permutes the context alone and moves the last token nowhere
"""

from orderproof.proofs.prelude import *

C, x = tensor("C", i=n, c=d), tensor("x", i=POINT, c=d)
W_V = tensor("W_V", c=d, r=d)
CONTEXT: Moves = {leaf_of(C): (sigma, None)}  # C ↦ P C


def masked(
    tokens: Term,
    mask: Term | None,
    query: Term | None = None,
    weights: tuple[Term, Term, Term] = (W_Q, W_K, W_V),
) -> AttentionLayer:
    """Attention of tokens over (i, c), with a mask as weights where one is given; the queries are
    other tokens where they are given."""
    return AttentionLayer(query or tokens, as_keys(tokens), weights, mask=mask)


def last(t: Term) -> Term:
    """The row of the last token."""
    return at(t, {"i": Map("inr", (n, POINT))("i")})


def swapped(size: int) -> Witness:
    """Uniform weights, the values (1, 0, …, 0), and the first two tokens swapped."""
    context = [[1]] + [[0]] * (size - 1)
    tensors = {"C": context, "x": [[0]], "W_Q": [[0]], "W_K": [[0]], "W_V": [[1]]}
    return Witness({"n": size, "d": 1, "d_k": 1}, {"sigma": (1, 0, *range(2, size))}, tensors)


show_context = partial(show, letters={POINT: "o", ALL: "ijl"})  # how the book writes these tensors
