"""Checking: the marks of a claim are made, and its verdict and its theorem's follow from them."""

from __future__ import annotations

import time
from collections.abc import Sequence

from orderproof.symbolic.language import symbols

from .claims import Check, Claim, TheoremFile
from .definitions import planted, where
from .derivations import derivations
from .pages import ERROR, ClaimPage, Mark, TheoremPage
from .statements import given, stated


def run(check: Check, mark: str, claim: Claim) -> Mark:
    """One mark, timed; an error while checking is a mark that is not ok, with the error."""
    start = time.perf_counter()
    try:
        if claim.rhs.sets.items() <= claim.lhs.sets.items():
            ok, detail = check(claim)
        else:
            ok, detail = False, "no statement: an axis of the right side is not one of the left"
    except Exception as error:  # whatever went wrong, the mark must not be green
        ok, detail = False, f"{ERROR}{type(error).__name__}: {error}"
    return Mark(mark, ok, time.perf_counter() - start, detail)


EVERY = "every entry"  # of terms without free tensors, at listed sizes
SETTLES = {
    "equality": {"kernel", "smt", "rocq"},
    "exists": {"exact", "interval", "smt", "rocq"},
    EVERY: {"interval"},
}
DENIES = {"numeric"}  # beyond the derived rounding bound; a proof that is missing denies nothing


def listed(claim: Claim) -> bool:
    """Whether the claim is about listed sizes alone, each of which a check can try."""
    over, _ = symbols(claim.lhs, claim.rhs)
    return all(claim.sizes.get(s, ("≥", (0,)))[0] == "∈" for s in over)


def verdict(kind: str, marks: Sequence[Mark], expected: str, listed: bool = True) -> str:
    """As expected if all marks are ok and one of them can settle a claim of this kind: where not
    all its sizes are listed, a counterexample at some does not. Refuted if a check found values for
    which the claim is false; open where one broke down, said no more than no, or is missing."""
    if any(m.detail.startswith(ERROR) for m in marks):
        return "open"
    if any(m.ok is False and m.mark in DENIES for m in marks) and kind != "exists":
        return "refuted" if expected == "proved" else "open"
    settles = SETTLES.get(kind, {"smt", "rocq"}) - (set() if listed else {"exact", "interval"})
    settled = {m.mark for m in marks} & settles
    return expected if settled and all(m.ok for m in marks) else "open"


def weakest(verdicts: Sequence[str], expected: Sequence[str]) -> str:
    """proved if every claim came out as declared; else refuted before open."""
    if all(v == e for v, e in zip(verdicts, expected, strict=True)) and verdicts:
        return "proved"
    wrong = [v for v, e in zip(verdicts, expected, strict=True) if v != e]
    return "open" if set(wrong) <= {"open"} else "refuted"


def check(theorem: TheoremFile, rocq: Check | None = None) -> TheoremPage:
    """All marks of all claims of a theorem, and its page; `rocq` where Rocq was asked."""
    pages = []
    for claim in theorem.claims:
        checks = dict(claim.marks) | ({"rocq": rocq} if rocq and "rocq" in claim.declared() else {})
        marks = tuple(run(c, name, claim) for name, c in checks.items())
        outcome = verdict(claim.kind, marks, claim.expected, listed(claim))
        text = stated(claim, theorem)
        pages.append(ClaimPage(text, claim.kind, claim.scope, claim.expected, outcome, marks))
    false = theorem.neighbour.claim
    refusals = tuple(run(c, name, false) for name, c in false.marks.items())
    outcomes, expected = [p.verdict for p in pages], [p.expected for p in pages]
    return TheoremPage(
        id=theorem.id,
        title=theorem.title,
        words=theorem.words,
        source=theorem.source,
        citations=theorem.citations,
        given=given(theorem),
        where=where(theorem),
        sections=derivations(theorem),
        claims=tuple(pages),
        neighbour=(planted(theorem), theorem.neighbour.reason),
        refusals=refusals,
        examples=theorem.examples,
        uses=theorem.uses,
        verdict=weakest(outcomes, expected) if all(m.rejects for m in refusals) else "open",
    )
