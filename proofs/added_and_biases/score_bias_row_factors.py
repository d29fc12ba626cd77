"""Row factors of a score bias cancel: softmax divides by the sum of a row.

So a factor for each row of the weights G = exp B, which is a number added to each row of B, changes
no attention weight. And whether P fixes G up to such factors can be read off the rows divided by
their sums, N, as well as off those divided by their largest entries.
"""

from orderproof.proofs.prelude import *
from orderproof.symbolic.schemes.weights import by_largest

from .score_bias import BIAS, LAYER, NO_ZERO_ROW, WEIGHTS

f = tensor("f", i=n)  # a factor for each row
SCALED = replace(SELF, mask=multiply(f, BIAS.G)).A
BY_KEY = replace(SELF, mask=multiply(f.rename({"i": "j"}), BIAS.G)).A  # of the key instead
D_N = by_largest(BIAS.N, "j")


@theorem(
    title="Row factors of a score bias cancel",
    words=(
        Sentence("A positive factor for each row of G changes no attention weight.", (0,)),
        Sentence(
            "If P fixes N, which is G with each row divided by its sum, it fixes N with each "
            "row divided by its largest entry.",
            (1,),
        ),
    ),
    source="biases of the scores: Raffel et al. 2020, section 2.1",
    citations=("raffel2020",),
    uses=("softmax_row_stochastic", "sum_act"),
)
def score_bias_row_factors() -> Proof:
    """In the first claim the factor of row i stands in the numerator and in each term of the
    denominator, and is not zero. For the second, a largest entry does not depend on the order of
    the entries, just as a sum does not (sum_act).
    """
    constants = holds(
        SCALED, "=", LAYER.A,
        {
            "smt": by_chain("scale", "support"),
            "sympy": by_sympy_simplified_at(
                {"n": 2, "d": 1, "d_k": 2}, {"n": 3, "d": 2, "d_k": 1}
            ),
            "numeric": by_numpy(),
        },
        row="i", column="j",
        given=[WEIGHTS, Atom(number(0), "<", f), NO_ZERO_ROW],
    )  # fmt: skip
    sums = BIAS.of_sums()
    kept_sums = equality(
        sums.lhs, sums.rhs, sums, {}, row=0, column=1, given=[WEIGHTS, NO_ZERO_ROW]
    )
    return Proof(
        claims=in_rocq("score_bias_iff", constants, kept_sums),
        planted=(
            nearby(constants, "A factor for each key is not one for each row.", lhs=BY_KEY),
            nearby(kept_sums, "The columns are permuted too.", lhs=moved(D_N, i=sigma), rhs=D_N),
        ),
        show=show(
            *LAYER.named("QKVSA"),
            Named("N", BIAS.N, "i", "j"),
            Named("D_N", D_N, "i", "j"),
            Named("A_f", SCALED, "i", "j"),
        ),
    )
