"""The derivation of a user's model: printed from its terms and theorems, and nothing of a name is
a command of TeX.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from orderproof.check.page import Section, TheoremPage
from orderproof.publish import fragment, theorem_text
from orderproof.publish.decided import derivation
from orderproof.publish.decided.derivation import page_of
from orderproof.publish.pages.derivations import in_lines
from orderproof.symbolic.calculus import kernel
from tests.models.files import model_file
from tests.publish.decided.models import EVIL, EVIL_NODE, MODELS, decided, other
from tests.publish.test_fragment import CLASSES, typeset

ABOUT = "all sizes that the file leaves open, all inputs and all weights"


def page(report: Any, k: int = 0) -> TheoremPage:
    """The page of one result."""
    found = page_of(report, report.results[k], "stem")
    assert found is not None
    return found


def stated(p: TheoremPage) -> str:
    """What the theorem says."""
    (claim,) = p.claims
    return claim.statement.plain


def section(p: TheoremPage, title: str) -> Section:
    """The lines of one tensor."""
    (found,) = [s for s in p.sections if s.title == title]
    return found


def test_the_theorem_of_an_encoder(encoder: Any) -> None:
    """The statement would not be that of the kernel's theorem."""
    p = page(encoder)
    assert stated(p) == "y′[b, i, d] = y[b, σ(i), d]"
    assert [w.plain for w in p.where] == [
        "y′: as y, with x′ in place of x", "x′[b, i, d] = x[b, σ(i), d]"
    ]  # fmt: skip
    assert p.verdict == "proved"
    assert p.said == f"The theorem is about every permutation σ of axis 1 of x, {ABOUT}."
    assert "orderproof decide answers: equivariant, for all n." in p.remarks
    assert encoder.model in p.source


def test_a_theorem_about_something_else_proves_nothing(encoder: Any) -> None:
    """The verdict would be typed, not found: a theorem that was turned round would prove the
    same."""
    proof = encoder.results[0].proof
    turned = replace(proof, theorem=kernel.sym(proof.theorem))
    assert page(other(encoder, proof=turned)).verdict == "open"


def test_a_hypothesis_is_printed_and_used(causal: Any) -> None:
    """A theorem under a hypothesis would be printed without it, or the reader not told where the
    derivation needs it."""
    p = page(causal)
    assert stated(p) == "Cast[σ(i), σ(j)] = Cast[i, j]  ⇒  y′[b, i, d] = y[b, σ(i), d]"
    using = [s.title for s in p.sections if any("by hypothesis" in x.reason for x in s.lines)]
    assert using == ["/attention/Where_output_0"]
    assert "answers: not equivariant, at n = 2." in p.remarks
    assert p.said.endswith("hypothesis that σ leaves as it is: /attention/Cast_output_0.")
    text = theorem_text.plain(p)
    assert text.startswith("The output y of decoder_causal.onnx, axis 1 of x, under a hypothesis\n")
    assert "(stem: the implication is proved)" in text


@pytest.mark.parametrize(("file", "axis", "moved", "given"), [
    ("first_and_rest", "x:1", "the places of axis 1 of x after the first 1", ""),
    ("multihead_attention_one_size", "x:1", "the 4 places of axis 1 of x", " where n = 4"),
    ("asked_frames", "x:2", "the 2 places of axis 2 of x", ""),
])  # fmt: skip
def test_no_more_is_said_than_is_stated(file: str, axis: str, moved: str, given: str) -> None:
    """A theorem about a part of an axis would be said of all of it, one of a file that fixes a
    size of all sizes, or a group at 4 tokens of every number of them."""
    p = page(decided(model_file(f"{file}.onnx"), axis))
    assert f"every permutation σ of {moved}, {ABOUT.replace(',', f'{given},', 1)}" in p.said
    assert p.claims[0].scope == f"all sizes that the file leaves open{given}"
    if file == "first_and_rest":
        assert "for 6 of the permutations of 4 tokens (all tokens but the first)" in p.remarks


