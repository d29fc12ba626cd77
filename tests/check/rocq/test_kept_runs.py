"""Files of a development are compiled once, and again where anything that they rest on changed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from orderproof.check.rocq.run import RocqError, compile_texts

TEXTS = {"A": "Check 1.\n", "B": "From orderproof Require Import A.\n", "C": "Check 2.\n"}
COQC = """#!/bin/sh
case "$1" in
  --version) echo "The Coq Proof Assistant, version $(cat "{0}/version")"; exit;;
  -where) echo "{0}"; exit;;
esac
for file; do :; done
echo "${{file%.v}}" >> "{0}/compiled"
grep -q wrong "$file" && exit 1
cp "$file" "${{file%.v}}.vo"
echo "checked $file"
"""


@pytest.fixture
def compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], list[str]]:
    """The files that a program in the place of coqc was called for, since the last call."""
    (tmp_path / "coqc").write_text(COQC.format(tmp_path))
    (tmp_path / "coqc").chmod(0o755)
    (tmp_path / "version").write_text("1.0.0")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    log = tmp_path / "compiled"

    def since(out: Path, **texts: str) -> list[str]:
        ran = compile_texts(out, TEXTS | texts)
        assert {name: r.said for name, r in ran.items()} == {n: f"checked {n}.v\n" for n in TEXTS}
        names = sorted(log.read_text().split()) if log.exists() else []
        log.unlink(missing_ok=True)
        return names

    return since


@pytest.mark.parametrize(
    ("changed", "again"),
    [
        ("nothing", []),
        ("what B says", ["B"]),
        ("what A says", ["A", "B"]),
        ("what was made of A", ["A"]),
        ("what was made of A is gone", ["A"]),
        ("a run that was cut off", ["A"]),
        ("a library", ["A", "B", "C"]),
        ("where libraries are", ["A", "B", "C"]),
    ],
)
def test_what_is_compiled_again(
    changed: str,
    again: list[str],
    compiled: Callable[..., list[str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Rocq's answer about another text, or by other libraries, would be taken for this one's."""
    out, texts = tmp_path / "out", {}
    assert compiled(out) == ["A", "B", "C"]
    match changed:
        case "what B says":
            texts = {"B": TEXTS["B"] + "Check 3.\n"}
        case "what A says":
            texts = {"A": "Check 3.\n"}
        case "what was made of A":
            (out / "A.vo").write_text("another")
        case "what was made of A is gone":
            (out / "A.vo").unlink()
        case "a run that was cut off":
            (out / "A.ran.json").rename(out / "A.ran.part")
        case "a library":
            library = tmp_path / "user-contrib/mathcomp/algebra/matrix.vo"
            library.parent.mkdir(parents=True)
            library.write_text("another")
        case "where libraries are":
            monkeypatch.setenv("COQPATH", "elsewhere")
    assert compiled(out, **texts) == again
    assert compiled(out, **texts) == []


def test_a_rejected_file_is_not_kept(compiled: Callable[..., list[str]], tmp_path: Path) -> None:
    """A file that Rocq rejects would pass by the run of its earlier text."""
    compiled(tmp_path / "out")
    for _ in range(2):
        with pytest.raises(RocqError, match=r"^A\.v: rejected by Rocq"):
            compiled(tmp_path / "out", A="wrong\n")
