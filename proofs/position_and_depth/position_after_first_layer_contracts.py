"""One layer of attention brings tokens closer: by a factor of at most κ = μ ω s²/4.

The scores of tokens i and l differ by (x_i − x_l) M x_jᵀ, which over the keys j varies by at most
o = μ ‖x_i − x_l‖ s. So the weights of the two are in ratios within a factor e^o of each other, and
if x and y are the weights that they give to one set of keys, x (1 − y) ≤ e^o (1 − x) y. With
r = e^(o/2), 0 ≤ (x − r (1 − x))² then gives x − y ≤ (r − 1)/(r + 1) = tanh(o/4) ≤ o/4. Averages
with weights so near to each other are apart by at most o/4 times the largest distance of two
values (attention_contracts), and that is at most ω s.
"""

from orderproof.proofs.prelude import *

from .distances import (
    FORM_NORM,
    MU,
    NAMED,
    OMEGA,
    VALUE_NORM,
    bounded_by,
    distance,
    kappa,
    oscillation,
    spread,
    tanh_quarter,
    variation,
)

SCORES = tensor("T", i=n, j=m)  # of any queries for any keys
A = softmax(SCORES, "j")
s, D = spread(X, "c"), distance(X, "c")
BOUNDED = bounded_by(W_V, "r")
ONE, OTHER = constant("a", n), constant("b", n)
# Scores ± ln 2.
OPPOSITE = Witness({"n": 2, "m": 2}, {"a": 0, "b": 1}, {"T": [[1, -1], [-1, 1]]}, logs=("T",))
SMALL = {"numeric": by_numpy(scale=0.3)}  # inputs for which μ and ω above 1 are bounds


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
    weights = holds(
        variation(A), "≤", tanh_quarter(oscillation(SCORES)), {"numeric": by_numpy()},
        over=sizes({m: 1}),
    )  # fmt: skip
    closer = holds(
        distance(SELF.Z, "r"), "≤", multiply(kappa(MU, OMEGA, s), D), SMALL, given=BOUNDED
    )
    norms = holds(
        distance(SELF.Z, "r"), "≤", multiply(kappa(FORM_NORM, VALUE_NORM, s), D),
        {"numeric": by_numpy()},
    )  # fmt: skip
    whole = holds(
        spread(SELF.Z, "r"), "≤", kappa(MU, OMEGA, s, 3), SMALL, given=BOUNDED, over=sizes({n: 1})
    )
    bound, reached = (
        at(t, {"i": ONE(), "l": OTHER()}) for t in (tanh_quarter(oscillation(SCORES)), variation(A))
    )
    attained = holds(
        bound, "≤", reached, {"exact": by_exact([OPPOSITE])}, over=sizes(among={n: (2,), m: (2,)})
    ).stating(
        exists=frozenset({leaf_of(SCORES), ONE, OTHER}),
        such=frozenset({Atom(number(0), "<", reached)}),
    )
    bounds = in_rocq("position_after_first_layer_contracts", weights, closer, norms, whole)
    return Proof(
        claims=(*bounds, attained),
        neighbour=nearby(
            weights, "tanh(o/8) is too little: two keys come near to tanh(o/4).",
            rhs=tanh_quarter(divide(oscillation(SCORES), number(2))),
        ),
        neighbours=(
            *(
                nearby(claim, "The bound is no lower bound.", lhs=claim.rhs, rhs=claim.lhs)
                for claim in (closer, norms, whole)
            ),
            nearby(attained, "The bound is reached, not exceeded.", relation="<"),
        ),
        show=show(
            *SELF.named(), *NAMED, Named("A_T", A, "i", "j"), Named("tau", variation(A), "i", "l"),
            Named("o", oscillation(SCORES), "i", "l"), Named("s_Z", spread(SELF.Z, "r")),
        ),
    )  # fmt: skip
