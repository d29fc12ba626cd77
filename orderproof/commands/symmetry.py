"""`orderproof symmetry`: the exact group of a scheme, a bias, a mask or a position table."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from orderproof.symbolic.counting import JSON, PEOPLE, count, cycle_text, token_text
from orderproof.symbolic.ending import Ending, end

from . import shared
from .help_text import Command
from .shared import say

if TYPE_CHECKING:
    from orderproof.numeric.groups.automorphisms import Group
    from orderproof.numeric.groups.symmetry import Answer, Layer
    from orderproof.symbolic.witness.group_file import Entry, GroupWitness
    from orderproof.symbolic.witness.group_replay import GroupReplay

LONGEST = 86400  # seconds for the search
LONGEST_SOURCE = 200  # characters that a file of a witness holds of it
SHOWN = 8  # parts of a list
Spans = list[list[tuple[Fraction, Fraction]]]

TENSORS = {  # what a position tensor of the model stands for, and what shows a σ that changes it
    "G": ("G is exp of the bias, each row divided by its largest entry, and 0 where masked",
          "with W_Q = 0 the attention weights are the rows of G, divided by their sums"),
    "E": ("E the rows that are added to the tokens",
          "some tokens and weights show that rows differ"),
    "A": ("A the relative keys, generic for each offset after clipping",
          "with W_K = 0 the scores are those of the keys"),
    "R": ("R the rotations by j − i",
          "for one query and one key the score changes, as no two offsets have the same rotation"),
}  # fmt: skip

GROUPS = {letter: says for letter, (says, _) in TENSORS.items()}
SCHEMES = GROUPS | {  # the same of a scheme, which has bias and mask apart
    "B": "B is the bias that is added to the scores",
    "G": "G is 1 where a token may attend to another, and 0 elsewhere",
}

ON_PAPER = {  # tensors for which the theorem on types is carried over by an argument on paper
    "A": "relative keys, which count each pair by its key",
    "R": "rotations, which count each pair by its offset",
    "E": "added rows, a token and its row being one type",
}


@dataclass(frozen=True)
class Shown:
    """A witness, and the file that it was written to, if one was asked for."""

    witness: GroupWitness
    file: str | None

    @property
    def claim(self) -> str:
        """What it shows, in JSON's counting."""
        return self.witness.says(JSON)

    def say(self, before: str) -> None:
        """Print what it shows, after these words, and how to recheck the file."""
        say(f"{before}{_seen_in(self.witness)}.")
        if self.file is not None:
            click.echo(
                f"  Written to {self.file}; recheck with:\n    orderproof replay {self.file}"
            )


