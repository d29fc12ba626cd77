"""Theorems from the cache: the same pages, and nothing that was not proved."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from orderproof.check.prove import checking, results, run
from orderproof.check.prove.basis import basis
from orderproof.check.prove.cache import Cache, sealed
from orderproof.check.prove.run import KIND, LONGEST, from_cache, keep, prove, taken
from orderproof.symbolic.statements.evidence import Evidence

SOME = ("softmax_conjugate", "not_offset_invariant_of_added_rows")
ROOT = Path(__file__).resolve().parents[3]


def cache_in(folder: Path) -> Cache:
    """The cache that a run opens."""
    return Cache(folder / "cache", basis())


@pytest.fixture
def nothing_checked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the theorems that are checked from here on."""
    names: list[str] = []
    own = run.prove_one

    def one(name: str, rocq: Any = None) -> Any:
        names.append(name)
        return own(name, rocq)

    monkeypatch.setattr(run, "prove_one", one)
    return names


def test_a_second_run_finds_the_same(tmp_path: Path, nothing_checked: list[str]) -> None:
    """A page from the cache would differ from the one that was checked, or be checked again."""
    first, cold = prove(SOME, 1, cache=cache_in(tmp_path)), [*nothing_checked]
    kept = cache_in(tmp_path)
    seen: list[str] = []
    second = prove(SOME, 1, lambda page: seen.append(page.id), cache=kept)
    assert cold == nothing_checked == seen == [*SOME] and kept.trouble == []
    assert second == first and from_cache(kept, SOME).keys() == {*SOME}
    texts = [json.dumps(results.results(pages)) for pages, _ in (first, second)]
    assert texts[0] == texts[1] and '"from_cache": {}' in texts[0]
    third = prove(SOME, 1)  # without it, all is checked
    assert nothing_checked == [*SOME, *SOME] and third[1] == first[1]

    def timeless(pages: Any) -> str:
        return re.sub(r'"seconds": [0-9.e-]+', "", json.dumps(results.results(pages)))

    assert timeless(third[0]) == timeless(second[0]) != texts[0]
    digests = [c["digest"] for t in results.results(second[0])["theorems"] for c in t["claims"]]
    assert digests and all(digests)


def test_only_what_is_missing_is_checked(tmp_path: Path, nothing_checked: list[str]) -> None:
    """One more theorem would mean that all are checked again, or come in another order."""
    prove(SOME[1:], 1, cache=cache_in(tmp_path))
    kept = cache_in(tmp_path)
    pages, _ = prove(SOME, 1, cache=kept)
    assert nothing_checked == [SOME[1], SOME[0]] and [p.id for p in pages] == [*SOME]
    assert from_cache(kept, SOME).keys() == {SOME[1]}
    (when,) = from_cache(kept, SOME).values()
    data = results.results(pages, None, from_cache(kept, SOME))
    assert data["from_cache"] == {SOME[1]: when}


def spoilt(entry: Path, how: str) -> None:
    """An entry damaged, or in the place of another."""
    raw = entry.read_bytes()
    if how == "flipped":
        entry.write_bytes(raw[:500] + bytes([raw[500] ^ 1]) + raw[501:])
    elif how == "empty":
        entry.write_bytes(b"")
    else:
        data = {"list": [], "number": 3, "record": {"is": "Mark"}, "other": {"is": "Path"}}[how]
        whole = json.loads(raw)["entry"] | {"data": data}
        entry.write_bytes(sealed(json.dumps(whole).encode()))


@pytest.mark.parametrize("how", ["flipped", "empty", "list", "number", "record", "other"])
def test_a_damaged_entry_is_done_again(
    tmp_path: Path, nothing_checked: list[str], how: str
) -> None:
    """A damaged entry would be taken for a proof, end in a traceback, or stay damaged."""
    first = cache_in(tmp_path)
    prove(SOME, 1, cache=first)
    spoilt(first.path(KIND, SOME[0]), how)
    kept = cache_in(tmp_path)
    pages, _ = prove(SOME, 1, cache=kept)
    assert nothing_checked == [*SOME, SOME[0]] and [p.verdict for p in pages] == ["proved"] * 2
    assert len(kept.trouble) == 1 and f"entry of theorem {SOME[0]}: " in kept.trouble[0]
    assert from_cache(kept, SOME).keys() == {SOME[1]}
    again = cache_in(tmp_path)
    assert prove(SOME, 1, cache=again)[0] == pages and again.trouble == []


