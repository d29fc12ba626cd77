"""The file of a counterexample about an ONNX file: written, read, replayed; no edit passes."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("flint", reason="SKIP: python-flint is not installed (extra onnx)")
pytest.importorskip("onnx", reason="SKIP: onnx is not installed")

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from orderproof.cli import main
from orderproof.symbolic.witness.fields import WitnessError
from orderproof.symbolic.witness.model.file import ModelWitness, Values, dumps, parse, write
from orderproof.symbolic.witness.model.refute import Spec, search
from orderproof.symbolic.witness.model.replay import check
from orderproof.symbolic.witness.replay_file import replay_file
from tests.symbolic.witness.model.small_models import layer, of_nodes, saved

SWAP = [1, 0, 2]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a model that sees order, and a counterexample that says so."""
    found = tmp_path_factory.mktemp("model")
    path = saved(layer(positions=True), found)
    w = search(path, [({"x": Spec((1, 3, 4))}, [SWAP])], ("x", 1), "y", 1)
    assert w is not None
    write(w, found / "w.json")
    return found


@pytest.fixture(scope="module")
def witness(folder: Path) -> ModelWitness:
    """The counterexample in it."""
    return parse((folder / "w.json").read_bytes(), "w.json")


def test_written_is_read(witness: ModelWitness) -> None:
    """A counterexample would change by being saved."""
    text = dumps(witness)
    assert parse(text.encode(), "w") == witness and dumps(parse(text.encode(), "w")) == text
    lines = text.splitlines()
    assert '  "sigma": [1, 0, 2],' in lines and '  "output_axis": 1,' in lines
    assert "differ in the entry" in text and "axis 1 of x" in text


def test_it_is_confirmed(folder: Path, witness: ModelWitness) -> None:
    """A true counterexample would be refuted, with the model named or beside it."""
    assert check(witness, folder / "model.onnx").ok
    assert replay_file(folder / "w.json").ok
    moved = folder / "elsewhere"
    moved.mkdir()
    (moved / "w.json").write_bytes((folder / "w.json").read_bytes())
    assert replay_file(moved / "w.json", folder / "model.onnx").ok
    with pytest.raises(WitnessError, match="no such file"):
        replay_file(moved / "w.json")


def test_the_command(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`orderproof replay` would not print what is confirmed, or not give a refusal's status."""

    def run(*words: object) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["orderproof", *map(str, words)])
        with pytest.raises(SystemExit) as caught:
            main()
        done = capsys.readouterr()
        return int(caught.value.code or 0), done.out + done.err

    status, text = run("replay", folder / "w.json")
    assert status == 0 and text.startswith(
        "confirmed: the model model.onnx, where sigma = [2, 1, 3]"
    )
    status, text = run("replay", folder / "w.json", "--model", folder / "model.onnx", "--json")
    assert status == 0 and json.loads(text)["status"] == "ok"
    other = saved(layer(), folder, "other.onnx")
    status, text = run("replay", folder / "w.json", "--model", other)
    assert status == 2 and "SHA-256" in text and len(text.splitlines()) == 1


def test_another_model_is_refused(folder: Path, witness: ModelWitness, tmp_path: Path) -> None:
    """A counterexample about one model would be confirmed of another, or of a changed one."""
    data = bytearray((folder / "model.onnx").read_bytes())
    data[-40] ^= 1
    (tmp_path / "model.onnx").write_bytes(data)
    with pytest.raises(WitnessError, match=r"SHA-256|no ONNX model"):
        check(witness, tmp_path / "model.onnx")
    for bad in (b"", b"not a model", data[:100]):
        (tmp_path / "model.onnx").write_bytes(bad)
        with pytest.raises(WitnessError):
            check(witness, tmp_path / "model.onnx")


Edit = Callable[[Any], object]


def put(*path: Any, value: Any) -> Edit:
    """An edit that puts a value at a path of keys."""

    def edit(data: Any) -> None:
        for key in path[:-1]:
            data = data[key]
        data[path[-1]] = value

    return edit


