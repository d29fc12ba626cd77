"""Convolutions: along each spatial dimension a table of zeros and ones says which position each tap
of each window reads; what is left is a contraction. Whether a convolution sees the order of a
dimension becomes a question about that table.
"""

from __future__ import annotations

from typing import Any

import sympy

from ..graph import Call
from ..reader import Reader, operator
from .node import attributes, optional
from .windows import taken, windows_of


def fixed(r: Reader, sizes: Any, what: str) -> list[int]:
    """Sizes that no input changes."""
    if not all(s.is_Integer for s in sizes):
        raise r.refuse(f"{what} of sizes {tuple(sizes)}, expected numbers")
    return [int(s) for s in sizes]


@operator("Conv")
def conv(r: Reader, c: Call, args: list[Any]) -> Any:
    """Σ over channels and taps of weight[o, c, taps] x[b, c, positions], group by group."""
    x, weight = r.as_tensor(args[0]), r.as_tensor(args[1])
    kernel = fixed(r, r.sizes(weight)[2:], "a kernel")
    groups, (batch, channels) = int(attributes(c)["group"]), r.sizes(x)[:2]
    out, per_group = r.sizes(weight)[:2]
    if groups < 1 or sympy.expand(per_group * groups - channels) != 0:
        raise r.refuse(f"{groups} groups of {per_group} channels for {channels} channels")
    for i, w in reversed(list(enumerate(windows_of(r, c, x, kernel)))):
        x = taken(r, x, i + 2, w)
    positions, taps = ([(kind, i) for i in range(len(kernel))] for kind in "pt")
    labels = [label for both in zip(positions, taps, strict=True) for label in both]
    sizes, rows = [list(r.sizes(t)) for t in (x, weight)]
    group = ["g"] if groups > 1 else []
    if group:
        x = r.reshape(x, [batch, groups, per_group, *sizes[2:]])
        weight = r.reshape(weight, [groups, out / groups, *rows[1:]])
    whole = r.einsum(
        [weight, x],
        [[*group, "o", "c", *taps], ["b", *group, "c", *labels]],
        ["b", *group, "o", *positions],
    )
    if group:
        whole = r.reshape(whole, [batch, out, *r.sizes(whole)[3:]])
    if optional(args, 2) is None:
        return whole
    return r.function("add", whole, r.insert(r.as_tensor(args[2]), range(1, len(kernel) + 1)))
