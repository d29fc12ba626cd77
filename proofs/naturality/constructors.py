"""A term for each constructor of the calculus; every tensor that carries a token axis moves."""

from orderproof.proofs.prelude import *
from orderproof.symbolic.calculus.kernel import hyp

B = tensor("B", i=n, j=n)
q, tau, g = constant("q", n), permutation("tau", n), symbol("g", (n,), m)
place = iota(n, "i")
MOVES: dict[Op, Motion] = TOKENS | {leaf_of(B): (sigma, sigma)}  # all that carries a token axis
BESIDE = Map("beside", (sigma, sigma))


def same(left: Index, right: Index) -> Theorem:
    """The hypothesis that two indices are one."""
    return hyp(at(place, {"i": left}), at(place, {"i": right}))


FIXED = same(sigma(q()), q())  # σ(q) = q
COMMUTES = same(sigma(tau("i")), tau(sigma("i")))  # σ∘τ = τ∘σ

X_j = X.rename({"i": "j"})
F = opaque("f", {"c": "c"}, add(X, contract(softmax(B, "j"), X_j, "j")), {"h": d})
G = add(reduce("max", multiply(B, X_j), "j"), contract(delta(n, "i", "j"), X_j, "j"))
C = cat(X, exp(X), "i")
H = multiply(X, at(Y, {"j": g(q())}))
W = weigh("w", X, X_j, "c")
D = at(B, {"j": "i"})
x = at(X, {"i": q()})
T = add(X, at(X, {"i": tau("i")}))


def natural(t: Term, out: Mapping[str, Map], row: Name | None, *facts: Theorem) -> Claim:
    """That a term moves with its tensors, its axes by `out`, where these facts hold."""
    marks = {"sympy": by_sympy_within(3, 2), "numeric": by_numpy()}
    column = next((a for a in t.axes if a != row), None) if row else None
    return equivariance(t, MOVES, out, marks, facts=facts, row=row, column=column)


show_terms = partial(show, matrices={BESIDE: "P_2"})  # P₂ = diag(P, P)
