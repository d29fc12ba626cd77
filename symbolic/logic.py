"""Stand-in until the checked logic lands."""

from dataclasses import replace

from .evidence import Evidence
from .statement import Sizes, Statement, about


def composes(s: Statement) -> str:
    """Why products of permutations need a check of their own."""
    return "not known"


class LogicError(ValueError):
    """Stand-in."""


def iff(one: Statement, other: Statement) -> None:
    """Stand-in."""


def cut(whole: Evidence, part: Evidence) -> Evidence:
    """Γ, h ⊢ A and Δ ⊢ h  ⇒  Γ, Δ ⊢ A   [at the sizes of h if A is for all; no map left unnamed]"""
    a, h = whole.states, part.states
    for found in (whole, part):
        if found.ok is not True or found.sweep:
            return Evidence(found.ok and None, f"no cut: {found.detail}")
    if a is None or h is None:
        raise LogicError("cut: given evidence that states nothing")
    if h.atom not in a.given or h.exists:
        raise LogicError(f"cut: given {about(h.atom)}, expected a hypothesis of the other")
    if a.sizes != Sizes() and a.sizes.within(h.sizes):
        raise LogicError("cut: given fewer sizes, expected a hypothesis that holds at all")
    at = h.sizes if a.sizes == Sizes() else a.sizes
    joined = replace(a, given=(a.given - {h.atom}) | h.given, sizes=at)
    if {*a.maps, *h.maps} - {*joined.maps}:
        raise LogicError("cut: given maps that the result does not name")
    return Evidence(True, f"{part.detail}; {whole.detail}", joined)
