"""Reading a BERT checkpoint folder: configuration, tensors and tokenizer, checked on the way in.

The folder is in the standard layout: `config.json`, `model.safetensors` and `tokenizer.json`. The
two libraries that read it belong to the extra `models` and are imported when a checkpoint is
loaded, not before.
"""

import importlib
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy.typing as npt

from orderproof import input_file

LARGEST_TEXT = 2**28  # bytes of config.json, and of a tokenizer
LARGEST_WEIGHTS = 2**40
_STORED = ("F16", "F32", "F64")  # what NumPy can hold; bfloat16 it cannot


class CheckpointError(ValueError):
    """A checkpoint that is missing, damaged, or of another kind; the message is one line."""


@dataclass(frozen=True)
class BertConfig:
    """The sizes of a BERT encoder, by their names in `config.json`."""

    vocab_size: int
    max_position_embeddings: int
    type_vocab_size: int
    hidden_size: int
    intermediate_size: int
    num_attention_heads: int
    num_hidden_layers: int
    layer_norm_eps: float


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint in memory: every tensor that the encoder needs, as stored, shapes checked.

    `tensors` is keyed by the names in `expected_shapes`, whatever prefix the file used.
    """

    config: BertConfig
    tensors: Mapping[str, npt.NDArray[Any]]
    tokenizer: Any

    def tokenize(self, text: str) -> tuple[tuple[int, ...], tuple[str, ...]]:
        """The ids and the spellings of the tokens of `text`, special tokens included."""
        encoding = self.tokenizer.encode(text)
        return tuple(encoding.ids), tuple(encoding.tokens)


def expected_shapes(config: BertConfig) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The name and shape of every tensor of the encoder (a linear map is stored out x in).

    Source: Devlin et al. 2019, section 3; names as in the published checkpoints.
    """
    d, wide = config.hidden_size, config.intermediate_size
    yield "embeddings.word_embeddings.weight", (config.vocab_size, d)
    yield "embeddings.position_embeddings.weight", (config.max_position_embeddings, d)
    yield "embeddings.token_type_embeddings.weight", (config.type_vocab_size, d)
    yield from _weight_and_bias("embeddings.LayerNorm", d)
    for i in range(config.num_hidden_layers):
        layer = f"encoder.layer.{i}"
        for part in ("self.query", "self.key", "self.value", "output.dense"):
            yield from _weight_and_bias(f"{layer}.attention.{part}", d, d)
        yield from _weight_and_bias(f"{layer}.attention.output.LayerNorm", d)
        yield from _weight_and_bias(f"{layer}.intermediate.dense", wide, d)
        yield from _weight_and_bias(f"{layer}.output.dense", d, wide)
        yield from _weight_and_bias(f"{layer}.output.LayerNorm", d)


def _weight_and_bias(name: str, out: int, *into: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    yield f"{name}.weight", (out, *into)
    yield f"{name}.bias", (out,)


def load_checkpoint(folder: Path) -> Checkpoint:
    """Read the checkpoint in `folder`.

    Errors: CheckpointError, one line, when the folder or a file is missing, a file cannot be read,
    the model is not a BERT encoder with absolute positions and exact GELU, a tensor is missing or
    has another shape than the configuration says, or a library is not installed.
    """
    if not folder.is_dir():
        raise CheckpointError(f"checkpoint {folder}: given no such folder, expected a folder")
    config = _read_config(folder / "config.json")
    tensors = _read_tensors(folder / "model.safetensors", config)
    return Checkpoint(config, tensors, _read_tokenizer(folder / "tokenizer.json"))


def _text(path: Path) -> bytes:
    return input_file.read(path, LARGEST_TEXT, "a file of a checkpoint", CheckpointError)


def _library(name: str) -> Any:
    """An optional library, imported at its first use."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise CheckpointError(
            f"reading a checkpoint: given no library {name}, "
            "expected the extra: pip install 'orderproof[models]'"
        ) from None


def _read_config(path: Path) -> BertConfig:
    data = _text(path)
    try:
        given = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise CheckpointError(
            f"{path}: given what is not JSON ({_line(error)}), expected an object"
        ) from None
    if not isinstance(given, dict):
        raise CheckpointError(f"{path}: given a {type(given).__name__}, expected an object")

    def refused(name: str, expected: str) -> CheckpointError:
        said = repr(given[name]) if name in given else "nothing"
        return CheckpointError(f"{path}: given {said} as {name}, expected {expected}")

    # What a key may say; a checkpoint of another kind has the same tensors and another meaning.
    for key, expected, default in (
        ("model_type", "bert", None),
        ("hidden_act", "gelu", None),
        ("position_embedding_type", "absolute", "absolute"),
        ("is_decoder", False, False),
    ):
        if given.get(key, default) != expected:
            raise refused(key, repr(expected))
    for name in (f.name for f in fields(BertConfig) if f.type is int):
        value = given.get(name)
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise refused(name, "a positive integer")
    eps = given.get("layer_norm_eps")
    if not isinstance(eps, int | float) or isinstance(eps, bool) or not 0 < eps < math.inf:
        raise refused("layer_norm_eps", "a positive number")
    config = BertConfig(**{f.name: given[f.name] for f in fields(BertConfig)})
    if config.hidden_size % config.num_attention_heads:
        raise CheckpointError(
            f"{path}: given hidden_size {config.hidden_size}, expected "
            f"{config.num_attention_heads} equal heads"
        )
    return config


def _read_tensors(path: Path, config: BertConfig) -> dict[str, npt.NDArray[Any]]:
    library = _library("safetensors")
    with input_file.opened(path, LARGEST_WEIGHTS, "a file of a checkpoint", CheckpointError):
        pass  # the library opens it by its name
    try:
        with library.safe_open(path, framework="np") as file:
            return _checked_tensors(path, file, config)
    except (library.SafetensorError, OSError) as error:
        raise CheckpointError(
            f"{path}: given what is not safetensors ({_line(error)}), expected such a file"
        ) from None


def _checked_tensors(path: Path, file: Any, config: BertConfig) -> dict[str, npt.NDArray[Any]]:
    names = set(file.keys())
    prefix = "bert." if any(name.startswith("bert.") for name in names) else ""
    tensors = {}
    for name, expected in expected_shapes(config):
        stored = prefix + name
        if stored not in names:  # checkpoints converted from TensorFlow keep its two names
            stored = stored.replace("LayerNorm.weight", "LayerNorm.gamma")
            stored = stored.replace("LayerNorm.bias", "LayerNorm.beta")
        if stored not in names:
            raise CheckpointError(f"{path}: given no tensor {prefix}{name}, expected {expected}")
        view = file.get_slice(stored)
        shape, dtype = tuple(view.get_shape()), view.get_dtype()
        if shape != expected or dtype not in _STORED:
            raise CheckpointError(
                f"{path}: given tensor {stored} {shape} of {dtype}, "
                f"expected {expected} of {', '.join(_STORED)}"
            )
        tensors[name] = file.get_tensor(stored)
    return tensors


def _read_tokenizer(path: Path) -> Any:
    """The tokenizer, with the padding and truncation that it may have saved turned off."""
    library, data = _library("tokenizers"), _text(path)
    try:
        tokenizer = library.Tokenizer.from_buffer(data)
    except Exception as error:  # the library raises no narrower class
        raise CheckpointError(
            f"{path}: given no tokenizer ({_line(error)}), expected one"
        ) from None
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def _line(error: BaseException) -> str:
    """The first line of an error's message: a library's may run over several."""
    lines = str(error).splitlines()
    return lines[0] if lines else type(error).__name__
