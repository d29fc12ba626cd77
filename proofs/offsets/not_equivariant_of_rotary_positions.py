"""Rotary positions break the symmetry: two tokens that change places have other scores.

Once with the rational rotation (3/5, 4/5), which no power brings back to where it began, and once
at the frequency 1 of the paper's first pair of features.
"""

from orderproof.proofs.prelude import *
from orderproof.proofs.shared.position_ids import show_ids
from orderproof.symbolic.schemes.models import CONTEXT, FEATURES, SIGMA, parts, positions, weights
from orderproof.symbolic.schemes.rotations import FREQUENCIES, OMEGA, PAIRS, rotary_attention

X = tensor("X", i=CONTEXT, k=FEATURES)
TOKENS = {leaf_of(X): (SIGMA, None)}
ROTATION = positions("R", CONTEXT)["R"]
LAYER = parts(X, {"R": ROTATION}, weights())
TRUE = rotary_attention(X, "k")  # at the frequencies of the paper


@theorem(
    title="Attention with rotary positions need not be permutation equivariant",
    words="There are tokens and weights for which exchanging two tokens does not exchange their "
    "outputs: for the rotation with cosine 3/5 and sine 4/5, and at the frequency 1.",
    source="Su et al. 2021, section 3.2",
    citations=("su2021",),
    uses=("rope_relative_score",),
)
def not_equivariant_of_rotary_positions() -> Proof:
    swapped = differs(
        *sides(LAYER.Z, TOKENS, {"i": SIGMA}),
        by_witnesses([WITNESS]),
        every=(leaf_of(ROTATION),), given=[Atom(ROTATION, "=", turning())], row="i", column="v",
        over=sizes(among=dict.fromkeys((CONTEXT, FEATURES), (2,))),
    )  # fmt: skip
    true = differs(
        *sides(TRUE["Z"], TOKENS, {"i": SIGMA}), {"interval": by_enclosures([AT_TRUE])},
        every=(leaf_of(OMEGA),), given=[FREQUENCIES], row="i", column="v",
        over=sizes(among={CONTEXT: (2,)} | dict.fromkeys((FEATURES, PAIRS), (1,))),
    )  # fmt: skip
    here = LAYER.named()
    named = (Named(f"{x}_r" if len(x) == 1 else f"{x}r", t, *places(x)) for x, t in TRUE.items())
    at_true = [x for x in named if x.term not in {item.term for item in here}]
    (images, pairs), (true_images, true_pairs) = (primed_images(x, TOKENS) for x in (here, at_true))
    tokens = Named("X'", image(X, TOKENS), "i", "k")
    travel = TOKENS | {leaf_of(ROTATION): (SIGMA, SIGMA, None, None)}
    return Proof(
        claims=(*in_rocq("not_equivariant_of_rotary_positions", swapped), true),
        planted=(
            nearby(
                swapped,
                "If the rotations are permuted with the tokens, both sides are equal.",
                lhs=image(LAYER.Z, travel),
            ),
            nearby(true, "With the same order on both sides, both sides are equal.", lhs=true.rhs),
        ),
        show=show_ids(
            *once([*here, tokens, *images, *at_true]), *true_images, alike=(pairs, true_pairs)
        ),
    )


def places(part: str) -> str:
    """The axes of a part of attention, its rows and columns."""
    return {"V": "jv", "S": "ij", "A": "ij", "Z": "iv"}.get(part, "ik" if part[0] in "Qq" else "jk")


def turning() -> Term:
    """Of two tokens: R[i, j] turns by the angle of (3/5, 4/5), j − i times. Its diagonal is 3/5
    where i ≠ j, else 1; beside it stands 4/5 times (j − i) times −1 above and 1 below."""
    i, j = iota(CONTEXT, "i"), iota(CONTEXT, "j")
    c, e = iota(FEATURES, "c"), iota(FEATURES, "e")
    apart = subtract(number(1), delta(CONTEXT, "i", "j"))
    diagonal = subtract(number(1), multiply(number(Fraction(2, 5)), apart))
    beside = multiply(number(Fraction(4, 5)), multiply(subtract(j, i), subtract(c, e)))
    return add(multiply(delta(FEATURES, "c", "e"), diagonal), beside)


SAME = ((1, 0), (0, 1))
WITNESS = Witness(
    {"n": 2, "d": 2},
    {"sigma": (1, 0)},
    {"X": [[1, 0], [0, 5]], "W_Q": SAME, "W_K": SAME, "W_V": SAME},
)
AT_TRUE = Witness(
    {"n": 2, "d": 1, "h": 1},
    {"sigma": (1, 0)},
    {"X": [[1], [2]], "W_Qx": [[1]], "W_Qy": [[0]], "W_Kx": [[0]], "W_Ky": [[1]], "W_V": [[1]]},
)
