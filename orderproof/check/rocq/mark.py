"""The rocq mark: Rocq checks a file made for the claim, and the evidence states what is in it.

A claim that was pushed has a certificate, whose statement follows from the push alone. Any other
has the proposition of its own statement, and a proof by hand below it (claims.py). The
development is compiled once (`open_library`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from orderproof.check.claims import TheoremFile
from orderproof.check.page import Mark
from orderproof.publish.pages.statements import stated
from orderproof.symbolic.calculus import kernel
from orderproof.symbolic.calculus.terms import Term
from orderproof.symbolic.derive.push import Pushed
from orderproof.symbolic.statements.evidence import Check, Evidence
from orderproof.symbolic.statements.statement import Statement

from . import certificate as rocq_certificate
from . import claims as rocq_claims
from . import headlines as rocq_headlines
from . import library as rocq_library
from .certificate import NoCertificate, certified
from .run import RocqError, version


@dataclass(frozen=True)
class Rocq:
    """The development, compiled in a folder, and what of it is not as recorded."""

    folder: Path
    wrong: tuple[str, ...]
    seconds: float
    version: str
    headlines: Mapping[str, rocq_headlines.Compiled] = field(default_factory=dict)


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


def by_certificate(rocq: Rocq, name: str, term: Term, pushed: Pushed, words: str = "") -> Check:
    """The certificate of a push, whatever is claimed."""

    def check(_: Statement) -> Evidence:
        try:
            text = certificate(name, term, pushed, words)
        except NoCertificate as reason:
            return Evidence(None, str(reason))
        return _asked(rocq, name, text, certified(term, pushed))

    return check


def certificate(name: str, term: Term, pushed: Pushed, words: str = "") -> str:
    """The file of that certificate."""
    facts = [kernel.hyp(*h) for h in pushed.theorem.hyps]
    return rocq_certificate.certificate(pushed, term, name, facts, words)


def by_bridge(rocq: Rocq, theorem: str, number: int, words: str = "") -> Check:
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
        return _asked(rocq, name, text, s)

    return check


def _asked(rocq: Rocq, name: str, text: str, states: Statement) -> Evidence:
    """What Rocq says of a file; accepted, it establishes this statement."""
    if rocq.wrong:
        return Evidence(False, f"not as recorded: {rocq.wrong[0]}")
    path = rocq.folder / f"{name}.v"
    path.write_text(text, encoding="utf-8")
    found = rocq_certificate.check_file(path, rocq.folder)
    said = " ".join(found.detail.split())
    if not found.ok:
        return Evidence(found.ok, f"{path.name}: {said}")
    return Evidence(True, f"{path.name} accepted: {said}", states)


@dataclass(frozen=True)
class ByRocq:
    """The checks of a theorem's claims by their numbers from 1, the marks of its headlines by
    their names, and the files that Rocq is asked about."""

    checks: Mapping[int, Check] = field(default_factory=dict)
    headlines: Mapping[str, Mark] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)


def by_rocq(rocq: Rocq, theorem: TheoremFile) -> ByRocq:
    """The checks of the claims that were pushed, or say that a proof by hand is there."""
    checks: dict[int, Check] = {}
    texts: dict[str, str] = {}
    for k, claim in enumerate(theorem.claims, 1):
        name, words = f"{theorem.id}_{k}", stated(claim, theorem).plain
        if claim.push is not None:
            checks[k] = by_certificate(rocq, name, *claim.push, words)
            try:
                texts[f"{name}.v"] = certificate(name, *claim.push, words)
            except NoCertificate:
                continue  # the check says why
        elif claim.rocq:
            checks[k] = by_bridge(rocq, theorem.id, k, words)
            if script := rocq_claims.scripts(theorem.id).get(k):
                texts[f"{name}.v"] = rocq_claims.file_of(claim.statement, name, script, words)
    headlines = {
        name: rocq_headlines.mark(
            rocq_headlines.headline(name), rocq.headlines.get(name), rocq.wrong
        )
        for name in (*theorem.headlines, *theorem.refuted)
    }
    return ByRocq(checks, headlines, texts)
