"""Entries step by step: each step is what it says, and together they are the entries."""

from __future__ import annotations

from typing import Any

import pytest

from orderproof.check.marks.sympy_entries import entries as generic_entries
from orderproof.check.prove import entry_steps
from orderproof.check.prove.entry_steps import Steps, least_case, steps
from orderproof.check.sampling import substituted
from orderproof.publish import entries as entries_of
from orderproof.publish.entries import of_claims, of_first_claim
from orderproof.publish.model import Display, Paragraph
from orderproof.publish.pages.statements import style_of
from orderproof.publish.theorem import BadSlot
from orderproof.publish.to_text import text, words
from orderproof.symbolic.calculus.terms import Set
from orderproof.symbolic.models.builders import add, tensor
from tests.judged import loaded

SEVERAL = ("self_attention_equivariant", "softmax_conjugate", "constant_sequence_blind",
           "multi_head_equivariant", "perm_transpose_mul")  # fmt: skip


def entries(name: str) -> str:
    """The entries of a theorem at two tokens, as the terminal prints them."""
    return text(of_claims(loaded(name), 2))


def written_out(found: Steps) -> list[Any]:
    """The entries of both sides with every step put in the place of its name."""
    values: dict[Any, Any] = {}
    for symbol, value in found.named:
        assert symbol not in values and value.free_symbols.isdisjoint({symbol})
        values[symbol] = value.xreplace(values)
    return [{i: v.xreplace(values) for i, v in side.items()} for side in found.sides]


@pytest.mark.parametrize("name", SEVERAL)
def test_steps_are_the_entries(name: str) -> None:
    """A reader who puts the steps together would get other entries than those of the claim, which
    are evaluated at once."""
    theorem = loaded(name)
    for claim in theorem.claims:
        bare = substituted(claim.statement)
        if (case := least_case(bare, 2)) is None:
            continue
        whole = [generic_entries(bare, t, *case) for t in bare.atom.terms]
        found = steps(bare, style_of(theorem).labels, *case)
        assert written_out(found) == whole
        if name == SEVERAL[0]:
            (symbol, value), *others = found.named
            assert written_out(Steps(((symbol, 2 * value), *others), found.sides)) != whole


def test_the_order_of_steps_is_that_of_the_parts() -> None:
    """What is printed would depend on which terms were made before, by another test or command."""
    n = Set("n_of_steps")
    later, sooner = (tensor(name, i=n) for name in ("made_first", "made_second"))
    both = add(sooner, later)
    found = entry_steps._parts_first([both.node, later.node])
    assert found == [sooner.node, later.node, both.node]
    assert sorted(found, key=lambda node: node.id) != found  # that of their making is another


def test_attention_by_entries() -> None:
    """Scores and weights would not be named, or not be counted from 1; or the sides not be in one
    order, so that nobody could compare them line by line."""
    shown = entries("self_attention_equivariant")
    lines = [line.strip() for line in shown.splitlines()]
    assert max(map(len, shown.splitlines())) <= 80
    assert lines[0] == "claim 1: Z′ = P Z"
    assert lines[1] == "at n = d = d_k = d_v = 2, σ(1) = 2, σ(2) = 1"
    for line in ("Q_11 = W_Q_11*X_11 + W_Q_21*X_12", "A_12 = exp(S_12)/(exp(S_11) + exp(S_12))",
                 "Z_12 = A_11*V_12 + A_12*V_22", "A′_12 = A_21", "Z′_11 = Z_21"):  # fmt: skip
        assert line in lines
    sides = [f"[{i}, {j}] = Z_{3 - i}{j}" for i in (1, 2) for j in (1, 2)]
    assert lines[-10:] == ["left side", *sides, "right side", *sides]


def test_a_name_is_given_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step would have the name of a tensor of the statement, and be taken for it."""
    theorem = loaded("self_attention_equivariant")
    bare = substituted(theorem.claims[0].statement)
    labels = {
        node: entry_steps.Label("X", label.order)
        for node, label in style_of(theorem).labels.items()
    }
    case = least_case(bare, 2)
    assert case is not None
    monkeypatch.setattr(entry_steps, "LONG", 0)
    names = {str(symbol).split("_")[0] for symbol, _ in steps(bare, labels, *case).named}
    assert "X" not in names and {"u1", "u2"} <= names


def test_what_is_too_large_is_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    """`show encoder_equivariant --entries 2` would run for ever."""
    said = "claim 1: not printed entry by entry: an entry of a definition in it has 44"
    assert said in " ".join(entries("encoder_equivariant").split())
    monkeypatch.setattr(entries_of, "LARGEST", 2)
    assert "symbols, more than 2" in " ".join(entries("self_attention_equivariant").split())
    monkeypatch.setattr(entries_of, "LARGEST", 3)  # exp(a) / Σ exp(b): one symbol, and two
    assert "not printed" not in entries("self_attention_equivariant")


def test_the_books_claim_is_that_of_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """The book would have other entries than the terminal, or of another claim, or none without a
    word; or say that two entries are equal, and not why."""
    theorem = loaded("qkv_equivariant")
    let, *shown = of_first_claim(theorem, 2)
    assert isinstance(let, Paragraph)
    assert words(let.words).replace("\xa0", " ") == "Let n = d = d_k = 2, σ(1) = 2, σ(2) = 1."
    assert text(shown[:-2]) in entries("qkv_equivariant").partition("claim 2")[0]
    assert all("pmatrix" in f.latex for side in shown[-2:] for _, f in side.formulas)
    monkeypatch.setattr(entries_of, "least_case", lambda *_: None)
    with pytest.raises(BadSlot, match="no case with 7 tokens"):
        of_first_claim(theorem, 7)
    monkeypatch.undo()
    shown = [f.latex for b in of_first_claim(loaded("self_attention_equivariant"), 2)
             if isinstance(b, Display) for _, f in b.formulas]  # fmt: skip
    assert r"Z'_{12} = A_{21} V_{12} + A_{22} V_{22} = Z_{22}" in shown
