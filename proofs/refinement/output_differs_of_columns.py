"""Two layers of means tell two tokens apart if one of them is seen by more tokens.

Let W_Q = 0 in both layers, so that each of them takes means N with the weights of the mask, and let
the second take away what the first adds: X + N X becomes X − N N X. Tokens m and σ(m) see all n
tokens alike, so what token j contributes to their output is −1/n times the sum of column j of N.
Row by row the entry of σ(q) is no more than that of q, and once it is less, so the sums differ.
"""

from orderproof.proofs.prelude import *
from orderproof.symbolic.schemes.models import SIGMA

from .position_changes import (
    SEEN,
    differing,
    here,
    masks,
    moved_along,
    of_token,
    show_changed,
    tensors,
    there,
)
from .position_choices import WIDER, columns, two_means

POSITIONS = "RG"
G = tensors("G")["G"]
ALL_SEEN = {Atom(row, "=", number(1)) for row in (here("G", ""), there("G"))}
ONE, IMAGE = of_token(G, SEEN), at(G, {"j": SIGMA(SEEN())})
FEWER, ONCE = Atom(IMAGE, "≤", ONE), Atom(IMAGE, "<", ONE, some=True)


@theorem(
    title="Two layers under a mask can tell tokens apart that not the same tokens see",
    words=(
        Sentence(
            "Let tokens m and σ(m) see all tokens alike, let every token give σ(q) at most the "
            "weight that it gives q, and let one give it less. Then for some tokens and "
            "weights the output of two layers at m, each with its skip, for the permuted "
            "tokens, is not that at σ(m).",
            (0,),
        ),
    ),
    source="Irie 2025",
    citations=("irie2025",),
    uses=("two_causal_layers_see_order",),
)
def output_differs_of_columns() -> Proof:
    given = masks("") | ALL_SEEN | {FEWER, ONCE}
    claim = differing(
        POSITIONS, 2, given, {"numeric": by_choice(columns, two_means, WIDER)}, after=""
    )
    return Proof(
        claims=in_rocq("output_differs_of_columns", claim),
        neighbour=moved_along(claim, POSITIONS, after=""),
        show=show_changed(POSITIONS, (2,), ""),
    )
