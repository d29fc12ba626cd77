"""The measurement on models whose answer is known by listing all permutations of few tokens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from orderproof.numeric.permuted.measure import Deviation, permutation_error
from tests.models.draw import draw
from tests.models.files import model_file, read_bank

BANK = read_bank()
HOLDS = ("equivariant", "invariant")
OTHER = 3  # the size of every other dynamic axis


def whole(model: Any, question: Any) -> bool:
    """Whether the question is of the kind that is measured: an axis that moves as a whole."""
    declared = question["declared"]
    values = any(axis == "values" for _, axis in question["with"])  # an edge list is relabelled
    lengthens = model["file"] in ("flattened_tokens.onnx", "repeated.onnx", "tiled.onnx")
    shortens = model["file"] == "conv_3_valid.onnx"
    return not (values or "start" in declared or lengthens or shortens)


def measured(model: Any, question: Any, session: Any, **options: Any) -> Deviation:
    """The question's model at random inputs, for as many tokens as the bank knows."""
    inputs, outputs = (
        [v.name for v in values] for values in (session.get_inputs(), session.get_outputs())
    )
    names = [d for spec in model["inputs"].values() for d in spec["dims"] if isinstance(d, str)]
    sizes = dict.fromkeys(names, OTHER)
    moved = model["inputs"][question["input"]]["dims"][question["axis"]]
    sizes |= {moved: max(question["sizes"])} if isinstance(moved, str) else {}
    x = draw(model["inputs"], sizes, 0)
    places = [(question["input"], question["axis"]), *question["with"]]
    pairs = [(inputs.index(name), axis) for name, axis in places]
    output = outputs.index(question["output"])
    return permutation_error(
        lambda *given: session.run(None, dict(zip(inputs, given, strict=True)))[output],
        tuple(x[name] for name in inputs),
        pairs,
        question["declared"].get("output_axis"),
        **options,
    )


def cases(models: Any = BANK, **options: Any) -> Iterator[tuple[Any, Any, Deviation]]:
    """Each question about models that can be measured, and what was measured."""
    runtime = pytest.importorskip("onnxruntime")
    quiet = runtime.SessionOptions()
    quiet.intra_op_num_threads = 1
    quiet.log_severity_level = 4
    for model in models:
        session = runtime.InferenceSession(model_file(model["file"]), quiet)
        for question in model["questions"]:
            if whole(model, question):
                yield model, question, measured(model, question, session, **options)


@pytest.mark.parametrize(
    ("models", "hold", "do_not"),
    [(BANK[::4], 40, 15), pytest.param(BANK, 230, 95, marks=pytest.mark.slow)],
    ids=["some", "all"],
)  # fmt: skip
def test_every_model_of_the_bank_is_told_right(models: Any, hold: int, do_not: int) -> None:
    """A model that sees the order would pass its owner's test, or a correct one fail."""
    wrong, right, near = [], {True: 0, False: 0}, []
    for model, question, found in cases(models):
        holds = question["truth"]["answer"] in HOLDS
        name = f"{model['file']} {question['input']}:{question['axis']} {question['output']}"
        if found.ok != holds:
            wrong.append(name)
        if holds and not found.error <= found.bound / 4:
            near.append(name)
        if found.differs and not found.error > 100 * found.bound:
            near.append(name)
        right[holds] += 1
    assert wrong == near == []
    assert right[True] >= hold and right[False] >= do_not


def test_another_bound_tells_some_of_them_wrong() -> None:
    """The bank would be told right by any bound, and say nothing about this one."""
    encoders = [m for m in BANK if m["file"].startswith("encoder_")]
    assert not all(found.ok for _, _, found in cases(encoders, factor=0.0, unit=0.0))
    table = [m for m in BANK if m["file"] == "positions_learned.onnx"]
    assert any(not found.differs for _, _, found in cases(table, factor=1e7))
