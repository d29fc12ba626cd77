"""Order enters a term only through what is not permuted: the master theorem.

Permute every tensor that carries an axis of the index set, and the value of a term is permuted. It
is proved by induction on the term, one constructor at a time, which is what the derivations of
this book do: a function acts entry by entry, a reduction does not see an order, two joined parts
move side by side, a definition moves as its body does. Two things must be given: an index that
the term selects is one that σ leaves in its place, and a map that stands in the term commutes with
σ. Below, a term for each constructor.
"""

from collections.abc import Mapping
from dataclasses import replace

from orderproof.proofs.book.script import main
from orderproof.proofs.check.claims import (
    Claim,
    Named,
    Sentence,
    Show,
    TheoremFile,
    equivariance,
    in_rocq,
    nearby,
)
from orderproof.proofs.marks.numeric import by_numpy
from orderproof.proofs.marks.sympy_entries import by_sympy_within
from orderproof.proofs.shared.symbols import LETTERS, MATRICES, TOKENS, X, Y, d, m, n, sigma
from orderproof.symbolic.calculus.kernel import Theorem, hyp
from orderproof.symbolic.calculus.terms import Index, Map, Name, Op, Term, at
from orderproof.symbolic.derive.push import Motion
from orderproof.symbolic.models.attention import softmax
from orderproof.symbolic.models.builders import (
    add,
    cat,
    contract,
    delta,
    exp,
    iota,
    leaf_of,
    multiply,
    opaque,
    permutation,
    place,
    reduce,
    symbol,
    tensor,
)
from orderproof.symbolic.models.variants import weigh

B = tensor("B", i=n, j=n)
q, tau, g = place("q", n), permutation("tau", n), symbol("g", (n,), m)
number = iota(n, "i")
MOVES: dict[Op, Motion] = TOKENS | {leaf_of(B): (sigma, sigma)}  # all that carries a token axis
BESIDE = Map("beside", (sigma, sigma))


Out = Mapping[str, Map]  # what moves the axes of the whole


def same(left: Index, right: Index) -> Theorem:
    """The hypothesis that two indices are one."""
    return hyp(at(number, {"i": left}), at(number, {"i": right}))


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


def theorem() -> TheoremFile:
    """A term for each constructor; a place under its condition, an inner map under its own."""

    def claim(t: Term, out: Out, row: Name | None, fact: Theorem | None = None) -> Claim:
        marks = {"sympy": by_sympy_within(3, 2), "numeric": by_numpy()}
        column = next((a for a in t.axes if a != row), None) if row else None
        facts = [fact] if fact else []
        return equivariance(t, MOVES, {**out}, marks, facts=facts, row=row, column=column)

    rows: Out = {"i": sigma}
    selected, inner = claim(x, {}, None, FIXED), claim(T, rows, "i", COMMUTES)
    return TheoremFile(
        id="naturality",
        title="Order enters only through what is not permuted",
        words=(
            Sentence(
                "Permute every tensor that carries a token axis, and the value of a term is "
                "permuted: shown for a definition with a sum and a map of rows, a maximum and "
                "the identity, a gather from what is not permuted, a number of two rows, a "
                "diagonal, and two parts joined.",
                (0, 1, 2, 3, 4, 5),
            ),
            Sentence("A selected row stays where σ leaves its place.", (6,)),
            Sentence("A map of the term's own moves along where it commutes with σ.", (7,)),
            Sentence("Every other term is derived in the same way.", ()),
        ),
        claims=in_rocq(  # for all terms: each of these is one
            "naturality",
            claim(F, rows, "i"),
            claim(G, rows, "i"),
            claim(H, rows, "i"),
            claim(W, {"i": sigma, "j": sigma}, "i"),
            claim(D, rows, None),
            claim(C, {"i": BESIDE}, "i"),
            selected,
            replace(inner, push=None),  # no certificate states that two maps commute
        ),
        derivation="""
            F′ = f(P X + softmax(P B Pᵀ) (P X))                                  by definition
               = f(P X + (softmax(P B) Pᵀ) (P X))                                softmax_conjugate
               = f(P X + (P softmax(B) Pᵀ) (P X))                           softmax acts on each row
               = f(P X + (P softmax(B)) X)                                       Pᵀ P = I (Lemma 1)
               = f(P X + P (softmax(B) X))                                       (A B) C = A (B C)
               = f(P (X + softmax(B) X))                                       P A + P B = P (A + B)
               = P f(X + softmax(B) X)                                           f acts on each row
               = P F                                                             by definition

            G′[i, c] = max_j B[σ(i), σ(j)] X[σ(j), c] + Σ_j δ[i, j] X[σ(j), c]   by definition
                     = max_j B[σ(i), σ(j)] X[σ(j), c] + Σ_j δ[j, i] X[σ(j), c]   δ[i, j] = δ[j, i]
                     = max_j B[σ(i), j] X[j, c] + Σ_j δ[σ(i), σ(j)] X[σ(j), c]
                    Lemma 1; a bijection is injective
                     = max_j B[σ(i), j] X[j, c] + Σ_j δ[σ(i), j] X[j, c]         Lemma 1
                     = (P G)[i, c]                                               by definition

            H′[i, c] = X[σ(i), c] Y[g(q), c]                                     by definition
                     = (P H)[i, c]                                               by definition

            W′[i, j] = w(X[σ(i)], X[σ(j)])                                       by definition
                     = (P W Pᵀ)[i, j]                                            by definition

            D′[i] = B[σ(i), σ(i)]                                                by definition
                  = D[σ(i)]                                                      by definition

            C′[i, c] = [X[σ(j), c]; exp(X[σ(j), c])][i]                          by definition
                     = [X[j, c]; exp(X[j, c])][(σ+σ)(i)]                         on each part
                     = (P_2 C)[i, c]                                             by definition

            x′[c] = X[σ(q), c]                                                   by definition
                  = X[q, c]                                                      by hypothesis
                  = x[c]                                                         by definition
        """,
        uses=("sum_act", "perm_transpose_mul", "softmax_conjugate"),
        neighbour=nearby(
            selected,
            "A place that σ moves shows the order: another token stands there.",
            given=frozenset(),
        ),
        neighbours=(
            nearby(
                inner,
                "A map that does not commute with σ, as the shift by one does not commute with a "
                "swap, does not move along.",
                given=frozenset(),
            ),
        ),
        source="the design of this book; compare Romero and Cordonnier 2021",
        citations=("romero2021",),
        show=Show(
            (
                Named("F", F, "i", "h"),
                Named("G", G, "i", "c"),
                Named("H", H, "i", "c"),
                Named("W", W, "i", "j"),
                Named("D", D),
                Named("C", C, "i", "c"),
                Named("x", x),
                Named("T", T, "i", "c"),
            ),
            MATRICES | {BESIDE: "P_2"},
            LETTERS,
        ),
        titles={
            "F": "A definition, a sum, any map of each row",
            "G": "Another reduction; the identity matrix",
            "H": "A gather from what is not permuted: the g(q)-th of m things, for all rows",
            "W": "Any number of two rows",
            "D": "A diagonal",
            "C": "Two parts, one after the other; P₂ = diag(P, P)",
            "x": "A selected row, where σ leaves its place",
            "T": "A map τ of the term's own, where it commutes with σ",
        },
    )


if __name__ == "__main__":
    main(__spec__)
