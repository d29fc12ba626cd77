"""Thirteen falsehoods that a hostile review made green, each as it was planted, and what rejects
it now. The tenth, a series without its remainder, is among the tests of symbolic/witness/."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from orderproof.check.claims import Claim, Sentence, holds, sizes
from orderproof.check.marks.numeric import by_numpy
from orderproof.check.marks.sympy_entries import KNOWN, by_sympy
from orderproof.check.prove import checking, results
from orderproof.proofs.symbols import X, n, sigma
from orderproof.publish.pages.derivations import derivations, in_lines
from orderproof.symbolic.calculus import kernel as k
from orderproof.symbolic.calculus.terms import Map, Set, ShapeError, at
from orderproof.symbolic.models import builders
from orderproof.symbolic.models.builders import add, inverse, leaf_of, moved, number, tensor, total
from orderproof.symbolic.readings.entries import Model
from orderproof.symbolic.readings.rocq_statement import proposition
from orderproof.symbolic.smt.chain import by_chain
from orderproof.symbolic.smt.recheck import recheck
from orderproof.symbolic.statements.statement import Atom, Statement, StatementError, uncovered
from tests.judged import loaded, mark, ok
from tests.symbolic.smt.certificate_texts import certificates_of, known, write


def claim(theorem: str, number: int) -> Claim:
    """A claim of the catalogue, numbered from 1."""
    return loaded(theorem).claims[number - 1]


def green(c: Claim, *only: str) -> list[str]:
    """The marks of a claim, or these, that settle what it states."""
    return [m for m in only or c.marks if mark(c.marks[m], c).settles]


def test_1_the_kernel_proved_a_falsehood() -> None:
    """Sets and maps were replaced beside a tensor, and a part lost its axis: Σ_n 1 = Σ_q 1."""
    own, m, q = Set("n"), Set("m"), Set("q")
    x, y = tensor("X", i=own), tensor("Y", i=own)
    b = builders.symbol("b", (m,), own, bijective=True)
    first = k.reindex("sum", x, "i", b)
    both = k.cong(add(total(x, "i"), at(y, {"i": b("j")})), [first, None])
    one: dict[Any, Any] = {leaf_of(x): number(1)}
    for th, values in ((both, {m: q, b: b} | one), (both, {m: q}), (both, {b: b}), (first, one)):
        with pytest.raises(ShapeError):
            k.inst(th, values)
    assert k.is_theorem(k.inst(both, one))  # b between two sets is still named in it


def test_2_an_outline_compared_nothing() -> None:
    """Z_O ≠ Z_O, X + X = X and a constant weight function came out proved."""
    c = claim("additive_position_iff", 2)
    assert green(c, "smt") == ["smt"]
    assert green(c.stating(lhs=c.rhs), "smt") == []
    weight = claim("kernel_attention_of_fixed_position_table", 1)
    for false in (holds(add(X, X), "=", X, {}), weight.stating(rhs=add(weight.rhs, number(1)))):
        for steps in (["agree"], ["scale"], ["positive", "scale"]):
            assert by_chain(*steps)(false.statement).ok is not True


def test_3_a_hypothesis_was_text() -> None:
    """P e ≠ e, G ≥ 0 and "no row of zeros" could be left out, and all stayed green."""
    for name in ("additive_position_iff", "score_bias_iff"):
        c = claim(name, 2)
        differ = [h for h in c.statement.given if h.relation == "≠"]
        assert differ and green(c)
        assert green(c.stating(given=c.statement.given - {*differ})) == []
    found = c.marks[green(c)[0]](c.statement)
    for h in c.statement.given - {*differ}:
        weaker = c.stating(given=c.statement.given - {h})
        assert h.relation in ("≤", "<") and ok(lambda s: found, weaker) is not True


def test_4_a_scope_was_text() -> None:
    """n = 2, …, 7 became "every context of n ≥ 2 tokens", and stayed proved."""
    c = claim("two_causal_layers_see_order", 1)
    (tokens,) = (x for x in c.statement.sizes.of if x.name == "n")
    others = {x: (1,) for x in c.statement.sizes.of if x != tokens}
    every = c.stating(sizes=sizes({tokens: 2}, others))
    assert green(c) == ["exact"] and green(every) == []
    assert uncovered(c.statement, every.statement)


def test_5_one_bug_made_two_marks_green(monkeypatch: pytest.MonkeyPatch) -> None:
    """σ for σ⁻¹ where entries are evaluated: sympy agrees with the falsehood, numeric does not."""
    false = holds(moved(X, i=sigma), "=", moved(X, i=inverse(sigma)), {})
    assert ok(by_sympy, false) is False
    plain = Model.apply

    def wrong(self: Model, m: Map, args: tuple[int, ...]) -> int:
        return plain(self, m.data[0] if m.kind == "inverse" else m, args)

    monkeypatch.setattr(Model, "apply", wrong)
    KNOWN.clear()  # what was evaluated without the bug
    assert ok(by_sympy, false) is True
    KNOWN.clear()
    assert ok(by_numpy(), false) is False
    true = claim("self_attention_equivariant", 1)
    assert ok(by_numpy(), true) is True


def test_6_recording_again_made_a_falsehood_green() -> None:
    """There is no record: what Rocq proves is made from the statement, and another is another."""
    c = claim("sum_act", 1)
    assert proposition(c.statement) != proposition(c.stating(rhs=number(0)).statement)
    assert not list((Path(__file__).parents[2] / "proofs" / "rocq").glob("claims*.json"))


def test_7_recheck_bound_nothing(tmp_path: Path) -> None:
    """x = x under the name of a theorem, alone in a folder, was "1 of 1 checked"."""
    x = tensor("x")
    (text,) = certificates_of("sum_act", Statement(Atom(x, "=", x))).values()
    report = recheck(write(tmp_path, True, sum_act_goal=text), 10, known)
    assert report.ending.status == 2 and {row.verdict for row in report.rows} >= {"refused"}


def test_8_a_true_claim_was_refuted_by_declaring_it() -> None:
    """expected="refuted" made a true claim refuted, and its theorem proved."""
    theorem = loaded("sum_act")
    claims = (replace(theorem.claims[0], expected="refuted"), *theorem.claims[1:])
    page = checking.check(replace(theorem, claims=claims))
    assert page.claims[0].verdict == "proved" and page.claims[0].expected == "refuted"
    assert results.ending([page]).status == 1


def test_9_small_sizes_were_not_tried() -> None:
    """A claim that is false at n = 0 and 1 passed; one without index sets raised an error."""
    small = holds(number(1), "<", builders.size(n), {})
    assert ok(by_numpy(), small) is False
    x = tensor("x")
    bare = holds(add(x, number(0)), "=", x, {})
    assert ok(by_sympy, bare) is True


def test_11_listed_sizes_became_all() -> None:
    """n ∈ {3, 4} changed to n ≥ 3 stayed green in 29 of 29 changes, for ALiBi by all marks."""
    changed = 0
    for name in (
        "not_equivariant_of_score_bias",
        "not_invariant_self_attention",
        "not_equivariant_of_causal_mask",
    ):
        for c in loaded(name).claims:
            own = c.statement.sizes
            if "exact" in c.marks and own.of:
                of = own.of[0]
                rest = {x: {case[j] for case in own.among} for j, x in enumerate(own.of) if j}
                least = dict(own.least) | {of: min(case[0] for case in own.among)}
                every = c.stating(sizes=sizes(least, rest))
                assert green(every, "exact") == []
                changed += 1
    assert changed >= 5


def test_12_one_name_stood_for_two_types() -> None:
    """X over n and X over n + m, two definitions of one name, two maps σ."""
    m = Set("m")
    wide = tensor("X", i=Set("+", (n, m)))
    left = at(wide, {"i": Map("inl", (n, m))("i")})
    with pytest.raises(StatementError):
        Statement(Atom(tensor("X", i=n), "=", left))
    other = builders.permutation("sigma", m)
    x, y = tensor("x", i=n), tensor("y", j=m)
    with pytest.raises(StatementError):
        Statement(Atom(at(x, {"i": sigma("i")}), "=", at(y, {"j": other("j")})))


def test_13_words_exceeded_claims() -> None:
    """A sentence without a claim stood under what is proved; a definition had a wrong reason; cells
    rested on a sentence without saying so."""
    theorem = loaded("sum_act")
    page = checking.check(replace(theorem, words=(Sentence("At every depth."),)))
    assert page.said == "" and page.remarks == "At every depth."
    lines = in_lines(derivations(loaded("perm_transpose_mul")))
    assert lines and not any("acts on each row" in reason for _, reason in lines)
