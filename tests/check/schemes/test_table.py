"""The table scheme × symmetry: all is settled, by which means, and where it would not be."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from orderproof.check.schemes import table as scheme_table
from orderproof.check.schemes.table import Cell, cell, listed, row, summary, table
from orderproof.proofs import catalogue
from orderproof.symbolic.calculus.terms import reachable
from orderproof.symbolic.schemes.definitions import POSITION_SCHEMES, pick
from orderproof.symbolic.schemes.models import SHAPES
from orderproof.symbolic.schemes.symmetries import SYMMETRIES, holds_at
from orderproof.symbolic.witness.replay import check

pytestmark = pytest.mark.xdist_group("table")  # one process computes it, for all tests of it


# The rows that quick tests compute, with every kind of position tensor but rotations.
QUICK = (
    "none", "learned", "sinusoidal", "alibi", "shaw", "causal", "window", "prefix", "blocks",
    "documents",
)  # fmt: skip
each_scheme = pytest.mark.parametrize(
    "name", [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in POSITION_SCHEMES]
)


@cache
def cells(name: str) -> dict[str, Cell]:
    """A row of the table by symmetry."""
    return {c.symmetry: c for c in row(name)}


@each_scheme
def test_every_cell_is_settled(name: str) -> None:
    """A cell would be open, refuted without a witness that replays, or proved with one."""
    assert list(cells(name)) == list(SYMMETRIES)
    for c in cells(name).values():
        assert c.verdict in ("proved", "refuted", "not applicable") and c.reason
        assert (c.witness is not None) == (c.verdict == "refuted") == (c.smallest is not None)
        if c.witness is not None:
            assert check(c.witness).ok and c.witness.n == c.smallest
            assert all(n < c.witness.n for n in c.smaller)


PROVED = {
    "none": "permutation context-1 context-2 context-any shift reversal blocks",
    "constant": "permutation context-1 context-2 context-any shift reversal blocks",
    "alibi": "reversal offset ids",
    "causal": "context-1 offset ids",
    "window": "reversal offset ids",
    "prefix": "context-1 ids",
    "blocks": "reversal ids blocks",
    "circulant": "shift offset ids",
    "circulant-even": "shift reversal offset ids",
    "relative-2d-distance": "reversal offset ids",
    "relative-2d-swap": "reversal offset ids",
    "blocks-causal": "ids blocks",
    "learned": "ids",
    "sinusoidal": "ids",
    "documents": "ids blocks",
}


@each_scheme
def test_what_is_proved(name: str) -> None:
    """The table would claim a symmetry that the scheme breaks, or miss one that it has."""
    proved = {c.symmetry for c in cells(name).values() if c.verdict == "proved"}
    assert proved == set(PROVED.get(name, "offset ids").split())


@each_scheme
def test_the_sizes_looked_at_are_said(name: str) -> None:
    """A refutation at the smallest n would pass for one at every n, or hide what was looked at."""
    for c in cells(name).values():
        if c.verdict != "refuted":
            assert not (c.larger or c.again or c.theorem)
            continue
        assert c.regime.startswith(f"n = {c.smallest}") and not c.again
        assert c.larger and min(c.larger) > (c.smallest or 0)
        assert f"change at n = {listed(c.larger)}, too" in c.reason
        assert (f"({c.theorem})" in c.reason) if c.theorem else "for every n" not in c.reason


def test_small_sizes_are_found() -> None:
    """An edge at small n would be papered over."""
    assert cells("alibi")["permutation"].smaller == (1, 2)  # the swap of two is the reversal
    assert cells("alibi")["permutation"].larger == (4, 5, 6, 7, 8)
    assert cells("window")["permutation"].regime == "n = 3, w = 1"
    assert "n ≤ w + 1" in cells("window")["permutation"].reason
    assert cells("prefix")["offset"].smallest == 2 and cells("blocks")["permutation"].smallest == 4


@pytest.mark.slow
def test_small_sizes_of_rarer_schemes_are_found() -> None:
    """An edge at small n would be papered over, where a scheme is put together of two."""
    assert cells("window-causal")["context-2"].smallest == 3
    assert cells("circulant-even")["context-1"].smallest == 4
    assert cells("circulant")["blocks"].smallest == 6  # of 4, two blocks swapped are a shift
    assert cells("window-causal")["blocks"].larger == (6, 8)


def position_tensors(theorem: str) -> set[str]:
    """The position tensors in both sides of every claim, by the letters of models.SHAPES."""
    terms = [t for c in catalogue.load(theorem).claims for t in (c.lhs, c.rhs)]
    ops = {node.op for t in terms for node in reachable(t.node)}
    return {op.data[0] for op in ops if op.kind == "leaf"} & set(SHAPES)


def test_a_theorem_for_every_n_is_about_the_tensors_and_the_layer() -> None:
    """A cell would name a theorem about other position tensors than the scheme has, about the last
    token, or about a table of one feature where a scheme's may have more."""
    assert position_tensors("score_bias_iff") == {"G"}  # exp of the bias, 0 for −∞
    named = {(n, c.symmetry): c.theorem for n in QUICK for c in cells(n).values() if c.theorem}
    assert {(n, t) for (n, _), t in named.items()} == {
        (n, "score_bias_iff") for n in ("alibi", "causal", "window", "prefix", "blocks")
    }
    assert {SYMMETRIES[y].reads for _, y in named} == {"layer"}


