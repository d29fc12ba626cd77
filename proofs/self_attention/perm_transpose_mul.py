"""Pᵀ P = I: a permutation matrix is undone by its transpose.

P is the matrix of σ: P[i, σ(i)] = 1 and every other entry is 0, that is P[i, j] = δ(σ(i), j).
Then P X is X with row σ(i) at place i, and P_σ P_τ = P_{τ∘σ}. Everywhere else in the book P t is
the term t with its row axis moved; this file says that it is a matrix product as well.
"""

from functools import cache

from orderproof.proofs.prelude import *
from orderproof.symbolic.calculus.terms import build
from orderproof.symbolic.derive.push import refl

tau = permutation("tau", n)
P = moved(delta(n, "i", "j"), i=sigma)  # P[i, j] = δ(σ(i), j)
T = moved(delta(n, "j", "l"), j=tau)  # the matrix of τ
T_X = contract(T, X.rename({"i": "l"}), "l")


@cache
def symmetric(t: Term) -> kernel.Theorem:
    """δ(i, j) = δ(j, i)"""
    same = Map("identity", (n,))
    renamed = kernel.at_at(t, {a: same(a) for a in t.axes}, {})
    return chain(kernel.sym(renamed), kernel.at_delta(same))


def transpose_times() -> kernel.Theorem:
    """Σᵢ P[i, j] P[i, k] = δ(j, k): reindex i, turn δ round, pick the one term that is left."""
    left, right = delta(n, "i", "j"), delta(n, "i", "k")
    product = build(Op("pointwise", ("mul", 2)), [left, right], [(), ()])
    moved_product = kernel.at_op(product, {"i": sigma("i")})  # product moved = P[i, j] P[i, k]
    start = contract(P, P.rename({"j": "k"}), "i")
    together = kernel.cong(start, [kernel.sym(moved_product)])
    still = kernel.sym(kernel.reindex("sum", product, "i", sigma))
    flip = symmetric(left)
    turned = kernel.cong(contract(left, right, "i"), [kernel.cong(product, [flip, refl(right)])])
    return chain(together, still, turned, kernel.sum_delta(right, "i", "j"))


def times_tensor() -> kernel.Theorem:
    """Σⱼ P[i, j] X[j, c] = X[σ(i), c]"""
    return kernel.sum_delta(X.rename({"i": "j"}), "j", sigma("i"))


def composition() -> kernel.Theorem:
    """Σⱼ P[i, j] Σₗ T[j, l] X[l, c] = X[τ(σ(i)), c]: first the inner sum, then the outer."""
    X_j = X.rename({"i": "j"})
    inner = kernel.sum_delta(X.rename({"i": "l"}), "l", tau("j"))
    outer = kernel.sum_delta(moved(X_j, j=tau), "j", sigma("i"))
    product = build(Op("pointwise", ("mul", 2)), [P, T_X], [(), ()])
    start = kernel.cong(total(product, "j"), [kernel.cong(product, [refl(P), inner])])
    return chain(start, outer, kernel.at_at(X_j, {"j": tau("j")}, {"j": sigma("i")}))


@theorem(
    title="The transpose of a permutation matrix is its inverse",
    words=(
        Sentence("PᵀP = I.", (0,)),
        Sentence("P X is X with its rows permuted by σ.", (1,)),
        Sentence("P_σ P_τ is the matrix of τ∘σ.", (2,)),
    ),
    source="Why positionnal Embedding Matters?, the last step of the proof",
    uses=("sum_act",),
)
def perm_transpose_mul() -> Proof:
    marks = {"sympy": by_sympy, "numeric": by_numpy()}
    inside = equality(
        contract(P, P.rename({"j": "k"}), "i"),
        delta(n, "j", "k"),
        transpose_times(),
        marks,
        row="j",
        column="k",
    )
    P_X = contract(P, X.rename({"i": "j"}), "j")
    acts = equality(P_X, moved(X, i=sigma), times_tensor(), marks)
    both = composition()
    after = at(X, {"i": tau(sigma("i"))})
    return Proof(
        claims=in_rocq(
            "perm_transpose_mul", inside, acts, equality(contract(P, T_X, "j"), after, both, marks)
        ),
        derivation="""
            Σ_i P[i, j] P[i, k] = Σ_i δ[σ(i), j] δ[σ(i), k]   entry by entry
                                = Σ_i δ[i, j] δ[i, k]   Lemma 1
                                = Σ_i δ[j, i] δ[i, k]   δ[i, j] = δ[j, i]
                                = δ[j, k]               Σ_j δ[i, j] a[j] = a[i]

            Σ_j P[i, j] (Σ_l T[j, l] X[l, c]) = Σ_j P[i, j] X[τ(j), c]   Σ_j δ[i, j] a[j] = a[i]
                                              = X[τ(σ(i)), c]   Σ_j δ[i, j] a[j] = a[i]
        """,
        neighbour=nearby(
            acts,
            "Row i of Pᵀ X is row σ⁻¹(i) of X: at a 3-cycle the two differ.",
            rhs=moved(X, i=inverse(sigma)),
        ),
        show=show(Named("P", P), Named("T", T)),
        chains=(
            (Named("Pᵀ P", delta(n, "j", "k")), transpose_times()),
            (Named("The product of two", after), both),
        ),
        lemmas={symmetric(delta(n, "i", "j")): "δ[i, j] = δ[j, i]"},
    )
