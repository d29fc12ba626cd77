"""The table of sines and cosines: a shift of the place is a rotation, and inner products depend on
the offset alone.

A pair of features of row p is (sin pθ, cos pθ), a point of the circle. Going t places further turns
it by the angle tθ, whatever p is: PE(p + t) = R_t PE(p), by the addition theorems. A turn keeps
lengths, so R_t is a rotation; and of two rows only the difference of their angles is left in the
inner product, ⟨PE(p), PE(q)⟩ = Σ cos((q − p)θ). This holds for all frequencies θ, those of the
paper, θ_k = 10000^(−2k/d) for even d, included.
"""

from orderproof.check.marks.waves import worked
from orderproof.proofs.prelude import *
from orderproof.symbolic.schemes.rotations import (
    PAIRS,
    QUERY,
    P,
    Q,
    T,
    cosine,
    inner,
    sine,
    turned_table,
)

from .turns import identity, length_kept, turns


@theorem(
    title="A shift of the sinusoidal table is a rotation",
    words=(
        Sentence(
            "For the table of sines and cosines, the row t positions further on is the "
            "row rotated by tθ in each pair of features.",
            (0, 1),
        ),
        Sentence("A rotation keeps the length.", (2,)),
        Sentence(
            "The inner product of two rows depends only on the difference of their positions.", (3,)
        ),
    ),
    source="Vaswani et al. 2017, section 3.5",
    citations=("vaswani2017",),
)
def sinusoidal_shift_is_rotation() -> Proof:
    """The first two claims are the addition theorems. For the third multiply out. The mixed
    products cancel, and what remains is each feature squared, times
    {a point of the circle}
    For the fourth each pair gives one addition theorem,
    {of like with like}
    and these are added up over the pairs.
    """
    here = (sine(add(P, T)), cosine(add(P, T)))
    sines, cosines = map(identity, here, turned_table())
    length, doubled = length_kept()
    points = (sine(P), cosine(P)), (sine(Q), cosine(Q))
    offset = identity(inner(*points), total(cosine(subtract(Q, P)), "k"))
    return Proof(
        claims=in_rocq("sinusoidal_shift_is_rotation", sines, cosines, length, offset),
        planted=(
            nearby(
                offset,
                "The inner product depends on q − p, not on q + p.",
                rhs=total(cosine(add(P, Q)), "k"),
            ),
            nearby(sines, "The shift is by t, not by −t.", lhs=sine(subtract(P, T))),
            nearby(cosines, "The shift is by t, not by −t.", lhs=cosine(subtract(P, T))),
            doubled,
        ),
        show=Show(tuple(turns(("x", "y"), QUERY, {"t": T})), {}, {PAIRS: "kl", n: "ij"}),
        examples=(
            worked("The inner product", offset),
            worked("A rotation keeps the length", length),
        ),
    )
