"""Encoders of any depth, each layer with weights of its own, as terms and from the papers."""

from orderproof.proofs.prelude import *
from orderproof.proofs.symbols import OF_LAYERS
from orderproof.symbolic.models.stacks import stacked

POST = stacked(block(X, OF_LAYERS, WIDTHS, relu, pre_norm=False), "l")
PRE = stacked(block(X, OF_LAYERS, WIDTHS, gelu, pre_norm=True), "l")
FINAL = layer_norm(PRE, tensor("gamma", c=d), tensor("beta", c=d), EPSILON, "c")


def each_layer(
    t: Mapping[str, Array], shapes: Mapping[str, str], suffix: str = ""
) -> list[dict[str, Array]]:
    """The weights of each layer by their names in a block: the axis of layers is the last one."""
    names = [name for name in shapes if name != "epsilon"]
    depth = t[f"{names[0]}{suffix}"].shape[-1]
    return [
        {name: t[f"{name}{suffix}"][..., k] for name in names} | {"epsilon": t["epsilon"]}
        for k in range(depth)
    ]


def post(t: Values) -> Array:
    """Post-norm layers with ReLU, from the paper."""
    return reference.encoder.encoder(
        t["X"], each_layer(t, BLOCK), reference.encoder.post_norm_block, reference.encoder.relu
    )


def pre(t: Values) -> Array:
    """Pre-norm layers with GELU, and the norm that ends a pre-norm encoder."""
    last = reference.encoder.encoder(
        t["X"], each_layer(t, BLOCK), reference.encoder.pre_norm_block, reference.encoder.gelu
    )
    return reference.encoder.layer_norm(last, t["gamma"], t["beta"], t["epsilon"])
