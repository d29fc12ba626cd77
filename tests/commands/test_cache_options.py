"""--cache, --no-cache and --scheduler: what a person reads of them, and what they do."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import platformdirs
import pytest
from click.testing import CliRunner

from orderproof.check.page import TheoremPage
from orderproof.check.prove.basis import basis
from orderproof.check.prove.cache import Cache
from orderproof.check.prove.results import write
from orderproof.check.prove.run import prove
from orderproof.check.rocq.mark import Rocq
from orderproof.command_line import cli
from orderproof.commands import shared
from orderproof.commands.prove import _write_sources
from orderproof.publish import book
from tests.commands.running import Run, apart, refused
from tests.commands.test_cli import LOADED

NAMES = ("softmax_conjugate", "not_offset_invariant_of_added_rows")
AGAIN = "of 2 theorems, of "


def files(folder: Path) -> dict[str, bytes]:
    """Everything that a run wrote, but for results.json."""
    found = {p.relative_to(folder).as_posix(): p for p in folder.rglob("*") if p.is_file()}
    return {name: p.read_bytes() for name, p in found.items() if name != "results.json"}


def test_a_second_run_says_that_it_is_one(run: Run, tmp_path: Path) -> None:
    """A person would take for checked now what was checked before, or get other files."""
    first, second = (run("prove", *NAMES, "--jobs", 1, "--out", out) for out in "ab")
    assert (first.status, first.err) == (second.status, second.err) == (0, "")
    assert AGAIN not in first.out and second.out.startswith(f"From the cache: 2 {AGAIN}20")
    note, _, rest = second.out.replace("to b", "to a").partition("\ntheorem")
    assert " ".join(note.split()).endswith("; --no-cache checks all now.")
    assert "theorem" + rest == first.out
    assert files(tmp_path / "a") == files(tmp_path / "b")
    one, two = ((tmp_path / out / "results.json").read_text("utf-8") for out in "ab")
    since = json.loads(two)["from_cache"]
    assert json.loads(one) == json.loads(two) | {"from_cache": {}} and {*since} == {*NAMES}
    assert one.partition('"theorems"')[2] == two.partition('"theorems"')[2]  # byte for byte
    third = run("prove", *NAMES, "--jobs", 1, "--out", "c", "--no-cache")
    assert third.out.replace("to c", "to a") == first.out
    assert json.loads((tmp_path / "c" / "results.json").read_text())["from_cache"] == {}


def test_a_damaged_entry_is_one_line(run: Run, tmp_path: Path) -> None:
    """A damaged cache would be taken for a proof, or end in a traceback, or not be told."""
    command = ("prove", *NAMES, "--jobs", 1, "--cache", "kept")
    assert run(*command).status == 0
    (path,) = (tmp_path / "kept").glob(f"*/theorem-{NAMES[0]}.json")
    path.write_bytes(path.read_bytes().replace(b'"proved"', b'"proven"'))
    done = run(*command)
    assert (
        done.status == 0
        and done.out.startswith(f"From the cache: 1 {AGAIN}")
        and done.err
        == (
            f"orderproof: cache: entry of theorem {NAMES[0]}: given bytes that are not those of "
            "their SHA-256; done again\n"
        )
    )
    assert run(*command).err == ""


def test_the_sources_of_the_book_are_those_of_the_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The book would be that of other theorems, or of pages that are no more."""
    asked: list[list[str]] = []

    def made(pages: Sequence[TheoremPage], folder: Path, *, date: str) -> list[Path]:
        asked.append([page.id for page in pages])
        return [write(folder / "book.tex", f"{date}: {asked[-1]}")]

    monkeypatch.setattr(book, "write_sources", made)
    for names, times in ((NAMES[:1], 1), (NAMES[:1], 1), (NAMES, 2)):
        kept = Cache(tmp_path / "kept", basis())
        pages, _ = prove(names, 1, cache=kept)
        _write_sources(pages, tmp_path / "out", kept)
        assert len(asked) == times and asked[-1] == [*names]
        text = (tmp_path / "out" / "book.tex").read_text(encoding="utf-8")
        assert text == f"2026-11-21: {[*names]}"
    for entry in (tmp_path / "kept").glob("*/sources-*.json"):
        entry.write_text("spoilt")
    _write_sources(pages, tmp_path / "out", kept)
    assert len(asked) == 3


