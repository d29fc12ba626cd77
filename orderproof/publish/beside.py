"""What is beside the claims of a page: each as a proposition of Rocq, and counterexample files.

They are read from the theorem's file and bound to the page by the digests of statements: of a claim
that is not the file's, nothing is shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from orderproof.check.claims import Claim, TheoremFile
from orderproof.check.page import TheoremPage
from orderproof.check.rocq import headlines
from orderproof.check.rocq.claims import scripts
from orderproof.proofs import catalogue
from orderproof.symbolic.readings.rocq_statement import proposition
from orderproof.symbolic.statements.text import digest


@dataclass(frozen=True)
class InRocq:
    """A claim in Rocq: the proposition generated from it, the theorem of the development that
    states it too, and how Rocq is shown that it holds."""

    proposition: str
    headline: str
    how: str


@dataclass(frozen=True)
class Beside:
    """By the number of the claim, from 0; and by name the theorems of Rocq, as their files have
    them, and the counterexample files."""

    rocq: Mapping[int, InRocq] = field(default_factory=dict)
    headlines: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)


def beside(page: TheoremPage) -> Beside:
    """What there is beside the claims of a page; nothing of a page without a theorem file."""
    if page.id not in catalogue.IDS:
        return Beside()
    theorem = catalogue.load(page.id)
    by_digest = {digest(c.statement): (k, c) for k, c in enumerate(theorem.claims, 1)}
    rocq: dict[int, InRocq] = {}
    for k, claim in enumerate(page.claims):
        if claim.digest in by_digest:
            number, found = by_digest[claim.digest]
            how = _shown(theorem, number, found)
            rocq[k] = InRocq(proposition(found.statement), found.rocq, how)
    named = dict.fromkeys(r.headline for r in rocq.values() if r.headline)
    sources = {name: headlines.headline(name).source for name in named}
    return Beside(rocq, sources, theorem.witnesses if rocq else {})


def _shown(theorem: TheoremFile, number: int, claim: Claim) -> str:
    """How Rocq is shown that a claim holds."""
    if number in scripts(theorem.id):
        return f"proved by hand in proofs/rocq/by_hand/{theorem.id}.v"
    if claim.push is not None:
        return "Rocq checks a certificate of the derivation"
    return "stated by the theorem above" if claim.rocq else "not for Rocq"


def source_of(headline: str) -> str:
    """The file of the development that states a headline."""
    return f"proofs/rocq/{headlines.file_of(headline)}.v"
