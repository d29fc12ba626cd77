"""Checkpoints for the tests: tiny random ones in the standard layout, and the trained one."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from orderproof.numeric.trained.place import find_checkpoint

VOCABULARY = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cat", "dog", "chased")

CONFIG: dict[str, Any] = {
    "model_type": "bert",
    "hidden_act": "gelu",
    "hidden_size": 12,
    "intermediate_size": 20,
    "layer_norm_eps": 1e-12,
    "max_position_embeddings": 16,
    "num_attention_heads": 3,
    "num_hidden_layers": 2,
    "pad_token_id": 0,
    "type_vocab_size": 2,
    "vocab_size": len(VOCABULARY),
}


def random_tensors(seed: int) -> dict[str, np.ndarray]:
    """Float32 tensors for CONFIG, by the published names, each written out here."""
    rng = np.random.default_rng(seed)
    d, wide = CONFIG["hidden_size"], CONFIG["intermediate_size"]
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (len(VOCABULARY), d),
        "embeddings.position_embeddings.weight": (16, d),
        "embeddings.token_type_embeddings.weight": (2, d),
        "embeddings.LayerNorm.weight": (d,),
        "embeddings.LayerNorm.bias": (d,),
    }
    for layer in ("encoder.layer.0", "encoder.layer.1"):
        for name, out, into in (
            ("attention.self.query", d, d),
            ("attention.self.key", d, d),
            ("attention.self.value", d, d),
            ("attention.output.dense", d, d),
            ("intermediate.dense", wide, d),
            ("output.dense", d, wide),
        ):
            shapes[f"{layer}.{name}.weight"] = (out, into)
            shapes[f"{layer}.{name}.bias"] = (out,)
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            shapes[f"{layer}.{name}.weight"] = (d,)
            shapes[f"{layer}.{name}.bias"] = (d,)
    tensors = {}
    for name, shape in shapes.items():
        centre = 1.0 if name.endswith("LayerNorm.weight") else 0.0
        tensors[name] = rng.normal(centre, 0.5, shape).astype(np.float32)
    return tensors


@pytest.fixture
def write_checkpoint(tmp_path: Path) -> Callable[..., Path]:
    """A function that writes a tiny checkpoint folder and returns it.

    `config` is merged into CONFIG, `edit` changes the tensors in place, `prefix` goes before their
    names, and `words` are the vocabulary.
    """
    numpy_format = pytest.importorskip("safetensors.numpy", reason="the extra `models` is missing")
    tokenizers = pytest.importorskip("tokenizers", reason="the extra `models` is missing")

    def write(
        name: str = "tiny",
        *,
        seed: int = 0,
        config: dict[str, Any] | None = None,
        edit: Callable[[dict[str, np.ndarray]], object] = lambda tensors: None,
        prefix: str = "",
        words: Sequence[str] = VOCABULARY,
    ) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        (folder / "config.json").write_text(json.dumps(CONFIG | (config or {})), encoding="utf-8")
        tensors = random_tensors(seed)
        edit(tensors)
        numpy_format.save_file(
            {prefix + key: np.ascontiguousarray(tensor) for key, tensor in tensors.items()},
            folder / "model.safetensors",
        )
        vocabulary = folder / "vocab.txt"
        vocabulary.write_text("".join(f"{word}\n" for word in words), encoding="utf-8")
        made = tokenizers.BertWordPieceTokenizer(str(vocabulary))
        made.enable_padding(length=64)  # as published checkpoints save them: must be undone
        made.enable_truncation(max_length=4)
        made.save(str(folder / "tokenizer.json"))
        return folder

    return write


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the trained checkpoint that the expected figures belong to."""
    monkeypatch.delenv("ORDERPROOF_MODEL", raising=False)
    folder = find_checkpoint(None)
    if folder is None:
        pytest.skip("the trained checkpoint is not installed: run make models")
    return folder
