"""What a rocq mark is about: the claims that were read beside the headline theorems, recorded.

A theorem of proofs/rocq/Headlines.v and a claim of this book say the same thing because a person
compared them. `claims.json` keeps, for each headline, the claims that were compared, as they are
printed and by a digest of their terms: a claim that changes has no rocq mark until it is recorded
again.

python -m orderproof.proofs.rocq_claims          what differs from the record
python -m orderproof.proofs.rocq_claims record   write it anew, to be read beside Headlines.v
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from orderproof.symbolic import kernel, statement_text
from orderproof.symbolic.language import image
from orderproof.symbolic.statement import Atom
from orderproof.symbolic.terms import at

from .claims import Claim, TheoremFile
from .statements import given, stated

RECORDED = Path(__file__).parent / "rocq" / "claims.json"
Record = dict[str, list[dict[str, str]]]


def digest(claim: Claim) -> str:
    """A hash of what a claim states."""
    return statement_text.digest(claim.statement)


def certifies(claim: Claim) -> bool:
    """Whether the claim is what its certificate states, or that for fewer sizes: the term with
    these tensors moved is the term with these axes moved, under the hypotheses of the push."""
    if claim.push is None or claim.statement.atom.relation != "=":
        return False
    if claim.lhs.sets != claim.rhs.sets:
        return False
    term, pushed = claim.push
    motion = zip(term.axes, pushed.motion, strict=True)
    whole = at(term, {a: m(a) for a, m in motion if m})
    stated = kernel.equation(image(term, pushed.moves), whole)
    return (
        kernel.equation(claim.lhs, claim.rhs) == stated
        and {Atom(a, "=", b) for a, b in pushed.theorem.hyps} <= claim.statement.given
    )


def record(theorems: Iterable[TheoremFile]) -> Record:
    """For each headline, the claims that cite it: what they say, and their digests."""
    found: Record = {}
    for theorem in theorems:
        for claim in theorem.claims:
            if claim.rocq:
                says = f"{given(theorem).plain}: {stated(claim, theorem).plain}"
                found.setdefault(claim.rocq, []).append(
                    {"claim": " ".join(says.split()), "sha256": digest(claim)}
                )
    return found


@cache
def recorded() -> Record:
    """The record beside the Rocq files."""
    found: Record = json.loads(RECORDED.read_text(encoding="utf-8"))
    return found


def known(claim: Claim) -> bool:
    """Whether this very claim was recorded beside the headline that it cites."""
    return digest(claim) in {entry["sha256"] for entry in recorded().get(claim.rocq, [])}


def main(arguments: list[str]) -> int:
    """Compare with the record, or write it."""
    from . import catalogue, results  # which asks this file, for the mark

    now = record(map(catalogue.load, catalogue.IDS))
    if arguments == ["record"]:
        results.write_json(RECORDED, now)
        return 0
    before = recorded()
    wrong = [name for name in sorted({*now, *before}) if now.get(name) != before.get(name)]
    for name in wrong:
        print(f"{name}: its claims are not those that were recorded beside its headline")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
