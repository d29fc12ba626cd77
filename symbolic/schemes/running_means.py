"""Two layers of a causal mask with uniform weights, for every n: what each token weighs.

Row i of the weights is 1/(i + 1) at the places j ≤ i, counted from 0. So after two layers the last
of n tokens sees token j with the weight w(j) = (1/n) Σ_{j ≤ i < n} 1/(i + 1), and
w(j) − w(j + 1) = (1/n)·1/(j + 1) > 0.
"""

from __future__ import annotations

from orderproof.symbolic.calculus.terms import Map, Set, Term, at
from orderproof.symbolic.models.builders import contract, divide, iota, pointwise, total


def causal_mask(over: Set) -> Term:
    """1 where j ≤ i, else 0: over the axes i and j."""
    return pointwise("at_most", iota(over, "j"), iota(over, "i"))


def running_means(over: Set) -> Term:
    """The attention weights of a causal mask where all scores are equal: over i and j."""
    mask = causal_mask(over)
    return divide(mask, total(mask, "j"))


def weight_of(over: Set, last: Map, token: Map) -> Term:
    """What the last place sees of a token after two layers: Σᵢ A(last, i) A(i, token)."""
    weights = running_means(over)
    first = at(weights, {"j": token()})
    second = at(weights, {"i": last()}).rename({"j": "i"})
    return contract(second, first, "i")
