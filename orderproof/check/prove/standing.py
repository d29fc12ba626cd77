"""How far a theorem is proved, as it is known without checking it: whether the release's record of
Rocq alone proves one of its claims, and still holds. What rests on theorems says so beside them."""

from __future__ import annotations

import functools
from collections.abc import Collection

from orderproof.check.claims import Claim, TheoremFile
from orderproof.check.page import RECORDED, reads, weakest
from orderproof.check.rocq import record
from orderproof.check.rocq.mark import by_rocq
from orderproof.proofs import catalogue
from orderproof.symbolic.statements.text import digest


def of_theorem(theorem: TheoremFile, chosen: Collection[int] | None = None) -> str:
    """The weakest verdict of its claims and headlines, or of those that were chosen, numbered from
    0 as on its page: open, recorded, or proved where marks that prove it are declared."""
    kept = record.load()
    rocq = by_rocq(kept, theorem)

    def of_claim(number: int, claim: Claim) -> str:
        if not _rocq_alone(kept.entries.get(f"{theorem.id}_{number}"), claim):
            return "proved"
        return RECORDED if rocq.checks[number](claim.statement).ok else "open"

    claims = [of_claim(k, claim) for k, claim in enumerate(theorem.claims, 1)]
    headlines = [RECORDED if mark.ok else "open" for mark in rocq.headlines.values()]
    found = [*claims, *headlines]
    return weakest(found if chosen is None else [found[k] for k in chosen])


def _rocq_alone(entry: record.Entry | None, claim: Claim) -> bool:
    """Whether no mark but that of Rocq proves a claim: as the record says of this statement. Of one
    that it does not know, unless the kernel derived it."""
    if not (claim.rocq or claim.push) or "kernel" in claim.marks:
        return False
    return entry is None or entry.digest != digest(claim.statement) or entry.alone


@functools.cache
def cited(name: str) -> str:
    """A theorem by its id, with its verdict where that is weaker than proved."""
    verdict = of_theorem(catalogue.load(name))
    return name if verdict == "proved" else f"{name}, {reads(verdict)}"
