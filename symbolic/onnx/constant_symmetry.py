"""At which sizes every permutation leaves the constants of a theorem's hypotheses as they are.

A constant that does not vary along the axis is no hypothesis at all. Of one that does, every entry
is compared, as the file computes it, at each of SIZES; and jointly, at sizes of the other dynamic
dimensions that it depends on, the number of tokens itself among them: a mask may be causal only
where there are as many queries as keys.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from .graph import Array, Call
from .naturality import Hypothesis
from .reader import COPYING
from .run import NotConstant, RunError
from .stabiliser import Constants, generating
from .values import Constant

if TYPE_CHECKING:
    from .reading import Reading

EVERY = 64  # every number of tokens from 2 on is looked at up to here
SIZES = (*range(2, EVERY + 1), 65, 66, 96, 100, 128, 129, 130)
MOST_OTHERS = 4  # other dynamic dimensions that the constants of a theorem may depend on
RATIONAL: dict[str, Callable[..., Fraction]] = {  # operators that may round, or wrap around
    "Add": operator.add,
    "Sub": operator.sub,
    "Mul": operator.mul,
    "Div": operator.truediv,
    "Cast": operator.pos,
}
# operators whose results, of floats, are entries of their inputs, or the same but for a sign, or
# whole numbers next to them
SELECTING = COPYING | {
    "Abs", "Ceil", "Clip", "Concat", "ConstantOfShape", "EyeLike", "Flatten", "Floor",
    "GatherElements", "Max", "Min", "Neg", "OneHot", "Pad", "ReduceMax", "ReduceMin", "Relu",
    "Round", "ScatterElements", "ScatterND", "Sign", "Tile", "Trilu", "Where",
}  # fmt: skip


@dataclass(frozen=True)
class Compared:
    """The numbers of tokens at which every permutation fixes the constants, as a scope in words
    ("" where they do not even for few tokens); the first at which one does not, or 0; and what is
    to be said besides: the sizes of other dimensions that were looked at, constants that floats
    round."""

    scope: str
    failing: int = 0
    conditions: tuple[str, ...] = ()


def compare(q: Reading, hypotheses: Sequence[Hypothesis], few: int) -> Compared:
    """The constants at each of SIZES that the model is read for; at the one of an axis of fixed
    size. There is no scope where they differ for no more than `few` tokens."""
    alike: list[int] = []
    others: dict[str, set[tuple[int, int]]] = {}
    rounded: dict[str, None] = {}
    failing, end = 0, q.bound or SIZES[-1]
    for n in (k for k in SIZES if k <= end) if q.fixed is None else (q.fixed,):
        every = at_sizes(q, hypotheses, n)
        if every is None:
            break
        if not all(c.fixed(s) for c in every for s in generating(q.part(n)[1])):
            failing = n
            break
        if every:
            alike.append(n)
        for c in every:
            for x, k in other_sizes(q, c).items():
                others.setdefault(x, set()).add((n, k))
            new = {h.leaf.source for h in hypotheses if h.leaf} - {"", *rounded}
            rounded |= dict.fromkeys(x for x in sorted(new) if rounds(q, x, c.sizes_of_model))
    scope = ""
    if q.fixed is not None:
        scope = q.scope() if alike else ""
    elif alike and alike[-1] >= min(few, end):
        more = ", ".join(str(n) for n in alike if n > EVERY)
        scope = f"n <= {min(alike[-1], EVERY)}" + (f", and n = {more}" if more else "")
    said = (
        *sizes_text(others, q.fixed),
        *(f"{x} is taken as the file computes it" for x in rounded),
    )
    return Compared(scope, failing, said)


# ------------------------------------------------------------------------------- joint sizes
def at_sizes(q: Reading, hypotheses: Sequence[Hypothesis], n: int) -> list[Constants] | None:
    """The constants at n tokens, for each choice of the sizes of other dimensions: none where the
    model has none of n tokens. None where they cannot be computed."""
    given = q.sizes_at(n)
    first = q.samples(given, 1) if given is not None else []
    if given is None or not first:
        return []
    one = q.constants(hypotheses, first[0])
    others = list(other_sizes(q, one)) if one is not None else []
    if one is None or not others:
        return None if one is None else [one]
    if len(others) > MOST_OTHERS:
        return None
    choices = [sorted({sizes[x] for sizes in q.samples({}, 2)} | {n}) for x in others]
    found: list[Constants] = []
    for values in product(*choices):
        wanted = {**given, **dict(zip(others, values, strict=True))}
        for sizes in q.samples(wanted, 1):
            if not wanted.items() <= sizes.items():
                continue  # the model ties these sizes to each other
            here = q.constants(hypotheses, sizes)
            if here is None:
                return None
            found.append(here)
    return found or None


def other_sizes(q: Reading, found: Constants) -> dict[str, int]:
    """The sizes but the axis's own that constants depend on."""
    own = {str(s) for s in q.size.free_symbols}
    return {x: k for x, k in found.depends.items() if x not in own}


def sizes_text(
    looked: Mapping[str, Iterable[tuple[int, int]]], fixed: int | None = None
) -> tuple[str, ...]:
    """Which sizes of other dimensions constants were looked at with, in words, from pairs of a
    number of tokens and a size: "m is 3, 5 or n"."""
    found = []
    for x, pairs in looked.items():
        numbers = sorted({k for n, k in pairs if k != n or fixed is not None})
        words = [*map(str, numbers), *(["n"] if len({k for _, k in pairs}) > len(numbers) else [])]
        found.append(f"{x} is {' or '.join([', '.join(words[:-1]), words[-1]][not words[1:] :])}")
    return tuple(found)


# ---------------------------------------------------------------------------------- rounding
def rounds(q: Reading, name: str, sizes: Mapping[str, int]) -> bool:
    """Whether a node that a constant is computed by may round at these sizes: then entries that
    are equal in the file may be unequal as real numbers."""
    values = q.reader.values
    stop = frozenset(x for x, v in values.items() if not isinstance(v, Constant))
    calls = q.runner.ancestors([name], stop) if q.runner is not None else []
    names = {x for c in calls for x in (*c.inputs, *c.outputs) if x and x not in stop}
    try:
        arrays = q.values_at(sorted(names), sizes)
    except (RunError, NotConstant):
        return True
    return not all(exact(c, arrays) for c in calls)


def exact(call: Call, arrays: Mapping[str, Array]) -> bool:
    """Whether what a node computes is what its operator means of real numbers."""
    out = [arrays[x] for x in call.outputs if x in arrays]
    given = [arrays[x] for x in call.inputs if x in arrays]
    whole = all(x.dtype.kind in "iub" for x in out)
    if call.op in RATIONAL and not (whole and call.op in ("Cast", "Div")):
        entries = np.broadcast_arrays(*out, *given)
        each = {*zip(*(x.ravel().tolist() for x in entries), strict=True)}
        finite = [x for x in each if all(map(math.isfinite, x))]
        return all(y == RATIONAL[call.op](*xs) for y, *xs in (map(Fraction, x) for x in finite))
    return (whole and call.op != "Pow") or call.op in SELECTING  # a large power wraps around
