"""The end of the time for a task: whatever may take long calls `check`.

The end belongs to the context, not to a function's arguments: what is computed below `limited`
keeps it, however deep.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class Late(Exception):
    """The time is over."""


_end = ContextVar("end", default=math.inf)  # by the clock of `time.monotonic`


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
    """Late where the time is over."""
    if time.monotonic() > _end.get():
        raise Late
