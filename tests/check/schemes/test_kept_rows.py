"""Rows of the table from the cache: the same cells, or they are made again."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from orderproof.check.prove.basis import basis
from orderproof.check.prove.cache import Cache, sealed
from orderproof.check.schemes import table as module
from orderproof.check.schemes.table import KIND, entry, keep, row, table, taken
from orderproof.symbolic.witness.scheme_file import dumps

SOME = ("none", "learned", "sinusoidal")


def cache_in(folder: Path) -> Cache:
    """The cache that a run opens."""
    return Cache(folder / "cache", basis())


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The schemes whose row is made from here on."""
    names: list[str] = []

    def one(name: str, parameters: Any = None) -> Any:
        names.append(name)
        return row(name, parameters)

    monkeypatch.setattr(module, "row", one)
    return names


@pytest.mark.slow  # a row of rotations or sines takes seconds
def test_a_second_table_is_the_same(tmp_path: Path, made: list[str]) -> None:
    """A cell or a counterexample from the cache would differ from what was found."""
    first = table(SOME, cache=cache_in(tmp_path))
    kept, seen = cache_in(tmp_path), list[str]()
    second = table(SOME, done=seen.append, cache=kept)
    assert made == seen == [*SOME] and second == first and kept.trouble == []
    witnesses = [[dumps(c.witness) for c in t if c.witness] for t in (first, second)]
    assert witnesses[0] == witnesses[1] and len(witnesses[0]) > 3
    assert [c.to_json() for c in first] == [c.to_json() for c in second]


def test_parameters_have_rows_of_their_own(tmp_path: Path, made: list[str]) -> None:
    """The row of a wide window would be that of a narrow one."""
    kept = cache_in(tmp_path)
    usual, wide = (table(["window"], parameters=p, cache=kept) for p in (None, {"w": 2}))
    assert usual != wide and made == ["window", "window"]
    again = cache_in(tmp_path)
    assert table(["window"], parameters={"w": 2}, cache=again) == wide
    assert table(["window"], cache=again) == usual and made == ["window", "window"]
    assert entry("window", {"w": 2}) == "window-w2" != entry("window", None)


def test_an_open_cell_is_not_kept(tmp_path: Path) -> None:
    """A time-out would be final."""
    kept, cells = cache_in(tmp_path), row("none")
    keep(kept, "none", None, [replace(cells[0], verdict="open"), *cells[1:]])
    assert taken(kept, "none", None) is None and kept.trouble == []
    keep(kept, "none", None, cells)
    assert taken(kept, "none", None) == cells


@pytest.mark.parametrize("spoil", ["scheme", "symmetry", "missing", "record", "bytes"])
def test_a_row_of_something_else_is_made_again(tmp_path: Path, made: list[str], spoil: str) -> None:
    """The row of one scheme would stand in the line of another, or end in a traceback."""
    kept = cache_in(tmp_path)
    cells = table(["none"], cache=kept)
    path = kept.path(KIND, "none")
    whole = json.loads(path.read_bytes())["entry"]
    data = whole["data"]
    if spoil == "missing":
        data.pop()
    elif spoil == "record":
        data[0] = 3
    elif spoil != "bytes":
        data[0][spoil] = {"scheme": "constant", "symmetry": "shift"}[spoil]
    text = sealed(json.dumps(whole).encode())
    path.write_bytes(text[:-9] if spoil == "bytes" else text)
    again = cache_in(tmp_path)
    assert table(["none"], cache=again) == cells and made == ["none", "none"]
    assert len(again.trouble) == 1 and "entry of scheme none: " in again.trouble[0]
