"""The rocq mark: Rocq checks a file made for the claim, and the evidence states what is in it.

A claim that was pushed has a certificate, whose statement follows from the push alone. Any other
has the proposition of its own statement, and a proof by hand below it (claims.py). The
development is compiled once (`open_library`). Where Rocq is not run, the release's record of it
(record.py) answers for the same files.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from orderproof.check.claims import TheoremFile
from orderproof.check.page import ROCQ, Mark
from orderproof.publish.pages.statements import stated
from orderproof.symbolic.calculus import kernel
from orderproof.symbolic.calculus.terms import Term
from orderproof.symbolic.derive.push import Pushed
from orderproof.symbolic.statements.evidence import Check, Evidence
from orderproof.symbolic.statements.statement import Statement
from orderproof.symbolic.statements.text import digest

from . import certificate as rocq_certificate
from . import claims as rocq_claims
from . import headlines as rocq_headlines
from . import library as rocq_library
from .certificate import Checked, NoCertificate, certified
from .record import Record
from .run import RocqError, version


@dataclass(frozen=True)
class Rocq:
    """The development, compiled in a folder, and what of it is not as in statements.json."""

    folder: Path
    wrong: tuple[str, ...]
    seconds: float
    version: str
    headlines: Mapping[str, rocq_headlines.Compiled] = field(default_factory=dict)

    mark = ROCQ

    def checked(self, name: str, text: str, _: str) -> Checked:
        """What Rocq says of this file."""
        if self.wrong:
            return Checked(False, 0.0, f"not as in statements.json: {self.wrong[0]}")
        path = self.folder / f"{name}.v"
        path.write_text(text, encoding="utf-8")
        found = rocq_certificate.check_file(path, self.folder)
        said = " ".join(found.detail.split())
        return replace(found, detail=f"{path.name}{' accepted' if found.ok else ''}: {said}")

    def headline(self, shown: rocq_headlines.Shown) -> Mark:
        """The mark of a headline."""
        return rocq_headlines.mark(shown, self.headlines.get(shown.name), self.wrong)


def open_library(folder: Path) -> Rocq:
    """Compile the development and compare it with its record; RocqError in one line."""
    library = rocq_library.compile(folder)
    return Rocq(
        folder,
        tuple(rocq_library.differences(library)),
        library.elapsed,
        version(),
        rocq_headlines.compiled(library),
    )


def by_certificate(
    rocq: Rocq | Record, name: str, term: Term, pushed: Pushed, words: str = ""
) -> Check:
    """The certificate of a push, whatever is claimed."""

    def check(s: Statement) -> Evidence:
        try:
            text = certificate(name, term, pushed, words)
        except NoCertificate as reason:
            return Evidence(None, str(reason))
        return _evidence(rocq.checked(name, text, digest(s)), certified(term, pushed))

    return check


def certificate(name: str, term: Term, pushed: Pushed, words: str = "") -> str:
    """The file of that certificate."""
    facts = [kernel.hyp(*h) for h in pushed.theorem.hyps]
    return rocq_certificate.certificate(pushed, term, name, facts, words)


def by_bridge(rocq: Rocq | Record, theorem: str, number: int, words: str = "") -> Check:
    """The proof by hand of a theorem's claim of this number, from 1, below the proposition of
    whatever statement is asked about: what Rocq accepts is that proposition."""

    def check(s: Statement) -> Evidence:
        name = f"{theorem}_{number}"
        try:
            script = rocq_claims.scripts(theorem).get(number)
            if script is None:
                return Evidence(None, f"no proof of claim {number} in Rocq")
            text = rocq_claims.file_of(s, name, script, words)
        except RocqError as error:
            return Evidence(False, str(error))
        return _evidence(rocq.checked(name, text, digest(s)), s)

    return check


def _evidence(found: Checked, states: Statement) -> Evidence:
    """What is accepted establishes this statement."""
    return Evidence(found.ok, found.detail, states if found.ok else None)


@dataclass(frozen=True)
class ByRocq:
    """The checks of a theorem's claims by their numbers from 1, and the marks of its headlines by
    their names; with the name of the mark."""

    checks: Mapping[int, Check] = field(default_factory=dict)
    headlines: Mapping[str, Mark] = field(default_factory=dict)
    mark: str = ROCQ


def by_rocq(rocq: Rocq | Record, theorem: TheoremFile) -> ByRocq:
    """The checks of the claims that were pushed, or say that a proof by hand is there; by a run of
    Rocq, or by the record of one."""
    checks: dict[int, Check] = {}
    for k, claim in enumerate(theorem.claims, 1):
        words = stated(claim, theorem).plain
        if claim.push is not None:
            checks[k] = by_certificate(rocq, f"{theorem.id}_{k}", *claim.push, words)
        elif claim.rocq:
            checks[k] = by_bridge(rocq, theorem.id, k, words)
    headlines = {
        name: rocq.headline(rocq_headlines.headline(name))
        for name in (*theorem.headlines, *theorem.refuted)
    }
    return ByRocq(checks, headlines, rocq.mark)


def files(theorem: TheoremFile) -> dict[str, str]:
    """The files that Rocq is given for a theorem's claims, by their names."""
    found = {}
    for k, claim in enumerate(theorem.claims, 1):
        name, words = f"{theorem.id}_{k}", stated(claim, theorem).plain
        if claim.push is not None:
            with suppress(NoCertificate):  # the check says why
                found[f"{name}.v"] = certificate(name, *claim.push, words)
        elif claim.rocq and (script := rocq_claims.scripts(theorem.id).get(k)):
            found[f"{name}.v"] = rocq_claims.file_of(claim.statement, name, script, words)
    return found
