"""JSON from outside: what is read, and what is refused."""

from __future__ import annotations

import pytest

from orderproof.symbolic.strict_json import JsonError, loads


def test_json_is_read() -> None:
    """What is JSON would be refused, or a number be read otherwise than asked."""
    assert loads(b'{"a": [1, 0.5, null], "b": {"a": "x"}}') == {
        "a": [1, 0.5, None],
        "b": {"a": "x"},
    }
    assert loads(b"[0.5, NaN]", parse_float=str, parse_constant=str) == ["0.5", "NaN"]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b'{"a": 1, "a": 1}', "key 'a': given it twice, expected each key once"),
        (b'[{"a": {"b": 1, "b": 2}}]', "key 'b': given it twice"),
        (b'{"' + b"x" * 99 + b'": 1, "' + b"x" * 99 + b'": 1}', "…: given it twice"),
        (b"[NaN]", "given NaN, expected a number"),
        (b"[-Infinity]", "given -Infinity, expected a number"),
        (b'"\xff"', "given bytes that are not UTF-8 at 1, expected text"),
        (b"[1,\n]", "given text that is not JSON at line"),
        (b"", "given text that is not JSON at line 1, column 1"),
        (b"[" * 200_000, "given lists nested too deeply"),
    ],
)
def test_what_is_not_strict_json_is_refused_in_one_line(data: bytes, says: str) -> None:
    """A key given twice would count once, or a reader break down with a traceback."""
    with pytest.raises(JsonError) as caught:
        loads(data)
    assert says in str(caught.value) and str(caught.value).isprintable()
