"""Products over the places before an index, as they are written: powers and binomial coefficients.

Π_p (1 + [p + 1 ≤ k] (f − 1)) has the factor f at the places p < k and 1 at the others. With a
number for f it is the power f^k, and with (t − p)/(p + 1) the binomial coefficient of t and k: for
an index k of the same set, which is less than its size, so that no factor is left out.
"""

from __future__ import annotations

from orderproof.symbolic.calculus.terms import Name, Term, opened
from orderproof.symbolic.models.builders import iota, number


def before_index(t: Term) -> tuple[Name, Term, Term] | None:
    """The place p, the index k and the factor f of such a product; None for any other term."""
    op, parts, bound, _ = opened(t)
    if (op.kind, op.data[:1]) != ("reduce", ("prod",)):
        return None
    (place,) = bound[0]
    here, of = iota(op.data[1], place), op.data[1]
    found = _applied("add", parts[0])
    inner = _applied("mul", found[1]) if found and found[0] == number(1) else None
    seen = _applied("at_most", inner[0]) if inner else None
    less = _applied("sub", inner[1]) if inner else None
    if not (seen and less and _applied("add", seen[0]) == (here, number(1))):
        return None
    end = seen[1]
    index = (end.node.op.kind, end.node.op.data) == ("iota", (of,)) and place not in end.axes
    return (place, end, less[0]) if index and less[1] == number(1) else None


def top_of_binomial(place: Name, factor: Term) -> Term | None:
    """t where the factor at a place p is (t − p)/(p + 1), t the same at all places; or None."""
    found = _applied("div", factor)
    above = _applied("sub", found[0]) if found else None
    below = _applied("add", found[1]) if found else None
    if not (above and below and below == (above[1], number(1))):
        return None
    here = above[1]
    fits = here.node.op.kind == "iota" and here.axes == (place,) and place not in above[0].axes
    return above[0] if fits else None


def _applied(name: str, t: Term) -> tuple[Term, ...] | None:
    """The two parts of a function of this name; None for any other term."""
    if (t.node.op.kind, t.node.op.data) != ("pointwise", (name, 2)):
        return None
    return opened(t)[1]
