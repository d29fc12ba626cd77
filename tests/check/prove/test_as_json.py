"""Plain data as JSON and back: what comes back is what was given, or there is an error."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orderproof.check.prove.as_json import CLASS, NotPlain, decode, encode, encoded, named


@dataclass(frozen=True)
class Pair:
    """A record."""

    left: Any
    right: Any = ()


CLASSES = named(Pair)
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
    | st.fractions(),
    lambda x: st.lists(x) | st.lists(x).map(tuple) | st.builds(Pair, x, x)
    | st.dictionaries(st.text() | st.integers(), x),
    max_leaves=8,
)  # fmt: skip


def through_text(value: Any) -> Any:
    """A value written as text and read again."""
    return decode(json.loads(json.dumps(encoded(value, CLASSES))), CLASSES)


@pytest.mark.parametrize("count", [20, pytest.param(100, marks=pytest.mark.slow)])
def test_what_comes_back_is_what_was_given(count: int) -> None:
    """A page from the cache would differ from the one that was checked."""

    @settings(max_examples=count)
    @given(PLAIN)
    def comes_back(value: Any) -> None:
        assert through_text(value) == value

    comes_back()


@pytest.mark.parametrize(
    "value", [1, True, 1.0, (1,), [1], {}, {CLASS: "Pair"}, Pair({1: "a"}), Fraction(1, 3)]
)
def test_kinds_are_kept(value: Any) -> None:
    """A list would come back as a tuple, a fraction as a number, or 1 as True."""
    found = through_text(value)
    assert found == value and type(found) is type(value)


@pytest.mark.parametrize("value", [{1}, object(), b"bytes", Pair, Pair({1, 2}), 1j, (b"",)])
def test_anything_else_is_refused(value: Any) -> None:
    """A value would be written as something that it is not."""
    with pytest.raises(NotPlain, match=r"given a value of \w+, expected one of Pair"):
        encode(value, CLASSES)


def test_a_value_that_does_not_come_back_is_refused() -> None:
    """A record that changes what it is given would be another one from the cache."""

    @dataclass(frozen=True)
    class Less:
        x: int

        def __post_init__(self) -> None:
            object.__setattr__(self, "x", self.x - 1)

    with pytest.raises(NotPlain, match="does not come back as it was"):
        encoded(Less(3), named(Less))


@pytest.mark.parametrize(
    "data", [{}, {CLASS: "Other", "x": 1}, {CLASS: "__import__"}, {"left": 1}, [{CLASS: None}]]
)
def test_unknown_classes_are_refused(data: Any) -> None:
    """A file would choose what is called."""
    with pytest.raises(NotPlain, match="expected one of Pair"):
        decode(data, CLASSES)
