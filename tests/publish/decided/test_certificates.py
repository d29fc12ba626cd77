"""The certificate of a theorem about a model: Rocq proves it, or it is said that there is none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from orderproof.check.rocq.certificate import NoCertificate, check_file
from orderproof.check.rocq.library import Library
from orderproof.publish.decided import certificates, files
from orderproof.publish.decided.certificates import text_of
from tests.publish.decided.models import MODELS, decided, other


@pytest.fixture(scope="module")
def calculus(library: Library) -> Path:
    """The compiled development, of which certificates need a part."""
    return library.folder


def verdict(text: str, calculus: Path, tmp_path: Path) -> Any:
    """What Rocq says of a certificate."""
    path = tmp_path / "claim.v"
    path.write_text(text, encoding="utf-8")
    return check_file(path, calculus)


@pytest.mark.slow
@pytest.mark.parametrize("file", ["encoder_post_norm", "decoder_causal", "mask_added"])
def test_rocq_accepts_the_certificate_of_a_model(file: str, calculus: Path, tmp_path: Path) -> None:
    """What the kernel proved of a file of ONNX, hypotheses about constants among it,
    would not be proved for one who believes Rocq alone; or a false certificate would be accepted:
    another motion of the output, an input that is not moved, a hypothesis left out."""
    report = decided(MODELS / f"{file}.onnx", "x:1")
    text = text_of(report.results[0], "model")
    assert "Theorem decided_model " in text
    assert verdict(text, calculus, tmp_path).ok
    start = text.index("motion_ : moves := ")
    motion = text[start : text.index("\n", start)]
    stays = motion.replace("Some", "None; Some", 1)
    if "Some" not in motion:
        stays = motion.replace("[::", "[:: None;", 1)
    assert stays != motion
    assert not verdict(text.replace(motion, stays), calculus, tmp_path).ok
    start = text.index("moved : leaf_moves := ")
    moves = text[start : text.index("\n", start)]
    unmoved = text.replace(moves, "moved : leaf_moves := [::].")
    assert not verdict(unmoved, calculus, tmp_path).ok
    if report.results[0].proof.hypotheses:
        start = text.index("fixed : leaf_moves := ")
        fixed = text[start : text.index("\n", start)]
        free = text.replace(fixed, "fixed : leaf_moves := [::].")
        assert free != text
        assert not verdict(free, calculus, tmp_path).ok


def test_a_name_that_rocq_cannot_read_is_said(encoder: Any, tmp_path: Path) -> None:
    """A broken file would be written, or a name be changed so that the theorem is about another
    term."""
    from orderproof.symbolic.calculus.terms import Op, build
    from orderproof.symbolic.derive.push import push
    from orderproof.symbolic.models.builders import leaf_of

    result = encoder.results[0]
    x = next(op for op, leaf in result.reading.realised.leaves.items() if leaf.role == "input")
    odd = build(Op("leaf", ("x\n*)", x.data[1])), names=range(len(x.data[1])))
    pushed = push(odd, {leaf_of(odd): result.proof.pushed.moves[x]})
    whole = dict(result.proof.__dict__) | {"pushed": pushed, "theorem": pushed.theorem}
    proof = type(result.proof)(**whole)
    result = other(encoder, proof=proof).results[0]
    terms = result.reading.realised.terms
    value = result.reading.value(result.output)
    terms[value], kept = odd, terms[value]
    try:
        with pytest.raises(NoCertificate, match="expected one that is printable"):
            text_of(result, "model")
    finally:
        terms[value] = kept


def test_a_hypothesis_about_rows_is_said() -> None:
    """A file would be written that does not prove what the report says."""
    report = decided(MODELS / "decoder_causal_last_1.onnx", "x:1")
    with pytest.raises(NoCertificate, match="is about rows of a constant"):
        text_of(report.results[0], "model")


def test_a_push_of_another_term_is_no_certificate(encoder: Any, mask: Any) -> None:
    """The certificate would be about another term than that of the model."""
    wrong = other(encoder, proof=mask.results[0].proof)
    with pytest.raises(NoCertificate, match="not of the output's term"):
        text_of(wrong.results[0], "model")


def test_where_there_is_none_the_report_says_why(
    encoder: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader would look for a certificate in vain."""
    monkeypatch.setattr(certificates, "LARGEST", 3)
    report = files.write(encoder, tmp_path)
    (piece,) = [e for e in report.results[0].evidence if e.kind == "rocq"]
    assert piece.file is None
    assert piece.detail.startswith("not written: no certificate: given a term of ")
    assert not (tmp_path / "rocq").exists()


def test_the_name_of_the_theorem_is_one() -> None:
    """Rocq would reject the name of a file, or it would be that of a command."""
    assert certificates.theorem_name("a-b.c π_1") == "decided_a_b_c___1"
