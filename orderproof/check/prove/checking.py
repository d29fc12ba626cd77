"""Checking: evidence for a claim is weighed against its statement; verdicts follow from that alone.

What is expected of a claim is compared with its verdict, and never chooses it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from orderproof.check.claims import Claim, TheoremFile
from orderproof.check.marks.choices import ByChoice
from orderproof.check.marks.inputs import SEED, drawn
from orderproof.check.page import (
    ERROR,
    NOT_ASKED,
    ClaimPage,
    Mark,
    TheoremPage,
)
from orderproof.check.rocq.claims import scripts
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
    """refuted if evidence shows that the claim is false; proved if every mark is ok, one of them
    settles it, and its hypotheses have a model; else open."""
    if any(m.detail.startswith(ERROR) for m in marks):
        return "open"
    if any(m.refutes for m in marks):
        return "refuted"
    settled = any(m.settles for m in marks) and all(m.ok for m in marks)
    return "proved" if settled and model else "open"


def weakest(verdicts: Sequence[str]) -> str:
    """refuted before open before proved; of nothing, open."""
    return next((v for v in ("refuted", "open") if v in verdicts), "proved" if verdicts else "open")


def check(
    theorem: TheoremFile,
    rocq: Mapping[int, Check] | None = None,
    headlines: Mapping[str, Mark] | None = None,
) -> TheoremPage:
    """All marks of all claims of a theorem, and its page; where Rocq was asked, `rocq` by the
    number of the claim from 1, and `headlines` by name. Where it was not, what it alone settles
    stays open, with a mark that says so. RocqError for a headline that is not there."""
    pages = []
    for k, (claim, kind_) in enumerate(zip(theorem.claims, kinds(theorem), strict=True), 1):
        asked = {"rocq": rocq[k]} if rocq and k in rocq else {}
        checks = dict(claim.marks) | asked
        marks = tuple(run(c, name, claim) for name, c in checks.items())
        if rocq is None:
            marks += _missing(theorem, k, claim, marks)
        model = has_a_model(claim.statement, claim.marks.values())
        pages.append(
            ClaimPage(
                stated(claim, theorem), kind_, scope(claim.statement), claim.expected,
                verdict(marks, model), marks, digest(claim.statement), model,
            )
        )  # fmt: skip
    for name in (*theorem.headlines, *theorem.refuted):
        mark = Mark("rocq", None, 0.0, NOT_ASKED) if headlines is None else headlines[name]
        pages.append(headline_page(name, mark, verdict([mark], model=True)))
    false = theorem.neighbour.claim if theorem.neighbour else None
    refusals = tuple(run(c, name, false) for name, c in false.marks.items()) if false else ()
    outcome = weakest([p.verdict for p in pages])
    verdict_ = outcome if all(m.rejects for m in refusals) else "open"
    return page_of(theorem, pages, refusals, verdict_)


def _missing(
    theorem: TheoremFile, number: int, claim: Claim, marks: Sequence[Mark]
) -> tuple[Mark, ...]:
    """The mark of a proof by hand in Rocq that was not asked, where no other settles the claim."""
    if not claim.rocq or claim.push or any(m.settles for m in marks):
        return ()
    there = number in scripts(theorem.id)
    why = NOT_ASKED if there else f"no proof of claim {number} in Rocq"
    return (Mark("rocq", None, 0.0, why),)
