"""LSTM, GRU and RNN, step by step."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from flint import arb

from .activations import scalar
from .balls import ZERO, Array, balls, filled, mapped, product
from .call import Call, Result
from .errors import BadModel

GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
USUAL = {"LSTM": ("Sigmoid", "Tanh", "Tanh"), "GRU": ("Sigmoid", "Tanh"), "RNN": ("Tanh",)}
Activation = Callable[[Array], Array]


def _activations(c: Call, directions: int) -> list[list[Activation]]:
    names = c.get("activations", list(USUAL[c.op]) * directions)
    alphas, betas = iter(c.get("activation_alpha", [])), iter(c.get("activation_beta", []))
    takes_alpha = {"leakyrelu", "elu", "affine", "scaledtanh", "hardsigmoid", "thresholdedrelu"}
    takes_beta = {"affine", "scaledtanh", "hardsigmoid"}

    def activation(name: str) -> Activation:
        def parameter(takes: set[str], given: Iterator[float]) -> float | None:
            return next(given, None) if name.lower() in takes else None

        f = scalar(name, parameter(takes_alpha, alphas), parameter(takes_beta, betas))
        return lambda x: mapped(f, x)

    each = len(USUAL[c.op])
    if len(names) != each * directions:
        raise BadModel(f"given {len(names)} activations, expected {each * directions}")
    found = [activation(name) for name in names]
    return [found[k * each : (k + 1) * each] for k in range(directions)]


class _Cell:
    """One direction: its weights, and a step of it."""

    def __init__(self, c: Call, k: int, fs: list[Activation]) -> None:
        self.op, self.fs = c.op, fs
        self.w, self.r = balls(c[1][k]).T, balls(c[2][k]).T
        self.hidden = self.r.shape[0]
        width = GATES[c.op] * self.hidden
        b = c.optional(3)
        both = filled((2 * width,), ZERO) if b is None else balls(b[k])
        self.wb, self.rb = both[:width], both[width:]
        peep = c.optional(7)
        self.peep = None if peep is None else np.split(balls(peep[k]), 3)
        clip = c.get("clip", None)
        self.bound = None if clip is None else arb(clip)
        self.linear = bool(c.get("linear_before_reset", 0))
        self.coupled = bool(c.get("input_forget", 0))

    def clipped(self, x: Array) -> Array:
        """The argument of an activation, kept within the bound that is given."""
        if self.bound is None:
            return x
        bound = self.bound
        return mapped(lambda v: v.max(-bound).min(bound), x)

    def step(self, x: Array, h: Array, cell: Array) -> tuple[Array, Array]:
        """The next hidden and cell state."""
        return getattr(self, f"_{self.op.lower()}")(x, h, cell)  # type: ignore[no-any-return]

    def _rnn(self, x: Array, h: Array, cell: Array) -> tuple[Array, Array]:
        total = product(x, self.w) + product(h, self.r) + self.wb + self.rb
        return self.fs[0](self.clipped(total)), cell

    def _gru(self, x: Array, h: Array, cell: Array) -> tuple[Array, Array]:
        n = self.hidden
        a = product(x, self.w) + self.wb
        b = product(h, self.r) + self.rb
        z = self.fs[0](self.clipped(a[:, :n] + b[:, :n]))
        r = self.fs[0](self.clipped(a[:, n : 2 * n] + b[:, n : 2 * n]))
        if self.linear:
            inner = r * b[:, 2 * n :]
        else:
            inner = product(r * h, self.r[:, 2 * n :]) + self.rb[2 * n :]
        new = self.fs[1](self.clipped(a[:, 2 * n :] + inner))
        return h * z + new - new * z, cell

    def _lstm(self, x: Array, h: Array, cell: Array) -> tuple[Array, Array]:
        gates = product(x, self.w) + product(h, self.r) + self.wb + self.rb
        i, o, f, g = np.split(gates, 4, axis=-1)
        if self.peep is not None:
            i, f = i + self.peep[0] * cell, f + self.peep[2] * cell
        i = self.fs[0](self.clipped(i))
        f = mapped(lambda v: 1 - v, i) if self.coupled else self.fs[0](self.clipped(f))
        new = f * cell + i * self.fs[1](self.clipped(g))
        if self.peep is not None:
            o = o + self.peep[1] * new
        return self.fs[0](self.clipped(o)) * self.fs[2](new), new


def _recurrent(c: Call) -> Result:
    x, direction, layout = balls(c[0]), c.get("direction", "forward"), bool(c.get("layout", 0))
    directions = {"forward": 1, "reverse": 1, "bidirectional": 2}.get(direction)
    if directions is None or c[1].shape[0] != directions:
        raise BadModel(f"given {c[1].shape[0]} directions for {str(direction)[:20]!r}")
    x = np.swapaxes(x, 0, 1) if layout else x
    steps, batch = x.shape[:2]
    hidden = c[2].shape[-1]
    given = c.ints(4)
    lengths = [steps] * batch if given is None else given
    if len(lengths) != batch or any(not 0 <= n <= steps for n in lengths):
        raise BadModel(f"given the lengths {lengths[:8]}, expected {batch} of at most {steps}")
    ends_h, ends_c, all_h = [], [], []
    activations = _activations(c, directions)
    for k in range(directions):
        backward = direction == "reverse" or k == 1
        cell = _Cell(c, k, activations[k])
        h, state = (_initial(c, at, k, batch, hidden, layout) for at in (5, 6))
        outputs = filled((steps, batch, hidden), ZERO)
        for t in range(steps):
            # a row runs over its own places alone, backward from its own end
            places = [n - 1 - t if backward else t for n in lengths]
            rows = [b for b, n in enumerate(lengths) if t < n]
            if not rows:
                break
            now = np.stack([x[places[b], b] for b in rows])
            new_h, new_c = cell.step(now, h[rows], state[rows])
            h, state = h.copy(), state.copy()
            h[rows], state[rows] = new_h, new_c
            for b in rows:
                outputs[places[b], b] = h[b]
        all_h.append(outputs)
        ends_h.append(h)
        ends_c.append(state)
    y, y_h, y_c = np.stack(all_h, axis=1), np.stack(ends_h), np.stack(ends_c)
    if layout:
        y, y_h, y_c = y.transpose(2, 0, 1, 3), y_h.swapaxes(0, 1), y_c.swapaxes(0, 1)
    return (y, y_h, y_c) if c.op == "LSTM" else (y, y_h)


def _initial(c: Call, at: int, k: int, batch: int, hidden: int, layout: bool) -> Array:
    given: Any = c.optional(at) if at == 5 or c.op == "LSTM" else None
    if given is None:
        return filled((batch, hidden), ZERO)
    return balls(np.swapaxes(given, 0, 1)[k] if layout else given[k])


OPERATORS: dict[str, Callable[[Call], Result]] = dict.fromkeys(GATES, _recurrent)
