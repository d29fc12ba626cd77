"""Writes what an answer rests on into a folder: report, witnesses, certificates, derivations.

Each file is written beside its place and renamed into it. The evidence of a result names its files;
what could not be written says why.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from orderproof import input_file
from orderproof.check.prove.results import remove, write_json
from orderproof.check.prove.results import write as write_file
from orderproof.check.rocq.certificate import NoCertificate, certificate
from orderproof.publish import fragment
from orderproof.publish.latex_text import UnknownCharacter
from orderproof.publish.theorem import as_text
from orderproof.symbolic import strict_json
from orderproof.symbolic.calculus import kernel
from orderproof.symbolic.calculus.terms import applied, reachable
from orderproof.symbolic.models.builders import image
from orderproof.symbolic.onnx.dependence import DependenceResult
from orderproof.symbolic.onnx.report import Piece, Report, Result
from orderproof.symbolic.witness.fields import WitnessError
from orderproof.symbolic.witness.model_file import EVIDENCE, dumps

from .derivation import cut, page_of, term_of

REPORT = "report.json"
FOLDERS = {**dict.fromkeys(EVIDENCE, "witnesses"), "rocq": "rocq", "derivation": "derivations"}
LARGEST = 100_000_000  # bytes of an earlier report that is read
LARGEST_TERM = 20_000  # nodes: beyond, Rocq would take too long
LONGEST = 80  # letters of the name of a file


def write(report: Report, out: Path) -> Report:
    """Write all files about a report into a folder. The report with their names. Raises OutputError
    where a file cannot be written."""
    clear(out)
    folder = Folder(report, out)
    written = replace(report, results=tuple(map(folder.result, report.results)))
    write_json(out / REPORT, written.to_json())
    return written


def clear(out: Path) -> None:
    """Remove the files of an earlier run, which would count as evidence for this one: those that
    its report names. Nothing else is removed, and no link to another folder is followed."""
    own = {kind for kind in FOLDERS.values() if not (out / kind).is_symlink()}
    for name in _named(out / REPORT):
        kind, _, file = name.rpartition("/")
        if kind in own and Path(file).name == file:
            remove(out / kind / file)
    remove(out / REPORT)


def _named(report: Path) -> list[str]:
    """The files that the report of an earlier run names; none of what is no such report."""
    try:
        data = strict_json.loads(input_file.read(report, LARGEST, "a report"))
        found = [piece["file"] for r in data["results"] for piece in r["evidence"]]
    except (LookupError, TypeError, ValueError):
        return []
    return [name for name in found if isinstance(name, str) and name.isprintable()]


@dataclass
class Folder:
    """The files of one report."""

    report: Report
    out: Path
    given: set[str] = field(default_factory=set)  # names of files, in small letters

    def result(self, r: Any) -> Any:
        """A Result or DependenceResult whose files are written, and whose evidence names them."""
        pieces = [self._witness(r, w) for w in r.witnesses]
        if isinstance(r, Result) and r.proof is not None:
            pieces += [*self._certificate(r), *self._derivation(r)]
        return replace(r, written=tuple(pieces))

    def name(self, r: Result | DependenceResult, ending: str, apart: str = "-") -> str:
        """The name of a file about a result, given once: of letters, digits and _ alone; where that
        loses something, with digits of a digest of what the result is about."""
        each = [Path(self.report.file).stem, r.input, str(r.axis), r.output]
        text = apart.join(re.sub(r"[^A-Za-z0-9_]+", "_", p).strip("_") or "_" for p in each)
        if not all(re.fullmatch("[a-z0-9][a-z0-9_]*", p) for p in each) or len(text) > LONGEST:
            digest = hashlib.sha256("\0".join(each).encode("utf-8", "surrogatepass")).hexdigest()
            text = f"{text[:LONGEST]}{apart}{digest[:8]}"
        name, number = f"{text}.{ending}", 1
        while name.lower() in self.given:
            number += 1
            name = f"{text}{apart}{number}.{ending}"
        self.given.add(name.lower())
        return name

    def _piece(self, kind: str, file: str, text: str, detail: str = "") -> Piece:
        path = f"{FOLDERS[kind]}/{file}"
        write_file(self.out / path, text)
        return Piece(kind, path, detail)

    def _witness(self, r: Result | DependenceResult, witness: Any) -> Piece:
        file = self.name(r, "json")
        try:
            return self._piece(witness.evidence, file, dumps(witness))
        except WitnessError as error:
            return Piece(witness.evidence, detail=f"not written: {error}")

    def _certificate(self, r: Result) -> Iterator[Piece]:
        """The certificate of the kernel's theorem, for Rocq; or why there is none."""
        if r.proof.pushed is None:
            return
        file = self.name(r, "v", apart="_")
        given = ", ".join(h.name for h in r.proof.hypotheses)
        try:
            text = certificate_of(r, file.removesuffix(".v"))
            yield self._piece("rocq", file, text, given and f"under hypotheses on: {given}")
        except NoCertificate as why:
            yield Piece("rocq", None, f"not written: {why}")

    def _derivation(self, r: Result) -> Iterator[Piece]:
        """The derivation of the theorem, as text and as LaTeX; or why there is none."""
        if r.proof.pushed is None:
            why = f"{cut(r.input)} is not in the term of the output"
            yield Piece("derivation", None, f"no derivation, no certificate: {why}")
        file = self.name(r, "txt")
        stem = file.removesuffix(".txt")
        page = page_of(self.report, r, stem)
        if page is None:
            return
        text = "\n".join(map(input_file.escaped, as_text(page).split("\n")))
        yield self._piece("derivation", file, f"{text}\n")
        try:
            yield self._piece("derivation", f"{stem}.tex", fragment.theorem(page))
        except UnknownCharacter as error:
            yield Piece("derivation", None, f"LaTeX not written: {cut(str(error))}")


def certificate_of(r: Result, stem: str) -> str:
    """The file in which Rocq proves by itself how the term of a result moves; NoCertificate, with
    the reason, where there can be none."""
    pushed, term = r.proof.pushed, term_of(r)
    if term is None:
        raise NoCertificate("the output is a constant of the model")
    if image(term, pushed.moves).node is not pushed.theorem.lhs.node:
        raise NoCertificate("the push is not of the output's term")
    below = reachable(term.node)
    if len(below) > LARGEST_TERM:
        raise NoCertificate(f"given a term of {len(below)} nodes, expected at most {LARGEST_TERM}")
    for op in (applied(node.op) or node.op for node in below):  # a string of Rocq, or a comment
        name = op.data[0] if op.data else ""
        if isinstance(name, str) and not name.isprintable():
            given = ascii(name)[:60]
            raise NoCertificate(f"given the name {given}, expected one that is printable")
    rows = [h.name for h in r.proof.hypotheses if h.node is not None and h.tensor is None]
    if rows:
        raise NoCertificate(
            f"the hypothesis on {rows[0]} is about rows of a constant, not all of it"
        )
    facts = [kernel.hyp(*h) for h in sorted(pushed.theorem.hyps, key=str)]
    theorem = "decided_" + re.sub(r"\W", "_", stem, flags=re.ASCII)
    return certificate(pushed, term, theorem, facts, cut(f"{r.output} of {r.input}:{r.axis}", 200))
