"""JSON from outside, read strictly: UTF-8, each key once in its object, and no NaN or infinity."""

from __future__ import annotations

import json
from typing import Any

SHOWN = 60  # characters of a key in a message


class JsonError(ValueError):
    """Bytes that are not strict JSON: what was given and what was expected, in one line."""


def loads(data: bytes, **numbers: Any) -> Any:
    """The value that JSON says; `numbers` as `json.loads` takes them (parse_float and so on)."""
    try:
        return json.loads(
            data.decode(), object_pairs_hook=_object, **{"parse_constant": _refused, **numbers}
        )
    except UnicodeDecodeError as e:
        raise JsonError(f"given bytes that are not UTF-8 at {e.start}, expected text") from None
    except json.JSONDecodeError as e:
        where = f"line {e.lineno}, column {e.colno}"
        raise JsonError(f"given text that is not JSON at {where} ({e.msg})") from None
    except RecursionError:
        raise JsonError("given lists nested too deeply, expected fewer levels") from None


def _object(items: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in items:
        if key in found:
            shown = repr(key) if len(repr(key)) <= SHOWN else f"{repr(key)[:SHOWN]}…"
            raise JsonError(f"key {shown}: given it twice, expected each key once")
        found[key] = value
    return found


def _refused(word: str) -> Any:
    raise JsonError(f"given {word}, expected a number")
