"""Where work runs: in this process, in several, or on a Dask cluster. What runs in several goes
through one `concurrent.futures` executor, and a result is handed over as soon as it is there.

A cluster's executor is one of these. Every worker must have the same files and packages as this
process: its work is taken only then. Of a worker that dies another does the work again.
"""

from __future__ import annotations

import logging
import multiprocessing
import re
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from typing import Any, TypeVar

from .basis import basis, python_integers

T = TypeVar("T")
PATIENCE = 10.0  # seconds that a scheduler has to answer, or a cluster to have a worker
LOOK = 1.0  # seconds after which it is looked whether the cluster is still there
EXPECTED = f"expected one that answers within {PATIENCE:g} s, as tcp://10.0.0.1:8786"
ADDRESS = re.compile(r"tcp://[^\s/@]+:[0-9]{1,5}")
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
    """End this process when the one that began it is gone, however that ended; of an interruption,
    which a terminal sends to both, the other one tells."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
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
    client = _client(scheduler)
    ended = f"scheduler {scheduler}: ended before the work was done"

    def watch() -> None:
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except OSError as error:
            none = f"scheduler {scheduler}: no worker for {PATIENCE:g} s"
            raise SchedulerError(none if client.status == "running" else ended) from error

    try:
        pool, rests = client.get_executor(pure=False), basis().digest
        yield from _finished({pool.submit(_there, rests, work, n, *given): n for n in names}, watch)
    except CancelledError as error:
        raise SchedulerError(ended) from error
    finally:
        with suppress(OSError):
            client.close()


def _there(rests: str, work: Callable[..., T], *given: Any) -> T:
    """Work on a worker, one at a time, if it rests there on what it rests on here."""
    python_integers()
    with ALONE:
        if basis().digest == rests:
            found = work(*given)
            if basis().holds:
                return found
    raise SchedulerError(
        "a worker of the cluster has other files of orderproof, or other versions of Python or "
        "of packages, than this process: install the same there, and start it again"
    )


def address(scheduler: str) -> str:
    """The address of a scheduler; SchedulerError for a text that is none, or where the library that
    is to talk to it is missing."""
    if not ADDRESS.fullmatch(scheduler):
        raise SchedulerError(f"scheduler {scheduler!r}: given no address; {EXPECTED}")
    if find_spec("distributed") is None:
        extra = "install orderproof with its extra, orderproof[cluster]"
        raise SchedulerError(f"--scheduler needs distributed: {extra}")
    return scheduler


def _client(scheduler: str) -> Any:
    scheduler = address(scheduler)
    library = import_module("distributed")
    for name in [n for n in logging.root.manager.loggerDict if n.startswith("distributed")]:
        logging.getLogger(name).setLevel(logging.CRITICAL)  # one line is said, and here
    answer: Future[Any] = Future()

    def ask() -> None:
        try:
            answer.set_result(library.Client(scheduler, set_as_default=False))
        except BaseException as error:
            answer.set_exception(error)

    try:  # in a thread: who listens and says nothing is waited for without end
        threading.Thread(target=ask, daemon=True).start()
        return answer.result(timeout=PATIENCE)
    except (OSError, ValueError, TypeError) as error:
        raise SchedulerError(f"scheduler {scheduler}: no answer; {EXPECTED}") from error
