"""Identities of sines and cosines that hold at all places, and names for pairs that are turned."""

from orderproof.proofs.prelude import *
from orderproof.symbolic.schemes.rotations import QUERY, Pair, T, inner, turned


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


def length_kept() -> tuple[Claim, Neighbour]:
    """A turn keeps the length of a pair; and the falsehood beside it."""
    further = turned(T, QUERY)
    length = identity(inner(further, further), inner(QUERY, QUERY))
    doubled = add(length.rhs, length.rhs)
    return length, nearby(length, "The length is kept, not doubled.", rhs=doubled)


def turns(names: tuple[str, str], pair: Pair, angles: Mapping[str, Term]) -> Iterator[Named]:
    """A pair turned by the angles of places, by name: x_p, y_p."""
    for below, place in angles.items():
        for name, t in zip(names, turned(place, pair), strict=True):
            yield Named(f"{name}_{below}", t, "k")
