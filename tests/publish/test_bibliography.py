"""BibTeX of a theorem: BibTeX itself takes it."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from orderproof import RELEASED
from orderproof.proofs import catalogue
from orderproof.publish.bibliography import bibtex

FEW = ("sum_act", "softmax_conjugate", "position_after_first_layer_contracts")
SWHID = "swh:1:dir:" + "0123456789" * 4


def entry(name: str) -> str:
    """The entry of a theorem, of a source tree that is known."""
    return bibtex(catalogue.load(name), date=RELEASED, source=SWHID)


def warnings(folder: Path, entries: Sequence[str], style: str) -> list[str]:
    """What BibTeX warns of, and the entries that it lost."""
    keys = [found[1] for e in entries if (found := re.match(r"@\w+\{([^,]+),", e))]
    aux = [rf"\citation{{{key}}}" for key in keys]
    (folder / "a.aux").write_text(
        "\n".join([r"\relax", *aux, r"\bibdata{a}", rf"\bibstyle{{{style}}}", ""]), "utf-8"
    )
    (folder / "a.bib").write_text("\n".join(entries), "utf-8")
    subprocess.run(("bibtex", "a"), cwd=folder, check=False, stdout=subprocess.DEVNULL)
    log = (folder / "a.blg").read_text("utf-8")
    bbl = (folder / "a.bbl").read_text("utf-8")
    lost = [key for key in keys if rf"\bibitem{{{key}}}" not in bbl and f"{{{key}}}" not in bbl]
    return re.findall(r"^Warning.*|^I .*|.*---line.*", log, re.MULTILINE) + lost


@pytest.mark.needs("bibtex")
@pytest.mark.parametrize(
    ("style", "names"),
    [("alpha", FEW), ("abbrv", FEW), pytest.param("plain", catalogue.IDS, marks=pytest.mark.slow)],
)
def test_bibtex_takes_it(style: str, names: Sequence[str], tmp_path: Path) -> None:
    """An author would have to mend the entry by hand."""
    assert warnings(tmp_path, [entry(name) for name in names], style) == []
    nobody = entry("sum_act").replace("  author = ", "  auhtor = ")
    assert any("author" in line for line in warnings(tmp_path, [nobody], style))
    unclosed = entry("sum_act").replace("}},", "},", 1)
    assert any("---line" in line for line in warnings(tmp_path, [unclosed], style))
