"""The text of an SMT certificate: what its file may hold, read without any solver.

A certificate is SMT-LIB 2 with a header of comments, declarations, assertions of which the last is
the negated goal, and one question at the end. Nothing else is let through to a solver: no option,
no second question, nothing that could print an answer.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orderproof import input_file
from orderproof.symbolic import strict_json
from orderproof.symbolic.strict_json import JsonError

MANIFEST = "MANIFEST.json"
MAX_BYTES = 1_000_000
MAX_MANIFEST = 100_000_000
MAX_DEPTH = 200
TOKEN = re.compile(r';[^\n]*|"(?:[^"]|"")*"|\|[^|\\]*\||[()]|[^\s()|";]+|[|"]')
INFO = {"set-info", "set-logic"}
DECLARATIONS = {
    "declare-sort", "declare-fun", "declare-const", "declare-datatypes", "declare-datatype",
}  # fmt: skip
HEADER = {"theorem", "states", "to prove", "expected"}  # keys that every header has
SERVES, MODEL = "serves", "model"  # lines of the header: see Served, and definitions
KEYS = ("theorem", "title", "obligation", "states", "expected")
ABOUT = (
    "obligation",
    "theorem",
    "title",
    "claim",
    SERVES,
)  # not in the assertions


class CertificateError(ValueError):
    """A folder or file that is no certificate: one line with what was given and expected."""


@dataclass(frozen=True)
class Certificate:
    """A file that a solver may read: its whole text, and its assumptions with the question."""

    name: str
    text: str
    assumptions: str  # with the question
    assumes: bool  # whether there are any
    modelled: str  # the same with the model in place of declarations; empty where there is none
    says: dict[str, str]
    about: dict[str, tuple[str, ...]]  # the lines of each key of ABOUT


def header(text: str) -> dict[str, str]:
    """The first value of each key at the head of a certificate."""
    found = lines_of(text, (*KEYS, "to prove"))
    return {key: values[0] for key, values in found.items() if values}


def lines_of(text: str, keys: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """All values of these keys at the head of a certificate."""
    comments = itertools.takewhile(lambda line: line.startswith("; "), text.splitlines())
    found = [line[2:].partition(": ") for line in comments]
    return {key: tuple(value for k, _, value in found if k == key) for key in keys}


def read_manifest(folder: Path) -> dict[str, dict[str, str]] | None:
    """What `prove` recorded of each certificate, or None where there is no manifest."""
    path = folder / MANIFEST
    if not os.path.lexists(path):
        return None
    expected = "the manifest of prove"
    try:
        data = strict_json.loads(input_file.read(path, MAX_MANIFEST, expected, CertificateError))
    except JsonError as error:
        raise CertificateError(f"{path}: {error}; expected {expected}") from None
    rows = data.items() if isinstance(data, dict) else ()
    good = all(
        Path(name).name == name and isinstance(row, dict)
        and all(isinstance(row.get(key), str) for key in ("sha256", "theorem"))
        for name, row in rows
    )  # fmt: skip
    if not rows or not good:
        raise CertificateError(f"{path}: expected file names with their sha256 and theorem")
    return dict(rows)


def load(path: Path, recorded: str | None) -> Certificate:
    """A certificate, read whole; it is the file of this SHA-256 where one was recorded."""
    data = input_file.read(path, MAX_BYTES, "a certificate", CertificateError, path.name)
    if recorded is not None and hashlib.sha256(data).hexdigest() != recorded:
        raise _refusal(path.name, "another content", f"that recorded in {MANIFEST}")
    return parse(data, path.name)


def parse(data: bytes, name: str) -> Certificate:
    """A certificate from the bytes of its file."""
    if len(data) > MAX_BYTES:
        raise _refusal(name, f"more than {MAX_BYTES} bytes", "a shorter file")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise _refusal(name, f"no UTF-8 at byte {error.start}", "SMT-LIB 2 in UTF-8") from None
    stray = next((c for c in text if not (c.isprintable() or c == "\n")), None)
    if stray is not None:
        raise _refusal(name, f"the character {stray!r}", "printable text")
    says = header(text)
    if missing := sorted(HEADER - says.keys()):
        raise _refusal(name, f"a header without {missing[0]!r}", "a header of prove")
    if says["expected"] != "unsat":
        raise _refusal(name, f"the expected answer {says['expected']!r}", "'unsat'")
    commands = commands_of(text, name)
    goal, question = _structure(commands, name)
    bare = text[: goal[0]] + text[goal[1] : question]
    (model,) = lines_of(text, (MODEL,)).values()
    about = lines_of(text, ABOUT)
    if not about[SERVES]:
        raise _refusal(name, f"a header without {SERVES!r}", "the statement that it serves")
    asked = "(check-sat)\n"
    modelled = defined(bare, model, name) + asked if model else ""
    assumes = [c.tokens[1] for c in commands].count("assert") > 1
    return Certificate(name, text, bare + asked, assumes, modelled, says, about)


def defined(text: str, definitions: Sequence[str], name: str = "model") -> str:
    """A text with these definitions in place of the declarations of what they define; what is not
    defined stays declared: any value will do. CertificateError unless each is one definition of
    what is declared, of its type."""
    declared = {c.tokens[2]: c for c in commands_of(text, name) if c.tokens[1] == "declare-fun"}
    given = []
    for line in definitions:
        commands = commands_of(line, name)
        types = [_defined_type(c) for c in commands if line == line[c.start : c.end]]
        symbol = commands[0].tokens[2] if all(types) and types else ""
        if symbol not in declared or types != [_tree(declared[symbol])]:
            raise _refusal(name, f"the model {line[:40]!r}", "a definition of what is declared")
        given.append(declared.pop(symbol))
    kept: list[str] = []
    end = 0
    for command in sorted(given, key=lambda c: c.start):
        kept += [text[end : command.start], *(() if kept else definitions)]  # after the logic
        end = command.end
    return "\n".join([*kept, text[end:]])


def _defined_type(command: _Command) -> list[Any]:
    """The declaration that a plain definition replaces; of anything else an empty list."""
    match _tree(command):
        case ["define-fun", symbol, [*parameters], sort, _] if "!" not in command.tokens:
            # with "!" a part of the value is given a name, which could be that of another symbol
            if all(isinstance(p, list) and len(p) == 2 for p in parameters):
                return ["declare-fun", symbol, [p[1] for p in parameters], sort]
    return []


def _refusal(name: str, given: str, expected: str) -> CertificateError:
    return CertificateError(f"{name}: given {given}, expected {expected}")


@dataclass(frozen=True)
class _Command:
    """A command's tokens and its place in the text."""

    tokens: tuple[str, ...]
    start: int
    end: int


