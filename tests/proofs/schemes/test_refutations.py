"""On what a refutation for every n rests: no theorem that does not say it, no paper unseen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import cache

import pytest

from orderproof.proofs import catalogue
from orderproof.proofs.catalogue import UnknownTheorem
from orderproof.proofs.schemes import refutations
from orderproof.proofs.schemes import table as scheme_table
from orderproof.proofs.schemes.refutations import (
    PAPER,
    ByTheorem,
    OnPaper,
    WrongTheorem,
    arguments,
    require,
    theorems,
    unfit,
)
from orderproof.proofs.schemes.table import Cell, summary
from orderproof.symbolic.calculus.terms import Term, reachable
from orderproof.symbolic.schemes.definitions import POSITION_SCHEMES
from orderproof.symbolic.schemes.every_size import COUNT
from orderproof.symbolic.schemes.models import SHAPES
from orderproof.symbolic.schemes.symmetries import SYMMETRIES

from .test_table import cells as row_of

pytestmark = pytest.mark.xdist_group("table")  # one process computes it, for all tests of it


@cache
def cells() -> tuple[Cell, ...]:
    """The whole table."""
    return tuple(c for name in POSITION_SCHEMES for c in row_of(name).values())


def refuted() -> list[Cell]:
    """Its refuted cells."""
    return [c for c in cells() if c.verdict == "refuted"]


def one(scheme: str, symmetry: str) -> Cell:
    """A cell of it."""
    (found,) = (c for c in cells() if (c.scheme, c.symmetry) == (scheme, symmetry))
    return found


def stated(theorem: str) -> Iterable[Term]:
    """Both sides of every claim of a theorem."""
    return (t for claim in catalogue.load(theorem).claims for t in (claim.lhs, claim.rhs))


def tensors(terms: Iterable[Term]) -> set[str]:
    """The position tensors in terms, by the letters of position_models.SHAPES."""
    ops = {node.op for t in terms for node in reachable(t.node)}
    return {op.data[0] for op in ops if op.kind == "leaf"} & set(SHAPES)


# ------------------------------------------------------------------------------------- theorems
def test_a_theorem_that_is_not_in_the_catalogue() -> None:
    """A cell would name a theorem that nobody can look up."""
    with pytest.raises(UnknownTheorem, match=r"'score_bias_if'.*did you mean score_bias_iff"):
        replace(one("alibi", "permutation"), every_n=ByTheorem("score_bias_if"))
    with pytest.raises(UnknownTheorem):
        replace(one("alibi", "context-1"), every_n=ByTheorem("score_bias_last_row"))


@pytest.mark.parametrize(
    ("scheme", "symmetry", "theorem", "why"),
    [
        ("causal", "permutation", "additive_position_iff", "the position tensors E, given G"),
        ("alibi", "shift", "additive_position_iff", "the position tensors E, given B"),
        ("learned", "permutation", "score_bias_iff", "B or G or BG, given E"),
        ("shaw", "permutation", "score_bias_iff", "given A"),
        ("rope-causal", "permutation", "score_bias_iff", "given RG"),
        ("documents", "reversal", "score_bias_iff", "given EG"),
        ("alibi", "context-1", "score_bias_iff", "the output of all tokens of one layer"),
        ("causal", "context-2", "score_bias_iff", "the output of all tokens of one layer"),
        ("blocks", "offset", "score_bias_iff", "the output of all tokens of one layer"),
        ("sinusoidal", "permutation", "additive_position_iff", "that sines differ is not proved"),
        ("causal", "context-2", "two_causal_layers_see_order", "it does not say"),
        ("learned", "permutation", "self_attention_equivariant", "it does not say"),
    ],
)
def test_a_theorem_of_another_kind(scheme: str, symmetry: str, theorem: str, why: str) -> None:
    """A cell would rest on a theorem about another model: a table for a mask, all tokens for the
    last one, one layer for two."""
    with pytest.raises(WrongTheorem, match=f"^{scheme}, {symmetry}: refuted by {theorem}, .*{why}"):
        replace(one(scheme, symmetry), every_n=ByTheorem(theorem))


@pytest.mark.parametrize("verdict", ["proved", "not applicable", "open"])
def test_what_is_not_refuted_has_no_ground(verdict: str) -> None:
    """A proved cell would carry a refutation for every n."""
    with pytest.raises(ValueError, match=f"given for a cell that is {verdict}"):
        replace(one("alibi", "permutation"), verdict=verdict)


def test_every_refuted_cell_has_a_ground() -> None:
    """A cell would be refuted for every n by nothing, or by a theorem that does not fit."""
    for c in refuted():
        if isinstance(c.every_n, ByTheorem):
            require(c.every_n.theorem, POSITION_SCHEMES[c.scheme], SYMMETRIES[c.symmetry])
            assert c.to_json()["every_n"] == {"theorem": c.every_n.theorem}
        else:
            assert isinstance(c.every_n, OnPaper) and c.sign == "†"
            assert c.to_json()["every_n"] == {"paper": c.every_n.sentence}


def test_theorems_are_about_the_tensors_that_are_said() -> None:
    """A theorem would refute cells whose position tensors it does not speak of."""
    spoken = {"E": {"E"}, "G": {"B", "G"}}  # a theorem about G = exp B, 0 for −∞, is about both
    found = {name: tensors(stated(name)) for name in theorems()}
    assert found == {"additive_position_iff": {"E"}, "score_bias_iff": {"G"}}
    for name, scope in theorems().items():
        (tensor,) = found[name]
        assert {x for letters in scope.letters for x in letters} == spoken[tensor]
    assert tensors(stated("self_attention_equivariant")) == set()


def test_theorems_are_used_and_so_is_each_argument() -> None:
    """An argument or a theorem would stand there for no cell."""
    assert set(theorems()) == {
        c.every_n.theorem for c in refuted() if isinstance(c.every_n, ByTheorem)
    }
    said = [c.every_n.sentence for c in refuted() if isinstance(c.every_n, OnPaper)]
    for paper in PAPER:
        assert any(paper.sentence in sentence for sentence in said), paper.sentence
        assert paper.difference in COUNT and "; " not in paper.sentence


def test_where_a_theorem_fits_it_comes_first() -> None:
    """A cell would rest on paper although a theorem refutes it."""
    for c in refuted():
        s, y = POSITION_SCHEMES[c.scheme], SYMMETRIES[c.symmetry]
        fits = [name for name in catalogue.IDS if unfit(name, s, y) is None]
        assert fits == ([c.every_n.theorem] if isinstance(c.every_n, ByTheorem) else [])
        assert isinstance(next(arguments(s, y)).ground, ByTheorem) == bool(fits)


def test_what_contradicts_the_condition_is_proved() -> None:
    """A difference of tensors would be taken for the negation of a theorem's condition."""
    (bias,), (mask,) = theorems()["score_bias_iff"].differences.values()
    assert bias.check() is True and mask.check() is True
    assert replace(bias, assume=bias.assume[:1]).check() is False  # one entry kept is not enough
    assert replace(mask, assume=mask.assume[2:]).check() is False  # a maximum may be 0


