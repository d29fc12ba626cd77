"""More of a model under a bias of the scores: several heads, each with its own, and several layers.

G_h the weights of head h on exp(s); Z_h its output, O the sum of all heads' projections
H the tokens after two layers, each with its skip and a row-wise map (a norm, a feed-forward map)
"""

from __future__ import annotations

from orderproof.symbolic import kernel
from orderproof.symbolic.architecture import masked_softmax, merged, scores
from orderproof.symbolic.kernel import Theorem
from orderproof.symbolic.language import add, contract, opaque, tensor
from orderproof.symbolic.terms import Term

from .claims import Named
from .vocabulary import X, as_keys, d, d_k, d_v, n
from .vocabulary_encoder import h

G_H = tensor("G_h", h=h, i=n, j=n)
Q_H = contract(X, tensor("W_Qh", h=h, c=d, k=d_k), "c")
K_H = contract(as_keys(X), tensor("W_Kh", h=h, c=d, k=d_k), "c")
V_H = contract(as_keys(X), tensor("W_Vh", h=h, c=d, r=d_v), "c")
S_H = scores(Q_H, K_H, "k")
A_H = masked_softmax(S_H, G_H, "j")
Z_H = contract(A_H, V_H, "j")
HEADS = merged(Z_H, tensor("W_O", h=h, r=d_v, c=d), "h", "r")
HEAD_PARTS = tuple(
    Named(f"{name}_h", t, *axes)
    for name, t, axes in zip(
        "QKVSAZ", (Q_H, K_H, V_H, S_H, A_H, Z_H), ("ik", "jk", "jr", "ij", "ij", "ir"), strict=True
    )
)
LAYERS = (1, 2)


def one_head() -> Theorem:
    """Σₕ δ(q, h) Zₕ = Z_q: with the projections of all other heads 0, a head is seen alone."""
    return kernel.sum_delta(Z_H, "h", "q")


def deep(mask: Term, name: str, *, maps: bool = True) -> tuple[Named, ...]:
    """The parts of each layer and the tokens after it, those last; row-wise maps after each skip,
    or none."""
    tokens, found = X, []
    for layer in LAYERS:
        of, after = f"_{name}{layer}", f"{name}_{layer}"
        weights = [tensor(f"{w}{layer}", c=d, k=d_k) for w in ("W_Q", "W_K")]
        q, k = contract(tokens, weights[0], "c"), contract(as_keys(tokens), weights[1], "c")
        v = contract(as_keys(tokens), tensor(f"W_V{layer}", c=d, r=d), "c")
        shares = masked_softmax(scores(q, k, "k"), mask, "j")
        update = contract(shares, v, "j").rename({"r": "c"})
        found += [
            Named(f"Q{of}", q, "i", "k"), Named(f"K{of}", k, "j", "k"),
            Named(f"V{of}", v, "j", "r"), Named(f"S{of}", scores(q, k, "k"), "i", "j"),
            Named(f"A{of}", shares, "i", "j"),
        ]  # fmt: skip
        tokens = add(tokens, update)
        if maps:
            tokens = opaque(f"F{layer}", {"c": "c"}, tokens, {"c": d})
        found.append(Named(after, tokens, "i", "c"))
    return tuple(found)
