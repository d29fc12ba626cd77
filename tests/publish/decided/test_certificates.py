"""The certificate of a theorem about a model: Rocq proves it, or it is said that there is none."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from orderproof.check.rocq.certificate import NoCertificate, check_file
from orderproof.check.rocq.library import Library
from orderproof.publish.decided import files
from orderproof.publish.decided.files import certificate_of
from tests.publish.decided.models import decided, other


@pytest.mark.slow
@pytest.mark.parametrize("name", ["encoder_post_norm", "decoder_causal", "mask_added"])
def test_rocq_accepts_the_certificate_of_a_model(
    name: str, library: Library, tmp_path: Path
) -> None:
    """What the kernel proved of a file of ONNX, hypotheses about constants among it, would not be
    proved for one who believes Rocq alone; or a false certificate would be accepted: another motion
    of the output, an input that is not moved, a hypothesis left out."""
    (result,) = decided(name).results
    text = certificate_of(result, "model")
    assert "Theorem decided_model " in text
    unmoved = r"(?<=moved : leaf_moves := ).*"
    free = r"(?<=fixed : leaf_moves := ).*"
    false = [
        re.sub(r"(?<=motion_ : moves := \[::)", " None;", text),
        re.sub(unmoved, "[::].", text),
        *([re.sub(free, "[::].", text)] if result.proof.hypotheses else []),
    ]
    for k, each in enumerate((text, *false)):
        assert k == 0 or each != text
        path = tmp_path / "claim.v"
        path.write_text(each, encoding="utf-8")
        assert check_file(path, library.folder).ok is (k == 0)


def unprintable() -> tuple[Any, Any]:
    """A result about an input with a name that no string of Rocq holds, and the term of that."""
    from orderproof.symbolic.calculus.terms import Op, build
    from orderproof.symbolic.derive.push import push
    from orderproof.symbolic.models.builders import leaf_of

    (result,) = decided("encoder_post_norm").results
    x = next(op for op, leaf in result.reading.realised.leaves.items() if leaf.role == "input")
    odd = build(Op("leaf", ("x\n*)", x.data[1])), names=range(len(x.data[1])))
    pushed = push(odd, {leaf_of(odd): result.proof.pushed.moves[x]})
    return replace(result, proof=replace(result.proof, pushed=pushed, theorem=pushed.theorem)), odd


def test_a_name_that_rocq_cannot_read_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """A broken file would be written, or a name be changed so that the theorem is about another
    term."""
    result, odd = unprintable()
    monkeypatch.setattr(files, "term_of", lambda _: odd)
    with pytest.raises(NoCertificate, match="expected one that is printable"):
        certificate_of(result, "model")


def test_what_rocq_would_not_prove_is_no_certificate() -> None:
    """A file would be written that does not prove what the report says: it leaves rows of a
    constant as they are, or is about another term than that of the model."""
    (rows,) = decided("decoder_causal_last_1").results
    with pytest.raises(NoCertificate, match="is about rows of a constant"):
        certificate_of(rows, "model")
    wrong = other(decided("encoder_post_norm"), proof=decided("mask_added").results[0].proof)
    with pytest.raises(NoCertificate, match="not of the output's term"):
        certificate_of(wrong.results[0], "model")


def test_where_there_is_none_the_report_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader would look for a certificate in vain."""
    monkeypatch.setattr(files, "LARGEST_TERM", 3)
    report = files.write(decided("encoder_post_norm"), tmp_path)
    (piece,) = [e for e in report.results[0].evidence if e.kind == "rocq"]
    assert piece.file is None
    assert piece.detail.startswith("not written: no certificate: given a term of ")
    assert not (tmp_path / "rocq").exists()


def test_the_name_of_the_theorem_is_one() -> None:
    """Rocq would reject the name of a file, or it would be that of a command."""
    (result,) = decided("mask_added").results
    assert "\nTheorem decided_a_b_c___1 (M" in certificate_of(result, "a-b.c π_1")
