"""What `decide --ask` prints about who sees whom: an answer a paragraph, rows counted from 1."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from orderproof.numeric.permuted.words import ROWS, sees
from orderproof.symbolic.counting import PEOPLE, joined
from orderproof.symbolic.onnx.dependence import DEPENDS, UNKNOWN, UNSEEN
from orderproof.symbolic.onnx.graph import place_text
from orderproof.symbolic.onnx.words import size_name

from .decide_text import answer, apart, entry, evidence, show_lines, wrapped, written

if TYPE_CHECKING:
    from orderproof.symbolic.onnx.dependence import DependenceResult, Grid
    from orderproof.symbolic.onnx.relations import Layout
    from orderproof.symbolic.onnx.report import Report
    from orderproof.symbolic.witness.model_file import DependenceWitness

WORDS = {DEPENDS: "DEPENDS", UNSEEN: "NO DEPENDENCE SEEN", UNKNOWN: "UNKNOWN"}
SHORT = 8  # numbers of a mask that are printed in a line
MARKS = (
    "x sees, ! sees and should not, . did not change; ~ changed by no more than rounding, ? to no "
    "finite number"
)


def show(report: Report, out: Path | None) -> None:
    """All answers, and where files went."""
    show_lines(report, [lines(r, report) for r in report.results], [*written(report, out)])


def lines(r: DependenceResult, report: Report) -> list[str]:
    """One answer: the question and the answer in one line, then what it rests on, and the grid."""
    where = r.output if r.output_axis is None else f"{r.output}, axis {r.output_axis}"
    about = [name for name, part in r.parts.items() if part.answer == r.answer]
    head = f"{r.input}, axis {r.axis} → {where}, {r.ask}: {WORDS[r.answer]}"
    if r.answer != UNSEEN:
        head += f"{' ON' if r.answer == DEPENDS else ':'} {' AND '.join(about).upper()}"
    size = size_name(report.graph, (r.input, r.axis))
    return [*answer(head, _parts(r, size)), *(_grid(r, r.grid, size) if r.grid else ())]


def _parts(r: DependenceResult, size: str) -> Iterator[str]:
    if r.along:
        yield f"rows of {joined([*map(place_text, r.along)])} changed along, as asked"
    for name, part in r.parts.items():
        tried = f"with {joined([*map(str, part.sizes)])} {_row(r)}s"
        if part.witness is not None:
            yield from _counterexample(r, part.witness, part.layout, size)
        elif part.answer == UNKNOWN:
            yield f"{name}: unknown{f' {tried}' if part.sizes else ''}, because {part.reason}"
        elif name == "contents":
            yield f"contents: nothing changed with other contents in {_others(r)}, {tried}"
        else:
            yield f"number: nothing changed beyond rounding without {_others(r)}, {tried}"
            if part.reason:
                yield f"number: {part.reason}"
    if r.number is None:
        yield f"the number of {_row(r)}s is fixed by the file"
    if UNSEEN in [part.answer for part in r.parts.values()]:
        yield "what was not seen is not proved: other inputs may show it"


def _values(r: DependenceResult) -> str:
    return "mask" if r.ask == "padding" else "ids"


def _row(r: DependenceResult) -> str:
    return ROWS[r.ask]


def _others(r: DependenceResult) -> str:
    return {
        "causal": "later tokens", "isolated": "the other requests",
        "padding": "the tokens that the mask hides", "documents": "the other documents",
    }[r.ask]  # fmt: skip


def _counterexample(
    r: DependenceResult, w: DependenceWitness, layout: Layout | None, size: str
) -> Iterator[str]:
    name, d, many = _row(r), w.difference, len(w.rows_changed) > 1
    yield sees(r.ask, w.row, w.rows_changed, not w.contents, d.d64, d.rounding)
    changed = f"{name}{'s' * many} {joined([str(PEOPLE(k)) for k in w.rows_changed])}"
    how = ("get" if many else "gets") + " other contents"
    if not w.contents:
        how = ("are" if many else "is") + " left out"
    now, was = apart(*w.at_entry())
    at = f"{size} = {w.n}"
    if layout is not None and 0 < len(layout.values) <= SHORT:
        at += f", {_values(r)} {' '.join(f'{v:g}' for v in layout.values)}"
        at += " in the last request alone" if layout.last_only else ""
    yield (
        f"counterexample, {at}: {changed} of {joined([p[0] for p in w.places])} {how}; "
        f"then {entry(w)} is {now} and was {was}"
    )
    yield from evidence(w)


def _grid(r: DependenceResult, grid: Grid, size: str) -> Iterator[str]:
    """Who sees whom: a line for each row of the output, a column for each of the inputs."""
    n = grid.layout.n
    title = f"who sees whom at {size} = {n}, rows of {r.output} below each other ({MARKS}):"
    yield from wrapped(title, "    ", "      ")
    labels = [r.output[:8]] if grid.whole else [str(PEOPLE(i)) for i in range(n)]
    heads = {"": [str(PEOPLE(j)) for j in range(n)]}
    if grid.layout.values:
        heads[_values(r)] = [f"{v:g}" for v in grid.layout.values]
    wide = max(len(x) for row in heads.values() for x in row)
    left = max(map(len, [*labels, *heads]))

    def line(label: str, cells: list[str]) -> str:
        return f"      {label:>{left}} {' '.join(f'{c:>{wide}}' for c in cells)}".rstrip()

    yield from (line(*head) for head in heads.items())
    for i, label in enumerate(labels):
        yield line(label, [_mark(grid, i, j) for j in range(n)])


def _mark(grid: Grid, i: int, j: int) -> str:
    if grid.sees[i, j]:
        return "!" if grid.hides(i, j) else "x"
    change = grid.changed[i, j]
    return "?" if math.isnan(change) else "~" if change else "."
