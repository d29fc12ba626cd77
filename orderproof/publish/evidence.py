"""What was checked, in a line below a proof; computed from the marks of its claims."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable

from orderproof.check.page import (
    FROM_ROCQ,
    RECORDED_ROCQ,
    ROCQ,
    UNCHECKED,
    ClaimPage,
    TheoremPage,
)
from orderproof.symbolic.counting import runs

CALLED = {
    ROCQ: "Rocq", RECORDED_ROCQ: "Rocq (recorded)",
    "kernel": "kernel", "smt": "Z3", "sympy": "SymPy",
    "exact": "exact fractions", "interval": "interval arithmetic", "numeric": "NumPy",
    "paper": "an argument on paper", "conjecture": "a conjecture",
}  # fmt: skip
ORDER = tuple(CALLED)
CONFIRMS = {  # what a mark says that does not settle a claim
    "sympy": "in small cases", "exact": "at an example", "interval": "at an example",
    "numeric": "in numbers",
}  # fmt: skip


def line(page: TheoremPage) -> str:
    """Which layers settle the claims, and which confirm them, or which marks are declared where
    none was made: one sentence for all claims, or one for each run of claims of one evidence."""
    said = [_said(claim) for claim in page.claims]
    if len(set(said)) == 1:
        return said[0][0].upper() + said[0][1:]
    each = itertools.groupby(range(1, len(said) + 1), lambda k: said[k - 1])
    return " ".join(f"{numbers_of(numbers)} {text}" for text, numbers in each)


def _said(claim: ClaimPage) -> str:
    if claim.verdict == UNCHECKED:
        return f"not checked; marks declared: {', '.join(m.mark for m in claim.marks) or 'none'}."
    found = {m.mark for m in claim.marks if m.settles and claim.as_declared}
    proofs = [name for name in ORDER if name in found]
    by = [_called(name, claim) for name in proofs if name != RECORDED_ROCQ]
    said = [f"checked {_scope(claim)}: {', '.join(by)}"] if by else []
    if RECORDED_ROCQ in proofs:
        said.append(FROM_ROCQ if by else f"{FROM_ROCQ} {_scope(claim)}")
    said = said or ["not proved"]
    for where, names in itertools.groupby(
        (n for n in CONFIRMS if any(m.mark == n and m.ok and not m.settles for m in claim.marks)),
        key=CONFIRMS.__getitem__,
    ):
        said.append(f"{where}: {', '.join(CALLED[n] for n in names)}")
    for ok, what in ((False, "failed"), (None, "undecided")):
        if others := [_called(m.mark, claim) for m in claim.marks if m.ok is ok]:
            said.append(f"{what}: {', '.join(others)}")
    if not (claim.as_declared or claim.verdict == "open"):
        said.append(f"the outcome is {claim.verdict}, where {claim.expected} was expected")
    return "; ".join(said) + "."


def _called(name: str, claim: ClaimPage) -> str:
    """The layer; of solvers, which of them were asked."""
    if name == "smt":
        asked = next(m.detail for m in claim.marks if m.mark == "smt").partition(":")[0]
        return asked if asked.startswith(CALLED["smt"]) else "SMT solvers"
    return CALLED[name]


def _scope(claim: ClaimPage) -> str:
    """For what it was checked: all sizes and weights, or as the claim limits them."""
    if claim.headline:
        return "as Rocq states it"
    return f"for {claim.scope}" if re.search(r"\d", claim.scope) else "for all sizes and weights"


def numbers_of(found: Iterable[int]) -> str:
    """(1), (3)–(5)."""
    return ", ".join(f"({a})–({b})" if b > a else f"({a})" for a, b in runs(found))
