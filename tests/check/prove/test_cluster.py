"""A Dask cluster in place of processes: the same results, and one line where there is none."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from orderproof.check.page import TheoremPage
from orderproof.check.prove import executor
from orderproof.check.prove.basis import Basis
from orderproof.check.prove.executor import SchedulerError
from orderproof.check.prove.run import prove
from tests.commands.running import Run, refused, run  # noqa: F401
from tests.proofs.test_catalogue import timeless

pytestmark = pytest.mark.skipif(
    find_spec("distributed") is None, reason="SKIP: distributed is not installed"
)

ROOT = Path(__file__).resolve().parents[3]
SOME = ("perm_transpose_mul", "scores_conjugate", "softmax_conjugate", "bag_of_words")
Started = subprocess.Popen[bytes]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Started]]:
    """Begin a program of Dask on this machine; all are ended at the end."""
    begun: list[Started] = []

    def one(program: str, *options: object) -> Started:
        command = [sys.executable, "-m", f"distributed.cli.{program}", *map(str, options)]
        with (tmp_path / f"{len(begun)}.log").open("wb") as log:
            here = ("--host", "127.0.0.1", "--no-dashboard")
            begun.append(subprocess.Popen([*command, *here], cwd=ROOT, stdout=log, stderr=log))
        return begun[-1]

    yield one
    for process in begun:
        process.kill()
        process.wait()


def address(file: Path) -> str:
    """Where a scheduler is, as soon as it has written it."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            return str(json.loads(file.read_text())["address"])
        except (OSError, ValueError):  # not there yet, or not whole
            time.sleep(0.05)
    raise AssertionError("the scheduler did not begin")


@pytest.mark.slow
def test_a_cluster_finds_what_one_process_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, start: Callable[..., Started]
) -> None:
    """Theorems would have other pages or certificates where workers prove them, with several
    threads each, one of which is killed in the middle; and without workers, or a scheduler, a
    person would wait for ever."""
    file = tmp_path / "scheduler.json"
    scheduler = start("dask_scheduler", "--port", 0, "--scheduler-file", file)
    at = address(file)
    workers = [start("dask_worker", at, "--no-nanny", "--nthreads", k) for k in (3, 1)]
    seen: list[str] = []

    def done(page: TheoremPage) -> None:
        seen.append(page.id)
        workers[0].kill()

    pages, files = prove(SOME, 1, done, scheduler=at)
    assert sorted(seen) == sorted(SOME) and workers[0].wait() == -signal.SIGKILL
    alone = prove(SOME, 1)
    assert [timeless(p) for p in pages] == [timeless(p) for p in alone[0]]
    assert files == alone[1]
    workers[1].kill()
    monkeypatch.setattr(executor, "PATIENCE", 5.0)
    with pytest.raises(SchedulerError, match=f"^scheduler {at}: no worker for 5 s$"):
        prove(SOME, 1, scheduler=at)
    plain = executor.basis

    def basis() -> Basis:  # what is asked when the client is there
        scheduler.kill()
        return plain()

    monkeypatch.setattr(executor, "basis", basis)
    with pytest.raises(SchedulerError, match=f"^scheduler {at}: ended before the work was done$"):
        prove(SOME, 1, scheduler=at)


@pytest.mark.parametrize("given", ["hello", "tcp://here", "http://127.0.0.1:80", "tcp://a b:1"])
def test_what_is_no_address_is_one_line(run: Run, given: str) -> None:  # noqa: F811
    """A mistyped address would be a traceback, or be waited for without end."""
    refused(
        run("prove", "sum_act", "--scheduler", given), "given no address", "tcp://10.0.0.1:8786"
    )


@pytest.mark.slow
def test_who_does_not_answer_is_one_line(tmp_path: Path) -> None:
    """A person would wait for ever where one listens and says nothing."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        done = subprocess.run(
            [sys.executable, "-m", "orderproof", "prove", "sum_act", "--out", str(tmp_path),
             "--scheduler", f"tcp://127.0.0.1:{silent.getsockname()[1]}"],
            cwd=ROOT, capture_output=True, text=True, timeout=300,
        )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1 and "no answer; expected one that" in done.stderr
