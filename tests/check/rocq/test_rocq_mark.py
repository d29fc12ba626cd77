"""The rocq mark of a claim: when it is green, and why it is not; Rocq itself is not asked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from orderproof.check.claims import Claim, TheoremFile
from orderproof.check.page import Mark
from orderproof.check.prove.checking import run, verdict
from orderproof.check.rocq import certificate as rocq_certificate
from orderproof.check.rocq import mark as rocq_mark
from orderproof.check.rocq.certificate import Checked
from orderproof.proofs import catalogue
from orderproof.proofs.symbols import sigma
from orderproof.symbolic.models.builders import moved, number

PUSHED = catalogue.load("self_attention_equivariant")
BY_HAND = catalogue.load("sum_act")


@pytest.fixture(autouse=True)
def accepting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rocq accepts every file."""
    said = Checked(True, 0.1, rocq_certificate.CLOSED)
    monkeypatch.setattr(rocq_certificate, "check_file", lambda path, folder: said)


def answer(folder: Path, theorem: TheoremFile, claim: Claim, **library: Any) -> Mark:
    """What the mark that was made for a theorem's first claim says of a claim."""
    rocq = rocq_mark.Rocq(folder, library.get("wrong", ()), 1.0, "8.16.1")
    return run(rocq_mark.by_rocq(rocq, theorem).checks[1], "rocq", claim)


@pytest.mark.parametrize("theorem", [PUSHED, BY_HAND])
def test_the_claim_itself(theorem: TheoremFile, tmp_path: Path) -> None:
    """What Rocq accepted would not be green, or the mark would not say what it rests on."""
    mark = answer(tmp_path, theorem, theorem.claims[0])
    assert mark.ok and mark.settles
    assert f"{theorem.id}_1.v accepted: Closed under the global context" in mark.detail
    assert (tmp_path / f"{theorem.id}_1.v").exists()


def test_a_certificate_for_another_claim(tmp_path: Path) -> None:
    """A falsehood would be green by the certificate of another."""
    (claim,) = PUSHED.claims
    assert claim.push is not None
    for rhs in (claim.push[0], moved(claim.rhs, i=sigma)):
        mark = answer(tmp_path, PUSHED, claim.stating(rhs=rhs))
        assert mark.ok is False and "it says something else" in mark.detail


def test_a_proof_by_hand_is_asked_anew(tmp_path: Path) -> None:
    """A claim that changed would be green by what Rocq said of it before."""
    claim = BY_HAND.claims[0]
    answer(tmp_path, BY_HAND, claim)
    before = (tmp_path / "sum_act_1.v").read_text()
    answer(tmp_path, BY_HAND, claim.stating(rhs=number(7)))
    after = (tmp_path / "sum_act_1.v").read_text()
    assert "= 7%:R :> R." in after and "7%:R" not in before


@pytest.mark.parametrize("theorem", [PUSHED, BY_HAND])
def test_a_library_that_is_not_as_recorded(theorem: TheoremFile, tmp_path: Path) -> None:
    """A definition that changed would count."""
    wrong = ("sum_act: not as in statements.json",)
    assert answer(tmp_path, theorem, theorem.claims[0], wrong=wrong).ok is False


@pytest.mark.parametrize("theorem", [PUSHED, BY_HAND])
def test_rocq_rejects_or_has_no_time(
    theorem: TheoremFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rejected file would pass, or one that was not checked would."""
    for ok in (False, None):
        said = Checked(ok, 0.1, "no")
        monkeypatch.setattr(rocq_certificate, "check_file", lambda path, folder, s=said: s)
        mark = answer(tmp_path, theorem, theorem.claims[0])
        assert mark.ok is ok and f"{theorem.id}_1.v: no" in mark.detail
        assert not mark.settles and verdict([mark], True) == "open"


def test_nothing_to_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A claim with neither proof nor certificate would be asked about, or one whose certificate
    could not be written would be green."""
    rocq = rocq_mark.Rocq(tmp_path, (), 1.0, "")
    bare = replace(PUSHED, claims=(replace(PUSHED.claims[0], rocq="", push=None),))
    assert rocq_mark.by_rocq(rocq, bare) == rocq_mark.ByRocq({}, {})

    def none(*_: object) -> str:
        raise rocq_certificate.NoCertificate("stuck at E")

    monkeypatch.setattr(rocq_certificate, "certificate", none)
    mark = answer(tmp_path, PUSHED, PUSHED.claims[0])
    assert mark.ok is None and "stuck at E" in mark.detail and "not a disproof" in mark.detail
    assert rocq_mark.files(PUSHED) == {}
