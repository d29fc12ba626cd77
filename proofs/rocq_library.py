"""Compiles the Rocq development beside this file and reads what Rocq says of each headline theorem.

Nothing here is trusted but that Rocq's own words are read: the statement as it prints it, the
definitions, and `Print Assumptions` (coqc exits 0 on `Admitted`, so the exit status says little).
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

SOURCES = Path(__file__).with_name("rocq")
RECORDED = SOURCES / "statements.json"
CLOSED = "Closed under the global context"
LIMIT = 60.0  # seconds for one file
ORDER = ("Attention", "Encoder", "Positions", "Causal", "Headlines")  # each needs those before it
QUIET = ("-w", "-notation-overridden,-ambiguous-paths,-deprecated")
IMPORTS = (
    "From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum zmodp matrix.\n"
    f"From orderproof Require Import {' '.join(ORDER)}.\n"
    "Import Order.Theory GRing.Theory Num.Theory.\nLocal Open Scope ring_scope.\n"
)


class RocqError(RuntimeError):
    """A file that Rocq does not accept, or an answer that is not understood: one line."""


@dataclass(frozen=True)
class Headline:
    """A theorem as Rocq prints it, and what it rests on."""

    name: str
    statement: str
    assumptions: str

    @property
    def closed(self) -> bool:
        """Whether nothing is assumed, by Rocq's own word."""
        return self.assumptions == CLOSED


@dataclass(frozen=True)
class Library:
    """The compiled development."""

    folder: Path
    headlines: Mapping[str, Headline]
    definitions: Mapping[str, str]
    seconds: Mapping[str, float] = field(compare=False)

    def recorded(self) -> dict[str, dict[str, dict[str, str]] | dict[str, str]]:
        """What is compared with the recorded statements, word for word."""
        heads = {
            h.name: {"statement": h.statement, "assumptions": h.assumptions}
            for h in self.headlines.values()
        }
        return {"theorems": heads, "definitions": dict(self.definitions)}


def installed() -> bool:
    """Whether coqc is there, with MathComp's algebra."""
    coqc = shutil.which("coqc")
    if coqc is None:
        return False
    where = subprocess.run([coqc, "-where"], capture_output=True, text=True, check=False)
    return (Path(where.stdout.strip()) / "user-contrib/mathcomp/algebra/matrix.vo").exists()


def coqc(folder: Path, name: str, limit: float = LIMIT) -> str:
    """Compile one file of a folder; what Rocq printed. Raises RocqError, in one line."""
    command = ["coqc", *QUIET, "-Q", ".", "orderproof", f"{name}.v"]
    try:
        run = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=limit, check=False
        )
    except FileNotFoundError:
        raise RocqError("coqc: not installed (Debian: coq, libcoq-mathcomp-algebra)") from None
    except subprocess.TimeoutExpired:
        raise RocqError(f"{name}.v: not checked within {limit:g} s") from None
    if run.returncode:
        raise RocqError(f"{name}.v: rejected by Rocq: {' '.join(run.stderr.split())[-400:]}")
    return run.stdout


def ids(source: str) -> list[str]:
    """The ids that a headline file announces, each before the theorem of that name."""
    announced = re.findall(r"^\(\* id: (\w+) \*\)$", source, re.M)
    stated = re.findall(r"^\(\* id: \w+ \*\)\nTheorem (\w+)\b", source, re.M)
    if announced != stated or len(set(stated)) < len(stated):
        odd = sorted(set(announced) ^ set(stated)) or sorted(stated)
        raise RocqError(f"Headlines.v: ids and theorems differ: {', '.join(odd)}")
    if not stated:
        raise RocqError("Headlines.v: no theorem announces an id")
    return stated


def unproved(text: str) -> list[str]:
    """Words that let a statement through without a proof, outside comments."""
    bare = re.sub(r"\(\*.*?\*\)", " ", text, flags=re.S)
    return re.findall(r"\b(Admitted|admit|Axiom|Axioms|Parameter|Parameters|Conjecture)\b", bare)


def defined(text: str) -> list[str]:
    """The definitions and records of a file: what the statements are made of."""
    return re.findall(r"^(?:Definition|Record|Fixpoint) (\w+)", text, re.M)