X = ("inputs", "x")


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (put("format", value="orderproof-model-counterexample-2"), "format"),
        (put("version", value=2), "version"),
        (put("claim", value="f is not equivariant"), "claim"),
        (put("model", value="../model.onnx"), "without a folder"),
        (put("model", value="other.onnx"), "claim"),
        (put("sha256", value="0" * 64), "SHA-256"),
        (put("sha256", value="A" * 64), "64 hexadecimal"),
        (put("data", value={"weights": "0" * 64}), "external data"),
        (put("data", value={"../weights": "0" * 64}), "without a folder"),
        (put("n", value=4), "permutation"),
        (put("sigma", value=[0, 1, 1]), "permutation"),
        (put("sigma", value=[2, 1, 0]), "claim"),
        (put("input", value="z"), "a given input"),
        (put("axis", value=2), "axis of size 3"),
        (put("axis", value=-1), "axis of size 3"),
        (put("moving", value=[["x", 1]]), "each axis once"),
        (put("moving", value=[["x", 0]]), "axis of size 3"),
        (put("inputs", value={}), "tensors"),
        (put(*X, "shape", value=[3, 4]), "axis of size 3"),
        (put(*X, "shape", value=[1, 3, 5]), "a list of 15"),
        (put(*X, "shape", value=[10**5, 10**5]), "at most"),
        (put(*X, "type", value="text"), "one of"),
        (put(*X, "type", value="integer"), "an integer"),
        (put(*X, "values", 0, value="1/3"), "power of two"),
        (put(*X, "values", 0, value="2/4"), "lowest terms"),
        (put(*X, "values", 0, value=0.5), "in quotes"),
        (put("output", value="z"), "claim"),
        (put("output_axis", value=None), "claim"),
        (put("output_axis", value=3), "null, an axis"),
        (put("output_axis", value=[0]), "null, an axis"),
        (put("output_axis", value=[0, 0]), "null, an axis"),
        (put("output_axis", value=[[0], 1]), "null, an axis"),
        (put("entry", value=[0, 0]), "claim"),
        (put("entry", value=[0, -1, 0]), "indices"),
        (put("bits", value=64), "claim"),
        (put("bits", value=10**6), "bits"),
        (put("moved", value=["1.0", "2.0"]), "decimals"),
        (put("more", value=1), "only the keys"),
    ],
)  # fmt: skip
def test_an_edited_file_is_refused(folder: Path, edit: Edit, words: str) -> None:
    """A file that holds no counterexample, or another than it says, would be replayed."""
    data = json.loads((folder / "w.json").read_text())
    edit(data)
    with pytest.raises(WitnessError) as caught:
        check(parse(json.dumps(data).encode(), "w.json"), folder / "model.onnx")
    assert words in str(caught.value) and str(caught.value).isprintable()


def test_every_key_is_needed(folder: Path) -> None:
    """A key that is left out would be made up."""
    data = json.loads((folder / "w.json").read_text())
    for key in data:
        less = {k: v for k, v in data.items() if k != key}
        with pytest.raises(WitnessError, match="no key"):
            parse(json.dumps(less).encode(), "w.json")


UNIT = Fraction(1, 10**20)
UP = (Fraction(10), Fraction(11))


def moved_by(w: ModelWitness, **changed: Any) -> ModelWitness:
    """The witness with other fields, and the sentence that goes with them."""
    return replace(w, **changed)


@pytest.mark.parametrize(
    "edit",
    [
        lambda w: moved_by(w, sigma=(2, 1, 0)),
        lambda w: moved_by(w, sigma=(0, 1, 2)),
        lambda w: moved_by(w, sigma=(1, 2, 0)),
        lambda w: moved_by(w, moved=UP),
        lambda w: moved_by(w, expected=UP),
        lambda w: moved_by(w, moved=w.expected, expected=w.moved),
        lambda w: moved_by(w, moved=(w.moved[0] - UNIT, w.moved[1] - UNIT)),
        lambda w: moved_by(w, moved=(w.moved[0] + UNIT, w.moved[1] + UNIT)),
        lambda w: moved_by(w, expected=(w.expected[0] - 1, w.expected[1])),
        lambda w: moved_by(w, expected=(w.expected[0], w.expected[1] + UNIT)),
        lambda w: moved_by(w, moved=w.expected),
        lambda w: moved_by(w, output="q"),
        lambda w: moved_by(w, output="nowhere"),
        lambda w: moved_by(w, output_axis=None),
        lambda w: moved_by(w, output_axis=2),
        lambda w: moved_by(w, entry=(0, 2, w.entry[2])),
        lambda w: moved_by(w, entry=(0, 1)),
        lambda w: moved_by(w, entry=(0, 3, 0)),
        lambda w: moved_by(w, inputs={"x": replace(w.inputs["x"], entries=tuple(
            v + (k == 0) for k, v in enumerate(w.inputs["x"].entries)))}),
        lambda w: moved_by(w, inputs={"x": replace(w.inputs["x"], entries=tuple(
            Fraction(0) for v in w.inputs["x"].entries))}),
        lambda w: moved_by(w, inputs={**w.inputs, "z": w.inputs["x"]}),
    ],
)  # fmt: skip
def test_a_changed_witness_does_not_replay(
    folder: Path, witness: ModelWitness, edit: Callable[[ModelWitness], ModelWitness]
) -> None:
    """A false statement about the model would be confirmed: the evaluation is not compared."""
    changed = edit(witness)
    assert changed != witness
    done = check(changed, folder / "model.onnx")
    assert not done.ok and done.reason.isprintable()


