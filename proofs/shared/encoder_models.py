"""Encoders of up to twelve layers, as terms and from the papers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from orderproof.numeric.reference import encoder as reference
from orderproof.symbolic.models.attention import encoder, gelu, layer_norm, relu
from orderproof.symbolic.models.builders import tensor

from .encoder_symbols import EPSILON, LAYERS, WIDTHS, of_layer
from .symbols import X, d

POST = encoder(X, LAYERS, WIDTHS, relu, pre_norm=False)
PRE = encoder(X, LAYERS, WIDTHS, gelu, pre_norm=True)
FINAL = layer_norm(PRE[-1], tensor("gamma", c=d), tensor("beta", c=d), EPSILON, "c")
Values = dict[str, NDArray[Any]]


def post(depth: int) -> Callable[[Values], NDArray[Any]]:
    """That many post-norm layers with ReLU, from the paper."""

    def layers(t: Values) -> NDArray[Any]:
        weights = [of_layer(t, number) for number in range(1, depth + 1)]
        return reference.encoder(t["X"], weights, reference.post_norm_block, reference.relu)

    return layers


def pre(t: Values) -> NDArray[Any]:
    """Twelve pre-norm layers with GELU, and the norm that ends a pre-norm encoder."""
    weights = [of_layer(t, number) for number in range(1, 13)]
    last = reference.encoder(t["X"], weights, reference.pre_norm_block, reference.gelu)
    return reference.layer_norm(last, t["gamma"], t["beta"], t["epsilon"])