def compile(out: Path, limit: float = LIMIT, sources: Path = SOURCES) -> Library:
    """Compile every file into a folder, and ask Rocq for statements, definitions, assumptions."""
    out.mkdir(parents=True, exist_ok=True)
    seconds, names = {}, []
    for file in ORDER:
        text = (sources / f"{file}.v").read_text()
        if found := unproved(text):
            raise RocqError(f"{file}.v: {found[0]}: every statement must be proved")
        names += defined(text)
        (out / f"{file}.v").write_text(text)
        start = time.perf_counter()
        coqc(out, file, limit)
        seconds[file] = time.perf_counter() - start
    theorems = ids((sources / "Headlines.v").read_text())
    start = time.perf_counter()
    headlines, definitions = ask(out, theorems, names, limit)
    seconds["Statements"] = time.perf_counter() - start
    return Library(out, headlines, definitions, seconds)


def ask(
    out: Path, theorems: list[str], names: list[str], limit: float
) -> tuple[dict[str, Headline], dict[str, str]]:
    """Read `Check`, `Print Assumptions` and `Print` in files of their own."""
    lines = [IMPORTS, "Set Printing Width 100.", "Set Printing Depth 1000."]

    for name in theorems:
        lines += [f"Check Headlines.{name}.", f"Print Assumptions Headlines.{name}."]
    (out / "Statements.v").write_text("\n".join(lines) + "\n")
    headlines = split_theorems(coqc(out, "Statements", limit), theorems)
    prints = [IMPORTS, "Set Printing Width 100.", *(f"Print {name}." for name in names)]
    (out / "Definitions.v").write_text("\n".join(prints) + "\n")
    return headlines, split_definitions(coqc(out, "Definitions", limit), names)


def split_theorems(text: str, theorems: list[str]) -> dict[str, Headline]:
    """Rocq's answers, one theorem after another."""
    pattern = re.compile(r"^(?:Headlines\.)?(\w+)\n {5}: ", re.M)
    starts = [m for m in pattern.finditer(text) if m[1] in theorems]
    if [m[1] for m in starts] != theorems:
        raise RocqError("Statements.v: Rocq's answers are not one for each theorem")
    ends = [m.start() for m in starts[1:]] + [len(text)]
    found = {}
    for m, end in zip(starts, ends, strict=True):
        said = text[m.end() : end].rstrip()
        cut = re.search(rf"^(?:{CLOSED}|Axioms:)", said, re.M)
        if cut is None:
            raise RocqError(f"{m[1]}: Rocq did not say what it assumes")
        found[m[1]] = Headline(m[1], said[: cut.start()].rstrip(), said[cut.start() :].strip())
    return found


def split_definitions(text: str, names: list[str]) -> dict[str, str]:
    """Rocq's answers to `Print`, one definition after another."""
    starts = [
        re.search(rf"^(?:Record |Variant |Inductive )?{name}\b.*? (?:=|:=)", text, re.M | re.S)
        for name in names
    ]
    if missing := [n for n, m in zip(names, starts, strict=True) if m is None]:
        raise RocqError(f"Definitions.v: Rocq did not print {missing[0]}")
    at = [re.search(rf"^(?:Record |Variant |Inductive )?{name}\b", text, re.M) for name in names]
    places = [m.start() for m in at if m is not None]
    if places != sorted(places):
        raise RocqError("Definitions.v: Rocq's answers are not in the order asked")
    ends = [*places[1:], len(text)]
    return {n: text[a:b].rstrip() for n, a, b in zip(names, places, ends, strict=True)}


def differences(library: Library, recorded: Path = RECORDED) -> list[str]:
    """What differs from the recorded statements, a line each; none if they agree word for word."""
    now, then = library.recorded(), json.loads(recorded.read_text())
    lines = []
    for kind in ("theorems", "definitions"):
        for name in sorted(now[kind].keys() | then[kind].keys()):
            if name not in now[kind]:
                lines.append(f"{name}: recorded, and no longer there")
            elif name not in then[kind]:
                lines.append(f"{name}: there, and not recorded")
            elif now[kind][name] != then[kind][name]:
                lines.append(f"{name}: not as recorded")
    return lines


def main(arguments: list[str]) -> int:
    """`check` compiles and compares with the record; `record` writes the record anew."""
    if not installed():
        print("SKIP: coqc is not installed (Debian: coq, libcoq-mathcomp-algebra)")
        return 0
    try:
        library = compile(Path(os.environ.get("ROCQ_OUT", "build/rocq")))
        if arguments == ["record"]:
            RECORDED.write_text(json.dumps(library.recorded(), indent=1, ensure_ascii=False) + "\n")
        wrong = differences(library)
    except RocqError as error:
        print(error)
        return 1
    for name, took in library.seconds.items():
        print(f"{name:12} {took:5.1f} s")
    for headline in library.headlines.values():
        print(f"{headline.name}: {headline.assumptions}")
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
