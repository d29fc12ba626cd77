"""Order enters a term only through what is not permuted: the master theorem.

Permute every tensor that carries an axis of the index set, and the value of a term is permuted. It
is proved by induction on the term, one constructor at a time, which is what the derivations of
this book do: a function acts entry by entry, a reduction does not depend on an order, two joined
parts move side by side, a definition moves as its body does. Below, a term for each constructor
that asks for nothing. What a term selects, and a map that stands in it, ask for a hypothesis
(naturality_of_fixed_index). What it reads as a number, the axes of an operator of which nothing is
known, and that of the layers of an iterate must stay in place (`sees_no_order` in Naturality.v).
"""

from orderproof.proofs.prelude import *

B = tensor("B", i=n, j=n)
MOVES: Moves = TOKENS | {leaf_of(B): (sigma, sigma)}  # all that carries a token axis
BESIDE = Map("beside", (sigma, sigma))
X_j = as_keys(X)

F = opaque("f", {"c": "c"}, add(X, contract(softmax(B, "j"), X_j, "j")), {"h": d})
G = add(reduce("max", multiply(B, X_j), "j"), contract(delta(n, "i", "j"), X_j, "j"))
H = multiply(X, at(Y, {"j": symbol("g", (n,), m)(constant("q", n)())}))
W = weigh("w", X, X_j, "c")
D = at(B, {"j": "i"})
C = cat(X, exp(X), "i")


def natural(t: Term, out: Mapping[str, Map], *facts: Theorem) -> Claim:
    """A term moves with its tensors, its axes by `out`, where these facts hold."""
    marks = {"sympy": by_sympy_within(3, 2), "numeric": by_numpy()}
    row, column = sorted(t.axes, key=lambda a: a != "i") if len(t.axes) == 2 else (None, None)
    return equivariance(t, MOVES, out, marks, facts=facts, row=row, column=column)


@theorem(
    title="Order enters only through what is not permuted",
    words=(
        (
            "Permute every tensor that carries a token axis, and the value of a term is "
            "permuted: shown for a definition with a sum and a map of rows, a maximum and "
            "the identity, a gather from what is not permuted, a function of two rows, a "
            "diagonal, and two parts concatenated."
        ),
        Sentence("Other terms are derived with the same rules."),
    ),
    source="the design of this book; compare Romero and Cordonnier 2021",
    citations=("romero2021",),
    uses=("sum_act", "perm_transpose_mul", "softmax_conjugate"),
)
def naturality() -> Proof:
    """By induction on the term. A function acts entry by entry, and does not care where an entry
    stands; a sum or a maximum does not depend on an order (sum_act); two parts that are joined move
    side by side; a definition moves as its body does. For the first term, in which a table of
    scores is softmaxed and applied to the tokens,
    {chain F}
    The others are shorter.
    """
    rows = {"i": sigma}
    each = (F, rows), (G, rows), (H, rows), (W, rows | {"j": sigma}), (D, rows), (C, {"i": BESIDE})
    claims = [natural(t, out) for t, out in each]
    return Proof(
        claims=in_rocq("naturality", *claims),  # for all terms: each of these is one
        derivation="""
            F′ = f(P X + softmax(P B Pᵀ) (P X))            by definition
               = f(P X + (softmax(P B) Pᵀ) (P X))          softmax_conjugate
               = f(P X + (P softmax(B) Pᵀ) (P X))          softmax acts on each row
               = f(P X + (P softmax(B)) X)                 Pᵀ P = I (perm_transpose_mul)
               = f(P X + P (softmax(B) X))                 (A B) C = A (B C)
               = f(P (X + softmax(B) X))                   P A + P B = P (A + B)
               = P f(X + softmax(B) X)                     f acts on each row
               = P F                                       by definition

            G′[i, c] = max_j B[σ(i), σ(j)] X[σ(j), c] + Σ_j δ[i, j] X[σ(j), c]   by definition
                     = max_j B[σ(i), σ(j)] X[σ(j), c] + Σ_j δ[j, i] X[σ(j), c]   δ[i, j] = δ[j, i]
                     = max_j B[σ(i), j] X[j, c] + Σ_j δ[σ(i), σ(j)] X[σ(j), c]
                                                           sum_act; a bijection is injective
                     = max_j B[σ(i), j] X[j, c] + Σ_j δ[σ(i), j] X[j, c]   sum_act
                     = (P G)[i, c]                         by definition

            H′[i, c] = X[σ(i), c] Y[g(q), c]               by definition
                     = (P H)[i, c]                         by definition

            W′[i, j] = w(X[σ(i)], X[σ(j)])                 by definition
                     = (P W Pᵀ)[i, j]                      by definition

            D′[i] = B[σ(i), σ(i)]                          by definition
                  = D[σ(i)]                                by definition

            C′[i, c] = [X[σ(j), c]; exp(X[σ(j), c])][i]    by definition
                     = [X[j, c]; exp(X[j, c])][(σ+σ)(i)]   on each part
                     = (P_2 C)[i, c]                       by definition
        """,
        planted=transposed(claims[0]),
        show=show(
            Named("F", F, "i", "h"),
            Named("G", G, "i", "c"),
            Named("H", H, "i", "c"),
            Named("W", W, "i", "j"),
            Named("D", D),
            Named("C", C, "i", "c"),
            matrices={BESIDE: "P_2"},  # P₂ = diag(P, P)
        ),
        titles={
            "F": "A definition, a sum, any map of each row",
            "G": "Another reduction; the identity matrix",
            "H": "A gather from what is not permuted: row g(q) of Y, for all rows",
            "W": "Any function of two rows",
            "D": "A diagonal",
            "C": "Two concatenated parts; P₂ = diag(P, P)",
        },
    )
