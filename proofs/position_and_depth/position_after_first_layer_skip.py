"""With a skip, one layer changes the distance of two tokens by a factor between 1 − κ and 1 + κ.

The output of the layer is x_i + z_i, and z_i − z_l is no longer than κ ‖x_i − x_l‖ by
position_after_first_layer_contracts. So the distance changes by κ times itself at most; and if
κ < 1, tokens that differ still differ: what positions made different stays different. This is
attention without a mask, without a bias on the scores and before any norm.
"""

from orderproof.proofs.prelude import *

from .distances import NAMED, ONE, OTHER, bounded_by, distance, kappa

W = tensor("W_V", c=d, r=d)
LAYER = AttentionLayer(X, as_keys(X), (W_Q, W_K, W))
Y = add(X, LAYER.Z.rename({"r": "c"}))


def between(rows: Term) -> Term:
    """The distance of the rows a and b of a matrix."""
    return at(distance(rows, "c"), {"i": ONE(), "l": OTHER()})


@theorem(
    title="Plain attention with a skip and κ < 1 keeps tokens apart that differ",
    words=(
        Sentence(
            "Let attention be plain, without a mask, a score bias and a norm, and κ = μ ω "
            "s²/4. After one layer with a skip two tokens are at least 1 − κ and at most 1 + κ "
            "times as far apart.",
            (0, 1),
        ),
        Sentence("If then κ < 1, two tokens that differ have outputs that differ.", (2,)),
        Sentence(
            "With W_Q = 0, where κ is as small as one likes, a causal mask and W_V = −2 send "
            "the tokens 0, 1 to 0, 0; ALiBi of slope ln 2 and W_V = −3 send them to −1, −1; "
            "and with W_V = 0 a layer norm after the skip makes (1, 2, 3) and (2, 3, 4) equal."
        ),
    ),
    source="AI Stack Exchange, question 32236",
    uses=("position_after_first_layer_contracts",),
)
def position_after_first_layer_skip() -> Proof:
    """What two rows of Y differ by is what the tokens differ by, and what the outputs of attention
    do:
    {with a skip}
    The second part is at most κ times as long as the first (position_after_first_layer_contracts).
    By the triangle inequality it adds at most its length, and takes away at most its length.
    """
    marks, bounded = {"numeric": by_numpy(scale=0.3)}, bounded_by(W, "r")
    one, before, after = number(1), distance(X, "c"), distance(Y, "c")
    least, most = (multiply(change(one, kappa()), before) for change in (subtract, add))
    below = holds(least, "≤", after, marks, given=bounded)
    above = holds(after, "≤", most, marks, given=bounded)
    apart = (Atom(kappa(), "<", one), Atom(number(0), "<", between(X)))
    stays = holds(number(0), "<", between(Y), marks, given=[*bounded, *apart])
    return Proof(
        claims=in_rocq("position_after_first_layer_skip", below, above, stays),
        planted=(
            nearby(below, "They can come closer: with values −x/2, say.", lhs=most),
            nearby(above, "They can move apart.", rhs=least),
            nearby(stays, "The outputs are apart, not equal.", lhs=between(Y), rhs=number(0)),
        ),
        show=show(*LAYER.named(), Named("Y", Y, "i", "c"), *NAMED),
    )
