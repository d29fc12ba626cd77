"""Checking: evidence for a claim is weighed against its statement; verdicts follow from that alone.

What is expected of a claim is compared with its verdict, and never chooses it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

import numpy as np

from orderproof.check.claims import Claim, TheoremFile
from orderproof.check.marks.choices import ByChoice
from orderproof.check.marks.inputs import SEED, drawn
from orderproof.check.page import (
    ERROR,
    RECORDED,
    RECORDED_ROCQ,
    ROCQ,
    ClaimPage,
    Mark,
    TheoremPage,
    weakest,
)
from orderproof.check.rocq import record
from orderproof.check.rocq.mark import ByRocq, by_rocq
from orderproof.check.sampling import substituted
from orderproof.publish.pages.statements import stated
from orderproof.symbolic.statements.evidence import Check, Weight, weigh
from orderproof.symbolic.statements.statement import Statement, scope
from orderproof.symbolic.statements.text import digest

from .unchecked import headline_page, kinds, page_of


def run(check: Check, mark: str, claim: Claim) -> Mark:
    """One mark, timed; an error while checking is a mark that is not ok, with the error."""
    start = time.perf_counter()
    states = ""
    try:
        found = check(claim.statement)
        weight = weigh(claim.statement, found)
        states = digest(found.states) if found.states is not None else ""
    except Exception as error:  # whatever went wrong, the mark must not be green
        weight = Weight(False, f"{ERROR}{type(error).__name__}: {error}")
    seconds = time.perf_counter() - start
    return Mark(mark, weight.ok, seconds, weight.detail, states, weight.settles, weight.refutes)


def has_a_model(s: Statement, checks: Iterable[Check] = ()) -> bool:
    """Whether values were found that satisfy what is given, at sizes of which none is 0: of nothing
    anything holds. (What there is, witnesses show.) A check that draws tensors of its own is asked
    first."""
    if not s.given or any(isinstance(c, ByChoice) and c.has_a_model(s) for c in checks):
        return True
    bare = substituted(s)
    if not bare.given:
        return True  # tensors given by formulas, and nothing else
    return any(
        all(k > 0 for k in sizes.values())
        for scale in (1.0, 0.3)  # a hypothesis may ask that inputs be small
        for sizes, *_ in drawn(bare, np.random.default_rng(SEED), scale)
    )


def verdict(marks: Sequence[Mark], model: bool) -> str:
    """refuted if evidence shows that the claim is false; where every mark is ok and the hypotheses
    have a model, proved if one of the marks that were made proves it, recorded if the release's
    record of Rocq alone does; else open."""
    if any(m.detail.startswith(ERROR) for m in marks):
        return "open"
    if any(m.refutes for m in marks):
        return "refuted"
    proofs = {m.mark for m in marks if m.settles} if model and all(m.ok for m in marks) else set()
    return RECORDED if proofs == {RECORDED_ROCQ} else "proved" if proofs else "open"


def check(theorem: TheoremFile, rocq: ByRocq | None = None) -> TheoremPage:
    """All marks of all claims of a theorem, and its page; with what Rocq says of them, or the
    release's record of that where Rocq is not run. RocqError for a headline that is not there."""
    rocq = rocq or by_rocq(record.load(), theorem)
    pages = []
    for k, (claim, kind_) in enumerate(zip(theorem.claims, kinds(theorem), strict=True), 1):
        marks = tuple(run(c, name, claim) for name, c in claim.marks.items())
        if k in rocq.checks:
            last = run(rocq.checks[k], rocq.mark, claim)
            # What is not in the record is no less proved by the others.
            if last.ok is not None or rocq.mark == ROCQ or not any(m.settles for m in marks):
                marks += (last,)
        model = has_a_model(claim.statement, claim.marks.values())
        pages.append(
            ClaimPage(
                stated(claim, theorem), kind_, scope(claim.statement), claim.expected,
                verdict(marks, model), marks, digest(claim.statement), model,
            )
        )  # fmt: skip
    for name in (*theorem.headlines, *theorem.refuted):
        mark = rocq.headlines[name]
        pages.append(headline_page(name, mark, verdict([mark], model=True)))
    false = theorem.neighbour.claim if theorem.neighbour else None
    refusals = tuple(run(c, name, false) for name, c in false.marks.items()) if false else ()
    outcome = weakest(p.verdict for p in pages)
    verdict_ = outcome if all(m.rejects for m in refusals) else "open"
    return page_of(theorem, pages, refusals, verdict_)
