"""`orderproof symmetry`: the exact group of a scheme, a bias, a mask or a position table."""

from __future__ import annotations

import json
import math
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from orderproof.numeric.automorphisms import Group
    from orderproof.numeric.symmetry import Answer, Layer

FILE = click.Path(path_type=Path)
WIDTH, SHOWN = 80, 8
WHY_LAYOUT = (
    "Why: at depth L the output depends on the rows of the position term that the query reaches in "
    "L − 1 steps (documents_in_parallel, positions_that_travel); they are compared entry by entry, "
    "by token, in the two orders."
)
REASONS = {
    "score_bias_iff": "score_bias_iff: softmax(QKᵀ + B)V commutes with σ for all weights iff "
    "B̃[σi, σj] = B̃[i, j], B̃ being B minus its row maxima.",
    "additive_position_iff": "additive_position_iff: X ↦ Att(X + E) commutes with σ for all "
    "weights iff the rows of E at i and σ(i) are equal for all i.",
    "relative keys": "A score bias for every query: qᵢ·a(i, j); the keys a are generic, so that "
    "score_bias_iff decides by equality of offsets after clipping.",
    "rope": "The score of i and j depends on j − i, and no two offsets turn by the same angles: "
    "σ(j) − σ(i) = j − i for all i, j leaves the identity.",
}


@dataclass(frozen=True)
class Question:
    """A layer, what it is called, and the theorem that decides it."""

    layer: Layer
    title: str
    reason: str
    merged: list[list[tuple[Fraction, Fraction]]]


def _numbers(text: str | None, option: str) -> tuple[int, ...] | None:
    if text is None:
        return None
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise click.UsageError(
            f"{option}: given {text[:40]!r}, expected numbers with commas, as 2,2,3"
        ) from None


@click.command(epilog="Example: orderproof symmetry --scheme alibi --n 8")
@click.option("--scheme", help="Position scheme, with --n; --scheme help lists them.")
@click.option("--n", type=int, help="Number of tokens.")
@click.option("--window", type=int, help="Width w of a window.")
@click.option("--prefix", type=int, help="Length p of a prefix.")
@click.option("--clip", type=int, help="Largest offset told apart (shaw).")
@click.option("--blocks", help="Sizes of blocks: 2,2,3.")
@click.option("--rows", type=int, help="Rows of a plane of tokens.")
@click.option("--bias", type=FILE, help="Score bias n×n, or heads of it: .npy, .json, .csv.")
@click.option("--mask", type=FILE, help="1 or true where row i may attend to column j.")
@click.option("--table", type=FILE, help="Position table n×d, added to the tokens.")
@click.option("--layout", type=FILE, help="A prompt's plan (JSON): what may be reordered in it.")
@click.option("--tol", help="Treat entries this far apart as equal: 0.001.")
@click.option("--sigma", help="Ask of this permutation σ(0), …, σ(n−1) alone: 1,0,2.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for a program.")
def symmetry(
    scheme: str | None, n: int | None, bias: Path | None, mask: Path | None,
    table: Path | None, layout: Path | None, tol: str | None, sigma: str | None, as_json: bool,
    **options: Any,
) -> None:  # fmt: skip
    """The exact group of the permutations that a position scheme, bias or mask does not see.

    Prints its order, generators, orbits and name, the context group of the last token (what a
    deeper model still cannot see), and the reason for both inclusions.
    """
    from orderproof.numeric import symmetry as exact

    if scheme == "help":
        _list_schemes()
        return
    if layout is not None:
        given = [scheme, n, bias, mask, table, tol, sigma, *options.values()]
        if any(value is not None for value in given):
            raise click.UsageError("--layout: the plan says all, expected no option but --json")
        _layout(layout, as_json)
        return
    asked = _question(scheme, n, bias, mask, table, tol, options)
    if sigma is not None:
        sys.exit(_ask(asked, _numbers(sigma, "--sigma") or (), as_json))
    answer = exact.answer(asked.layer)
    if as_json:
        data = answer.to_json()
        data["why"] = _why(asked, answer.layer)
        if tol is not None:
            data["tolerance"] = {"given": tol, "merged": _merged(asked.merged)}
        click.echo(json.dumps(data, ensure_ascii=False))
    else:
        _show(asked, answer, tol)


