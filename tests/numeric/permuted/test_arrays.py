"""Arrays of any library: read, permuted and made again, without importing the library."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from orderproof.numeric.permuted.arrays import as_numpy, like, taken, type_name, unit_of
from tests.numeric.permuted.kinds import Capsule, Tensor

VALUES = np.arange(6, dtype=np.float32).reshape(3, 2)
KINDS: list[Any] = [np.array, Tensor, Capsule]


@pytest.mark.parametrize("kind", KINDS)
def test_slices_are_taken_in_the_kind_of_the_array(kind: Any) -> None:
    """A model would be called with an array of another library, or with the wrong order."""
    given = kind(VALUES)
    found = taken(given, (2, 0, 1), 0)
    assert type(found) is type(given)
    assert as_numpy(found).tolist() == [[4, 5], [0, 1], [2, 3]]
    assert as_numpy(taken(given, (1, 0), -1)).tolist() == [[1, 0], [3, 2], [5, 4]]
    assert as_numpy(given).tolist() == VALUES.tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_values_keep_type_and_kind(kind: Any) -> None:
    """A float32 model would be measured in float64, where it errs less than it does."""
    made = like(kind(VALUES), VALUES.astype(np.float64) + 1)
    assert type(made) is type(kind(VALUES))
    assert type_name(made) == "float32"
    assert as_numpy(made).tolist() == (VALUES + 1).tolist()


def test_reading_copies() -> None:
    """An output that the model writes over in its next call would change under our hands."""
    given = np.zeros(2)
    read = as_numpy(given)
    given[:] = 1
    assert read.tolist() == [0, 0]


def test_units_are_those_of_the_types() -> None:
    """The bound would be that of another precision."""
    for name in ("float16", "float32", "float64"):
        assert unit_of(np.zeros(1, name)) == np.finfo(name).eps / 2
    assert unit_of(np.zeros(1, np.complex64)) == 2.0**-24
    assert unit_of(np.zeros(1, np.uint8)) == unit_of(np.zeros(1, bool)) == 0
    for value in (np.zeros(1, "S3"), np.zeros(1, "datetime64[s]")):
        with pytest.raises(ValueError, match="expected integers or one of float64"):
            unit_of(value)


@pytest.mark.parametrize("value", [object(), "text", [[1.0], [1.0, 2.0]], None])
def test_what_is_no_array_is_refused(value: Any) -> None:
    """A model that returns something else would fail far from here, or pass."""
    with pytest.raises(ValueError, match=r"^given .*, expected an array[^\n]*$"):
        as_numpy(value)
