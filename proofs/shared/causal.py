"""The symbols of the theorems on causal masks: a context, a last token, and a mask as weights.

n tokens of context C, and one more, x, after them: T = (C; x), over n + 1 places
g the rows of the context in a mask as weights, 1 where a token may be looked at, 0 where not
σ permutes the context alone and moves the last token nowhere
"""

from orderproof.proofs.prelude import *

LAST = Map("inr", (n, POINT))
EARLIER = Map("inl", (n, POINT))

C = tensor("C", i=n, c=d)
x = tensor("x", i=POINT, c=d)
T = cat(C, x, "i")
g = tensor("g", i=n, j=ALL)  # the rows of the context alone: the last token attends to all places
W_V = tensor("W_V", c=d, r=d)
ONE = (  # the weights of attention where tokens have one feature
    tensor("u_Q", c=POINT, k=POINT),
    tensor("u_K", c=POINT, k=POINT),
    tensor("u_V", c=POINT, r=POINT),
)
CONTEXT: dict[Op, Motion] = {leaf_of(C): (sigma, None)}  # C ↦ P C


def masked(
    tokens: Term,
    mask: Term | None,
    query: Term | None = None,
    weights: tuple[Term, Term, Term] = (W_Q, W_K, W_V),
) -> AttentionLayer:
    """Attention of tokens over (i, c), masked or not; the queries are other tokens where they are
    given."""
    return AttentionLayer(query or tokens, as_keys(tokens), weights, mask=mask)


def last(t: Term) -> Term:
    """The row of the last token."""
    return at(t, {"i": LAST("i")})


def row_wise(t: Term) -> Term:
    """Any map of each row: a norm, a feed-forward network with its own skip."""
    return opaque("F", {"r": "r"}, t, {"r": d})


def skip(tokens: Term, update: Term) -> Term:
    """The residual: tokens + update."""
    return add(tokens.rename({"c": "r"}), update)


def causal(size: int) -> list[list[int]]:
    """The causal mask as weights: row i attends to the places j ≤ i."""
    return [[int(j <= i) for j in range(size)] for i in range(size)]


def swapped(size: int) -> Witness:
    """Uniform weights, the values (1, 0, …, 0), and the first two tokens swapped."""
    context = [[1]] + [[0]] * (size - 1)
    tensors = {"C": context, "x": [[0]], "W_Q": [[0]], "W_K": [[0]], "W_V": [[1]]}
    return Witness({"n": size, "d": 1, "d_k": 1}, {"sigma": (1, 0, *range(2, size))}, tensors)


show_context = partial(show, letters={POINT: "o", ALL: "ijl"})  # how the book writes these tensors
