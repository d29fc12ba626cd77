"""Headlines: theorems of the development that stand on a page of the book as Rocq states them.

The words are those of the file, clause comments and all. The digest is that of the record: the
statement as Rocq printed it, what it rests on, and the definitions that it is made of.
"""

from __future__ import annotations

import functools
import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path

from orderproof.check.page import ROCQ, Mark

from .library import (
    AXIOMATIC,
    AXIOMS,
    CLOSED,
    HEADLINES,
    SOURCES,
    STATEMENTS,
    Headline,
    Library,
    Record,
    read,
    stated,
)
from .run import RocqError

COLUMNS = 104  # of a line of these files: what fits the width of a page
STATEMENT = r"^(?:Theorem|Lemma) {}\b.*?\.(?=\nProof\b)"


@dataclass(frozen=True)
class Shown:
    """A headline as the book shows it."""

    name: str
    source: str  # its statement, as the file has it
    digest: str  # of its record

    @property
    def latex(self) -> str:
        """The statement, word for word, in LaTeX."""
        return f"\\begin{{verbatim}}\n{self.source}\n\\end{{verbatim}}"


@dataclass(frozen=True)
class Compiled:
    """What Rocq said of a headline: the digest of that, and the axioms that it rests on."""

    digest: str
    axioms: tuple[str, ...]


def headline(name: str, sources: Path = SOURCES, recorded: Path = STATEMENTS) -> Shown:
    """The headline of this name; RocqError where there is none, or none is recorded."""
    found = _sources(sources).get(name)
    if found is None:
        files = " or ".join(f"{file}.v" for file in HEADLINES)
        raise RocqError(f"headline {name}: given in no file, expected in {files}")
    long = any(len(line) > COLUMNS for line in found.splitlines())
    if long or not found.isascii() or "\\end{verbatim}" in found:
        raise RocqError(f"headline {name}: expected lines of at most {COLUMNS} ASCII characters")
    return Shown(name, found, digest(_record(recorded), name))


@functools.cache
def file_of(name: str) -> str:
    """The file of the development, without its ending, that states a headline."""
    return next(file for file, text in read(HEADLINES).items() if name in stated(file, text))


def _sources(folder: Path) -> dict[str, str]:
    found = {}
    for file, text in read(HEADLINES, folder).items():
        for name in stated(file, text):
            statement = re.search(STATEMENT.format(name), text, re.M | re.S)
            if statement is None:
                raise RocqError(f"{file}.v: {name}: given no line Proof, expected one below it")
            found[name] = statement[0]
    return found


@functools.cache
def _record(path: Path) -> Record:
    found: Record = json.loads(path.read_text(encoding="utf-8"))
    return found


def digest(record: Record, name: str) -> str:
    """The digest of a headline's record: its statement, its assumptions, and every definition that
    the statement names, or that these name. RocqError where it is not recorded."""
    for file in HEADLINES:
        if (said := record.get(file, {}).get("theorems", {}).get(name)) is not None:
            break
    else:
        raise RocqError(f"headline {name}: given in no record, expected in {STATEMENTS.name}")
    known = {n: str(text) for names in record.values() for n, text in names["definitions"].items()}
    used: dict[str, str] = {}
    todo = [json.dumps(said)]
    while todo:
        words = set(re.findall(r"\w+", todo.pop())) & known.keys() - used.keys()
        used |= {word: known[word] for word in words}
        todo += [known[word] for word in words]
    text = json.dumps([said, used], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def compiled(library: Library) -> dict[str, Compiled]:
    """What Rocq said of every headline of a development that it compiled."""
    record = library.recorded()
    found: list[Headline] = [h for f in HEADLINES for h in library.theorems.get(f, {}).values()]
    return {h.name: Compiled(digest(record, h.name), h.axioms) for h in found}


def mark(shown: Shown, said: Compiled | None, wrong: tuple[str, ...]) -> Mark:
    """The rocq mark of a headline: ok where the whole development is as recorded (`wrong` lists
    what is not), Rocq stated this headline as its record does, and it rests on no axiom but those
    of the library of real numbers."""
    if wrong:
        return Mark(ROCQ, False, 0.0, f"not as in statements.json: {wrong[0]}")
    if said is None:
        return Mark(ROCQ, False, 0.0, f"{shown.name}: not among what Rocq compiled")
    if said.digest != shown.digest:
        return Mark(ROCQ, False, 0.0, f"{shown.name}: not as in statements.json", said.digest)
    if foreign := sorted(set(said.axioms) - set(AXIOMS)):
        return Mark(ROCQ, False, 0.0, f"{shown.name}: rests on {foreign[0]}", said.digest)
    rests = AXIOMATIC + ", ".join(said.axioms) if said.axioms else CLOSED
    detail = f"compiled, statement and definitions as in statements.json: {rests}"
    return Mark(ROCQ, True, 0.0, detail, said.digest, settles=True)
