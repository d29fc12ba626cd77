"""The rocq mark: a theorem written by hand states the claim, and Rocq checks a file of the claim's
own, or one of the two where there is only one.

Rocq is asked for the library once (`open_library`); a certificate is compiled for each claim.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from orderproof.symbolic import kernel

from . import rocq_certificate, rocq_claims, rocq_library
from .claims import Claim, TheoremFile
from .rocq_certificate import NoCertificate
from .rocq_run import version
from .statements import stated


@dataclass(frozen=True)
class Rocq:
    """The development, compiled in a folder; what Rocq says each theorem assumes, and what is not
    as recorded."""

    folder: Path
    assumptions: dict[str, str]
    wrong: tuple[str, ...]
    seconds: float
    version: str


def open_library(folder: Path) -> Rocq:
    """Compile the development and compare it with its record; RocqError in one line."""
    library = rocq_library.compile(folder)
    return Rocq(
        folder,
        {name: ", ".join(h.axioms) or h.assumptions for name, h in library.headlines.items()},
        tuple(rocq_library.differences(library)),
        library.elapsed,
        version(),
    )


@dataclass(frozen=True)
class ByRocq:
    """The check of a theorem's claims, with the certificates that were written for them, or why
    there is none for a claim that was pushed."""

    rocq: Rocq
    texts: dict[int, tuple[str, str]]  # the number of a claim ↦ its file's name and text
    refused: dict[int, str]
    claims: tuple[Claim, ...]

    def __call__(self, claim: Claim) -> tuple[bool | None, str]:
        """No if Rocq rejects what is there, or if it is about another claim; undecided if nothing
        is there, or time is up."""
        said = []
        if claim.rocq:
            if not rocq_claims.known(claim):
                return False, f"not a claim that was recorded beside the theorem {claim.rocq}"
            if self.rocq.wrong:
                return False, f"not as recorded: {self.rocq.wrong[0]}"
            if claim.rocq not in self.rocq.assumptions:
                return False, f"no theorem {claim.rocq} in the development"
            said.append(f"{claim.rocq}: {self.rocq.assumptions[claim.rocq]}")
            if axioms := self.rocq.assumptions.get(f"real_{claim.rocq}"):
                said.append(f"at the real exponential: {axioms}")
        number = next((k for k, c in enumerate(self.claims) if c is claim), None)
        if claim.push and not rocq_claims.certifies(claim):
            return False, "its certificate would be about another statement"
        if number in self.refused:
            return None, self.refused[number]
        if number in self.texts:
            name, text = self.texts[number]
            path = self.rocq.folder / name
            path.write_text(text, encoding="utf-8")
            found = rocq_certificate.check_file(path, self.rocq.folder)
            if not found.ok:
                return found.ok, f"{name}: {' '.join(found.detail.split())}"
            said.append(f"certificate {name} accepted")
        if not said:
            return None, "neither a theorem nor a certificate"
        return True, "; ".join(said)


def by_rocq(rocq: Rocq, theorem: TheoremFile) -> ByRocq:
    """The check for a theorem's claims, and the certificates of those that were pushed."""
    texts, refused = {}, {}
    for k, claim in enumerate(theorem.claims):
        if claim.push is None or not rocq_claims.certifies(claim):
            continue
        term, pushed = claim.push
        facts = [kernel.hyp(*h) for h in pushed.theorem.hyps]
        name = f"{theorem.id}_{k + 1}"
        words = stated(claim, theorem).plain
        try:
            text = rocq_certificate.certificate(pushed, term, name, facts, words)
            texts[k] = f"{name}.v", text
        except NoCertificate as reason:
            refused[k] = str(reason)
    return ByRocq(rocq, texts, refused, theorem.claims)
