"""The installed solvers, each in a separate process: it may crash, hang or fill the memory.

A solver is its Python package, or, where that is missing, its program on PATH.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from typing import Any

from . import cvc5_process, served, z3_process
from .budget import QUESTION, Answer, Budget, stopped

PACKAGES = {"z3": ("z3-solver", z3_process), "cvc5": ("cvc5", cvc5_process)}
FLAGS = {
    "z3": ("-in", "-smt2", "rlimit={units}", "-t:{ms}"),
    "cvc5": ("--lang=smt2", "--rlimit-per={units}", "--tlimit-per={ms}", "-"),
}
GRACE = 5.0  # seconds after its limit when a solver without an answer is stopped
START = 60.0  # seconds that it may take to start
MEMORY = 4 << 30  # bytes
START_SAID = "ready"
SATISFIABLE, HEADER = "satisfiable", "header"  # the questions about a text


@dataclass(frozen=True)
class Solver:
    """A solver by its name and version; `program` is set where its package is missing."""

    name: str
    version: str
    program: str | None = None


def find() -> tuple[Solver, ...]:
    """Every installed solver."""
    found = []
    for name, (package, module) in PACKAGES.items():
        program = shutil.which(name)
        if module.installed():
            found.append(Solver(name, _version(package)))
        elif program is not None:
            found.append(Solver(name, "on PATH", program))
    return tuple(found)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "of unknown version"


class Process:
    """A solver in a process, given one text after another; restarted after a crash."""

    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        self._process: Any = None
        self._connection: Any = None

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def ask(self, text: str, seconds: float, budget: Budget = QUESTION) -> Answer:
        """What the solver says to an SMT-LIB text within its units of a budget, and this time."""
        return self._asked(SATISFIABLE, text, budget.within(seconds))

    def compare(self, text: str, seconds: float) -> Answer:
        """Whether the header of a certificate states what is asserted, as Z3 reads it."""
        return self._asked(HEADER, text, QUESTION.within(seconds))

    def _asked(self, question: str, text: str, budget: Budget) -> Answer:
        start = time.perf_counter()
        try:
            if self._process is None:
                self._start()
            start = time.perf_counter()
            self._connection.send((question, text, budget))
            if not self._connection.poll(budget.seconds + GRACE):
                self._stop()
                return replace(stopped(budget.seconds), seconds=time.perf_counter() - start)
            found: Answer = self._connection.recv()
        except (EOFError, OSError):
            self._stop()
            return Answer("crashed", time.perf_counter() - start, "the solver's process ended")
        return replace(found, seconds=time.perf_counter() - start)

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        arguments = (theirs, self._solver.name, self._solver.program)
        self._process = context.Process(target=serve, args=arguments, daemon=True)
        resource_tracker.ensure_running()  # or it is started next, and lets signals through
        before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])  # until it is ready
        try:
            self._process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        theirs.close()
        if not self._connection.poll(START) or self._connection.recv() != START_SAID:
            raise EOFError

    def _stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process.close()
            self._connection.close()
        self._process = None


def serve(connection: Connection, name: str, program: str | None) -> None:
    """Answer texts until the other end is closed, with nothing printed by the solver; end where a
    terminal interrupts both processes, without a word."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    if program is None:
        PACKAGES[name][1].answer("(check-sat)\n")  # loads it, outside the first answer's time
    connection.send(START_SAID)
    while True:
        try:
            question, text, budget = connection.recv()
        except EOFError:
            return
        connection.send(_answer(name, program, question, text, budget))


def _answer(name: str, program: str | None, question: str, text: str, budget: Budget) -> Answer:
    try:
        if question == HEADER:
            word, reason = served.compared(text)
            return Answer(word, reason=reason)
        if program is not None:
            return _of_program(name, program, text, budget)
        said: Answer = PACKAGES[name][1].answer(text, budget)
        return said
    except subprocess.TimeoutExpired:
        return stopped(budget.seconds)
    except Exception as error:  # any failure on a hostile text is an answer
        return Answer("error", reason=shortened(error))


def _of_program(name: str, program: str, text: str, budget: Budget) -> Answer:
    units, milliseconds = getattr(budget, name), max(1, int(1000 * budget.seconds))
    flags = [flag.format(units=units, ms=milliseconds) for flag in FLAGS[name]]
    plain = text.replace("(set-info :status unsat)\n", "")  # another answer is no error
    start = time.perf_counter()
    done = subprocess.run(
        [program, *flags], input=plain, capture_output=True, text=True, check=False,
        timeout=budget.seconds + GRACE / 2,
    )  # fmt: skip
    said = done.stdout.split()
    if said and said[-1] in ("sat", "unsat", "unknown", "timeout") and "(error" not in done.stdout:
        late = said[-1] == "unknown" and time.perf_counter() - start > 0.9 * budget.seconds
        return stopped(budget.seconds) if late else Answer(said[-1])
    return Answer("error", reason=shortened(done.stdout + done.stderr))


def shortened(error: object) -> str:
    """The error message of a solver, on one line of printable text."""
    text = error.args[0] if isinstance(error, Exception) and error.args else error
    text = text.decode(errors="replace") if isinstance(text, bytes) else str(text)
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line[:160] or type(error).__name__
