"""Certificates rechecked from their texts alone, by every solver that is found.

A file counts as checked if every solver answers unsat, its assumptions hold at the model that it
carries, and all else in it is what is made anew from the text of the statement that it serves. What
it says it is about (its name, theorem, question, claims and statements) must be what the catalogue
says of that file. What is no certificate, or not the file that was recorded, is not asked. Of a
theorem that is named, every certificate must be there.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from orderproof.input_file import escaped
from orderproof.symbolic.ending import Ending

from .budget import ALONE, QUESTION, Answer
from .certificate import MANIFEST, Certificate, CertificateError, load, read_manifest
from .served import MISSTATED, SHOWN, STATED, first_difference
from .solvers import Process, Solver, find

STATUS = {
    "missing": 3,
    "checked": 0,
    "refuted": 1,
    "disagreement": 1,
    "vacuous": 1,
    "refused": 2,
    "open": 3,
}
NO_MODEL = "no model"
ANEW = 60.0  # seconds at least for generating a question again, which involves no search
READER = Solver("z3", "")  # generates the questions again
INSTALL = "pip install 'orderproof[solvers]'"


@dataclass(frozen=True)
class Row:
    """A certificate with its verdict, the reason where it is not checked, and the answers."""

    file: str
    verdict: str
    reason: str = ""
    answers: Mapping[str, Answer] = field(default_factory=dict)
    says: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """As a program reads it."""
        answers = {
            name: {"answer": a.word, "seconds": round(a.seconds, 4), "reason": a.reason}
            for name, a in self.answers.items()
        }
        row = {"file": self.file, "verdict": self.verdict, "reason": self.reason}
        return {**row, "theorem": self.says.get("theorem"), "answers": answers}


@dataclass(frozen=True)
class Report:
    """All certificates of a folder."""

    solvers: tuple[Solver, ...]
    rows: tuple[Row, ...]
    recorded: bool  # whether there was a manifest to compare the files with
    named: bool  # whether one solver was asked for
    seconds: float
    independent: bool = False  # whether two solvers were asked for

    @property
    def ending(self) -> Ending:
        """1 refuted, contradicted or vacuous; 2 bad input; 3 open, or one solver alone where two
        were asked for; 0 all checked; and why."""
        found = Counter(row.verdict for row in self.rows)
        for status in (1, 2, 3):
            if bad := [v for v in found if STATUS[v] == status]:
                said = " and ".join(f"{found[v]} of {len(self.rows)} {v}" for v in bad)
                return Ending(status, "every certificate checked by every solver", said)
        if self.independent and len(self.solvers) < 2:
            return Ending(3, "two solvers", " and ".join(s.name for s in self.solvers) + " alone")
        return Ending()

    def to_json(self) -> dict[str, Any]:
        """As a program reads it."""
        return {
            "solvers": {s.name: s.version for s in self.solvers},
            "independent": len(self.solvers) > 1,
            "manifest": self.recorded,
            "files": [row.to_json() for row in self.rows],
            "seconds": round(self.seconds, 4),
            "status": self.ending.status,
        }


# By the id of a theorem: its certificates by file name, each with its header's lines of ABOUT.
Known = Callable[[str], Mapping[str, Mapping[str, tuple[str, ...]]] | None]


def recheck(
    folder: Path,
    timeout: float,
    known: Known,
    solver: str | None = None,
    done: Callable[[], None] = lambda: None,
    *,
    independent: bool = False,
) -> Report:
    """Every .smt2 file of a folder, each within `timeout` seconds by every solver (or the named
    one). Raises CertificateError for a folder or solver that is not there."""
    start = time.perf_counter()
    solvers, known = chosen(solver), cache(known)
    rows, good, recorded = read(folder)
    strangers = {c.name: reason for c in good if (reason := stranger(c, known))}
    rows += [Row(escaped(name), "refused", reason) for name, reason in strangers.items()]
    certificates = [c for c in good if c.name not in strangers]
    answers, headers = _asked(certificates, solvers, timeout, done)
    rows += [judged(c, answers[c.name], headers[c.name]) for c in certificates]
    rows += missing({c.says["theorem"] for c in certificates}, {row.file for row in rows}, known)
    spent = time.perf_counter() - start
    ordered = tuple(sorted(rows, key=lambda row: row.file))
    return Report(solvers, ordered, recorded, solver is not None, spent, independent)


def stranger(c: Certificate, known: Known) -> str:
    """Why a certificate is none of the theorem that it names. Nothing of a file is read further
    before the statements that it serves are, as text, those of the catalogue."""
    theorem = c.says["theorem"]
    own = known(theorem)
    if own is None:
        return f"given the theorem {theorem[:SHOWN]!r}, expected one of the catalogue"
    if c.name not in own:
        return f"given this name, expected that of one of the {len(own)} certificates of {theorem}"
    for key, expected in own[c.name].items():
        if wrong := first_difference("\n".join(c.about[key]), "\n".join(expected)):
            return f"{key}: {wrong}"
    return ""


def missing(theorems: Collection[str], here: Collection[str], known: Known) -> list[Row]:
    """For each of these theorems, its certificates that have no file here."""
    return [
        Row(name, "missing", f"no such file, expected for {theorem}", says={"theorem": theorem})
        for theorem in sorted(theorems)
        for name in sorted((known(theorem) or {}).keys() - here)
    ]


def chosen(name: str | None) -> tuple[Solver, ...]:
    """The solvers found, or of these the named one."""
    found = find()
    here = ", ".join(s.name for s in found) or "none"
    if name is not None:
        found = tuple(s for s in found if s.name == name)
        if not found:
            raise CertificateError(f"solver {name}: not found (found: {here}); try {INSTALL}")
    if not found:
        raise CertificateError(f"no solver found, expected z3 or cvc5; try {INSTALL}")
    return found


def files(folder: Path) -> list[Path]:
    """The certificates of a folder, at least one."""
    if not folder.is_dir():
        what = "not a folder" if folder.exists() else "no such folder"
        raise CertificateError(f"{folder}: {what}, expected one with .smt2 files")
    try:
        found = sorted(p for p in folder.iterdir() if p.suffix == ".smt2")
    except OSError as error:
        raise CertificateError(f"{folder}: {error.strerror}, expected a folder to read") from None
    if not found:
        raise CertificateError(f"{folder}: no .smt2 file, expected a folder with certificates")
    return found


def read(folder: Path) -> tuple[list[Row], list[Certificate], bool]:
    """The files that are refused or missing, the certificates, and whether a manifest was there."""
    paths, manifest = files(folder), read_manifest(folder)
    refused, good = [], []
    for path in paths:
        try:
            if manifest is not None and path.name not in manifest:
                raise CertificateError(f"{path.name}: not listed in {MANIFEST}, expected it to be")
            good.append(load(path, manifest[path.name]["sha256"] if manifest else None))
        except CertificateError as error:
            reason = str(error).removeprefix(f"{path.name}: ")
            refused.append(Row(escaped(path.name), "refused", reason))
    for name in sorted((manifest or {}).keys() - {p.name for p in paths}):
        refused.append(Row(name, "missing", f"no such file, expected as {MANIFEST} lists it"))
    return refused, good, manifest is not None


def _asked(
    certificates: Sequence[Certificate],
    solvers: Sequence[Solver],
    timeout: float,
    done: Callable[[], None],
) -> tuple[dict[str, dict[str, tuple[Answer, Answer]]], dict[str, Answer]]:
    """For each file and solver: the answer, and the answer to the assumptions; and for each file
    whether it is the question that it should be."""

    def one(solver: Solver) -> list[tuple[Answer, Answer]]:
        pairs = []
        with Process(solver) as process:
            for c in certificates:
                pairs.append((process.ask(c.text, timeout), assumed(c, process, timeout)))
                done()
        return pairs

    def compared() -> dict[str, Answer]:
        with Process(READER) as process:
            return {c.name: process.compare(c.text, max(timeout, ANEW)) for c in certificates}

    with ThreadPoolExecutor(1 + len(solvers)) as pool:
        headers = pool.submit(compared)
        columns = list(pool.map(one, solvers))
    answers = {
        c.name: {s.name: column[k] for s, column in zip(solvers, columns, strict=True)}
        for k, c in enumerate(certificates)
    }
    return answers, headers.result()


def assumed(c: Certificate, process: Process, timeout: float) -> Answer:
    """What a solver says of the assumptions of a certificate: sat if they hold at its model (or, if
    it cannot say of a model that is there, if they hold at all), unsat if they contradict each
    other, NO_MODEL if they do not hold at its model."""
    if not c.assumes:
        return Answer("sat", reason="it assumes nothing")
    at_model = process.ask(c.modelled, timeout) if c.modelled else Answer(NO_MODEL)
    if at_model.word == "sat":
        return at_model
    alone = process.ask(c.assumptions, timeout, ALONE if c.modelled else QUESTION)
    if alone.word == "unsat":
        return alone
    return replace(alone, word=NO_MODEL) if at_model.word in ("unsat", NO_MODEL) else alone


def judged(
    certificate: Certificate, answers: Mapping[str, tuple[Answer, Answer]], header: Answer
) -> Row:
    """The verdict on a certificate from what the solvers say of it and of its assumptions, and
    whether its header states the same."""
    whole = {name: pair[0] for name, pair in answers.items()}
    no_model = [name for name, pair in answers.items() if pair[1].word == NO_MODEL]
    held = [name for name, pair in answers.items() if pair[1].word == "sat"]
    vacuous = [name for name, pair in answers.items() if pair[1].word == "unsat"]
    by = {
        word: [name for name, a in whole.items() if a.word == word]
        for word in ("unsat", "sat", "error")
    }

    def row(verdict: str, reason: str = "") -> Row:
        return Row(certificate.name, verdict, reason, whole, certificate.says)

    if header.word == MISSTATED:
        return row("refused", header.reason)
    if by["sat"] and by["unsat"]:
        said = f"{', '.join(by['sat'])} says sat, {', '.join(by['unsat'])} unsat"
        return row("disagreement", said)
    if by["sat"]:
        return row("refuted", f"{', '.join(by['sat'])} says sat, expected unsat")
    if by["error"]:
        name = by["error"][0]
        return row("refused", f"no SMT-LIB to {name}: {whole[name].reason}")
    if header.word == "error":
        return row("refused", f"no SMT-LIB to {READER.name}: {header.reason}")
    if held and vacuous:
        said = f"its assumptions hold to {', '.join(held)}, not to {', '.join(vacuous)}"
        return row("disagreement", said)
    if vacuous:
        said = f"its assumptions contradict each other ({', '.join(vacuous)}): it proves nothing"
        return row("vacuous", said)
    if no_model or not held:
        names = ", ".join(no_model or answers) or "no solver"
        return row("open", f"vacuity open: its assumptions are not shown to hold ({names})")
    left = {name: a for name, a in whole.items() if a.word != "unsat"}
    if left or not whole:
        said = "; ".join(f"{name}: {a}" for name, a in left.items())
        return row("open", said or "no solver was asked")
    if header.word != STATED:
        return row("open", f"not compared with the statement that it serves: {header.word}")
    return row("checked")
