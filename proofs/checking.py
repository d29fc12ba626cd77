"""Checking: the marks of a claim are made, and its verdict and its theorem's follow from them."""

from __future__ import annotations

import time
from collections.abc import Sequence

from .claims import Check, Claim, TheoremFile
from .derivations import derivations
from .pages import ClaimPage, Mark, TheoremPage
from .statements import given, statement, style_of, where

ERROR = "error: "  # begins the detail of a mark whose check broke down


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


SETTLES = {"equality": {"kernel", "smt", "rocq"}, "exists": {"exact", "interval", "smt", "rocq"}}


def verdict(kind: str, marks: Sequence[Mark], expected: str) -> str:
    """As expected if all marks are ok and one of them can settle a claim of this kind; the
    opposite if a check looked and said no; open where one broke down, is undecided or missing."""
    if any(m.detail.startswith(ERROR) for m in marks):
        return "open"
    if any(m.ok is False for m in marks):
        return "refuted" if expected == "proved" else "proved"
    settled = {m.mark for m in marks} & SETTLES.get(kind, {"smt", "rocq"})
    return expected if settled and all(m.ok for m in marks) else "open"


def weakest(verdicts: Sequence[str], expected: Sequence[str]) -> str:
    """proved if every claim came out as declared; else refuted before open."""
    if all(v == e for v, e in zip(verdicts, expected, strict=True)) and verdicts:
        return "proved"
    wrong = [v for v, e in zip(verdicts, expected, strict=True) if v != e]
    return "open" if set(wrong) <= {"open"} else "refuted"


def check(theorem: TheoremFile, rocq: Check | None = None) -> TheoremPage:
    """All marks of all claims of a theorem, and its page; `rocq` where Rocq was asked."""
    style = style_of(theorem)
    pages = []
    for claim in theorem.claims:
        checks = dict(claim.marks) | ({"rocq": rocq} if rocq and "rocq" in claim.declared() else {})
        marks = tuple(run(c, name, claim) for name, c in checks.items())
        outcome = verdict(claim.kind, marks, claim.expected)
        text = statement(claim, style)
        pages.append(ClaimPage(text, claim.kind, claim.scope, claim.expected, outcome, marks))
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
        neighbour=(statement(theorem.neighbour.claim, style), theorem.neighbour.reason),
        examples=theorem.examples,
        uses=theorem.uses,
        verdict=weakest([p.verdict for p in pages], [p.expected for p in pages]),
    )
