"""If the matrix between a query and a key is another, an output of attention changes.

Let R(m, q) differ in an entry. Let the first feature of every token be 1 and W_Q take it to the row
of that entry; let the second be 1 at token q and 0 elsewhere, and W_K take it to the column. The
score of token q for m is then that entry over √d, and all other scores are 0. With W_V the
projection on the second feature the output is g exp(s)/(g exp(s) + r), where s is that score, g > 0
the weight that the mask gives to q, and r > 0 the sum of the others'; it is increasing in s.
"""

from orderproof.proofs.prelude import *
from orderproof.symbolic.schemes.models import CONTEXT

from .position_changes import (
    AFTER,
    DEPTHS,
    OTHER,
    SEEN,
    differing,
    here,
    masks,
    moved_along,
    of_token,
    show_changed,
    there,
)
from .position_choices import OVER, rotations, rotations_read

POSITIONS = "RG"
SAME_MASK = Atom(here("G"), "=", there("G"))
TWO_SEEN = {Atom(number(0), "<", of_token(here("G"), token)) for token in (SEEN, OTHER)}
TWO = Atom(at(delta(CONTEXT, "i", "j"), {"i": SEEN(), "j": OTHER()}), "=", number(0))
CHANGED = Atom(of_token(here("R"), SEEN), "≠", of_token(there("R"), SEEN), some=True)


@theorem(
    title="If the rotation between a query and a key is another, an output can change",
    words=(
        Sentence(
            "Let token m see token q and one token more, and σ(m) their images alike, and let "
            "the matrix R'(m, q) between query and key be another than R(σ(m), σ(q)). Then, "
            "with two features or more, for some tokens and weights the output of one layer at "
            "m, for the permuted tokens, is not that at σ(m).",
            (0,),
        ),
        Sentence("So it is of two layers, each with its skip.", (1,)),
    ),
    source="rotated queries and keys: Su et al. 2021, eq. 16",
    citations=("su2021",),
    uses=("sum_act",),
)
def output_differs_of_rotations() -> Proof:
    claims = [
        differing(
            POSITIONS, depth, masks("", AFTER) | TWO_SEEN | {SAME_MASK, TWO, CHANGED},
            {"numeric": by_choice(rotations, rotations_read(depth), OVER)}, features=2,
        )
        for depth in DEPTHS
    ]  # fmt: skip
    return Proof(
        claims=in_rocq("output_differs_of_rotations", *claims),
        neighbour=moved_along(claims[0], POSITIONS),
        show=show_changed(POSITIONS),
    )
