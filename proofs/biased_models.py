"""More of a model under a bias of the scores: several heads, each with its own, and several layers.

G_h the weights of head h on exp(s); Z_h its output, O the sum of all heads' projections
H the tokens after two layers, each with its skip and a row-wise map (a norm, a feed-forward map)
"""

from __future__ import annotations

from collections.abc import Iterator

from orderproof.symbolic import kernel
from orderproof.symbolic.architecture import masked_softmax, merged, scores
from orderproof.symbolic.kernel import Theorem
from orderproof.symbolic.language import add, contract, image, opaque, tensor
from orderproof.symbolic.terms import Term

from .claims import Named
from .vocabulary import TOKENS, X, as_keys, d, d_k, d_v, n
from .vocabulary_encoder import h

G_H = tensor("G_h", h=h, i=n, j=n)
Q_H = contract(X, tensor("W_Qh", h=h, c=d, k=d_k), "c")
K_H = contract(as_keys(X), tensor("W_Kh", h=h, c=d, k=d_k), "c")
V_H = contract(as_keys(X), tensor("W_Vh", h=h, c=d, r=d_v), "c")
Z_H = contract(masked_softmax(scores(Q_H, K_H, "k"), G_H, "j"), V_H, "j")
HEADS = merged(Z_H, tensor("W_O", h=h, r=d_v, c=d), "h", "r")
LAYERS = (1, 2)


def one_head() -> Theorem:
    """Σₕ δ(q, h) Zₕ = Z_q: with the projections of all other heads 0, a head is seen alone."""
    return kernel.sum_delta(Z_H, "h", "q")


def deep(mask: Term, *, maps: bool = True) -> tuple[Term, ...]:
    """The tokens after each layer, with row-wise maps after each skip or without."""
    found = [X]
    for layer in LAYERS:
        tokens = found[-1]
        weights = [tensor(f"{name}{layer}", c=d, k=d_k) for name in ("W_Q", "W_K")]
        q, k = contract(tokens, weights[0], "c"), contract(as_keys(tokens), weights[1], "c")
        v = contract(as_keys(tokens), tensor(f"W_V{layer}", c=d, r=d), "c")
        update = contract(masked_softmax(scores(q, k, "k"), mask, "j"), v, "j")
        after = add(tokens, update.rename({"r": "c"}))
        found.append(opaque(f"F_{layer}", {"c": "c"}, after, {"c": d}) if maps else after)
    return tuple(found[1:])


def named(name: str, layers: tuple[Term, ...]) -> Iterator[Named]:
    """Names for the tokens after each layer, of X and of P X."""
    for k, tokens in enumerate(layers, 1):
        yield Named(f"{name}_{k}", tokens, "i", "c")
        yield Named(f"{name}'_{k}", image(tokens, TOKENS), "i", "c")
