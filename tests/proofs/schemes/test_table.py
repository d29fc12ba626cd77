"""The table scheme × symmetry: all is settled, by which means, and where it would not be."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache

import pytest

from orderproof.proofs.schemes import table as scheme_table
from orderproof.proofs.schemes.table import Cell, cell, row, table
from orderproof.symbolic.schemes.definitions import POSITION_SCHEMES
from orderproof.symbolic.schemes.symmetries import SYMMETRIES
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
            assert c.witness.n in c.replayed


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
def test_refuted_for_every_n(name: str) -> None:
    """A cell would be refuted for every n without saying why."""
    for c in cells(name).values():
        if c.verdict != "refuted":
            assert c.every_n is None
            continue
        assert "(Z3 and cvc5); so an output differs" in c.reason and not c.again
        assert c.every_n is not None and c.sign == ""
        assert c.regime.startswith("every ") and c.replayed == (c.smallest,)
        assert c.reason.endswith(f"so an output differs by {c.every_n}")


def for_every_n(name: str, symmetry: str) -> str:
    """The part of a cell's regime that is about every n."""
    return cells(name)[symmetry].regime.partition("; looked at")[0]


def test_small_sizes_are_found() -> None:
    """An edge at small n would be papered over."""
    assert cells("alibi")["permutation"].smaller == (1, 2)  # the swap of two is the reversal
    assert cells("alibi")["permutation"].regime == "every n ≥ 3"
    assert cells("window")["permutation"].regime == "every w ≥ 1 and every n ≥ w + 2"
    assert "n ≤ w + 1" in cells("window")["permutation"].reason
    assert for_every_n("prefix", "context-2") == "every p ≥ 1 and every n ≥ p + 2"
    assert for_every_n("prefix", "offset") == "every p ≥ 2 and every n ≥ p"  # p = 1: causal
    assert for_every_n("shaw", "context-1") == "every k ≥ 2 and every n ≥ 3"  # k = 1: none of it
    assert cells("blocks")["permutation"].by_parameter == ((3, 6),)  # blocks of 1: all hold


@pytest.mark.slow
def test_small_sizes_of_rarer_schemes_are_found() -> None:
    """An edge at small n would be papered over, where a scheme is put together of two."""
    assert for_every_n("window-causal", "context-2") == "every n ≥ 3, w = 1"
    assert for_every_n("circulant-even", "context-1") == "every n ≥ 4"
    assert cells("circulant")["blocks"].smallest == 6  # of 4, two blocks swapped are a shift
    assert cells("window-causal")["blocks"].regime.endswith("every n ≥ 4 of the form 2·m")


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
    """What was looked at for a few n alone would be said of every n, or small n be passed over."""
    clipped = {c.symmetry: c for c in row("shaw", {"k": 1})}  # the last token sees −1 everywhere
    assert clipped["context-1"].verdict == "proved"
    deep = clipped["context-2"]
    assert (
        deep.verdict == "refuted" and deep.every_n is None and deep.replayed == (3, 4, 5, 6, 7, 8)
    )
    assert deep.regime.startswith("n = 3, …, 8")
    narrow = {c.symmetry: c for c in row("window-causal", {"w": 2})}["context-2"]
    assert narrow.replayed == (3,)  # a causal mask, seen by two layers
    assert narrow.regime.startswith("n = 3 by a witness, every n ≥ 4, w = 2") and not narrow.sign
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
    assert deep.verdict == "proved" and deep.sign == ""
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
