"""What is measured on trained weights: blocks, heads, bounds; the record against the weights."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from orderproof.numeric.spread import operator_norm
from orderproof.numeric.spread_by_layer import SKIPS, exceeded
from orderproof.numeric.trained import spread
from orderproof.numeric.trained.checkpoint import CheckpointError, load_checkpoint
from orderproof.numeric.trained.encoder import Encoder

IDS = (2, 5, 6, 8, 5, 7, 3)


def test_blocks_are_those_of_the_encoder(write_checkpoint) -> None:
    """What is measured would not be a state of the encoder that is asked."""
    encoder = Encoder(load_checkpoint(write_checkpoint()), np.float64)
    first, last = encoder.attended(IDS, range(len(IDS)))
    assert np.array_equal(encoder._fed(1, last[1]), encoder(IDS))
    halved = list(encoder.attended(IDS, range(len(IDS)), skip=0.5))
    assert np.allclose(first[1] - halved[0][1], first[0] / 2)
    assert not np.allclose(halved[1][0], last[0])
    with pytest.raises(IndexError):
        list(encoder.attended((2, 99), (0, 1)))


def test_factors_are_the_heads(write_checkpoint) -> None:
    """κ would be that of other matrices: heads' maps must add up to the attention's."""
    checkpoint = load_checkpoint(write_checkpoint())
    encoder = Encoder(checkpoint, np.float64)
    name = "encoder.layer.0.attention"
    dense = checkpoint.tensors[f"{name}.output.dense.weight"].astype(float)
    value = checkpoint.tensors[f"{name}.self.value.weight"].astype(float)
    heads = list(encoder.factors(0))
    assert len(heads) == 3
    assert np.allclose(sum(v @ o for _, _, v, o in heads), value.T @ dense.T)
    q, k, v, o = heads[1]
    expected = operator_norm(q @ k.T) / 2 * operator_norm(v @ o)  # √4
    assert spread._norms(q, k, v, o) == pytest.approx(expected)


@pytest.mark.parametrize("skip", SKIPS)
def test_bounds_hold_with_biases(write_checkpoint, skip: float) -> None:
    """κ would not bound a layer of several heads whose projections have biases."""
    encoder = Encoder(load_checkpoint(write_checkpoint()), np.float64)
    layers = list(spread.measured(encoder, IDS[1:5], 3, skip=skip))
    assert layers[0].number == 0 and len(layers) > 1 and exceeded(layers) == []


def test_a_word_of_two_tokens(write_checkpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    """A word that the tokenizer cuts would be measured by its first part."""
    monkeypatch.setattr(spread, "WORDS", ("the", "cat dog"))
    with pytest.raises(CheckpointError, match="'cat dog', expected one token"):
        spread.record(write_checkpoint())


def test_bad_use(capsys: pytest.CaptureFixture[str]) -> None:
    """No file given would be a traceback, or a success."""
    assert spread.main([]) == 2
    assert "expected" in capsys.readouterr().err


@pytest.mark.slow
def test_the_record_is_what_the_weights_give(trained: Path) -> None:
    """The book would print numbers of other weights, or numbers that nobody can measure again."""
    from orderproof.proofs.book.spread_section import KEPT

    kept, found = json.loads(KEPT.read_text(encoding="utf-8")), spread.record(trained)
    key = "sha256 of model.safetensors"
    assert kept[key] == found[key]
    assert kept[key] == hashlib.sha256((trained / "model.safetensors").read_bytes()).hexdigest()
    there, here = spread.stacks_of(kept), spread.stacks_of(found)
    assert there.keys() == here.keys() == {*SKIPS}
    for skip in SKIPS:
        assert len(there[skip]) == len(here[skip])
        for a, b in zip(there[skip], here[skip], strict=True):
            assert a.kappa == pytest.approx(b.kappa, rel=1e-4)
            for kept_kind, kind in zip(a.kinds, b.kinds, strict=True):
                assert vars(kept_kind) == pytest.approx(vars(kind), rel=1e-4)
