"""The decoder block written from the papers, in NumPy alone, as the encoder's is.

Arrays are of one floating dtype, in which everything is computed; tokens are rows. Weights of
self-attention have names that end in ",S", those of cross-attention in ",C".
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from .encoder import Activation, Weights, feed_forward, layer_norm
from .sets import weighted_attention

Array = npt.NDArray[Any]


def heads(x: Array, memory: Array, w: Weights, mask: Array | None = None) -> Array:
    """Concat(head_1, ..., head_h) W_O + b_O, queries from x, keys and values from the memory.

    Shapes: x (n, d), memory (m, d), W_Q and W_K (h, d, d_k), b_Q and b_K (h, d_k), W_V (h, d, d_v),
    b_V (h, d_v), W_O (h, d_v, d), b_O (d,); mask (n, m), weights on the exponentials of the scores,
    all 1 where none is given; the result is (n, d).
    Source: Vaswani et al. 2017, sections 3.2.2 and 3.2.3.
    """
    seen = np.ones((len(x), len(memory)), x.dtype) if mask is None else mask
    found = []
    for a in range(len(w["W_Q"])):
        q, k, v = (
            t @ w[f"W_{p}"][a] + w[f"b_{p}"][a]
            for p, t in zip("QKV", (x, memory, memory), strict=True)
        )
        found.append(weighted_attention(q, k, v, seen))
    output = w["W_O"].reshape(-1, w["W_O"].shape[-1])
    result: Array = np.concatenate(found, axis=-1) @ output + w["b_O"]
    return result


def _part(w: Weights, mark: str) -> Weights:
    return {name.removesuffix(mark): value for name, value in w.items() if name.endswith(mark)}


def _norm(x: Array, w: Weights, number: int) -> Array:
    return layer_norm(x, w[f"gamma_{number}"], w[f"beta_{number}"], w["epsilon"])


def post_norm_decoder_block(
    x: Array, memory: Array, w: Weights, activation: Activation, mask: Array | None = None
) -> Array:
    """u = LN(x + self-attention(x)), y = LN(u + cross-attention(u, memory)), LN(y + ff(y)).

    Shapes: as for `heads`, with gamma_k and beta_k (d,) for k = 1, 2, 3; the result is (n, d).
    Source: Vaswani et al. 2017, section 3.1.
    """
    u = _norm(x + heads(x, x, _part(w, ",S"), mask), w, 1)
    y = _norm(u + heads(u, memory, _part(w, ",C")), w, 2)
    return _norm(y + feed_forward(y, w, activation), w, 3)


def pre_norm_decoder_block(
    x: Array, memory: Array, w: Weights, activation: Activation, mask: Array | None = None
) -> Array:
    """The same with each norm before its map: u = x + self-attention(LN(x)), and so on.

    Shapes: as for `post_norm_decoder_block`.
    Source: Xiong et al. 2020, section 3.1, of a decoder.
    """
    normed = _norm(x, w, 1)
    u = x + heads(normed, normed, _part(w, ",S"), mask)
    y = u + heads(_norm(u, w, 2), memory, _part(w, ",C"))
    result: Array = y + feed_forward(_norm(y, w, 3), w, activation)
    return result
