"""The decoder block from the papers: its heads, its mask, and blocks whose values are known."""

import numpy as np
import pytest

from orderproof.numeric.reference import decoder
from orderproof.numeric.reference.attention import cross_attention, multi_head_attention
from orderproof.numeric.reference.encoder import relu

SHAPES = {
    "W_Q": (2, 3, 2), "b_Q": (2, 2), "W_K": (2, 3, 2), "b_K": (2, 2), "W_V": (2, 3, 4),
    "b_V": (2, 4), "W_O": (2, 4, 3), "b_O": (3,),
}  # fmt: skip


def weights(seed):
    """Random weights of one block, of width 3 with two heads."""
    rng = np.random.default_rng(seed)
    found = {f"{k},{part}": rng.normal(size=v) for part in "SC" for k, v in SHAPES.items()}
    rest = {"W_1": (3, 5), "b_1": (5,), "W_2": (5, 3), "b_2": (3,)}
    rest |= {f"{x}_{k}": (3,) for x in ("gamma", "beta") for k in (1, 2, 3)}
    return found | {k: rng.normal(size=v) for k, v in rest.items()} | {"epsilon": np.float64(0.1)}


def test_heads_are_those_of_attention() -> None:
    """The heads would not be the project's other reference, or a bias would be lost."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(4, 3)), rng.normal(size=(5, 3))
    w = {k: rng.normal(size=v) * (k[0] == "W") for k, v in SHAPES.items()}
    flat = w["W_O"].reshape(-1, 3)
    expected = multi_head_attention(x, y, w["W_Q"], w["W_K"], w["W_V"], flat)
    assert np.allclose(decoder.heads(x, y, w), expected)
    assert np.allclose(decoder.heads(x, y, w | {"b_O": np.ones(3)}), expected + 1)
    assert not np.allclose(decoder.heads(x, y, w | {"b_Q": np.ones((2, 2))}), expected)
    one = {k: v[:1] if k != "b_O" else v for k, v in w.items()}
    head = cross_attention(x, y, one["W_Q"][0], one["W_K"][0], one["W_V"][0])
    assert np.allclose(decoder.heads(x, y, one), head @ one["W_O"][0])


@pytest.mark.parametrize("block", [decoder.post_norm_decoder_block, decoder.pre_norm_decoder_block])
def test_mask_and_memory(block) -> None:
    """A causal mask would let a token see a later one, or the memory would not be looked at."""
    rng, w = np.random.default_rng(1), weights(2)
    x, y = rng.normal(size=(4, 3)), rng.normal(size=(5, 3))
    causal = np.tril(np.ones((4, 4)))
    later = x.copy()
    later[3] = x[3, ::-1]
    before, after = (block(t, y, w, relu, causal) for t in (x, later))
    assert np.array_equal(before[:3], after[:3]) and not np.allclose(before[3], after[3])
    free = block(x, y, w, relu)
    assert np.allclose(free, block(x, y, w, relu, np.ones((4, 4))))
    assert not np.allclose(free[:3], block(later, y, w, relu)[:3])
    assert not np.allclose(free, block(x, 2 * y, w, relu))
    assert np.allclose(free, block(x, y[::-1], w, relu))


def test_where_the_norms_stand() -> None:
    """The two blocks would have their norms at one and the same place."""
    w = {k: np.zeros_like(v) for k, v in weights(0).items()} | {"epsilon": np.float64(0)}
    w |= {f"gamma_{k}": np.ones(3) for k in (1, 2, 3)}
    x, y = np.array([[1.0, 2.0, 3.0]]), np.ones((2, 3))
    assert np.array_equal(decoder.pre_norm_decoder_block(x, y, w, relu), x)
    normed = np.array([[-1.0, 0.0, 1.0]]) * np.sqrt(1.5)
    assert np.allclose(decoder.post_norm_decoder_block(x, y, w, relu), normed)
