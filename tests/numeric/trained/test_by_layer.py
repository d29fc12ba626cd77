"""What is measured on trained weights: the blocks, and the record against the weights."""

import json
from pathlib import Path

import numpy as np
import pytest

from orderproof.numeric.by_layer import POSITIONS, apart
from orderproof.numeric.trained import by_layer
from orderproof.numeric.trained.checkpoint import CheckpointError, load_checkpoint
from orderproof.numeric.trained.encoder import Encoder

IDS = (2, 5, 6, 8, 5, 7, 3)


def test_states_are_those_of_the_encoder(write_checkpoint) -> None:
    """What is measured would not be a state of the encoder that is asked."""
    encoder = Encoder(load_checkpoint(write_checkpoint()), np.float64)
    first, _, last = encoder.states(IDS, range(len(IDS)))
    assert np.array_equal(last, encoder(IDS)) and not np.allclose(first, last)
    with pytest.raises(IndexError):
        list(encoder.states((2, 99), (0, 1)))


def test_without_positions_nothing_is_apart(write_checkpoint) -> None:
    """Contents would be compared, or rows of other positions be taken for those of one."""
    folder = write_checkpoint()
    found = by_layer.record(folder)["apart"]
    assert len(found) == 3 and min(found) > 0.1
    blind = Encoder(load_checkpoint(folder), np.float64, positions=False)
    states = blind.states([5] * POSITIONS + [6] * POSITIONS, [*range(POSITIONS)] * 2)
    assert all(apart(x, POSITIONS) < 1e-12 for x in states)


def test_a_word_of_two_tokens(write_checkpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    """A word that the tokenizer cuts would be measured by its first part."""
    monkeypatch.setattr(by_layer, "WORDS", ("the", "cat dog"))
    with pytest.raises(CheckpointError, match="'cat dog', expected one token"):
        by_layer.record(write_checkpoint())


def test_the_record_is_what_the_weights_give(trained: Path) -> None:
    """The book would print numbers of other weights, or numbers that nobody can measure again."""
    from orderproof.publish.figures import KEPT

    kept, found = json.loads(KEPT.read_text(encoding="utf-8")), by_layer.record(trained)
    assert kept.keys() == found.keys()
    assert found["apart"] == pytest.approx(kept["apart"], rel=1e-4)
    assert {**found, "apart": 0} == {**kept, "apart": 0}
