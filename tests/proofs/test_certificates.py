"""The certificates: all obligations of all smt marks and no others; what is recorded of them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from orderproof.proofs import statements
from orderproof.proofs.catalogue import IDS, load
from orderproof.proofs.certificates import certificates, manifest, record
from orderproof.proofs.claims import TheoremFile
from orderproof.proofs.marks import BySmt
from orderproof.symbolic.certificate import MANIFEST, header, parse, read_manifest


def asked(theorem: TheoremFile) -> set[tuple[str, str]]:
    """What the smt marks of a theorem ask: formulas as text, with the claim."""
    return {
        (o.solver().sexpr(), statements.stated(claim, theorem).plain)
        for claim in theorem.claims
        for name, check in claim.marks.items()
        if name == "smt" and isinstance(check, BySmt)
        for o in check.obligations(claim)
    }


def told(text: str) -> set[tuple[str, str]]:
    """What a certificate asks, with every claim that it says it serves."""
    body = text.partition("(set-logic ALL)\n")[2].removesuffix("(check-sat)\n")
    lines = [line for line in text.splitlines() if line.startswith("; serves: ")]
    return {(body, line.removeprefix("; serves: ")) for line in lines}


@pytest.mark.parametrize("name", IDS)
def test_certificates_are_the_obligations_of_the_marks(name: str) -> None:
    """A mark would rest on an obligation that is not written, or a file on none."""
    theorem = load(name)
    files = certificates(theorem)
    assert {pair for text in files.values() for pair in told(text)} == asked(theorem)
    assert all(told(text) for text in files.values())
    assert bool(files) == any("smt" in c.marks for c in theorem.claims)
    for file, text in files.items():
        assert file.startswith(f"{name}_") and header(text)["theorem"] == name
        assert parse(text.encode(), file).says["expected"] == "unsat"


def test_an_smt_mark_that_hides_its_obligations_is_an_error() -> None:
    """A mark could be green with nothing written that another could check."""
    theorem = load("sum_act")
    hidden = replace(theorem.claims[0], marks={"smt": lambda claim: (True, "")})
    with pytest.raises(TypeError, match="does not tell its obligations"):
        certificates(replace(theorem, claims=(hidden,)))


def test_every_reduction_has_an_smt_mark() -> None:
    """The lemma for max, min, product or mean would rest on the kernel's rule alone."""
    theorem = load("sum_act")
    assert len(theorem.claims) == 5 and all("smt" in c.marks for c in theorem.claims)
    assert len(certificates(theorem)) == 24


def test_a_claim_is_not_settled_by_another_accounts_obligations() -> None:
    """The obligations for the maximum would settle the claim about the minimum."""
    first, second, third, *_ = load("sum_act").claims
    for check, claim in ((first, second), (second, third), (third, second)):
        assert check.marks["smt"](claim)[0] is False


def test_record(tmp_path: Path) -> None:
    """The manifest would miss a file, keep one that is gone, or drop those of other theorems."""
    old = {"certificates/a.smt2": "; theorem: one\n", "certificates/b.smt2": "; theorem: two\n"}
    for name, text in old.items():
        (tmp_path / Path(name).name).write_text(text, "utf-8")
    record(tmp_path, old, ["one", "two"])
    kept = read_manifest(tmp_path)
    assert kept is not None and kept.keys() == {"a.smt2", "b.smt2"}
    digest = hashlib.sha256(b"; theorem: one\n").hexdigest()
    assert (
        kept["a.smt2"]
        == {"sha256": digest, "theorem": "one"}
        == manifest({"a.smt2": "; theorem: one\n"})["a.smt2"]
    )
    (tmp_path / "mine.smt2").write_text("mine", "utf-8")
    record(tmp_path, {"certificates/c.smt2": "; theorem: one\n"}, ["one"])
    again = read_manifest(tmp_path)
    assert again is not None and again.keys() == {"b.smt2", "c.smt2"}
    left = sorted(p.name for p in tmp_path.iterdir())
    assert left == [MANIFEST, "b.smt2", "mine.smt2"]  # a.smt2 was of an earlier run: removed
    (tmp_path / MANIFEST).write_text("no json", "utf-8")
    record(tmp_path, {}, ["three"])
    assert (tmp_path / MANIFEST).read_text("utf-8") == "no json"
    record(tmp_path, old, ["one", "two"])
    assert json.loads((tmp_path / MANIFEST).read_text("utf-8")).keys() == {"a.smt2", "b.smt2"}