@click.command(
    cls=Command,
    statuses={
        0: "the whole group was found, or --sigma is a symmetry",
        1: "--sigma is no symmetry",
        3: "stopped at --timeout, so that the group may be larger, or a theorem behind it is open",
    },
    examples={
        "symmetry --scheme alibi --n 8": "of ALiBi, for eight tokens",
        "symmetry --scheme alibi --n 8 --sigma 8,7,6,5,4,3,2,1": "one permutation alone",
        "symmetry --bias bias.csv --out DIR": "of your own bias; the witnesses go to DIR",
    },
)
@click.option("--scheme", help="Position scheme, with --n; --scheme help lists them.")
@click.option("--n", type=int, help="Number of tokens, at most 1,024.")
@shared.scheme_parameters
@shared.position_files
@click.option("--tol", help="Treat entries this far apart as equal: 0.001.")
@click.option(
    "--timeout",
    type=shared.Seconds(LONGEST),
    default=60.0,
    show_default=True,
    help="Seconds for the search; then what was found is a lower bound, exit status 3.",
)
@click.option(
    "--sigma", help="Test this permutation alone, given as the list of σ(1), …, σ(n): 2,1,3."
)
@click.option(
    "--out", type=shared.OUTPUT, help="Write the witnesses, for replay, into this folder."
)
@shared.JSON
def symmetry(
    tol: str | None, timeout: float, sigma: str | None, out: Path | None, as_json: bool,
    **asked: Any,
) -> None:  # fmt: skip
    """Compute the exact symmetry group of a scheme, bias or mask.

    Prints its order, generators, orbits and name, the context group of the last token (the
    permutations of the others that keep its output, at each depth), the reason for both
    inclusions, and permutations outside, each with a witness that --out saves for replay.
    """
    from orderproof.numeric.groups.outside import examples, outside

    if asked["scheme"] == "help":
        _list_schemes()
        return
    terms = shared.position_terms("--scheme with --n", **asked)
    layer, source = _layer(terms), terms.source[:LONGEST_SOURCE]
    tolerant, merged = (layer, []) if tol is None else _tolerant(layer, tol)
    if sigma is not None:
        permuted = shared.permutation(sigma, layer.n)
        end(_ask(layer, tolerant, permuted, source, out, as_json))
    from orderproof.check.prove import standing

    answer = _answer(tolerant, timeout)
    # What tells merged entries apart tells the given ones apart: witnesses are of the layer given.
    replays = (outside(layer, each, source) for each in examples(answer.layer))
    found = [x for k, replay in enumerate(replays) if (x := _shown(out, replay, k)) is not None]
    why = _reasons(tolerant, answer)
    if as_json:
        data = answer.to_json() | {"why": why, "rests_on": standing.rests_on(answer.theorems)}
        data["outside"] = [
            {"sigma": x.witness.sigma, "claim": x.claim, "file": x.file} for x in found
        ]
        if tol is not None:
            spans = [[[str(a), str(b)] for a, b in head] for head in merged]
            data["tolerance"] = {"given": tol, "merged": spans}
        click.echo(json.dumps(data, ensure_ascii=False))
    else:
        say(f"{terms.name}, n = {layer.n}{terms.says}")
        if tol is not None:
            say(_merged_text(merged, tol))
        _show(answer)
        for line in why:
            say(line)
        for x in found:
            x.say(f"Outside: {cycle_text(x.witness.sigma, short=True)}: ")
    if answer.open:
        stopped = f"a part of it when the search stopped after {timeout:g} s (--timeout)"
        end(Ending(3, "the whole group", stopped))
    end(standing.ending(answer.theorems))


def _layer(terms: shared.PositionTerms) -> Layer:
    from orderproof.numeric.groups import symmetry as exact

    if terms.scheme is not None:
        return exact.of_scheme(terms.scheme)
    return exact.of_table(terms.table) if terms.table else exact.of_heads(terms.heads)


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


def _merged_text(merged: Spans, tol: str) -> str:
    said = [
        (f"head {PEOPLE(k)}: " if len(merged) > 1 else "") + f"{float(a):.6g} to {float(b):.6g}"
        for k, head in enumerate(merged)
        for a, b in head
    ]
    return (
        f"Entries of B̃ at most {tol} apart, and those so linked, are taken as equal; what follows "
        f"is of the matrix so merged, not exact: {_listed(said) or 'no two were'}"
    )


def _answer(layer: Layer, timeout: float) -> Answer:
    """The groups of the layer, with a line on a terminal that says what is searched."""
    from rich.console import Console

    from orderproof.numeric.groups import symmetry as exact
    from orderproof.numeric.groups.individualisation import until

    with Console(stderr=True).status("") as line:
        return exact.answer(layer, until(time.monotonic() + timeout), line.update)


def _ask(
    layer: Layer, tolerant: Layer, sigma: Sequence[int], source: str, out: Path | None,
    as_json: bool,
) -> Ending:  # fmt: skip
    """Whether the layer commutes with σ; the witness where it does not. How the command ends."""
    from orderproof.numeric.groups import stack_search
    from orderproof.numeric.groups import symmetry as exact
    from orderproof.numeric.groups.automorphisms import keeps
    from orderproof.numeric.groups.outside import outside

    inside, fixed = keeps(tolerant.colours, sigma), sigma[-1] == layer.n - 1
    named = cycle_text(sigma, short=True)
    ending = Ending() if inside else Ending(1, f"that {named} is a symmetry", "that it is none")
    depths = exact.context_depths(tolerant, sigma)
    found = None if inside else _shown(out, outside(layer, sigma, source), 0)
    deeper = None
    if fixed and depths is not None:
        deeper = _shown(out, stack_search.search(layer, sigma, depths + 1, source), 1)
    if as_json:
        why, of_context = ({"why": x and x.claim, "file": x and x.file} for x in (found, deeper))
        said = {"n": layer.n, "symmetry": inside, **why, "context": {"depth": depths, **of_context}}
        click.echo(json.dumps(said, ensure_ascii=False))
        return ending
    if found is None:
        say(f"{named} is a symmetry.")
    else:
        found.say(f"{named} is not a symmetry: ")
    if fixed:
        words = {0: "not the same at any depth", None: "the same at every depth"}
        same = words.get(depths, f"the same up to depth {depths}, and not beyond")
        say(f"The last token's own output, with skips: {same}.")
        if deeper is not None:
            deeper.say("  ")
    return ending