@pytest.mark.parametrize("name", ["alibi", "causal", "window", "prefix", "blocks"])
def test_the_condition_of_the_theorem_is_what_was_looked_at(name: str) -> None:
    """A cell would cite a condition that holds where its tensors change, or the reverse."""
    s = POSITION_SCHEMES[name]
    for n in (2, 4, 6):
        f, spots = s.frame(n), [s.spot(i, n) for i in range(n)]
        bias = np.array([
            [s.value(s.pair(a, b, f)) if s.value and s.pair else 0.0
             if s.seen is None or s.seen(a, b, f) else -np.inf for b in spots] for a in spots
        ])  # fmt: skip
        kept = bias - bias.max(axis=1, keepdims=True)
        for y in (y for y in SYMMETRIES.values() if y.reads == "layer" and y.fits(s, n)):
            for g in map(list, y.generators(s, n)):
                assert np.array_equal(kept[g][:, g], kept) == holds_at(s, y, n, g), (y.name, n, g)


def test_a_scheme_that_breaks_at_even_sizes_alone() -> None:
    """Sizes at which the symmetry holds again would be passed over."""
    own = lambda i, f: (pick(f["n"] % 2 == 0, i.number, 0),)  # noqa: E731
    c = cell(replace(POSITION_SCHEMES["learned"], own=own), SYMMETRIES["permutation"])
    assert c.verdict == "refuted" and c.smallest == 2 and c.smaller == (1,)
    assert c.larger == (4, 6, 8) and c.again == (3, 5, 7)
    assert "it holds again at n = 3, 5, 7" in c.reason


def test_sizes_in_words() -> None:
    """Sizes in words would be others."""
    assert listed((3, 4, 5, 6)) == "3, …, 6" and listed((4, 6, 8)) == "4, 6, 8"
    assert listed((2, 4, 6, 8)) == "2, 4, …, 8" and listed((2, 3, 5, 6)) == "2, 3, 5, 6"
    assert listed(()) == "none"


def test_counts_are_computed() -> None:
    """The summary would be of another table."""
    given = [c for name in QUICK for c in cells(name).values()]
    said = summary(given)
    assert said.startswith("61 refuted, 27 proved, 2 not applicable. Which permutations are kept")
    by = Counter(c.theorem for c in given if c.theorem)
    assert all(f"{count} by {theorem}" in said for theorem, count in by.items()) and len(by) == 1
    none = [c for c in given if not c.theorem]
    assert "Which permutations" not in summary(none)


