"""JAX, Flax and Keras: models as their own exporters write them, where these are installed."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from tests.models.make.by_hand import random
from tests.models.make.spec import (
    BATCH,
    Input,
    Model,
    Question,
    equivariant,
    invariant,
    refuted,
    tokens,
)

X = {"x": tokens()}


def from_jax(function: Any, dims: tuple[Any, ...] = ("b", "n", 4)) -> onnx.ModelProto:
    """By jax2onnx; its own name for the input and the output is replaced by x and y."""
    from jax2onnx import to_onnx

    return renamed(to_onnx(function, inputs=[dims], opset=21))


def from_keras(model: Any, sample: Any) -> onnx.ModelProto:
    """By Keras's export, which for its TensorFlow backend is tf2onnx; it has to be called once."""
    import keras

    random_numbers = np.random.default_rng(3)
    for weight in model.weights:
        value = random_numbers.normal(size=weight.shape) * 0.7
        weight.assign(np.abs(value) + 0.5 if "variance" in weight.path else value)
    model(keras.ops.convert_to_tensor(sample))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        model.export(path, format="onnx", verbose=False)
        proto = onnx.load(path)
    return renamed(proto)


def renamed(proto: onnx.ModelProto) -> onnx.ModelProto:
    """With x for the first input and y for the first output."""
    names = {proto.graph.input[0].name: "x", proto.graph.output[0].name: "y"}
    for value in (*proto.graph.input, *proto.graph.output):
        value.name = names.get(value.name, value.name)
    for node in proto.graph.node:
        node.input[:] = [names.get(name, name) for name in node.input]
        node.output[:] = [names.get(name, name) for name in node.output]
    return proto


def jax_models() -> list[Model]:
    """Functions of jax.numpy, and modules of Flax."""
    import jax
    import jax.numpy as jnp
    from flax import nnx

    w = {name: jnp.asarray(random(f"jax {name}", 4, 4)) for name in "qkvo"}

    def attention(x: Any, mask: Any = None) -> Any:
        scores = (x @ w["q"]) @ (x @ w["k"]).transpose(0, 2, 1)
        if mask is not None:
            scores = jnp.where(mask, scores, -1e9)
        return jnp.tanh(jax.nn.softmax(scores, -1) @ (x @ w["v"]) @ w["o"])

    def moments(x: Any) -> Any:
        h = jax.nn.gelu(x @ w["q"], approximate=True)
        return jnp.concatenate((h.mean(1), h.max(1)), -1) @ jnp.concatenate((w["k"], w["v"]))

    def weighted(x: Any) -> Any:  # the place as a weight: four tokens
        return jnp.einsum("bnd,n->bd", jnp.tanh(x @ w["q"]), jnp.arange(4.0) + 1)

    heads = nnx.MultiHeadAttention(
        num_heads=2, in_features=4, qkv_features=4, decode=False, rngs=nnx.Rngs(0)
    )
    norm = nnx.LayerNorm(4, rngs=nnx.Rngs(1))
    norm.scale[...] = jnp.asarray(random("flax scale", 4))

    def block(x: Any) -> Any:
        return x + heads(norm(x))

    def cycle(x: Any) -> Any:
        return jnp.tanh(x @ w["q"] + jnp.roll(x, 1, axis=1) @ w["k"])

    fixed = {"x": Input(("b", 4, 4))}
    made = "jax2onnx"
    rolls = Question("x", 1, "subgroup", 1, orders={4: 4}, sizes=(4,))
    # fmt: off
    return [
        Model("jax_attention", "attention in jax.numpy", from_jax(attention), X,
              [equivariant(), BATCH], exporter=made),
        Model("jax_pooled", "tokens through GELU, mean and maximum", from_jax(moments), X,
              [invariant(), BATCH], exporter=made),
        Model("jax_weighted_places", "a sum of four tokens weighted by their places",
              from_jax(weighted, ("b", 4, 4)), fixed,
              [Question("x", 1, "not equivariant", sizes=(4,)), BATCH], exporter=made),
        Model("jax_roll", "four tokens and their predecessors by jnp.roll: rotations",
              from_jax(cycle, ("b", 4, 4)), fixed, [rolls, BATCH], exporter=made),
        Model("flax_attention", "LayerNorm and MultiHeadAttention of flax.nnx", from_jax(block), X,
              [equivariant(), BATCH], exporter=made),
    ]
    # fmt: on


def keras_models() -> list[Model]:
    """Functional models of Keras."""
    os.environ.setdefault("KERAS_BACKEND", "tensorflow")
    import keras
    from keras import layers

    made = f"Keras, {keras.backend.backend()}"

    class Places(layers.Layer):  # type: ignore[misc]
        """A table of positions is added."""

        def build(self, shape: Any) -> None:
            self.table = self.add_weight(shape=shape[1:], name="positions")

        def call(self, x: Any) -> Any:
            return x + self.table

    def encoder(positions: bool, pooled: bool) -> onnx.ModelProto:
        x = keras.Input((4 if positions else None, 4), name="x")
        h = x
        if positions:
            h = Places()(h)
        h = h + layers.MultiHeadAttention(2, 2)(h, h)
        h = layers.LayerNormalization()(h)
        h = h + layers.Dense(4)(layers.Dense(6, activation="relu")(h))
        if pooled:
            h = layers.Dense(3)(layers.GlobalAveragePooling1D()(h))
        return from_keras(keras.Model(x, h), np.zeros((2, 4, 4), np.float32))

    def layered(*parts: Any) -> onnx.ModelProto:
        model = keras.Sequential([keras.Input((None, 4), name="x"), *parts])
        return from_keras(model, np.zeros((2, 5, 4), np.float32))

    fixed = {"x": Input(("b", 4, 4))}
    # fmt: off
    return [
        Model("keras_encoder", "an encoder block of Keras layers", encoder(False, False), X,
              [equivariant(), BATCH], exporter=made),
        Model("keras_encoder_pooled", "the same, and GlobalAveragePooling1D", encoder(False, True),
              X, [invariant(), BATCH], exporter=made),
        Model("keras_encoder_positions", "the same with a table of four positions",
              encoder(True, False), fixed,
              [Question("x", 1, "not equivariant", 1, sizes=(4,)), BATCH], exporter=made),
        Model("keras_convolution", "Conv1D with kernel 3 and padding \"same\"",
              layered(layers.Conv1D(4, 3, padding="same", activation="tanh")), X,
              [refuted(output_axis=1), BATCH], exporter=made),
        Model("keras_deep_set", "Dense, BatchNormalization, Dense, GlobalMaxPooling1D",
              layered(layers.Dense(6, activation="tanh"), layers.BatchNormalization(),
              layers.Dense(4), layers.GlobalMaxPooling1D()), X, [invariant(), BATCH],
              exporter=made),
    ]
    # fmt: on


def models() -> list[Model]:
    """The models of this file."""
    return [*jax_models(), *keras_models()]
