"""A Dask cluster in place of processes: the same results, and nothing lost with a worker."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

import pytest

from orderproof.proofs.check.page import TheoremPage
from orderproof.proofs.prove import executor
from orderproof.proofs.prove.basis import Basis, basis
from orderproof.proofs.prove.cache import Cache
from orderproof.proofs.prove.executor import SchedulerError, each
from orderproof.proofs.prove.run import prove
from tests.proofs.test_catalogue import timeless

pytestmark = pytest.mark.skipif(
    find_spec("distributed") is None, reason="SKIP: distributed is not installed"
)

ROOT = Path(__file__).resolve().parents[3]
SOME = ("perm_transpose_mul", "scores_conjugate", "softmax_conjugate", "bag_of_words")


@dataclass
class Cluster:
    """A scheduler and its workers, each a process of its own."""

    address: str
    folder: Path
    scheduler: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def worker(self, threads: int = 1) -> None:
        """One more worker."""
        options = [
            "--no-nanny",
            "--nthreads",
            str(threads),
            "--no-dashboard",
            "--host",
            "127.0.0.1",
        ]
        with (self.folder / f"worker-{len(self.workers)}.log").open("wb") as log:
            command = [sys.executable, "-m", "distributed.cli.dask_worker", self.address, *options]
            self.workers.append(subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log))


@contextmanager
def cluster(folder: Path) -> Iterator[Cluster]:
    """A scheduler on this machine, without workers; all of it is ended at the end."""
    file = folder / "scheduler.json"
    options = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", file]
    with (folder / "scheduler.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_scheduler", *map(str, options)],
            cwd=ROOT, stdout=log, stderr=log,
        )  # fmt: skip
    found = None
    try:
        found = Cluster(_address(file), folder, process)
        yield found
    finally:
        for each_ in (*(found.workers if found else ()), process):
            each_.kill()
            each_.wait()


def _address(file: Path) -> str:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            return str(json.loads(file.read_text())["address"])
        except (OSError, ValueError):  # not there yet, or not whole
            time.sleep(0.05)
    raise AssertionError("the scheduler did not begin")


def marked(name: str, folder: Path) -> str:
    """Work that says where it began, and ends when there is a file `go`."""
    with (folder / f"{name}.began").open("a") as file:
        file.write(f"{os.getpid()}\n")
    while not (folder / "go").exists():
        time.sleep(0.02)
    return name.upper()


def begun(folder: Path) -> dict[str, list[int]]:
    """Which processes began which work."""
    return {p.stem: [*map(int, p.read_text().split())] for p in folder.glob("*.began")}


@pytest.mark.slow
def test_nothing_is_lost_with_a_worker(tmp_path: Path) -> None:
    """Work of a worker that was killed in the middle of it would be lost, or come twice."""
    (tmp_path / "work").mkdir()
    killed: list[int] = []

    def kill(c: Cluster) -> None:
        """When both workers are at work, kill one, and let the other go on."""
        while len(begun(tmp_path / "work")) < 2:
            time.sleep(0.02)
        killed.append(c.workers[0].pid)
        c.workers[0].kill()
        c.workers[0].wait()
        (tmp_path / "work" / "go").touch()

    with cluster(tmp_path) as c:
        c.worker()
        c.worker()
        thread = threading.Thread(target=kill, args=(c,), daemon=True)
        thread.start()
        found = list(each(marked, "abcdef", tmp_path / "work", scheduler=c.address))
        thread.join()
    assert sorted(found) == [(name, name.upper()) for name in "abcdef"]
    (again,) = [pids for pids in begun(tmp_path / "work").values() if killed[0] in pids]
    assert again == [killed[0], c.workers[1].pid]


@pytest.mark.slow
def test_a_cluster_finds_what_one_process_finds(tmp_path: Path) -> None:
    """Theorems would have other pages or certificates where workers prove them, with several
    threads each, and one of which is killed in the middle."""
    kept = Cache(tmp_path / "cache", basis())
    seen: list[str] = []
    with cluster(tmp_path) as c:
        c.worker(threads=3)
        c.worker()

        def done(page: TheoremPage) -> None:
            seen.append(page.id)
            c.workers[0].kill()

        pages, files = prove(SOME, 1, done, cache=kept, scheduler=c.address)
    assert sorted(seen) == sorted(SOME) and c.workers[0].wait() == -signal.SIGKILL
    alone = prove(SOME, 1)
    assert [timeless(p) for p in pages] == [timeless(p) for p in alone[0]]
    assert files == alone[1] and not kept.trouble
    assert prove(SOME, 1, cache=Cache(tmp_path / "cache", basis()))[0] == pages


@pytest.mark.slow
def test_a_worker_with_other_files_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a worker with another version proved would stand as proved by this one."""
    monkeypatch.setattr(executor, "basis", lambda: Basis("0" * 64, ()))
    with cluster(tmp_path) as c:
        c.worker()
        with pytest.raises(SchedulerError, match=r"^a worker of the cluster has other files"):
            list(each(marked, "a", tmp_path, scheduler=c.address))
    assert not begun(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("dies", ["worker", "scheduler", "neither"])
def test_a_cluster_that_ends_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dies: str
) -> None:
    """Without workers, or without a scheduler, a person would wait for ever."""
    monkeypatch.setattr(executor, "PATIENCE", 20.0)  # a worker takes one or two to begin
    with cluster(tmp_path) as c:
        if dies != "neither":  # a cluster that has no worker from the start

            def kill() -> None:
                while not begun(tmp_path):
                    time.sleep(0.02)
                (c.scheduler if dies == "scheduler" else c.workers[0]).kill()

            c.worker()
            threading.Thread(target=kill, daemon=True).start()
        why = "ended before the work was done" if dies == "scheduler" else "no worker for 20 s"
        with pytest.raises(SchedulerError, match=f"^scheduler {c.address}: {why}$"):
            list(each(marked, "a", tmp_path, scheduler=c.address))


@pytest.mark.parametrize(
    "address", ["", "hello", "tcp://here", "http://127.0.0.1:80", "tcp://127.0.0.1:0",
                "tcp://127.0.0.1:70000", "tcp://a b:1", "tls://127.0.0.1:8786"],
)  # fmt: skip
def test_what_is_no_address_is_refused(address: str) -> None:
    """A mistyped address would be waited for without end."""
    with pytest.raises(SchedulerError, match=r"given no address; expected one .* tcp://10\."):
        list(each(marked, "a", scheduler=address))


@pytest.mark.slow
def test_a_scheduler_that_does_not_answer_is_one_line(tmp_path: Path) -> None:
    """A person would wait for ever where nobody listens, or where one listens and says nothing."""
    with socket.socket() as silent, socket.socket() as closed:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        closed.bind(("127.0.0.1", 0))
        for port in (silent.getsockname()[1], closed.getsockname()[1]):
            done = subprocess.run(
                [sys.executable, "-m", "orderproof", "prove", "sum_act", "--out", str(tmp_path),
                 "--scheduler", f"tcp://127.0.0.1:{port}"],
                cwd=ROOT, capture_output=True, text=True, timeout=300,
            )  # fmt: skip
            assert (done.returncode, done.stdout) == (2, "")
            assert done.stderr.count("\n") == 1 and "no answer; expected one that" in done.stderr
