"""The derivation of a user's model: printed from its terms and theorems, and nothing of a name is
markup.
"""

from __future__ import annotations

import html as entities
import re
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from markupsafe import escape

from orderproof.proofs.book.pdf import faults
from orderproof.proofs.decided import names
from orderproof.proofs.decided.about import About
from orderproof.proofs.decided.derivation import document
from orderproof.proofs.decided.files import Folder
from orderproof.proofs.decided.latex import Tex
from orderproof.proofs.decided.printing import Symbols
from orderproof.proofs.decided.text import Code, Display, Document, Math
from orderproof.proofs.prove import trust_decided
from tests.models.files import model_file
from tests.proofs.decided.models import EVIL, EVIL_NODE, MODELS, decided


def about(report: Any, k: int = 0) -> About:
    """What is printed of one result."""
    folder = Folder(report, Path())
    return About(report, report.results[k], Symbols(folder.short), folder.calls)


def section(d: Document, title: str) -> Any:
    """The section of that title."""
    (found,) = [s for s in d.sections if s.title == title]
    return found


def read(d: Document, latex: str) -> str:
    """A formula with its names."""
    return re.sub(r"\\text\{(0*\d+)\}", lambda m: d.names[int(m[1])], latex)


def displays(d: Document, title: str) -> list[str]:
    """The formulas on lines of their own."""
    return [read(d, b.latex) for b in section(d, title).blocks if isinstance(b, Display)]


def words(d: Document) -> str:
    """The answer in words."""
    return " ".join("".join(x.text if isinstance(x, Code) else str(x) for x in y) for y in d.answer)


def test_the_theorem_of_an_encoder(encoder: Any) -> None:
    """The statement would not be that of the kernel's theorem."""
    d = document(about(encoder))
    assert displays(d, "The theorem") == [
        r"y'_{bic} = y_{b\,\sigma(i)\,c}",
        r"x'_{bic} = x_{b\,\sigma(i)\,c}",
    ]
    assert "Equivariant: y follows σ along its axis 1" in words(d)


def test_the_theorem_prints_another_theorem_otherwise(encoder: Any) -> None:
    """The statement would be typed, not printed: a theorem that was turned round would look the
    same."""
    from orderproof.symbolic.calculus import kernel

    a = about(encoder)
    proof = a.result.proof
    a.result.proof = replace(proof, theorem=kernel.sym(proof.theorem))
    try:
        shown = displays(document(a), "The theorem")
    finally:
        a.result.proof = proof
    assert shown[0] != r"y'_{bic} = y_{b\,\sigma(i)\,c}"


def test_a_hypothesis_is_printed_and_used(causal: Any) -> None:
    """A theorem under a hypothesis would be printed without it, or the reader not told where the
    derivation needs it."""
    a = about(causal)
    d = document(a)
    first = displays(d, "The theorem")[0]
    assert re.fullmatch(r"(\S+)_\{\\sigma\(i\)\\,\\sigma\(j\)\} = (\S+)_\{ij\}", first)
    assert a.model is not None
    using = [r for r in a.model.rows() if "(H1)" in "".join(map(str, r.why))]
    assert [r.operator for r in using] == ["Where"]
    assert words(d).startswith("Not equivariant: at n = 2 there is an input")
    assert "Order enters at /attention/Cast_output_0, in the node /attention/Where." in words(d)


def test_what_moves_along_is_said(mask: Any) -> None:
    """The answer would promise more than the theorem: that a mask may stay where it is."""
    d = document(about(mask))
    assert "where axis 0 of mask and axis 1 of mask are permuted by σ too" in words(d)
    assert r"mask'_{ij} = mask_{\sigma(i)\,\sigma(j)}" in displays(d, "The theorem")


def test_an_output_that_no_input_reaches_is_said() -> None:
    """A model with a constant output would have no derivation, or a traceback."""
    report = decided(model_file("constant_rows.onnx"), "x:1")
    d = document(about(report))
    assert "No input is in the term" in str(section(d, "The theorem"))
    assert words(d).startswith("Invariant: y does not change")


def moved(row: Any) -> list[str]:
    """The letters of a line that σ moves."""
    return [x.latex[0] for x in row.motion if isinstance(x, Math)]


def test_each_line_says_how_its_tensor_moves(encoder: Any) -> None:
    """A line would say that σ passes where it does not, or on another axis: the scores move on both
    axes, the output on one, and a sum over tokens on that of its rows."""
    model = about(encoder).model
    assert model is not None
    rows = {r.name: r for r in model.rows()}
    assert rows["val_75"].operator == "MatMul"
    assert moved(rows["val_75"]) == ["i", "j"]
    assert moved(rows["y"]) == ["i"]
    summed = rows["scaled_dot_product_attention"]
    assert moved(summed) == ["i"]
    assert "a sum does not depend on the order" in summed.why[0]


