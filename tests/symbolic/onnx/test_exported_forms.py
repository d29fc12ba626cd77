"""Forms that exporters write today: packed projections, masks that are picked by numbers, sizes
that are computed from sizes. Each is a theorem for all sizes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import sympy

from tests.symbolic.onnx.operator_models import FORMS

from orderproof.symbolic.onnx import counting  # isort: skip
from orderproof.symbolic.onnx.decide import decide  # isort: skip
from orderproof.symbolic.onnx.reading import not_negative  # isort: skip


@pytest.mark.parametrize("name", FORMS)
def test_form_is_a_theorem_for_all_sizes(name: str, tmp_path: Path) -> None:
    """Most people's models would be unknown, or decided for a few sizes alone."""
    model, axis, along, conditions = FORMS[name]
    (tmp_path / "model.onnx").write_bytes(model.proto.SerializeToString())
    (found,) = decide(tmp_path / "model.onnx", axis, along).results
    assert (found.answer, found.scope, found.conditions) == ("equivariant", "all n", conditions)


def test_numbers_that_count_nothing_have_no_strides() -> None:
    """A choice of positions would be read as none."""
    rows, columns = np.indices((3, 4))
    assert counting.strides_of(4 * rows + columns) == {0: 4, 1: 1}
    assert counting.strides_of(columns + 0 * rows) == {1: 1}
    for other in (4 * rows + columns + 1, columns[:, ::-1], columns**2, columns % 3):
        assert counting.strides_of(other) is None
    n, m = sympy.symbols("n m", integer=True, positive=True)
    plain = sympy.expand
    assert counting.row_by_row({0: n * m, 1: m, 2: sympy.S.One}, (3, n, m), plain) == [0, 1, 2]
    assert counting.row_by_row({0: sympy.S.One, 1: n}, (n, m), plain) == [1, 0]
    for wrong in ({0: m, 1: n}, {0: sympy.S.One, 1: m}, {0: 2 * sympy.S.One, 1: sympy.S.One}):
        assert counting.row_by_row(wrong, (n, m), plain) is None


def test_bounds_are_said_of_the_size_alone() -> None:
    """A person would have to solve `0 <= n - 2`, or read a bound that is off by one."""
    n, b = sympy.symbols("n b", integer=True, positive=True)
    floor = sympy.floor((n - 3) / 2)
    assert not_negative([7 - n]) == ["n <= 7"] and not_negative([8 - 2 * n]) == ["2*n <= 8"]
    assert not_negative([n - 2, floor, floor - 1, n - 2]) == ["n >= 5"]
    assert not_negative([b - n]) == ["n <= b"]
    assert not_negative([sympy.floor(n / 2) - sympy.floor(n / 3)]) == ["floor(n/3) <= floor(n/2)"]
