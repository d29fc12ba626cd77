"""Where work runs: in this process, in several, or on a Dask cluster. What runs in several goes
through one `concurrent.futures` executor, and a result is handed over as soon as it is there.

On a cluster every worker must have the same files and packages as this process: it says what it
rests on before its work is taken. A worker that dies loses nothing, another does its work again.
"""

from __future__ import annotations

import logging
import multiprocessing
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any, TypeVar

from .basis import basis

T = TypeVar("T")
PATIENCE = 10.0  # seconds that a scheduler has to answer, or a cluster to have a worker
LOOK = 1.0  # seconds after which it is looked whether the cluster is still there
ADDRESS = re.compile(r"tcp://[^\s/@]+:([0-9]{1,5})")
ENDED = "ended before the work was done"
ALONE = threading.Lock()  # terms, Z3 and SymPy are for one thread of a process


class SchedulerError(OSError):
    """A cluster that does not answer, or cannot do the work: what was given and expected."""


class WorkerDied(RuntimeError):
    """A process that ended before its work was done."""


def each(
    work: Callable[..., T],
    names: Iterable[str],
    *given: Any,
    jobs: int = 1,
    scheduler: str | None = None,
) -> Iterator[tuple[str, T]]:
    """`work(name, *given)` of each name, as it is finished; begun in their order.

    Raises what the work raises; SchedulerError, WorkerDied.
    """
    todo = list(names)
    if scheduler is None and min(jobs, len(todo)) <= 1:
        yield from ((name, work(name, *given)) for name in todo)
    elif scheduler is None:
        yield from _in_processes(work, todo, given, min(jobs, len(todo)))
    else:
        yield from _on_cluster(work, todo, given, scheduler)


# -------------------------------------------------------------------------------------- processes
def _in_processes(
    work: Callable[..., T], names: Sequence[str], given: tuple[Any, ...], jobs: int
) -> Iterator[tuple[str, T]]:
    others = set(multiprocessing.active_children())
    with ProcessPoolExecutor(jobs, initializer=_end_with_parent) as pool:
        try:
            yield from _finished({pool.submit(work, name, *given): name for name in names})
        except BaseException as error:
            for process in set(multiprocessing.active_children()) - others:
                process.terminate()  # what they were at is not waited for
            if isinstance(error, BrokenProcessPool):
                raise WorkerDied(
                    "a process was killed before its work was done (out of memory?); "
                    "give the command again, with fewer --jobs"
                ) from error
            raise


def _end_with_parent() -> None:
    """End this process when the one that began it is gone, however that ended."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_after, args=(parent.sentinel,), daemon=True).start()


def _end_after(sentinel: int) -> None:
    import os
    from multiprocessing.connection import wait as gone

    gone([sentinel])
    os._exit(1)


def _finished(
    running: dict[Future[T], str], watch: Callable[[], None] = lambda: None
) -> Iterator[tuple[str, T]]:
    """The results as they come in; `watch` is called whenever none has for a while."""
    while running:
        done = wait(running, timeout=LOOK, return_when=FIRST_COMPLETED).done
        for future in done:
            yield running.pop(future), future.result()
        if not done:
            watch()


# ---------------------------------------------------------------------------------------- cluster
def _on_cluster(
    work: Callable[..., T], names: Sequence[str], given: tuple[Any, ...], scheduler: str
) -> Iterator[tuple[str, T]]:
    rests = basis().digest
    with _cluster(scheduler) as (pool, watch):
        running = {pool.submit(_there, rests, work, name, *given): name for name in names}
        try:
            yield from _finished(running, watch)
        except CancelledError as error:
            raise SchedulerError(f"scheduler {scheduler}: {ENDED}") from error


def _there(rests: str, work: Callable[..., T], *given: Any) -> T:
    """Work on a worker, one at a time, if it rests there on what it rests on here."""
    with ALONE:
        _same(rests)
        found = work(*given)
        _same(rests)
    return found


def _same(rests: str) -> None:
    here = basis()
    if here.digest != rests or not here.holds:
        raise SchedulerError(
            "a worker of the cluster has other files of orderproof, or other versions of Python or "
            "of packages, than this process: install the same there, and start it again"
        )


@contextmanager
def _cluster(scheduler: str) -> Iterator[tuple[Executor, Callable[[], None]]]:
    expected = f"expected one that answers within {PATIENCE:g} s, as tcp://10.0.0.1:8786"
    address = ADDRESS.fullmatch(scheduler)
    if address is None or not 0 < int(address[1]) < 1 << 16:
        raise SchedulerError(f"scheduler {scheduler!r}: given no address; {expected}")
    try:
        library = import_module("distributed")
    except ModuleNotFoundError as error:
        raise SchedulerError(
            f"--scheduler needs {error.name}: install orderproof with its extra, "
            "orderproof[cluster]"
        ) from None
    for name in [n for n in logging.root.manager.loggerDict if n.startswith("distributed")]:
        logging.getLogger(name).setLevel(logging.CRITICAL)  # one line is said, and here
    try:
        client = _within(PATIENCE, lambda: library.Client(scheduler, set_as_default=False))
    except (OSError, ValueError, TypeError) as error:
        raise SchedulerError(f"scheduler {scheduler}: no answer; {expected}") from error
    seen = time.monotonic()

    def watch() -> None:
        nonlocal seen
        try:
            workers = _within(PATIENCE, client.scheduler_info)["workers"]
        except OSError as error:
            raise SchedulerError(f"scheduler {scheduler}: {ENDED}") from error
        if workers:
            seen = time.monotonic()
        elif time.monotonic() > seen + PATIENCE:
            raise SchedulerError(f"scheduler {scheduler}: no worker for {PATIENCE:g} s")

    try:
        yield client.get_executor(pure=False), watch
    finally:
        with suppress(OSError):
            _within(PATIENCE, client.close)


def _within(seconds: float, ask: Callable[[], T]) -> T:
    """What a cluster answers; TimeoutError where it does not within so many seconds, which the
    library waits for without end."""
    answer: Future[T] = Future()

    def asking() -> None:
        try:
            answer.set_result(ask())
        except BaseException as error:
            answer.set_exception(error)

    threading.Thread(target=asking, daemon=True).start()
    return answer.result(timeout=seconds)
