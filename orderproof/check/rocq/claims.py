"""The claims whose proof in Rocq is written by hand: the proposition is generated, never typed.

`rocq/by_hand/<theorem>.v` holds, below `(* claim 1 *)`, the tactics that prove the first claim of
that theorem. The proposition above them is written anew each time from the statement that is asked
about, so that a script proves what that statement says, or fails.
"""

from __future__ import annotations

import re
from pathlib import Path

from orderproof.symbolic.readings.rocq_statement import proposition
from orderproof.symbolic.statements.statement import Statement

from .library import REFUTATIONS, SHALLOW, SOURCES, unproved
from .mutants import IMPORTS
from .run import RocqError

SCRIPTS = SOURCES / "by_hand"
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
    bare = re.sub(r"\(\*.*?\*\)", " ", script, flags=re.S)
    if '"' in bare or "(*" in bare:
        return "a string or an open comment"
    starts = re.findall(r"(?:\A|\.\s|[{}]|^\s*[-+*]+)\s*(#\[|[A-Z]\w*)", bare, flags=re.M)
    return next(iter([*unproved(bare), *starts]), "")


def file_of(s: Statement, name: str, script: str, words: str = "") -> str:
    """The file in which Rocq checks a statement: its proposition, and the tactics."""
    comment = words.replace("(*", "( *").replace("*)", "* )").replace('"', "'")
    return f"""(* {name}{": " if words else ""}{comment} *)
Set Warnings "-notation-overridden".
{IMPORTS}From orderproof Require Import {SHALLOW}.
From orderproof Require {" ".join(REFUTATIONS)}.

Theorem {name} :
{proposition(s)}.
Proof.
{script.strip()}
Qed.
Print Assumptions {name}.
"""
