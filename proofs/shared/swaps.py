"""The swap of the first two tokens, and 1 at the first alone: witnesses of every size, as terms."""

from orderproof.proofs.prelude import *


def upto(over: Set, last: int) -> Term:
    """1 at the places up to one, counted from 0, and 0 at the others: over the axis i."""
    return pointwise("at_most", iota(over, "i"), number(last))


def swap(over: Set, by: Map) -> Atom:
    """That a permutation exchanges the first two: ι(σ(i)) = i + 2·[i ≤ 0] − [i ≤ 1]."""
    place = add(iota(over, "i"), multiply(number(2), upto(over, 0)))
    return Atom(moved(iota(over, "i"), i=by), "=", subtract(place, upto(over, 1)))
