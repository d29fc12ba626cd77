"""If rows that are added to the tokens differ, so can the output of every token that sees all.

Take one feature in which the rows differ, by δ; u are the tokens with their rows on one side, and
u − δ on the other. Where δ does not add up to 0, uniform weights show it: the means differ. Else
let W_K = W_V = 1 in that feature. Where δ is not 0 at token m, let u = δ and W_Q = 1: the other
side is 0, and this one is not, as a query weighs more what is like it. Where it is 0, let u = δ but
z = ±1 at m, and W_Q = z: the other side is g z/(N + g), g = exp z, and this one is
(S + g z)/(T + g), where S > 0 and T are the sums of δ exp δ and exp δ, and N is that of exp 0, over
all other tokens. One of the two z has z (T − N) ≤ 0, and for it the two are not equal.
"""

from orderproof.proofs.prelude import *
from orderproof.symbolic.schemes.models import SIGMA

from .position_changes import (
    AFTER,
    DEPTHS,
    differing,
    here,
    masks,
    moved_along,
    show_changed,
    tensors,
    there,
)
from .position_choices import OVER, rows, rows_read

POSITIONS = "EG"
ALL_SEEN = {Atom(row("G"), "=", number(1)) for row in (here, there)}
CHANGED = Atom(tensors("E", AFTER)["E"], "≠", moved(tensors("E")["E"], i=SIGMA), some=True)


@theorem(
    title="If added rows differ, so can the output of every token that sees all",
    words=(
        Sentence(
            "Let E' ≠ P E, and let token m and its image σ(m) see all tokens. Then for some "
            "tokens and weights the output of one layer at m, for the permuted tokens with E', "
            "is not that at σ(m) with E.",
            (0,),
        ),
        Sentence("So it is of two layers, each with its skip.", (1,)),
    ),
    source="positions added to the tokens: Vaswani et al. 2017, section 3.5",
    citations=("vaswani2017",),
    uses=("additive_position_iff",),
)
def output_differs_of_rows() -> Proof:
    claims = [
        differing(
            POSITIONS, depth, masks("", AFTER) | ALL_SEEN | {CHANGED},
            {"numeric": by_choice(rows, rows_read(depth), OVER)},
        )
        for depth in DEPTHS
    ]  # fmt: skip
    return Proof(
        claims=in_rocq("output_differs_of_rows", *claims),
        neighbour=moved_along(claims[0], POSITIONS),
        show=show_changed(POSITIONS),
    )
