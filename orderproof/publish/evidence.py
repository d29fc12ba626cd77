"""What was checked: in a line below a proof, and in tables; computed from the marks of claims."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence

from orderproof.check.page import (
    FROM_ROCQ,
    RECORDED_ROCQ,
    ROCQ,
    UNCHECKED,
    ClaimPage,
    Mark,
    TheoremPage,
)
from orderproof.check.prove.trust import MARKS, Trust
from orderproof.symbolic.counting import runs

from .model import Table, TheoremRef, Verdict, Words, anchor

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


# ------------------------------------------------------------------------------------------ tables
def marks(called: str, parts: Sequence[Trust]) -> Table:
    """Marks, or parts of an answer: what each says, and what one who accepts it believes."""
    rows = tuple(((Verdict(t.name, ""),), (t.says,), (t.believe,)) for t in parts)
    head: tuple[Words, ...] = ((called,), ("what it says",), ("what you must believe",))
    return Table(
        head, rows, (0.13, 0.38, 0.43), anchors=tuple(f"mark-{anchor(t.name)}" for t in parts)
    )


def table(pages: Sequence[TheoremPage]) -> Table:
    """How many claims of each theorem carry each mark."""
    names = used(pages)
    rows = tuple(
        ((TheoremRef(p.id),), _titled(p), *((carried(p, name),) for name in names)) for p in pages
    )
    shares = (0.12, 0.72 - 0.045 * len(names), *(0.0 for _ in names))
    return Table(((), ("theorem",), *((name,) for name in names)), rows, shares, turned=True)


def used(pages: Sequence[TheoremPage]) -> list[str]:
    """The marks that are on claims of these, in the order in which they are explained."""
    found = {m.mark for page in pages for c in page.claims for m in c.marks}
    return [m.name for m in MARKS if m.name in found]


def _titled(page: TheoremPage) -> Words:
    if not page.as_declared:
        return page.title, " ", Verdict(f"({page.told})", page.shade)
    return (page.title, f" ({page.reads})") if page.reads != page.expected else (page.title,)


def carried(page: TheoremPage, name: str) -> str:
    """How many claims of the page carry the mark."""
    given: list[Mark] = [m for claim in page.claims for m in claim.marks if m.mark == name]
    if not given:
        return ""
    if any(m.ok is False for m in given):
        return "✗"
    if any(m.ok is None for m in given):
        return "?"
    count = sum(any(m.mark == name for m in claim.marks) for claim in page.claims)
    return f"{count}/{len(page.claims)}"
