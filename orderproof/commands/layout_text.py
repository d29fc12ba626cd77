"""How `orderproof symmetry --layout` says what of a plan may be reordered, and what may not."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from orderproof.symbolic.counting import JSON, PEOPLE

from .symmetry_text import SHOWN, count, listed, say

if TYPE_CHECKING:
    from orderproof.numeric.prompts.layout import Reading
    from orderproof.symbolic.witness.plan import Plan

WRITTEN = 3  # witnesses a depth
NO_FILE = "no tokens and weights of at most 256 tokens were found whose scores replay computes"
Files = dict[tuple[int, str, str], str | None]
EXAMPLE = {
    "scheme": "rope",
    "segments": [
        {"name": "system", "length": 8, "start": 0, "attends": []},
        {"name": "A", "length": 20, "start": 8, "attends": ["system"]},
        {"name": "B", "length": 12, "start": 8, "attends": ["system"]},
        {"name": "question", "length": 5, "start": "longest", "attends": "earlier"},
    ],
}


def describe() -> None:
    """What a plan's file says, with an example."""
    from orderproof.symbolic.witness.plan import MOST, SCHEMES, TOKENS

    say(
        f"A plan is JSON: a position scheme ({', '.join(SCHEMES)}) and 2 to {MOST} segments in "
        f"their order, at most {TOKENS} tokens; the output is that of a token of the last one."
    )
    for line in (
        "name, length: of the segment, in tokens.",
        "start: its first position id, or a list of all; or continue (after the segment before, "
        "the default), or longest (after the largest id so far).",
        "attends: names of the segments that it attends to, or earlier (the default): those before "
        "it.",
        "causal: true (the default) if a token attends to no later token of its own segment.",
        "padding: true if no token attends to it (default false).",
    ):
        say(f"  {line}")
    say("Optional, for the whole plan:")
    for line in (
        "window: w, a token attends only to those whose ids differ from its own by at most w.",
        "sinks: s, with a window: a token also attends to those with an id below s.",
        "clip: of shaw, the largest offset that is not clipped (default 2).",
        "reader: the token of the last segment whose output is read (default: its last), counted "
        "from 0, as all in JSON.",
    ):
        say(f"  {line}")
    rows = ",\n".join(f"    {json.dumps(row)}" for row in EXAMPLE["segments"])
    scheme = json.dumps(EXAMPLE["scheme"])
    click.echo(f'{{"scheme": {scheme},\n  "segments": [\n{rows}\n]}}')


def answer(path: Path, out: Path | None, as_json: bool) -> None:
    """Which orders of a plan's segments keep the output of its reading token."""
    from orderproof.numeric.prompts import layout

    plan = layout.read(path)
    found = layout.readings(plan)
    files = {} if out is None else _witnesses(plan, found, out, path.stem)
    why = _why(plan, any(r.changed for r in found))
    if as_json:
        depths = [
            {
                "depth": r.depth, "and on": r is found[-1], "free": r.free,
                "all orders": r.all_orders, "other orders": r.others,
                "changed": [
                    {"swap": pair, "reads": said(JSON), "file": files.get((r.depth, *pair))}
                    for pair, said in r.changed.items()
                ],
            }
            for r in found
        ]  # fmt: skip
        data = {"scheme": plan.scheme, "depths": depths, "why": why}
        click.echo(json.dumps(data, ensure_ascii=False))
        return
    given = "".join(f", {k} {v}" for k, v in plan.to_json().items() if k in ("window", "sinks"))
    say(f"{path.name}: {count(len(plan.segments), 'segment')}, scheme {plan.scheme}{given}; read "
        f"by {plan.reads_text(PEOPLE)}. Tokens are {PEOPLE}, position ids as given.")  # fmt: skip
    for r in found:
        say(f"Depth {r.depth}" + (" and on:" if r is found[-1] else ":"))
        _show(plan, r, files)
    for line in why:
        say(line)


def _show(plan: Plan, r: Reading, files: Files) -> None:
    for free in r.free:
        words = "in any order" if r.all_orders else "any two swapped"
        say(f"  {', '.join(free)}: {words}, the output is the same for all tokens and weights.")
    if not r.free and len(plan.segments) > 2:
        say("  No two segments can be swapped.")
    if r.others:
        shown = listed([", ".join(order) for order in r.others])
        say("  Harmless orders besides: ", *shown)
    if r.others is None:
        say("  Of other orders swaps were tried alone: there are too many.")
    for (a, b), said in list(r.changed.items())[:SHOWN]:
        say(f"  {a} and {b} swapped: {said(PEOPLE)}.")
        if (r.depth, a, b) in files:
            file = files[r.depth, a, b]
            if file is None:
                say(f"    No file: {NO_FILE}.")
            else:
                click.echo(f"    Written to {file}; recheck with: orderproof replay {file}")
    if len(r.changed) > SHOWN:
        say(f"  … {len(r.changed) - SHOWN} more swaps change what is read.")


def _witnesses(plan: Plan, found: list[Reading], out: Path, stem: str) -> Files:
    """The files for the first swaps of each depth that change what is read, one of each kind."""
    from orderproof.numeric.prompts.plan_search import search
    from orderproof.proofs.prove import results
    from orderproof.symbolic.witness.plan_file import dumps

    files: Files = {}
    names = [s.name for s in plan.segments]
    for r in found:
        for k, (a, b) in enumerate(list(r.changed)[:WRITTEN]):
            order = [{a: b, b: a}.get(name, name) for name in names]
            if sys.stderr.isatty():
                click.echo(f"Depth {r.depth}: a witness for {a} and {b} …", err=True)
            replayed = search(plan, order, r.depth)
            if replayed is None:
                files[r.depth, a, b] = None
                continue
            file = out / f"{stem}-depth{r.depth}-{k}.json"
            results.writable(out)
            results.write(file, dumps(replayed.witness))
            files[r.depth, a, b] = str(file)
    return files


def _why(plan: Plan, changed: bool) -> list[str]:
    """The reasons for "the same", the kernel's part derived now, and for "not the same"."""
    from orderproof.numeric.groups.automorphisms import EngineError
    from orderproof.symbolic.schemes import models as position_models

    letters = {"none": "G", "learned": "EG", "sinusoidal": "EG", "shaw": "AG"}.get(plan.scheme)
    letters = letters or ("RG" if plan.scheme.startswith("rope") else "BG")
    derived = position_models.travelling(letters)
    if not position_models.travel(letters).proved_by(derived):
        raise EngineError(
            f"the kernel did not derive that positions move with tokens for {letters}"
        )
    same = (
        "Why the same: tokens with all their position terms permuted give the output permuted "
        "(positions_that_travel, derived by the kernel in this run; documents_in_parallel); the "
        "terms of the rows that the query reaches in L − 1 steps, at depth L with skips, were "
        "compared entry by entry, by token, in the orders."
    )
    shown = (
        "Why not the same: some weights tell a row or an id that is read from another; --out saves "
        "tokens and weights that do, for replay."
    )
    return [same, shown] if changed else [same]
