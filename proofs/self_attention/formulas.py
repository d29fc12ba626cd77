"""Of the proof of the lemma: what a sum changes by if one of its terms is replaced."""

from __future__ import annotations

from orderproof.check.formulas import Shown, Stated
from orderproof.proofs.prelude import *

a, v = tensor("a", i=n), tensor("v")
p, q = constant("p", n), constant("q", n)


def entry(place: Map) -> Term:
    """a_p: the term at a place."""
    return at(a, {"i": place()})


def put(place: Map, by: Term) -> Term:
    """What is added to a at each place if the term at one is replaced."""
    there = at(delta(n, "i", "j"), {"j": place()})
    return multiply(there, subtract(by, entry(place)))


REPLACED = add(a, put(q, v))
SWAPPED = add(a, put(p, entry(q)), put(q, entry(p)))
TOTAL = reduce("sum", a, "i")

FORMULAS: dict[str, Shown] = {
    "a term replaced": Stated(
        holds(
            reduce("sum", REPLACED, "i"), "=", add(TOTAL, subtract(v, entry(q))),
            {"numeric": by_numpy()},
        ),
        show(),
    ),
    "two terms exchanged": Stated(
        holds(reduce("sum", SWAPPED, "i"), "=", TOTAL, {"numeric": by_numpy()}), show()
    ),
}  # fmt: skip