def _question(
    scheme: str | None, n: int | None, bias: Path | None, mask: Path | None,
    table: Path | None, tol: str | None, options: dict[str, Any],
) -> Question:  # fmt: skip
    """The layer that was asked for."""
    from orderproof.numeric import bias_matrices, exact_matrix
    from orderproof.numeric import symmetry as exact

    kinds = [scheme is not None, bias is not None or mask is not None, table is not None]
    if sum(kinds) != 1:
        raise click.UsageError("give one of --scheme with --n, --bias and --mask, or --table")
    given = {k: v for k, v in options.items() if v is not None}
    if scheme is not None:
        if n is None:
            raise click.UsageError("--scheme needs --n, the number of tokens")
        if "blocks" in given:
            given["blocks"] = _numbers(given["blocks"], "--blocks")
        found = bias_matrices.position(scheme, n, bias_matrices.Options(**given))
        title = f"{found.name}, n = {n}" + (f", {found.regime}" if found.regime else "")
        title += f": {found.says}" + (f" ({found.paper})" if found.paper else "")
        reason = found.reason
        layer = (
            exact.of_heads(found.heads)
            if found.classes is None
            else exact.of_classes(found.classes)
        )
    elif given or n is not None:
        extra = ", ".join(f"--{k}" for k in [*given, *(["n"] if n is not None else [])])
        raise click.UsageError(f"{extra}: only with --scheme")
    elif table is not None:
        reason = "additive_position_iff"
        layer = exact.of_classes(exact_matrix.read_table(table))
        title = f"{table.name}, n = {layer.n}: a table that is added to the tokens"
    else:
        reason = "score_bias_iff"
        heads = [] if bias is None else exact_matrix.read(bias)
        layer = exact.of_heads(heads, [] if mask is None else exact_matrix.read_mask(mask))
        names = " with ".join(p.name for p in (bias, mask) if p is not None)
        title = f"{names}, n = {layer.n}, {_count(len(layer.heads), 'head')}"
    merged: list[list[tuple[Fraction, Fraction]]] = []
    if tol is not None:
        layer, merged = _tolerant(layer, tol)
    return Question(layer, title, reason, merged)


def _tolerant(layer: Layer, tol: str) -> tuple[Layer, list[list[tuple[Fraction, Fraction]]]]:
    from orderproof.numeric import exact_matrix
    from orderproof.numeric import symmetry as exact

    try:
        tolerance = exact_matrix.number(tol)
    except (ValueError, ZeroDivisionError):
        tolerance = None
    if tolerance is None or tolerance < 0 or not layer.heads:
        raise click.UsageError(f"--tol: given {tol[:40]!r}, expected a number >= 0, and a bias")
    return exact.with_tolerance(layer, tolerance)


# ---------------------------------------------------------------------------------------- a plan
def _layout(path: Path, as_json: bool) -> None:
    """What the last token of a plan does not see of the order of its segments."""
    from orderproof.numeric import layout

    plan = layout.read(path)
    found = layout.readings(plan)
    if as_json:
        depths = [
            {
                "depth": r.depth, "and on": r is found[-1], "free": r.free,
                "all orders": r.all_orders,
                "changed": [{"swap": pair, "reads": said} for pair, said in r.changed.items()],
            }
            for r in found
        ]  # fmt: skip
        click.echo(json.dumps({"scheme": plan.scheme, "depths": depths}, ensure_ascii=False))
        return
    _say(f"{path.name}: {_count(len(plan.segments), 'segment')}, scheme {plan.scheme}; read by the "
         f"last token of {plan.segments[-1].name}.")  # fmt: skip
    for r in found:
        _say(f"Depth {r.depth}" + (" and on:" if r is found[-1] else ":"))
        for free in r.free:
            words = "in any order" if r.all_orders else "any two swapped"
            _say(
                f"  {', '.join(free)}: {words}, the output is the same for all tokens and weights."
            )
        if not r.free:
            _say("  No two segments can be swapped.")
        for (a, b), said in list(r.changed.items())[:SHOWN]:
            _say(f"  {a} and {b} swapped: {said}.")
        if len(r.changed) > SHOWN:
            _say(f"  … {len(r.changed) - SHOWN} more swaps change what is read.")
    _say(WHY_LAYOUT)


