"""The encoder: the whole against another route, dtypes, positions, errors."""

import importlib
import math

import numpy as np
import pytest

from orderproof.numeric.reference.attention import multi_head_attention
from orderproof.numeric.trained.checkpoint import load_checkpoint
from orderproof.numeric.trained.encoder import Encoder

DTYPES = (np.float64, np.float32)
IDS = (2, 5, 6, 8, 5, 7, 3)


def differ(a, b):
    """The largest difference of entries, NaN if there is one."""
    return float(np.max(np.abs(a.astype(np.float64) - b.astype(np.float64))))


def by_another_route(checkpoint, ids, heads=3, eps=1e-12):
    """The last hidden states, biases folded into the weights and heads as in the paper."""
    t = {name: tensor.astype(np.float64) for name, tensor in checkpoint.tensors.items()}

    def norm(name, x):
        centred = x - x.mean(axis=1, keepdims=True)
        scaled = centred / np.sqrt(x.var(axis=1, keepdims=True) + eps)
        return np.einsum("nd,d->nd", scaled, t[f"{name}.weight"]) + t[f"{name}.bias"]

    def with_one(x):
        return np.concatenate([x, np.ones((len(x), 1))], axis=1)

    def folded(name):
        return np.concatenate([t[f"{name}.weight"], t[f"{name}.bias"][:, None]], axis=1).T

    rows = [
        t["embeddings.word_embeddings.weight"][token]
        + t["embeddings.position_embeddings.weight"][place]
        + t["embeddings.token_type_embeddings.weight"][0]
        for place, token in enumerate(ids)
    ]
    x = norm("embeddings.LayerNorm", np.array(rows))
    for layer in ("encoder.layer.0", "encoder.layer.1"):
        parts = (folded(f"{layer}.attention.self.{part}") for part in ("query", "key", "value"))
        stacks = [np.stack(np.split(part, heads, axis=1)) for part in parts]
        dense = f"{layer}.attention.output.dense"
        ones = with_one(x)
        mixed = multi_head_attention(ones, ones, *stacks, t[f"{dense}.weight"].T)
        x = norm(f"{layer}.attention.output.LayerNorm", x + mixed + t[f"{dense}.bias"])
        wide = with_one(x) @ folded(f"{layer}.intermediate.dense")
        wide = np.array([[v * (1 + math.erf(v / math.sqrt(2))) / 2 for v in row] for row in wide])
        out = with_one(wide) @ folded(f"{layer}.output.dense")
        x = norm(f"{layer}.output.LayerNorm", x + out)
    return x


def test_the_whole_encoder_by_another_route(write_checkpoint):
    """If this fails, the block is wired differently from the paper's; half of the digits decide."""
    checkpoint = load_checkpoint(write_checkpoint())
    got = Encoder(checkpoint, np.float64)(IDS)
    assert got.shape == (len(IDS), 12)
    assert differ(got, by_another_route(checkpoint, IDS)) <= 2.0**-26
    assert not differ(got, by_another_route(checkpoint, IDS, heads=2)) <= 2.0**-26
    assert not differ(got, by_another_route(checkpoint, IDS, eps=1e-5)) <= 2.0**-26
    assert not differ(got, by_another_route(checkpoint, IDS[::-1])) <= 2.0**-26


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_step_stays_in_the_dtype(write_checkpoint, monkeypatch, dtype):
    """If this fails, something promotes on the way, and float32 is measured in float64."""
    seen = set()
    for place, name in (
        ("trained", "gelu"),
        ("trained", "layer_norm"),
        ("reference", "layer_norm"),
    ):
        module = f"orderproof.numeric.{place}.encoder"
        function = getattr(importlib.import_module(module), name)

        def spy(x, *rest, function=function):
            result = function(x, *rest)
            seen.update(a.dtype for a in (x, result, *rest) if isinstance(a, np.ndarray))
            return result

        monkeypatch.setattr(f"{module}.{name}", spy)
    result = Encoder(load_checkpoint(write_checkpoint()), dtype)(IDS)
    assert seen | {result.dtype} == {np.dtype(dtype)}


def test_the_dtypes_agree_to_float32_and_no_further(write_checkpoint):
    """If this fails, float32 is either wrong or float64 in disguise."""
    checkpoint = load_checkpoint(write_checkpoint())
    wide, narrow = (Encoder(checkpoint, dtype)(IDS) for dtype in DTYPES)
    assert 0 < differ(wide, narrow) <= 2.0**-12


def test_half_precision_weights_are_cast(write_checkpoint):
    """If this fails, weights stored in float16 are also computed with in float16."""

    def halve(tensors):
        for name in tensors:
            tensors[name] = tensors[name].astype(np.float16)

    half = load_checkpoint(write_checkpoint("half", edit=halve))
    whole = load_checkpoint(write_checkpoint("whole"))
    got = Encoder(half, np.float64)(IDS)
    assert got.dtype == np.float64
    assert 2.0**-20 < differ(got, Encoder(whole, np.float64)(IDS)) < 2.0**-2


def test_without_positions_the_table_is_zero_and_nothing_else(write_checkpoint):
    """If this fails, positions=False is not the same model with zeros in its position table."""
    name = "embeddings.position_embeddings.weight"
    given = load_checkpoint(write_checkpoint("given"))
    zeroed = load_checkpoint(
        write_checkpoint("zeroed", edit=lambda t: t.update({name: np.zeros_like(t[name])}))
    )
    without = Encoder(given, np.float64, positions=False)(IDS)
    assert np.array_equal(without, Encoder(zeroed, np.float64)(IDS))
    assert not np.array_equal(without, Encoder(given, np.float64)(IDS))


def test_without_positions_equal_tokens_have_equal_rows(write_checkpoint):
    """If this fails, a row knows its number: the two "the" differ only through the table."""
    checkpoint = load_checkpoint(write_checkpoint())
    for positions in (False, True):
        rows = Encoder(checkpoint, np.float64, positions=positions)(IDS)
        assert (differ(rows[1], rows[4]) <= 2.0**-40) is not positions


@pytest.mark.parametrize(
    ("ids", "said"),
    [
        ((), "given ids (0,), expected 1 to 16"),
        ((5,) * 17, "given ids (17,), expected 1 to 16"),
        ((5, 9), "given id 9, expected 0 to 8"),
        ((5, -1), "given id -1, expected 0 to 8"),
    ],
)
def test_bad_ids_get_one_line(write_checkpoint, ids, said):
    """If this fails, ids outside the tables wrap around or give NumPy's own error."""
    encoder = Encoder(load_checkpoint(write_checkpoint()), np.float64)
    with pytest.raises(ValueError, match="expected") as caught:
        encoder(ids)
    assert said in str(caught.value)


def test_other_dtypes_are_refused(write_checkpoint):
    """If this fails, float16 or integers are computed in without a word."""
    checkpoint = load_checkpoint(write_checkpoint())
    for dtype in (np.float16, np.int64):
        with pytest.raises(ValueError, match=f"given dtype {np.dtype(dtype)}, expected float64"):
            Encoder(checkpoint, dtype)
