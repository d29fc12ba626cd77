"""A theorem's LaTeX by itself, as `python -m orderproof.proofs.ID` prints it for a paper."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from orderproof.proofs import catalogue
from orderproof.proofs.book.latex import theorem
from orderproof.proofs.book.pdf import faults
from orderproof.proofs.prove.checking import check
from tests.proofs.judged import FIVE, loaded

needs_tex = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex")
PLAIN = r"\documentclass{article}\usepackage{amsmath,amssymb}\begin{document}" + "\n"


def typeset(text: str, folder: Path) -> list[str]:
    """What TeX complains of in a document of the standard class with nothing but amsmath."""
    (folder / "t.tex").write_text(PLAIN + text + "\n\\end{document}\n", encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-file-line-error", "t.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=120, check=False)
    log = (folder / "t.log").read_text(encoding="latin-1")
    return [*faults(log), *([f"status {done.returncode}"] if done.returncode else [])]


@needs_tex
@pytest.mark.parametrize("names", [FIVE, pytest.param(catalogue.IDS, marks=pytest.mark.slow)])
def test_every_theorem_is_typeset_by_itself(names: Sequence[str], tmp_path: Path) -> None:
    """A paper that takes a derivation over would not compile, or would print over its margin."""
    texts = []
    for name in names:
        found = loaded(name)
        bare = replace(found, claims=tuple(replace(c, marks={}) for c in found.claims))
        texts.append(str(theorem(check(bare))))
    assert typeset("\n\\clearpage\n".join(texts), tmp_path) == []


@needs_tex
def test_what_is_too_wide_or_wrong_is_noticed(tmp_path: Path) -> None:
    """The test above would pass whatever is printed."""
    assert typeset(r"\[" + "x + " * 90 + r"x \]", tmp_path) != []
    assert typeset(r"$\nothing$", tmp_path) != []
