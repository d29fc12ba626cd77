"""The cache: an entry is what was written, or it is not taken."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from orderproof.check.prove.basis import Basis, stamp
from orderproof.check.prove.cache import FORMAT, KEPT, Cache, prune
from orderproof.sealed import NotSealed, opened, sealed

DATA = {"verdict": "proved", "σ": [1, 2.5, None]}
MISSED = "given bytes that are not those of their SHA-256"


def opened_at(folder: Path, digest: str = "0" * 64) -> Cache:
    """A cache of results that rest on files and versions of this digest."""
    return Cache(folder, Basis(digest, stamp()))


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    """A cache with one entry."""
    found = opened_at(tmp_path)
    found.store("theorem", "a", DATA)
    assert found.trouble == []
    return found


def refused(cache: Cache, name: str = "a") -> str:
    """Why the entry is not taken."""
    cache.trouble.clear()
    assert cache.load("theorem", name) is None
    assert f"theorem {name}" not in cache.made and f"theorem {name}" not in cache.digests
    (line,) = cache.trouble
    assert line.startswith(f"entry of theorem {name}: ") and line.endswith("; done again")
    return line.removeprefix(f"entry of theorem {name}: ").removesuffix("; done again")


def test_what_was_stored_is_loaded(cache: Cache, tmp_path: Path) -> None:
    """Finished work would not be found by the next run, or it would not be the same."""
    again = opened_at(tmp_path)
    assert again.load("theorem", "b") is None and again.load("scheme", "a") is None
    assert again.load("theorem", "a") == DATA and again.trouble == []
    assert again.made.keys() == {"theorem a"} and again.made["theorem a"].endswith("+00:00")
    assert again.digests == cache.digests != {}
    again.store("theorem", "a", ["something else"])
    assert cache.load("theorem", "a") == ["something else"]


def test_every_byte_of_an_entry_counts(cache: Cache) -> None:
    """A bit that flipped on the disk would be taken for what was proved."""
    path = cache.path("theorem", "a")
    raw = path.read_bytes()
    for k in range(len(raw)):
        others = [raw[:k] + bytes([raw[k] ^ 1 << bit]) + raw[k + 1 :] for bit in range(8)]
        for data in others:
            with pytest.raises(NotSealed, match=MISSED):
                opened(data)
        path.write_bytes(others[k % 8])
        assert refused(cache) == MISSED, k
    path.write_bytes(raw)
    assert cache.load("theorem", "a") == DATA


def test_every_truncation_is_noticed(cache: Cache) -> None:
    """An entry that was cut off, emptied or added to would be taken for a whole one."""
    path = cache.path("theorem", "a")
    raw = path.read_bytes()
    others = [raw[:k] for k in range(len(raw))] + [raw[k:] for k in range(1, len(raw))]
    others += [raw + b"\n", raw + raw, b"\n" + raw, b"\0" * len(raw)]
    for data in others:
        with pytest.raises(NotSealed, match=MISSED):
            opened(data)
    for data in (b"", raw[:-1], raw[: len(raw) // 2], raw + b"\n"):
        path.write_bytes(data)
        assert refused(cache) == MISSED


def bodies() -> Iterator[tuple[bytes, str]]:
    """Entries with the right SHA-256 that are not the one that is looked for, and why."""
    good = {"format": FORMAT, "kind": "theorem", "name": "a", "rests on": "0" * 64,
            "made": "2026-11-22T20:00:00+00:00", "data": DATA}  # fmt: skip
    for key, value in (
        ("format", "orderproof-cache 2"), ("kind", "scheme"), ("name", "b"), ("rests on", "1" * 64),
    ):  # fmt: skip
        yield json.dumps(good | {key: value}).encode(), f"{key}: given '{value}'"
        yield json.dumps({k: v for k, v in good.items() if k != key}).encode(), "given None"
    for key in ("made", "data"):
        short = {k: v for k, v in good.items() if k != key}
        yield json.dumps(short).encode(), "given an entry without data"
    yield b"[]", "format: given None"
    yield b"", "Expecting value"
    yield b"{'format': 1}", "Expecting property name"
    yield b"\xff", "can't decode byte"
    yield b"[" * 100_000, "recursion"


@pytest.mark.parametrize(
    ("body", "why"), [pytest.param(*b, id=str(k)) for k, b in enumerate(bodies())]
)
def test_an_entry_of_something_else_is_refused(cache: Cache, body: bytes, why: str) -> None:
    """What was proved of another theorem, or by other files, would be taken for this one."""
    cache.path("theorem", "a").write_bytes(sealed(body))
    assert opened(sealed(body)) == body
    assert why in refused(cache)


@pytest.mark.parametrize("how", ["copied", "renamed", "linked"])
def test_an_entry_under_the_name_of_another_is_refused(cache: Cache, how: str) -> None:
    """Theorem a would be proved by the entry of theorem b."""
    cache.store("theorem", "b", "of b")
    ours, theirs = cache.path("theorem", "a"), cache.path("theorem", "b")
    ours.unlink()
    if how == "copied":
        ours.write_bytes(theirs.read_bytes())
    elif how == "renamed":
        theirs.rename(ours)
    else:
        ours.symlink_to(theirs)
    assert refused(cache) == "name: given 'b', expected 'a'"
    cache.store("theorem", "a", "of a")  # in its place, and not through the link
    assert cache.load("theorem", "a") == "of a" and not ours.is_symlink()
    assert how == "renamed" or cache.load("theorem", "b") == "of b"


def test_a_file_that_cannot_be_read_is_refused(cache: Cache) -> None:
    """A folder in the place of an entry would end the run in a traceback."""
    path = cache.path("theorem", "a")
    path.unlink()
    path.mkdir()
    assert refused(cache) == "its file: given a folder, expected an entry"
    cache.store("theorem", "a", DATA)
    assert any("Is a directory" in line for line in cache.trouble) and path.is_dir()


def test_what_rests_on_other_files_is_not_found(cache: Cache, tmp_path: Path) -> None:
    """After a change of the package, the results of what it was before would be taken."""
    other = opened_at(tmp_path, "1" * 64)
    assert other.load("theorem", "a") is None and other.trouble == []
    other.folder.mkdir()
    cache.path("theorem", "a").rename(other.path("theorem", "a"))
    assert refused(other).startswith("rests on: given '000")


def test_nothing_is_kept_once_a_file_was_written(
    cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Work by half of the old files and half of the new would be kept as that of the old."""
    monkeypatch.setattr(Basis, "holds", False)
    for name in ("b", "c"):
        cache.store("theorem", name, DATA)
        assert cache.load("theorem", name) is None
    assert len(cache.trouble) == 1 and "written meanwhile" in cache.trouble[0]


