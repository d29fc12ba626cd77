"""Two tokens with rotary positions that change places, as witnesses."""

from orderproof.proofs.prelude import *
from orderproof.symbolic.schemes.models import CONTEXT, FEATURES, positions

NONE = ((1, 0), (0, 1))
ROTATION = positions("R", CONTEXT)["R"]


def turning() -> Term:
    """Of two tokens: R[i, j] turns by the angle of (3/5, 4/5), j − i times. Its diagonal is 3/5
    where i ≠ j, else 1; beside it stands 4/5 times (j − i) times −1 above and 1 below."""
    i, j = iota(CONTEXT, "i"), iota(CONTEXT, "j")
    c, e = iota(FEATURES, "c"), iota(FEATURES, "e")
    apart = subtract(number(1), delta(CONTEXT, "i", "j"))
    diagonal = subtract(number(1), multiply(number(Fraction(2, 5)), apart))
    beside = multiply(number(Fraction(4, 5)), multiply(subtract(j, i), subtract(c, e)))
    return add(multiply(delta(FEATURES, "c", "e"), diagonal), beside)


TURNING = Atom(ROTATION, "=", turning())
WITNESS = Witness(
    {"n": 2, "d": 2}, {"sigma": (1, 0)},
    {
        "X": [[1, 0], [0, 5]],
        "W_Q": NONE, "W_K": NONE, "W_V": NONE,
    },
)  # fmt: skip
AT_TRUE = Witness(
    {"n": 2, "d": 1, "h": 1}, {"sigma": (1, 0)},
    {
        "X": [[1], [2]], "W_Qx": [[1]], "W_Qy": [[0]], "W_Kx": [[0]], "W_Ky": [[1]], "W_V": [[1]],
    },
)  # fmt: skip