def test_external_data_belong_to_the_model(tmp_path: Path) -> None:
    """Weights in a file of their own could be exchanged, and the counterexample be confirmed; or
    the model name a file elsewhere."""
    path = tmp_path / "model.onnx"
    onnx.save(layer(positions=True), path, save_as_external_data=True, location="weights",
              size_threshold=0)  # fmt: skip
    found = search(path, [({"x": Spec((1, 3, 4))}, [SWAP])], ("x", 1), "y", 1)
    assert found is not None and [name for name, _ in found.data] == ["weights"]
    assert check(found, path).ok
    data = bytearray((tmp_path / "weights").read_bytes())
    data[5] ^= 1
    (tmp_path / "weights").write_bytes(data)
    with pytest.raises(WitnessError, match="external data"):
        check(found, path)
    (tmp_path / "weights").unlink()
    with pytest.raises(WitnessError, match="not beside it"):
        check(found, path)
    outside = onnx.load(path, load_external_data=False)
    for t in outside.graph.initializer:
        for entry in t.external_data:
            if entry.key == "location":
                entry.value = "../weights"
    path.write_bytes(outside.SerializeToString())
    with pytest.raises(WitnessError, match="not beside it"):
        check(found, path)


def test_integers_truth_values_and_axes_that_move_along(tmp_path: Path) -> None:
    """Inputs that are no real numbers, or a mask that moves on both axes, would be lost."""
    nodes = [
        helper.make_node("Gather", ["table", "ids"], ["h"]),
        helper.make_node("Where", ["mask", "one", "zero"], ["m"]),
        helper.make_node("MatMul", ["m", "h"], ["z"]),
        helper.make_node("CumSum", ["z", "axis"], ["y"]),
    ]
    held = [
        numpy_helper.from_array(np.array([[1], [2], [5]], dtype=np.float32), "table"),
        numpy_helper.from_array(np.array(1, dtype=np.float32), "one"),
        numpy_helper.from_array(np.array(0, dtype=np.float32), "zero"),
        numpy_helper.from_array(np.array(0), "axis"),
    ]
    inputs = {"ids": (TensorProto.INT32, ["n"]), "mask": (TensorProto.BOOL, ["n", "n"])}
    path = saved(of_nodes(nodes, inputs, ["y", "z"], *held), tmp_path)
    specs = {"ids": Spec((3,), "integer", 0, 2), "mask": Spec((3, 3), "truth")}
    moving = [("mask", 0), ("mask", 1)]
    cases = [(specs, [SWAP])]
    assert search(path, cases, ("ids", 0), "z", 0, moving=moving) is None
    found = search(path, cases, ("ids", 0), "y", 0, moving=moving)
    assert found is not None and found.inputs["mask"].type == "truth"
    write(found, tmp_path / "w.json")
    assert replay_file(tmp_path / "w.json").ok
    assert not check(replace(found, sigma=(0, 2, 1)), path).ok


