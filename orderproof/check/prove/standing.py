"""How far a theorem is proved, as it is known without checking it: whether the release's record of
Rocq alone proves one of its claims, and still holds. What rests on theorems says so beside them."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable

from orderproof.check.claims import Claim, TheoremFile
from orderproof.check.page import PROVING, RECORDED, unless_proved, weakest
from orderproof.check.rocq import record
from orderproof.check.rocq.mark import by_rocq
from orderproof.proofs import catalogue
from orderproof.symbolic.ending import Ending, first_of
from orderproof.symbolic.statements.evidence import weigh
from orderproof.symbolic.statements.text import digest


def of_theorem(theorem: TheoremFile, chosen: Collection[int] | None = None) -> str:
    """The weakest verdict of its claims and headlines, or of those that were chosen, numbered from
    0 as on its page: proved where a mark is declared that proved it for the record (of a claim that
    the record does not know, one that can), else recorded or open."""
    kept = record.load()
    rocq = by_rocq(kept, theorem)

    def of_claim(number: int, claim: Claim) -> str:
        entry, s = kept.entries.get(f"{theorem.id}_{number}"), claim.statement
        known = entry is not None and entry.digest == digest(s)
        if {*(entry.proved_by.split() if entry and known else PROVING)} & {*claim.marks}:
            return "proved"
        recorded = number in rocq.checks and weigh(s, rocq.checks[number](s)).settles
        return RECORDED if recorded else "open"

    claims = [of_claim(k, claim) for k, claim in enumerate(theorem.claims, 1)]
    headlines = [RECORDED if mark.ok else "open" for mark in rocq.headlines.values()]
    found = [*claims, *headlines]
    return weakest(found if chosen is None else [found[k] for k in chosen])


@functools.cache
def of_name(name: str) -> str:
    """The verdict of a theorem of the catalogue."""
    return of_theorem(catalogue.load(name))


def cited(name: str) -> str:
    """A theorem by its id, with its verdict where that is weaker than proved."""
    return name + unless_proved(of_name(name), ", ")


def rests_on(names: Iterable[str]) -> dict[str, str]:
    """Theorems with their verdicts, for a program."""
    return {name: of_name(name) for name in names}


def ending(names: Iterable[str]) -> Ending:
    """How a command ends that concludes something by these theorems: 3 where one is open."""
    left = [f"{name} open" for name, verdict in rests_on(names).items() if verdict == "open"]
    return Ending(3, "theorems that are proved", first_of(left)) if left else Ending()
