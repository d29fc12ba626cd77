"""The page of one scheme: rows of cells with one reason, and the sides of its counterexample."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orderproof.proofs.book.position_rows import WrongPortrait, rows, sides, why
from orderproof.proofs.book.position_worked import worked
from orderproof.proofs.check.page import Example
from orderproof.symbolic.schemes.definitions import POSITION_SCHEMES
from tests.proofs.schemes.test_table import cells as row_of

pytestmark = pytest.mark.xdist_group("table")  # one process computes it, for all tests of it


def test_rows_are_all_cells_once() -> None:
    """A cell would be missing from a portrait, stand twice, or under another's reason."""
    for name in ("alibi", "causal"):
        cells = tuple(row_of(name).values())
        found = rows(cells)
        assert [y for row in found for y in row.symmetries] == [c.symmetry for c in cells]
        assert 1 < len(found) < len(cells)
        for row in found:
            for c in (row_of(name)[y] for y in row.symmetries):
                assert (c.verdict, c.regime, why(c)) == (row.cell.verdict, row.cell.regime, row.why)
                assert (c.every_n is not None) == bool(row.by)


def test_a_reason_is_what_changes() -> None:
    """A portrait would repeat the witness, or not say what changes for every n."""
    cells = row_of("causal")
    assert why(cells["permutation"]).endswith("sees token 2 changes (Z3 and cvc5)")
    assert why(cells["context-2"]).startswith("tokens 1 and 2 change places; every token")
    assert why(cells["ids"]) == cells["ids"].told
    (row,) = (r for r in rows(tuple(cells.values())) if "context-2" in r.symmetries)
    assert row.by == ("output_differs_of_columns",)


def test_a_reason_without_its_theorem_is_an_error() -> None:
    """A cell refuted for every n would be told without its argument, or with another's."""
    c = row_of("causal")["permutation"]
    for reason in ("n = 2: found", c.reason.replace("score_bias_iff", "output_differs_of_rows")):
        with pytest.raises(WrongPortrait, match="causal, permutation"):
            why(replace(c, reason=reason))


def test_a_counterexample_has_two_sides() -> None:
    """Before and after would be exchanged, or a part of either be lost."""
    c = row_of("causal")["permutation"]
    assert c.witness is not None
    example = worked(POSITION_SCHEMES["causal"], c.witness, "witnesses/x.json")
    found = sides(example)
    joined = (found.first, *found.before.parts, *found.after.parts, found.last)
    assert joined == example.parts
    assert str(found.before.parts[0]).startswith("Before")
    with pytest.raises(WrongPortrait, match="x"):
        sides(Example("x", example.parts[1:]))
