"""The table scheme × symmetry: all is settled, by which means, and where it would not be."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache

import pytest

from orderproof.proofs import scheme_table
from orderproof.proofs.scheme_table import Cell, cell, row, table
from orderproof.symbolic.position_replay import check
from orderproof.symbolic.position_schemes import POSITION_SCHEMES
from orderproof.symbolic.symmetries import SYMMETRIES


@cache
def cells(name: str) -> dict[str, Cell]:
    """A row of the table by symmetry."""
    return {c.symmetry: c for c in row(name)}


@pytest.mark.parametrize("name", POSITION_SCHEMES)
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
    "learned": "ids",
    "sinusoidal": "ids",
    "documents": "ids blocks",
}


@pytest.mark.parametrize("name", POSITION_SCHEMES)
def test_what_is_proved(name: str) -> None:
    """The table would claim a symmetry that the scheme lacks, or miss one that it has."""
    proved = {c.symmetry for c in cells(name).values() if c.verdict == "proved"}
    assert proved == set(PROVED.get(name, "offset ids").split())


def test_small_sizes_are_found() -> None:
    """An edge at small n would be papered over."""
    assert cells("alibi")["permutation"].smaller == (1, 2)  # the swap of two is the reversal
    assert cells("alibi")["permutation"].smallest == 3
    assert cells("window")["permutation"].by_parameter == ((1, 3), (2, 4), (3, 5))  # w + 2
    assert "n ≤ w + 1" in cells("window")["permutation"].reason
    assert cells("prefix")["context-2"].by_parameter == ((1, 3), (2, 4), (3, 5))  # p + 2
    assert cells("circulant-even")["context-1"].smallest == 4
    assert cells("circulant")["blocks"].smallest == 6  # of 4, two blocks swapped are a shift


def test_a_cell_that_cannot_be_settled_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no witness is found and nothing is proved the table would not say so."""
    monkeypatch.setattr(scheme_table, "find", lambda *given: None)
    assert cell(POSITION_SCHEMES["learned"], SYMMETRIES["shift"]).verdict == "open"
    monkeypatch.setattr(scheme_table, "settled", lambda *given: (None, "undecided"))
    found = cell(POSITION_SCHEMES["alibi"], SYMMETRIES["reversal"])
    assert found.verdict == "open" and "not settled for all n" in found.reason


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
    assert table(names, 1) == table(names, 2)
    assert Counter(c.scheme for c in table(names, 1)) == dict.fromkeys(names, len(SYMMETRIES))
