"""What was measured, in words for people: tokens and entries counted from 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .arrays import as_numpy, is_array, type_name
from .dependence import Dependence
from .measure import SHARE, Deviation, Difference, Numbers

WHOLE = 48  # an array of more numbers is written by its nonzero ones
SHOWN = 12  # tokens of a permutation, or numbers of a large array
COUNTED = "(tokens and entries counted from 1)"
ROWS = {"causal": "token", "isolated": "request", "padding": "token", "documents": "token"}


def cycles(sigma: Sequence[int]) -> str:
    """A permutation in cycles, as "(1 3)(2 4)"."""
    left, found = set(range(len(sigma))), []
    while left:
        cycle = [min(left)]
        while (following := sigma[cycle[-1]]) != cycle[0]:
            cycle.append(following)
        left.difference_update(cycle)
        if len(cycle) > 1:
            found.append("(" + _some([str(i + 1) for i in cycle], " ") + ")")
    return "".join(found[:SHOWN]) + (" …" if len(found) > SHOWN else "") or "the identity"


def permutation(sigma: Sequence[int]) -> str:
    """A permutation as the list of its values, and in cycles."""
    return f"σ = [{_some([str(i + 1) for i in sigma], ', ')}] = {cycles(sigma)}"


def _some(items: Sequence[str], between: str) -> str:
    return between.join(items if len(items) <= SHOWN else [*items[: SHOWN - 1], "…", items[-1]])


def place(entry: Sequence[int]) -> str:
    """An entry of an array, as "entry [1, 3]"."""
    return f"entry [{', '.join(str(i + 1) for i in entry)}]" if entry else "the value"


def number(value: Numbers) -> str:
    """A number, in few digits."""
    return f"{value:.6g}"


def finding(found: Deviation, invariant: bool) -> list[str]:
    """What was found, in lines: the permutation, the worst entry, the error and the bound."""
    if not found.tried:
        return _unclear(found)
    expected = "model(x)" if invariant else "P model(x)"
    lines = [
        f"{permutation(found.sigma)}, where (P x)_i = x_σ(i)",
        f"{place(found.entry)}: model(P x) has {number(found.got)}, "
        f"{expected} has {number(found.expected)}",
        f"error {number(found.error)}, bound {found.bound:.3g}: an estimate, from the function's "
        "own sensitivity to rounding",
    ]
    return [*lines, *_unclear(found)]


def _unclear(found: Difference) -> list[str]:
    """Why a difference is none of numbers, or shows nothing, in lines; none where it shows it."""
    if not found.tried:
        return [f"the output for x itself is not finite: {place(found.entry)} is {found.got}"]
    if not found.finite:
        return ["an output that is not finite is no agreement"]
    lines: list[str] = []
    if found.blind:
        lines.append(
            f"the bound is beyond {SHARE:g} of the size of such entries ({number(found.size)}), "
            "so at this input a fault would not be seen"
        )
        if found.repeated > found.moved / 8:
            lines.append(
                f"the same call, repeated, gave outputs that differ by {number(found.repeated)}: "
                "is there dropout (model.eval() ends it), or another source of chance?"
            )
        else:
            lines.append(
                "moving the inputs by a rounding unit changed the output by "
                f"{number(found.moved)}; masks and codes belong into integers or truth values"
            )
    return lines


def dependence(found: Dependence) -> list[str]:
    """What was found of rows that must not depend on others, in lines."""
    if not (found.tried and found.differs):
        return _unclear(found)
    by_number = found.source is None
    changed = range(found.kept, found.n) if found.source is None else [found.source]
    return [sees(found.ask, found.row, changed, by_number, found.error, found.bound)]


def sees(
    ask: str,
    row: int | None,
    changed: Sequence[int],
    by_number: bool,
    moves: float,
    rounding: float,
) -> str:
    """The sentence that a row of the output, None for all of it, depends on the rows that were
    changed, or, by number, taken from the end; all counted from 0."""
    name = ROWS[ask]
    who, its = (f"{name} {row + 1}", "its output") if row is not None else ("the output", "it")
    whom = name + "s" * (len(changed) > 1) + " " + _some([str(j + 1) for j in changed], ", ")
    whom += {"padding": ", which the mask hides", "documents": " of another document"}.get(ask, "")
    between = ""
    if by_number:
        whom = f"how many {'masked ' * (ask == 'padding')}{name}s follow"
        n, kept = max(changed) + 1, min(changed)
        between = f" between {n} {name}s and {kept}"
    return f"{who} sees {whom}: {its} moves by {moves:.2g} (rounding: {rounding:.1g}){between}"


def array(name: str, value: Any) -> list[str]:
    """An array, readably: with its numbers, or where these are many, with the nonzero ones."""
    if not is_array(value):
        return [f"{name} = {value!r}"]
    numbers = as_numpy(value)
    head = f"{name}: {type_name(value)} {numbers.shape}"
    if numbers.size <= WHOLE:
        text = np.array2string(numbers, separator=", ", max_line_width=90, formatter=_FORMATS)
        return [f"{head} =", *(f"  {line}" for line in text.splitlines() if line)]
    places = np.argwhere(numbers).tolist()
    several = [f"{name}{[i + 1 for i in p]} = {number(numbers[tuple(p)].item())}" for p in places]
    rest = f", and {len(several) - SHOWN} more" if len(several) > SHOWN else ""
    return [f"{head} = 0 but " + ", ".join(several[:SHOWN]) + rest] if several else [f"{head} = 0"]


_FORMATS: Any = {"float_kind": number, "complex_kind": number, "bool": str, "int": str}