def test_the_permutation_is_a_letter_in_a_condition() -> None:
    """A sentence of ours would be escaped as if a model had named something so."""
    p = page(decided(model_file("tiled.onnx"), "x:1"))
    assert "axis 1 of the output has n + n places: σ moves those of tokens." in p.remarks
    assert r"$\sigma$ moves those of tokens" in fragment.theorem(p)


def test_what_moves_along_is_said(mask: Any) -> None:
    """The answer would promise more than the theorem: that a mask may stay where it is."""
    p = page(mask)
    assert "mask′[i, j] = mask[σ(i), σ(j)]" in [w.plain for w in p.where]
    assert "where mask:0 moves along" in p.remarks


def test_an_output_that_no_input_reaches_has_no_derivation() -> None:
    """A model with a constant output would have an empty derivation, or a traceback."""
    report = decided(model_file("constant_rows.onnx"), "x:1")
    assert page_of(report, report.results[0], "stem") is None


def test_each_section_says_how_its_tensor_moves(encoder: Any) -> None:
    """A line would say that σ passes where it does not, or on another axis: the scores move on both
    axes, the output on one, and a sum over tokens on that of its rows."""
    p = page(encoder)
    lines = {s.title: in_lines([s]) for s in p.sections}
    assert lines["val_75"][-1][0] == "= val_75[b, σ(i), σ(j)]"
    assert lines["y"][-1][0] == "= y[b, σ(i), d]"
    assert "sum_act" in [reason for _, reason in lines["scaled_dot_product_attention"]]
    assert list(lines)[-1] == "y"
    assert "+ 1e-05))" in lines["layer_norm"][0][0]  # a float by its shortest name


def test_large_parts_without_a_name_are_given_one(
    encoder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A part would be written out as often as it is used, and again in each of those: a formula of
    a deep model would never end."""
    whole = page(encoder)
    assert not [s for s in whole.sections if s.title.startswith("part ")]
    monkeypatch.setattr(derivation, "LARGE", 3)
    p = page(encoder)
    assert [s for s in p.sections if s.title.startswith("part ")]
    longest = [max(len(x.formula.plain) for s in q.sections for x in s.lines) for q in (whole, p)]
    assert longest[1] < 0.8 * longest[0]
    assert p.verdict == "proved" and stated(p) == stated(whole)


def test_a_long_model_is_cut_and_it_is_said(encoder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model of thousands of nodes would fill a book, or lose lines without a word."""
    whole = page(encoder)
    monkeypatch.setattr(derivation, "MOST", 5)
    p = page(encoder)
    assert len(p.sections) == 5 < len(whole.sections)
    assert f"Of {len(whole.sections)} tensors the first 5 have lines" in p.remarks
    assert "have lines" not in whole.remarks


def test_names_that_are_commands_are_letters(evil: Any) -> None:
    """TeX would read the file that a name of a node asks for, or a terminal a command."""
    p = page(evil)
    text = fragment.theorem(p)
    assert r"\input" not in text and "<script" not in text
    assert "Größe" not in "".join(s.lines[0].formula.latex for s in p.sections)
    assert EVIL_NODE not in text and r"a\b" not in text
    assert EVIL[0] in p.title


@pytest.mark.needs("pdflatex")
@pytest.mark.slow
@pytest.mark.parametrize("which", ["encoder", "causal", "mask", "evil"])
def test_the_fragment_compiles(which: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """TeX would stop at a derivation, or set a line that is too long for the page."""
    text = fragment.theorem(page(request.getfixturevalue(which)))
    assert typeset(tmp_path, CLASSES["article"], [text]) == []


@pytest.mark.needs("pdflatex")
@pytest.mark.slow
@pytest.mark.parametrize("file", ["conv_3_circular", "pool_first", "mask_padding", "gru", "detr"])
def test_answers_of_other_kinds_are_printed(file: str, tmp_path: Path) -> None:
    """A group, a part of an axis, a table or an operator that is not known would not be printed."""
    report = decided(MODELS / f"{file}.onnx", "x:1")
    pages = [p for r in report.results if (p := page_of(report, r, "stem")) is not None]
    assert all(theorem_text.plain(p) for p in pages)
    assert typeset(tmp_path, CLASSES["article"], [fragment.theorem(p) for p in pages[:1]]) == []
