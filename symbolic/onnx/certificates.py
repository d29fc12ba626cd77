"""The files of the questions that settle a model's constants, and their recheck.

A file says what it is about: by that the question is made anew from the model, and compared with
the file word for word. What solvers say of a file that was not compared is said of its text alone.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from orderproof.symbolic import strict_json
from orderproof.symbolic.smt.budget import Answer
from orderproof.symbolic.smt.certificate import (
    MODEL,
    SERVES,
    Certificate,
    CertificateError,
    lines_of,
)
from orderproof.symbolic.smt.models_of_assumptions import model as model_of_assumptions
from orderproof.symbolic.smt.obligation import Obligation
from orderproof.symbolic.smt.recheck import NOT_COMPARED, Report, Row, assumed, chosen, judged, read
from orderproof.symbolic.smt.served import MISSTATED, SHOWN, STATED, first_difference
from orderproof.symbolic.smt.solvers import Process, Solver, find

from .entries.check import Misread, numeric_check
from .entries.evaluate import TooLarge
from .entries.reader import Entry, entry
from .graph import Graph, Unsupported
from .settle import Settled, asked

OF_MODEL = "constant of model "
COMPARED_AT = (1, 2, 3, 5, 8, 13)  # the first size, where a question is made anew from a file
UNCOMPARED = Answer(NOT_COMPARED, 0.0, "given no --model")


@dataclass(frozen=True)
class About:
    """What a question is about, as its file says: the model by its digest, the constant by its
    name, the axes that σ moves with the first place of each, the name of the number of tokens, up
    to how many (None: all), and which of the questions for this it is, from 0."""

    model: str
    constant: str
    axes: tuple[tuple[int, int], ...]
    size: str
    bound: int | None
    question: int

    def line(self) -> str:
        """As a line of a header, which keeps neither | nor two spaces together."""
        said = {**vars(self), "axes": {str(k): first for k, first in self.axes}}
        return json.dumps(said).replace("|", r"\u007c").replace("  ", r" \u0020")

    @staticmethod
    def of(line: str) -> About:
        """What such a line of a header says; CertificateError where it is none."""
        try:
            said = strict_json.loads(line.replace("∖", "\\").encode())
            axes = tuple((int(k), first) for k, first in said.pop("axes").items())
            found = About(axes=axes, **said)
        except (AttributeError, KeyError, TypeError, ValueError):
            raise CertificateError(f"given {line[:SHOWN]!r}, expected what decide writes") from None
        texts = found.model, found.constant, found.size
        numbers = [found.question, *(x for pair in axes for x in pair)]
        numbers += [] if found.bound is None else [found.bound]
        good = axes and all(type(x) is int and x >= 0 for x in numbers)
        if not good or not all(isinstance(x, str) for x in texts):
            raise CertificateError(f"given {line[:SHOWN]!r}, expected what decide writes")
        return found

    @property
    def title(self) -> str:
        """In words."""
        places = " and ".join(f"axis {k}{f' from {o}' if o else ''}" for k, o in self.axes)
        upto = f"for all {self.size}" if self.bound is None else f"for {self.size} <= {self.bound}"
        return f"The constant {self.constant} is not moved on {places}, {upto}"

    def text(self, question: Obligation, model: tuple[str, ...] | None = None) -> str:
        """A question as an SMT-LIB file, with a model of its assumptions: this one, or one that is
        found."""
        about = {
            "theorem": (f"{OF_MODEL}{self.model[:12]}",),
            "title": (self.title,),
            SERVES: (self.line(),),
            MODEL: model_of_assumptions(question) if model is None else model,
        }
        return question.smtlib(about)


def texts(
    found: Settled, model: str, constant: str, axes: Mapping[int, int], size: str
) -> list[str]:
    """The questions that settled a constant for all sizes or up to a bound, as SMT-LIB files."""
    scope = found.scope
    bound = int(scope.removeprefix("n <= ")) if scope.startswith("n <= ") else None
    about = About(model, constant, tuple(axes.items()), size, bound, 0)
    return [replace(about, question=k).text(o) for k, o in enumerate(found.questions)]


def questions(entry: Entry, about: About) -> tuple[Obligation, ...]:
    """What is asked of an entry, for all sizes or up to a bound; CertificateError where it has no
    such axis, or no size of this name."""
    if about.size not in entry.sizes or not all(k < len(entry.dims) for k, _ in about.axes):
        given = f"given {about.title[:SHOWN]!r}"
        raise CertificateError(f"{given}, expected axes and a size of {entry.name[:SHOWN]!r}")
    return asked(entry, dict(about.axes), about.size, about.bound)


class Anew:
    """The questions about the constants of a model, made anew from its file."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._entries: dict[str, Entry] = {}

    def entry(self, name: str) -> Entry:
        """The entry of a constant, compared with the file's own at some sizes. Unsupported, Misread
        or TooLarge where it cannot be."""
        if name not in self._entries:
            found = entry(self.graph, name)
            own = [{s: k + j for j, s in enumerate(found.sizes)} for k in COMPARED_AT]
            self._entries[name] = numeric_check(found, self.graph, own).entry
        return self._entries[name]

    def questions(self, about: About) -> tuple[Obligation, ...]:
        """All that is asked for what a file is about."""
        if about.model != self.graph.sha256:
            given = f"given a question of the model {about.model[:12]!r}"
            raise CertificateError(f"{given}, expected {self.graph.sha256[:12]!r}")
        made = (name for call in self.graph.calls for name in call.outputs)
        if not about.constant or about.constant not in {*self.graph.constants, *made}:
            raise CertificateError(
                f"given the constant {about.constant[:SHOWN]!r}, expected one of the model"
            )
        return questions(self.entry(about.constant), about)

    def text(self, certificate: Certificate) -> str:
        """The question that a file should hold, by what its header says that it is about. A model
        of the assumptions is taken from the file, as solvers check it."""
        about = about_of(certificate)
        asked = self.questions(about)
        if about.question >= len(asked):
            raise CertificateError(f"given question {about.question} of {len(asked)}, from 0")
        (model,) = lines_of(certificate.text, (MODEL,)).values()
        return about.text(asked[about.question], model)

    def compared(self, certificate: Certificate) -> Answer:
        """Whether a file is, word for word, the question that it should be."""
        try:
            wrong = first_difference(certificate.text, self.text(certificate))
        except CertificateError as error:
            return Answer(MISSTATED, 0.0, str(error))
        except (Unsupported, Misread, TooLarge, ValueError) as error:
            return Answer(NOT_COMPARED, 0.0, f"not made anew from the model: {error}")
        other = f"another question than that of the model: {wrong}"
        return Answer(MISSTATED, 0.0, other) if wrong else Answer(STATED, 0.0)

    def missing(self, here: Iterable[About]) -> list[Row]:
        """The questions that no file holds, of what these are about."""
        found: dict[About, set[int]] = {}
        for about in here:
            found.setdefault(replace(about, question=0), set()).add(about.question)
        return [
            Row(f"question {k}", "missing", f"no such file, expected one of: {about.title}")
            for about, own in found.items()
            for k in sorted({*range(len(self.questions(about)))} - own)
        ]


