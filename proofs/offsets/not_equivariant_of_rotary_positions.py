"""Rotary positions break the symmetry: two tokens that change places have other scores.

Once with the rational rotation (3/5, 4/5), which no power brings back to where it began, and once
at the frequency 1 of the paper's first pair of features.
"""

from orderproof.check.marks.waves import FREQUENCIES
from orderproof.proofs.prelude import *
from orderproof.proofs.shared.position_ids import show_ids
from orderproof.publish.pages.primes import once, primed
from orderproof.symbolic.schemes.models import (
    CONTEXT,
    FEATURES,
    SIGMA,
    model,
    parts,
    positions,
    weights,
)
from orderproof.symbolic.schemes.rotations import OMEGA, PAIRS, rotary_attention

from .rotary_swaps import AT_TRUE, ROTATION, TURNING, WITNESS

X = tensor("X", i=CONTEXT, k=FEATURES)
TOKENS = {leaf_of(X): (SIGMA, None)}
MODEL = model(X, positions("R", CONTEXT))
TURNED = rotary_attention(X, "k")  # at the frequencies of the paper


@theorem(
    title="Attention with rotary positions need not be permutation equivariant",
    words=(
        Sentence(
            "There are tokens and weights for which exchanging two tokens does not "
            "exchange their outputs: for the rotation with cosine 3/5 and sine 4/5, and "
            "at the frequency 1.",
            (0, 1),
        ),
    ),
    source="Su et al. 2021, section 3.2",
    citations=("su2021",),
    uses=("rope_relative_score",),
)
def not_equivariant_of_rotary_positions() -> Proof:
    here = parts(X, positions("R", CONTEXT), weights()).named()
    there, like = primed(here, (replace(x, term=image(x.term, TOKENS)) for x in here))
    named = (Named(f"{x}_r" if len(x) == 1 else f"{x}r", t, *places(x)) for x, t in TURNED.items())
    at_true = [x for x in named if x.term not in {item.term for item in here}]
    swapped_true, like_true = primed(
        at_true, (replace(x, term=image(x.term, TOKENS)) for x in at_true)
    )
    swapped = differs(
        *sides(MODEL, TOKENS, {"i": SIGMA}),
        {"exact": by_exact([WITNESS]), "numeric": by_numpy_differs([WITNESS])},
        every=(leaf_of(ROTATION),), given=[TURNING], row="i", column="v",
        over=sizes(among=dict.fromkeys((CONTEXT, FEATURES), (2,))),
    )  # fmt: skip
    true = differs(
        *sides(TURNED["Z"], TOKENS, {"i": SIGMA}), {"interval": by_enclosures([AT_TRUE])},
        every=(leaf_of(OMEGA),), given=[FREQUENCIES], row="i", column="v",
        over=sizes(among={CONTEXT: (2,)} | dict.fromkeys((FEATURES, PAIRS), (1,))),
    )  # fmt: skip
    travel = TOKENS | {leaf_of(ROTATION): (SIGMA, SIGMA, None, None)}
    return Proof(
        claims=(*in_rocq("not_equivariant_of_rotary_positions", swapped), true),
        neighbour=nearby(
            swapped,
            "If the rotations are permuted with the tokens, both sides are equal.",
            lhs=image(MODEL, travel),
        ),
        neighbours=(
            nearby(true, "With the same order on both sides, both sides are equal.", lhs=true.rhs),
        ),
        show=show_ids(
            *once([*here, Named("X'", image(X, TOKENS), "i", "k"), *there, *at_true]),
            *swapped_true,
            alike=({"X'": "X"} | like, {"X'": "X"} | like_true),
        ),
    )


def places(part: str) -> str:
    """The axes of a part of attention, its rows and columns."""
    return {"V": "jv", "S": "ij", "A": "ij", "Z": "iv"}.get(part, "ik" if part[0] in "Qq" else "jk")
