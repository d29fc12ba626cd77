"""How `orderproof symmetry` says what it found: paragraphs of 80 columns."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from orderproof.symbolic.counting import PEOPLE, count, cycle_text, token_text

from .shared import say

if TYPE_CHECKING:
    from orderproof.numeric.groups.automorphisms import Group
    from orderproof.numeric.groups.symmetry import Answer
    from orderproof.symbolic.witness.group_file import Entry, GroupWitness

SHOWN = 8


def listed(parts: Iterable[str]) -> str:
    """The parts with semicolons; past SHOWN of them how many more there are."""
    found = list(parts)
    more = [f"… {len(found) - SHOWN} more"] if len(found) > SHOWN else []
    return "; ".join(found[:SHOWN] + more)


def _power(log10: float) -> str:
    """A number from its logarithm, which may be one that no float holds."""
    if log10 == -math.inf:
        return "0"
    if abs(log10) < 300:
        return f"{10**log10:.6g}"
    whole = math.floor(log10)
    return f"{10 ** (log10 - whole):.3f}e{whole}"


def named(group: Group) -> str:
    """The order, past 15 digits as a power of ten, and the name, if there is one."""
    from orderproof.numeric.groups.names import name

    text = str(group.order)
    text = text if len(text) <= 15 else f"{text[0]}.{text[1:4]}e{len(text) - 1}"
    called = name(group)
    return f"order {'at least ' if group.open else ''}{text}" + (f", {called}" if called else "")


def show(answer: Answer) -> None:
    """The groups of the layer and of the context."""
    layer = answer.layer
    say(f"Group of the layer: {named(layer)}. Tokens are {PEOPLE}.")
    generators = listed(cycle_text(s, short=True) for s in layer.generators)
    say(f"Generators: {generators or 'none, the identity'}")
    found = "Orbits of what was found" if layer.open else "Orbits"
    say(f"{found}: {listed(map(token_text, layer.orbits))}")
    for twins in layer.twins[:SHOWN]:
        say(f"{token_text(twins)} are interchangeable.".capitalize())
    if len(layer.twins) > SHOWN:
        say(f"… and {len(layer.twins) - SHOWN} more sets of interchangeable tokens.")
    say(f"Context group of token {layer.n}, the last, that keeps its own output:")
    for depth in sorted({1, min(2, answer.limit), answer.limit}):
        words = f"depth {depth}" + (" and on" if depth == answer.limit else "")
        here = answer.context[depth]
        alike = listed(map(token_text, here.twins))
        say(f"  {words}: {named(here)}" + (f"; interchangeable: {alike}" if alike else ""))


# ---------------------------------------------------------------------------------- witnesses
def seen_in(w: GroupWitness) -> str:
    """What a witness shows, in a sentence without its numbers in full."""
    from orderproof.symbolic.witness.group_file import RotationWitness, RowsWitness, StackWitness

    if isinstance(w, StackWitness):
        layers = count(len(w.layers), "layer")
        return f"{layers} with skips: tokens and weights for which its outputs differ, enclosed"
    if isinstance(w, RowsWitness):
        i, image = PEOPLE(w.row), PEOPLE(w.sigma[w.row])
        return (
            f"the rows added at {i} and {image} differ: with X = −PᵀE, row {i} is 0 on PX and "
            "not for P f(X)"
        )
    if isinstance(w, RotationWitness):
        i, j, s = w.row, w.column, w.sigma
        return (
            f"token {PEOPLE(s[j])} is at offset {j - i} from row {PEOPLE(i)} on PX, and at "
            f"{s[j] - s[i]} for P f(X), and its key is rotated by that"
        )
    here = _log_weight(w.of_row, w.column)
    there = _log_weight([w.of_image[k] for k in w.sigma], w.column)
    alone = "W_K = 0 and query 1" if w.term == "keys" else "W_Q = 0"
    head = f" of head {PEOPLE(w.head)}" if w.head else ""
    return (
        f"with {alone} and the value 1 at token {PEOPLE(w.sigma[w.column])}, 0 elsewhere, row "
        f"{PEOPLE(w.row)}{head} is {_power(here)} on PX and {_power(there)} for P f(X); "
        "compared exactly"
    )


def _log_weight(row: Sequence[Entry], column: int) -> float:
    """log₁₀ of a weight, in floats, to be shown: the entries are at most 0, and 0 is one."""
    scores = [_float(v) for v in row]
    total = math.fsum(map(math.exp, scores))
    return (scores[column] - math.log(total)) / math.log(10)


def _float(value: Entry) -> float:
    """The nearest float to a number <= 0; −∞ where it is below all of them."""
    try:
        return -math.inf if value is None else float(value)
    except OverflowError:
        return -math.inf
