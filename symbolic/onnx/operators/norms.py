"""Normalisations: by mean and variance over some dimensions, with a gain and a shift."""

from __future__ import annotations

from typing import Any

from ..graph import Call
from ..reader import Reader, operator
from ..values import Tensor
from .node import attributes, scalar


def moments(r: Reader, c: Call, x: Tensor, dims: list[int]) -> list[Tensor]:
    """x without its mean over dimensions, that mean, and √(variance + ε)."""
    mean = r.mean(x, dims)
    x = r.function("sub", x, mean)
    return [x, mean, deviation(r, c, r.mean(r.function("mul", x, x), dims))]


def deviation(r: Reader, c: Call, variance: Tensor) -> Tensor:
    """√(variance + ε)."""
    return r.function("sqrt", r.function("add", variance, scalar(r, attributes(c)["epsilon"])))


def scaled(r: Reader, x: Tensor, spread: Tensor, *gains: Tensor) -> Tensor:
    """x / spread, times a gain, plus a shift if there is one."""
    x = r.function("div", x, spread)
    for name, gain in zip(("mul", "add"), gains, strict=False):
        x = r.function(name, x, gain)
    return x


def by_channel(r: Reader, x: Tensor, *given: Any) -> list[Tensor]:
    """Tensors over channels, to stand beside x: its channels are x's second dimension."""
    return [r.insert(r.as_tensor(t), list(range(1, len(x.dims) - 1))) for t in given]


@operator("LayerNormalization")
def layer_norm(r: Reader, c: Call, args: list[Any]) -> Any:
    x = r.as_tensor(args[0])
    first = r.dimension(attributes(c)["axis"], len(x.dims))
    shifted, mean, spread = moments(r, c, x, list(range(first, len(x.dims))))
    gains = [r.as_tensor(t) for t in args[1:3] if t is not None]
    return [scaled(r, shifted, spread, *gains), mean, r.function("div", r.number(1), spread)]


@operator("InstanceNormalization")
def instance_norm(r: Reader, c: Call, args: list[Any]) -> Any:
    x = r.as_tensor(args[0])
    shifted, _, spread = moments(r, c, x, list(range(2, len(x.dims))))
    return scaled(r, shifted, spread, *by_channel(r, x, *args[1:3]))


@operator("BatchNormalization")
def batch_norm(r: Reader, c: Call, args: list[Any]) -> Any:
    if attributes(c).get("training_mode"):
        raise r.refuse("BatchNormalization in training mode is not read")
    x = r.as_tensor(args[0])
    *gains, mean, variance = by_channel(r, x, *args[1:5])
    return scaled(r, r.function("sub", x, mean), deviation(r, c, variance), *gains)
