"""Claims proved by hand in Rocq: each as it stands, and no falsehood beside it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from orderproof.check.rocq import claims as rocq_claims
from orderproof.check.rocq.library import Library
from orderproof.check.rocq.mark import Rocq, by_bridge
from orderproof.check.rocq.run import RocqError
from orderproof.proofs.catalogue import IDS
from orderproof.symbolic.models.builders import add, multiply, number
from orderproof.symbolic.statements.evidence import weigh
from orderproof.symbolic.statements.statement import Atom, Sizes, Statement, in_text_order
from tests.judged import loaded as load


@pytest.fixture(scope="module")
def rocq(library: Library) -> Rocq:
    """The development, taken to be as recorded."""
    return Rocq(library.folder, (), 0.0, "")


def bridged() -> list[tuple[str, int]]:
    """The claims that have a proof by hand: theorem and number."""
    return [(name, k) for name in IDS for k in rocq_claims.scripts(name)]


BRIDGED = bridged()


def statement(name: str, number: int) -> Statement:
    """What a claim states."""
    return load(name).claims[number - 1].statement


# ---------------------------------------------------------------------- without running Rocq
def test_every_claim_that_cites_a_headline_has_a_proof() -> None:
    """A claim would carry the mark of a theorem, and nothing would compare the two; or a proof
    would stand for no claim."""
    cited = {
        (name, k)
        for name in IDS
        for k, claim in enumerate(load(name).claims, 1)
        if claim.rocq and not claim.push
    }
    assert cited == {*BRIDGED}
    assert {p.stem for p in rocq_claims.SCRIPTS.glob("*")} == {name for name, _ in BRIDGED}


ODD = {
    "Admitted.": "Admitted",
    "by [].\nQed.\nTheorem t : True.": "Qed",
    "Abort.": "Abort",
    "move=> x. Axiom wrong : False.": "Axiom",
    "- Unset Guard Checking.": "Unset",
    "{ Local Notation": "Local",
    '#[bypass_check(guard)] by [].': "bypass_check",
    "admit.": "admit",
    'idtac "Closed under the global context".': "a string or an open comment",
    "by []. (*": "a string or an open comment",
}  # fmt: skip


@pytest.mark.parametrize("script", ODD)
def test_a_script_is_tactics_alone(script: str, tmp_path: Path) -> None:
    """A script would end the proof of the claim, and say or assume something else after it."""
    (tmp_path / "t.v").write_text(f"(* claim 1 *)\n{script}\n")
    with pytest.raises(RocqError, match=rf"^t\.v, claim 1: given {ODD[script]}, expected tactics"):
        rocq_claims.scripts("t", tmp_path)


def test_one_script_for_a_claim(tmp_path: Path) -> None:
    """Of two scripts one would never be looked at."""
    (tmp_path / "t.v").write_text("(* claim 1 *)\nby [].\n(* claim 1 *)\nby [].\n")
    with pytest.raises(RocqError, match=r"^t\.v: given two scripts of one claim"):
        rocq_claims.scripts("t", tmp_path)
    assert rocq_claims.scripts("nothing", tmp_path) == {}


def test_no_script_is_undecided(tmp_path: Path) -> None:
    """A claim without a proof would count as rejected, or as proved."""
    found = by_bridge(Rocq(tmp_path, (), 0.0, ""), "sum_act", 9)(statement("sum_act", 1))
    assert found.ok is None and found.states is None and "no proof of claim 9" in found.detail


def test_a_library_that_is_not_as_recorded(tmp_path: Path) -> None:
    """A definition that the propositions are written with could change."""
    wrong = Rocq(tmp_path, ("maximum: not as in statements.json",), 0.0, "")
    found = by_bridge(wrong, "sum_act", 1)(statement("sum_act", 1))
    assert found.ok is False and "maximum: not as in statements.json" in found.detail


# --------------------------------------------------------------------------------- with Rocq
@pytest.mark.slow
@pytest.mark.parametrize(("name", "number"), BRIDGED)
def test_the_claim_itself(name: str, number: int, rocq: Rocq) -> None:
    """A claim that is stated would not be what is proved."""
    s = statement(name, number)
    found = by_bridge(rocq, name, number)(s)
    weight = weigh(s, found)
    assert weight.ok and weight.settles, weight.detail
    assert "Closed under the global context" in found.detail


def false(s: Statement) -> Statement:
    """A falsehood: one more on the right of an equation; sides exchanged of < and of ≤; on the
    right of ≠ the left side times 1, for Rocq takes minutes to tell two sums apart."""
    changed = {
        "=": replace(s.atom, rhs=add(s.atom.rhs, number(1))),
        "<": Atom(s.atom.rhs, "<", s.atom.lhs),
        "≤": Atom(add(s.atom.rhs, number(1)), "≤", s.atom.lhs),
        "≠": replace(s.atom, rhs=multiply(s.atom.lhs, number(1))),
    }[s.atom.relation]
    bare = replace(s, exists=frozenset(), atom=changed)
    return replace(bare, exists=s.exists & {*bare.tensors, *bare.maps})


@pytest.mark.slow
@pytest.mark.parametrize(("name", "number"), BRIDGED)
def test_a_falsehood_beside_a_true_theorem(name: str, number: int, rocq: Rocq) -> None:
    """Evidence made anew for a false claim would be green; or the evidence of the true one would
    count for it."""
    check, s = by_bridge(rocq, name, number), statement(name, number)
    found = check(false(s))
    assert found.ok is False and found.states is None and "rejected by Rocq" in found.detail


def neighbours(name: str, number: int) -> list[Statement]:
    """The falsehoods that are planted beside a claim with a proof by hand."""
    theorem = load(name)
    marks = theorem.claims[number - 1].marks.data
    return [
        planted.claim.statement
        for planted in theorem.neighbours
        if planted.claim.marks.data is marks
    ]


UNPLANTED = {  # the claims beside which no falsehood is planted, by theorem
    "sum_act": (2, 3, 4), "perm_transpose_mul": (1, 3), "normed_position_iff": (1,),
    "output_differs_of_weights": (2,), "output_differs_of_relative_keys": (2,),
    "output_differs_of_rows": (2,), "output_differs_of_rotations": (2,),
    "causal_position_recoverable": (2, 3), "positions_that_travel": (2, 3),
}  # fmt: skip
OF_EVERY_SIZE = {  # the claims whose sizes cannot be lowered, likewise
    "sum_act": (1, 4), "perm_transpose_mul": (1, 2, 3), "token_output_same_in_any_order": (1,),
    "naturality_of_fixed_index": (2,), "additive_position_iff": (2,), "normed_position_iff": (3,),
    "uniform_attention_sees_no_table": (1,), "position_after_first_layer_contracts": (2, 3),
    "position_after_first_layer_skip": (1, 2, 3), "score_bias_row_factors": (1, 2),
    "causal_last_token_invariant": (1,), "two_causal_layers_see_order": (2,),
    "causal_weights_at_every_depth": (1, 2), "causal_variance": (1, 2),
    "positions_that_travel": (1, 2, 3), "documents_in_parallel": (1, 2, 3, 4, 5, 6),
    "sinusoidal_shift_is_rotation": (1, 2, 3, 4), "rope_relative_score": (1, 2, 3),
    "offset_invariant_of_alibi": (1, 2), "offset_invariant_of_relative_positions": (1, 2),
}  # fmt: skip
PLANTED = [(name, k) for name, k in BRIDGED if k not in UNPLANTED.get(name, ())]
SIZED = [(name, k) for name, k in BRIDGED if k not in OF_EVERY_SIZE.get(name, ())]


def test_what_stands_beside_the_claims() -> None:
    """Two tests with Rocq would pass since there is nothing that they could reject."""
    assert [key for key in BRIDGED if neighbours(*key)] == PLANTED
    assert [key for key in BRIDGED if statement(*key).sizes != Sizes()] == SIZED


@pytest.mark.slow
@pytest.mark.parametrize(("name", "number"), PLANTED)
def test_planted_neighbours(name: str, number: int, rocq: Rocq) -> None:
    """The falsehood planted beside a theorem would have a proof."""
    for planted in neighbours(name, number):
        assert by_bridge(rocq, name, number)(planted).ok is False


NEEDED = {  # what a proof needs of the hypotheses, by their text: the others are superfluous to it
    ("naturality_of_fixed_index", 2): 1,
    ("additive_position_iff", 2): 4,
    ("normed_position_iff", 2): 3,
    ("score_bias_row_factors", 2): 1,
    ("two_causal_layers_see_order", 2): 2,
}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "number"), NEEDED)
def test_a_dropped_hypothesis(name: str, number: int, rocq: Rocq) -> None:
    """P e ≠ e, or another condition, would be dropped and the claim stay green."""
    s = statement(name, number)
    check, rejected = by_bridge(rocq, name, number), 0
    for atom in in_text_order(s.given):
        fewer = s.given - {atom}
        found = check(replace(s, given=fewer))
        rejected += found.ok is False
    assert rejected >= NEEDED[name, number]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "number"), SIZED)
def test_a_lowered_size(name: str, number: int, rocq: Rocq) -> None:
    """n ≥ 2 could be made n ≥ 0, and a list of sizes into all."""
    s = statement(name, number)
    found = by_bridge(rocq, name, number)(replace(s, sizes=Sizes()))
    assert found.ok is False and "rejected by Rocq" in found.detail


@pytest.mark.slow
def test_the_proof_of_another_claim(rocq: Rocq) -> None:
    """The proof of one true claim would count for another."""
    found = by_bridge(rocq, "sum_act", 1)(statement("sum_act", 4))
    assert found.ok is False and "rejected by Rocq" in found.detail


@pytest.mark.slow
def test_what_is_assumed_is_read(rocq: Rocq, monkeypatch: pytest.MonkeyPatch) -> None:
    """A proof by an assumption would be a proof: coqc ends with status 0."""
    script = "Admitted."
    monkeypatch.setattr(rocq_claims, "scripts", lambda name: {1: script})
    monkeypatch.setattr(
        rocq_claims,
        "file_of",
        lambda s, name, text, words: f"Theorem {name} : False.\n{text}\nPrint Assumptions {name}.",
    )
    found = by_bridge(rocq, "sum_act", 1)(statement("sum_act", 1))
    assert found.ok is False and "assumptions" in found.detail
