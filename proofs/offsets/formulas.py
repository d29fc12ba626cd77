"""The formulas of the prose proofs about offsets, sinusoids and rotations, each with its check."""

from __future__ import annotations

from orderproof.check.formulas import Stated
from orderproof.proofs.prelude import *
from orderproof.symbolic.schemes.rotations import PAIRS, P, Q, T, cosine, sine

PLACES = Show((), {}, {PAIRS: "kl"})


def identity(lhs: Term, rhs: Term) -> Stated:
    """An identity for all places and all frequencies."""
    return Stated(holds(lhs, "=", rhs, {"numeric": by_numpy()}, row="k"), PLACES)


FORMULAS = {
    "of like with like": identity(
        add(multiply(cosine(P), cosine(Q)), multiply(sine(P), sine(Q))), cosine(subtract(Q, P))
    ),
    "of like with other": identity(
        subtract(multiply(sine(P), cosine(Q)), multiply(cosine(P), sine(Q))),
        sine(subtract(P, Q)),
    ),
    "a point of the circle": identity(
        add(multiply(cosine(T), cosine(T)), multiply(sine(T), sine(T))), number(1)
    ),
}
