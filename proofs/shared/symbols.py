"""The symbols of the book: index sets, tensors, permutations, and attention built from them.

n tokens, m memory tokens; d features, d_k of queries and keys, d_v of values
X the tokens, Y the memory; Q = X W_Q, K = X W_K, V = X W_V
S = Q Kᵀ/√d_k the scores, A = softmax(S) the weights, Z = A V the output
σ permutes the tokens and P is its matrix, (P X)ᵢ = X_{σ(i)}; ρ and R are those of the memory
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from orderproof.proofs.check.claims import Named, Sentence, Show
from orderproof.symbolic.calculus.terms import Op, Set
from orderproof.symbolic.derive.push import Motion
from orderproof.symbolic.models.attention import AttentionLayer
from orderproof.symbolic.models.attention import as_keys as as_keys
from orderproof.symbolic.models.builders import leaf_of, permutation, tensor

n, m, d, d_k, d_v = (Set(name) for name in ("n", "m", "d", "d_k", "d_v"))
sigma, rho = permutation("sigma", n), permutation("rho", m)

X = tensor("X", i=n, c=d)
Y = tensor("Y", j=m, c=d)
W_Q = tensor("W_Q", c=d, k=d_k)
W_K = tensor("W_K", c=d, k=d_k)
W_V = tensor("W_V", c=d, r=d_v)

MATRICES = {sigma: "P", rho: "R"}
LETTERS = {n: "ijl", m: "jl", d: "c", d_k: "k", d_v: "r"}
TOKENS: dict[Op, Motion] = {leaf_of(X): (sigma, None)}  # X ↦ P X
MEMORY: dict[Op, Motion] = {leaf_of(Y): (rho, None)}  # Y ↦ R Y

Attention = partial(AttentionLayer, weights=(W_Q, W_K, W_V))
SELF = Attention(X, as_keys(X))
CROSS = Attention(X, Y)


def rows_of_softmax(column: str) -> Sentence:
    """Why softmax moves with its scores, row by row; `column` is what permutes the columns."""
    return Sentence(
        f"Row i of S′ is row σ(i) of S with its entries in another order, S′[i, j] = "
        f"S[σ(i), {column}(j)]. So the exponentials of the two rows have the same sum, by which "
        "softmax divides them, and the weights of row i of A′ are those of row σ(i), in that other "
        "order."
    )


def show(*named: Named, alike: tuple[Mapping[str, str], ...] = ()) -> Show:
    """How the book writes these tensors."""
    return Show(named, MATRICES, LETTERS, alike=alike)
