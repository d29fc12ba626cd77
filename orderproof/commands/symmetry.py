"""`orderproof symmetry`: the exact group of a scheme, a bias, a mask or a position table."""

from __future__ import annotations

import json
import re
import sys
import time
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from orderproof.symbolic.counting import JSON, PEOPLE, cycle_text

from . import shared
from .reasons_text import reasons
from .shared import given_parameters, permutation
from .symmetry_text import count, listed, say, seen_in, show

if TYPE_CHECKING:
    from orderproof.numeric.groups.automorphisms import Group
    from orderproof.numeric.groups.symmetry import Answer, Layer
    from orderproof.symbolic.witness.group_replay import GroupReplay

LONGEST = 86400  # seconds for the search
FILE = click.Path(path_type=Path)
Spans = list[list[tuple[Fraction, Fraction]]]


@dataclass(frozen=True)
class Question:
    """A layer and what it is called; with a tolerance, the layer after it, and what it merged."""

    layer: Layer
    title: str
    source: str
    tolerant: Layer
    merged: Spans = field(default_factory=list)


@click.command(epilog="Example: orderproof symmetry --scheme alibi --n 8")
@click.option("--scheme", help="Position scheme, with --n; --scheme help lists them.")
@click.option("--n", type=int, help="Number of tokens, at most 1,024.")
@shared.scheme_parameters
@shared.position_files
@click.option("--tol", help="Treat entries this far apart as equal: 0.001.")
@click.option(
    "--timeout",
    type=click.FloatRange(0, LONGEST, min_open=True),
    default=60.0,
    show_default=True,
    help="Seconds for the search; then what was found is a lower bound, exit status 3.",
)
@click.option(
    "--sigma", help="Test this permutation alone, given as the list of σ(1), …, σ(n): 2,1,3."
)
@click.option("--out", type=FILE, help="Write the witnesses, for replay, into this folder.")
@shared.JSON
def symmetry(
    scheme: str | None, n: int | None, bias: Path | None, mask: Path | None, table: Path | None,
    tol: str | None, timeout: float, sigma: str | None, out: Path | None,
    as_json: bool, **options: Any,
) -> None:  # fmt: skip
    """The exact symmetry group of attention under a position scheme, bias, mask or table.

    Prints its order, generators, orbits and name, the context group of the last token (the
    permutations of the others that keep its output, at each depth), the reason for both
    inclusions, and permutations outside, each with a witness that --out saves for replay.

    Exit status: 0 found; 1 where --sigma is no symmetry; 2 bad input; 3 where the search stopped at
    --timeout, so that the group may be larger than what was found.
    """
    if not timeout > 0:
        raise click.UsageError(f"--timeout: given {timeout}, expected seconds above 0")
    if scheme == "help":
        _list_schemes()
        return
    asked = _question(scheme, n, bias, mask, table, tol, options)
    if sigma is not None:
        sys.exit(_ask(asked, permutation(sigma, asked.layer.n), out, as_json))
    answer = _answer(asked, timeout)
    found = _outside(asked, answer.layer)
    files = [_written(out, replayed, k) for k, replayed in enumerate(found)]
    why = reasons(asked.tolerant, answer)
    if as_json:
        data = answer.to_json() | {"why": why}
        data["outside"] = [
            {"sigma": r.witness.sigma, "claim": r.witness.says(JSON), "file": f}
            for r, f in zip(found, files, strict=True)
        ]
        if tol is not None:
            data["tolerance"] = {"given": tol, "merged": _merged(asked.merged)}
        click.echo(json.dumps(data, ensure_ascii=False))
    else:
        show(asked.title, answer, _merged_text(asked, tol))
        for line in why:
            say(line)
        for replayed, file in zip(found, files, strict=True):
            w = replayed.witness
            say(f"Outside: {cycle_text(w.sigma, short=True)}: {seen_in(w)}.")
            _say_written(file)
    if answer.open:
        if not as_json:
            say(f"Open: the search stopped after {timeout:g} s; --timeout gives it longer.")
        sys.exit(3)


def _answer(asked: Question, timeout: float) -> Answer:
    """The groups of the layer, with a line on a terminal that says what is searched."""
    from orderproof.numeric.groups import symmetry as exact
    from orderproof.numeric.groups.individualisation import until

    check = until(time.monotonic() + timeout)
    console = Console(stderr=True)
    columns = SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("")

        def note(stage: str) -> None:
            bar.update(task, description=stage)

        return exact.answer(asked.tolerant, check, note)


def _question(
    scheme: str | None, n: int | None, bias: Path | None, mask: Path | None,
    table: Path | None, tol: str | None, options: dict[str, Any],
) -> Question:  # fmt: skip
    """The layer that was asked for."""
    from orderproof.numeric.groups import bias_matrices, exact_matrix
    from orderproof.numeric.groups import symmetry as exact

    kinds = [scheme is not None, bias is not None or mask is not None, table is not None]
    if sum(kinds) != 1:
        raise click.UsageError("give one of --scheme with --n, --bias and --mask, or --table")
    given = given_parameters(options)
    if scheme is not None:
        if n is None:
            raise click.UsageError("--scheme needs --n, the number of tokens")
        found = bias_matrices.position(scheme, n, bias_matrices.Options(**given))
        source = found.scheme.name + (f", {found.regime}" if found.regime else "")
        title = f"{found.scheme.name}, n = {n}" + (f", {found.regime}" if found.regime else "")
        title += f": {found.scheme.says} ({found.scheme.paper})"
        layer = exact.of_scheme(found)
    elif given or n is not None:
        extra = ", ".join(f"--{k}" for k in [*given, *(["n"] if n is not None else [])])
        raise click.UsageError(f"{extra}: only with --scheme")
    elif table is not None:
        layer, source = exact.of_table(exact_matrix.read_table(table)), table.name
        title = f"{source}, n = {layer.n}: a table that is added to the tokens"
    else:
        heads, source = shared.heads_of(bias, mask)
        layer = exact.of_heads(heads)
        title = f"{source}, n = {layer.n}, {count(len(layer.heads), 'head')}"
    if tol is None:
        return Question(layer, title, source[:200], layer)
    return Question(layer, title, source[:200], *_tolerant(layer, tol))


