"""The certificates: all obligations of all smt marks and no others; what is recorded of them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest

from orderproof.check.claims import TheoremFile
from orderproof.check.prove.certificates import Certified, certificates, questions
from orderproof.check.prove.manifest import manifest, record
from orderproof.proofs.catalogue import IDS, load
from orderproof.publish.pages.statements import stated
from orderproof.symbolic.smt.certificate import (
    MANIFEST,
    SERVES,
    header,
    lines_of,
    parse,
    read_manifest,
)
from orderproof.symbolic.smt.chain import ByChain
from orderproof.symbolic.smt.obligation import one_line
from orderproof.symbolic.statements.evidence import weigh
from orderproof.symbolic.statements.text import digest
from tests.judged import answering, claiming, loaded


def asked(theorem: TheoremFile) -> set[tuple[str, str]]:
    """What the smt marks of a theorem ask: formulas as text, with the digest of what they serve,
    and with the claim."""
    return {
        (o.text, said)
        for claim in theorem.claims
        if isinstance(check := claim.marks.get("smt"), Certified)
        for what, questions in check.served(claim.statement).items()
        for o in questions
        for said in (what.digest, one_line(stated(claim, theorem).plain))
    }


def told(text: str) -> set[tuple[str, str]]:
    """What a certificate asks, with every claim and the digest of what it says it serves."""
    body = text.partition("(set-logic ALL)\n")[2].removesuffix("(check-sat)\n")
    claims, serves = lines_of(text, ("claim", SERVES)).values()
    return {(body, said) for said in (*claims, *(json.loads(line)["digest"] for line in serves))}


QUICK = ("self_attention_equivariant", "sinusoidal_shift_is_rotation")  # without, and with files


@pytest.mark.parametrize(
    "name", [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in IDS]
)
def test_certificates_are_the_obligations_of_the_marks(name: str) -> None:
    """A mark would rest on an obligation that is not written, or a file on none."""
    theorem = loaded(name)
    files = certificates(theorem)
    assert {pair for text in files.values() for pair in told(text)} == asked(theorem)
    assert all(told(text) for text in files.values())
    assert bool(files) == any("smt" in c.marks for c in theorem.claims)
    served = {d for text in files.values() for _, d in told(text)}
    for claim in theorem.claims:
        if isinstance(claim.marks.get("smt"), ByChain):  # others are made of what the files serve
            assert digest(claim.statement) in served
    own = questions(theorem)
    assert files.keys() == own.keys()
    for file, text in files.items():
        assert file.startswith(f"{name}_") and header(text)["theorem"] == name
        found = parse(text.encode(), file)
        assert found.says["expected"] == "unsat" and found.about == own[file][1]
        assert found.modelled or not found.assumes


def test_an_smt_mark_that_hides_its_obligations_is_an_error() -> None:
    """A mark could be green with nothing written that another could check."""
    theorem = load("sum_act")
    hidden = replace(theorem.claims[0], marks={"smt": answering(True)})
    with pytest.raises(TypeError, match="does not tell its questions"):
        certificates(claiming(theorem, hidden))


def test_every_reduction_has_an_smt_mark() -> None:
    """The lemma for max, min, product or mean would rest on the kernel's rule alone."""
    theorem = load("sum_act")
    assert len(theorem.claims) == 5 and all("smt" in c.marks for c in theorem.claims)
    reduced = {c.statement.atom.rhs.node.op.data[0] for c in theorem.claims}
    assert reduced == {"sum", "max", "min", "prod", "div"}


def test_what_is_said_of_a_question_is_true_of_each_statement() -> None:
    """The goals for a sum and for a product are the same formulas by different laws: in one file
    the laws of one would be said to be those of the other."""
    goals = [o for o, _ in questions(load("sum_act")).values() if o.name == "goal"]
    same = [o for o in goals if o.text == goals[0].text]
    assert len({o.uses for o in same}) == len(same) > 1


def test_what_a_chain_shows_is_the_statement_that_it_was_given() -> None:
    """The questions for the maximum would settle the claim about the minimum."""
    claims = load("sum_act").claims
    for check, claim in permutations(claims[:3], 2):
        own = check.marks["smt"](check.statement)
        assert weigh(claim.statement, own).ok is False and weigh(check.statement, own).settles


def test_record(tmp_path: Path) -> None:
    """The manifest would miss a file, keep one that is gone, or drop those of other theorems."""
    old = {"certificates/a.smt2": "; theorem: one\n", "certificates/b.smt2": "; theorem: two\n"}
    for name, text in old.items():
        (tmp_path / Path(name).name).write_text(text, "utf-8")
    record(tmp_path, old, ["one", "two"])
    kept = read_manifest(tmp_path)
    assert kept is not None and kept.keys() == {"a.smt2", "b.smt2"}
    sha256 = hashlib.sha256(b"; theorem: one\n").hexdigest()
    assert (
        kept["a.smt2"]
        == {"sha256": sha256, "theorem": "one"}
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
