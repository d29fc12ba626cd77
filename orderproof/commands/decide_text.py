"""What `decide` prints for people: an answer a paragraph, tokens counted from 1."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import click

from orderproof.symbolic.counting import PEOPLE

if TYPE_CHECKING:
    from orderproof.symbolic.onnx.report import Report, Result

WIDTH = 80


def show(report: Report, out: Path | None) -> None:
    """All answers, and where files went."""
    click.echo(f"{Path(report.file).name}  (SHA-256 {report.model[:16]}…)")
    for result in report.results:
        click.echo("")
        for line in lines(result):
            click.echo(line)
    if out is not None:
        click.echo(f"\nWritten to {out}.")


def lines(r: Result) -> list[str]:
    """One answer: the question and the answer in one line, then what it rests on."""
    where = r.output if r.output_axis is None else f"{r.output}, {_axes(r.output_axis)}"
    scope = f", for {r.scope}" if r.scope and r.decided else ""
    head = f"{r.input}, axis {r.axis} → {where}: {r.answer.upper()}{scope}"
    return [head, *(line for part in _parts(r) for line in _wrapped(part))]


def _parts(r: Result) -> list[str]:
    found = []
    if r.along:
        found.append(f"with {', '.join(r.along)} moved along")
    found += [f"provided that {c}" for c in r.conditions if "moves along" not in c]
    if r.group is not None:
        kind = "exactly" if r.group.exact else "at least"
        found.append(f"under {kind} {r.group.order} permutations: {r.group.name}")
    if r.stuck and r.answer in ("not equivariant", "subgroup"):
        at = r.stuck[0]
        found.append(f"order enters at {at.tensor}" + (f", in node {at.node}" if at.node else ""))
    if r.witness is not None:
        found.append(f"counterexample: {r.witness.says(PEOPLE)}")
    details = {e.kind: e.detail for e in r.evidence}
    if "kernel" in details:
        text = "a theorem of the kernel, for all inputs and weights"
        if "constants" in details:
            text += f", where constants are fixed by every permutation: {details['constants']}"
        found.append(text)
    if "check" in details:
        found.append(f"the translation agrees: {details['check']}")
    if r.reason:
        found.append(f"because {r.reason}")
    return found


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent="    ", subsequent_indent="      ", break_on_hyphens=False
    )


def _axes(axis: int | tuple[int, ...]) -> str:
    if isinstance(axis, tuple):
        return "axes " + " and ".join(map(str, axis))
    return f"axis {axis}"
