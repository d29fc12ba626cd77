"""The operators Attention and RotaryEmbedding against onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.symbolic.onnx.one_operator import agrees, floats, graph, node, refusal

FOUR = {"q": ["b", 4, "n", 3], "k": ["b", 4, "m", 3], "v": ["b", 4, "m", 5]}
GROUPED = {"q": ["b", 4, "n", 3], "k": ["b", 2, "m", 3], "v": ["b", 2, "m", 5]}
THREE = {"q": ["b", "n", 12], "k": ["b", "m", 6], "v": ["b", "m", 10]}
NUMBERS = {"q_num_heads": 4, "kv_num_heads": 2}


def attention(inputs: Any, names: str = "q k v", out: str = "y", **attributes: Any) -> Any:
    """One Attention, of opset 23."""
    return graph([node("Attention", names, out, **attributes)], inputs, opset=23)


@pytest.mark.parametrize(
    ("inputs", "attributes"),
    [
        (FOUR, {}),
        (FOUR, {"scale": 0.3}),
        (FOUR, {"softcap": 0.7}),
        (GROUPED, {}),
        (THREE, NUMBERS),
        (THREE, NUMBERS | {"is_causal": 1}),
        ({"q": ["b", 4, "n", 3], "k": ["b", 4, "n", 3], "v": ["b", 4, "n", 5]}, {"is_causal": 1}),
    ],
    ids=str,
)
def test_attention(inputs: Any, attributes: dict[str, Any]) -> None:
    """Heads split or grouped otherwise, a scale or a cap left out, a mask the wrong way round."""
    agrees(attention(inputs, **attributes))


@pytest.mark.parametrize(
    ("name", "dims"),
    [
        ("mask", ["n", "m"]),
        ("b_mask", ["n", "m"]),
        ("mask", ["b", 1, "n", "m"]),
        ("b_mask", ["b", 1, "n", "m"]),
        ("mask", ["b", 4, "n", "m"]),
        ("mask", [1, 4, "n", "m"]),
    ],
)
def test_masks(name: str, dims: list[Any]) -> None:
    """Truth values forbid, numbers are added; heads and batch come from the right."""
    model = attention(GROUPED | {name: dims}, f"q k v {name}")

    def given(sizes: Any) -> Any:  # the first key is always allowed
        if name == "mask":
            return {}
        shape = [sizes.get(d, d) for d in dims]
        mask = np.random.default_rng(3).integers(0, 2, shape).astype(bool)
        mask[..., 0] = True
        return {name: mask}

    agrees(model, inputs=given)


def test_keys_of_before() -> None:
    """What is cached stands before what is new, and a causal mask begins behind it."""
    past = {"pk": ["b", 2, "m", 3], "pv": ["b", 2, "m", 5]}
    new = {"q": ["b", 4, "n", 3], "k": ["b", 2, "n", 3], "v": ["b", 2, "n", 5]}
    for causal in (0, 1):
        agrees(attention(new | past, "q k v - pk pv", "y z w", is_causal=causal))
    agrees(attention(new | past, "q k v - pk pv", "z y w"))
    agrees(attention(new | past, "q k v - pk pv", "z w y"))


def test_scores_given_out_are_refused() -> None:
    """They are not read, and must not be taken for the outputs."""
    assert "scores" in refusal(attention(FOUR, out="z - - y"))


@pytest.mark.parametrize("pairs", [0, 1])
@pytest.mark.parametrize("part", [0, 4])
def test_rotary_embeddings(pairs: int, part: int) -> None:
    """Feature k turns with k + d/2, or 2k with 2k + 1; what is beyond the part stays."""
    half = (part or 6) // 2
    angles = {"c": ["b", "n", half], "s": ["b", "n", half]}
    options = {"interleaved": pairs, "rotary_embedding_dim": part}
    four = {"x": ["b", 2, "n", 6], **angles}
    if part:
        options["num_heads"] = 2
    agrees(graph([node("RotaryEmbedding", "x c s", "y", **options)], four, opset=23))
    three = {"x": ["b", "n", 12], **angles}
    flat = node("RotaryEmbedding", "x c s", "y", **(options | {"num_heads": 2}))
    agrees(graph([flat], three, opset=23))


def test_rotary_embeddings_at_given_positions() -> None:
    """Positions choose the rows of the tables, one by one."""
    inputs = {"x": ["b", 2, "n", 6], "i_at": ["b", "n"]}
    tables = {"c": floats([20, 3]), "s": floats([20, 3], 1)}
    model = graph([node("RotaryEmbedding", "x c s i_at", "y")], inputs, tables, opset=23)
    agrees(model, ranges={"i_at": (0, 19)})


@pytest.mark.parametrize("causal", [0, 1])
def test_lengths_of_a_cache(causal: int) -> None:
    """Of each batch the keys beyond its length are masked, and a causal mask ends there."""
    inputs = {"q": ["b", 4, 2, 3], "k": ["b", 2, "m", 3], "v": ["b", 2, "m", 5], "i_k": ["b"]}
    call = node("Attention", "q k v - - - i_k", "y", is_causal=causal)
    model = graph([call], inputs, opset=24)
    agrees(model, ranges={"i_k": (2, 3)})
