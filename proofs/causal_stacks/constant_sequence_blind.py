"""On a constant sequence attention cannot tell places apart, whatever the scores.

If all tokens are equal, so are all values, and a mean of equal values is that value: the weights
of a row add up to 1. The scores may come from any bias, rotation or mask with no empty row. So all
rows are equal after one layer, and after any number of them with skips and row-wise maps. Weights
that do not add up to 1 are another matter: a causal sum of ones counts 1, 2, 3, 4, and with +1 in
the denominator of the softmax it is 1/2, 2/3, 3/4, 4/5.
"""

from orderproof.proofs.prelude import *
from orderproof.symbolic.schemes.running_means import causal_mask

S, G = tensor("S", i=n, j=m), tensor("G", i=n, j=m)
v = tensor("v", r=d_v)  # the value of every token
PLACES = Set("t")  # of the counted sequence of ones
SEEN = causal_mask(PLACES)
HERE, THERE = constant("a", PLACES), constant("b", PLACES)


@theorem(
    title="On a constant sequence all rows of the output of attention are equal",
    words=(
        Sentence("If all values are v, every row of the output is v, whatever the scores.", (0,)),
        Sentence("So it is under any mask for which the weights of no row add up to 0.", (1,)),
        Sentence(
            "A causal sum of four ones without normalisation differs at any two "
            "positions. So does one divided by its number of terms plus 1.",
            (2, 3),
        ),
        Sentence(
            "So all states are equal at every depth, with skips and any maps of rows.",
            headlines=("constant_sequence_blind",),
        ),
    ),
    source="Haviv et al. 2022; Kazemnejad et al. 2023",
    citations=("haviv2022", "kazemnejad2023"),
    uses=("softmax_conjugate",),
)
def constant_sequence_blind() -> Proof:
    """A mean of equal values is that value, whatever the weights are, as long as they add up to 1.
    So all rows are equal after one layer; a skip and a map of rows keep them equal, and then the
    next layer is given equal rows again.
    """
    seen = [Atom(total(multiply(G, exp(S)), "j"), "≠", number(0))]
    claims = [
        holds(
            contract(shares, v, "j"), "=", v,
            {"smt": by_chain(*steps), "sympy": by_sympy_simplified, "numeric": by_numpy()},
            given=given, over=sizes({m: 1}),
        )
        for shares, steps, given in (
            (softmax(S, "j"), ("positive", "scale"), []),
            (masked_softmax(S, G, "j"), ("scale",), seen),
        )
    ]  # fmt: skip
    twice = multiply(number(2), v)
    counted = total(multiply(SEEN, number(1)), "j")
    less = total(multiply(divide(SEEN, add(number(1), total(SEEN, "j"))), number(1)), "j")
    pairs = [Witness({"t": 4}, {"a": a, "b": a + 1}, {"W_Q": [[1]]}) for a in range(3)]
    counts = [
        differs(
            of(t, HERE), of(t, THERE), {"exact": by_exact(pairs)}, every=(HERE, THERE),
            given=[Atom(of(iota(PLACES, "i"), HERE), "<", of(iota(PLACES, "i"), THERE))],
            over=sizes(among={PLACES: (4,)}),
        )
        for t in (counted, less)
    ]  # fmt: skip
    return Proof(
        claims=in_rocq("constant_sequence_blind", *claims, *counts),
        headlines=("constant_sequence_blind",),
        planted=(
            nearby(claims[0], "A weighted mean of equal values v is v, not 2 v.", rhs=twice),
            nearby(claims[1], "The same under a mask.", rhs=twice),
            *(
                nearby(c, "A position differs from another, not from itself.", rhs=c.lhs)
                for c in counts
            ),
        ),
        show=show(Named("S", S, "i", "j"), Named("v", v)),
    )


def of(t: Term, token: Map) -> Term:
    """The row of a place."""
    return at(t, {"i": token()})