def test_a_full_disk_loses_no_result(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run of a minute would end without results since a copy of them could not be kept."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    cache.store("theorem", "a", "new")
    assert len(cache.trouble) == 1 and "No space left on device" in cache.trouble[0]
    assert cache.load("theorem", "a") == DATA
    assert [p.name for p in cache.folder.iterdir()] == ["theorem-a.json"]


def test_nan_is_not_kept(cache: Cache) -> None:
    """An entry would hold what no other reader of JSON takes."""
    with pytest.raises(ValueError, match="not JSON compliant"):
        cache.store("theorem", "b", float("nan"))
    assert cache.load("theorem", "b") is None


def written(folder: Path, who: int) -> list[str]:
    """Write one entry many times, and read it each time."""
    cache = opened_at(folder)
    for k in range(20):
        cache.store("theorem", "a", [who, k, "x" * 5000])
        found = cache.load("theorem", "a")
        if found is None or found[2] != "x" * 5000:
            return [*cache.trouble, str(found)]
    return cache.trouble


def test_several_may_write_one_entry(tmp_path: Path) -> None:
    """Two runs at once would read half of what the other writes."""
    with ProcessPoolExecutor(2) as pool:
        assert list(pool.map(written, [tmp_path] * 2, range(2))) == [[], []]
    (folder,) = tmp_path.iterdir()
    assert [p.name for p in folder.iterdir()] == ["theorem-a.json"]


def test_old_folders_are_removed(tmp_path: Path) -> None:
    """The cache would grow with every change of a file; or what is not its own would be removed."""
    for k in range(KEPT + 3):
        one = opened_at(tmp_path, f"{k:064x}"[::-1])
        one.store("theorem", "a", k)
        os.utime(one.folder, (k, k))
    (tmp_path / "mine.json").write_text("{}")
    (tmp_path / "entries-of-mine").mkdir()
    oldest = min(p for p in tmp_path.iterdir() if len(p.name) == 40)
    prune(tmp_path)
    left = {p.name for p in tmp_path.iterdir() if len(p.name) == 40}
    assert len(left) == KEPT and opened_at(tmp_path, f"{KEPT + 2:064x}"[::-1]).folder.name in left
    assert (tmp_path / "mine.json").exists() and (tmp_path / "entries-of-mine").exists()
    assert oldest.name.startswith("entries-")


def test_a_folder_with_other_files_is_left(tmp_path: Path) -> None:
    """A file that a person put there would be lost."""
    first = opened_at(tmp_path, "0" * 64)
    first.store("theorem", "a", DATA)
    (first.folder / "notes.txt").write_text("kept")
    os.utime(first.folder, (0, 0))
    for k in range(1, KEPT + 2):
        opened_at(tmp_path, f"{k:064x}"[::-1]).store("theorem", "a", k)
    assert [p.name for p in first.folder.iterdir()] == ["notes.txt"]
