"""Recurrent layers: of each sequence a sequence, of which nothing more is known.

They see the order of what they run over, and treat every sequence of a batch by itself: that is
all that the calculus needs to know of them. On arrays the node itself is run.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph import Call
from ..reader import Reader, operator
from .node import attributes, run_node

X, R, LENGTHS = 0, 2, 4
ACTIVATIONS = {"RNN": ["Tanh"], "GRU": ["Sigmoid", "Tanh"], "LSTM": ["Sigmoid", "Tanh", "Tanh"]}
# of each input and output the dimensions: direction d, step s, batch b, input i, hidden h, all
# gates of w, of r and of both biases, peepholes
INPUTS = ("sbi", "dwi", "drh", "dg", "", "dbh", "dbh", "dp")
STEPS = {"forward": [1], "reverse": [-1], "bidirectional": [1, -1]}  # of each direction
OUTPUTS = (("all", "sdbh"), ("last", "dbh"), ("cell", "dbh"))


@operator("RNN", "GRU", "LSTM")
def recurrent(r: Reader, c: Call, args: list[Any]) -> Any:
    parts = {k: r.as_tensor(a) for k, a in enumerate(args) if a is not None}
    has = attributes(c)
    steps = STEPS[has["direction"]]
    named = list(c.attributes.get("activations", ACTIVATIONS[c.op] * len(steps)))
    other = "clip" in has or has.get("input_forget") or has.get("layout")
    if LENGTHS in parts or other or named != ACTIVATIONS[c.op] * len(steps):
        raise r.refuse(f"{c.op} with lengths, clip, input_forget, layout or activations {named}")
    if r.sizes(parts[R])[0] != len(steps) or r.sizes(parts[R])[2] == 1:
        raise r.refuse(f"weights of sizes {r.sizes(parts[R])} for {len(steps)} directions")
    for size in r.sizes(parts[X])[:2]:  # of an empty one onnxruntime ends the whole process
        r.atoms.at_most(1, size)
    kinds = ["f" if k in parts else "" for k in range(8)]
    hidden = r.atoms.new(r.sizes(parts[R])[2], "hidden")
    new = {"s": parts[X].dims[0], "d": parts[R].dims[0], "h": hidden}

    def made(k: int, which: str, dims: str) -> Any:
        node = run_node(c, kinds, k, direction="forward", activations=None)
        of = _by_batch(node, [*parts], dims, steps)
        labels, over = [INPUTS[i] for i in parts], {x: new[x] for x in dims if x != "b"}
        way = "" if steps == [1] else f"{has['direction']} "  # two nodes may have one name
        name = f"{way}{c.op} of {r.node}, {which}"
        return r.operator(name, list(parts.values()), labels, dims, over, "sdiwrhgp", of)

    return [made(k, *OUTPUTS[k]) if name else None for k, name in enumerate(c.outputs)]


def _by_batch(forward: Any, inputs: list[int], out: str, steps: list[int]) -> Any:
    """A layer on arrays whose batch is all that is before its dimensions: in each direction as in
    the forward one, which is all that the reference had for long."""
    labels = [INPUTS[k] for k in inputs]

    def run(*arrays_and_size: Any) -> Any:
        arrays, given = arrays_and_size[:-1], []
        ends = [x.ndim - len(own.replace("b", "")) for x, own in zip(arrays, labels, strict=True)]
        free = np.broadcast_shapes(*(x.shape[:k] for x, k in zip(arrays, ends, strict=True)))
        for x, own, k in zip(arrays, labels, ends, strict=True):
            whole = np.broadcast_to(x, [*free, *x.shape[k:]]) if "b" in own else x
            rows = whole.reshape(-1, *x.shape[k:])
            given.append(np.moveaxis(rows, 0, own.index("b")) if "b" in own else rows[0])
        x, *others = given
        ways = [forward(x[::step], *(y[d : d + 1] for y in others)) for d, step in enumerate(steps)]
        if "s" in out:
            ways = [y[::step] for y, step in zip(ways, steps, strict=True)]
        found = np.moveaxis(np.concatenate(ways, out.index("d")), out.index("b"), 0)
        return found.reshape(*free, *found.shape[1:])

    return run