def _tolerant(layer: Layer, tol: str) -> tuple[Layer, Spans]:
    from orderproof.numeric.groups import exact_matrix
    from orderproof.numeric.groups import symmetry as exact

    try:
        tolerance = exact_matrix.number(tol)
    except (ValueError, ZeroDivisionError):
        tolerance = None
    if tolerance is None or tolerance < 0 or not layer.heads or layer.kind != "B":
        raise click.UsageError(f"--tol: given {tol[:40]!r}, expected a number >= 0, and a bias")
    return exact.with_tolerance(layer, tolerance)


# -------------------------------------------------------------------------------------- witnesses
def _ask(asked: Question, sigma: tuple[int, ...], out: Path | None, as_json: bool) -> int:
    """Whether the layer commutes with σ; the witness where it does not. The exit status."""
    from orderproof.numeric.groups import stack_search
    from orderproof.numeric.groups import symmetry as exact
    from orderproof.numeric.groups.automorphisms import keeps
    from orderproof.numeric.groups.outside import outside

    n = asked.layer.n
    inside = keeps(asked.tolerant.colours, sigma)
    depths = exact.context_depths(asked.tolerant, sigma)
    found = None if inside else outside(asked.layer, sigma, asked.source)
    file = None if found is None else _written(out, found, 0)
    deeper = None
    if sigma[-1] == n - 1 and depths is not None:
        deeper = stack_search.search(asked.layer, sigma, depths + 1, asked.source)
    stack = None if deeper is None else _written(out, deeper, 1)
    if as_json:
        claims = [None if w is None else w.witness.says(JSON) for w in (found, deeper)]
        context = {"depth": depths, "why": claims[1], "file": stack}
        said: dict[str, Any] = {
            "n": n,
            "symmetry": inside,
            "why": claims[0],
            "file": file,
            "context": context,
        }
        click.echo(json.dumps(said, ensure_ascii=False))
        return 0 if inside else 1
    said_sigma = cycle_text(sigma, short=True)
    if found is None:
        say(f"{said_sigma} is a symmetry.")
    else:
        say(f"{said_sigma} is not a symmetry: {seen_in(found.witness)}.")
        _say_written(file)
    if sigma[-1] == n - 1:
        words = {0: "not the same at any depth", None: "the same at every depth"}
        said_of = words.get(depths, f"the same up to depth {depths}, and not beyond")
        say(f"The last token's own output, with skips: {said_of}.")
        if deeper is not None:
            say(f"  {seen_in(deeper.witness)}.")
            _say_written(stack)
    return 0 if inside else 1


def _outside(asked: Question, group: Group) -> list[GroupReplay]:
    """Examples outside the group, each confirmed. What tells merged entries apart tells the given
    ones apart, so that the witnesses are of the layer as it was given."""
    from orderproof.numeric.groups.outside import examples, outside

    found = (outside(asked.layer, sigma, asked.source) for sigma in examples(group))
    return [replayed for replayed in found if replayed is not None]


def _written(out: Path | None, replayed: GroupReplay, k: int) -> str | None:
    """The file of a witness in a folder, if one was asked for."""
    from orderproof.proofs.prove import results
    from orderproof.symbolic.witness.fields import WitnessError
    from orderproof.symbolic.witness.group_file import dumps, parse

    if out is None:
        return None
    w = replayed.witness
    text = dumps(w)
    try:
        parse(text.encode(), "--out")
    except WitnessError as e:
        raise click.UsageError(f"numbers too long for a file that replay reads: {e}") from None
    name = re.sub(r"[^\w.-]+", "-", w.source).strip("-.")[:60] or "layer"
    file = out / f"{name}-n{len(w.sigma)}-outside-{k}.json"
    results.writable(out)
    results.write(file, text)
    return str(file)


def _say_written(file: str | None) -> None:
    if file is not None:
        click.echo(f"  Written to {file}; recheck with: orderproof replay {file}")


# ---------------------------------------------------------------------------------------- output
def _merged(spans: Spans) -> list[list[list[str]]]:
    return [[[str(a), str(b)] for a, b in head] for head in spans]


def _merged_text(asked: Question, tol: str | None) -> str:
    if tol is None:
        return ""
    said = [
        (f"head {PEOPLE(k)}: " if len(asked.merged) > 1 else "")
        + f"{float(a):.6g} to {float(b):.6g}"
        for k, head in enumerate(asked.merged)
        for a, b in head
    ]
    return (
        f"Entries of B̃ at most {tol} apart, and those so linked, are taken as equal; what follows "
        f"is of the matrix so merged, not exact: {''.join(listed(said)) or 'no two were'}"
    )


def _list_schemes() -> None:
    from orderproof.numeric.groups.bias_matrices import SCHEMES, takes

    for name, entry in SCHEMES.items():
        click.echo(name + "".join(f" [--{t}]" for t in takes(entry)))
        say(f"    {entry.says} ({entry.paper})")
