"""The release's record of Rocq: for each claim that Rocq checks, what a run of it said.

An entry holds for the digest of the claim, for the certificate that Rocq read, and for the files of
the development that this needs; where one of these is another, the claim is not recorded. CI
compares the record with a run of its own.

python -m orderproof.check.rocq.record FRESH           compares FRESH, which `orderproof prove
                                                       --rocq` of all theorems wrote, with it
python -m orderproof.check.rocq.record FRESH --write   makes it the record
"""

from __future__ import annotations

import functools
import hashlib
import json
import re
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from orderproof import input_file
from orderproof.check.page import RECORDED_ROCQ, ROCQ, ClaimPage, Mark, TheoremPage
from orderproof.sealed import opened, sealed
from orderproof.symbolic import strict_json
from orderproof.symbolic.counting import count

from . import headlines
from .certificate import Checked
from .library import AXIOMATIC, AXIOMS, CLOSED, SOURCES
from .run import RocqError, needed

RECORD = SOURCES / "record.json"
FORMAT = "orderproof-rocq 1"
LARGEST = 2**24  # bytes of a record


class RecordError(ValueError):
    """A file that is no record: one line that says why."""


@dataclass(frozen=True)
class Entry:
    """What Rocq said of a claim, and of what: digests in hexadecimal."""

    digest: str  # of the claim, or of the headline
    sources: str  # of the files of the development that are needed
    certificate: str  # of the file that Rocq read; empty for a headline, which has none
    assumptions: str
    proved_by: str  # the other marks that prove the claim; empty where Rocq alone does


@dataclass(frozen=True)
class Record:
    """Entries by the name of the certificate (sum_act_1), or "headline NAME"; the version of Rocq,
    the day, and the digest of all its files then. Where there is no record, `trouble` says why."""

    version: str
    when: str
    development: str = ""
    entries: Mapping[str, Entry] = field(default_factory=dict)
    trouble: str = ""

    mark = RECORDED_ROCQ

    def checked(self, name: str, text: str, digest: str) -> Checked:
        """Whether this certificate of a claim is recorded; undecided where it is not."""
        return self._found(name, digest, text, text)

    def headline(self, shown: headlines.Shown) -> Mark:
        """The mark of a headline."""
        name = f"headline {shown.name}"
        found = self._found(name, shown.digest, importing(shown.name), "")
        states = shown.digest if found.ok else ""
        return Mark(self.mark, found.ok, 0.0, found.detail, states, settles=bool(found.ok))

    def _found(self, name: str, digest: str, text: str, certificate: str) -> Checked:
        entry = self.entries.get(name)
        if entry is None:
            return _unrecorded("which cannot be read" if self.trouble else f"{name} is not in it")
        try:
            needed_now = sources(text)
        except RocqError as error:
            return _unrecorded(str(error))
        changed = {
            "states something else now": entry.digest != digest,
            "has another certificate now": entry.certificate != _sha256(certificate),
            "rests on files of Rocq that changed": entry.sources != needed_now,
            "rests on an axiom": not _known(entry.assumptions),
        }
        for what, so in changed.items():
            if so:
                return _unrecorded(f"{name} {what}")
        said = f"by Rocq {self.version} on {self.when}"
        return Checked(True, 0.0, f"{name} accepted {said}, not run here: {entry.assumptions}")


def _unrecorded(why: str) -> Checked:
    return Checked(None, 0.0, f"not in the record of Rocq ({why}): prove --rocq checks it")


def _known(assumptions: str) -> bool:
    """Whether a proof rests on no axiom but those of the library of real numbers."""
    return assumptions == CLOSED or set(_axioms(assumptions)) <= set(AXIOMS)


def _axioms(assumptions: str) -> list[str]:
    return assumptions.removeprefix(AXIOMATIC).split(", ")


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest() if text else ""


def sources(text: str, folder: Path = SOURCES) -> str:
    """The SHA-256 of the files of the development that a file needs: those that it imports, and
    those that these import."""
    found = hashlib.sha256()
    for name, source in sorted(_closure(text, folder).items()):
        found.update(f"{name}\0{_sha256(source)}\n".encode())
    return found.hexdigest()


