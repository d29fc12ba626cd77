"""The derivation of a user's model: printed from its terms and theorems, and nothing of a name is
a command of TeX.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from orderproof.check.page import TheoremPage
from orderproof.publish import fragment
from orderproof.publish.decided import derivation
from orderproof.publish.decided.derivation import page_of
from orderproof.publish.latex_text import words
from orderproof.publish.theorem import as_text
from orderproof.symbolic.calculus import kernel
from orderproof.symbolic.readings.notation import Latex
from tests.publish.decided.models import decided, evil, other
from tests.publish.test_fragment import CLASSES, typeset

ABOUT = "all sizes that the file leaves open, all inputs and all weights"
CAST = "/attention/Cast_output_0"
PRINTED = {
    "a theorem, and how each tensor moves": ("encoder_post_norm", "x:1", f"""
        (stem: proved)
        about every permutation σ of axis 1 of x, {ABOUT}.
        orderproof decide answers: equivariant for all n.
        y′: as y, with x′ in place of x x′[b, i, d] = x[b, σ(i), d]
        proved: y′[b, i, d] = y[b, σ(i), d]
        = val_75[b, σ(i), σ(j)] by definition
        select_2[j, b, d] sum_act
        + 1e-05))
        = y[b, σ(i), d] by definition ∎"""),
    "a hypothesis, printed and used": ("decoder_causal", "x:1", f"""
        The output y of decoder_causal.onnx, axis 1 of x, under a hypothesis
        (stem: the implication is proved)
        under the hypothesis that σ leaves as it is: {CAST}. Remark
        answers: not equivariant at n = 2.
        proved: Cast[σ(i), σ(j)] = Cast[i, j] ⇒ y′[b, i, d] = y[b, σ(i), d]
        attention.Div′[b, d, i, j] = attention.Div[b, d, σ(i), σ(j)]; by hypothesis"""),
    "a table that stays": ("running_mean", "x:1", """
        y′: as y, with x′ in place of x
        in.node_cumsum′[i, j] = in.node_cumsum[σ(i), σ(j)]
        in.node_cumsum′ = in.node_cumsum, unsqueeze′ = unsqueeze ⇒ y′[b, i, d] = y[b, σ(i), d]"""),
    "what moves along": ("mask_added", "x:1", """
        mask′[i, j] = mask[σ(i), σ(j)]
        answers: equivariant for all n if mask:0 moves along and mask:1 moves along."""),
    "a group, a part of an axis": ("first_and_rest", "x:1", f"""
        every permutation σ of the places of axis 1 of x after the first 1, {ABOUT}
        invariant under some permutations for all n, 6 of those of 4 tokens (all tokens but the
        proved: y′ = y (all sizes that the file leaves open)"""),
    "a size that is fixed": ("multihead_attention_one_size", "x:1", """
        of the 4 places of axis 1 of x, all sizes that the file leaves open where n = 4, all
        y[b, σ(i), d] (all sizes that the file leaves open where n = 4)"""),
    "sizes up to a bound": ("positions_equal_rows", "x:1", """
        axis 1 of x, all sizes that the file leaves open where n <= 8, all inputs"""),
    "an axis of another size": ("asked_frames", "x:2", f"""
        every permutation σ of the 2 places of axis 2 of x, {ABOUT}"""),
    "σ in a condition": ("tiled", "x:1", """
        axis 1 of the output has n + n places: σ moves those of tokens."""),
}  # fmt: skip


def page(report: Any, k: int = 0) -> TheoremPage:
    """The page of one result."""
    found = page_of(report, report.results[k], "stem")
    assert found is not None
    return found


@pytest.mark.parametrize(("name", "axis", "lines"), PRINTED.values(), ids=PRINTED)
def test_what_is_printed(name: str, axis: str, lines: str) -> None:
    """More would be said than is proved, as a theorem without its hypothesis, or about all of an
    axis; or a reader not be told what is permuted, and where the derivation needs what."""
    printed = " ".join(as_text(page(decided(name, axis))).split())
    assert [x for x in lines.strip().splitlines() if x.strip() not in printed] == [], printed


def test_a_theorem_about_something_else_proves_nothing() -> None:
    """The verdict would be typed, not found: a theorem that was turned round would prove the
    same."""
    report = decided("encoder_post_norm")
    proof = report.results[0].proof
    turned = replace(proof, theorem=kernel.sym(proof.theorem))
    assert page(other(report, proof=turned)).verdict == "open"


def test_a_large_model_is_printed_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A part without a name would be written out as often as it is used, and again in each of
    those: a formula of a deep model would never end. One of thousands of nodes would fill a book,
    or lose lines without a word."""
    report = decided("encoder_post_norm")
    whole = page(report)
    monkeypatch.setattr(derivation, "LARGE", 3)
    parted = page(report)
    named = [[s for s in p.sections if s.title.startswith("part ")] for p in (whole, parted)]
    longest, shorter = (
        max(len(x.formula.plain) for s in p.sections for x in s.lines) for p in (whole, parted)
    )
    assert not named[0] and named[1] and shorter < 0.8 * longest
    assert parted.verdict == "proved" and parted.claims[0].statement == whole.claims[0].statement
    monkeypatch.setattr(derivation, "MOST", 5)
    cut = page(report)
    assert len(cut.sections) == 5 and "have lines" not in whole.remarks
    assert f"Of {len(parted.sections)} tensors the first 5 have lines" in cut.remarks


# ----------------------------------------------------------------------------- names of a model
def test_names_that_are_commands_are_letters(tmp_path: Path) -> None:
    """TeX would read the file that a name of a node asks for, or a terminal a command."""
    p = page(evil(tmp_path))
    text = fragment.theorem(p)
    assert r"\input" not in text and "<script" not in text and r"a\b" not in text
    assert "Größe" not in "".join(s.lines[0].formula.latex for s in p.sections)
    assert "<script>" in p.title and all("<" not in w.plain for w in p.where)


@pytest.mark.parametrize("name", [
    "x", "..", "/", "", "../../etc/passwd", "x" * 5000, "重み", "é", "con\0", "a b", "σ", "x\n",
    "\u202egnp.exe", r"\write18{ls}", "$(ls)", "~", "a_{%}", "sigma", "12", "/3/4",
])  # fmt: skip
def test_a_name_is_letters(name: str) -> None:
    """TeX would have no letter for a name, or run it, or take it for the permutation; or a name
    would turn the direction of a line, or be read as a number."""
    assert len(derivation.cut(name)) <= 100 and derivation.cut(name).isprintable()
    words(derivation.cut(name).replace("_", " "))
    (symbol,) = derivation.symbols([name]).values()
    assert re.fullmatch(r"[A-Za-z][A-Za-z0-9_.]*", symbol) and symbol != "sigma"
    printed = Latex().symbol(symbol)
    assert printed.count("{") == printed.count("}")
    assert not set("%#&~$") & set(printed + Latex().function(symbol))
    assert not re.search(r"\\(?!mathrm|operatorname|sigma|_)", printed)


def test_symbols_differ() -> None:
    """Two tensors of a formula would look like one."""
    every = ["/a/Add_output_0", "/b/Add_output_0", "/Add_output_0", "Add", "y", "é" * 60, "sigma",
             "é" * 60 + "z", "/c/Mul_output_0", "Mul_output_0", "a<b", "a>b", "/", ""]  # fmt: skip
    found = derivation.symbols(every)
    assert len(set(found.values())) == len(every)
    assert all(len(x) <= derivation.IN_FORMULA + 2 for x in found.values())
    assert found["/a/Add_output_0"] == "a.Add" and found["y"] == "y"


# ------------------------------------------------------------------------------------------ TeX
@pytest.mark.needs("pdflatex")
@pytest.mark.slow
@pytest.mark.parametrize("name", [
    "encoder_post_norm", "decoder_causal", "mask_added", "evil",
    "conv_3_circular", "pool_first", "mask_padding", "detr",  # answers of other kinds
])  # fmt: skip
def test_the_fragment_compiles(name: str, tmp_path: Path) -> None:
    """TeX would stop at a derivation, or set a line that is too long for the page; or a group, a
    part of an axis, a table or an operator that is not known not be printed."""
    report = evil(tmp_path) if name == "evil" else decided(name)
    pages = [p for r in report.results if (p := page_of(report, r, "stem")) is not None]
    assert pages and all(as_text(p) for p in pages)
    assert typeset(tmp_path, CLASSES["article"], [fragment.theorem(p) for p in pages[:1]]) == []