def test_the_page_of_another_theorem_is_refused(tmp_path: Path) -> None:
    """An entry of this name that holds the page of another theorem would stand for it."""
    kept = cache_in(tmp_path)
    prove(SOME, 1, cache=kept)
    other = json.loads(kept.path(KIND, SOME[1]).read_bytes())["entry"] | {"name": SOME[0]}
    kept.path(KIND, SOME[0]).write_bytes(sealed(json.dumps(other).encode()))
    assert taken(kept, SOME[0]) is None and f"given no page of {SOME[0]}" in kept.trouble[-1]


@pytest.mark.parametrize("answer", [None, False, RuntimeError("broken"), "refutes"])
def test_what_is_not_as_declared_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nothing_checked: list[str], answer: Any
) -> None:
    """A time-out, a failure or an error would be final, or stand as proved the next time."""

    def weighed(*_: object) -> Any:
        if isinstance(answer, Exception):
            raise answer
        found = Evidence(False, "refuted", refutes=True) if answer == "refutes" else None
        return own(_[0], found or Evidence(answer, "as told"))

    own = checking.weigh
    with monkeypatch.context() as patched:
        patched.setattr(checking, "weigh", weighed)
        pages, _ = prove(SOME[:1], 1, cache=cache_in(tmp_path))
        assert pages[0].verdict in ("open", "refuted")
    assert not (tmp_path / "cache").exists()
    kept = cache_in(tmp_path)
    assert prove(SOME[:1], 1, cache=kept)[0][0].verdict == "proved"
    assert nothing_checked == [SOME[0]] * 2 and not from_cache(kept, SOME)


def test_what_is_recorded_is_so_from_the_cache(tmp_path: Path) -> None:
    """A recorded claim would be proved by having been kept; or one that stayed open beside it
    would be kept."""
    name = "causal_variance"
    first, _ = prove([name], 1, cache=cache_in(tmp_path))
    kept = cache_in(tmp_path)
    second, _ = prove([name], 1, cache=kept)
    assert first == second and second[0].verdict == "recorded"
    assert (
        from_cache(kept, [name]) and results.ending(first).status == results.ending(second).status
    )
    (page,) = second
    worse = replace(page, verdict="open")
    other = cache_in(tmp_path / "other")
    keep(other, name, (worse, {}))
    assert taken(other, name) is None


def test_those_that_take_longest_are_begun_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """One process would wait for the other at the end of a run."""
    names = ["sum_act", LONGEST[1], "bag_of_words", LONGEST[0]]
    began: list[str] = []

    def one(work: Any, missing: list[str], *_: object, **__: object) -> Any:
        began.extend(missing)
        return iter([(name, (replace(page, id=name), {})) for name in missing])

    (page,), _ = prove(SOME[:1], 1)
    monkeypatch.setattr(run, "each", one)
    pages, _ = prove(names, 2)
    assert began == [LONGEST[0], LONGEST[1], "sum_act", "bag_of_words"]
    assert [p.id for p in pages] == names


PROGRAM = "from orderproof.cli import main; main()"
LONGER = (*SOME, "scores_conjugate", "norms_equivariant", "bag_of_words", LONGEST[0])


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_goes_on(tmp_path: Path, how: signal.Signals) -> None:
    """What was proved before an interruption would be proved again, or half an entry be taken."""
    command = [sys.executable, "-c", PROGRAM, "prove", *LONGER, "--out", str(tmp_path / "out"),
               "--cache", str(tmp_path / "cache"), "--jobs", "2"]  # fmt: skip
    first = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    until = time.monotonic() + 120
    while len(entries(tmp_path)) < 2 and time.monotonic() < until:
        time.sleep(0.01)
    os.kill(first.pid, how)
    first.communicate(timeout=300)
    done = entries(tmp_path)
    assert first.returncode != 0 and 2 <= len(done) < len(LONGER)
    assert not (tmp_path / "out" / "results.json").exists()
    second = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert (second.returncode, second.stderr) == (0, "")
    data = json.loads((tmp_path / "out" / "results.json").read_text("utf-8"))
    assert {*data["from_cache"]} == done and len(data["theorems"]) == len(LONGER)
    assert entries(tmp_path) == {*LONGER}


def entries(folder: Path) -> set[str]:
    """The theorems that have an entry."""
    found = (folder / "cache").glob("entries-*/theorem-*.json")
    return {p.stem.removeprefix("theorem-") for p in found}
