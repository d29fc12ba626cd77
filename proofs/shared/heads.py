"""Multi-head attention whose keys belong to heads, to groups of heads, or to all; and the same from
the papers.

h heads, g groups of heads, φ(h) the group of head h
"""

from orderproof.proofs.prelude import *
from orderproof.proofs.symbols import WEIGHTS, g

W_Q, W_K, W_V, W_O = (WEIGHTS[f"W_{x}"] for x in "QKVO")
U_K, U_V = tensor("U_K", c=d, k=d_k), tensor("U_V", c=d, r=d_v)  # one for all heads
G_K, G_V = tensor("G_K", g=g, c=d, k=d_k), tensor("G_V", g=g, c=d, r=d_v)  # one for each group
phi = symbol("phi", (h,), g)


def heads(keys: Term, values: Term) -> AttentionLayer:
    """Attention with an axis h of heads, from the keys' and values' weights, and its projection."""
    return AttentionLayer(X, as_keys(X), (W_Q, keys, values), output=W_O)


OWN, SHARED = heads(W_K, W_V), heads(U_K, U_V)
GROUPED = heads(at(G_K, {"g": phi("h")}), at(G_V, {"g": phi("h")}))
ACROSS = AttentionLayer(X, Y, (W_Q, W_K, W_V), output=W_O)  # to a memory


def projection(t: Values) -> Array:
    """W_O as the papers have it: the heads' rows one below the other."""
    return t["W_O"].reshape(-1, t["W_O"].shape[-1])


def across(t: Values) -> Array:
    """Vaswani et al. 2017, section 3.2.2, with keys and values from a memory: section 3.2.3."""
    weights = (t["W_Q"], t["W_K"], t["W_V"], projection(t))
    return reference.attention.multi_head_attention(t["X"], t["Y"], *weights)


def own(t: Values) -> Array:
    """The same with the tokens as their own memory."""
    return across(t | {"Y": t["X"]})


def grouped(t: Values) -> Array:
    """Ainslie et al. 2023: head h has the keys and values of group φ(h)."""
    weights = (t["W_Q"], t["G_K"], t["G_V"], projection(t))
    group = [int(x) for x in np.asarray(t["phi"])]
    return reference.attention.grouped_query_attention(t["X"], *weights, group)


def shared(t: Values) -> Array:
    """Shazeer 2019: every head has the same keys and values, those of one group."""
    group = np.zeros(len(t["W_Q"]), int)
    return grouped(t | {"G_K": t["U_K"][None], "G_V": t["U_V"][None], "phi": group})
