"""The confirmation on trained weights: its verdicts, the offenders it must catch, its figures."""

import json
import math
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orderproof.numeric.trained.checkpoint import CheckpointError, load_checkpoint
from orderproof.numeric.trained.confirm import (
    FIRST,
    SECOND,
    confirm,
    judge,
    match_tokens,
    measure,
)
from orderproof.numeric.trained.encoder import Encoder
from orderproof.numeric.trained.place import find_checkpoint
from tests.numeric.conftest import VOCABULARY

NAN, INF = math.nan, math.inf


@pytest.mark.parametrize(
    ("float64", "float32", "verdict"),
    [
        (2.9e-15, 1.8e-6, "order blind"),
        (0.0, 1.8e-6, "order blind"),
        (0.0, 0.0, "order blind"),
        (0.66, 0.66, "sees order"),
        (0.66, 0.34, "sees order"),
        (1e-9, 1e-9, "sees order"),  # faint, and yet it does not shrink
        (0.66, 0.32, "unclear"),
        (0.32, 0.66, "unclear"),
        (1e-9, 1e-6, "unclear"),
        (2.9e-15, 0.0, "unclear"),
        (NAN, 1.8e-6, "unclear"),
        (2.9e-15, NAN, "unclear"),
        (NAN, NAN, "unclear"),
        (2.9e-15, INF, "unclear"),
        (INF, INF, "unclear"),
        (-1.0, 1.0, "unclear"),
    ],
)
def test_verdicts(float64, float32, verdict):
    """If this fails, rounding is taken for order, order for rounding, or NaN for either."""
    assert judge(float64, float32) == verdict


@given(st.floats(2.0**-40, 1.0), st.floats(0.1, 10.0), st.floats(0.1, 10.0))
def test_the_verdict_needs_no_scale(size, wide, narrow):
    """If this fails, a tolerance is hidden in the judge: only the ratio of the two may count."""
    assert judge(size * wide * 2.0**-29, size * narrow) == "order blind"
    assert judge(size * wide, size * narrow) != "order blind"
    assert judge(size, size) == "sees order"


def test_equal_tokens_are_matched_in_order():
    """If this fails, rows of different tokens are compared, or one row twice."""
    assert match_tokens((2, 5, 6, 8, 5, 7), (2, 5, 7, 8, 5, 6)) == (0, 1, 5, 3, 4, 2)
    assert match_tokens((1, 2), (1, 3)) is None
    assert match_tokens((1, 1, 2), (1, 2, 2)) is None


def test_the_measurement_by_hand():
    """If this fails, the difference or the cosine is taken of something else.

    Rows (3, 0), (0, 4) against (0, 5), (3, 1), the second sentence being swapped.
    """
    rows = {(1, 2): [[3.0, 0.0], [0.0, 4.0]], (2, 1): [[0.0, 5.0], [3.0, 1.0]]}
    found = measure(lambda ids: np.array(rows[tuple(ids)]), (1, 2), (2, 1), (1, 0))
    assert found.per_token == (1.0, 1.0)
    assert found.largest == 1.0
    assert math.isclose(found.cosine, 33 / (5 * math.sqrt(45)), rel_tol=1e-15)
    unmatched = measure(lambda ids: np.array(rows[tuple(ids)]), (1, 2), (2, 1), (0, 1))
    assert unmatched.per_token == (5.0, 3.0)


def test_a_tiny_encoder_is_confirmed(write_checkpoint):
    """If this fails, order comes in by another way than the position table, or not at all."""
    found = confirm(write_checkpoint())
    assert found.with_positions.verdict == "sees order"
    assert found.without_positions.verdict == "order blind"
    assert found.confirmed
    assert found.first == ("[CLS]", "the", "cat", "chased", "the", "dog", "[SEP]")
    assert [found.first[i] for i in found.matching] == list(found.second)
    assert found.with_positions.float64.cosine < 0.9999
    assert abs(found.without_positions.float64.cosine - 1) <= 2.0**-45


def running_mean(h):
    """An offender: every row is averaged with the rows before it."""
    counts = np.arange(1, len(h) + 1, dtype=h.dtype)[:, None]
    return h + np.cumsum(h, axis=0) / counts


def faint_number(h):
    """An offender: every row knows its number, 3e-8 in size, less than float32 resolves."""
    return h + np.arange(len(h), dtype=h.dtype)[:, None] * h.dtype.type(2.0**-25)


def one_row(h):
    """An offender: a single feature of the last row depends on the row before it."""
    h = h.copy()
    h[-1, 3] += h[-2, 3]
    return h


def nothing(h):
    """An offender: one entry is NaN."""
    h = h.copy()
    h[2, 1] = np.nan
    return h


