"""The bank of models with known answers: the files are those named, and the truth is the truth."""

from __future__ import annotations

import copy
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

from tests.models.doubles import Runner, in_double  # noqa: E402
from tests.models.draw import draw, permuted  # noqa: E402
from tests.models.files import HERE, model_file, read_bank  # noqa: E402
from tests.models.truth import (  # noqa: E402
    BankError,
    Measured,
    Reading,
    closed,
    disagreement,
    generators,
    measure,
    readings,
    settle,
    text_of,
)

BANK = read_bank()
BY_FILE = {model["file"]: model for model in BANK}


def dims_of(value: Any) -> list[int | str]:
    """The dimensions of an input as the file has them."""
    dims = value.type.tensor_type.shape.dim
    return [d.dim_value if d.HasField("dim_value") else "?" for d in dims]


def small(model: dict[str, Any]) -> dict[str, Any]:
    """The model with its questions at one size: 3, or the smallest that it takes."""
    found = copy.deepcopy(model)
    for question in found["questions"]:
        sizes = question["sizes"]
        question["sizes"] = [3] if 3 in sizes else sizes[:1]
        question.pop("breaks_at", None)
    return found


def test_files_are_those_named() -> None:
    """A model without a truth, or a truth without a model, would otherwise go unnoticed; or one in
    two forms, of which one is read."""
    by_hand = [path.with_suffix(".onnx").name for path in HERE.glob("*.onnxtxt")]
    assert sorted([*by_hand, *(path.name for path in HERE.glob("*.onnx"))]) == sorted(BY_FILE)
    assert set(by_hand) == {m["file"] for m in BANK if m["exporter"] == "by hand"}
    assert all(model["made"] for model in BANK)
    assert len(BANK) == len(BY_FILE) >= 66


def test_bank_is_written_as_it_is_read() -> None:
    """Else a fresh measurement would rewrite the whole file, and hide what changed in it."""
    assert text_of(BANK) == (HERE / "bank.json").read_text()
    assert [model["file"] for model in BANK] == sorted(BY_FILE)


def test_bank_is_small() -> None:
    """The files are kept in the repository: one that is not small does not belong there."""
    sizes = {path.name: path.stat().st_size for path in HERE.glob("*.onnx")}
    assert max(sizes.values()) < 40_000
    assert sum(sizes.values()) < 1_500_000


def test_bank_is_varied() -> None:
    """A bank of one answer, or from one exporter, would test little."""
    answers = Counter(q["truth"]["answer"] for model in BANK for q in model["questions"])
    assert min(answers[a] for a in ("equivariant", "invariant", "subgroup", "not equivariant")) > 20
    exporters = Counter(model["exporter"] for model in BANK)
    assert min(exporters[e] for e in ("TorchScript", "torch.export", "by hand")) > 20
    assert {13, 17, 18, 20, 23} <= {model["opset"] for model in BANK}


@pytest.mark.parametrize("model", BANK, ids=lambda model: str(model["file"]))
def test_inputs_are_as_recorded(model: dict[str, Any]) -> None:
    """Were a fixed dimension called dynamic, or an input forgotten, the questions would be void."""
    proto = onnx.load(model_file(model["file"]))
    found = {value.name: dims_of(value) for value in proto.graph.input}
    assert found.keys() == model["inputs"].keys()
    for name, given in model["inputs"].items():
        assert [d if isinstance(d, int) else "?" for d in given["dims"]] == found[name]
    outputs = {value.name for value in proto.graph.output}
    for question in model["questions"]:
        assert question["output"] in outputs
        assert {name for name, _ in question["with"]} <= found.keys()
        assert 0 <= question["axis"] < len(found[question["input"]])


def test_no_path_of_a_machine_is_in_a_file() -> None:
    """Exporters note where the source of a node stands: that is nobody's business."""
    for path in HERE.glob("*.onnx"):
        text = path.read_bytes()
        assert b"/tmp/" not in text and b".py" not in text, path.name


def test_declared_is_measured() -> None:
    """bank.json would contradict itself if its author's word and the measurement differed."""
    for model in BANK:
        for question in model["questions"]:
            assert disagreement(question, question["truth"]) == "", model["file"]


@pytest.mark.parametrize("model", BANK[::12], ids=lambda model: str(model["file"]))
def test_sample_is_as_recorded_at_three(model: dict[str, Any]) -> None:
    """A recorded truth that the file does not have would make a right answer look wrong."""
    assert_as_recorded(small(model))


@pytest.mark.slow
@pytest.mark.parametrize("model", BANK, ids=lambda model: str(model["file"]))
def test_all_are_as_recorded(model: dict[str, Any]) -> None:
    """The same for every model, at every size, with the bounds on n where there are any."""
    for question, truth in zip(model["questions"], settle(model), strict=True):
        assert truth == question["truth"]


def assert_as_recorded(model: dict[str, Any]) -> None:
    """The groups measured now are those of bank.json, for the reading recorded there."""
    run = Runner(model_file(model["file"]))
    for question in model["questions"]:
        truth = question["truth"]
        axis = truth["output_axis"]
        axes = tuple(axis) if isinstance(axis, list) else () if axis is None else (axis,)
        reading = Reading(axes, truth.get("start", 0), truth.get("merged", ""))
        found = Measured(run, model, question).groups(question["sizes"])[reading]
        for n, group in found.items():
            recorded = truth["groups"][str(n)]
            assert len(group) == recorded["order"]
            assert [list(sigma) for sigma in generators(group)] == recorded["generators"]


