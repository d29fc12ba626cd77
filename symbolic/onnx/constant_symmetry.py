"""At which sizes every permutation leaves the constants of a theorem's hypotheses as they are.

A constant that does not vary along the axis is no hypothesis at all. Of one that does, every entry
is compared, as the file computes it, at each of SIZES; and jointly, at sizes of the other dynamic
dimensions that it depends on, the number of tokens itself among them: a mask may be causal only
where there are as many queries as keys.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np

from .graph import Array, Call
from .naturality import Conditional, Hypothesis
from .reader import COPYING
from .reading import Reading
from .run import NotConstant, RunError
from .samples import sample_sizes
from .stabiliser import Constants, Permutation, generating, transpositions
from .values import Constant
from .words import LOOKED, ROUNDED, Condition

EVERY = 64  # every number of tokens from 2 on is looked at up to here
SIZES = (*range(2, EVERY + 1), 65, 66, 96, 100, 128, 129, 130)
MOST_OTHERS = 4  # other dynamic dimensions that the constants of a theorem may depend on
RATIONAL: dict[str, Callable[..., Fraction]] = {  # operators that may round, or wrap around
    "Add": operator.add,
    "Sub": operator.sub,
    "Mul": operator.mul,
    "Div": operator.truediv,
    "Sum": lambda *xs: sum(xs, Fraction(0)),
    "Cast": operator.pos,
}
# operators that neither round nor overflow: their results are entries of their inputs, or the same
# but for a sign, or whole numbers next to them, or whole numbers or truths that fit their types
EXACT = COPYING | {
    "Abs", "And", "ArgMax", "ArgMin", "Ceil", "Clip", "Concat", "ConstantOfShape", "Equal",
    "EyeLike", "Flatten", "Floor", "GatherElements", "Greater", "GreaterOrEqual", "IsInf", "IsNaN",
    "Less", "LessOrEqual", "Max", "Min", "Mod", "Neg", "NonZero", "Not", "OneHot", "Or", "Pad",
    "Range", "ReduceMax", "ReduceMin", "Relu", "Round", "ScatterElements", "ScatterND", "Shape",
    "Sign", "Size", "Tile", "TopK", "Trilu", "Where", "Xor",
}  # fmt: skip


@dataclass(frozen=True)
class Differs:
    """A number of tokens, a swap of two that changes a constant, and sizes of other dimensions."""

    n: int
    swap: Permutation
    sizes: Mapping[str, int]


@dataclass(frozen=True)
class Proved:
    """A theorem of one reading whose translation was confirmed; the numbers of tokens at which
    every permutation fixes its constants, as a scope in words ("" where they do not even for few
    tokens); where one does not for the first time; and what is to be said besides."""

    reading: Reading
    found: Conditional
    scope: str
    differs: Differs | None = None
    conditions: tuple[Condition, ...] = ()


# at which constants were compared: the number of tokens, other sizes that they depend on, and all
Seen = tuple[int, Mapping[str, int], Mapping[str, int]]


def conditions(
    q: Reading, found: Conditional, seen: Sequence[Seen], n: int | None
) -> tuple[Condition, ...]:
    """What an answer is given of the constants: the sizes of other dimensions that they were
    compared at, such as "m is 3, 5 or tokens", where `tokens` is the size of the axis (of one
    number of tokens n alone in numbers); and those that floats may round."""
    others: dict[str, set[tuple[int, int]]] = {}
    rounded: dict[str, None] = {}
    sources = {h.leaf.source for h in found.hypotheses if h.leaf} - {""}
    for tokens, depends, sizes in seen:
        for x, k in depends.items():
            others.setdefault(x, set()).add((tokens, k))
        unrounded = sorted(sources - {*rounded})
        rounded |= dict.fromkeys(x for x in unrounded if rounds(q, x, sizes))
    looked = []
    for x, pairs in others.items():
        numbers = sorted({k for of, k in pairs if k != of or n is not None})
        same = len({k for _, k in pairs}) > len(numbers)
        words = [*map(str, numbers), *([str(q.size)] if same else [])]
        listed = " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))
        about = (x, numbers[0]) if numbers else None
        looked.append(Condition(f"{x} is {listed}", LOOKED, about))
    as_computed = "is taken as the file computes it"
    return (*looked, *(Condition(f"{x} {as_computed}", ROUNDED) for x in rounded))


def compare(q: Reading, found: Conditional, few: int) -> Proved:
    """The constants at each of SIZES that the model is read for; at the one of an axis of fixed
    size. There is no scope where they differ for no more than `few` tokens."""
    if not found.hypotheses:
        return Proved(q, found, q.scope())
    alike: list[int] = []
    seen = list[Seen]()
    differs, end = None, q.bound or SIZES[-1]
    for n in (k for k in SIZES if k <= end) if q.fixed is None else (q.fixed,):
        every = at_sizes(q, found.hypotheses, n)
        if every is None:
            break
        if (changed := unlike(q, every, n)) is not None:
            swaps = transpositions(q.part(n)[1])
            swap = next(q.embedded(s, n) for s in swaps if not changed.fixed(s))
            differs = Differs(n, swap, changed.depends)
            break
        if every:
            alike.append(n)
        seen += [(n, c.depends, c.sizes_of_model) for c in every]
    scope = ""
    if q.fixed is not None:
        scope = q.scope() if alike else ""
    elif alike and alike[-1] >= min(few, end):
        more = ", ".join(str(n) for n in alike if n > EVERY)
        scope = f"n <= {min(alike[-1], EVERY)}" + (f", and n = {more}" if more else "")
    return Proved(q, found, scope, differs, conditions(q, found, seen, q.fixed))


def unlike(q: Reading, every: Sequence[Constants], n: int) -> Constants | None:
    """The first of these, at n tokens, that some permutation changes."""
    swaps = generating(q.part(n)[1]) if every else []
    return next((c for c in every if not all(c.fixed(s) for s in swaps)), None)


# ------------------------------------------------------------------------------- joint sizes
def at_sizes(q: Reading, hypotheses: Sequence[Hypothesis], n: int) -> list[Constants] | None:
    """The constants at n tokens, for each choice of the sizes of other dimensions: none where the
    model has none of n tokens. None where they cannot be computed, at one of these choices."""
    if (given := q.sizes_at(n)) is None:
        return []
    first = _at(q, hypotheses, given)
    others = list(first[0].depends) if first else []
    if not others:
        return first
    if len(others) > MOST_OTHERS:
        return None
    choices = [sorted({sizes[x] for sizes in sample_sizes(q.reader, {}, 2)} | {n}) for x in others]
    found: list[Constants] = []
    for values in product(*choices):
        here = _at(q, hypotheses, {**given, **dict(zip(others, values, strict=True))})
        if here is None:
            return None
        found += here
    return found or None


def _at(
    q: Reading, hypotheses: Sequence[Hypothesis], given: Mapping[str, int]
) -> list[Constants] | None:
    """The constants at given sizes: none where the model has none of them; None where they cannot
    be computed, or a tensor of the model would be too large."""
    for sizes in sample_sizes(q.reader, given, 1):
        if not given.items() <= sizes.items():
            return []  # the model ties these sizes to each other
        found = q.constants(hypotheses, sizes)
        return None if found is None else [found]
    return None if sample_sizes(q.reader, given, 1, large=True) else []


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
    """Whether what a node computes is what its operator means of numbers: neither rounded, nor too
    large for its type."""
    out = [arrays[x] for x in call.outputs if x in arrays]
    given = [arrays[x] for x in call.inputs if x in arrays]
    if call.op in RATIONAL and out:
        of, whole = RATIONAL[call.op], out[0].dtype.kind in "iu"
        each = {*zip(*(x.ravel().tolist() for x in np.broadcast_arrays(*out, *given)), strict=True)}
        for y, *xs in each:
            if not all(map(math.isfinite, xs)) or (call.op == "Cast" and isinstance(y, bool)):
                continue
            if not math.isfinite(y):
                return False
            meant = of(*map(Fraction, xs))
            if Fraction(y) != (math.trunc(meant) if whole else meant):
                return False
        return True
    if call.op in ("ReduceSum", "CumSum") and out and given:
        digits = np.finfo(out[0].dtype).nmant if out[0].dtype.kind == "f" else 31
        numbers = given[0].astype(np.float64)
        return bool(np.all(numbers == np.floor(numbers)) and np.abs(numbers).sum() < 2.0**digits)
    return call.op in EXACT
