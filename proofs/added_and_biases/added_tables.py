"""A position table added to the tokens; and with one feature and all weights 1, the tokens X = −Pᵀe
for which attention does not commute with P.

E a table, e one with a single feature; u_Q, u_K and u_V weights of one number. With those tokens
P X + e is 0, and the attention of X + e is that of D = e − Pᵀe
"""

from orderproof.proofs.prelude import *

E = tensor("E", i=n, c=d)
e = tensor("e", i=n, c=POINT)  # one feature of a table
WITH_TABLE = Attention(add(X, E), as_keys(add(X, E)))
U_Q, U_K = (tensor(name, c=POINT, k=POINT) for name in ("u_Q", "u_K"))
U_V = tensor("u_V", c=POINT, r=POINT)
ONES = [Atom(u, "=", number(1)) for u in (U_Q, U_K, U_V)]
MOVED_TABLE = Atom(moved(e, i=sigma), "≠", e, some=True)

OPPOSITE = pointwise("neg", moved(e, i=inverse(sigma)))  # −Pᵀe


def parts(name: str, tokens: Term) -> tuple[Named, ...]:
    """Tokens with one feature by this name, and the parts of their attention, output last."""
    layer = AttentionLayer(tokens, as_keys(tokens), (U_Q, U_K, U_V))
    return Named(name, tokens, "i", "c"), *layer.named(of=f"_{name}")


ZERO, DIFFERENCE = parts("O", add(moved(OPPOSITE, i=sigma), e)), parts("D", add(OPPOSITE, e))
SIDES = ZERO[-1].term, moved(DIFFERENCE[-1].term, i=sigma)  # f(P X) and P f(X)


def table_moved(claim: Claim) -> Neighbour:
    """The falsehood beside a claim that these sides differ."""
    both = add(moved(OPPOSITE, i=sigma), moved(e, i=sigma))
    reason = "If the table is permuted with the tokens, both sides are the attention of D."
    return nearby(claim, reason, lhs=parts("", both)[-1].term)
