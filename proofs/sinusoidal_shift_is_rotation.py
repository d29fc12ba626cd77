"""The table of sines and cosines: a shift of the place is a rotation, and inner products see the
offset alone.

A pair of features of row p is (sin pθ, cos pθ), a point of the circle. Going t places further turns
it by the angle tθ, whatever p is: PE(p + t) = R_t PE(p), by the addition theorems. A turn keeps
lengths, so R_t is a rotation; and of two rows only the difference of their angles is left in the
inner product, ⟨PE(p), PE(q)⟩ = Σ cos((q − p)θ). This holds for all frequencies θ, those of the
paper, θ_k = 10000^(−2k/d) for even d, included. Below 10¹⁸ the rows of those are distinct: θ_0 = 1,
so rows p and q are equal in the first pair only if p − q is a multiple of 2π, and then 2π would be
a fraction with numerator p − q; but between bounds of 2π every fraction has a larger one.
"""

from collections.abc import Iterator, Mapping

from orderproof.proofs.book.script import main
from orderproof.proofs.check.claims import (
    Claim,
    Named,
    Sentence,
    Show,
    TheoremFile,
    holds,
    nearby,
    sizes,
)
from orderproof.proofs.marks.numeric import by_numpy
from orderproof.proofs.marks.waves import (
    by_period,
    by_steps,
    by_true_frequencies,
    rows_differ,
    worked,
)
from orderproof.proofs.shared.symbols import n
from orderproof.symbolic.calculus.terms import Term
from orderproof.symbolic.models.builders import add, subtract, total
from orderproof.symbolic.schemes.rotations import (
    PAIRS,
    QUERY,
    P,
    Pair,
    Q,
    T,
    cosine,
    inner,
    sine,
    turned,
    turned_table,
)
from orderproof.symbolic.smt.chain import by_chain

MANY = 10**18  # rows, any two of which differ


def identity(lhs: Term, rhs: Term) -> Claim:
    """An identity for all places, all frequencies and any number of pairs."""
    return holds(
        lhs, "=", rhs,
        {
            "smt": by_chain("agree"), "sympy": by_steps, "interval": by_true_frequencies,
            "numeric": by_numpy(),
        },
        row="k",
    )  # fmt: skip


def turns(names: tuple[str, str], pair: Pair, angles: Mapping[str, Term]) -> Iterator[Named]:
    """A pair turned by the angles of places, by name: x_p, y_p."""
    for below, place in angles.items():
        for name, t in zip(names, turned(place, pair), strict=True):
            yield Named(f"{name}_{below}", t, "k")


def theorem() -> TheoremFile:
    """The shift, that it is a rotation, and the inner product."""
    here = (sine(add(P, T)), cosine(add(P, T)))
    sines, cosines = map(identity, here, turned_table())
    distinct = Claim(rows_differ(n, MANY), {"interval": by_period(n, MANY), "numeric": by_numpy()})
    further = turned(T, QUERY)
    length = identity(inner(further, further), inner(QUERY, QUERY))
    points = (sine(P), cosine(P)), (sine(Q), cosine(Q))
    offset = identity(inner(*points), total(cosine(subtract(Q, P)), "k"))
    return TheoremFile(
        id="sinusoidal_shift_is_rotation",
        title="Sinusoidal rows: a shift is a rotation; products see the offset alone",
        words=(
            Sentence(
                "For the table of sines and cosines, the row t places further is the row "
                "turned by tθ in each pair of features.",
                (0, 1),
            ),
            Sentence("A turn keeps the length.", (2,)),
            Sentence(
                "The inner product of two rows depends on the difference of their places alone.",
                (3,),
            ),
            Sentence(
                "At the frequencies of the paper, for every even number of features from 2 on, "
                "no two of the first 10¹⁸ rows are equal.",
                (4,),
            ),
        ),
        claims=(sines, cosines, length, offset, distinct),
        neighbour=nearby(
            offset,
            "It is the difference of the places that counts, not their sum.",
            rhs=total(cosine(add(P, Q)), "k"),
        ),
        neighbours=(
            nearby(
                distinct,
                "With no pairs of features all rows are alike.",
                sizes=sizes(),
            ),
            nearby(sines, "The shift is forward, not back.", lhs=sine(subtract(P, T))),
            nearby(cosines, "The shift is forward, not back.", lhs=cosine(subtract(P, T))),
            nearby(length, "The length is kept, not doubled.", rhs=add(length.rhs, length.rhs)),
        ),
        source="Vaswani et al. 2017, section 3.5",
        citations=("vaswani2017",),
        show=Show(tuple(turns(("x", "y"), QUERY, {"t": T})), {}, {PAIRS: "kl", n: "ij"}),
        examples=(
            worked("The inner product", offset),
            worked("A turn keeps the length", length),
        ),
    )


if __name__ == "__main__":
    main(__spec__)
