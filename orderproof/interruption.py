"""An interruption (SIGINT) ends the command line, at any moment once Python has started: one line,
and status 130.

A library may lose a KeyboardInterrupt, or make another error of it, while it imports a module or
clears an object away. So the line is printed, and both outputs are closed, before it is raised, and
after PATIENCE the process ends, whatever became of it. That may be at any moment: files are written
beside their place and renamed into it, and worker processes end with this one.
"""

from __future__ import annotations

import _thread
import os
import sys
import time

TYPE_CHECKING = False  # as in typing, which takes longer to import than all that is imported here
if TYPE_CHECKING:
    import signal
    from collections.abc import Callable
else:
    import _signal as signal  # built in: what signal adds to it has to be imported

STATUS = 130
PATIENCE = 1.0  # seconds for what is left to do: to end processes, and remove temporary folders
CLEAR = "\r\x1b[2K\x1b[?25h"  # on a terminal: instead of a progress bar, and with the cursor
_report: Callable[[], str] | None = None
_process = 0  # that is interrupted: not a copy of it, which has the same handler at first
_interrupted = False


def report(made: Callable[[], str]) -> None:
    """What the line says besides is made by this, when there is an interruption."""
    global _report
    _report = made


def guarded(run: Callable[[], None]) -> None:
    """Run the command line, and end the process where it was interrupted. A program that ignores
    interruptions, or has its own handler, keeps that."""
    global _process
    ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    try:
        try:
            if ours:
                _process = os.getpid()
                signal.signal(signal.SIGINT, _interrupt)
            run()
        finally:
            if ours:  # all is written: from here on it comes too late
                signal.signal(signal.SIGINT, signal.SIG_IGN)
    finally:
        if _interrupted:
            os._exit(STATUS)


def _interrupt(*_: object) -> None:
    global _interrupted
    if _interrupted or os.getpid() != _process:
        os._exit(STATUS)
    _interrupted = True
    _say("orderproof: interrupted" + (f"; {_report()}" if _report else ""))
    _thread.start_new_thread(_end, ())
    raise KeyboardInterrupt


def _say(line: str) -> None:
    """Print the last line, and close both outputs: a descriptor that was closed from the start may
    be that of another file by now."""
    said = -1 if sys.__stderr__ is None else os.dup(sys.__stderr__.fileno())
    nothing = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.__stdout__, sys.__stderr__):
        if stream is not None:
            os.dup2(nothing, stream.fileno())
    if said != -1:
        clear = CLEAR if os.isatty(said) else ""
        try:
            os.write(said, f"{clear}{line}\n".encode())
        except OSError:  # nobody reads it, or there is no room
            return


def _end() -> None:
    time.sleep(PATIENCE)
    os._exit(STATUS)
