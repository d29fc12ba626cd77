"""Distances of tokens, of values and of outputs, and what is asked of the weights of one layer.

‖x‖ the Euclidean norm; s the spread of X, the largest distance of two tokens; μ and ω numbers that
bound what the scores and the values make of a difference of two tokens, as the operator norms of
W_Q W_Kᵀ/√d_k and of W_V do, and their Frobenius norms; κ = μ ω s²/4
"""

from orderproof.proofs.prelude import *
from orderproof.symbolic.models.attention import scores
from orderproof.symbolic.models.builders import call, define

MU, OMEGA = tensor("mu"), tensor("omega")
FIRST, SECOND, THIRD, FOURTH = "ilab"  # axes of the tokens that a hypothesis or a claim is about


def norm(t: Term, axis: Name) -> Term:
    """‖t‖, the root of the sum of squares over an axis."""
    x = tensor("x", c=t.sets[axis])
    return call(define("norm", [x], sqrt(total(multiply(x, x), "c"))), [t], [[axis]], ())


def difference(rows: Term, row: Name, one: Name, other: Name) -> Term:
    """Rows `one` and `other` of a matrix whose rows are over `row`, subtracted."""
    return subtract(rows.rename({row: one}), rows.rename({row: other}))


def distance(rows: Term, feature: Name, one: Name = FIRST, other: Name = SECOND) -> Term:
    """The distance of rows `one` and `other` of a matrix, whose rows are over its other axis."""
    (row,) = (a for a in rows.axes if a != feature)
    return norm(difference(rows, row, one, other), feature)


def largest(pairs: Term) -> Term:
    """The largest of numbers over p and q."""
    return reduce("max", reduce("max", pairs, "q"), "p")


def spread(rows: Term, feature: Name) -> Term:
    """The largest distance of two rows."""
    return largest(distance(rows, feature, "p", "q"))


def frobenius(matrix: Term, row: Name, column: Name) -> Term:
    """The root of the sum of all squares."""
    return sqrt(total(total(multiply(matrix, matrix), column), row))


def about_the_mean(rows: Term, row: str) -> Term:
    """The sum of the squares of a matrix less its mean row."""
    apart = subtract(rows, mean(rows, row))
    return total(total(multiply(apart, apart), "r"), row)


def variation(weights: Term, one: Name = FIRST, other: Name = SECOND) -> Term:
    """Half the sum of the absolute differences of two rows of weights over i and j."""
    apart = difference(weights, "i", one, other)
    absolute = pointwise("max", apart, pointwise("neg", apart))
    return multiply(number(Fraction(1, 2)), total(absolute, "j"))


def oscillation(s: Term, one: Name = FIRST, other: Name = SECOND) -> Term:
    """How much the scores of one query less those of another vary over the keys."""
    apart = difference(s, "i", one, other)
    here, there = (apart.rename({"j": key}) for key in "pq")
    return largest(subtract(here, there))


def tanh_quarter(t: Term) -> Term:
    """tanh(t/4), as (e^(t/2) − 1)/(e^(t/2) + 1)."""
    root = exp(divide(t, number(2)))
    return divide(subtract(root, number(1)), pointwise("add", root, number(1)))


def kappa(mu: Term, omega: Term, s: Term, power: int = 2) -> Term:
    """μ ω s²/4; or with a higher power of s."""
    return divide(multiply(mu, omega, *[s] * power), number(4))


def _between(tokens: Term, weight: Term, one: Name, other: Name) -> Term:
    """(x_one − x_other) W."""
    return contract(difference(tokens, "i", one, other), weight, "c")


FORM = scores(  # (x_i − x_l) W_Q W_Kᵀ (x_a − x_b)ᵀ/√d_k
    _between(X, W_Q, FIRST, SECOND), _between(X, W_K, THIRD, FOURTH), "k"
)
SCORES_VARY = Atom(
    FORM, "≤", multiply(MU, distance(X, "c"), distance(X, "c", THIRD, FOURTH))
)  # fmt: skip
SIGNS = tuple(Atom(number(0), "<", x) for x in (MU, OMEGA))


def bounded_by(weight: Term, feature: Name) -> tuple[Atom, ...]:
    """0 < μ and 0 < ω; (x_i − x_l) W_Q W_Kᵀ (x_a − x_b)ᵀ/√d_k ≤ μ ‖x_i − x_l‖ ‖x_a − x_b‖ and
    ‖(x_i − x_l) W‖ ≤ ω ‖x_i − x_l‖ for all tokens, W the weight of the values."""
    values = norm(_between(X, weight, FIRST, SECOND), feature)
    return (*SIGNS, SCORES_VARY, Atom(values, "≤", multiply(OMEGA, distance(X, "c"))))


FORM_NORM = frobenius(  # of W_Q W_Kᵀ/√d_k
    divide(contract(W_Q, W_K.rename({"c": "e"}), "k"), sqrt(size(d_k))), "c", "e"
)
VALUE_NORM = frobenius(W_V, "c", "r")

SPREAD = spread(X, "c")
NAMED = (  # as the book writes what bounds one layer
    Named("F", FORM), Named("s", SPREAD), Named("kappa", kappa(MU, OMEGA, SPREAD)),
    Named("mu_F", FORM_NORM), Named("omega_F", VALUE_NORM),
)  # fmt: skip
