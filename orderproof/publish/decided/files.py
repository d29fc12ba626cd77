"""Writes what an answer rests on into a folder: report, witnesses, certificates, derivations.

Each file is written beside its place and renamed into it. The evidence of a result names its files;
what could not be written says why.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from orderproof import input_file
from orderproof.check.prove.results import remove, writable, write_json
from orderproof.check.prove.results import write as write_file
from orderproof.publish import fragment, theorem_text
from orderproof.publish.latex_text import UnknownCharacter
from orderproof.symbolic import strict_json
from orderproof.symbolic.onnx.dependence import DependenceResult
from orderproof.symbolic.onnx.report import Piece, Report, Result
from orderproof.symbolic.witness.fields import WitnessError
from orderproof.symbolic.witness.model_file import EVIDENCE, Recorded, dumps

from . import names
from .derivation import page_of

REPORT = "report.json"
LARGEST = 100_000_000  # bytes of an earlier report that is read


def write(report: Report, out: Path) -> Report:
    """Write all files about a report into a folder. The report with their names. Raises OutputError
    where a file cannot be written."""
    writable(out)
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
    given: names.FileNames = field(default_factory=names.FileNames)

    def result(self, r: Any) -> Any:
        """A Result or DependenceResult whose files are written, and whose evidence names them."""
        pieces = [self._witness(r, w) for w in r.witnesses]
        if isinstance(r, Result):
            pieces += [*self._certificate(r), *self._derivation(r)]
        return replace(r, written=tuple(pieces))

    def _parts(self, r: Result | DependenceResult) -> tuple[str | int, ...]:
        return Path(self.report.file).stem, r.input, r.axis, r.output

    def _written(self, kind: str, file: str, text: str, detail: str = "") -> Piece:
        path = f"{FOLDERS[kind]}/{file}"
        write_file(self.out / path, text)
        return Piece(kind, path, detail)

    def _witness(self, r: Result | DependenceResult, witness: Recorded) -> Piece:
        path = f"{WITNESSES}/{self.given.of(*self._parts(r), ending='json')}"
        try:
            write_file(self.out / path, dumps(witness))
        except WitnessError as error:
            return Piece(witness.evidence, detail=f"not written: {error}")
        return Piece(witness.evidence, path)

    def _certificate(self, r: Result) -> Iterator[Piece]:
        """The certificate of the kernel's theorem, for Rocq; or why there is none."""
        if r.proof is None or r.proof.pushed is None:
            return
        from orderproof.check.rocq.certificate import NoCertificate

        from .certificates import text_of

        file = self.given.of(*self._parts(r), ending="v", apart="_")
        try:
            given = ", ".join(h.name for h in r.proof.hypotheses)
            detail = f"under hypotheses on: {given}" if given else ""
            yield self._written("rocq", file, text_of(r, file.removesuffix(".v")), detail)
        except NoCertificate as why:
            yield Piece("rocq", None, f"not written: {why}")

    def _derivation(self, r: Result) -> Iterator[Piece]:
        """The derivation of the theorem, as text and as LaTeX; or why there is none."""
        if r.proof is not None and r.proof.pushed is None:
            why = f"{names.cut(r.input)} is not in the term of the output"
            yield Piece("derivation", None, f"no derivation, no certificate: {why}")
        file = self.given.of(*self._parts(r), ending="txt")
        stem = file.removesuffix(".txt")
        page = page_of(self.report, r, stem)
        if page is not None:
            yield self._written("derivation", file, names.visible(theorem_text.plain(page)) + "\n")
            try:
                yield self._written("derivation", f"{stem}.tex", fragment.theorem(page))
            except UnknownCharacter as error:
                why = f"LaTeX not written: {names.cut(str(error))}"
                yield Piece("derivation", None, why)


WITNESSES = "witnesses"
FOLDERS = {**dict.fromkeys(EVIDENCE, WITNESSES), "rocq": "rocq", "derivation": "derivations"}
