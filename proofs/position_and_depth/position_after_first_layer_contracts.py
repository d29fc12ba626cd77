"""One layer of attention brings tokens closer: by a factor of at most κ = μ ω s²/4.

The scores of tokens i and l differ by (x_i − x_l) M x_jᵀ, which over the keys j varies by at most
o = μ ‖x_i − x_l‖ s. So the weights of the two are in ratios within a factor e^o of each other, and
if x and y are the weights that they give to one set of keys, x (1 − y) ≤ e^o (1 − x) y. With
r = e^(o/2), 0 ≤ (x − r (1 − x))² then gives x − y ≤ (r − 1)/(r + 1) = tanh(o/4) ≤ o/4. Averages
with weights so near to each other are apart by at most o/4 times the largest distance of two
values (attention_contracts), and that is at most ω s.
"""

from orderproof.proofs.prelude import *

from .distances import *

SCORES = tensor("T", i=n, j=m)  # of any queries for any keys
A = softmax(SCORES, "j")
OPPOSITE = Witness(  # scores ± ln 2
    {"n": 2, "m": 2}, {"a": 0, "b": 1}, {"T": [[1, -1], [-1, 1]]}, logs=("T",)
)
SMALL = {"numeric": by_numpy(scale=0.3)}  # inputs for which μ and ω above 1 are bounds


def oscillation(s: Term) -> Term:
    """How much the scores of one query less those of another vary over the keys."""
    here, there = (difference(s).rename({"j": key}) for key in "pq")
    return largest(subtract(here, there))


def tanh_quarter(t: Term) -> Term:
    """tanh(t/4), as (e^(t/2) − 1)/(e^(t/2) + 1)."""
    root = exp(divide(t, number(2)))
    return divide(subtract(root, number(1)), pointwise("add", root, number(1)))


@theorem(
    title="One layer of plain attention leaves tokens at most κ times as far apart",
    words=(
        Sentence(
            "If the scores of one query less those of another vary over the keys by o, the "
            "two softmaxes have a total variation of at most tanh(o/4).",
            (0,),
        ),
        Sentence("Two keys reach it: with scores ± ln 2 both are 3/5.", (4,)),
        Sentence(
            "Let attention be plain, without mask, bias, norm and skip, s the largest distance "
            "of two tokens, μ and ω bounds of what scores and values make of differences, and "
            "κ = μ ω s²/4. One layer leaves two tokens at most κ times as far apart.",
            (1,),
        ),
        Sentence("The Frobenius norms of W_Q W_Kᵀ/√d_k and of W_V are such bounds.", (2,)),
        Sentence("All outputs lie within μ ω s³/4 of each other.", (3,)),
    ),
    source="AI Stack Exchange, question 32236",
    uses=("attention_contracts",),
)
def position_after_first_layer_contracts() -> Proof:
    """Let rows i and l of the scores differ by a vector whose entries lie within o of each other.
    Weights are exponentials divided by a sum that cancels:
    {ratios of weights}
    and the exponential is at most that of o. Let x and y be the weights that i and l give to one
    set of keys. Added up over j in the set and k outside, the left sides make x times what y
    leaves, and the right sides at most as much as y times what x leaves, times the exponential of
    o. Write r for the exponential of half of o. Then y is at least {the least weight}, and x less
    that is
    {how much less}
    Squares are not negative, and so, since
    {a square}
    the denominator is at least the square of r plus one times x times what x leaves. What then
    remains of the fraction is the right side of (1), the hyperbolic tangent of a quarter of o, and
    that is below its tangent,
    {tanh below its tangent}
    taken at half of o. For attention the scores of two tokens vary by
    {how scores vary}
    which is at most μ times the distance of the two tokens times s; so a quarter of that bounds the
    total variation of their weights, and the values are apart by at most ω times s. The product is
    κ times the distance (attention_contracts), and (4) puts s for it.
    """
    o, tau = oscillation(SCORES), variation(A)
    weights = holds(tau, "≤", tanh_quarter(o), {"numeric": by_numpy()}, over=sizes({m: 1}))
    before, after, bounded = distance(X, "c"), distance(SELF.Z, "r"), bounded_by(W_V, "r")
    closer = holds(after, "≤", multiply(kappa(), before), SMALL, given=bounded)
    norms = holds(after, "≤", multiply(kappa(MU_F, OMEGA_F), before), {"numeric": by_numpy()})
    whole = holds(
        spread(SELF.Z, "r"), "≤", kappa(power=3), SMALL, given=bounded, over=sizes({n: 1})
    )
    bound, reached = (at(t, {"i": ONE(), "l": OTHER()}) for t in (weights.rhs, tau))
    attained = there_are(
        bound, "≤", reached, [OPPOSITE],
        such=[Atom(number(0), "<", reached)], among={n: (2,), m: (2,)},
    )  # fmt: skip
    bounds = in_rocq("position_after_first_layer_contracts", weights, closer, norms, whole)
    return Proof(
        claims=(*bounds, attained),
        planted=(nearby(
            weights, "tanh(o/8) is too little: two keys come near to tanh(o/4).",
            rhs=tanh_quarter(divide(o, number(2))),
        ), *(
                nearby(claim, "The bound is no lower bound.", lhs=claim.rhs, rhs=claim.lhs)
                for claim in (closer, norms, whole)
            ), nearby(attained, "The bound is reached, not exceeded.", relation="<"),),
        show=show(
            *SELF.named(), *NAMED, Named("A_T", A, "i", "j"), Named("tau", tau, "i", "l"),
            Named("o", o, "i", "l"), Named("s_Z", spread(SELF.Z, "r")),
        ),
    )  # fmt: skip
