"""Uniform causal attention over uncorrelated values: the variance falls with the position.

The output is a linear combination of the values, and if these are uncorrelated with variance v, so
that their covariances are v I, its variance is v times the sum of its squared weights. One layer
takes the mean of t values, with variance v/t. After two, the sum of the squares of (1/t) Σ 1/i over
j ≤ i ≤ t is (1/t²) Σ_{i, i′} min(i, i′)/(i i′) = (1/t²) Σ_m (2 m − 1)/m = (2 t − H_t)/t².
"""

from orderproof.proofs.prelude import *
from orderproof.symbolic.schemes.running_means import causal_mask, running_means, stacked

M = running_means(n)
TWICE = stacked(M, M)
COVARIANCE, v = tensor("C", j=n, l=n), tensor("v")
UNCORRELATED = Atom(COVARIANCE, "=", multiply(v, delta(n, "j", "l")))
POSITION = add(iota(n, "i"), number(1))  # t, from 1
HARMONIC = total(divide(causal_mask(n), add(iota(n, "j"), number(1))), "j")  # H_t


@theorem(
    title="The variance of uniform causal attention over uncorrelated values",
    words=(
        Sentence("After one layer the variance at position t is v/t.", (0,)),
        Sentence("After two layers it is v (2 t − H_t)/t², H_t the sum of 1/i over i ≤ t.", (1,)),
    ),
    source="Chi et al. 2023",
    citations=("chi2023",),
    uses=("two_causal_layers_see_order",),
)
def causal_variance() -> Proof:
    """The mean of so many values has its variance divided by their number. For two layers, the sum
    of the squared weights is a double sum, over two tokens of the past, of the smaller of their
    numbers by the product of both, which is the reciprocal of the larger. Of the pairs of which the
    larger is a given number there are twice this number, less one; so the sum is twice the number
    of tokens, less a harmonic sum.
    """
    after_two = divide(subtract(multiply(number(2), POSITION), HARMONIC), POSITION)
    marks = {"sympy": by_sympy_simplified, "numeric": by_numpy()}
    once, twice = (
        holds(variance(weights), "=", divide(value, POSITION), marks, given=[UNCORRELATED])
        for weights, value in ((M, v), (TWICE, multiply(v, after_two)))
    )
    square = divide(v, multiply(POSITION, POSITION))
    return Proof(
        claims=in_rocq("causal_variance", once, twice),
        planted=(
            nearby(once, "The standard deviation is not divided by t.", rhs=square),
            nearby(twice, "Two layers do not square the factor of one.", rhs=square),
        ),
        show=show(
            Named("M", M, "i", "j"), Named("N", TWICE, "i", "j"),
            Named("t", POSITION), Named("H", HARMONIC),
        ),
    )  # fmt: skip


def variance(weights: Term) -> Term:
    """Σ_jl a_j a_l C_jl for each row a of the weights: the variance of the combination a."""
    return contract(contract(weights, COVARIANCE, "j"), weights.rename({"j": "l"}), "l")
