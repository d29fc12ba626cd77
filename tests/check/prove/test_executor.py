"""Where work runs: one process or several, each result as soon as it is there."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from orderproof.check.prove import executor
from orderproof.check.prove.executor import SchedulerError, WorkerDied, each

NAMES = [f"name {k}" for k in range(7)]


def told(name: str, *given: object) -> tuple[object, ...]:
    """What the work is given, and where it runs."""
    return name, given, os.getpid()


def interrupted(name: str) -> str:
    """Work in a process that a terminal interrupts, beside the one that began it."""
    os.kill(os.getpid(), signal.SIGINT)
    return name


def broken(name: str) -> None:
    """Work that breaks down."""
    raise RuntimeError(f"{name} is broken")


def died(name: str) -> None:
    """Work of which the process is killed, as it is where memory runs out."""
    os.kill(os.getpid(), signal.SIGKILL)


def slow(name: str, folder: Path) -> None:
    """Work that says that it began, and takes for ever."""
    (folder / name).write_text(str(os.getpid()))
    time.sleep(600)


@pytest.mark.parametrize("jobs", [1, 2, 1000])
def test_each_name_once(jobs: int) -> None:
    """Work would be lost or done twice, or not get what it is given."""
    found = dict(each(told, iter(NAMES), 1, "x", jobs=jobs))
    assert sorted(found) == NAMES
    assert {(v[0], v[1]) for v in found.values()} == {(name, (1, "x")) for name in NAMES}
    here = {v[2] == os.getpid() for v in found.values()}
    assert here == {jobs == 1}
    assert dict(each(told, [], jobs=jobs)) == {}


def test_one_process_hands_over_at_once() -> None:
    """What was done would be lost with an interruption, or shown at the end alone."""
    began: list[str] = []
    results = each(began.append, NAMES, jobs=1)
    assert next(results) == (NAMES[0], None) and began == NAMES[:1]


def test_a_process_is_ended_by_the_run_alone() -> None:
    """A process would tell of an interruption, which the run tells of, or be taken for one that
    was killed."""
    assert dict(each(interrupted, NAMES, jobs=2)) == dict(zip(NAMES, NAMES, strict=True))


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_is_raised(jobs: int) -> None:
    """Work that broke down would be missing without a word."""
    with pytest.raises(RuntimeError, match="is broken"):
        list(each(broken, NAMES, jobs=jobs))
    assert not multiprocessing.active_children()


def test_a_killed_process_is_one_line() -> None:
    """Where memory runs out, a person would get a traceback of the library, or wait for ever."""
    with pytest.raises(WorkerDied, match=r"^a process was killed .* with fewer --jobs$"):
        list(each(died, NAMES, jobs=2))


def test_processes_end_with_the_run(tmp_path: Path) -> None:
    """After an interruption the processes would go on for minutes."""
    results = each(slow, ["a", "b"], tmp_path, jobs=2)

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupted)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        with pytest.raises(KeyboardInterrupt):
            next(results)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert len(list(tmp_path.iterdir())) == 2 and not multiprocessing.active_children()


PROGRAM = """
import sys
from pathlib import Path
from tests.check.prove.test_executor import slow
from orderproof.check.prove.executor import each
list(each(slow, ["a", "b"], Path(sys.argv[1]), jobs=2))
"""


def running(pid: int) -> bool:
    """Whether a process is there, and not only waits to be collected."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="SKIP: no /proc here")
def test_processes_end_with_a_killed_parent(tmp_path: Path) -> None:
    """A run that is killed would leave processes behind that nobody ends."""
    parent = subprocess.Popen([sys.executable, "-c", PROGRAM, str(tmp_path)])
    try:
        pids = _pids(tmp_path)
        assert all(map(running, pids))
    finally:
        parent.kill()
        parent.wait()
    until = time.monotonic() + 60
    while any(map(running, pids)) and time.monotonic() < until:
        time.sleep(0.05)
    assert [pid for pid in pids if running(pid)] == []


def _pids(folder: Path) -> list[int]:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        texts = [p.read_text() for p in folder.iterdir()]
        if len(texts) == 2 and all(texts):
            return [int(text) for text in texts]
        time.sleep(0.05)
    raise AssertionError("the processes did not begin")


def test_a_cluster_without_its_library_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing extra would be a traceback, or be found when much was done; or work would run here
    without a word."""
    monkeypatch.setattr(executor, "find_spec", lambda name: None)
    for named in (executor.address, lambda a: list(each(told, NAMES, scheduler=a))):
        with pytest.raises(SchedulerError, match=r"install orderproof with its extra, .*cluster\]"):
            named("tcp://127.0.0.1:1")


def test_work_of_another_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a worker with other files proved would be taken for what these files prove."""
    rests = executor.basis().digest
    assert executor._there(rests, told, "a", 1) == ("a", (1,), os.getpid())
    with pytest.raises(SchedulerError, match="a worker of the cluster has other files"):
        executor._there("0" * 64, told, "a", 1)
    monkeypatch.setattr(executor.basis().__class__, "holds", False)
    with pytest.raises(SchedulerError, match="a worker of the cluster has other files"):
        executor._there(rests, told, "a", 1)