def test_the_least_parameters() -> None:
    """A window of 0, in which a token sees itself alone, would be answered as one of 1; or a proof
    be claimed for parameters that it was not made for."""
    alone = {c.symmetry: c for c in row("window", {"w": 0})}
    assert all(c.verdict == "proved" for c in alone.values())
    assert alone["permutation"].regime.startswith("all n, w = 0,")
    assert alone["reversal"].regime.startswith("all n, all w ≥ 0,")
    assert cells("blocks")["blocks"].regime.startswith("all n = m·s, all s ≥ 1,")


def test_parameters() -> None:
    """The table would be of the default parameter whatever is given, or open for others."""
    wide = {c.symmetry: c for c in row("window", {"w": 3})}
    assert wide["permutation"].smallest == 5 and wide["permutation"].witness is not None
    assert wide["permutation"].witness.parameters == {"w": 3}
    alone = {c.symmetry: c for c in row("blocks", {"s": 1})}  # each token sees itself
    assert {c.verdict for c in alone.values()} == {"proved"}
    assert alone["shift"].regime == "all n, s = 1, all d and all weights"
    causal = {c.symmetry: c for c in row("prefix", {"p": 1})}  # a causal mask
    assert causal["offset"].verdict == "proved" and causal["context-2"].smallest == 3


@pytest.mark.slow
def test_parameters_that_are_looked_at() -> None:
    """Small n would be passed over for some values of a parameter."""
    clipped = {c.symmetry: c for c in row("shaw", {"k": 1})}  # the last token sees −1 everywhere
    assert clipped["context-1"].verdict == "proved"
    assert clipped["context-2"].verdict == "refuted"
    narrow = {c.symmetry: c for c in row("window-causal", {"w": 2})}["context-2"]
    assert narrow.smallest == 3 and narrow.regime == "n = 3, w = 2"  # a causal mask, by two layers
    far = {c.symmetry: c for c in row("relative-2d-distance", {"c": 3})}["blocks"]
    assert far.smallest == 9 and far.smaller == (3, 6)  # of two rows, the swap is a reflection


def test_a_cell_that_cannot_be_settled_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no witness is found and nothing is proved the table would not say so."""
    monkeypatch.setattr(scheme_table, "find", lambda *given: None)
    assert cell(POSITION_SCHEMES["learned"], SYMMETRIES["shift"]).verdict == "open"
    monkeypatch.setattr(scheme_table, "settled", lambda *given: (None, "undecided"))
    found = cell(POSITION_SCHEMES["alibi"], SYMMETRIES["reversal"])
    assert found.verdict == "open" and "not settled for all n" in found.reason


def test_any_depth_is_a_theorem_of_the_kernel() -> None:
    """Any depth would rest on induction that no program checks."""
    deep = cells("none")["context-any"]
    assert deep.verdict == "proved"
    assert deep.reason.startswith("kernel:") and "paper" not in deep.reason + deep.regime


def test_a_false_scheme_is_refuted() -> None:
    """A scheme that is called symmetric would be, whatever its entries are."""
    lopsided = replace(
        POSITION_SCHEMES["alibi"], pair=POSITION_SCHEMES["alibi-signed"].pair,
        value=POSITION_SCHEMES["alibi-signed"].value, name="alibi-signed",
    )  # fmt: skip
    assert cell(lopsided, SYMMETRIES["reversal"]).verdict == "refuted"
    assert cell(POSITION_SCHEMES["alibi"], SYMMETRIES["reversal"]).verdict == "proved"


def test_processes_make_no_difference() -> None:
    """The table would depend on how many processes compute it."""
    names = ("causal", "alibi")
    alone = [c for name in names for c in cells(name).values()]
    assert alone == table(names, 2)
    assert Counter(c.scheme for c in alone) == dict.fromkeys(names, len(SYMMETRIES))
