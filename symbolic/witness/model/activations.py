"""Activation functions: real functions of one entry, some with a parameter."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from flint import arb

from .balls import HALF, ONE, ZERO, Array, less, mapped
from .call import Call, Result
from .errors import UnsupportedOperator

Scalar = Callable[[arb], arb]


def relu(x: arb) -> arb:
    """max(x, 0), which is continuous: no sign has to be decided."""
    return x.max(ZERO)


def negative(x: arb) -> arb:
    """min(x, 0)."""
    return x.min(ZERO)


def sigmoid(x: arb) -> arb:
    """1 / (1 + e^-x)."""
    return ONE / (ONE + (-x).exp())


def softplus(x: arb) -> arb:
    """log(1 + e^x)."""
    return x.exp().log1p()


def gelu(x: arb) -> arb:
    """x Φ(x)."""
    return HALF * x * (ONE + (x / arb(2).sqrt()).erf())


def gelu_tanh(x: arb) -> arb:
    """The approximation of x Φ(x) by tanh; its constants are the decimals of the definition."""
    inner = (arb(2) / arb.pi()).sqrt() * (x + arb(44715) / 1000000 * x**3)
    return HALF * x * (ONE + inner.tanh())


def _threshold(x: arb, alpha: arb) -> arb:
    return x if less(alpha, x) else ZERO


def _shrink(x: arb, bias: arb, lambd: arb) -> arb:
    if less(x, -lambd):
        return x + bias
    return x - bias if less(lambd, x) else ZERO


def scalar(name: str, alpha: float | None = None, beta: float | None = None) -> Scalar:
    """An activation function by its name, as the recurrent operators name theirs."""

    def a(default: float) -> arb:
        return arb(default if alpha is None else alpha)

    def b(default: float) -> arb:
        return arb(default if beta is None else beta)

    low = name.lower()
    if low == "relu":
        return relu
    if low == "tanh":
        return lambda x: x.tanh()
    if low == "sigmoid":
        return sigmoid
    if low == "softplus":
        return softplus
    if low == "softsign":
        return lambda x: x / (ONE + abs(x))
    if low == "leakyrelu":
        return lambda x: relu(x) + a(_F01) * negative(x)
    if low == "elu":
        return lambda x: relu(x) + a(1.0) * negative(x).expm1()
    if low == "affine":
        return lambda x: a(1.0) * x + b(0.0)
    if low == "scaledtanh":
        return lambda x: a(1.0) * (b(1.0) * x).tanh()
    if low == "hardsigmoid":
        return lambda x: (a(_F02) * x + b(0.5)).max(ZERO).min(ONE)
    if low == "thresholdedrelu":
        return lambda x: _threshold(x, a(1.0))
    raise UnsupportedOperator(f"given the activation {name[:40]!r}, expected one that ONNX names")


_F01, _F02 = float(np.float32(0.01)), float(np.float32(0.2))  # defaults are float32 attributes
_SELU = float(np.float32(1.67326319217681884765625)), float(np.float32(1.05070102214813232421875))


def _named(name: str, *attributes: str) -> Callable[[Call], Result]:
    def of(c: Call) -> Array:
        return mapped(scalar(name, *(c.get(k, None) for k in attributes)), c[0])

    return of


def _selu(c: Call) -> Array:
    alpha, gamma = arb(c.get("alpha", _SELU[0])), arb(c.get("gamma", _SELU[1]))
    return mapped(lambda x: gamma * (relu(x) + alpha * negative(x).expm1()), c[0])


def _celu(c: Call) -> Array:
    alpha = arb(c.get("alpha", 1.0))
    return mapped(lambda x: relu(x) + alpha * (negative(x) / alpha).expm1(), c[0])


def _gelu(c: Call) -> Array:
    return mapped(gelu_tanh if c.get("approximate", "none") == "tanh" else gelu, c[0])


def _hard_swish(c: Call) -> Array:
    return mapped(lambda x: x * (x / 6 + HALF).max(ZERO).min(ONE), c[0])


def _prelu(c: Call) -> Array:
    return mapped(lambda x, s: relu(x) + s * negative(x), c[0], c[1])


def _swish(c: Call) -> Array:
    alpha = arb(c.get("alpha", 1.0))
    return mapped(lambda x: x * sigmoid(alpha * x), c[0])


def _shrunk(c: Call) -> Array:
    bias, lambd = arb(c.get("bias", 0.0)), arb(c.get("lambd", 0.5))
    return mapped(lambda x: _shrink(x, bias, lambd), c[0])


OPERATORS: dict[str, Callable[[Call], Result]] = {
    "Relu": _named("Relu"),
    "Tanh": _named("Tanh"),
    "Sigmoid": _named("Sigmoid"),
    "Softplus": _named("Softplus"),
    "Softsign": _named("Softsign"),
    "LeakyRelu": _named("LeakyRelu", "alpha"),
    "Elu": _named("Elu", "alpha"),
    "HardSigmoid": _named("HardSigmoid", "alpha", "beta"),
    "ThresholdedRelu": _named("ThresholdedRelu", "alpha"),
    "Selu": _selu,
    "Celu": _celu,
    "Gelu": _gelu,
    "HardSwish": _hard_swish,
    "Mish": lambda c: mapped(lambda x: x * softplus(x).tanh(), c[0]),
    "PRelu": _prelu,
    "Swish": _swish,
    "Shrink": _shrunk,
}
