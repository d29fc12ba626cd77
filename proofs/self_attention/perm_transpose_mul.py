"""Pᵀ P = I: a permutation matrix is undone by its transpose.

P is the matrix of σ: P[i, σ(i)] = 1 and every other entry is 0, that is P[i, j] = δ(σ(i), j).
Then P X is X with row σ(i) at place i, and P_σ P_τ = P_{τ∘σ}. Everywhere else in the book P t is
the term t with its row axis moved; this file says that it is a matrix product as well.
"""

from orderproof.proofs.prelude import *

tau, same = permutation("tau", n), Map("identity", (n,))
D, D_k = delta(n, "i", "j"), delta(n, "i", "k")
P = moved(D, i=sigma)  # P[i, j] = δ(σ(i), j)
T = moved(delta(n, "j", "l"), j=tau)  # the matrix of τ
T_X = contract(T, X.rename({"i": "l"}), "l")
X_j = X.rename({"i": "j"})
FLIP = chain(  # δ(i, j) = δ(j, i)
    kernel.sym(kernel.at_at(D, {a: same(a) for a in D.axes}, {})), kernel.at_delta(same)
)


def transpose_times() -> kernel.Theorem:
    """Σᵢ P[i, j] P[i, k] = δ(j, k): reindex i, turn δ round, pick the one term that is left."""
    product = multiply(D, D_k)
    entries = kernel.sym(kernel.at_op(product, {"i": sigma("i")}))  # P[i, j] P[i, k]
    together = kernel.cong(contract(P, P.rename({"j": "k"}), "i"), [entries])
    reindexed = kernel.sym(kernel.reindex("sum", product, "i", sigma))
    turned = kernel.cong(contract(D, D_k, "i"), [kernel.cong(product, [FLIP, None])])
    return chain(together, reindexed, turned, kernel.sum_delta(D_k, "i", "j"))


def composition() -> kernel.Theorem:
    """Σⱼ P[i, j] Σₗ T[j, l] X[l, c] = X[τ(σ(i)), c]: first the inner sum, then the outer."""
    inner = kernel.sum_delta(X.rename({"i": "l"}), "l", tau("j"))
    outer = kernel.sum_delta(moved(X_j, j=tau), "j", sigma("i"))
    start = kernel.cong(contract(P, T_X, "j"), [kernel.cong(multiply(P, T_X), [None, inner])])
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
    identity, after = delta(n, "j", "k"), at(X, {"i": tau(sigma("i"))})
    square, twice, once = transpose_times(), composition(), kernel.sum_delta(X_j, "j", sigma("i"))
    P_P = contract(P, P.rename({"j": "k"}), "i")
    acts = equality(contract(P, X_j, "j"), moved(X, i=sigma), once, marks)
    return Proof(
        claims=in_rocq(
            "perm_transpose_mul",
            equality(P_P, identity, square, marks, row="j", column="k"),
            acts,
            equality(contract(P, T_X, "j"), after, twice, marks),
        ),
        derivation="""
            Σ_i P[i, j] P[i, k] = Σ_i δ[σ(i), j] δ[σ(i), k]   entry by entry
                                = Σ_i δ[i, j] δ[i, k]   sum_act
                                = Σ_i δ[j, i] δ[i, k]   δ[i, j] = δ[j, i]
                                = δ[j, k]               Σ_j δ[i, j] a[j] = a[i]

            Σ_j P[i, j] (Σ_l T[j, l] X[l, c]) = Σ_j P[i, j] X[τ(j), c]   Σ_j δ[i, j] a[j] = a[i]
                                              = X[τ(σ(i)), c]   Σ_j δ[i, j] a[j] = a[i]
        """,
        planted=nearby(
            acts,
            "Row i of Pᵀ X is row σ⁻¹(i) of X: at a 3-cycle the two differ.",
            rhs=moved(X, i=inverse(sigma)),
        ),
        show=show(Named("P", P), Named("T", T)),
        chains=((Named("Pᵀ P", identity), square), (Named("The product of two", after), twice)),
        lemmas={FLIP: "δ[i, j] = δ[j, i]"},
    )
