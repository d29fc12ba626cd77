"""With a skip, one layer changes the distance of two tokens by a factor between 1 − κ and 1 + κ.

The output of the layer is x_i + z_i, and z_i − z_l is no longer than κ ‖x_i − x_l‖ by
position_after_first_layer_contracts. So the distance changes by κ times itself at most; and if
κ < 1, tokens that differ still differ: what positions made different stays different. This is
attention without a mask, without a bias on the scores and before any norm.
"""

from orderproof.proofs.prelude import *

from .distances import MU, NAMED, OMEGA, bounded_by, distance, kappa, spread

W = tensor("W_V", c=d, r=d)
LAYER = AttentionLayer(X, as_keys(X), (W_Q, W_K, W))
Y = add(X, LAYER.Z.rename({"r": "c"}))
KAPPA = kappa(MU, OMEGA, spread(X, "c"))
BOUNDED = bounded_by(W, "r")
ONE, OTHER = constant("a", n), constant("b", n)


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
        Sentence(
            "If then κ < 1, two tokens that differ have outputs that differ.",
            (2,),
        ),
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
    marks = {"numeric": by_numpy(scale=0.3)}
    one, before, after = number(1), distance(X, "c"), distance(Y, "c")
    below = holds(multiply(subtract(one, KAPPA), before), "≤", after, marks, given=BOUNDED)
    above = holds(after, "≤", multiply(add(one, KAPPA), before), marks, given=BOUNDED)
    apart = (Atom(KAPPA, "<", one), Atom(number(0), "<", between(X)))
    stays = holds(number(0), "<", between(Y), marks, given=[*BOUNDED, *apart])
    return Proof(
        claims=in_rocq("position_after_first_layer_skip", below, above, stays),
        neighbour=nearby(
            below,
            "They can come closer: with values −x/2, say.",
            lhs=multiply(add(one, KAPPA), before),
        ),
        neighbours=(
            nearby(above, "They can move apart.", rhs=multiply(subtract(one, KAPPA), before)),
            nearby(stays, "The outputs are apart, not equal.", lhs=between(Y), rhs=number(0)),
        ),
        show=show(*LAYER.named(), Named("Y", Y, "i", "c"), *NAMED),
    )