# ------------------------------------------------------------------------------------- one sigma
def _ask(asked: Question, sigma: tuple[int, ...], as_json: bool) -> int:
    """Whether the layer commutes with σ; the witness where it does not. The exit status."""
    n = asked.layer.n
    if sorted(sigma) != list(range(n)):
        raise click.UsageError(f"--sigma: expected each of 0, …, {n - 1} once")
    said = _outside(asked, sigma)
    if as_json:
        click.echo(json.dumps({"n": n, "symmetry": said is None, "why": said}, ensure_ascii=False))
    else:
        _say(f"{_cycles(sigma)} is a symmetry." if said is None else said)
    return 0 if said is None else 1


def _outside(asked: Question, sigma: tuple[int, ...]) -> str | None:
    """The witness that σ is outside the group, as a sentence, rechecked; None where it is in it."""
    from orderproof.numeric import symmetry as exact
    from orderproof.numeric.automorphisms import EngineError, keeps

    layer = asked.layer
    if keeps(layer.colours, sigma):
        return None
    moved = _cycles(sigma)
    if not layer.heads:
        i = next(i for i, s in enumerate(sigma) if layer.colours[i, i] != layer.colours[s, s])
        return f"{moved} is not a symmetry: positions {i} and {sigma[i]} differ."
    found = exact.witness_outside(layer, sigma)
    if found is None or not exact.confirms(layer, sigma, found):
        raise EngineError(f"no witness was confirmed for {sigma}")
    left, right = found.log_weights
    head = f" of head {found.head}" if len(layer.heads) > 1 else ""
    return (
        f"{moved} is not a symmetry: with W_Q = 0 and the value 1 at token {sigma[found.column]}, "
        f"0 elsewhere, row {found.row}{head} is {_power(left)} on PX and {_power(right)} for "
        "P f(X); compared exactly."
    )


# ---------------------------------------------------------------------------------------- output
def _show(asked: Question, answer: Answer, tol: str | None) -> None:
    from orderproof.numeric import group_names

    layer = answer.layer
    _say(asked.title)
    if tol is not None:
        _say(
            f"Entries of B̃ at most {tol} apart are taken as equal, not exact: ",
            *_merged_text(asked),
        )
    name = group_names.name(layer)
    _say(f"Group of the layer: order {_order(layer)}" + (f", {name}." if name else "."))
    _say("Generators: ", *_list([_cycles(s) for s in layer.generators]), none="none, the identity")
    _say("Orbits: ", *_list([_tokens(o) for o in layer.orbits]))
    for twins in layer.twins[:SHOWN]:
        _say(f"{_tokens(twins)} are interchangeable.".capitalize())
    if len(layer.twins) > SHOWN:
        _say(f"… and {len(layer.twins) - SHOWN} more sets of interchangeable tokens.")
    last = layer.n - 1
    _say(f"Context group of token {last}, the last, that keeps its own output:")
    for depth in sorted({1, min(2, answer.limit), answer.limit}):
        words = f"depth {depth}" + (" and on" if depth == answer.limit else "")
        here = answer.context[depth]
        name = group_names.name(here)
        text = f"{words}: order {_order(here)}" + (f", {name}" if name else "")
        _say(
            f"  {text}", *[f"; interchangeable: {a}" for a in _list(list(map(_tokens, here.twins)))]
        )
    for line in _why(asked, layer):
        _say(line)


