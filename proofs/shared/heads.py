"""Multi-head attention whose keys belong to heads, to groups of heads, or to all; and the same from
the papers.

h heads, g groups of heads, φ(h) the group of head h
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from orderproof.numeric.reference import attention as reference
from orderproof.proofs.check.claims import Named
from orderproof.symbolic.calculus.terms import Term, at
from orderproof.symbolic.models.attention import merged, scores, softmax
from orderproof.symbolic.models.builders import contract, symbol, tensor

from .encoder_symbols import WEIGHTS, g, h
from .symbols import X, as_keys, d, d_k, d_v

W_Q, W_K, W_V, W_O = (WEIGHTS[f"W_{x}"] for x in "QKVO")
U_K, U_V = tensor("U_K", c=d, k=d_k), tensor("U_V", c=d, r=d_v)  # one for all heads
G_K, G_V = tensor("G_K", g=g, c=d, k=d_k), tensor("G_V", g=g, c=d, r=d_v)  # one for each group
phi = symbol("phi", (h,), g)


class Heads:
    """Attention with an axis h of heads, from the keys' and values' weights, and its projection."""

    def __init__(self, keys: Term, values: Term) -> None:
        self.Q = contract(X, W_Q, "c")
        self.K = contract(as_keys(X), keys, "c")
        self.V = contract(as_keys(X), values, "c")
        self.S = scores(self.Q, self.K, "k")
        self.A = softmax(self.S, "j")
        self.Z = contract(self.A, self.V, "j")
        self.O = merged(self.Z, W_O, "h", "r")

    def named(self) -> tuple[Named, ...]:
        """The tensors by name, with their rows and columns."""
        places = {"Q": "ik", "K": "jk", "V": "jr", "S": "ij", "A": "ij", "Z": "ir", "O": "ic"}
        return tuple(Named(x, getattr(self, x), *places[x]) for x in places)


OWN, SHARED = Heads(W_K, W_V), Heads(U_K, U_V)
GROUPED = Heads(at(G_K, {"g": phi("h")}), at(G_V, {"g": phi("h")}))
Values = dict[str, NDArray[Any]]


def projection(t: Values) -> NDArray[Any]:
    """W_O as the papers have it: the heads' rows one below the other."""
    return t["W_O"].reshape(-1, t["W_O"].shape[-1])


def own(t: Values) -> NDArray[Any]:
    """Vaswani et al. 2017, section 3.2.2."""
    weights = (t["W_Q"], t["W_K"], t["W_V"], projection(t))
    return reference.multi_head_attention(t["X"], t["X"], *weights)


def shared(t: Values) -> NDArray[Any]:
    """Shazeer 2019: every head has the same keys and values."""
    keys, values = t["U_K"][None], t["U_V"][None]
    group = [0] * len(t["W_Q"])
    return reference.grouped_query_attention(t["X"], t["W_Q"], keys, values, projection(t), group)


def grouped(t: Values) -> NDArray[Any]:
    """Ainslie et al. 2023: head h has the keys and values of group φ(h)."""
    group = [int(x) for x in np.asarray(t["phi"])]
    return reference.grouped_query_attention(
        t["X"], t["W_Q"], t["G_K"], t["G_V"], projection(t), group
    )
