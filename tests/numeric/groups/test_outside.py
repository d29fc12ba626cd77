"""Witnesses outside a group: one for every permutation outside, run in floats, replayed from their
files; and changed ones, which the replay must reject."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from orderproof.numeric.groups import symmetry
from orderproof.numeric.groups.automorphisms import EngineError, keeps
from orderproof.numeric.groups.bias_matrices import position
from orderproof.numeric.groups.outside import examples, outside
from orderproof.numeric.groups.symmetry import Layer
from orderproof.symbolic.schemes.definitions import POSITION_SCHEMES
from orderproof.symbolic.witness.fields import WitnessError
from orderproof.symbolic.witness.group_file import (
    GroupWitness,
    RotationWitness,
    RowsWitness,
    WeightsWitness,
    dumps,
    parse,
)
from orderproof.symbolic.witness.group_replay import check
from tests.numeric.groups.matrices import of_integers, random_heads

Floats = NDArray[np.float64]


def layer_of(name: str, n: int, **options: object) -> Layer:
    """The layer of a named scheme."""
    return symmetry.of_scheme(position(name, n, **options))


def softmax(scores: Floats) -> Floats:
    """Rows of weights."""
    a = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(a / a.sum(axis=1, keepdims=True))


def entries(layer: Layer, h: int) -> Floats:
    """A head in floats."""
    n, head = layer.n, layer.heads[h]
    rows = [[head.entry(i, j) for j in range(n)] for i in range(n)]
    return np.array([[-np.inf if v is None else float(v) for v in row] for row in rows])


def sides(layer: Layer, w: GroupWitness) -> tuple[float, float]:
    """Row i of f(PX) and of P f(X) for the layer and the weights and tokens of the witness, run
    from the definition of attention."""
    n, s = layer.n, list(w.sigma)
    seen = np.isfinite(entries(layer, 0)) if layer.heads else np.ones((n, n), dtype=bool)
    if isinstance(w, RowsWitness):
        e = np.array([float(v) for v in w.entries])
        e = np.sin(e) if w.table == "sines" else e
        x = np.zeros(n)
        x[s] = -e
        found = []
        for query in (1.0, -1.0):
            both = []
            for tokens, order in ((x[s], list(range(n))), (x, s)):
                h = tokens + e
                scores = np.where(seen, query * np.outer(h, h), -np.inf)
                both.append(float((softmax(scores) @ h)[order][w.row]))
            found.append((both[0], both[1]))
        return max(found, key=lambda pair: abs(pair[0] - pair[1]))
    x = np.zeros(n)
    x[s[w.column]] = 1
    if isinstance(w, WeightsWitness):
        bias = entries(layer, w.head)
        if layer.kind == "R":
            bias = np.where(np.isinf(bias), bias, 0)
        a = softmax(bias)
        return float((a @ x[s])[w.row]), float((a @ x)[s][w.row])
    theta = math.atan2(4, 3)
    offset = np.arange(n) - np.arange(n)[:, None]
    minus_sines = -np.sin(theta * offset)
    both = [float((softmax(minus_sines * t) @ t)[o][w.row])
            for t, o in ((x[s], list(range(n))), (x, s))]  # fmt: skip
    return both[0], both[1]


def sizes(name: str) -> list[tuple[int, dict[str, object]]]:
    """Small n for a scheme."""
    if name.startswith("relative-2d"):
        return [(4, {})]
    return (
        [(5, {"blocks": (2, 2) if name == "documents" else (2, 3)})]
        if (name in ("blocks", "blocks-causal", "documents"))
        else [(3, {}), (4, {})]
    )


@pytest.mark.parametrize("name", POSITION_SCHEMES)
def test_every_permutation_outside_has_a_witness_that_is_replayed(name: str) -> None:
    """Otherwise an inclusion of the group has no reason for some σ, the two outputs that the
    witness compares are equal when the layer is run, or its file says something else."""
    for n, options in sizes(name):
        layer = layer_of(name, n, **options)
        for sigma in itertools.permutations(range(n)):
            found = outside(layer, sigma, name)
            assert (found is None) == keeps(layer.colours, sigma)
            if found is not None:
                assert found.ok
                assert parse(dumps(found.witness).encode(), "w") == found.witness
                left, right = sides(layer, found.witness)
                assert abs(left - right) > 1e-9, (sigma, found.witness)


def test_random_heads_have_witnesses_outside() -> None:
    """Otherwise a witness is missed, or not true in floats, where −∞, two heads or equal rows are
    about."""
    kinds = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 5))
        layer = symmetry.of_heads(random_heads(rng, n, 1 + seed % 2, 0.6))
        for sigma in itertools.permutations(range(n)):
            found = outside(layer, sigma, "random")
            assert (found is None) == keeps(layer.colours, sigma)
            if found is not None:
                left, right = sides(layer, found.witness)
                assert abs(left - right) > 1e-9
                kinds += isinstance(found.witness, WeightsWitness) and found.witness.head > 0
    assert kinds > 1


def test_a_table_of_numbers_has_witnesses() -> None:
    """Otherwise a table with some equal rows, or rows that differ in a later feature alone, has
    none, or one in a feature that does not change."""
    rows = [(1, 2), (1, 3), (1, 2), (Fraction(1, 3), 2)]
    layer = symmetry.of_table(tuple(tuple(map(Fraction, row)) for row in rows))
    for sigma in itertools.permutations(range(4)):
        found = outside(layer, sigma, "table")
        assert (found is None) == all(rows[i] == rows[s] for i, s in enumerate(sigma))
        if found is not None:
            assert abs(np.subtract(*sides(layer, found.witness))) > 1e-9


def test_numbers_that_no_float_holds_are_compared() -> None:
    """Otherwise a difference of 10^-40, or of 10^400, is lost in the witness."""
    tiny, huge = Fraction(1, 10**40), Fraction(10) ** 400
    for step in (tiny, huge):
        table = symmetry.of_table(((Fraction(0),), (step,)))
        found = outside(table, (1, 0), "t")
        assert found is not None and found.ok
    entries = np.array([[0, -1], [-2, 0]])
    layer = symmetry.of_heads([of_integers(entries, unit=tiny)])
    found = outside(layer, (1, 0), "b")
    assert found is not None and check(parse(dumps(found.witness).encode(), "w")).ok


def witness(name: str, n: int, sigma: Sequence[int]) -> GroupWitness:
    """The witness for a scheme and a σ."""
    found = outside(layer_of(name, n), sigma, name)
    assert found is not None
    return found.witness


def test_a_false_witness_is_refuted() -> None:
    """Otherwise any row, column, σ or numbers would do as a reason."""
    bias = witness("alibi", 4, (1, 0, 2, 3))
    assert isinstance(bias, WeightsWitness) and check(bias).ok
    there = [bias.of_image[k] for k in bias.sigma]
    gains = [(b or 0) - (a or 0) for a, b in zip(bias.of_row, there, strict=True)]
    for k, gain in enumerate(gains):  # at the largest and at the least, weights are comparable
        assert check(replace(bias, column=k)).ok == (gain in (max(gains), min(gains))), k
    turned = witness("alibi", 6, (5, 1, 2, 3, 4, 0))
    assert isinstance(turned, WeightsWitness)
    oks = [check(replace(turned, column=k)).ok for k in range(6)]
    assert True in oks and False in oks
    equal = replace(bias, of_image=tuple(bias.of_row[bias.sigma.index(k)] for k in range(4)))
    assert not check(equal).ok
    shifted = tuple(bias.of_row[bias.sigma.index(k)] + 7 for k in range(4))  # type: ignore[operator]
    assert not check(replace(bias, of_image=shifted)).ok  # a row constant
    fixed = replace(bias, row=2, of_image=tuple(v and v + 1 for v in bias.of_row))
    assert not check(fixed).ok and "two rows" in check(fixed).reason
    assert not check(replace(bias, of_row=(None,) * 4)).ok

    rows = witness("learned", 3, (1, 0, 2))
    assert isinstance(rows, RowsWitness) and check(rows).ok
    assert not check(replace(rows, row=2)).ok
    assert not check(replace(rows, entries=(Fraction(1),) * 3)).ok
    assert not check(replace(rows, seen=(1, 2))).ok
    sines = witness("sinusoidal", 3, (1, 0, 2))
    assert isinstance(sines, RowsWitness) and check(sines).ok
    assert not check(replace(sines, entries=(Fraction(1, 2), Fraction(0), Fraction(1)))).ok
    assert not check(replace(sines, seen=(0, 2))).ok

    turn = witness("rope", 4, (1, 0, 2, 3))
    assert isinstance(turn, RotationWitness) and check(turn).ok
    assert not check(replace(turn, column=turn.row)).ok
    assert not check(replace(turn, sigma=(0, 1, 2, 3))).ok


def test_outside_says_so_where_no_witness_is_confirmed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise a σ outside the group is passed over in silence."""
    from orderproof.numeric.groups import outside as module

    monkeypatch.setattr(module, "_of_heads", lambda *_: None)
    with pytest.raises(EngineError, match="no witness"):
        outside(layer_of("alibi", 4), (1, 0, 2, 3), "alibi")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"kind": "weights"', '"kind": "other"', "kind: given 'other'"),
        ('"kind": "weights"', '"kind": "rows"', "no key table"),
        ('"version": 1', '"version": 2', "version: given 2"),
        ('"n": 3', '"n": 4', "sigma: given"),
        ('"n": 3', '"n": 5000', "n: given 5000"),
        ('"sigma": [1, 0, 2]', '"sigma": [1, 1, 2]', "sigma: given"),
        ('"row": 0', '"row": 1', "claim: given"),
        ('"sigma": [1, 0, 2]', '"sigma": [0, 1, 2]', "claim: given"),
        ('"row": 0', '"row": 3', "row: given 3"),
        ('"row": 0', '"row": true', "row: given True"),
        ('"term": "bias"', '"term": "keys"', "claim: given"),
        ('"term": "bias"', '"term": []', "term: given"),
        ('["0", "-1/2", "-1"]', '["0", "-1/2"]', "of_row: given"),
        ('["0", "-1/2", "-1"]', '["0", "-2/4", "-1"]', "of_row"),
        ('["0", "-1/2", "-1"]', '["0", "inf", "-1"]', "of_row"),
        ('["0", "-1/2", "-1"]', '["0", -0.5, "-1"]', "of_row"),
        ('"source": "alibi"', '"source": ""', "source: given ''"),
        ('"head": 0', '"head": 0, "head": 0', "it twice"),
    ],
)
def test_a_changed_file_is_refused(old: str, new: str, message: str) -> None:
    """Otherwise a file that was changed by hand says one thing and is checked for another."""
    text = dumps(witness("alibi", 3, (1, 0, 2)))
    assert old in text
    with pytest.raises(WitnessError, match=message) as error:
        parse(text.replace(old, new, 1).encode(), "w.json")
    assert "\n" not in str(error.value)


def test_examples_are_of_two_orbits_and_of_one() -> None:
    """Otherwise only swaps between orbits are shown, which say nothing of what is inside them."""
    group = symmetry.group(layer_of("alibi", 6).colours)
    assert examples(group) == [(1, 0, 2, 3, 4, 5), (5, 1, 2, 3, 4, 0)]
    assert examples(symmetry.group(layer_of("none", 5).colours)) == []
    around = symmetry.group(layer_of("circulant-even", 6).colours)
    assert examples(around) == [(1, 0, 2, 3, 4, 5)]
