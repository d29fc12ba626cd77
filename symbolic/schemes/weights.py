"""Weights G on exp(s), a mask or exp of a bias, up to a factor for each row.

A factor for each row changes no weight of softmax; and dividing by the sum of a row loses nothing
of G but that factor: divided by their largest entry, the weights of uniform attention are G again.
"""

from __future__ import annotations

from orderproof.symbolic.calculus.terms import Name, Term
from orderproof.symbolic.models.builders import divide, reduce


def by_largest(weights: Term, axis: Name) -> Term:
    """Each row divided by its largest entry: as 0 is subtracted from −∞, exp of B minus its row
    maxima."""
    return divide(weights, reduce("max", weights, axis))
