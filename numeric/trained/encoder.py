"""A BERT encoder in NumPy: trained weights, with or without their position table, in one dtype.

Inference only, one sentence at a time, no padding. All arithmetic is done in the dtype asked for,
float64 or float32; constants are Python floats, which do not promote.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from orderproof.numeric.reference.attention import attention

from .checkpoint import Checkpoint

Array = npt.NDArray[Any]

_erf = np.vectorize(math.erf, otypes=[np.float64])


def gelu(x: Array) -> Array:
    """x Phi(x) = x (1 + erf(x / sqrt 2)) / 2, the exact form, not the tanh approximation.

    NumPy has no erf, so it is `math.erf` entry by entry: evaluated in float64 and rounded once to
    the dtype of x, hence in float32 as accurate as a float32 erf can be.

    Shapes: any; the result has the same.
    Source: Hendrycks and Gimpel 2016, section 2.
    """
    erf = _erf(x * math.sqrt(0.5)).astype(x.dtype)
    result: Array = 0.5 * x * (1.0 + erf)
    return result


def layer_norm(x: Array, gain: Array, bias: Array, eps: float) -> Array:
    """(x - mean) / sqrt(var + eps) * gain + bias along the last axis, var the mean square.

    Shapes: x (..., d), gain and bias (d,); the result is (..., d).
    Source: Ba, Kiros, Hinton 2016, section 3.
    """
    centred = x - np.mean(x, axis=-1, keepdims=True)
    variance = np.mean(centred * centred, axis=-1, keepdims=True)
    result: Array = centred / np.sqrt(variance + eps) * gain + bias
    return result


class Encoder:
    """The encoder of a checkpoint, from token ids to the last hidden states.

    `dtype` is float64 or float32; the stored weights are cast to it once. `positions=False` puts
    zeros in place of the position table and changes nothing else.

    Errors: ValueError when `dtype` is another one.
    Source: Devlin et al. 2019, section 3; the post-norm block, Vaswani et al. 2017, section 3.1.
    """

    def __init__(
        self, checkpoint: Checkpoint, dtype: npt.DTypeLike, *, positions: bool = True
    ) -> None:
        self.dtype = np.dtype(dtype)
        if self.dtype not in (np.dtype(np.float64), np.dtype(np.float32)):
            raise ValueError(f"encoder: given dtype {self.dtype}, expected float64 or float32")
        self.config = checkpoint.config
        self.positions = positions
        # The word table is by far the largest tensor: its rows are cast when they are looked up.
        self._words = checkpoint.tensors["embeddings.word_embeddings.weight"]
        self._weights = {
            name: tensor.astype(self.dtype)
            for name, tensor in checkpoint.tensors.items()
            if tensor is not self._words
        }

    def __call__(self, ids: Sequence[int]) -> Array:
        """The last hidden states (n, hidden_size) of a sentence of n token ids.

        Errors: ValueError when there is no id, or one outside the vocabulary, or more of them than
        positions.
        """
        index = np.asarray(ids, dtype=np.int64)
        n, most = index.size, self.config.max_position_embeddings
        if index.ndim != 1 or not 1 <= n <= most:
            raise ValueError(f"encoder: given ids {index.shape}, expected 1 to {most} of them")
        if index.min() < 0 or index.max() >= self.config.vocab_size:
            outside = [i for i in index.tolist() if not 0 <= i < self.config.vocab_size]
            raise ValueError(
                f"encoder: given id {outside[0]}, expected 0 to {self.config.vocab_size - 1}"
            )
        hidden = self._norm("embeddings.LayerNorm", self._embed(index, np.arange(n)))
        for i in range(self.config.num_hidden_layers):
            hidden = self._fed(i, self._mixed(i, hidden))
        return hidden

    def attended(
        self, ids: Sequence[int], places: Sequence[int], *, skip: float = 1.0
    ) -> Iterator[tuple[Array, Array]]:
        """For each block its input X (n, hidden_size) and skip · X + attention(X), before any norm,
        where token ids[k] stands at position places[k]; one position may have several tokens. The
        residual connections, both of each block, are scaled by `skip`: 1 is the encoder as it was
        trained, 0 an encoder without them.

        Errors: IndexError where an id or a place is outside its table.
        """
        hidden = self._norm("embeddings.LayerNorm", self._embed(np.array(ids), np.array(places)))
        for i in range(self.config.num_hidden_layers):
            mixed = self._mixed(i, hidden, skip)
            yield hidden, mixed
            hidden = self._fed(i, mixed, skip)

    def factors(self, i: int) -> Iterator[tuple[Array, Array, Array, Array]]:
        """For each head of block i, counted from 0: W_Q, W_K (d, k), W_V (d, k) and its W_O (k, d),
        as acting on rows; without their biases."""
        heads = self.config.num_attention_heads
        part = [
            np.split(self._weights[f"encoder.layer.{i}.attention.self.{p}.weight"].T, heads, axis=1)
            for p in ("query", "key", "value")
        ]
        out = self._weights[f"encoder.layer.{i}.attention.output.dense.weight"].T
        yield from zip(*part, np.split(out, heads, axis=0), strict=True)

    def _embed(self, index: npt.NDArray[np.int64], places: npt.NDArray[np.int64]) -> Array:
        """Word plus token type (a single sentence is of type 0) plus, unless zeroed, position."""
        place = self._weights["embeddings.position_embeddings.weight"][places]
        if not self.positions:
            place = np.zeros_like(place)
        kind = self._weights["embeddings.token_type_embeddings.weight"][0]
        result: Array = self._words[index].astype(self.dtype) + kind + place
        return result

    def _mixed(self, i: int, x: Array, skip: float = 1.0) -> Array:
        """The first half of post-norm block i before its norm: x + attention(x)."""
        name = f"encoder.layer.{i}"
        return skip * x + self._linear(f"{name}.attention.output.dense", self._heads(name, x))

    def _fed(self, i: int, mixed: Array, skip: float = 1.0) -> Array:
        """The rest of the block: y = norm(x + attention(x)), then norm(y + feed-forward(y))."""
        name = f"encoder.layer.{i}"
        y = self._norm(f"{name}.attention.output.LayerNorm", mixed)
        wide = gelu(self._linear(f"{name}.intermediate.dense", y))
        narrow = self._linear(f"{name}.output.dense", wide)
        return self._norm(f"{name}.output.LayerNorm", skip * y + narrow)

    def _heads(self, name: str, x: Array) -> Array:
        """The concatenated heads: features are cut into heads, and joined again, in order."""
        heads = self.config.num_attention_heads
        q, k, v = (
            self._linear(f"{name}.attention.self.{part}", x)
            .reshape(len(x), heads, -1)
            .transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )
        result: Array = attention(q, k, v).transpose(1, 0, 2).reshape(x.shape)
        return result

    def _linear(self, name: str, x: Array) -> Array:
        result: Array = x @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]
        return result

    def _norm(self, name: str, x: Array) -> Array:
        gain, bias = self._weights[f"{name}.weight"], self._weights[f"{name}.bias"]
        return layer_norm(x, gain, bias, self.config.layer_norm_eps)
