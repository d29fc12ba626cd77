"""The lecture, docs/lecture.ipynb, shows what its cells give."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from nbclient.exceptions import CellExecutionError

from tests.lecture import LECTURE, executed, outputs, read

pytestmark = pytest.mark.filterwarnings("ignore")  # those of the notebook's own machinery


@pytest.fixture(scope="module")
def lecture() -> Any:
    """The notebook as it is kept."""
    return read(LECTURE)


@pytest.mark.slow
def test_every_cell_gives_what_is_kept(lecture: Any) -> None:
    """The lecture would show what the code no longer derives; `make readme` was forgotten."""
    assert outputs(executed(lecture)) == outputs(lecture)


@pytest.mark.slow
def test_a_cell_that_fails_is_noticed(lecture: Any) -> None:
    """A lecture whose cells break would pass as executed."""
    broken = copy.deepcopy(lecture)
    code = next(c for c in broken.cells if c.cell_type == "code")
    code.source = "import orderproof as op\nop.no_such_name"
    with pytest.raises(CellExecutionError, match="no_such_name"):
        executed(broken)


def test_an_output_that_was_changed_is_noticed(lecture: Any) -> None:
    """The comparison would pass whatever the outputs are."""
    changed = copy.deepcopy(lecture)
    for cell in changed.cells:
        if cell.cell_type == "code" and cell.outputs:
            cell.outputs[0]["data"]["text/plain"] = "Z′ = Pᵀ Z"
            break
    assert outputs(changed) != outputs(lecture)


def test_every_cell_of_code_shows_something(lecture: Any) -> None:
    """A cell without an output would be compared with nothing."""
    assert all(outputs(lecture))


def test_every_theorem_that_is_shown_was_checked(lecture: Any) -> None:
    """The lecture says that all it prints was checked while it ran, and would show a theorem that
    was not."""
    shown = str(outputs(lecture))
    assert "TheoremPage additive_position_iff: proved" in shown and "not checked" not in shown


def test_only_if_is_cited_for_tables_of_any_width(lecture: Any) -> None:
    """A theorem on tables of one feature would be cited for all tables."""
    sources = [cell.source for cell in lecture.cells]
    before = sources[sources.index('op.prove("additive_position_iff")') - 1]
    assert "one feature" in before and "output_differs_of_rows" in before