def test_edited_truth_is_noticed() -> None:
    """Planted: an order, a generator, an answer, an axis that are not those of the file."""
    model = small(BY_FILE["alibi.onnx"])
    for key, value in (("order", 6), ("generators", [[1, 0, 2]])):
        planted = copy.deepcopy(model)
        planted["questions"][0]["truth"]["groups"]["3"][key] = value
        with pytest.raises(AssertionError):
            assert_as_recorded(planted)
    question = BY_FILE["alibi.onnx"]["questions"][0]
    wrong: dict[str, Any] = {"answer": "equivariant", "output_axis": None, "start": 1}
    for key, claim in wrong.items():
        assert disagreement(question, dict(question["truth"], **{key: claim}))
    groups = copy.deepcopy(question["truth"]["groups"])
    groups["4"]["order"] = 8
    assert "order 2 at n = 4, measured 8" in disagreement(
        question, dict(question["truth"], groups=groups)
    )


@pytest.mark.parametrize(
    ("file", "claim"),
    [
        ("positions_learned.onnx", {"answer": "equivariant", "output_axis": 1}),
        ("encoder_hand_pre.onnx", {"answer": "not equivariant", "output_axis": 1}),
        ("pool_sum.onnx", {"answer": "equivariant", "output_axis": 1}),
        ("blocks.onnx", {"answer": "subgroup", "output_axis": 1, "orders": {"3": 6}}),
    ],
)
def test_wrong_author_is_contradicted(file: str, claim: dict[str, Any]) -> None:
    """Planted: an author who is mistaken about a model must not be believed."""
    model = small(BY_FILE[file])
    model["questions"][0]["declared"] = claim
    with pytest.raises(BankError, match=file):
        settle(model)


def test_other_weights_are_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: a table whose rows were equal and are not; the measurement must see the file."""
    model = small(BY_FILE["positions_equal_rows.onnx"])
    proto = onnx.load(model_file(model["file"]))
    table = next(t for t in proto.graph.initializer if list(t.dims) == [8, 4])
    values = onnx.numpy_helper.to_array(table).copy()
    values[1] += 0.5
    table.CopyFrom(onnx.numpy_helper.from_array(values, table.name))
    onnx.save(proto, tmp_path / model["file"])
    monkeypatch.setattr("tests.models.truth.model_file", tmp_path.joinpath)
    with pytest.raises(BankError, match="measured"):
        settle(model)


def test_deviation_between_the_margins_is_no_answer() -> None:
    """Rounding must not be taken for a difference, nor a small difference for rounding."""
    model = small(BY_FILE["identity.onnx"])

    class Shaky:
        """A sum of tokens that are not weighted alike, by very little."""

        double = True

        def __call__(self, inputs: dict[str, Any]) -> dict[str, Any]:
            x = inputs["x"].astype(np.float64)
            return {"y": x * (1 + 1e-7 * np.arange(x.shape[1]))[None, :, None]}

    with pytest.raises(BankError, match="changes"):
        measure(Shaky(), model, model["questions"][0])  # type: ignore[arg-type]


def test_output_that_is_no_number_is_no_answer() -> None:
    """NaN differs from NaN and compares with nothing: it must be said, not counted."""
    model = small(BY_FILE["identity.onnx"])

    class Broken:
        """An output of NaN."""

        double = True

        def __call__(self, inputs: dict[str, Any]) -> dict[str, Any]:
            return {"y": inputs["x"] * np.nan}

    with pytest.raises(BankError, match="not finite"):
        measure(Broken(), model, model["questions"][0])  # type: ignore[arg-type]


def test_permuted_input_follows_the_convention() -> None:
    """x'[i] = x[σ(i)]; a node of an edge list that stood at σ(i) stands at i."""
    x = np.array([10.0, 11.0, 12.0])
    edges = np.array([[0, 1], [1, 2]])
    found = permuted({"x": x, "e": edges}, [("x", 0), ("e", "values")], (1, 2, 0))
    assert found["x"].tolist() == [11.0, 12.0, 10.0]
    assert (found["x"][found["e"]] == x[edges]).all()


def test_readings_find_where_the_tokens_went() -> None:
    """After a class token, in merged axes, on both axes of a matrix; not at a fixed size."""
    found = readings({3: (2, 4, 3, 6), 4: (2, 5, 4, 8)})
    assert Reading((1,), 1) in found and Reading((2,)) in found and Reading() in found
    assert Reading((3,), 0, "rows") in found
    assert not any(0 in reading.axes for reading in found)
    assert Reading((0, 1)) in readings({3: (3, 3), 4: (4, 4)})
    value = np.arange(6)
    assert Reading((0,), 0, "rows").moved(value, (1, 2, 0)).tolist() == [2, 3, 4, 5, 0, 1]
    assert Reading((0,), 0, "columns").moved(value, (1, 2, 0)).tolist() == [1, 2, 0, 4, 5, 3]


def test_set_that_is_no_group_is_seen() -> None:
    """What passes must be closed under products; a set that is not was measured wrongly."""
    assert closed([(0, 1, 2), (1, 0, 2)])
    assert not closed([(0, 1, 2), (1, 0, 2), (0, 2, 1)])
    assert generators([(0, 1, 2), (1, 2, 0), (2, 0, 1)]) == [(1, 2, 0)]


def test_double_is_double_throughout() -> None:
    """A constant or a cast left in float32 would blur the truth to seven digits."""
    for name in ("if_by_size", "keras_dense", "local_function", "two_triangles"):
        file = f"{name}.onnx"
        model = BY_FILE[file]
        single, double = onnx.load(model_file(file)), Runner(model_file(file))
        inputs = draw(model["inputs"], {"b": 2, "n": 5}, 0)
        found = double(inputs)["y"]
        assert double.double and found.dtype == np.float64
        assert "elem_type: 1\n" not in str(in_double(single).graph.input)
        text = json.dumps([str(t.data_type) for t in in_double(single).graph.initializer])
        assert '"1"' not in text