def about_of(certificate: Certificate) -> About:
    """What a file says that it is about; CertificateError where it does not."""
    if len(lines := certificate.about[SERVES]) != 1:
        raise CertificateError(f"given {len(lines)} lines {SERVES!r}, expected one")
    return About.of(lines[0])


def of_models(
    folder: Path,
    timeout: float,
    independent: bool = False,
    solver: str | None = None,
    graph: Graph | None = None,
) -> Report | None:
    """The questions of a folder, by every solver found (or the named one), and compared with those
    of this model; None where not all are about constants of models, by what their headers say."""
    start = time.perf_counter()
    refused, found, recorded = read(folder)
    if not found or not all(c.says["theorem"].startswith(OF_MODEL) for c in found):
        return None
    solvers, anew = chosen(solver), None if graph is None else Anew(graph)
    headers = {c.name: anew.compared(c) if anew else UNCOMPARED for c in found}
    rows = [*refused, *(recheck(c, timeout, headers[c.name], solvers) for c in found)]
    if anew:
        rows += anew.missing(about_of(c) for c in found if headers[c.name].word == STATED)
    spent = time.perf_counter() - start
    ordered = tuple(sorted(rows, key=lambda row: row.file))
    return Report(
        solvers, ordered, recorded, solver is not None, spent, independent,
        of_model=True, model=None if graph is None else graph.sha256,
    )  # fmt: skip


def recheck(
    certificate: Certificate, timeout: float, header: Answer, solvers: Iterable[Solver] = ()
) -> Row:
    """The verdict of solvers (every one found) on a question, which was compared, or not."""
    answers: dict[str, tuple[Answer, Answer]] = {}
    for solver in solvers or find():
        with Process(solver) as process:
            said = process.ask(certificate.text, timeout)
            answers[solver.name] = (said, assumed(certificate, process, timeout))
    return judged(certificate, answers, header)
