"""The installed solvers, each in a separate process: it may crash, hang or fill the memory.

A solver is its Python package, or, where that is missing, its program on PATH.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import shutil
import subprocess
import time
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from multiprocessing.connection import Connection
from typing import Any

from . import cvc5_process, served, z3_process

PACKAGES = {"z3": ("z3-solver", z3_process), "cvc5": ("cvc5", cvc5_process)}
FLAGS = {"z3": ("-in", "-smt2", "-t:{ms}"), "cvc5": ("--lang=smt2", "--tlimit-per={ms}", "-")}
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


@dataclass(frozen=True)
class Answer:
    """unsat, sat, unknown, timeout, error (of the text) or crashed; with the solver's reason. Of
    a header: stated, misstated, timeout, error or crashed."""

    word: str
    seconds: float
    reason: str = ""


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

    def ask(self, text: str, seconds: float) -> Answer:
        """What the solver says to an SMT-LIB text within this time."""
        return self._asked(SATISFIABLE, text, seconds)

    def compare(self, text: str, seconds: float) -> Answer:
        """Whether the header of a certificate states what is asserted, as Z3 reads it."""
        return self._asked(HEADER, text, seconds)

    def _asked(self, question: str, text: str, seconds: float) -> Answer:
        start = time.perf_counter()
        try:
            if self._process is None:
                self._start()
            start = time.perf_counter()
            self._connection.send((question, text, max(1, int(1000 * seconds))))
            if not self._connection.poll(seconds + GRACE):
                self._stop()
                return Answer("timeout", time.perf_counter() - start, "did not stop by itself")
            word, reason = self._connection.recv()
        except (EOFError, OSError):
            self._stop()
            return Answer("crashed", time.perf_counter() - start, "the solver's process ended")
        spent = time.perf_counter() - start
        late = word == "unknown" and spent > 0.9 * seconds
        return Answer("timeout" if late else word, spent, reason)

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        arguments = (theirs, self._solver.name, self._solver.program)
        self._process = context.Process(target=serve, args=arguments, daemon=True)
        self._process.start()
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
    """Answer texts until the other end is closed, with nothing printed by the solver."""
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
            question, text, milliseconds = connection.recv()
        except EOFError:
            return
        connection.send(_answer(name, program, question, text, milliseconds))


def _answer(
    name: str, program: str | None, question: str, text: str, milliseconds: int
) -> tuple[str, str]:
    try:
        if question == HEADER:
            return served.compared(text)
        if program is not None:
            return _of_program(name, program, text, milliseconds)
        return PACKAGES[name][1].answer(text, milliseconds), ""
    except subprocess.TimeoutExpired:
        return "timeout", "did not stop by itself"
    except Exception as error:  # any failure on a hostile text is an answer
        return "error", shortened(error)


def _of_program(name: str, program: str, text: str, milliseconds: int) -> tuple[str, str]:
    flags = [flag.format(ms=milliseconds) for flag in FLAGS[name]]
    plain = text.replace("(set-info :status unsat)\n", "")  # another answer is no error
    done = subprocess.run(
        [program, *flags], input=plain, capture_output=True, text=True, check=False,
        timeout=milliseconds / 1000 + GRACE / 2,
    )  # fmt: skip
    said = done.stdout.split()
    if said and said[-1] in ("sat", "unsat", "unknown", "timeout") and "(error" not in done.stdout:
        return said[-1], ""
    return "error", shortened(done.stdout + done.stderr)


def shortened(error: object) -> str:
    """The error message of a solver, on one line of printable text."""
    text = error.args[0] if isinstance(error, Exception) and error.args else error
    text = text.decode(errors="replace") if isinstance(text, bytes) else str(text)
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line[:160] or type(error).__name__
