"""Encoders, post-norm with ReLU and pre-norm with GELU, as terms and from the papers: a single
block, and any number of layers, each with weights of its own.
"""

from orderproof.proofs.prelude import *
from orderproof.proofs.symbols import OF_LAYERS, WEIGHTS
from orderproof.symbolic.models.stacks import stacked


def both(build: Callable[..., Any], *given: Any, **options: Any) -> tuple[Any, Any]:
    """What is built of this post-norm with ReLU, and pre-norm with GELU."""
    post, pre = {"activation": relu, "pre_norm": False}, {"activation": gelu, "pre_norm": True}
    return build(*given, **post, **options), build(*given, **pre, **options)


POST_PARTS, PRE_PARTS = both(block_parts, X, WEIGHTS, WIDTHS)
POST, PRE = (stacked(layer, "l") for layer in both(block, X, OF_LAYERS, WIDTHS))
FINAL = layer_norm(PRE, tensor("gamma", c=d), tensor("beta", c=d), EPSILON, "c")


def named(parts: Any, letters: str, suffix: str) -> tuple[Named, ...]:
    """The tensors of a block by name, with tokens as rows and features as columns."""
    return tuple(Named(f"{x}_{suffix}", getattr(parts, x), "i", "c") for x in letters)


def each_layer(t: Values, shapes: Mapping[str, str]) -> list[Values]:
    """The weights of each layer by their names in a block: the axis of layers is the last one."""
    names = [name for name in shapes if name != "epsilon"]
    return [
        {name: t[name][..., k] for name in names} | {"epsilon": t["epsilon"]}
        for k in range(t[names[0]].shape[-1])
    ]


def encoder(*, pre_norm: bool, deep: bool) -> Reference:
    """An encoder from the paper: a single block, or if `deep` one for each layer's weights."""

    def expected(t: Values) -> Array:
        papers = reference.encoder
        layer, activation = papers.post_norm_block, papers.relu
        if pre_norm:
            layer, activation = papers.pre_norm_block, papers.gelu
        return papers.encoder(t["X"], each_layer(t, BLOCK) if deep else [t], layer, activation)

    return expected


post = encoder(pre_norm=False, deep=True)


def pre(t: Values) -> Array:
    """A pre-norm encoder of any depth with the norm that ends it, from the paper."""
    last = encoder(pre_norm=True, deep=True)(t)
    return reference.encoder.layer_norm(last, t["gamma"], t["beta"], t["epsilon"])
