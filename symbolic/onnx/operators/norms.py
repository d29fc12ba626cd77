"""Normalisations: by mean and variance over some dimensions, with a gain and a shift."""

from __future__ import annotations

from typing import Any

from ..graph import Call
from ..reader import Reader, operator
from ..values import Tensor
from .linear import scalar


def moments(r: Reader, c: Call, x: Tensor, dims: list[int], centred: bool = True) -> list[Tensor]:
    """x without its mean over dimensions, that mean, and √(variance + ε); with `centred` false x
    itself, and √(mean of x² + ε)."""
    mean = r.mean(x, dims)
    if centred:
        x = r.function("sub", x, mean)
    variance = r.mean(r.function("mul", x, x), dims)
    epsilon = scalar(r, c.attributes.get("epsilon", 1e-5))
    return [x, mean, r.function("sqrt", r.function("add", variance, epsilon))]


def normalised(r: Reader, c: Call, x: Tensor, dims: list[int], centred: bool = True) -> Tensor:
    """(x − mean) / √(variance + ε) over dimensions; with `centred` false x / √(mean of x² + ε)."""
    x, _, deviation = moments(r, c, x, dims, centred)
    return r.function("div", x, deviation)


@operator("LayerNormalization", "RMSNormalization")
def layer_norm(r: Reader, c: Call, args: list[Any]) -> Any:
    x = r.as_tensor(args[0])
    first = r.dimension(c.attributes.get("axis", -1), len(x.dims))
    dims, centred = list(range(first, len(x.dims))), c.op == "LayerNormalization"
    shifted, mean, deviation = moments(r, c, x, dims, centred)
    whole = r.function("mul", r.function("div", shifted, deviation), r.as_tensor(args[1]))
    if len(args) > 2 and args[2] is not None:
        whole = r.function("add", whole, r.as_tensor(args[2]))
    return [whole, mean, r.function("div", r.number(1), deviation)]


def by_channel(r: Reader, x: Tensor, of: Any) -> Tensor:
    """A tensor over channels, to stand beside x: its channels are x's second dimension."""
    return r.insert(r.as_tensor(of), list(range(1, len(x.dims) - 1)))


@operator("InstanceNormalization")
def instance_norm(r: Reader, c: Call, args: list[Any]) -> Any:
    x = r.as_tensor(args[0])
    whole = normalised(r, c, x, list(range(2, len(x.dims))))
    gained = r.function("mul", whole, by_channel(r, x, args[1]))
    return r.function("add", gained, by_channel(r, x, args[2]))


@operator("BatchNormalization")
def batch_norm(r: Reader, c: Call, args: list[Any]) -> Any:
    if c.attributes.get("training_mode", 0):
        raise r.refuse("BatchNormalization in training mode is not read")
    x = r.as_tensor(args[0])
    gain, shift, mean, variance = (by_channel(r, x, a) for a in args[1:5])
    epsilon = scalar(r, c.attributes.get("epsilon", 1e-5))
    spread = r.function("sqrt", r.function("add", variance, epsilon))
    whole = r.function("div", r.function("sub", x, mean), spread)
    return r.function("add", r.function("mul", whole, gain), shift)


@operator("GroupNormalization")
def group_norm(r: Reader, c: Call, args: list[Any]) -> Any:
    x = r.as_tensor(args[0])
    groups, (batch, channels, *rest) = int(c.attributes["num_groups"]), r.sizes(x)
    split = r.reshape(x, [batch, groups, channels / groups, *rest])
    whole = normalised(r, c, split, list(range(2, len(split.dims))))
    if c.version >= 21:
        whole = r.reshape(whole, [batch, channels, *rest])
        gained = r.function("mul", whole, by_channel(r, x, args[1]))
        return r.function("add", gained, by_channel(r, x, args[2]))
    gain, shift = (r.insert(r.as_tensor(a), [1, *range(2, len(x.dims))]) for a in args[1:3])
    whole = r.function("add", r.function("mul", whole, gain), shift)
    return r.reshape(whole, [batch, channels, *rest])
