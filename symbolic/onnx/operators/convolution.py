"""Convolutions: along each spatial dimension a table of zeros and ones says which position each tap
of each window reads; what is left is a contraction. Whether a convolution sees the order of a
dimension becomes a question about that table.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy

from ..graph import Array, Call
from ..reader import Reader, operator
from ..values import SizeAt, Tensor
from .windows import taken, windows_of


def fixed(r: Reader, sizes: Any, what: str) -> list[int]:
    """Sizes that no input changes."""
    if not all(s.is_Integer for s in sizes):
        raise r.refuse(f"{what} of sizes {tuple(sizes)}, expected numbers")
    return [int(s) for s in sizes]


@operator("Conv")
def conv(r: Reader, c: Call, args: list[Any]) -> Any:
    x, weight = r.as_tensor(args[0]), r.as_tensor(args[1])
    kernel = fixed(r, r.sizes(weight)[2:], "a kernel")
    if len(x.dims) != len(kernel) + 2:
        raise r.refuse(f"a kernel of {len(kernel)} dimensions for a tensor with {len(x.dims)}")
    groups = int(c.attributes.get("group", 1))
    whole = convolved(r, c, x, weight, kernel, groups)
    if len(args) > 2 and args[2] is not None:
        bias = r.insert(r.as_tensor(args[2]), list(range(1, len(kernel) + 1)))
        whole = r.function("add", whole, bias)
    return whole


def convolved(
    r: Reader, c: Call, x: Tensor, weight: Tensor, kernel: list[int], groups: int
) -> Tensor:
    """Σ over channels and taps of weight[o, c, taps] x[b, c, positions], group by group."""
    batch, channels, *spatial = r.sizes(x)
    out, per_group = r.sizes(weight)[:2]
    if groups < 1 or sympy.expand(per_group * groups - channels) != 0:
        raise r.refuse(f"{groups} groups of {per_group} channels for {channels} channels")
    taps: list[int] = []
    for i, w in reversed(list(enumerate(windows_of(r, c, spatial, kernel)))):
        x, own = taken(r, x, i + 2, w)
        taps += [i] if own else []
    named = [p for i in range(len(kernel)) for p in (["p", i], ["t", i])[: 1 + (i in taps)]]
    labels = [(kind, i) for kind, i in named]
    positions = [("p", i) for i in range(len(kernel))]
    weights = [("t", i) if i in taps else ("one", i) for i in range(len(kernel))]
    if groups == 1:
        return r.einsum(
            [weight, x], [["o", "c", *weights], ["b", "c", *labels]], ["b", "o", *positions]
        )
    sizes: list[Any] = list(r.sizes(x))
    split = r.reshape(x, [batch, groups, per_group, *sizes[2:]])
    rows: list[Any] = list(r.sizes(weight))
    stacked = r.reshape(weight, [groups, out / groups, *rows[1:]])
    whole = r.einsum(
        [stacked, split],
        [["g", "o", "c", *weights], ["b", "g", "c", *labels]],
        ["b", "g", "o", *positions],
    )
    return r.reshape(whole, [batch, out, *list(r.sizes(whole))[3:]])


# ----------------------------------------------------------------------------------- transposed
@operator("ConvTranspose")
def transposed(r: Reader, c: Call, args: list[Any]) -> Any:
    """Σ over channels and taps of weight[c, o, taps] x[b, c, i], i and tap so that i · stride +
    tap · dilation − padding is the position: a table of places again."""
    x, weight = r.as_tensor(args[0]), r.as_tensor(args[1])
    kernel = fixed(r, r.sizes(weight)[2:], "a kernel")
    rank, groups = len(kernel), int(c.attributes.get("group", 1))
    if len(x.dims) != rank + 2:
        raise r.refuse(f"a kernel of {rank} dimensions for a tensor with {len(x.dims)}")
    batch, channels, *spatial = r.sizes(x)
    if r.sizes(weight)[0] != channels or not (channels / groups).is_Integer:
        raise r.refuse(f"{r.sizes(weight)[0]} channels in {groups} groups for {channels} channels")
    for i in reversed(range(rank)):
        x = _spread(r, c, x, i, kernel[i], spatial[i])
    split = r.reshape(x, [batch, groups, channels / groups, *list(r.sizes(x))[2:]])
    rows: list[Any] = list(r.sizes(weight))
    stacked = r.reshape(weight, [groups, channels / groups, *rows[1:]])
    places = [(kind, i) for i in range(rank) for kind in "pt"]
    whole = r.einsum(
        [stacked, split],
        [["g", "c", "o", *(("t", i) for i in range(rank))], ["b", "g", "c", *places]],
        ["b", "g", "o", *(("p", i) for i in range(rank))],
    )
    whole = r.reshape(whole, [batch, groups * rows[1], *list(r.sizes(whole))[3:]])
    if len(args) > 2 and args[2] is not None:
        bias = r.insert(r.as_tensor(args[2]), list(range(1, rank + 1)))
        whole = r.function("add", whole, bias)
    return whole


def _spread(r: Reader, c: Call, x: Tensor, i: int, kernel: int, size: Any) -> Tensor:
    """x with a dimension for positions of the result, and one for taps, in the place of one."""
    rank = len(c.attributes.get("strides", ())) or len(x.dims) - 2

    def of(name: str, usual: int) -> int:
        given = c.attributes.get(name)
        return usual if given is None else int(given[i])

    stride, dilation, more = of("strides", 1), of("dilations", 1), of("output_padding", 0)
    begin, reach = of("pads", 0), (kernel - 1) * dilation + 1
    end = (
        int(c.attributes["pads"][i + len(c.attributes["pads"]) // 2])
        if "pads" in c.attributes
        else 0
    )
    auto = str(c.attributes.get("auto_pad", "NOTSET"))
    full = sympy.expand(stride * (size - 1) + more + reach)
    count = full if auto == "VALID" else full - begin - end
    if auto == "VALID":
        begin = 0
    if "output_shape" in c.attributes or auto.startswith("SAME"):
        shape = c.attributes.get("output_shape")
        count = size * stride if shape is None else sympy.Integer(int(shape[i - rank]))
        total = sympy.expand(full - count)
        if not total.is_Integer:
            raise r.refuse("a given shape of the result along a dimension that is not fixed")
        cut = max(0, int(total))
        begin = cut // 2 if auto == "SAME_UPPER" else cut - cut // 2

    def places(_: Any, at: SizeAt) -> Array:
        o, tap = np.ogrid[: at(count), :kernel]
        raw = o + begin - tap * dilation
        inside = (raw >= 0) & (raw % stride == 0) & (raw // stride < at(size))
        return np.where(inside, raw // stride, -1)

    new = [r.atoms.new(count, "positions"), r.atoms.new(kernel, f"d{kernel}")]
    return r.windows(x, i + 2, new, places, f"windows of {r.node}, dimension {i + 2}")
