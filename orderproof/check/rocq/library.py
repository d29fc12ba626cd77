"""Compiles the Rocq development, proofs/rocq, and reads what Rocq says of its theorems.

Nothing here is trusted but that Rocq's own words are read: the statement as it prints it, the
definitions, and `Print Assumptions` (coqc exits 0 on `Admitted`, so the exit status says little).
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from orderproof._paths import ROCQ

from .run import LIMIT, PACKAGED, RocqError, compile_texts, installed, without_comments

SOURCES = ROCQ
STATEMENTS = SOURCES / "statements.json"
COMPILED = Path("rocq/compiled")  # below the folder that a run writes to
CLOSED = "Closed under the global context"
AXIOMATIC = "Axioms: "  # begins what is said otherwise, with their names
AXIOMS = (  # of classical analysis, which the reals of MathComp stand on
    "boolp.propositional_extensionality",
    "boolp.functional_extensionality_dep",
    "boolp.constructive_indefinite_description",
)
SHALLOW = "Shallow"  # what the propositions of claims are written with
COLOURS = ("ColourRefinement", "ColourCorollaries", "TwoCausalLayers", "ThreeCausalLayers")
DEPTH = ("Hausdorff", "HausdorffEntries", "CausalRows", "ConstantSequence")
MEANS = ("WeightedMeans", "HeadBiases", "NormedTables", "RotaryIds")
POSITIONS = ("Positions", "Contraction", SHALLOW, *MEANS)
MATRICES = (
    "Attention",
    "Encoder",
    *POSITIONS,
    "Causal",
    *COLOURS,
    *DEPTH,
    "Headlines",
)
PROGRAMS = ("Calculus", "SoundMaps", "SoundNatural", "Program", "SoundProgram")  # for certificates
RULES = ("SoundTerms", "Naturality", "Sound", "Unsound")
REAL = "Real"
REFUTATIONS = ("Means", "Refutations", "Refuted")  # that outputs differ
ORDER = (*MATRICES, *REFUTATIONS, REAL, *PROGRAMS, *RULES)  # the longest chain first
STATED = {  # how a file marks the theorems that are recorded, and what stands before their names
    "Headlines": (r"\(\* id: (\w+) \*\)\n", ""),
    "Naturality": (r"\(\* id: (\w+) \*\)\n", ""),
    "Refuted": (r"\(\* id: (\w+) \*\)\n", ""),
    "Real": (r"\(\* real: (\w+) \*\)\n", "real_"),
    "Sound": (r"\(\* rule: (\w+) \*\)\n(?:\(\*(?:(?!\*\)).)*\*\)\n)?", None),
    "SoundProgram": (r"()(?=Theorem)", None),
    "Unsound": (r"()(?=Lemma \w+_unsound)", None),
}
HEADLINES = ("Headlines", "Refuted", "Naturality")  # where a theorem announces the id of the book
UNRECORDED = {"Unsound"}  # its definitions are of examples
NO_ANALYSIS = "libcoq-mathcomp-analysis is not installed"


@dataclass(frozen=True)
class Headline:
    """A theorem as Rocq prints it, and what those of its file rest on."""

    name: str
    statement: str
    assumptions: str

    @property
    def axioms(self) -> tuple[str, ...]:
        """The names of the axioms that it rests on; none if Rocq says that it is closed."""
        if self.assumptions == CLOSED:
            return ()
        found = re.findall(r"^(\S+)\s*:", self.assumptions.partition("\n")[2], re.M)
        return tuple(found) or ("one without a name",)


Record = dict[str, dict[str, dict[str, dict[str, str]] | dict[str, str]]]


@dataclass(frozen=True)
class Library:
    """The compiled development: of each file the theorems and definitions that are recorded."""

    folder: Path
    theorems: Mapping[str, Mapping[str, Headline]]
    definitions: Mapping[str, Mapping[str, str]]
    skipped: Mapping[str, str]  # files with the reason
    seconds: Mapping[str, float] = field(compare=False)  # of each file
    elapsed: float = field(compare=False)

    @property
    def headlines(self) -> dict[str, Headline]:
        """The theorems of all files, by name."""
        return {name: h for found in self.theorems.values() for name, h in found.items()}

    def recorded(self) -> Record:
        """What is compared with the recorded statements, word for word."""
        return {
            file: {
                "theorems": {
                    h.name: {"statement": h.statement, "assumptions": h.assumptions}
                    for h in theorems.values()
                },
                "definitions": dict(self.definitions[file]),
            }
            for file, theorems in self.theorems.items()
        }


# ------------------------------------------------------------------------------ reading sources
def read(files: Sequence[str], sources: Path = SOURCES) -> dict[str, str]:
    """The text of files; RocqError if one lets a statement pass without a proof."""
    texts = {file: (sources / f"{file}.v").read_text(encoding="utf-8") for file in files}
    for file, text in texts.items():
        if found := unproved(text):
            raise RocqError(f"{file}.v: {found[0]}: every statement must be proved")
    return texts


def unproved(text: str) -> list[str]:
    """Words that let a statement through without a proof, outside comments."""
    words = r"\b(Admitted|admit|Axioms?|Parameters?|Conjecture|bypass_check)\b"
    return re.findall(words, without_comments(text))


def stated(file: str, text: str) -> dict[str, str]:
    """The theorems of a file that are recorded, each with the name that its mark gives."""
    mark, prefix = STATED[file]
    pairs = re.findall(rf"^{mark}(?:Theorem|Lemma) (\w+)\b", text, re.M | re.S)
    announced = re.findall(rf"^{mark}", text, re.M | re.S)
    names = [name for _, name in pairs]
    fits = [said for said, _ in pairs] == announced and len(set(names)) == len(names)
    if prefix is not None:
        fits = fits and all(name == prefix + said for said, name in pairs)
    if not (fits and names):
        odd = sorted(set(announced) ^ {said for said, _ in pairs}) or names
        raise RocqError(f"{file}.v: marks and theorems differ: {', '.join(odd)}")
    return {name: said for said, name in pairs}


def ids(sources: Path = SOURCES) -> list[str]:
    """The ids of the book that a theorem of the development announces."""
    return [name for file, text in read(HEADLINES, sources).items() for name in stated(file, text)]


def defined(text: str) -> list[str]:
    """The definitions, types and records of a file: what the statements are made of. Those that
    a script constructs decide an equality, and what they are follows from their types."""
    found = re.findall(r"^(?:Definition|Record|Fixpoint|Inductive) (\w+)", text, re.M)
    return [name for name in found if not name.endswith(("_dec", "_eqP"))]


# ------------------------------------------------------------------------------- asking Rocq
def questions(file: str, text: str) -> str:
    """What is asked at the end of a file: statements, assumptions and definitions."""
    lines = ["", "Set Printing Width 100.", "Set Printing Depth 1000."]
    names = list(stated(file, text)) if file in STATED else []
    for name in names:
        lines += [_marker(name, "says"), f"Check {name}."]
    if names:  # of all at once: each question walks through the libraries again, for seconds
        proofs = ", ".join(f"@{name}" for name in names)
        lines += ["Section Asked.", f"Let all_stated := ({proofs}, tt).", _marker("all", "rest on")]
        lines += ["Print Assumptions all_stated.", "End Asked."]
    for name in defined(text) if file not in UNRECORDED else ():
        lines += [_marker(name, "is"), f"Print {name}."]
    return "\n".join([*lines, _marker("all", "end")]) + "\n"


def _marker(name: str, what: str) -> str:
    return f'Goal True. idtac "@@ {name}@{what} @@". Abort.'


def answers(said: str) -> dict[tuple[str, str], str]:
    """What Rocq printed after each marker."""
    _, *parts = re.split(r"^@@ (\w+)@([a-z ]+) @@\n", said, flags=re.M)
    keys = zip(parts[::3], parts[1::3], strict=True)
    return {key: text.strip() for key, text in zip(keys, parts[2::3], strict=True)}


def understood(file: str, said: str) -> tuple[dict[str, Headline], dict[str, str]]:
    """The theorems and definitions of a file, out of Rocq's answers."""
    found = answers(said)
    rest = found.get(("all", "rest on"), "")
    theorems, definitions = {}, {}
    for (name, what), text in found.items():
        if what == "says":
            claim = re.sub(rf"\A{name}\s*:\s", "", text)
            if claim == text or not re.match(rf"{CLOSED}\Z|Axioms:", rest):
                raise RocqError(f"{file}.{name}: Rocq did not say what it states or assumes")
            theorems[name] = Headline(name, claim.strip(), rest)
        elif what == "is":
            if not re.search(rf"\b{name}\b", text):
                raise RocqError(f"{file}.{name}: Rocq did not print it")
            definitions[name] = text
    return theorems, definitions


