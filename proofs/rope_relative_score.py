"""Rotary positions: a score sees the offset of its two places alone, and norms are kept.

RoPE turns each pair of features of a query at p and of a key at q by the angles pθ and qθ. Turning
both by the same angle changes no inner product, so only the difference q − p is left: a common
offset of all places changes nothing. Lengths are kept too. Order is seen all the same: with the
rational rotation (3/5, 4/5), which no power brings back to where it began, two tokens that change
places have other scores.
"""

from dataclasses import replace
from fractions import Fraction

from orderproof.symbolic.language import add, image, leaf_of, moved, subtract, tensor
from orderproof.symbolic.position_models import (
    CONTEXT,
    FEATURES,
    SIGMA,
    model,
    parts,
    positions,
    weights,
)
from orderproof.symbolic.rotations import (
    KEY,
    OMEGA,
    PAIRS,
    QUERY,
    P,
    Q,
    T,
    common_account,
    inner,
    length_account,
    relative_account,
    rotary_attention,
    score,
    turned,
)

from .claims import Claim, Named, TheoremFile, nearby
from .marks_numeric import by_numpy_differs
from .marks_waves import FREQUENCIES, by_enclosures, worked
from .naming import primed
from .script import main
from .sinusoidal_shift_is_rotation import identity, turns
from .travelling import parts_named, show
from .witnesses import Witness, by_exact

X = tensor("X", i=CONTEXT, k=FEATURES)
MODEL = model(X, positions("R", CONTEXT))
TRUE = rotary_attention(X, "k")
ONCE = ((Fraction(3, 5), Fraction(-4, 5)), (Fraction(4, 5), Fraction(3, 5)))
BACK = tuple(zip(*ONCE, strict=True))
NONE = ((1, 0), (0, 1))


def theorem() -> TheoremFile:
    """The score, a common offset, norms; and two tokens that change places."""
    relative, common = identity(relative_account()), identity(common_account())
    length = identity(length_account())
    offsets = {"q": Q, "q+t": add(Q, T), "q−p": subtract(Q, P), "p+q": add(P, Q)}
    tokens = {leaf_of(X): (SIGMA, None)}
    here = parts_named(parts(X, positions("R", CONTEXT), weights()))
    there, like = primed(here, (replace(x, term=image(x.term, tokens)) for x in here))
    swapped = Claim(
        "exists", image(MODEL, {leaf_of(X): (SIGMA, None)}), moved(MODEL, i=SIGMA),
        {"exact": by_exact([WITNESS]), "numeric": by_numpy_differs([WITNESS])},
        scope="n = 2, d = 2, R the rotation (3/5, 4/5), j − i times", relation="≠",
        row="i", column="v", sizes=dict.fromkeys((CONTEXT, FEATURES), ("∈", (2,))),
    )  # fmt: skip
    true = Claim(
        "exists", image(TRUE, {leaf_of(X): (SIGMA, None)}), moved(TRUE, i=SIGMA),
        {"interval": by_enclosures([AT_TRUE])},
        scope="n = 2, one pair of features, θ = 1: the true frequencies", relation="≠",
        row="i", column="r",
        sizes={CONTEXT: ("∈", (2,))} | dict.fromkeys((FEATURES, PAIRS), ("∈", (1,))),
        tables={leaf_of(OMEGA): FREQUENCIES},
    )  # fmt: skip
    travel = {leaf_of(X): (SIGMA, None), leaf_of(ROTATION): (SIGMA, SIGMA, None, None)}
    return TheoremFile(
        id="rope_relative_score",
        title="Rotary scores see the offset of two places alone",
        words="With rotary positions the score of a query at p and a key at q depends on q − p "
        "alone, a common offset of all places changes no score, and lengths are kept. "
        "Permutations break it.",
        source="Su et al. 2021, section 3.2",
        citations=("su2021",),
        claims=(relative, common, length, swapped, true),
        show=show(
            *turns(("x", "y"), QUERY, {"p": P, "p+t": add(P, T), "t": T}),
            *turns(("u", "v"), KEY, offsets),
            *here,
            Named("X'", image(X, tokens), "i", "k"),
            *there,
            Named("H", TRUE, "i", "r"),
            Named("K", true.lhs, "i", "r"),
            alike=({"X'": "X"} | like,),
        ),
        neighbour=nearby(
            relative,
            "The key is turned by q − p, not by q + p.",
            rhs=inner(QUERY, turned(add(P, Q), KEY)),
        ),
        neighbours=(
            nearby(common, "An offset of the query alone is seen.", lhs=score(add(P, T), Q)),
            nearby(length, "The length is kept, not doubled.", rhs=add(length.rhs, length.rhs)),
            nearby(true, "The same order on both sides shows nothing.", lhs=true.rhs),
            nearby(
                swapped,
                "Rotations that travel with their tokens show nothing.",
                lhs=image(MODEL, travel),
            ),
        ),
        uses=("positions_that_travel",),
        examples=(worked("The score of a query and a key", relative),),
    )


ROTATION = positions("R", CONTEXT)["R"]
WITNESS = Witness(
    {"n": 2, "d": 2}, {"sigma": (1, 0)},
    {
        "X": [[1, 0], [0, 5]], "R": [[NONE, ONCE], [BACK, NONE]],
        "W_Q": NONE, "W_K": NONE, "W_V": NONE,
    },
)  # fmt: skip
AT_TRUE = Witness(
    {"n": 2, "d": 1, "h": 1}, {"sigma": (1, 0)},
    {
        "X": [[1], [2]], "W_Qx": [[1]], "W_Qy": [[0]], "W_Kx": [[0]], "W_Ky": [[1]], "W_V": [[1]],
    },
)  # fmt: skip


if __name__ == "__main__":
    main(__spec__)