def _closure(text: str, folder: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    missing: Collection[str] = needed(text)
    while missing:
        found |= {name: _source(folder / f"{name}.v") for name in missing}
        missing = set().union(*(needed(found[name]) for name in missing)) - found.keys()
    return found


@functools.cache
def _source(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise RocqError(f"{path.name}: given no such file, expected one of Rocq") from None


def development(folder: Path = SOURCES) -> str:
    """The digest of all files of Rocq, proofs by hand among them."""
    files = {p.relative_to(folder).as_posix(): p for p in sorted(folder.rglob("*.v"))}
    texts = (f"{name}\0{_sha256(p.read_text('utf-8'))}\n" for name, p in files.items())
    return _sha256("".join(texts))


# ------------------------------------------------------------------------------------- the file
def load(path: Path = RECORD) -> Record:
    """The record of this release; one without entries, which says why, where it cannot be read."""
    try:
        return read(path)
    except RecordError as error:
        return Record("", "", trouble=str(error))


@functools.cache
def read(path: Path = RECORD) -> Record:
    """The record in a file; RecordError where it is none, or was changed after it was written."""
    raw = input_file.read(path, LARGEST, "a record of Rocq", RecordError)
    try:
        data = strict_json.loads(opened(raw))
        if data.pop("format") != FORMAT:
            raise ValueError(f"given another format, expected {FORMAT}")
        entries = {name: Entry(**entry) for name, entry in data.pop("entries").items()}
        return Record(**data, entries=entries)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise RecordError(f"{path}: {error}, expected a record of Rocq as written") from None


def written(record: Record) -> bytes:
    """The bytes of the file of a record, each entry on a line of its own."""
    fields = ("version", "when", "development")
    head = json.dumps({"format": FORMAT} | {name: getattr(record, name) for name in fields})
    entries = sorted(record.entries.items())
    lines = ",\n".join(f'"{name}": {json.dumps(asdict(entry))}' for name, entry in entries)
    return sealed(f'{head[:-1]}, "entries": {{\n{lines}\n}}}}\n'.encode())


def made(pages: Sequence[TheoremPage], certificates: Mapping[str, str], version: str) -> Record:
    """The record of a run of Rocq: of its pages and the certificates (by file name) that it read.
    What Rocq did not accept has no entry."""
    entries = {}
    for page in pages:
        for number, claim in enumerate(page.claims, 1):
            for mark in claim.marks:
                if mark.mark == ROCQ and mark.settles:
                    name = f"headline {claim.headline}" if claim.headline else f"{page.id}_{number}"
                    text = "" if claim.headline else certificates[f"{name}.v"]
                    entries[name] = _entry(claim, mark, text)
    return Record(version, datetime.now(UTC).date().isoformat(), development(), entries)


def _entry(claim: ClaimPage, mark: Mark, text: str) -> Entry:
    needs = text or importing(claim.headline)
    others = " ".join(sorted(m.mark for m in claim.marks if m.settles and m.mark != ROCQ))
    return Entry(claim.digest, sources(needs), _sha256(text), assumptions(mark), others)


def importing(headline: str) -> str:
    """A file that needs what a headline needs."""
    return f"From orderproof Require Import {headlines.file_of(headline)}.\n"


def assumptions(mark: Mark) -> str:
    """What a rocq mark says that the proof rests on."""
    found = re.search(rf"({CLOSED}|{AXIOMATIC}.*)\Z", mark.detail)
    if found is None:
        raise RocqError(f"given a mark that says {mark.detail!r}, expected what it rests on")
    return found[1]


def differences(kept: Record, fresh: Record) -> Iterator[str]:
    """A line for each difference between entries, and versions: a release's record has to say what
    a run says."""
    if kept.trouble:
        yield kept.trouble
        return
    if kept.version != fresh.version:
        yield f"version: recorded {kept.version}, the run was of {fresh.version}"
    for name in sorted(kept.entries.keys() | fresh.entries.keys()):
        old, new = (r.entries.get(name) for r in (kept, fresh))
        if old is None or new is None:
            yield f"{name}: {'not recorded' if old is None else 'recorded, and not in the run'}"
        elif old != new:
            names = [k for k, v in asdict(old).items() if v != asdict(new)[k]]
            yield f"{name}: recorded with another {', '.join(names)} than in the run"


def main(arguments: Sequence[str]) -> int:
    """Compare a fresh record with the release's, or make it that; 1 where they differ."""
    if len(arguments) not in (1, 2) or arguments[1:] not in ([], ["--write"]):
        print("record: expected FRESH, or FRESH --write", file=sys.stderr)
        return 2
    try:
        fresh = read(Path(arguments[0]))
    except RecordError as error:
        print(f"{error}, which `orderproof prove --rocq` writes", file=sys.stderr)
        return 2
    if fresh.development != development():
        print(f"{arguments[0]}: of other files of Rocq than these; prove --rocq makes it anew")
        return 1
    if arguments[1:]:
        part = RECORD.with_suffix(".part")  # so that the record is whole, whoever ends this
        part.write_bytes(written(fresh))
        part.replace(RECORD)
        print(f"{count(len(fresh.entries), 'claim')} written to {RECORD.name}")
        return 0
    lines = [*differences(load(RECORD), fresh)]
    for line in lines:
        print(line)
    said = f"{count(len(fresh.entries), 'claim')} accepted by Rocq"
    found = count(len(lines), "difference")
    print(f"{said}, {found} from the record" + "; `make record` writes it anew" * bool(lines))
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
