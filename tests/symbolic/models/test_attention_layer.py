"""The layer of attention: which of its tensors each field enters, and how they are named."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from orderproof.symbolic.calculus.terms import Set, ShapeError
from orderproof.symbolic.models.attention import AttentionLayer, as_keys, attention, merged, scores
from orderproof.symbolic.models.builders import add, contract, tensor

n, m, d, d_k, d_v, h = (Set(name) for name in ("n", "m", "d", "d_k", "d_v", "h"))
X, Y = tensor("X", i=n, c=d), tensor("Y", j=m, c=d)
W_Q, W_K, W_V = tensor("W_Q", c=d, k=d_k), tensor("W_K", c=d, k=d_k), tensor("W_V", c=d, r=d_v)
LAYER = AttentionLayer(X, Y, (W_Q, W_K, W_V))
LETTERS = "QKVSAZ"
ENTERS: dict[str, tuple[Any, str]] = {  # a field, and the tensors that it changes
    "tokens": (tensor("T", i=n, c=d), "QSAZ"),
    "memory": (tensor("T", j=m, c=d), "KVSAZ"),
    "weights": ((W_Q, W_K, tensor("U", c=d, r=d_v)), "VZ"),
    "biases": ((None, tensor("b", k=d_k), None), "KSAZ"),
    "score_bias": (tensor("B", i=n, j=m), "SAZ"),
    "mask": (tensor("G", i=n, j=m), "AZ"),
    "key_bias": (tensor("A", i=n, j=m, k=d_k), "SAZ"),
    "output": (tensor("W_O", r=d_v, c=d), ""),
}


def test_a_layer_is_attention_of_its_projections() -> None:
    """Keys would be taken for values, or queries for keys."""
    assert attention(LAYER.Q, LAYER.K, LAYER.V, "j", "k") == LAYER.Z
    with pytest.raises(ShapeError):
        attention(LAYER.K, LAYER.Q, LAYER.V, "j", "k")
    assert LAYER.Z != replace(LAYER, weights=(W_K, W_Q, W_V)).Z


@pytest.mark.parametrize("field", ENTERS)
def test_each_field_enters_the_tensors_that_it_should(field: str) -> None:
    """A mask or a bias would be passed over, or change what stands before it."""
    value, letters = ENTERS[field]
    other = replace(LAYER, **{field: value})
    changed = "".join(x for x in LETTERS if getattr(other, x) != getattr(LAYER, x))
    assert changed == letters


def test_the_tensors_are_named_with_their_rows_and_columns() -> None:
    """A tensor would be printed as another, or transposed."""
    named = LAYER.named("QKVSAZ", "_1")
    assert [item.name for item in named] == [f"{x}_1" for x in LETTERS]
    assert all(item.term == getattr(LAYER, item.name[0]) for item in named)
    axes = {item.name[0]: (item.row, item.column) for item in named}
    assert axes == {
        x: tuple(a) for x, a in zip(LETTERS, ["ik", "jk", "jr", "ij", "ij", "ir"], strict=True)
    }
    assert all({item.row, item.column} == set(item.term.axes) for item in named)


def test_axes_of_other_names() -> None:
    """Features of keys with an axis of their own would be summed over another."""
    tokens, weights = tensor("X", i=n, k=d), (tensor("W_Q", k=d, c=d), tensor("W_K", k=d, e=d))
    layer = AttentionLayer(
        tokens, as_keys(tokens), (*weights, tensor("W_V", k=d, v=d)), axes=("k", "c", "e", "v")
    )
    keys = layer.K.rename({"e": "c"})
    assert attention(layer.Q, keys, layer.V, "j", "c") == layer.Z and layer.K.axes == ("j", "e")
    assert [(x.row, x.column) for x in layer.named("KZ")] == [("j", "e"), ("i", "v")]
    R = tensor("R", i=n, j=n, c=d, e=d)
    turned = replace(layer, rotation=R)
    assert scores(layer.Q, contract(R, layer.K, "e"), "c") == turned.S and turned.K == layer.K


def test_the_output_of_several_heads() -> None:
    """Heads would be added up without W_O; or a layer of one head have an output that is none."""
    of_heads = tuple(
        tensor(f"W_{x}", h=h, c=d, **{a: s})
        for x, a, s in zip("QKV", "kkr", (d_k, d_k, d_v), strict=True)
    )
    W_O = tensor("W_O", h=h, r=d_v, c=d)
    layer = replace(LAYER, weights=of_heads, output=W_O)
    assert layer.O == merged(layer.Z, W_O, "h", "r") != add(layer.O, X)
    (item,) = layer.named("O")
    assert (item.row, item.column) == ("i", "c")
    with pytest.raises(ValueError, match="O: given a layer without W_O, expected one of several"):
        _ = LAYER.O