# --------------------------------------------------------------------------------------- on paper
@pytest.mark.parametrize("sentence", ["", "  \n"])
def test_an_argument_without_words(sentence: str) -> None:
    """A cell would rest on paper that is blank."""
    with pytest.raises(ValueError, match="expected a sentence"):
        OnPaper(sentence)


def test_a_paper_cell_has_its_sign() -> None:
    """What rests on paper would look like what rests on a theorem."""
    c = one("learned", "permutation")
    assert c.sign == "" and replace(c, every_n=OnPaper("So it is.")).sign == "†"
    assert replace(c, every_n=None).sign == "…"


def test_a_theorem_that_no_longer_fits_leaves_paper(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mapping would not be what cells are made from."""
    monkeypatch.setattr(refutations, "theorems", dict)
    found = scheme_table.cell(POSITION_SCHEMES["causal"], SYMMETRIES["permutation"])
    assert isinstance(found.every_n, OnPaper) and found.sign == "†"
    found = scheme_table.cell(POSITION_SCHEMES["learned"], SYMMETRIES["permutation"])
    assert found.verdict == "refuted" and found.every_n is None and found.sign == "…"


# ----------------------------------------------------------------------------------------- counts
def test_counts_are_computed() -> None:
    """The summary would be of another table."""
    found = Counter(str(c.to_json()["every_n"]).split("'")[1] for c in refuted())
    by = Counter(c.every_n.theorem for c in refuted() if isinstance(c.every_n, ByTheorem))
    said = summary(cells())
    assert said.startswith("154 refuted, 67 proved, 4 not applicable. Refuted for every n: ")
    assert found["theorem"] + found["paper"] == 154 and found["theorem"] == sum(by.values())
    for theorem, count in by.items():
        assert f"{count} by {theorem}" in said
    assert f"{found['paper']} on paper (†)" in said and "looked at" not in said
    changed = [replace(c, every_n=None) if c.sign == "†" and c.every_n else c for c in cells()]
    assert f"{found['paper']} not, only at the sizes looked at (…)" in summary(changed)
    assert "on paper" not in summary(changed).partition("Proved for every depth")[0]
