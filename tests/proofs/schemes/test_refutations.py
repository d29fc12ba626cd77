"""On what a refutation for every n rests: no theorem that does not say it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from orderproof.proofs import catalogue
from orderproof.proofs.catalogue import UnknownTheorem
from orderproof.proofs.schemes import refutations
from orderproof.proofs.schemes import table as scheme_table
from orderproof.proofs.schemes.refutations import (
    ROWS_DIFFER,
    SHIFT_ROTATES,
    ByTheorem,
    WrongTheorem,
    arguments,
    require,
    theorems,
    unfit,
)
from orderproof.proofs.schemes.table import Cell, summary
from orderproof.symbolic.calculus.terms import Term, reachable
from orderproof.symbolic.models.builders import tensor
from orderproof.symbolic.readings.numpy_arrays import Floats, arrays
from orderproof.symbolic.schemes.definitions import POSITION_SCHEMES
from orderproof.symbolic.schemes.every_size import COUNT
from orderproof.symbolic.schemes.models import CONTEXT, FEATURES, SHAPES, model, positions
from orderproof.symbolic.schemes.symmetries import SYMMETRIES

from .test_table import QUICK
from .test_table import cells as row_of

pytestmark = pytest.mark.xdist_group("table")  # one process computes it, for all tests of it


@cache
def cells() -> tuple[Cell, ...]:
    """The whole table."""
    return tuple(c for name in POSITION_SCHEMES for c in row_of(name).values())


def refuted(*names: str) -> list[Cell]:
    """Its refuted cells, or those of some schemes."""
    given = [c for name in names for c in row_of(name).values()] if names else cells()
    return [c for c in given if c.verdict == "refuted"]


def one(scheme: str, symmetry: str) -> Cell:
    """A cell of it."""
    return row_of(scheme)[symmetry]


some_or_all = pytest.mark.parametrize(
    "names", [QUICK, pytest.param((), marks=pytest.mark.slow)], ids=["some", "all"]
)


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
        pytest.param(
            "rope-causal", "permutation", "score_bias_iff", "given RG", marks=pytest.mark.slow
        ),
        ("documents", "reversal", "score_bias_iff", "given EG"),
        ("alibi", "context-1", "score_bias_iff", "the output of all tokens of one layer"),
        ("causal", "context-2", "score_bias_iff", "the output of all tokens of one layer"),
        ("blocks", "offset", "score_bias_iff", "the output of all tokens of one layer"),
        ("sinusoidal", "context-1", "additive_position_iff", "the output of all tokens of one"),
        ("sinusoidal", "permutation", "additive_position_iff", "a table of one feature, and"),
        ("shaw", "context-1", "output_differs_of_weights", "RG or EG, given A"),
        ("learned", "offset", "output_differs_of_weights", "given E$"),
        ("sinusoidal", "offset", "output_differs_of_weights", "given E$"),
        ("alibi", "context-2", "output_differs_of_rows", "E or EG, given B"),
        ("alibi", "permutation", "output_differs_of_relative_keys", "tensors A, given B"),
        ("causal", "permutation", "output_differs_of_rotations", "R or RG, given G"),
        ("causal", "permutation", "output_differs_of_columns", "the output of the last token"),
        ("prefix", "offset", "output_differs_of_columns", "the output of the last token"),
        ("window", "context-1", "output_differs_of_columns", "2 layers, and .* one layer"),
        pytest.param(
            "alibi-causal",
            "context-2",
            "output_differs_of_columns",
            "G or RG, given BG",
            marks=pytest.mark.slow,
        ),
        ("causal", "context-2", "two_causal_layers_see_order", "it does not say"),
        ("learned", "permutation", "self_attention_equivariant", "it does not say"),
    ],
)
def test_a_theorem_of_another_kind(scheme: str, symmetry: str, theorem: str, why: str) -> None:
    """A cell would rest on a theorem about another model: a table for a mask, all tokens for the
    last one, one layer for two."""
    with pytest.raises(WrongTheorem, match=f"^{scheme}, {symmetry}: refuted by {theorem}, .*{why}"):
        replace(one(scheme, symmetry), every_n=ByTheorem(theorem))


@pytest.mark.parametrize(
    ("scheme", "symmetry", "given", "wanted"),
    [
        ("sinusoidal", "permutation", (), "given nothing beside it, expected sinusoidal_rows"),
        pytest.param(
            "rope",
            "context-1",
            (ROWS_DIFFER,),
            f"expected {ROWS_DIFFER} and {SHIFT_ROTATES}",
            marks=pytest.mark.slow,
        ),
        ("learned", "permutation", (ROWS_DIFFER,), "expected nothing"),
        pytest.param(
            "rope-causal",
            "permutation",
            (ROWS_DIFFER, SHIFT_ROTATES),
            "expected nothing",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_sines_differ_by_a_theorem(
    scheme: str, symmetry: str, given: tuple[str, ...], wanted: str
) -> None:
    """That sines of different integers differ would be taken for granted, or said of others."""
    c = one(scheme, symmetry)
    assert c.every_n is not None
    with pytest.raises(WrongTheorem, match=wanted):
        replace(c, every_n=replace(c.every_n, beside=given))


@pytest.mark.parametrize("verdict", ["proved", "not applicable", "open"])
def test_what_is_not_refuted_has_no_ground(verdict: str) -> None:
    """A proved cell would carry a refutation for every n."""
    with pytest.raises(ValueError, match=f"given for a cell that is {verdict}"):
        replace(one("alibi", "permutation"), verdict=verdict)


@some_or_all
def test_every_refuted_cell_has_a_ground(names: tuple[str, ...]) -> None:
    """A cell would be refuted for every n by nothing, or by a theorem that does not fit."""
    for c in refuted(*names):
        assert c.every_n is not None and c.sign == ""
        require(c.every_n, POSITION_SCHEMES[c.scheme], SYMMETRIES[c.symmetry])
        said = {"beside": list(c.every_n.beside)} if c.every_n.beside else {}
        assert c.to_json()["every_n"] == {"theorem": c.every_n.theorem} | said
        sines = POSITION_SCHEMES[c.scheme].transcendental
        assert bool(said) == (sines and c.every_n.theorem != "output_differs_of_weights")
        assert (c.below is not None) <= sines
    bounded = {(c.scheme, c.symmetry) for c in refuted(*names) if c.below}
    assert all((c.below == 10**18) == ("< 10¹⁸" in c.regime) for c in refuted(*names))
    shifts = set() if names else {("rope", "shift"), ("rope-partial", "shift")}
    assert bounded == shifts | {("sinusoidal", "reversal")}  # the others compare near places


def test_theorems_are_about_the_tensors_that_are_said() -> None:
    """A theorem would refute cells whose position tensors it does not speak of."""
    spoken = {"score_bias_iff": {"B", "G"}}  # a theorem about G = exp B, 0 for −∞, is about both
    found = {name: tensors(stated(name)) for name in theorems()}
    assert {name: "".join(sorted(letters)) for name, letters in found.items()} == {
        "additive_position_iff": "E", "score_bias_iff": "G",
        "output_differs_of_weights": "ABEGR", "output_differs_of_relative_keys": "A",
        "output_differs_of_rows": "EG", "output_differs_of_rotations": "GR",
        "output_differs_of_columns": "GR",
    }  # fmt: skip
    for name, scope in theorems().items():
        said = {x for letters in scope.letters for x in letters}
        assert said <= spoken.get(name, found[name])
    assert tensors(stated("self_attention_equivariant")) == set()


def test_theorems_are_about_as_many_features_as_is_said() -> None:
    """A table of sines, with two features for each frequency, would be refuted by a theorem about
    tables of one."""
    for name, scope in theorems().items():
        refuting = [c for c in catalogue.load(name).claims if c.statement.atom.relation == "≠"]
        wide = [FEATURES in c.statement.sets for c in refuting]
        assert refuting and any(wide) != scope.one_feature, name
    assert [name for name, scope in theorems().items() if scope.one_feature] == [
        "additive_position_iff"
    ]


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("name", sorted(n for n in theorems() if n.startswith("output_differs")))
def test_tensors_that_a_scheme_has_not(name: str, depth: int) -> None:
    """A theorem about more tensors than a scheme has would be about another model than its."""
    rng = np.random.default_rng(1)
    sizes = {"n": 3, "d": 2}
    shapes = {x: [sizes["d" if a in "kce" else "n"] for a in axes] for x, axes in SHAPES.items()}
    turned = np.broadcast_to(np.eye(2), shapes["R"])
    without = {"E": 0.0, "B": 0.0, "A": 0.0, "G": 1.0}
    neutral = {x: np.full(shapes[x], v) for x, v in without.items()} | {"R": turned}
    x = tensor("X", i=CONTEXT, k=FEATURES)
    weights = {f"W_{a}{b}": rng.normal(size=(2, 2)) for a in "QKV" for b in ("", "1", "2")}
    given = {x: abs(rng.normal(size=shape)) for x, shape in shapes.items()}
    given |= weights | {"X": rng.normal(size=(3, 2))}
    every = "".join(sorted(tensors(stated(name))))
    whole = model(x, positions(every, CONTEXT), depth)
    for letters in theorems()[name].letters:
        more = {k: v for k, v in neutral.items() if k not in letters}
        alone = model(x, positions(letters, CONTEXT), depth)
        one, other = (
            arrays(t, sizes, {}, given | more, Floats(np.float64)) for t in (alone, whole)
        )
        assert np.allclose(one, other, rtol=1e-12, atol=0)


@pytest.mark.slow  # the whole table
def test_theorems_are_used() -> None:
    """A theorem would stand there for no cell, or a difference that nothing looks for."""
    assert set(theorems()) == {c.every_n.theorem for c in refuted() if c.every_n}
    asked = {x for scope in theorems().values() for x in scope.differences}
    assert asked == set(COUNT)


@some_or_all
def test_a_theorem_that_fits_is_named(names: tuple[str, ...]) -> None:
    """A cell would name a theorem that is not among those that fit, or one would be passed over."""
    for c in refuted(*names):
        s, y = POSITION_SCHEMES[c.scheme], SYMMETRIES[c.symmetry]
        fits = [name for name in catalogue.IDS if unfit(name, s, y) is None]
        assert c.every_n is not None and c.every_n.theorem in fits
        assert {a.ground.theorem for a in arguments(s, y)} <= set(fits)


def test_what_contradicts_the_condition_is_proved() -> None:
    """A difference of tensors would be taken for the negation of a theorem's condition."""
    (bias,), (mask,) = theorems()["score_bias_iff"].differences.values()
    assert bias.check() is True and mask.check() is True
    assert replace(bias, assume=bias.assume[:1]).check() is False  # one entry kept is not enough
    assert replace(mask, assume=mask.assume[2:]).check() is False  # a maximum may be 0


