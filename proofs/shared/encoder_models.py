"""Encoders of any depth, each layer with weights of its own, as terms and from the papers."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from orderproof.numeric.reference import encoder as reference
from orderproof.symbolic.models.attention import BLOCK, block, gelu, layer_norm, relu
from orderproof.symbolic.models.builders import tensor
from orderproof.symbolic.models.stacks import stacked

from .encoder_symbols import EPSILON, OF_LAYERS, WIDTHS, each_layer
from .symbols import X, d

Values = dict[str, NDArray[Any]]
POST = stacked(block(X, OF_LAYERS, WIDTHS, relu, pre_norm=False), "l")
PRE = stacked(block(X, OF_LAYERS, WIDTHS, gelu, pre_norm=True), "l")
FINAL = layer_norm(PRE, tensor("gamma", c=d), tensor("beta", c=d), EPSILON, "c")


def post(t: Values) -> NDArray[Any]:
    """Post-norm layers with ReLU, from the paper."""
    return reference.encoder(
        t["X"], each_layer(t, BLOCK), reference.post_norm_block, reference.relu
    )


def pre(t: Values) -> NDArray[Any]:
    """Pre-norm layers with GELU, and the norm that ends a pre-norm encoder."""
    last = reference.encoder(t["X"], each_layer(t, BLOCK), reference.pre_norm_block, reference.gelu)
    return reference.layer_norm(last, t["gamma"], t["beta"], t["epsilon"])
