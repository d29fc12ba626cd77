"""The table of sines and cosines: a shift of the place is a rotation, and inner products see the
offset alone.

A pair of features of row p is (sin pθ, cos pθ), a point of the circle. Going t places further turns
it by the angle tθ, whatever p is: PE(p + t) = R_t PE(p), by the addition theorems. A turn keeps
lengths, so R_t is a rotation; and of two rows only the difference of their angles is left in the
inner product, ⟨PE(p), PE(q)⟩ = Σ cos((q − p)θ). This holds for all frequencies θ, those of the
paper, θ_k = 10000^(−2k/d) for even d, included.
"""

from orderproof.symbolic.language import add, subtract, total
from orderproof.symbolic.rotations import (
    PAIRS,
    P,
    Q,
    T,
    cosine,
    length_account,
    offset_account,
    shift_accounts,
    sine,
)
from orderproof.symbolic.schema import Account

from .claims import Claim, Show, TheoremFile, nearby
from .marks import by_smt
from .marks_numeric import by_numpy
from .marks_waves import by_steps, by_true_frequencies, worked
from .script import main


def identity(account: Account) -> Claim:
    """An identity for all places, all frequencies and any number of pairs."""
    return Claim(
        "identity", account.lhs, account.rhs,
        {
            "smt": by_smt(account), "sympy": by_steps, "interval": by_true_frequencies,
            "numeric": by_numpy(),
        },
        scope="all places, all frequencies, any number of pairs", row="k",
    )  # fmt: skip


def theorem() -> TheoremFile:
    """The shift, that it is a rotation, and the inner product."""
    sines, cosines = map(identity, shift_accounts())
    length, offset = identity(length_account()), identity(offset_account())
    return TheoremFile(
        id="sinusoidal_shift_is_rotation",
        title="Of sinusoidal rows, a shift is a rotation, and products see the offset alone",
        words="For the table of sines and cosines PE(p + t) = R_t PE(p), where R_t turns each pair "
        "of features by tθ, and ⟨PE(p), PE(q)⟩ depends on q − p alone.",
        source="Vaswani et al. 2017, section 3.5",
        citations=("vaswani2017",),
        claims=(sines, cosines, length, offset),
        show=Show((), {}, {PAIRS: "kl"}),
        neighbour=nearby(
            offset,
            "It is the difference of the places that counts, not their sum.",
            rhs=total(cosine(add(P, Q)), "k"),
        ),
        neighbours=(
            nearby(sines, "The shift is forward, not back.", lhs=sine(subtract(P, T))),
            nearby(cosines, "The shift is forward, not back.", lhs=cosine(subtract(P, T))),
            nearby(length, "The length is kept, not doubled.", rhs=add(length.rhs, length.rhs)),
        ),
        examples=(
            worked("The inner product", offset),
            worked("A turn keeps the length", length),
        ),
    )


if __name__ == "__main__":
    main(__spec__)