def test_what_is_another_proportion_is_proved() -> None:
    """A difference of tensors would be taken for weights in another proportion."""
    (mask,), (bias,) = theorems()["output_differs_of_weights"].differences.values()
    assert mask.check() is True and bias.check() is True
    for k in range(len(mask.assume)):
        assert replace(mask, assume=mask.assume[:k] + mask.assume[k + 1 :]).check() is False
    for k in range(len(bias.assume)):
        assert replace(bias, assume=bias.assume[:k] + bias.assume[k + 1 :]).check() is False


# --------------------------------------------------------------------------------------- on paper
def test_a_cell_without_a_theorem_has_its_sign() -> None:
    """What was looked at alone would look like what rests on a theorem."""
    c = one("learned", "permutation")
    assert c.sign == "" and replace(c, every_n=None).sign == "…"


def test_a_theorem_that_no_longer_fits_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mapping would not be what cells are made from."""
    monkeypatch.setattr(refutations, "theorems", dict)
    for name in ("causal", "learned"):
        found = scheme_table.cell(POSITION_SCHEMES[name], SYMMETRIES["permutation"])
        assert found.verdict == "refuted" and found.every_n is None and found.sign == "…"


# ----------------------------------------------------------------------------------------- counts
@some_or_all
def test_counts_are_computed(names: tuple[str, ...]) -> None:
    """The summary would be of another table."""
    by = Counter(c.every_n.theorem for c in refuted(*names) if c.every_n)
    given = [c for name in names or POSITION_SCHEMES for c in row_of(name).values()]
    said = summary(given)
    counts = "61 refuted, 27 proved, 2 not" if names else "154 refuted, 67 proved, 4 not"
    assert said.startswith(f"{counts} applicable. Refuted for every n: ")
    assert sum(by.values()) == int(counts.split()[0])
    for theorem, count in by.items():
        assert f"{count} by {theorem}" in said
    every_n = said.partition("Proved for every depth")[0]
    assert "on paper" not in every_n and "looked at" not in every_n
    theorem, count = by.most_common(1)[0]
    changed = [
        replace(c, every_n=None) if c.every_n and c.every_n.theorem == theorem else c for c in given
    ]
    assert f"{count} not, only at the sizes looked at (…)" in summary(changed)
