"""The encoder written from the papers, in NumPy alone: norms, feed-forward maps, blocks, a stack.

Like reference.py, of which it uses the attention, it imports nothing of the project. Arrays are of
one floating dtype, in which everything is computed; tokens are rows.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .attention import attention

Array = npt.NDArray[Any]
Weights = Mapping[str, Array]
Activation = Callable[[Array], Array]


def relu(x: Array) -> Array:
    """The positive part of each entry."""
    result: Array = np.where(x > 0, x, np.zeros_like(x))
    return result


def gelu(x: Array) -> Array:
    """x Phi(x), Phi the standard normal distribution function, as x erfc(-x / sqrt 2) / 2.

    Source: Hendrycks and Gimpel 2016, section 2.
    """
    phi = [math.erfc(-t / math.sqrt(2)) / 2 for t in x.ravel().tolist()]
    result: Array = x * np.array(phi, dtype=x.dtype).reshape(x.shape)
    return result


def layer_norm(x: Array, gain: Array, bias: Array, epsilon: Array) -> Array:
    """Each row less its mean, divided by sqrt(its variance + epsilon), then gain and bias.

    Shapes: x (..., d), gain and bias (d,), epsilon (); the result is (..., d).
    Source: Ba, Kiros, Hinton 2016, section 3.1, with the epsilon of its implementations.
    """
    mean = x.mean(axis=-1, keepdims=True)
    deviation = np.sqrt(x.var(axis=-1, keepdims=True) + epsilon)
    result: Array = (x - mean) / deviation * gain + bias
    return result


def rms_norm(x: Array, gain: Array, epsilon: Array) -> Array:
    """Each row divided by its root mean square (epsilon added under the root), then the gain.

    Shapes: x (..., d), gain (d,), epsilon (); the result is (..., d).
    Source: Zhang and Sennrich 2019, equation (4), with the epsilon of its implementations.
    """
    square = np.einsum("...c,...c->...", x, x)[..., None] / x.shape[-1]
    result: Array = x / np.sqrt(square + epsilon) * gain
    return result


def feed_forward(x: Array, w: Weights, activation: Activation) -> Array:
    """activation(x W_1 + b_1) W_2 + b_2, row by row.

    Shapes: x (..., d), W_1 (d, f), b_1 (f,), W_2 (f, d), b_2 (d,); the result is (..., d).
    Source: Vaswani et al. 2017, equation (2).
    """
    result: Array = activation(x @ w["W_1"] + w["b_1"]) @ w["W_2"] + w["b_2"]
    return result


def multi_head(x: Array, w: Weights) -> Array:
    """Concat(head_1, ..., head_h) W_O + b_O with biases in every projection.

    Shapes: x (n, d), W_Q and W_K (h, d, d_k), b_Q and b_K (h, d_k), W_V (h, d, d_v), b_V (h, d_v),
    W_O (h, d_v, d), b_O (d,); the result is (n, d).
    Source: Vaswani et al. 2017, section 3.2.2; biases as in Devlin et al. 2019's implementation.
    """
    heads = [
        attention(*(x @ w[f"W_{p}"][a] + w[f"b_{p}"][a] for p in "QKV"))
        for a in range(len(w["W_Q"]))
    ]
    output = w["W_O"].reshape(-1, w["W_O"].shape[-1])
    result: Array = np.concatenate(heads, axis=-1) @ output + w["b_O"]
    return result


def post_norm_block(x: Array, w: Weights, activation: Activation) -> Array:
    """y = LN(x + heads(x)), then LN(y + feed-forward(y)).

    Shapes: x (n, d), the weights as above and gamma_1, beta_1, gamma_2, beta_2 (d,); the
    result is (n, d).
    Source: Vaswani et al. 2017, section 3.1.
    """
    y = layer_norm(x + multi_head(x, w), w["gamma_1"], w["beta_1"], w["epsilon"])
    return layer_norm(y + feed_forward(y, w, activation), w["gamma_2"], w["beta_2"], w["epsilon"])


def pre_norm_block(x: Array, w: Weights, activation: Activation) -> Array:
    """y = x + heads(LN(x)), then y + feed-forward(LN(y)).

    Shapes: as for `post_norm_block`.
    Source: Xiong et al. 2020, table 1, right column.
    """
    y = x + multi_head(layer_norm(x, w["gamma_1"], w["beta_1"], w["epsilon"]), w)
    normed = layer_norm(y, w["gamma_2"], w["beta_2"], w["epsilon"])
    result: Array = y + feed_forward(normed, w, activation)
    return result


Layer = Callable[[Array, Weights, Activation], Array]


def encoder(x: Array, layers: Sequence[Weights], block: Layer, activation: Activation) -> Array:
    """One block after another, each with its own weights."""
    for w in layers:
        x = block(x, w, activation)
    return x