def _why(asked: Question, layer: Group) -> list[str]:
    """The reasons for both inclusions, as sentences."""
    lines = [REASONS[asked.reason]]
    lines.append(
        "Context at depth L: σ fixes the last token and keeps each row of the position term that "
        "it reaches in L − 1 steps."
    )
    if layer.generators:
        made = _count(len(layer.generators), "generator")
        lines.append(f"In the group: {made} checked entry by entry.")
    if layer.proved:
        lines.append(
            "No others: the order is that of the checked orbits along a chain of stabilisers, and "
            "colour refinement allows no larger orbit."
        )
    else:
        lines.append("No others: by the engine's exhaustive search; colour refinement leaves room.")
    n = layer.n
    for k in range(n - 1):
        swap = (*range(k), k + 1, k, *range(k + 2, n))
        said = _outside(asked, swap)
        if said is not None:
            return [*lines, f"For instance {said}"]
    return lines


def _merged(spans: list[list[tuple[Fraction, Fraction]]]) -> list[list[list[str]]]:
    return [[[str(a), str(b)] for a, b in head] for head in spans]


def _merged_text(asked: Question) -> list[str]:
    said = [
        (f"head {k}: " if len(asked.merged) > 1 else "") + f"{float(a):.6g} to {float(b):.6g}"
        for k, head in enumerate(asked.merged)
        for a, b in head
    ]
    return _list(said) or ["no two were"]


def _list_schemes() -> None:
    from orderproof.numeric.bias_matrices import SCHEMES

    for name, entry in SCHEMES.items():
        takes = "".join(f" [--{t}]" for t in entry.takes)
        click.echo(f"{name}{takes}")
        _say(f"    {entry.says}" + (f" ({entry.paper})" if entry.paper else ""))


def _say(*parts: str, none: str = "") -> None:
    """Print a paragraph in 80 columns; its later lines are set in."""
    text = parts[0] + ("".join(parts[1:]) or none)
    first = " " * (len(text) - len(text.lstrip()))
    click.echo(
        textwrap.fill(
            text.strip(),
            WIDTH,
            initial_indent=first,
            subsequent_indent=first + "  ",
            break_on_hyphens=False,
        )
    )


def _list(parts: Sequence[str], most: int = SHOWN) -> list[str]:
    """The parts with semicolons; how many more there are past a number of them."""
    shown = "; ".join(parts[:most])
    return [shown + (f"; … {len(parts) - most} more" if len(parts) > most else "")] if parts else []


def _power(log10: float) -> str:
    """A number from its logarithm, which may be one that no float holds."""
    if log10 == -math.inf:
        return "0"
    if log10 > -300:
        return f"{10**log10:.6g}"
    whole = math.floor(log10)
    return f"{10 ** (log10 - whole):.3f}e{whole}"


def _order(group: Group) -> str:
    text = str(group.order)
    return text if len(text) <= 15 else f"{text[0]}.{text[1:4]}e{len(text) - 1}"


def _cycles(sigma: Sequence[int]) -> str:
    """Cycle notation, shortened."""
    from orderproof.numeric.group_names import cycles

    def one(cycle: Sequence[int]) -> str:
        tokens = [str(t) for t in cycle]
        return f"({' '.join(tokens if len(tokens) <= 8 else [*tokens[:4], '…', tokens[-1]])})"

    found = cycles(sigma)
    short = "".join(one(c) for c in found[:4])
    return (short + (f"…({len(found)} cycles)" if len(found) > 4 else "")) or "the identity"


def _tokens(tokens: Sequence[int]) -> str:
    """Tokens as ranges: "tokens 0-5, 7"."""
    runs: list[list[int]] = []
    for t in tokens:
        if runs and t == runs[-1][1] + 1:
            runs[-1][1] = t
        else:
            runs.append([t, t])
    parts = [str(a) if a == b else f"{a}-{b}" if b > a + 1 else f"{a}, {b}" for a, b in runs]
    more = ", …" if len(parts) > 6 else ""
    return ("tokens " if len(tokens) > 1 else "token ") + ", ".join(parts[:6]) + more


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")