def compile(out: Path, limit: float = LIMIT, sources: Path = SOURCES) -> Library:
    """Compile the development into a folder, and ask Rocq for statements, assumptions and
    definitions. The real instance is skipped where MathComp Analysis is not installed."""
    skipped = {} if installed("libcoq-mathcomp-analysis") else {REAL: NO_ANALYSIS}
    texts = read([f for f in ORDER if f not in skipped], sources)
    start = time.perf_counter()
    ran = compile_texts(out, {f: t + questions(f, t) for f, t in texts.items()}, limit)
    elapsed = time.perf_counter() - start
    found = {file: understood(file, run.said) for file, run in ran.items()}
    return Library(
        out,
        {file: theorems for file, (theorems, _) in found.items()},
        {file: definitions for file, (_, definitions) in found.items()},
        skipped,
        {file: run.seconds for file, run in ran.items()},
        elapsed,
    )


# --------------------------------------------------------------------------- the record, a table
def differences(library: Library, recorded: Path = STATEMENTS) -> list[str]:
    """What differs from the recorded statements, a line each; none if they agree word for word."""
    now, then = library.recorded(), json.loads(recorded.read_text(encoding="utf-8"))
    then = {file: names for file, names in then.items() if file not in library.skipped}
    lines = []
    for file in sorted(now.keys() | then.keys()):
        for kind in ("theorems", "definitions"):
            mine, theirs = now.get(file, {}).get(kind, {}), then.get(file, {}).get(kind, {})
            for name in sorted(mine.keys() | theirs.keys()):
                if name not in mine:
                    lines.append(f"{name}: in statements.json, and no longer there")
                elif name not in theirs:
                    lines.append(f"{name}: there, and not in statements.json")
                elif mine[name] != theirs[name]:
                    lines.append(f"{name}: not as in statements.json")
    return lines


