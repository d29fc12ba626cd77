"""The symbols of the book: index sets, tensors, permutations, and attention built from them.

n tokens, m memory tokens; d features, d_k of queries and keys, d_v of values
X the tokens, Y the memory; Q = X W_Q, K = X W_K, V = X W_V
S = Q Kᵀ/√d_k the scores, A = softmax(S) the weights, Z = A V the output
σ permutes the tokens and P is its matrix, (P X)ᵢ = X_{σ(i)}; ρ and R are those of the memory
"""

from __future__ import annotations

from collections.abc import Mapping

from orderproof.proofs.check.claims import Named, Show
from orderproof.symbolic.calculus.terms import Op, Set, Term
from orderproof.symbolic.derive.push import Motion
from orderproof.symbolic.models.attention import scores, softmax
from orderproof.symbolic.models.builders import contract, leaf_of, permutation, tensor

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


class Attention:
    """Queries from one sequence (axis i), keys and values from one (axis j), and what follows."""

    def __init__(
        self, queries: Term, memory: Term, weights: tuple[Term, Term, Term] = (W_Q, W_K, W_V)
    ) -> None:
        self.Q = contract(queries, weights[0], "c")
        self.K = contract(memory, weights[1], "c")
        self.V = contract(memory, weights[2], "c")
        self.S = scores(self.Q, self.K, "k")
        self.A = softmax(self.S, "j")
        self.Z = contract(self.A, self.V, "j")

    def named(self, upto: str = "QKVSAZ", of: str = "") -> tuple[Named, ...]:
        """The tensors by name, with their rows and columns, in the order of the derivation; `of`
        after each letter."""
        places = {"Q": "ik", "K": "jk", "V": "jr", "S": "ij", "A": "ij", "Z": "ir"}
        return tuple(Named(f"{x}{of}", getattr(self, x), *places[x]) for x in upto)


def as_keys(tokens: Term) -> Term:
    """The same tokens in the role of keys and values: their axis called j."""
    return tokens.rename({"i": "j"})


SELF = Attention(X, as_keys(X))
CROSS = Attention(X, Y)


def show(*named: Named, alike: tuple[Mapping[str, str], ...] = ()) -> Show:
    """How the book writes these tensors."""
    return Show(named, MATRICES, LETTERS, alike=alike)
