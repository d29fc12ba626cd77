"""Layers of a causal mask with uniform weights, for every n: what each token weighs.

Row i of the weights is 1/(i + 1) at the places j ≤ i, counted from 0. So after two layers the last
of n tokens sees token j with the weight w(j) = (1/n) Σ_{j ≤ i < n} 1/(i + 1), and
w(j) − w(j + 1) = (1/n)·1/(j + 1) > 0. After any number of layers, with skips, the weights are
alternating sums of products over the layers (`causal_weight`).
"""

from __future__ import annotations

from collections.abc import Sequence

from orderproof.symbolic.calculus.terms import Map, Set, Term, at
from orderproof.symbolic.models.builders import (
    add,
    contract,
    delta,
    divide,
    iota,
    multiply,
    number,
    pointwise,
    reduce,
    size,
    subtract,
    total,
)


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


def averaging_layer(over: Set, skip: Term, share: Term) -> Term:
    """r I + w M, M the running means, for numbers r and w: over i and j."""
    return add(multiply(skip, delta(over, "i", "j")), multiply(share, running_means(over)))


def stacked(first: Term, *later: Term) -> Term:
    """The product of matrices over i and j that are applied in this order."""
    for layer in later:
        first = contract(layer.rename({"j": "h"}), first.rename({"i": "h"}), "h")
    return first


def binomial(over: Set, top: Term, bottom: Term) -> Term:
    """C(top, bottom) for whole numbers 0 ≤ bottom < n and top ≥ 0: the product over p < bottom of
    (top − p)/(p + 1), taken over all places p."""
    place = iota(over, "p")
    factor = divide(subtract(top, place), add(place, number(1)))
    return reduce("prod", _where_before(place, bottom, factor), "p")


def sign(over: Set, power: Term) -> Term:
    """(−1)^power for a whole number 0 ≤ power < n, as a product over the places."""
    return reduce("prod", _where_before(iota(over, "p"), power, number(-1)), "p")


def _where_before(place: Term, end: Term, factor: Term) -> Term:
    """The factor at the places before the end, 1 at the others."""
    before = pointwise("at_most", add(place, number(1)), end)
    return add(number(1), multiply(before, subtract(factor, number(1))))


def causal_weight(over: Set, layers: Sequence[tuple[Term, Term]]) -> Term:
    """What the last of n tokens gives to token j after layers r I + w M, over j; places from 0:
    C(n − 1, j) Σ_k (−1)^k C(n − 1 − j, k) Π (r + w/(j + k + 1)). Terms with k > n − 1 − j are 0."""
    last = subtract(size(over), number(1))
    token, k = iota(over, "j"), iota(over, "k")
    factors = (add(r, divide(w, add(token, k, number(1)))) for r, w in layers)
    each = multiply(sign(over, k), binomial(over, subtract(last, token), k), *factors)
    return multiply(binomial(over, last, token), total(each, "k"))
