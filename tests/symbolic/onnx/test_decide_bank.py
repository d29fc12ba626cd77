"""Every answer about a model of the bank agrees with what listing all permutations found."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

pytest.importorskip("onnx", reason="the extra onnx is not installed")
pytest.importorskip("onnxruntime", reason="the extra onnx is not installed")
pytest.importorskip("flint", reason="the extra onnx is not installed")

from orderproof.symbolic.onnx.decide import decide
from orderproof.symbolic.onnx.graph import place_text
from orderproof.symbolic.onnx.report import Result
from tests.models.files import model_file, read_bank

BANK = read_bank()
QUICK = (
    "attention_softmax_over_queries.onnx", "cross_attention.onnx",
    "encoder_post_norm.onnx", "mask_added.onnx", "spread_mean.onnx", "zaheer_matrix.onnx",
)  # fmt: skip
# Questions that no answer is found to, each with the reason: the aim is that none is left.
OPEN = {
    ("scan_sum.onnx", "x", 1): "the operator Scan",
    ("two_scans.onnx", "x", 1): "two running sums of which only the sum is order-blind",
}
# Models that are refuted where two values are equal, which random values never are.
TIES = {("argsort_tokens.onnx", 2)}


def wrong(result: Result, question: Mapping[str, Any], bank: list[Mapping[str, Any]]) -> str:
    """Why an answer contradicts what was measured; nothing where it does not."""
    along = [f"{name}:{k}" for name, k in question["with"]]
    moved = [*map(place_text, result.along)]
    if not result.decided:
        return ""
    if sorted(moved) != sorted(along):  # it says what else must move: ask that question
        same = [q for q in bank if sorted(f"{a}:{k}" for a, k in q["with"]) == sorted(moved)]
        if not same:
            return "" if set(along) <= set(moved) else "what was asked to move does not"
        question = same[0]
    truth = question["truth"]
    orders = {int(n): group["order"] for n, group in truth["groups"].items()}
    full = {n: order == math.factorial(n) for n, order in orders.items()}
    upto = re.match(r"n <= (\d+)", result.scope)
    bound = int(upto[1]) if upto else math.inf
    match result.answer:
        case "equivariant" | "invariant":
            if not all(ok for n, ok in full.items() if n <= bound):
                return f"groups of orders {orders}"
            axis = list(result.output_axis) if isinstance(result.output_axis, tuple) else (
                result.output_axis
            )  # fmt: skip
            said = result.answer == truth["answer"] and axis == truth["output_axis"]
            return "" if said or result.answer in truth["also"] else f"it is {truth['answer']}"
        case "subgroup" if result.group is not None:
            order = orders.get(result.group.n)
            good = order is None or (
                order >= result.group.order
                if not (result.group.exact or result.group.exact_as_measured)
                else order == result.group.order
            )
            return "" if good else f"the group has {order} elements"
        case "not equivariant":
            n = int(result.scope.removeprefix("n = "))
            return "it is, at that n" if full.get(n) else ""
    return f"an answer {result.answer!r} that is none"


def answered(model: Mapping[str, Any], q: Mapping[str, Any]) -> Result:
    """The answer to a question about a model."""
    along = [f"{name}:{k}" for name, k in q["with"]]
    path = model_file(model["file"])
    found: Result = decide(path, f"{q['input']}:{q['axis']}", along, q["output"]).results[0]
    return found


@pytest.mark.parametrize(
    "model",
    [pytest.param(m, id=m["file"], marks=() if m["file"] in QUICK else pytest.mark.slow)
     for m in BANK],
)  # fmt: skip
def test_answers(model: dict[str, Any]) -> None:
    """A wrong answer about a model of the bank, or none where there was one; or a theorem would be
    farther from what the model does than rounding."""
    for q in model["questions"]:
        result = answered(model, q)
        assert not result.measured, (model["file"], q)
        asked = ("input", "axis", "output")
        same = [p for p in model["questions"] if all(p[k] == q[k] for k in asked)]
        tied = result.witness is not None and (model["file"], len(result.witness.sigma)) in TIES
        assert tied or not wrong(result, q, same), (model["file"], q, result.to_json())
        assert result.rounding is None or result.rounding.small, (model["file"], q, result)
        known = (model["file"], q["input"], q["axis"]) in OPEN
        assert result.decided is not known, (model["file"], q["input"], result.to_json())


def test_enough_are_decided() -> None:
    """The list of what is not decided would grow unseen."""
    questions = sum(len(m["questions"]) for m in BANK)
    asked = sum((m["file"], q["input"], q["axis"]) in OPEN for m in BANK for q in m["questions"])
    assert len(BANK) >= 60
    assert asked <= 0.05 * questions


@pytest.mark.slow
def test_a_wrong_answer_is_noticed() -> None:
    """The comparison with the truth could pass whatever was answered."""
    model = next(m for m in BANK if m["file"] == "decoder_causal_last_1.onnx")
    q = model["questions"][0]
    result = answered(model, q)
    assert result.answer == "subgroup" and not wrong(result, q, [q])
    assert result.group is not None
    for answer in ("equivariant", "invariant"):
        assert wrong(replace(result, answer=answer), q, [q])
    truth = {"answer": "equivariant", "output_axis": 1, "also": []}
    blind = {"4": {"order": 24}}
    refuted = replace(result, answer="not equivariant", scope="n = 4")
    assert wrong(refuted, {"with": [], "truth": {**truth, "groups": blind}}, [])
