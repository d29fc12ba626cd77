"""The claims whose proof in Rocq is written by hand: the proposition is generated, never typed.

`rocq/by_hand/<theorem>.v` holds, below `(* claim 1 *)`, the tactics that prove the first claim of
that theorem. The proposition above them is written anew each time from the statement that is asked
about, so that a script proves what that statement says, or fails. The file imports what defines or
proves a name that the two use, and no other file of the development.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Collection
from pathlib import Path

from orderproof.symbolic.readings.rocq_statement import proposition
from orderproof.symbolic.statements.statement import Statement

from .library import MATRICES, REFUTATIONS, SHALLOW, SOURCES, read, unproved
from .run import RocqError, without_comments

SCRIPTS = SOURCES / "by_hand"
MATHCOMP = "all_ssreflect fingroup perm ssralg ssrnum zmodp matrix poly"
NAMED = (  # what gives a name to something in a file, and the name
    r"^\s*(?:Lemma|Theorem|Corollary|Fact|Remark|Definition|Fixpoint|Inductive|Variant|Record"
    r"|Structure|Canonical|Coercion|Ltac)\s+([\w']+)"
)
MARK = r"^\(\* claim (\d+) \*\)\n"


def scripts(theorem: str, folder: Path = SCRIPTS) -> dict[int, str]:
    """The tactics for each claim of a theorem that has some, by the number of the claim from 1."""
    path = folder / f"{theorem}.v"
    if not path.exists():
        return {}
    _, *parts = re.split(MARK, path.read_text(encoding="utf-8"), flags=re.M)
    found = dict(zip(map(int, parts[::2]), parts[1::2], strict=True))
    if len(found) < len(parts[::2]):
        raise RocqError(f"{path.name}: given two scripts of one claim, expected one")
    for number, text in found.items():
        if command := not_a_tactic(text):
            raise RocqError(f"{path.name}, claim {number}: given {command}, expected tactics alone")
    return found


def not_a_tactic(script: str) -> str:
    """The first word of a script that begins a command, or lets a goal pass; none as it should
    be. Tactics begin with small letters, commands of Rocq with capital ones."""
    bare = without_comments(script)
    if '"' in bare or "(*" in bare:
        return "a string or an open comment"
    starts = re.findall(r"(?:\A|\.\s|[{}]|^\s*[-+*]+)\s*(#\[|[A-Z]\w*)", bare, flags=re.M)
    return next(iter([*unproved(bare), *starts]), "")


def file_of(s: Statement, name: str, script: str, words: str = "") -> str:
    """The file in which Rocq checks a statement: its proposition, and the tactics."""
    comment = words.replace("(*", "( *").replace("*)", "* )").replace('"', "'")
    proved = f"""Theorem {name} :
{proposition(s)}.
Proof.
{script.strip()}
Qed.
Print Assumptions {name}.
"""
    return f"""(* {name}{": " if words else ""}{comment} *)
Set Warnings "-notation-overridden".
{imports(naming(proved))}
{proved}"""


def imports(files: Collection[str]) -> str:
    """The lines that import MathComp and these files; those of refutations by their full names."""
    opened = " ".join(f for f in MATRICES if f in files)
    named = " ".join(f for f in REFUTATIONS if f in files)
    lines = (
        f"From mathcomp Require Import {MATHCOMP}.",
        f"From orderproof Require Import {opened}.",
        "Import Order.Theory GRing.Theory Num.Theory.",
        "Local Open Scope ring_scope.",
        *([f"From orderproof Require {named}."] if named else []),
    )
    return "".join(f"{line}\n" for line in lines)


def naming(text: str) -> set[str]:
    """The files that name something by a word of a text; and that in which propositions are
    written."""
    words = re.findall(r"[A-Za-z_][\w']*", without_comments(text))
    return {SHALLOW}.union(*(_named().get(word, ()) for word in words))


@functools.cache
def _named() -> dict[str, set[str]]:
    """By each name the files of the development that give it."""
    found: dict[str, set[str]] = {}
    for file, text in read((*MATRICES, *REFUTATIONS)).items():
        for name in re.findall(NAMED, without_comments(text), re.M):
            found.setdefault(name, set()).add(file)
    return found