def _shown(out: Path | None, replayed: GroupReplay | None, k: int) -> Shown | None:
    """The witness, if there is one, and its file in a folder, if one was asked for."""
    from orderproof.check.prove import results
    from orderproof.symbolic.witness.fields import WitnessError
    from orderproof.symbolic.witness.group_file import dumps, parse

    if replayed is None:
        return None
    w = replayed.witness
    if out is None:
        return Shown(w, None)
    text = dumps(w)
    try:
        parse(text.encode(), "--out")
    except WitnessError as e:
        raise click.UsageError(f"numbers too long for a file that replay reads: {e}") from None
    name = re.sub(r"[^\w.-]+", "-", w.source).strip("-.")[:60] or "layer"
    file = out / f"{name}-n{len(w.sigma)}-outside-{k}.json"
    results.writable(out)
    results.write(file, text)
    return Shown(w, str(file))


def _list_schemes() -> None:
    from orderproof.symbolic.schemes.definitions import OPTIONS, POSITION_SCHEMES

    for name, scheme in POSITION_SCHEMES.items():
        click.echo(name + "".join(f" [--{OPTIONS[p]}]" for p in scheme.parameters))
        say(f"    {scheme.says} ({scheme.paper})")


# ---------------------------------------------------------------------------------------- in words
def _listed(parts: Iterable[str]) -> str:
    """The parts with semicolons; past SHOWN of them how many more there are."""
    found = list(parts)
    more = [f"… {len(found) - SHOWN} more"] if len(found) > SHOWN else []
    return "; ".join(found[:SHOWN] + more)


def _named(group: Group) -> str:
    """The order, past 15 digits as a power of ten, and the name, if there is one."""
    from orderproof.numeric.groups.names import name

    text = str(group.order)
    text = text if len(text) <= 15 else f"{text[0]}.{text[1:4]}e{len(text) - 1}"
    called = name(group)
    return f"order {'at least ' if group.open else ''}{text}" + (f", {called}" if called else "")


def _show(answer: Answer) -> None:
    """The groups of the layer and of the context."""
    layer = answer.layer
    say(f"Group of the layer: {_named(layer)}. Tokens are {PEOPLE}.")
    generators = _listed(cycle_text(s, short=True) for s in layer.generators)
    say(f"Generators: {generators or 'none, the identity'}")
    found = "Orbits of what was found" if layer.open else "Orbits"
    say(f"{found}: {_listed(map(token_text, layer.orbits))}")
    if layer.twins:
        say(f"Interchangeable: {_listed(map(token_text, layer.twins))}")
    say(f"Context group of token {layer.n}, the last, that keeps its own output:")
    for depth in sorted({1, min(2, answer.limit), answer.limit}):
        words = f"depth {depth}" + (" and on" if depth == answer.limit else "")
        here = answer.context[depth]
        alike = _listed(map(token_text, here.twins))
        say(f"  {words}: {_named(here)}" + (f"; interchangeable: {alike}" if alike else ""))


