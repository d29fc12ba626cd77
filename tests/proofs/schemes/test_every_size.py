"""From tensors that differ to outputs that do: what is not so of every n, and what is not seen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orderproof.proofs.schemes import every_size
from orderproof.proofs.schemes.every_size import everywhere, listed
from orderproof.proofs.schemes.table import cell
from orderproof.symbolic.schemes.definitions import POSITION_SCHEMES, pick
from orderproof.symbolic.schemes.sizes import looked_at
from orderproof.symbolic.schemes.symmetries import SYMMETRIES


def test_lost_at_even_sizes_alone() -> None:
    """A scheme that has the symmetry at odd n would be refuted for every n."""
    even = replace(
        POSITION_SCHEMES["learned"], own=lambda i, f: (pick(f["n"] % 2 == 0, i.number, 0),)
    )
    y = SYMMETRIES["permutation"]
    found = everywhere(even, y, looked_at(even, y))
    assert found.ground is None and found.replayed == (2, 4, 6, 8)
    c = cell(even, y)
    assert c.verdict == "refuted" and c.every_n is None and c.again == (3, 5, 7)
    assert c.regime == "n = 2, 4, …, 8" and "again at n = 3, 5, 7" in c.reason


def test_lost_at_small_sizes_alone() -> None:
    """What was looked at up to 8 would be said of every n."""
    small = replace(POSITION_SCHEMES["learned"], own=lambda i, f: (pick(f["n"] <= 8, i.number, 0),))
    c = cell(small, SYMMETRIES["reversal"])
    assert c.verdict == "refuted" and c.every_n is None and c.regime == "n = 2, …, 8"
    assert "the position tensors change for" not in c.reason


def test_a_bias_that_softmax_does_not_see(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tensors that break a symmetry would be taken for outputs that do: B_ij = b_i."""
    monkeypatch.setattr(every_size, "_shown_at", lambda *given: False)
    rows = replace(POSITION_SCHEMES["circulant"], pair=lambda i, j, f: (i.number,))
    y = SYMMETRIES["permutation"]
    found = everywhere(rows, y, looked_at(rows, y))
    assert found.ground is None and found.replayed == () and found.regime == "n = none"
    assert "the position tensors change for every n ≥ 2" in found.reason


def test_listed() -> None:
    """Sizes in words would be others."""
    assert listed((3, 4, 5, 6)) == "3, …, 6" and listed((4, 6, 8)) == "4, 6, 8"
    assert listed((2, 4, 6, 8)) == "2, 4, …, 8" and listed((2, 3, 5, 6)) == "2, 3, 5, 6"
    assert listed(()) == "none"
