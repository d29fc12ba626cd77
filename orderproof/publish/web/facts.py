"""What the site says of theorems beside their own words: marks counted, and who uses whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from orderproof.check.page import ClaimPage, TheoremPage
from orderproof.check.prove.trust import MARKS

SIGNS = {"all": "", "some": "", "no": "✗", "undecided": "?"}


@dataclass(frozen=True)
class Carried:
    """How many claims of a theorem carry a mark; `state` is "all", "some", "no" where the layer
    disagrees with one, or "undecided"."""

    mark: str
    count: int
    claims: int
    state: str

    @property
    def says(self) -> str:
        """The same in words."""
        of = f"{self.count} of {self.claims} claims"
        return of + {"no": ", and disagrees with one", "undecided": ", one left undecided"}.get(
            self.state, ""
        )


def carried(page: TheoremPage) -> list[Carried]:
    """The marks of a theorem, in the order of the trust page."""
    found = []
    for name in (m.name for m in MARKS):
        marks = [m for c in page.claims for m in c.marks if m.mark == name]
        if not marks:
            continue
        count = sum(any(m.mark == name and m.ok for m in c.marks) for c in page.claims)
        if any(m.ok is False for m in marks):
            state = "no"
        elif any(m.ok is None for m in marks):
            state = "undecided"
        else:
            state = "all" if count == len(page.claims) else "some"
        found.append(Carried(name, count, len(page.claims), state))
    return found


def used_by(pages: Sequence[TheoremPage]) -> dict[str, tuple[str, ...]]:
    """For each theorem those that use it, in the order of the site."""
    return {p.id: tuple(q.id for q in pages if p.id in q.uses) for p in pages}


def outcome(x: TheoremPage | ClaimPage) -> str:
    """The verdict as it is read: what is not as declared says what was."""
    return x.reads if x.as_declared else f"{x.verdict}, expected: {x.expected}"


def counted(pages: Sequence[TheoremPage]) -> Mapping[str, int]:
    """How many claims have which verdict, as it is read."""
    found: dict[str, int] = {}
    for claim in (c for p in pages for c in p.claims):
        found[outcome(claim)] = found.get(outcome(claim), 0) + 1
    return found
