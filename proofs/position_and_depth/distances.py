"""Distances of tokens, of values and of outputs, and what is assumed of the weights of one layer.

‖x‖ the Euclidean norm; s the spread of X, the largest distance of two tokens; μ and ω numbers that
bound what the scores and the values make of a difference of two tokens, as the operator norms of
W_Q W_Kᵀ/√d_k and of W_V do, and their Frobenius norms; κ = μ ω s²/4
"""

from orderproof.proofs.prelude import *
from orderproof.symbolic.models.attention import scores
from orderproof.symbolic.models.builders import call, define

MU, OMEGA = tensor("mu"), tensor("omega")
ONE, OTHER = constant("a", n), constant("b", n)  # two places


def norm(t: Term, axis: Name) -> Term:
    """‖t‖, the root of the sum of squares over an axis."""
    x = tensor("x", c=t.sets[axis])
    return call(define("norm", [x], sqrt(total(multiply(x, x), "c"))), [t], [[axis]], ())


def difference(rows: Term, one: Name = "i", other: Name = "l", *, row: Name = "i") -> Term:
    """Rows `one` and `other` of a matrix whose rows are over `row`, subtracted."""
    return subtract(rows.rename({row: one}), rows.rename({row: other}))


def distance(rows: Term, feature: Name, one: Name = "i", other: Name = "l") -> Term:
    """The distance of rows `one` and `other` of a matrix, whose rows are over its other axis."""
    (row,) = (a for a in rows.axes if a != feature)
    return norm(difference(rows, one, other, row=row), feature)


def largest(pairs: Term) -> Term:
    """The largest of numbers over p and q."""
    return reduce("max", reduce("max", pairs, "q"), "p")


def spread(rows: Term, feature: Name) -> Term:
    """The largest distance of two rows."""
    return largest(distance(rows, feature, "p", "q"))


def frobenius(matrix: Term, row: Name, column: Name) -> Term:
    """The root of the sum of all squares."""
    return sqrt(total(total(multiply(matrix, matrix), column), row))


def variation(weights: Term, one: Name = "i", other: Name = "l") -> Term:
    """Half the sum of the absolute differences of two rows of weights over i and j."""
    apart = difference(weights, one, other)
    absolute = pointwise("max", apart, pointwise("neg", apart))
    return multiply(number(Fraction(1, 2)), total(absolute, "j"))


def kappa(mu: Term = MU, omega: Term = OMEGA, *, power: int = 2) -> Term:
    """μ ω s²/4; or with a higher power of s."""
    return divide(multiply(mu, omega, *[spread(X, "c")] * power), number(4))


def bounded_by(weight: Term, feature: Name) -> tuple[Atom, ...]:
    """0 < μ and 0 < ω; (x_i − x_l) W_Q W_Kᵀ (x_a − x_b)ᵀ/√d_k ≤ μ ‖x_i − x_l‖ ‖x_a − x_b‖ and
    ‖(x_i − x_l) W‖ ≤ ω ‖x_i − x_l‖ for all tokens, W the weight of the values."""
    apart, others = distance(X, "c"), distance(X, "c", "a", "b")
    values = norm(contract(difference(X), weight, "c"), feature)
    return (
        *(Atom(number(0), "<", bound) for bound in (MU, OMEGA)),
        Atom(FORM, "≤", multiply(MU, apart, others)),
        Atom(values, "≤", multiply(OMEGA, apart)),
    )


def there_are(
    lhs: Term, relation: str, rhs: Term, found: list[Witness],
    *, such: Sequence[Atom], among: Mapping[Set, tuple[int, ...]],
) -> Claim:  # fmt: skip
    """There are tensors such that this holds, and lhs relation rhs: at these, exactly."""
    claim = differs(lhs, rhs, {"exact": by_exact(found)}, such=such, over=sizes(among=among))
    return claim.stating(relation=relation, some=False)


FORM = scores(  # (x_i − x_l) W_Q W_Kᵀ (x_a − x_b)ᵀ/√d_k
    contract(difference(X), W_Q, "c"), contract(difference(X, "a", "b"), W_K, "c"), "k"
)
PRODUCT = divide(contract(W_Q, W_K.rename({"c": "e"}), "k"), sqrt(size(d_k)))
MU_F, OMEGA_F = frobenius(PRODUCT, "c", "e"), frobenius(W_V, "c", "r")
NAMED = (
    Named("F", FORM), Named("s", spread(X, "c")), Named("kappa", kappa()),
    Named("mu_F", MU_F), Named("omega_F", OMEGA_F),
)  # fmt: skip
