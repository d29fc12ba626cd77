"""The NumPy encoder against the `transformers` library's BertModel, on the same folder."""

import dataclasses
import math

import numpy as np
import pytest

from orderproof.numeric.trained.checkpoint import load_checkpoint
from orderproof.numeric.trained.confirm import FIRST
from orderproof.numeric.trained.encoder import Encoder

pytestmark = pytest.mark.torch

DTYPES = (np.float64, np.float32)


@pytest.fixture
def library_output():
    """A function: the last hidden states that the library computes for a folder and token ids."""
    reason = "PyTorch and transformers are not installed: run make torch-test"
    torch = pytest.importorskip("torch", reason=reason)
    transformers = pytest.importorskip("transformers", reason=reason)

    def output(folder, ids, dtype, *, positions=True):
        model = transformers.BertModel.from_pretrained(
            folder,
            dtype={np.float64: torch.float64, np.float32: torch.float32}[dtype],
            add_pooling_layer=False,
            local_files_only=True,
        )
        model.eval()
        with torch.no_grad():
            if not positions:
                model.embeddings.position_embeddings.weight.zero_()
            result = model(torch.tensor([ids])).last_hidden_state[0].numpy()
        assert result.dtype == dtype
        return result

    return output


def agree(ours, theirs):
    """Whether two outputs agree in half of the digits of their dtype, relative to the largest.

    The rounding of a few layers takes some of the digits, and stays far from half of them; a
    difference in the formula, as the planted ones below, does not come near half of float64's.
    """
    tolerance = math.sqrt(float(np.finfo(theirs.dtype).eps) / 2) * np.max(np.abs(theirs))
    # NaN fails: it is not below anything.
    return ours.dtype == theirs.dtype and bool(np.max(np.abs(ours - theirs)) <= tolerance)


def both_agree(folder, ids, library_output, *, positions=True):
    """Whether the encoder and the library agree on the folder, in both dtypes."""
    checkpoint = load_checkpoint(folder)
    return all(
        agree(
            Encoder(checkpoint, dtype, positions=positions)(ids),
            library_output(folder, ids, dtype, positions=positions),
        )
        for dtype in DTYPES
    )


@pytest.mark.parametrize("positions", [True, False])
def test_a_tiny_checkpoint(write_checkpoint, library_output, positions):
    """If this fails, our encoder is not BERT as the library computes it."""
    for folder in (write_checkpoint("plain"), write_checkpoint("prefixed", prefix="bert.", seed=1)):
        ids, _ = load_checkpoint(folder).tokenize(FIRST)
        assert both_agree(folder, ids, library_output, positions=positions)


@pytest.mark.parametrize("positions", [True, False])
def test_the_trained_checkpoint(trained, library_output, positions):
    """If this fails, the figures of `confirm` are those of another model than the trained one."""
    ids, tokens = load_checkpoint(trained).tokenize(FIRST)
    assert tokens == ("[CLS]", "the", "cat", "chased", "the", "dog", "[SEP]")
    assert both_agree(trained, ids, library_output, positions=positions)


def other_epsilon(checkpoint):
    """Planted: the layer norm's epsilon is PyTorch's default."""
    config = dataclasses.replace(checkpoint.config, layer_norm_eps=1e-5)
    return dataclasses.replace(checkpoint, config=config)


def swapped_heads(checkpoint):
    """Planted: in one layer two heads have exchanged their queries."""
    name = "encoder.layer.1.attention.self.query.weight"
    size = checkpoint.config.hidden_size // checkpoint.config.num_attention_heads
    weight = checkpoint.tensors[name].copy()
    weight[: 2 * size] = np.concatenate([weight[size : 2 * size], weight[:size]])
    return dataclasses.replace(checkpoint, tensors=checkpoint.tensors | {name: weight})


def fewer_heads(checkpoint):
    """Planted: the features are cut into two heads, where there are three."""
    config = dataclasses.replace(checkpoint.config, num_attention_heads=2)
    return dataclasses.replace(checkpoint, config=config)


def other_token_type(checkpoint):
    """Planted: the sentence is taken for the second of a pair."""
    name = "embeddings.token_type_embeddings.weight"
    rows = checkpoint.tensors[name][::-1]
    return dataclasses.replace(checkpoint, tensors=checkpoint.tensors | {name: rows})


def not_a_number(checkpoint):
    """Planted: one weight is NaN."""
    name = "encoder.layer.0.output.dense.weight"
    weight = checkpoint.tensors[name].copy()
    weight[0, 0] = np.nan
    return dataclasses.replace(checkpoint, tensors=checkpoint.tensors | {name: weight})


@pytest.mark.parametrize(
    "plant", [other_epsilon, swapped_heads, fewer_heads, other_token_type, not_a_number]
)
def test_planted_disagreements_are_rejected(write_checkpoint, library_output, plant):
    """If this fails, the comparison accepts a model with another formula."""
    folder = write_checkpoint()
    checkpoint = load_checkpoint(folder)
    ids, _ = checkpoint.tokenize(FIRST)
    theirs = library_output(folder, ids, np.float64)
    assert agree(Encoder(checkpoint, np.float64)(ids), theirs)
    assert not agree(Encoder(plant(checkpoint), np.float64)(ids), theirs)


def test_the_tanh_gelu_is_rejected(write_checkpoint, library_output, monkeypatch):
    """If this fails, the comparison accepts an activation that is off by 1e-4."""

    def tanh_gelu(x):
        return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))

    folder = write_checkpoint()
    checkpoint = load_checkpoint(folder)
    ids, _ = checkpoint.tokenize(FIRST)
    theirs = library_output(folder, ids, np.float64)
    monkeypatch.setattr("orderproof.numeric.trained.encoder.gelu", tanh_gelu)
    assert not agree(Encoder(checkpoint, np.float64)(ids), theirs)