@pytest.mark.parametrize("offend", [running_mean, faint_number, one_row, nothing])
def test_offenders_are_not_blind(write_checkpoint, offend):
    """If this fails, an encoder that leaks the order, or NaN, passes for order-blind."""
    checkpoint = load_checkpoint(write_checkpoint())
    (first, _), (second, _) = checkpoint.tokenize(FIRST), checkpoint.tokenize(SECOND)

    def verdict(change):
        found = []
        for dtype in (np.float64, np.float32):
            encoder = Encoder(checkpoint, dtype, positions=False)

            def encode(ids, encoder=encoder):
                return change(encoder(ids))

            found.append(measure(encode, first, second, match_tokens(first, second)).largest)
        return judge(*found)

    assert verdict(offend) != "order blind"
    assert verdict(lambda h: h) == "order blind"


@pytest.mark.parametrize("bad", [NAN, INF])
def test_weights_that_are_not_numbers_do_not_pass(write_checkpoint, bad):
    """If this fails, NaN is confirmed as order-blind, warns, or makes the JSON unreadable."""

    def spoil(tensors):
        tensors["encoder.layer.1.output.dense.weight"][0, 0] = bad

    found = confirm(write_checkpoint(edit=spoil))
    assert (found.with_positions.verdict, found.without_positions.verdict) == ("unclear",) * 2
    assert not found.confirmed
    text = json.dumps(found.to_json(), allow_nan=False)
    assert json.loads(text)["without_positions"]["float64"]["largest"] is None


def test_an_encoder_without_positions_is_not_confirmed(write_checkpoint):
    """If this fails, the half "with positions it sees the order" is not checked."""
    name = "embeddings.position_embeddings.weight"
    found = confirm(write_checkpoint(edit=lambda t: t[name].fill(0)))
    assert found.with_positions == found.without_positions
    assert found.with_positions.verdict == "order blind"
    assert not found.confirmed


def test_a_vocabulary_that_hides_the_order_is_refused(write_checkpoint):
    """If this fails, two sentences that are the same to the model count as a confirmation."""
    hidden = {"cat": "xcat", "dog": "xdog"}
    folder = write_checkpoint(words=[hidden.get(word, word) for word in VOCABULARY])
    with pytest.raises(CheckpointError, match="expected the same ones in another order") as caught:
        confirm(folder)
    assert "\n" not in str(caught.value)


def test_json_says_what_was_measured(write_checkpoint):
    """If this fails, a program reads something else than was measured."""
    found = confirm(write_checkpoint())
    read = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert read["confirmed"] is True
    assert read["matching"] == [0, 1, 5, 3, 4, 2, 6]
    assert read["with_positions"]["float32"]["largest"] == found.with_positions.float32.largest
    assert read["with_positions"]["float32"]["largest"] == max(
        read["with_positions"]["float32"]["per_token"]
    )
    assert set(read) == {
        *("model", "first", "second", "matching"),
        *("with_positions", "without_positions", "confirmed"),
    }


def test_two_runs_are_equal(write_checkpoint):
    """If this fails, a second run reports other figures."""
    assert confirm(write_checkpoint("one")).to_json() | {"model": ""} == (
        confirm(write_checkpoint("two")).to_json() | {"model": ""}
    )


def test_where_the_checkpoint_is_looked_for(tmp_path, monkeypatch):
    """If this fails, the order is not: argument, variable, package; or the package is run."""
    monkeypatch.setattr("orderproof.numeric.trained.place.PACKAGE", "planted_checkpoint_package")
    monkeypatch.delenv("ORDERPROOF_MODEL", raising=False)
    assert find_checkpoint(None) is None
    package = tmp_path / "planted_checkpoint_package"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('imported')", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    assert find_checkpoint(None) is None  # the package without its folder
    (package / "model").mkdir()
    assert find_checkpoint(None) == package / "model"
    assert "planted_checkpoint_package" not in sys.modules
    monkeypatch.setenv("ORDERPROOF_MODEL", "")
    assert find_checkpoint(None) == package / "model"
    monkeypatch.setenv("ORDERPROOF_MODEL", str(tmp_path / "named"))
    assert find_checkpoint(None) == tmp_path / "named"
    assert find_checkpoint(tmp_path / "given") == tmp_path / "given"


def test_the_trained_checkpoint(trained):
    """If this fails, the published figures are not reproduced on the trained weights."""
    found = confirm(trained)
    assert found.confirmed
    seen, blind = found.with_positions, found.without_positions
    for measured in (seen.float64, seen.float32):
        assert round(measured.largest, 2) == 0.66
        assert round(measured.cosine, 6) == 0.990885
    for measured in (blind.float64, blind.float32):
        assert round(measured.cosine, 9) == 1
    # Rounding varies with the linear algebra library; its size does not: 10 bits above u at most.
    assert 0 < blind.float64.largest <= 2.0**-43
    assert 0 < blind.float32.largest <= 2.0**-14
