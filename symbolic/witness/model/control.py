"""Operators with subgraphs (If, Loop, Scan), sequences, and optional values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .balls import room_like, unified
from .call import Call, Result, Value
from .errors import BadModel
from .reduce import axis_of
from .shape import joined

MAX_TURNS = 10_000


def _truth(x: Any) -> bool:
    if not isinstance(x, np.ndarray) or x.dtype != np.bool_ or x.size != 1:
        raise BadModel("given a condition that is no single truth value")
    return bool(x.reshape(())[()])


def _if(c: Call) -> Result:
    return c.run(c.get("then_branch" if _truth(c[0]) else "else_branch"), [])


def _loop(c: Call) -> Result:
    body = c.get("body")
    trips, condition = c.optional(0), c.optional(1)
    state: list[Value] = list(c.inputs[2:])
    count = len(state)
    most = MAX_TURNS + 1 if trips is None else int(trips.reshape(())[()])
    go = True if condition is None else _truth(condition)
    collected: list[list[Any]] = [[] for _ in range(len(body.output) - 1 - count)]
    turn = 0
    while go and turn < most:
        if turn >= MAX_TURNS:
            raise BadModel(f"given a loop of more than {MAX_TURNS} turns")
        found = c.run(body, [np.array(turn, dtype=np.int64), np.array(go), *state])
        go, state = _truth(found[0]), found[1 : 1 + count]
        for parts, part in zip(collected, found[1 + count :], strict=True):
            parts.append(part)
        turn += 1
    return [*state, *(_stacked(parts, c) for parts in collected)]


def _stacked(parts: list[Any], c: Call, axis: int = 0) -> Any:
    if not parts:
        raise c.refuse("outputs collected from no turn of a loop")
    room_like(parts[0], (len(parts), *parts[0].shape))
    return np.stack(unified(parts), axis=axis)


def _scan(c: Call) -> Result:
    if c.version < 9:
        raise c.refuse("Scan before opset 9")
    body, count = c.get("body"), int(c.get("num_scan_inputs"))
    xs = [c[k] for k in range(len(c.inputs))]
    state: list[Value] = list(xs[: len(xs) - count])
    scanned = xs[len(xs) - count :]
    outputs = len(body.output) - len(state)
    axes = c.get("scan_input_axes", [0] * count)
    backward = c.get("scan_input_directions", [0] * count)
    out_axes = c.get("scan_output_axes", [0] * outputs)
    out_backward = c.get("scan_output_directions", [0] * outputs)
    moved = [np.moveaxis(x, axis_of(int(a), x.ndim), 0) for x, a in zip(scanned, axes, strict=True)]
    moved = [x[::-1] if b else x for x, b in zip(moved, backward, strict=True)]
    if len({len(x) for x in moved}) != 1:
        raise BadModel("given inputs to scan of several lengths, expected one")
    collected: list[list[Any]] = [[] for _ in range(outputs)]
    first = len(state)
    for t in range(len(moved[0])):
        found = c.run(body, [*state, *(np.asarray(x[t]) for x in moved)])
        state = found[:first]
        for parts, part in zip(collected, found[first:], strict=True):
            parts.append(part)
    results = []
    for parts, axis, back in zip(collected, out_axes, out_backward, strict=True):
        rank = parts[0].ndim + 1 if parts else 1
        results.append(_stacked(parts[::-1] if back else parts, c, axis_of(int(axis), rank)))
    return [*state, *results]


def _sequence(c: Call, k: int = 0) -> list[Any]:
    found = c.inputs[k] if k < len(c.inputs) else None
    if not isinstance(found, list):
        raise BadModel(f"given no sequence as input {k}, expected one")
    return found


def _place(c: Call, k: int, size: int) -> int:
    given = c.ints(k)
    at = size if given is None else given[0] + (size if given[0] < 0 else 0)
    if not 0 <= at <= size:
        raise BadModel(f"given a place outside a sequence of {size}")
    return at


def _insert(c: Call) -> Result:
    found = _sequence(c)
    at = _place(c, 2, len(found))
    return [[*found[:at], c[1], *found[at:]]]


def _erase(c: Call) -> Result:
    found = _sequence(c)
    at = _place(c, 1, len(found)) if c.optional(1) is not None else len(found) - 1
    return [[*found[:at], *found[at + 1 :]]]


def _at(c: Call) -> Result:
    found = _sequence(c)
    at = _place(c, 1, len(found))
    if at == len(found):
        raise BadModel(f"given a place outside a sequence of {len(found)}")
    return [found[at]]


def _length(c: Call) -> Result:
    return np.array(len(_sequence(c)), dtype=np.int64)


def _joined(c: Call) -> Result:
    found, axis = _sequence(c), int(c.get("axis"))
    if not found:
        raise BadModel("given an empty sequence, expected tensors")
    if c.get("new_axis", 0):
        return [_stacked(found, c, axis_of(axis, found[0].ndim + 1))]
    return joined(found, axis_of(axis, found[0].ndim))


def _split(c: Call) -> Result:
    x, given = c[0], c.optional(1)
    axis, keep = axis_of(int(c.get("axis", 0)), x.ndim), bool(c.get("keepdims", 1))
    size = x.shape[axis]
    if given is None:
        parts = np.split(x, size, axis=axis) if size else []
        return [[p if keep else np.squeeze(p, axis=axis) for p in parts]]
    if given.ndim == 0:
        each = int(given)
        if each < 1:
            raise BadModel(f"given parts of {each}, expected 1 or more")
        cuts = list(range(each, size, each))
    else:
        cuts = np.cumsum(given)[:-1].tolist()
    return [list(np.split(x, cuts, axis=axis))]


def _map(c: Call) -> Result:
    body, first = c.get("body"), _sequence(c)
    out: list[list[Any]] = [[] for _ in body.output]
    for k, x in enumerate(first):
        rest = [v[k] if isinstance(v, list) else v for v in c.inputs[1:]]
        for parts, part in zip(out, c.run(body, [x, *rest]), strict=True):
            parts.append(part)
    return out


def _has_element(c: Call) -> Result:
    return np.array(bool(c.inputs) and c.inputs[0] is not None)


def _element(c: Call) -> Result:
    if not c.inputs or c.inputs[0] is None:
        raise BadModel("given an empty optional, expected a value")
    return [c.inputs[0]]


OPERATORS: dict[str, Callable[[Call], Result]] = {
    "If": _if,
    "Loop": _loop,
    "Scan": _scan,
    "SequenceEmpty": lambda c: [[]],
    "SequenceConstruct": lambda c: [list(c.inputs)],
    "SequenceInsert": _insert,
    "SequenceErase": _erase,
    "SequenceAt": _at,
    "SequenceLength": _length,
    "ConcatFromSequence": _joined,
    "SplitToSequence": _split,
    "SequenceMap": _map,
    "OptionalHasElement": _has_element,
    "OptionalGetElement": _element,
}