def _seen_in(w: GroupWitness) -> str:
    """What a witness shows, in a sentence without its numbers in full."""
    from orderproof.symbolic.witness.group_file import RotationWitness, RowsWitness, StackWitness

    if isinstance(w, StackWitness):
        layers = count(len(w.layers), "layer")
        return f"{layers} with skips: tokens and weights for which its outputs differ, enclosed"
    i, image = PEOPLE(w.row), PEOPLE(w.sigma[w.row])
    if isinstance(w, RowsWitness):
        return (
            f"the rows added at {i} and {image} differ: with X = −PᵀE, row {i} is 0 on PX and "
            "not for P f(X)"
        )
    j = w.sigma[w.column]
    if isinstance(w, RotationWitness):
        return (
            f"token {PEOPLE(j)} is at offset {w.column - w.row} from row {i} on PX, and at "
            f"{j - w.sigma[w.row]} for P f(X), and its key is rotated by that"
        )
    here = _weight(w.of_row, w.column)
    there = _weight([w.of_image[k] for k in w.sigma], w.column)
    alone = "W_K = 0 and query 1" if w.term == "keys" else "W_Q = 0"
    head = f" of head {PEOPLE(w.head)}" if w.head else ""
    return (
        f"with {alone} and the value 1 at token {PEOPLE(j)}, 0 elsewhere, row {i}{head} is {here} "
        f"on PX and {there} for P f(X); compared exactly"
    )


def _weight(row: Sequence[Entry], column: int) -> str:
    """A weight of the softmax of a row, in six digits, however small it is."""
    from mpmath import exp, fsum, mpf, nstr

    scores = [mpf("-inf") if v is None else mpf(v.numerator) / v.denominator for v in row]
    powers = [exp(s) for s in scores]
    return str(nstr(powers[column] / fsum(powers), 6)).removesuffix(".0")


# -------------------------------------------------------------------------------------------- why
def _reasons(layer: Layer, answer: Answer) -> list[str]:
    """The reasons for both inclusions, as sentences; what the kernel derives is derived here.
    Raises EngineError where it derives another thing."""
    from orderproof.check.prove.standing import cited
    from orderproof.numeric.groups.symmetry import THEOREMS, TYPES

    group = answer.layer
    lines = [derived(layer.letters, GROUPS)]
    if group.generators:
        made = count(len(group.generators), "generator")
        lines.append(f"In the group: {made} checked against this, entry by entry.")
    shown = "; ".join(f"{TENSORS[x][1]} ({cited(THEOREMS[x])})" for x in layer.letters)
    lines.append(
        f"No others: a σ that changes it changes an output: {shown}. That no more σ keep it:"
    )
    orbits = " the order is that of the checked orbits along a chain of stabilisers"
    if not group.proved:
        lines[-1] += " there may be more than were found, because the search was stopped."
    elif group.tight:
        lines[-1] += f"{orbits}, and colour refinement allows no larger orbit."
    else:
        lines[-1] += f"{orbits}; what colour refinement allows beyond was searched to the end."
    lines.append(
        "Context at depth L, with skips: σ fixes the last token and keeps each row of the position "
        "term that it reaches in L − 1 steps. By the kernel at depth 1, beyond because these are "
        f"the σ that keep the last token's type, where all tokens differ ({cited(TYPES)})."
    )
    for letter in layer.letters:
        if letter in ON_PAPER:
            lines[-1] += f" On paper: it is carried over to {ON_PAPER[letter]}."
    return lines


def derived(letters: str, names: Mapping[str, str]) -> str:
    """The kernel's theorem about attention with these position tensors, derived now: σ is a
    symmetry where it keeps them. Raises EngineError where another theorem comes out."""
    from orderproof.numeric.groups.automorphisms import EngineError
    from orderproof.symbolic.readings.notation import Plain
    from orderproof.symbolic.readings.printer import Printer, Style
    from orderproof.symbolic.schemes.models import (
        equivariance,
        equivariant,
        last_row,
        same_last_row,
    )

    found, row = equivariant(letters), last_row(letters, 1)
    wanted = equivariance(letters), same_last_row(letters)
    if found is None or not (wanted[0].proved_by(found) and wanted[1].proved_by(row)):
        raise EngineError(f"the kernel did not derive the symmetry for {letters}")
    plain, named = Printer(Plain(), Style()), dict(enumerate("ijkl"))
    hyps = sorted(" = ".join(plain.indices(t.rename(named)) for t in sides) for sides in found.hyps)
    where = "; ".join(names[x] for x in letters)
    return (
        f"Why: {found.says} for all n, d and weights if {' and '.join(hyps)}, derived by the "
        f"kernel in this run; {where}."
    )
