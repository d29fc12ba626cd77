"""The rocq mark of a claim: when it is green, and why it is not; Rocq itself is not asked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from orderproof.proofs import catalogue, rocq_certificate, rocq_mark
from orderproof.proofs.checking import run, verdict
from orderproof.proofs.claims import Claim, TheoremFile
from orderproof.proofs.pages import Mark
from orderproof.proofs.rocq_certificate import Checked
from orderproof.proofs.vocabulary import sigma
from orderproof.symbolic.language import moved, number

THEOREM = catalogue.load("self_attention_equivariant")
(CLAIM,) = THEOREM.claims
CLOSED = {"self_attention_equivariant": rocq_certificate.CLOSED}


@pytest.fixture(autouse=True)
def accepting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rocq accepts every file."""
    said = Checked(True, 0.1, rocq_certificate.CLOSED)
    monkeypatch.setattr(rocq_certificate, "check_file", lambda path, folder: said)


def answer(
    folder: Path, claim: Claim, theorem: TheoremFile = THEOREM, **library: Any
) -> tuple[bool | None, str]:
    """What the mark says of a claim in the place of a theorem's own."""
    rocq = rocq_mark.Rocq(
        folder, library.get("assumptions", CLOSED), library.get("wrong", ()), 1.0, "8.16.1"
    )
    ask = rocq_mark.by_rocq(rocq, replace(theorem, claims=(claim,)))
    mark = run(ask, "rocq", claim)
    return mark.ok, mark.detail


def test_the_claim_itself(tmp_path: Path) -> None:
    """What Rocq accepted would not be green, or the mark would not say what it rests on."""
    ok, detail = answer(tmp_path, CLAIM)
    assert ok and "self_attention_equivariant: Closed" in detail
    assert "certificate self_attention_equivariant_1.v accepted" in detail
    assert (tmp_path / "self_attention_equivariant_1.v").exists()


@pytest.mark.parametrize("named", [True, False])
def test_another_claim(tmp_path: Path, named: bool) -> None:
    """A falsehood would be green by the name of a theorem, or by the certificate of another."""
    name = CLAIM.rocq if named else ""
    for change in ({"rhs": CLAIM.push[0]}, {"rhs": moved(CLAIM.rhs, i=sigma)}):  # type: ignore[index]
        changed = replace(CLAIM, rocq=name, **change)
        ok, detail = answer(tmp_path, changed)
        assert ok is False and ("recorded" if named else "another statement") in detail
    sums = catalogue.load("softmax_conjugate").claims[1]
    assert sums.rocq and sums.push is None
    assert answer(tmp_path, replace(sums, rhs=number(7)))[0] is False


def test_a_library_that_is_not_as_recorded(tmp_path: Path) -> None:
    """A headline that changed, or is missing, would count."""
    assert answer(tmp_path, CLAIM, wrong=("sum_act: not as recorded",))[0] is False
    assert answer(tmp_path, CLAIM, assumptions={})[0] is False


def test_rocq_rejects_or_has_no_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rejected certificate would pass, or one that was not checked would."""
    for ok in (False, None):
        said = Checked(ok, 0.1, "no")
        monkeypatch.setattr(rocq_certificate, "check_file", lambda path, folder, s=said: s)
        found, detail = answer(tmp_path, CLAIM)
        assert found is ok and "self_attention_equivariant_1.v: no" in detail
        mark = Mark("rocq", found, 0.1, detail)
        assert verdict("equality", [mark], "proved") == "open"


def test_nothing_to_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A claim with neither theorem nor certificate would be green, or one whose certificate could
    not be written would be green by the theorem alone."""
    assert answer(tmp_path, replace(CLAIM, rocq="", push=None))[0] is None

    def none(*_: object) -> str:
        raise rocq_certificate.NoCertificate("stuck at E")

    monkeypatch.setattr(rocq_certificate, "certificate", none)
    ok, detail = answer(tmp_path, CLAIM)
    assert ok is None and "stuck at E" in detail and "not a disproof" in detail
