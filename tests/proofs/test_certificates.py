"""The certificates: all obligations of all smt marks and no others; what is recorded of them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from orderproof.proofs import statements
from orderproof.proofs.catalogue import IDS, load
from orderproof.proofs.certificates import Certified, certificates, manifest, questions, record
from orderproof.proofs.claims import TheoremFile
from orderproof.proofs.joined import Joined
from orderproof.symbolic.certificate import (
    MANIFEST,
    SERVES,
    header,
    lines_of,
    parse,
    read_manifest,
)
from orderproof.symbolic.evidence import weigh
from orderproof.symbolic.obligation import one_line
from orderproof.symbolic.statement_text import canonical

SMT = [name for name in IDS if any("smt" in c.marks for c in load(name).claims)]


def asked(theorem: TheoremFile) -> set[tuple[str, str, str]]:
    """What the smt marks of a theorem ask: formulas as text, with the claim, and the statement."""
    return {
        (o.solver().sexpr(), one_line(statements.stated(claim, theorem).plain), what.line())
        for claim in theorem.claims
        if isinstance(check := claim.marks.get("smt"), Certified)
        for what, questions in check.served(claim.statement).items()
        for o in questions
    }


def told(text: str) -> set[tuple[str, str]]:
    """What a certificate asks, with every claim and every statement that it says it serves."""
    body = text.partition("(set-logic ALL)\n")[2].removesuffix("(check-sat)\n")
    lines = lines_of(text, ("claim", SERVES))
    return {(body, line) for key in lines for line in lines[key]}


@pytest.mark.parametrize("name", SMT)
def test_certificates_are_the_questions_of_the_marks(name: str) -> None:
    """A mark would rest on a question that is not written, or a file on none."""
    theorem = load(name)
    files = certificates(theorem)
    expected = {(body, line) for body, *both in asked(theorem) for line in both}
    assert {pair for text in files.values() for pair in told(text)} == expected
    assert files.keys() == questions(theorem).keys()
    for file, text in files.items():
        assert told(text) and file.startswith(f"{name}_") and header(text)["theorem"] == name
        found = parse(text.encode(), file)
        assert found.says["expected"] == "unsat"
        assert found.about == questions(theorem)[file][1]
        assert found.modelled or not found.assumes


@pytest.mark.parametrize("name", SMT)
def test_a_chain_serves_the_claim_that_it_settles(name: str) -> None:
    """Certificates would carry another statement than their claim, and recheck prove that."""
    theorem = load(name)
    for claim in theorem.claims:
        check = claim.marks.get("smt")
        if check is None:
            continue
        assert isinstance(check, Certified)
        texts = {what.statement for what in check.served(claim.statement)}
        assert texts == {canonical(claim.statement)} or isinstance(check, Joined)
        assert texts


def test_a_theorem_without_smt_marks_has_no_certificate() -> None:
    """A file would serve nothing."""
    assert certificates(load("perm_transpose_mul")) == {}


def test_an_smt_mark_that_hides_its_questions_is_an_error() -> None:
    """A mark could be green with nothing written that another could check."""
    theorem = load("sum_act")
    hidden = replace(theorem.claims[0], marks={"smt": lambda claim: (True, "")})
    with pytest.raises(TypeError, match="does not tell its questions"):
        certificates(replace(theorem, claims=(hidden,)))


def test_every_reduction_has_an_smt_mark() -> None:
    """The lemma for max, min, product or mean would rest on the kernel's rule alone."""
    theorem = load("sum_act")
    assert len(theorem.claims) == 5 and all("smt" in c.marks for c in theorem.claims)
    assert len(questions(theorem)) == 35


def test_what_is_said_of_a_question_is_true_of_each_statement() -> None:
    """The goals for a sum and for a product are the same formulas by different laws: in one file
    the laws of one would be said to be those of the other."""
    found = questions(load("sum_act"))
    goals = [o for o, _ in found.values() if o.name == "goal"]
    same = [o for o in goals if o.solver().sexpr() == goals[0].solver().sexpr()]
    assert len({o.uses for o in same}) == len(same) > 1


def test_a_claim_is_not_settled_by_what_settles_another() -> None:
    """The questions for the maximum would settle the claim about the minimum."""
    first, second, third, *_ = load("sum_act").claims
    for one, other in ((first, second), (second, third), (third, second)):
        assert not weigh(other.statement, one.marks["smt"](one.statement)).settles


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