def table(library: Library) -> str:
    """File and seconds; theorem and assumptions."""
    times = {name: f"{t:5.1f} s" if t else "   kept" for name, t in library.seconds.items()}
    lines = [f"{name:14} {took}" for name, took in times.items()]
    lines += [f"{'two at a time':14} {library.elapsed:5.1f} s", ""]
    for found in library.theorems.values():
        lines += [f"{h.name:40} {', '.join(h.axioms) or h.assumptions}" for h in found.values()]
    return "\n".join([*lines, *(f"SKIP: {f}.v: {why}" for f, why in library.skipped.items())])


def main(arguments: list[str], out: Path = "build" / COMPILED, sources: Path = SOURCES) -> int:
    """Compile and compare with the record; `record` writes the record anew."""
    if arguments not in ([], ["record"]):
        print(f"rocq_library: given {' '.join(arguments)}, expected nothing or record")
        return 2
    if not installed():
        print(f"SKIP: coqc is not installed (Debian: {PACKAGED})")
        return 0
    try:
        library = compile(out, sources=sources)
        if arguments and library.skipped:
            raise RocqError(f"not recorded: {NO_ANALYSIS}")
        if arguments:
            text = json.dumps(library.recorded(), indent=1, ensure_ascii=False) + "\n"
            STATEMENTS.write_text(text, encoding="utf-8")
        wrong = differences(library)
    except RocqError as error:
        print(error, file=sys.stderr)
        return 1
    print(table(library))
    for line in wrong:
        print(line)
    counted = len(library.headlines), len(wrong), len(library.skipped)
    print("{} theorems, {} not as in statements.json, {} files skipped".format(*counted))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
