"""What a term selects must be fixed by σ, and a map that stands in it must commute with σ.

These are two of the hypotheses of naturality. A row that is selected by its place stays the same if
σ leaves that place; a map τ of the term's own moves along if σ∘τ = τ∘σ.
"""

from orderproof.proofs.prelude import *

from .naturality import natural

q, tau = constant("q", n), permutation("tau", n)
x = at(X, {"i": q()})
T = add(X, at(X, {"i": tau("i")}))


def same(left: Index, right: Index) -> Theorem:
    """The hypothesis that two indices are one."""
    return kernel.hyp(*(at(iota(n, "i"), {"i": index}) for index in (left, right)))


@theorem(
    title="Naturality with a fixed index, and with a map that commutes with σ",
    words=(
        Sentence("A selected row does not change if σ fixes its index.", (0,)),
        Sentence("Adding to each row i the row τ(i) commutes with P if τ commutes with σ.", (1,)),
    ),
    source="the design of this book; compare Romero and Cordonnier 2021",
    citations=("romero2021",),
    uses=("naturality",),
)
def naturality_of_fixed_index() -> Proof:
    selected = natural(x, {}, same(sigma(q()), q()))  # σ(q) = q
    commutes = same(sigma(tau("i")), tau(sigma("i")))  # σ∘τ = τ∘σ
    inner = natural(T, {"i": sigma}, commutes)
    bare = replace(inner, push=None)  # no certificate states that two maps commute
    return Proof(
        claims=in_rocq("naturality", selected, bare),
        derivation="""
            x′[c] = X[σ(q), c]                      by definition
                  = X[q, c]                         by hypothesis
                  = x[c]                            by definition

            T′[i, c] = X[σ(i), c] + X[σ(τ(i)), c]   by definition
                     = X[σ(i), c] + X[τ(σ(i)), c]   by hypothesis
                     = (P T)[i, c]                  by definition
        """,
        planted=(
            nearby(selected, "If σ moves the index q, row q is another token.", given=frozenset()),
            nearby(
                bare,
                "If τ does not commute with σ, as a shift by one with a swap, it fails.",
                given=frozenset(),
            ),
        ),
        show=show(Named("x", x), Named("T", T, "i", "c")),
        titles={
            "x": "A selected row, where σ fixes its index",
            "T": "An inner map τ that commutes with σ",
        },
        pushed=(selected.pushed, inner.pushed),
    )
