"""The formulas of the prose proofs about added tables and score biases, each with its check."""

from __future__ import annotations

from orderproof.check.formulas import Stated, Written
from orderproof.proofs.added_and_biases.added_tables import DIFFERENCE, ONES, OPPOSITE, E, e
from orderproof.proofs.added_and_biases.normed_rows import SOME, a
from orderproof.proofs.added_and_biases.score_bias import BIAS, LAYER, NO_ZERO_ROW, WEIGHTS
from orderproof.proofs.prelude import *
from orderproof.symbolic.schemes.weights import by_largest

NUMBERS = {"numeric": by_numpy()}
BIASED = [WEIGHTS, NO_ZERO_ROW]
NO_QUERIES = [Atom(W_Q, "=", number(0)), *BIASED]

D, *_, Z_D = DIFFERENCE  # what is left of the tokens −Pᵀe where the table stays
ONE_FEATURE = show(D, Z_D)
x, g = tensor("x", j=n), tensor("g")  # any numbers, a query's value
NORMED = show()

V = contract(as_keys(X), W_V, "c")
N = Named("N", BIAS.N, "i", "j")
MOVED = image(LAYER.Z, TOKENS)
WEIGHED = show(
    *LAYER.named("VAZ"), N, Named("D", BIAS.D, "i", "j"), Named("Z'", MOVED, "i", "r")
)  # fmt: skip


WEIGHT = exp(multiply(D.term, as_keys(D.term)))  # of entry j for the query at i


def values(tokens: Term) -> Term:
    """Their values by rows i."""
    return contract(tokens, W_V, "c")


def averaged(rows: Term) -> Term:
    """The mean of rows."""
    return mean(rows, "i")


FORMULAS = {
    "the tokens of the witness": Written(OPPOSITE, ONE_FEATURE, row="i", column="c"),
    "the permuted tokens": Stated(
        holds(
            moved(OPPOSITE, i=sigma), "=", pointwise("neg", e), NUMBERS, row="i", column="c"
        ),
        ONE_FEATURE,
    ),
    "one sum in two orders": Stated(
        holds(total(moved(e, i=inverse(sigma)), "i"), "=", total(e, "i"), NUMBERS), ONE_FEATURE
    ),
    "what one query reads": Stated(
        holds(
            Z_D.term, "=",
            divide(
                total(multiply(WEIGHT, as_keys(D.term)), "j"), total(WEIGHT, "j")
            ).rename({"c": "r"}),
            NUMBERS, given=ONES,
        ),
        ONE_FEATURE, told=True,
    ),
    "weighed more or less": Stated(
        holds(x, "≤", multiply(exp(multiply(g, x)), x), NUMBERS, given=[Atom(number(0), "≤", g)]),
        NORMED,
    ),
    "the mean of values": Stated(
        holds(
            averaged(values(add(moved(X, i=sigma), E))), "=",
            add(averaged(values(moved(X, i=sigma))), averaged(values(E))), NUMBERS, column="r",
        ),
        show(),
    ),
    "less the mean": Stated(
        holds(
            subtract(add(X, a), mean(add(X, a), "c")), "=", subtract(X, mean(X, "c")), NUMBERS,
            over=SOME,
        ),
        NORMED,
    ),
    "no queries": Stated(
        holds(LAYER.A, "=", BIAS.N, NUMBERS, given=NO_QUERIES, row="i", column="j"),
        WEIGHED,
        told=True,
    ),
    "permuted before": Stated(
        holds(
            MOVED, "=", contract(BIAS.N, moved(V, j=sigma), "j"), NUMBERS, given=NO_QUERIES,
            row="i", column="r",
        ),
        WEIGHED, told=True,
    ),
    "permuted after": Stated(
        holds(
            moved(LAYER.Z, i=sigma), "=", contract(moved(BIAS.N, i=sigma), V, "j"), NUMBERS,
            given=NO_QUERIES, row="i", column="r",
        ),
        WEIGHED, told=True,
    ),
    "shares and largest": Stated(
        holds(
            by_largest(BIAS.N, "j"), "=", BIAS.D, NUMBERS, given=BIASED, row="i", column="j"
        ),
        WEIGHED, told=True,
    ),
}  # fmt: skip
