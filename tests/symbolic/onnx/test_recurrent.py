"""Recurrent layers against onnxruntime; and which axes they read as a whole."""

from __future__ import annotations

from typing import Any

import pytest

from tests.symbolic.onnx.one_operator import agrees, floats, graph, node, refusal, sets_of

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


def layer(op: str, out: str = "y", directions: int = 1, more: str = "", **attributes: Any) -> Any:
    """A recurrent layer of width 5 on 4 features, with constant weights."""
    k = GATES[op]
    weights = {
        "w": floats([directions, 5 * k, 4]),
        "r": floats([directions, 5 * k, 5], 1),
        "c": floats([directions, 10 * k], 2),
        "p": floats([directions, 15], 3),
    }
    if directions == 2:
        attributes["direction"] = "bidirectional"
    call = node(op, f"x w r c {more}", out, hidden_size=5, **attributes)
    inputs = {"x": ["n", "b", 4], "h": [directions, "b", 5], "k": [directions, "b", 5]}
    inputs = {n: d for n, d in inputs.items() if n == "x" or n in more.split()}
    return graph([call], inputs, {n: v for n, v in weights.items() if n != "p" or "p" in more})


@pytest.mark.parametrize("op", GATES)
@pytest.mark.parametrize("directions", [1, 2])
def test_recurrent_layers(op: str, directions: int) -> None:
    """Gates in another order, a direction left out, a last state that is the first."""
    agrees(layer(op, "y", directions))
    agrees(layer(op, "z y", directions))
    agrees(layer(op, "y", directions, "- h"))
    if directions == 1:
        agrees(layer(op, "z y", direction="reverse"))


def test_cells_and_peepholes() -> None:
    """The third output is the cell; peepholes look at it."""
    agrees(layer("LSTM", "z w1 y", 1, "- h k"))
    agrees(layer("LSTM", "y", 2, "- h k p"))


def test_resets_before_and_behind_the_product() -> None:
    """As frameworks other than ONNX's default have it."""
    agrees(layer("GRU", "y", linear_before_reset=1))


def test_other_activations() -> None:
    """Relu is not tanh."""
    agrees(layer("RNN", "y", activations=["Relu"]))
    assert "Elu" in refusal(layer("RNN", "y", activations=["Elu"]))


def test_sequences_stay_apart() -> None:
    """The batch is a dimension of the result; the order of a sequence is not to be permuted."""
    assert sets_of(layer("LSTM"), ("x", 1)) == [False, False, True, False]
    assert sets_of(layer("LSTM"), ("x", 0)) == [True, False, False, False]
