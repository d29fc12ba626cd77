"""A reduction does not depend on the order of its terms, Σⱼ a(σ(j)) = Σⱼ a(j).

It is the only place in the book where a permutation disappears. Likewise for the maximum, the
minimum and the product, and for the mean, which is the sum over the size.
"""

from orderproof.proofs.prelude import *

a, w = tensor("a", j=n), tensor("w", j=n)
MARKS: dict[str, Check] = {"sympy": by_sympy, "numeric": by_numpy(), "smt": by_chain("permute")}


def lemma(kind: str) -> Claim:
    """⊕ⱼ a(σ(j)) = ⊕ⱼ a(j), straight from the kernel's rule; no number is the largest of none."""
    theorem = kernel.sym(kernel.reindex(kind, a, "j", sigma))
    lhs, rhs = (reduce(kind, t, "j") for t in (moved(a, j=sigma), a))
    over = sizes({n: 1}) if kind in ("max", "min") else sizes()
    return equality(lhs, rhs, theorem, MARKS, over=over)


@theorem(
    title="A sum does not depend on the order of its terms",
    words="Reordering the terms of a sum, a maximum, a minimum, a product or a mean changes "
    "nothing.",
    source="by induction on n, from swaps to every permutation",
)
def sum_act() -> Proof:
    """Every permutation is a product of swaps, so let σ exchange the terms at p and q. First
    replace a single term, the one at q, by a number v. Then the sum changes by what the term
    changes:
    {a term replaced}
    This goes by induction on n: of no terms none can be replaced. If the last term is the one that
    is replaced, the sum of those before it is as it was, and the last summand changes as the
    formula says. If it is not, it stands aside, and the formula is that for the terms before it. A
    swap is two such replacements, by a_q at p and by a_p at q, and the changes cancel:
    {two terms exchanged}
    Nothing was used of the sum but that it is built term by term by an operation that may be
    reordered, so the maximum, the minimum and the product follow alike, and the mean is the sum
    over the number of terms.
    """
    total = lemma("sum")
    return Proof(
        claims=in_rocq(
            "sum_act",
            total,
            *(lemma(kind) for kind in ("max", "min", "prod")),
            equivariance(mean(a, "j"), {leaf_of(a): (sigma,)}, {}, MARKS, over=sizes({n: 1})),
        ),
        planted=nearby(
            total,
            "With weights that are not permuted with the terms, the order matters.",
            lhs=contract(w, moved(a, j=sigma), "j"),
            rhs=contract(w, a, "j"),
        ),
        show=show(),
    )
