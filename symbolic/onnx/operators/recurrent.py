"""Recurrent layers: of each sequence a sequence, of which nothing more is known.

They see the order of what they run over, and treat every sequence of a batch by itself: that is
all that the calculus needs to know of them. What they compute stands here for the check alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy

from ..graph import Call
from ..reader import Reader, operator
from ..values import Tensor

X, W, R, B, LENGTHS, H, C, P = range(8)
GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
USUAL = {
    "RNN": ("Tanh",),
    "GRU": ("Sigmoid", "Tanh"),
    "LSTM": ("Sigmoid", "Tanh", "Tanh"),
}
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "Sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "Tanh": np.tanh,
    "Relu": lambda x: np.maximum(x, 0),
}


@dataclass(frozen=True)
class Layer:
    """What a recurrent layer computes in one direction, on arrays."""

    op: str
    activations: tuple[str, ...]
    linear_before_reset: bool
    backwards: bool
    given: tuple[int, ...]  # which inputs there are
    result: str  # "all", "last" or "cell"

    def __call__(self, *arrays: Any) -> Any:
        parts = dict(zip(self.given, arrays, strict=True))
        x, w, r = parts[X], parts[W], parts[R]
        width, gates = r.shape[-1], GATES[self.op]
        bias = parts.get(B, np.zeros((2 * gates * width,), x.dtype))
        h = parts.get(H, np.zeros((width,), x.dtype))
        c = parts.get(C, np.zeros((width,), x.dtype))
        peep = parts.get(P, np.zeros((3 * width,), x.dtype))
        steps = range(x.shape[-2])
        rows: list[Any] = [None] * len(steps)
        for t in reversed(steps) if self.backwards else steps:
            from_x = _times(x[..., t, :], w) + bias[..., : gates * width]
            h, c = self._step(from_x, r, bias[..., gates * width :], h, c, peep)
            rows[t] = h
        if self.result == "all":
            shape = np.broadcast_shapes(*(row.shape for row in rows))
            return np.stack([np.broadcast_to(row, shape) for row in rows], axis=-2)
        return h if self.result == "last" else c

    def _step(self, x: Any, r: Any, bias: Any, h: Any, c: Any, peep: Any) -> tuple[Any, Any]:
        f = [FUNCTIONS[name] for name in self.activations]
        n = r.shape[-1]
        if self.op == "RNN":
            return f[0](x + _times(h, r) + bias), c
        if self.op == "GRU":
            own = _times(h, r) + bias
            z, reset = (f[0](x[..., k : k + n] + own[..., k : k + n]) for k in (0, n))
            if self.linear_before_reset:
                inner = reset * own[..., 2 * n :]
            else:
                inner = _times(reset * h, r[..., 2 * n :, :]) + bias[..., 2 * n :]
            return (1 - z) * f[1](x[..., 2 * n :] + inner) + z * h, c
        i, o, forget, new = np.split(x + _times(h, r) + bias, 4, axis=-1)
        pi, po, pf = np.split(peep, 3, axis=-1)
        c_new = f[0](forget + pf * c) * c + f[0](i + pi * c) * f[1](new)
        return f[0](o + po * c_new) * f[2](c_new), c_new


def _times(x: Any, w: Any) -> Any:
    return np.einsum("...i,...gi->...g", x, w)


@operator("RNN", "GRU", "LSTM")
def recurrent(r: Reader, c: Call, args: list[Any]) -> Any:
    args = [*args, *[None] * (8 - len(args))]
    if args[LENGTHS] is not None:
        raise r.refuse(f"{c.op} with lengths of sequences is not read")
    if "clip" in c.attributes or c.attributes.get("input_forget", 0):
        raise r.refuse(f"{c.op} with clip or input_forget is not read")
    parts = {k: r.as_tensor(a) for k, a in enumerate(args) if a is not None}
    for size in r.sizes(parts[X])[:2]:  # of an empty one onnxruntime ends the whole process
        if not size.is_positive:
            r.atoms.at_most(sympy.Integer(1), size)
    first = bool(c.attributes.get("layout", 0))  # the batch is the first dimension
    directions = {"forward": [False], "reverse": [True], "bidirectional": [False, True]}
    ways = directions[str(c.attributes.get("direction", "forward"))]
    if r.sizes(parts[R])[0] != len(ways) or r.sizes(parts[R])[2] == 1:
        raise r.refuse(f"weights of sizes {r.sizes(parts[R])} for {len(ways)} directions")
    results = ("all", "last", "cell")[: len(c.outputs)]
    found: list[Any] = []
    for result, name in zip(results, c.outputs, strict=False):
        each = [_way(r, c, parts, d, ways[d], first, result) for d in range(len(ways))]
        found.append(_stacked(r, each, result, first) if name else None)
    return found


def _way(
    r: Reader, c: Call, parts: dict[int, Tensor], d: int, back: bool, first: bool, result: str
) -> Tensor:
    """One result of one direction: over positions, batch, features, or batch, features."""
    usual = USUAL[c.op]
    named = tuple(str(a) for a in c.attributes.get("activations", usual * 2))
    own = named[d * len(usual) : (d + 1) * len(usual)]
    if len(own) != len(usual) or not set(own) <= set(FUNCTIONS):
        raise r.refuse(f"{c.op} with the activations {named}")
    labels: dict[int, list[Any]] = {
        X: ["b", "s", "i"] if first else ["s", "b", "i"],
        W: ["g", "i"],
        R: ["g", "h"],
        B: ["both"],
        H: ["b", "h"],
        C: ["b", "h"],
        P: ["peep"],
    }
    mine = {}
    for k, t in parts.items():
        mine[k] = t if k == X else _of_direction(r, t, 1 if first and k in (H, C) else 0, d)
    layer = Layer(
        c.op, own, bool(c.attributes.get("linear_before_reset", 0)), back, tuple(mine), result
    )
    hidden = r.atoms.new(r.sizes(parts[R])[2], "hidden")
    new = {"s": parts[X].dims[1 if first else 0], "h": hidden}
    if result != "all":
        del new["s"]
    out = labels[X][:2] if result == "all" else ["b"]
    return r.operator(
        f"{c.op} of {r.node}, direction {d}, {result}", list(mine.values()),
        [labels[k] for k in mine], [*out, "h"], new, ["s", "i", "g", "h", "both", "peep"], layer,
    )  # fmt: skip


def _of_direction(r: Reader, t: Tensor, dim: int, d: int) -> Tensor:
    if r.sizes(t)[dim] == 1:
        return r.drop(t, [dim])
    return r.drop(r.slice(t, dim, d, d + 1), [dim])


def _stacked(r: Reader, each: list[Tensor], result: str, first: bool) -> Tensor:
    """The directions as a dimension: before the batch, or behind it."""
    place = (2 if first else 1) if result == "all" else (1 if first else 0)
    rows = [r.insert(t, [place]) for t in each]
    return rows[0] if len(rows) == 1 else r.concat(rows, place)
