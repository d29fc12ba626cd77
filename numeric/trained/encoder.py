"""A BERT encoder in NumPy: trained weights, with or without their position table, in one dtype.

Inference only, one sentence at a time, no padding. Its blocks are those of the reference, given the
trained weights. All arithmetic is done in the dtype asked for, float64 or float32.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from orderproof.numeric.reference.encoder import Weights, gelu, layer_norm, post_norm_block

from .checkpoint import Checkpoint

Array = npt.NDArray[Any]


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
        self._tensors = checkpoint.tensors
        self._layers = [self._layer(i) for i in range(self.config.num_hidden_layers)]

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
        *_, last = self.states(index.tolist(), range(n))
        return last

    def states(self, ids: Sequence[int], places: Sequence[int]) -> Iterator[Array]:
        """The input of the blocks (n, hidden_size), and the output of each, where token ids[k]
        stands at position places[k]; one position may have several tokens.

        Errors: IndexError where an id or a place is outside its table.
        """
        table = "embeddings.{}_embeddings.weight".format
        # Only these rows are cast: the word table is by far the largest tensor.
        place = self._cast(table("position"), list(places))
        if not self.positions:
            place = np.zeros_like(place)
        kind = self._cast(table("token_type"), 0)  # a single sentence is of type 0
        x = self._cast(table("word"), list(ids)) + kind + place
        x = layer_norm(x, *self._pair("embeddings.LayerNorm"), self._epsilon)
        yield x
        for weights in self._layers:
            x = post_norm_block(x, weights, gelu)
            yield x

    @property
    def _epsilon(self) -> Array:
        return np.array(self.config.layer_norm_eps, self.dtype)

    def _layer(self, i: int) -> Weights:
        """The weights of a block as the reference names them: a map acts on rows from the right,
        and its features are cut into heads in order."""
        name, heads, d = (
            f"encoder.layer.{i}",
            self.config.num_attention_heads,
            self.config.hidden_size,
        )
        found = {"epsilon": self._epsilon}
        for p, part in (("Q", "query"), ("K", "key"), ("V", "value")):
            weight, bias = self._pair(f"{name}.attention.self.{part}")
            found[f"W_{p}"] = weight.reshape(heads, -1, d).transpose(0, 2, 1)
            found[f"b_{p}"] = bias.reshape(heads, -1)
        weight, found["b_O"] = self._pair(f"{name}.attention.output.dense")
        found["W_O"] = weight.T.reshape(heads, -1, d)
        for k, part in (("1", "intermediate"), ("2", "output")):
            weight, found[f"b_{k}"] = self._pair(f"{name}.{part}.dense")
            found[f"W_{k}"] = weight.T
        for k, part in (("1", "attention.output"), ("2", "output")):
            found[f"gamma_{k}"], found[f"beta_{k}"] = self._pair(f"{name}.{part}.LayerNorm")
        return found

    def _pair(self, name: str) -> tuple[Array, Array]:
        """The weight and the bias of a layer."""
        return self._cast(f"{name}.weight"), self._cast(f"{name}.bias")

    def _cast(self, name: str, rows: Any = ...) -> Array:
        """A tensor, or rows of it, in the dtype of the encoder."""
        result: Array = self._tensors[name][rows].astype(self.dtype)
        return result
