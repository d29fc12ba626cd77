"""The symbols of the book: index sets, tensors, permutations, and attention built from them.

n tokens, m memory tokens; d features, d_k of queries and keys, d_v of values
X the tokens, Y the memory; Q = X W_Q, K = X W_K, V = X W_V
S = Q Kᵀ/√d_k the scores, A = softmax(S) the weights, Z = A V the output
σ permutes the tokens and P is its matrix, (P X)ᵢ = X_{σ(i)}; ρ and R are those of the memory

h heads, g groups of them, d_f hidden features, L layers; in matrices a head is a subscript: Q_h,
and W_{O,h} the rows of the output projection that are head h's
γ and β the gain and bias of a norm, ε > 0 what keeps its divisor from 0; θ weights taken together
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from orderproof.check.claims import Atom, Named, Sentence, Show
from orderproof.symbolic.calculus.terms import Map, Node, Op, Set
from orderproof.symbolic.derive.push import Motion
from orderproof.symbolic.models.attention import (
    BLOCK,
    FEED_FORWARD,
    HEADS,
    AttentionLayer,
    Weights,
    Widths,
)
from orderproof.symbolic.models.attention import as_keys as as_keys
from orderproof.symbolic.models.builders import POINT, leaf_of, number, permutation, tensor

n, m, d, d_k, d_v = (Set(name) for name in ("n", "m", "d", "d_k", "d_v"))
h, g, d_f, L = (Set(name) for name in ("h", "g", "d_f", "L"))
ALL = Set("+", (n, POINT))  # the places of a context and of one token after it
sigma, rho = permutation("sigma", n), permutation("rho", m)

X = tensor("X", i=n, c=d)
Y = tensor("Y", j=m, c=d)
W_Q = tensor("W_Q", c=d, k=d_k)
W_K = tensor("W_K", c=d, k=d_k)
W_V = tensor("W_V", c=d, r=d_v)

MATRICES = {sigma: "P", rho: "R"}
LETTERS = {n: "ijl", m: "jl", d: "ce", d_k: "k", d_v: "r", h: "h", g: "g", d_f: "u", L: "l"}
TOKENS: dict[Op, Motion] = {leaf_of(X): (sigma, None)}  # X ↦ P X
MEMORY: dict[Op, Motion] = {leaf_of(Y): (rho, None)}  # Y ↦ R Y

Attention = partial(AttentionLayer, weights=(W_Q, W_K, W_V))
SELF = Attention(X, as_keys(X))
CROSS = Attention(X, Y)


WIDTHS = Widths(i=n, c=d, h=h, k=d_k, r=d_v, u=d_f)
WEIGHTS = WIDTHS.tensors(BLOCK)  # of one block
EPSILON = WEIGHTS["epsilon"]
POSITIVE = Atom(number(0), "<", EPSILON)


def of_all_layers(
    widths: Widths, shapes: Mapping[str, str], layers: Set, suffix: str = ""
) -> Weights:
    """The weights of all layers, with an axis l over the layers; ε, the same in all, without."""
    own = {
        name: tensor(f"{name}{suffix}", **{a: getattr(widths, a) for a in axes}, l=layers)
        for name, axes in shapes.items()
        if name != "epsilon"
    }
    return own | {"epsilon": EPSILON}


OF_LAYERS = of_all_layers(WIDTHS, BLOCK, L)
BUNDLES = {
    tuple(WEIGHTS[name].node for name in HEADS): "theta_A",
    tuple(WEIGHTS[name].node for name in FEED_FORWARD): "theta_F",
    tuple(OF_LAYERS[name].node for name in BLOCK): "theta_L",
}


def rows_of_softmax(column: str) -> Sentence:
    """Why softmax moves with its scores, row by row; `column` is what permutes the columns."""
    return Sentence(
        f"Row i of S′ is row σ(i) of S with its entries in another order, S′[i, j] = "
        f"S[σ(i), {column}(j)]. So the exponentials of the two rows have the same sum, by which "
        "softmax divides them, and the weights of row i of A′ are those of row σ(i), in that other "
        "order."
    )


def show(
    *named: Named,
    alike: tuple[Mapping[str, str], ...] = (),
    letters: Mapping[Set, str] | None = None,
    matrices: Mapping[Map, str] | None = None,
    bundles: Mapping[tuple[Node, ...], str] | None = None,
) -> Show:
    """How the book writes these tensors; with further letters, matrices and bundles."""
    return Show(
        named, MATRICES | dict(matrices or {}), LETTERS | dict(letters or {}), frozenset({h, g}),
        dict(bundles or {}) | BUNDLES, alike,
    )  # fmt: skip