def test_a_cache_that_cannot_be_written(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A person would not be told that the folder is wrong, or could prove nothing where the home is
    read-only."""
    (tmp_path / "file").write_text("")
    refused(run("prove", NAMES[0], "--cache", "file"), "file", "expected one to write to")
    refused(run("table", "--scheme", "none", "--cache", "file"), "expected one to write to")
    monkeypatch.setenv(shared.VARIABLE, "file/below")
    refused(run("prove", NAMES[0]), "file/below", "expected one to write to")
    refused(run("prove", NAMES[0], "--no-cache", "--cache", "kept"), "expected one of the two")
    monkeypatch.delenv(shared.VARIABLE)
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda *_, **__: tmp_path / "file")
    done = run("prove", NAMES[0])
    assert done.status == 0 and done.err.startswith("orderproof: no cache: output folder ")
    assert done.err.count("\n") == 1 and AGAIN not in run("prove", NAMES[0]).out


def test_without_options_the_cache_is_the_users(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Finished work would be kept where a person, or CI, does not expect it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv(shared.VARIABLE)
    run("prove", NAMES[0], "--no-cache")
    assert not (tmp_path / "home").exists()
    run("prove", NAMES[0])
    assert [p.name for p in (tmp_path / "home").iterdir()] == ["orderproof"]
    monkeypatch.setenv(shared.VARIABLE, "named")
    run("prove", NAMES[0])
    assert len([*(tmp_path / "named").glob("entries-*/theorem-*.json")]) == 1


def test_a_second_run_loads_no_library(run: Run, tmp_path: Path) -> None:
    """Seconds would go into loading solvers and the calculus, of which nothing is asked."""
    command = ("prove", NAMES[0], "--out", str(tmp_path / "out"), "--cache", str(tmp_path / "kept"))
    assert run(*command).status == 0
    warm = apart(*command, code=LOADED)
    assert (warm.status, warm.err) == (0, "[]\n"), warm.err


def test_rocq_is_not_started_for_what_is_kept(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The development would be compiled for minutes and nothing be asked of it; or its marks would
    stand on pages for which it was not asked."""
    compiled: list[Path] = []

    def library(out: Path) -> Rocq:
        compiled.append(out)
        return Rocq(tmp_path, (), 9.5, "8.99")

    monkeypatch.setattr("orderproof.check.rocq.run.installed", lambda package="": True)
    monkeypatch.setattr(shared, "rocq_library", library)
    name = "position_after_first_layer_cancels"
    run("prove", NAMES[0])
    texts = []
    for k in range(2):
        run("prove", name, "--rocq")
        texts.append(json.loads(Path("build/results.json").read_text("utf-8")))
        if not texts[-1]["from_cache"]:  # its claims do not come out without coqc
            assert len(compiled) == k + 1
    assert [t["environment"]["rocq"] for t in texts] == [{"version": "8.99", "seconds": 9.5}] * 2
    assert not Path("build/rocq/record.json").exists()  # which is of all theorems
    refused(run("prove", name, "--rocq", "--scheduler", "tcp://127.0.0.1:1"), "expected one of the")


def test_the_table_is_kept_too(run: Run, tmp_path: Path) -> None:
    """A second table, or a second book, would take half a minute again; or differ."""
    options = ("--scheme", "none", "--scheme", "learned", "--jobs", 1, "--out")
    first, second = run("table", *options, "a"), run("table", *options, "b")
    assert first == second and first.status == 0 and first.out
    assert files(tmp_path / "a") == files(tmp_path / "b") != {}
    cache = Path(shared.os.environ[shared.VARIABLE])
    found = sorted(p.stem for p in cache.glob("entries-*/*.json"))
    assert found == ["scheme-learned", "scheme-none"]


@pytest.mark.parametrize("command", ["prove", "book", "table"])
def test_help_says_where_work_is_kept(command: str) -> None:
    """A person would not know that results are kept, nor how to do without."""
    said = " ".join(CliRunner().invoke(cli, [command, "--help"]).output.split())
    assert "--no-cache" in said and "--cache DIR" in said and shared.VARIABLE in said
    assert "--scheduler ADDRESS" in said
