"""Rotary positions break the symmetry: two tokens that change places have other scores.

Once with the rational rotation (3/5, 4/5), which no power brings back to where it began, and once
at the frequency 1 of the paper's first pair of features.
"""

from dataclasses import replace

from orderproof.proofs.book.script import main
from orderproof.proofs.check.claims import (
    Named,
    Sentence,
    TheoremFile,
    differs,
    in_rocq,
    nearby,
    sides,
    sizes,
)
from orderproof.proofs.marks.exact import by_exact
from orderproof.proofs.marks.numeric import by_numpy_differs
from orderproof.proofs.marks.waves import FREQUENCIES, by_enclosures
from orderproof.proofs.pages.primes import once, primed
from orderproof.proofs.shared.position_ids import show
from orderproof.proofs.shared.rotary_swaps import AT_TRUE, ROTATION, TURNING, WITNESS
from orderproof.symbolic.models.builders import image, leaf_of, tensor
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

X = tensor("X", i=CONTEXT, k=FEATURES)
TOKENS = {leaf_of(X): (SIGMA, None)}
MODEL = model(X, positions("R", CONTEXT))
TURNED = rotary_attention(X, "k")  # at the frequencies of the paper


def theorem() -> TheoremFile:
    """At a rational rotation, and at true frequencies."""
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
    return TheoremFile(
        id="not_equivariant_of_rotary_positions",
        title="Attention with rotary positions need not be permutation equivariant",
        words=(
            Sentence(
                "There are tokens and weights for which exchanging two tokens does not "
                "exchange their outputs: for the rotation with cosine 3/5 and sine 4/5, and "
                "at the frequency 1.",
                (0, 1),
            ),
        ),
        claims=(*in_rocq("not_equivariant_of_rotary_positions", swapped), true),
        uses=("rope_relative_score",),
        neighbour=nearby(
            swapped,
            "If the rotations are permuted with the tokens, both sides are equal.",
            lhs=image(MODEL, travel),
        ),
        neighbours=(
            nearby(true, "With the same order on both sides, both sides are equal.", lhs=true.rhs),
        ),
        source="Su et al. 2021, section 3.2",
        citations=("su2021",),
        show=show(
            *once([*here, Named("X'", image(X, TOKENS), "i", "k"), *there, *at_true]),
            *swapped_true,
            alike=({"X'": "X"} | like, {"X'": "X"} | like_true),
        ),
    )


def places(part: str) -> str:
    """The axes of a part of attention, its rows and columns."""
    return {"V": "jv", "S": "ij", "A": "ij", "Z": "iv"}.get(part, "ik" if part[0] in "Qq" else "jk")


if __name__ == "__main__":
    main(__spec__)
