"""The values of expressions at given sizes and at all indices at once, in Python's own numbers.

Integers and rationals are exact; what an unknown function gives is a float, and so is what is
reckoned with it. An array has an axis for each index, of length 1 where a part does not depend on
it, so that a part costs only what it varies.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from .expression import REAL, Expr
from .tables import Table

LARGEST = 2_000_000  # entries of a part
LOWEST = -(2**63)  # what a cast of no number, or of an infinity, gives on common machines
Value = Any  # a Python number or truth value, or an array of these


class TooLarge(ValueError):
    """More entries than are evaluated: how many, and how many are allowed."""


def _whole(x: Any, how: Callable[[Any], int]) -> int:
    return how(x) if math.isfinite(x) else LOWEST


def _guarded(f: Callable[..., float]) -> Callable[..., float]:
    """A function of floats that gives what a machine gives where Python raises."""

    def value(*xs: Any) -> float:
        try:
            return f(*map(float, xs))
        except OverflowError:
            return math.inf
        except ValueError:
            return math.nan

    return value


def _over(x: float, y: float) -> float:
    if y == 0:
        return math.nan if x == 0 or math.isnan(x) else math.copysign(math.inf, x)
    return x / y


def _quotient(x: Any, y: Any) -> Any:
    return x / y if isinstance(x, Fraction) and isinstance(y, Fraction) and y else _over(x, y)


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y,
    "neg": lambda x: -x, "abs": abs, "min": min, "max": max, "div": _quotient,
    "exp": _guarded(math.exp), "sin": _guarded(math.sin), "cos": _guarded(math.cos),
    "tanh": _guarded(math.tanh), "sqrt": _guarded(math.sqrt),
    "log": lambda x: -math.inf if x == 0 else _guarded(math.log)(x),
    "pow": _guarded(math.pow), "floor": lambda x: _whole(x, math.floor),
    "truncated": lambda x: _whole(x, math.trunc), "at_most": lambda x, y: x <= y,
    "below": lambda x, y: x < y, "equal": lambda x, y: x == y,
}  # fmt: skip


def _chosen(c: Any, x: Any, y: Any) -> Any:
    return x if c else y


def _apply(f: Callable[..., Any], *args: Value) -> Value:
    return np.frompyfunc(f, len(args), 1)(*args)


def _sum(e: Expr, args: list[Value]) -> Value:
    whole = e.data[0]
    for a, c in zip(args, e.data[1:], strict=True):
        whole = whole + (a if c == 1 else a * c)
    return whole


def _floor_div(x: int, y: int) -> int:
    return x // y if y else 0


OPERATIONS: Mapping[str, Callable[..., Any]] = {
    "product": lambda *xs: math.prod(xs), "min": min, "max": max, "abs": abs,
    "not": lambda c: not c, "and": lambda *cs: all(cs), "or": lambda *cs: any(cs),
    "same": lambda c, d: c == d, "nonnegative": lambda x: x >= 0, "zero": lambda x: x == 0,
    "ite": _chosen, "real": Fraction, "floor": math.floor, "floor_div": _floor_div,
    "mod": lambda x, y: x % y,
}  # fmt: skip


def _known(e: Expr, sizes: Mapping[str, int], at: Mapping[str, Value]) -> Value:
    match e.op:
        case "number" | "truth":
            return e.data
        case "special":
            return float(e.data)
        case "size":
            return sizes[e.data]
    return at[e.data]


def evaluate(
    e: Expr,
    sizes: Mapping[str, int],
    at: Mapping[str, Value],
    narrow: Callable[[float], float] = float,
) -> Value:
    """An expression's value; its indices are Python integers, or arrays of them that broadcast.
    TooLarge where a part has too many entries."""
    values: dict[Expr, Value] = {}
    for part in inside_out(e):
        args = [values[a] for a in part.args]
        shape = np.broadcast_shapes(*(np.shape(a) for a in args))
        if math.prod(shape) > LARGEST:
            raise TooLarge(f"given {math.prod(shape)} entries, expected at most {LARGEST}")
        if not part.args and part.op != "result":
            values[part] = _known(part, sizes, at)
        elif part.op == "sum":
            values[part] = _sum(part, args)
        elif part.op == "table":
            values[part] = _looked_up(part.data, args)
        elif part.op == "result":
            values[part] = _of_result(part.data, sizes, args)
        elif part.op == "function":
            values[part] = _apply(FUNCTIONS[part.data], *args)
            if part.sort == REAL and narrow is not float:
                values[part] = _apply(lambda x: narrow(float(x)), values[part])
        else:
            values[part] = _apply(OPERATIONS[part.op], *args)
    return values[e]


def _looked_up(table: Table, args: list[Value]) -> Value:
    """Entries of a table; outside of it, where nothing depends on them, those at its border."""
    sort = table.array.dtype.kind
    exact: dict[str, Callable[[Any], Any]] = {"f": _exact, "b": bool}
    places = [
        np.clip(np.asarray(a, dtype=np.int64), 0, n - 1)
        for a, n in zip(args, table.array.shape, strict=True)
    ]
    return _apply(exact.get(sort, int), table.array[tuple(places)])


def _of_result(known: Any, sizes: Mapping[str, int], args: list[Value]) -> Value:
    """Entries of a tensor that is run: the first along an axis on which it does not depend."""
    array = known.run(sizes)
    places: list[Any] = [0] * known.rank
    for k, a in zip(known.axes, args, strict=True):
        places[k] = np.clip(np.asarray(a, dtype=np.int64), 0, array.shape[k] - 1)
    return _apply(_exact, array[tuple(places)])


def _exact(x: Any) -> Any:
    return Fraction(float(x)) if math.isfinite(x) else float(x)


def inside_out(e: Expr) -> list[Expr]:
    """The parts of an expression, each once, after those that it is made of."""
    done: dict[Expr, None] = {}
    todo = [(e, False)]
    while todo:
        part, ready = todo.pop()
        if ready:
            done[part] = None
        elif part not in done:
            todo.append((part, True))
            todo += [(a, False) for a in part.args]
    return list(done)


def grid(names: list[str], dims: list[int]) -> dict[str, Value]:
    """All indices at once, the k-th along the k-th axis."""
    shapes = [[-1 if j == k else 1 for j in range(len(dims))] for k in range(len(dims))]
    return {
        name: np.array([*range(n)], dtype=object).reshape(shape)
        for name, n, shape in zip(names, dims, shapes, strict=True)
    }