def commands_of(text: str, name: str) -> list[_Command]:
    """The commands of a text, with balanced parentheses and nothing between them."""
    found: list[_Command] = []
    tokens: list[str] = []
    depth = start = 0

    def line(
        match: re.Match[str],
    ) -> str:  # for a refusal only: it reads all before it
        return f"on line {text.count(chr(10), 0, match.start()) + 1}"

    for match in TOKEN.finditer(text):
        token = match.group()
        if token.startswith(";"):
            continue
        if token in ("|", '"'):
            raise _refusal(name, f"an open {token} {line(match)}", "it to be closed")
        if depth == 0 and token != "(":
            raise _refusal(name, f"{token[:40]!r} {line(match)}", "a command in parentheses")
        start = match.start() if depth == 0 else start
        depth += (token == "(") - (token == ")")
        tokens.append(token)
        if depth > MAX_DEPTH:
            raise _refusal(name, f"{depth} nested parentheses", f"at most {MAX_DEPTH}")
        if depth == 0:
            found.append(_Command(tuple(tokens), start, match.end()))
            tokens = []
    if depth:
        raise _refusal(name, f"{depth} open parentheses at the end", "them to be closed")
    return found


def _tree(command: _Command) -> list[Any]:
    """A command as nested lists."""
    open_: list[list[Any]] = [[]]
    for token in command.tokens:
        if token == "(":
            open_.append([])
        elif token == ")":
            last = open_.pop()
            open_[-1].append(last)
        else:
            open_[-1].append(token)
    return list(open_[0][0])


def _structure(commands: list[_Command], name: str) -> tuple[tuple[int, int], int]:
    """The positions of the negated goal and of the question, in a text structured as prove does."""
    words = [c.tokens[1] for c in commands]
    for word in words:
        if word not in INFO | DECLARATIONS | {"assert", "check-sat"}:
            raise _refusal(
                name, f"the command {word[:40]!r}", "declarations, assertions, check-sat"
            )
    if (questions := words.count("check-sat")) != 1:
        raise _refusal(name, f"{questions} check-sat", "one")
    if words[-1] != "check-sat" or commands[-1].tokens != ("(", "check-sat", ")"):
        raise _refusal(name, f"{words[-1]!r} at the end", "(check-sat) at the end")
    for c in commands:
        if c.tokens[1:3] == ("set-info", ":status") and c.tokens[3:] != ("unsat", ")"):
            raise _refusal(name, f"the status {c.tokens[3][:40]!r}", "'unsat'")
    asserted = [c for c in commands if c.tokens[1] == "assert"]
    if not asserted:
        raise _refusal(name, "no assertion", "the negated goal at least")
    goal = asserted[-1]
    declared = {
        t for c in commands if c.tokens[1] in DECLARATIONS for t in c.tokens[2:] if t not in "()"
    }
    if "not" not in goal.tokens or not declared.intersection(goal.tokens):
        raise _refusal(name, "a last assertion about nothing declared", "a negated goal")
    return (goal.start, goal.end), commands[-1].start