def test_a_motion_that_no_theorem_says_is_not_printed(encoder: Any) -> None:
    """The lines would come from a guess: where the theorem about a part is one about another part,
    there must be no motion."""
    a = about(encoder)
    model = a.model
    assert model is not None
    rows = {model.named[n][0].names[0]: n for n in model.named}
    scores, out = rows["val_75"], rows["y"]
    parts = dict(model.parts)
    parts[scores] = parts[out]
    wrong = replace(model, parts=parts)
    (row,) = [r for r in wrong.rows() if r.name == "val_75"]
    assert row.motion == ("–",)


def test_a_long_model_is_cut_and_it_is_said(encoder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model of thousands of nodes would fill a book, or lose lines without a word."""
    from orderproof.proofs.decided import derivation, rows

    whole = document(about(encoder))
    monkeypatch.setattr(rows, "MOST", 5)
    monkeypatch.setattr(derivation, "MOST", 5)
    d = document(about(encoder))
    table = section(d, "The derivation").blocks[-1]
    full = section(whole, "The derivation").blocks[-1]
    assert len(table.rows) == 5 < len(full.rows)
    assert (f"The first 5 lines of {len(full.rows)}; the certificate has the whole derivation.",
            ) in section(d, "The derivation").blocks  # fmt: skip


def test_each_derivation_says_what_must_be_believed(encoder: Any) -> None:
    """A reader of the derivation would be asked to believe less than the trust page says."""
    d = document(about(encoder))
    table = section(d, trust_decided.TITLE).blocks[-1]
    assert [tuple(c[0] for c in row) for row in table.rows] == [
        (t.name, t.says, t.believe) for t in trust_decided.DECIDED
    ]


def page(report: Any) -> str:
    """The derivation as HTML."""
    pytest.importorskip("math_core", reason="orderproof[book]")
    from orderproof.proofs.decided.html import page

    return page(document(about(report)))


@pytest.mark.parametrize("which", ["encoder", "causal", "mask", "evil"])
def test_the_page_is_well_formed_and_runs_nothing(
    which: str, request: pytest.FixtureRequest
) -> None:
    """A browser would read a name as markup, run a script, or fetch from elsewhere."""
    text = page(request.getfixturevalue(which))
    bare = re.sub(r"<(meta|link|wbr|br)\b[^>]*>", "", text).replace("<!DOCTYPE html>", "")
    bare = re.sub(r"&(?!amp;|lt;|gt;|quot;|#)\w+;", "", bare)
    tree = ElementTree.fromstring(bare)
    tags = {e.tag for e in tree.iter()}
    assert not tags & {"script", "img", "iframe", "object", "b"}
    assert not any(k.startswith("on") for e in tree.iter() for k in e.attrib)
    links = re.findall(r'(?:href|src)="([^"]*)"', text)
    assert links == ["style.css"]


def test_names_that_are_markup_are_shown(evil: Any) -> None:
    """A name would be lost, or be read as markup."""
    text = page(evil)
    for name in (EVIL_NODE, *EVIL[:3]):
        assert str(escape(name)) in text.replace("<wbr>", "")
    assert "<script" not in text
    assert str(escape("<script>")) in text
    assert entities.unescape("&lt;") == "<"


def test_names_that_are_commands_are_letters(evil: Any) -> None:
    """TeX would read the file that a name of a node asks for."""
    text = Tex(document(about(evil))).page()
    body = text.partition(r"\begin{document}")[2]
    assert r"\input" not in body
    assert str(names.tex(EVIL_NODE)) in body


def compiled(text: str, folder: Path) -> list[str]:
    """What is wrong with an article, by TeX's log; it is compiled twice for its long tables."""
    (folder / "a.tex").write_text(text, encoding="utf-8")
    for _ in range(2):
        ran = subprocess.run(
            ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "a.tex"],
            cwd=folder, capture_output=True, timeout=300, check=False,
        )  # fmt: skip
    log = (folder / "a.log").read_text(encoding="utf-8", errors="replace")
    return faults(log) + ["stopped"] * bool(ran.returncode)


@pytest.mark.needs("pdflatex")
@pytest.mark.slow
@pytest.mark.parametrize("which", ["encoder", "causal", "mask", "evil"])
def test_the_article_compiles(which: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """TeX would stop at an article, or set a line that is too long for the page."""
    text = Tex(document(about(request.getfixturevalue(which)))).page()
    assert compiled(text, tmp_path) == []
    wide = text.replace(r"\end{document}", r"\mbox{\rule{2\linewidth}{1pt}}\par\end{document}")
    assert compiled(wide, tmp_path)
    assert "stopped" in compiled(
        text.replace(r"\end{document}", r"\unknown\end{document}"), tmp_path
    )


@pytest.mark.needs("pdflatex")
@pytest.mark.slow
@pytest.mark.parametrize("file", ["conv_3_circular", "pool_first", "mask_padding", "gru", "detr"])
def test_answers_of_other_kinds_compile(file: str, tmp_path: Path) -> None:
    """A group, a part of an axis, a table or an operator that is not known would not be printed."""
    report = decided(MODELS / f"{file}.onnx", "x:1")
    for k in range(len(report.results)):
        assert compiled(Tex(document(about(report, k))).page(), tmp_path) == []
        page(report)
