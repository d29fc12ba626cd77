"""The end of the time for a task, and an interruption: whatever may take long calls `check`.

The end belongs to the context, not to a function's arguments: what is computed below `limited`
keeps it, however deep. An interruption that some library turned into another error is raised anew
by the next `check`.
"""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any


class Late(Exception):
    """The time is over."""


_end = ContextVar("end", default=math.inf)  # by the clock of `time.monotonic`
_interruptions: list[int] = []


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """What is inside has so many seconds, or what is left of those around it."""
    token = _end.set(min(_end.get(), time.monotonic() + seconds))
    try:
        yield
    finally:
        _end.reset(token)


def end() -> float:
    """When the time is over, by the clock of `time.monotonic`."""
    return _end.get()


def check() -> None:
    """Late where the time is over; KeyboardInterrupt where the process was interrupted."""
    if _interruptions:
        raise KeyboardInterrupt
    if time.monotonic() > _end.get():
        raise Late


def _interrupted(number: int, _: Any) -> None:
    _interruptions.append(number)
    raise KeyboardInterrupt


@contextmanager
def interruptible() -> Iterator[None]:
    """Inside, an interruption ends in KeyboardInterrupt, whatever was made of it on the way: while
    a module is imported it may become an ImportError, or be lost. A program that ignores
    interruptions, or has its own handler, keeps that."""
    _interruptions.clear()
    main = threading.current_thread() is threading.main_thread()
    handled = main and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if handled:
        signal.signal(signal.SIGINT, _interrupted)
    try:
        yield
    except BaseException:
        if _interruptions:
            raise KeyboardInterrupt from None
        raise
    finally:
        if handled:
            signal.signal(signal.SIGINT, signal.default_int_handler)