def of_integers(path: Path, ids: list[int], moved: int, kept: int) -> ModelWitness:
    """A counterexample to the model below at two integers, with the values that it claims."""
    held = Values((2,), "integer", tuple(Fraction(k) for k in ids))
    return ModelWitness(
        path.name, hashlib.sha256(path.read_bytes()).hexdigest(), (), (1, 0), "ids", 0, (),
        {"ids": held}, "y", 0, (1,), 128, (Fraction(moved),) * 2, (Fraction(kept),) * 2,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "ids", "factor", "words"),
    [
        (TensorProto.INT32, [2, 3], 2**16, "moved"),
        (TensorProto.UINT8, [300, 256], 1, "given 256, expected uint8, 0 to 255"),
        (TensorProto.INT8, [3, -129], 1, "given -129, expected int8, -128 to 127"),
        (TensorProto.UINT32, [3, -1], 1, "given -1, expected uint32"),
        (TensorProto.INT4, [3, 2], 1, "the input 'ids' of INT4"),
        (TensorProto.COMPLEX64, [3, 2], 1, "the input 'ids' of COMPLEX64"),
        (77, [3, 2], 1, "the input 'ids' of type 77"),
    ],
)
def test_integers_are_of_the_declared_type(
    tmp_path: Path, kind: int, ids: list[int], factor: int, words: str
) -> None:
    """Values that wrap around in the model, or that its input cannot hold, would be computed in 64
    bits, and a false counterexample be confirmed."""
    nodes = [
        helper.make_node("Mul", ["ids", "factor"], ["a"]),
        helper.make_node("Mul", ["a", "factor"], ["b"]),
        helper.make_node("Cast", ["b"], ["c"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["c", "places"], ["y"]),
    ]
    narrow = {TensorProto.UINT8: np.uint8, TensorProto.INT8: np.int8, TensorProto.UINT32: np.uint32}
    stored = narrow.get(kind, np.int32)
    held = [
        numpy_helper.from_array(np.array(factor, dtype=stored), "factor"),
        numpy_helper.from_array(np.array([0, 1], dtype=np.float32), "places"),
    ]
    path = saved(of_nodes(nodes, {"ids": (kind, ["n"])}, ["y"], *held), tmp_path)
    claim = of_integers(path, ids, factor**2 * ids[0], factor**2 * ids[1])
    done = check(claim, path)
    assert not done.ok and words in done.reason and done.reason.isprintable()


def test_a_name_of_dimensions_has_one_size(tmp_path: Path) -> None:
    """Inputs that the model does not take together would refute it."""
    nodes = [
        helper.make_node("CumSum", ["x", "zero"], ["c"]),
        helper.make_node("ReduceMax", ["m"], ["t"], keepdims=0),
        helper.make_node("Add", ["c", "t"], ["y"]),
    ]
    inputs = {"x": (TensorProto.FLOAT, ["n"]), "m": (TensorProto.FLOAT, ["n"])}
    held = numpy_helper.from_array(np.array(0), "zero")
    path = saved(of_nodes(nodes, inputs, ["y"], held), tmp_path)
    found = search(path, [({"x": Spec((2,)), "m": Spec((2,))}, [[1, 0]])], ("x", 0), "y", 0)
    assert found is not None and check(found, path).ok
    m = found.inputs["m"]
    longer = replace(m, shape=(3,), entries=(*m.entries, min(m.entries)))
    done = check(replace(found, inputs={**found.inputs, "m": longer}), path)
    assert not done.ok and "input 'm': given 3 for 'n', expected 2 as in 'x'" in done.reason


def test_constants_of_the_model_are_not_given(tmp_path: Path) -> None:
    """A model would be refuted with another constant than its own, which it lists as an input."""
    nodes = [helper.make_node("Mul", ["x", "w"], ["y"])]
    inputs = {"x": (TensorProto.FLOAT, [2]), "w": (TensorProto.FLOAT, [2])}
    held = numpy_helper.from_array(np.ones(2, dtype=np.float32), "w")
    path = saved(of_nodes(nodes, inputs, ["y"], held), tmp_path)
    cases = [({"x": Spec((2,), fixed=np.ones(2))}, [[1, 0]])]
    assert search(path, cases, ("x", 0), "y", 0) is None
    other = Spec((2,), fixed=np.array([1.0, 2.0]))
    found = search(path, [({**cases[0][0], "w": other}, [[1, 0]])], ("x", 0), "y", 0)
    assert found is not None
    done = check(found, path)
    assert not done.ok and "a value for 'w', which the model holds" in done.reason


def test_other_counterexamples_need_no_numpy(tmp_path: Path) -> None:
    """Replaying any other counterexample would load NumPy, or what evaluates ONNX files."""
    code = """
import sys
from orderproof.symbolic.witness.fields import WitnessError
from orderproof.symbolic.witness.replay_file import replay_file
try:
    replay_file(sys.argv[1])
except WitnessError:
    print(sorted({"numpy", "onnx", "flint"} & set(sys.modules)))
"""
    for text, loaded in (
        ('{"format": "orderproof-group-counterexample"}', "[]"),
        ('{"format": "orderproof-model-counterexample"}', "['flint', 'numpy', 'onnx']"),
    ):
        (tmp_path / "w.json").write_text(text)
        done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "w.json")],
                              capture_output=True, text=True, check=True)  # fmt: skip
        assert done.stdout.strip() == loaded


def test_a_model_is_given_to_its_own_kind_alone(tmp_path: Path) -> None:
    """`--model` with a counterexample about none would be passed over in silence."""
    (tmp_path / "w.json").write_text('{"format": "orderproof-group-counterexample"}')
    with pytest.raises(WitnessError, match="about none"):
        replay_file(tmp_path / "w.json", tmp_path / "model.onnx")
