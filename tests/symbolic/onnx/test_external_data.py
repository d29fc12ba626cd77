"""External data: read from the model's folder, and from nowhere else."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the extra `onnx` is missing")

import onnx
from onnx import ModelProto, TensorProto, helper

from orderproof.symbolic.onnx.graph import ModelError
from orderproof.symbolic.onnx.load import load
from orderproof.symbolic.onnx.tensors import digests
from tests.symbolic.onnx.making import made, parsed, refused, saved, value

RELU = "g (float[n] x) => (float[n] y) {y = Relu(x)}"


@pytest.mark.parametrize("size_threshold", [0, 100])
def test_external_data_is_read(tmp_path: Path, size_threshold: int) -> None:
    """Weights beside the model would be missed, or read from a wrong place."""
    rng = np.random.default_rng(0)
    constants = {
        "a": rng.standard_normal((9, 5)).astype(np.float32),
        "b": rng.integers(0, 2, 203).astype(np.bool_),
        "c": rng.standard_normal((3, 7)),
        "d": np.zeros((0, 3), np.float32),
    }
    model = made([], [value("x", [1])], [value("a", [9, 5])], constants)
    path = tmp_path / "model.onnx"
    onnx.save(
        model, path, save_as_external_data=True, location="weights", size_threshold=size_threshold
    )
    graph = load(path)
    assert len((tmp_path / "weights").read_bytes()) > 300
    for name, array in constants.items():
        found = graph.constants[name]
        assert found.dtype == array.dtype and np.array_equal(found, array)
        assert found.flags.aligned
    assert not graph.constants["a"].flags.writeable  # mapped, where a copy would take memory


def test_external_data_at_any_offset(tmp_path: Path) -> None:
    """Entries that do not lie where arrays may lie would be read wrongly."""
    (tmp_path / "w").write_bytes(b"abc" + np.arange(4, dtype=np.float32).tobytes() + b"rest")
    tensor = TensorProto(name="w", data_type=1, dims=[4], data_location=TensorProto.EXTERNAL)
    for key, entry in (("location", "w"), ("offset", "3"), ("length", "16")):
        tensor.external_data.add(key=key, value=entry)
    model = parsed(RELU)
    model.graph.initializer.append(tensor)
    found = load(saved(model, tmp_path)).constants["w"]
    assert found.tolist() == [0, 1, 2, 3] and found.flags.aligned


def external(**entries: str) -> ModelProto:
    """A model with an initialiser of four bytes that are elsewhere."""
    tensor = TensorProto(name="w", data_type=1, dims=[1], data_location=TensorProto.EXTERNAL)
    for key, entry in entries.items():
        tensor.external_data.add(key=key, value=entry)
    model = parsed(RELU)
    model.graph.initializer.append(tensor)
    return model


@pytest.mark.parametrize(
    ("entries", "says"),
    [
        ({"location": "missing"}, "in 'missing': given no such file"),
        *(({"location": place}, "expected a relative path in the model's folder") for place in (
            "../secret", "sub/../../secret", "link", "linked/secret", "/etc/passwd", "..\\secret",
            "", "a\0b", "loop", "{folder}/four")),
        ({}, "expected a relative path in the model's folder"),
        ({"location": "x" * 5000}, "given a file that cannot be read"),
        ({"location": "."}, "in '.': given a folder"),
        ({"location": "pipe"}, "in 'pipe': given a pipe"),
        ({"location": "four", "offset": "1"}, "holds 3"),
        ({"location": "four", "offset": "5"}, "which has 4"),
        ({"location": "four", "length": "5"}, "which has 4"),
        ({"location": "four", "length": "3"}, "holds 3"),
        ({"location": "four", "offset": "-1"}, "bytes -1 to 4 of four, which has 4"),
        ({"location": "four", "offset": "4", "length": "-4"}, "bytes 4 to 0 of four"),
        ({"location": "four", "offset": "9" * 30}, "which has 4"),
        ({"location": "four", "offset": "9" * 9999}, "cannot be read"),
        ({"location": "four", "length": "four"}, "cannot be read"),
        ({"location": "empty"}, "holds 0"),
    ],
)  # fmt: skip
def test_external_data_stays_in_the_models_folder(
    entries: dict[str, str], says: str, tmp_path: Path
) -> None:
    """A model would read a file of its user's that is not part of it, or wait for a pipe."""
    folder = tmp_path / "models"
    (folder / "sub").mkdir(parents=True)
    (tmp_path / "secret").write_bytes(b"\0" * 4)
    (folder / "four").write_bytes(b"\0" * 4)
    (folder / "empty").write_bytes(b"")
    (folder / "link").symlink_to(tmp_path / "secret")
    (folder / "linked").symlink_to(tmp_path)
    (folder / "loop").symlink_to(folder / "loop")
    os.mkfifo(folder / "pipe")
    assert load(saved(external(location="four"), folder)).constants["w"].tolist() == [0]
    given = {key: entry.replace("{folder}", str(folder)) for key, entry in entries.items()}
    assert says in refused(saved(external(**given), folder))


def test_many_tensors_of_one_file_cannot_fill_the_memory(tmp_path: Path) -> None:
    """Tensors that overlap at odd offsets would each be copied."""
    (tmp_path / "w").write_bytes(b"\0" * 4001)
    model = parsed(RELU)
    for k in range(3):
        tensor = external(location="w", offset="1").graph.initializer[0]
        tensor.dims[0], tensor.name = 1000, f"w{k}"
        model.graph.initializer.append(tensor)
    assert "w1 overlaps other tensors in w" in refused(saved(model, tmp_path))


def test_digests_of_external_data(tmp_path: Path) -> None:
    """Weights in a file of their own could be exchanged after an answer, wherever in the model the
    tensor stands that names it."""
    (tmp_path / "sub").mkdir()
    names = ["attribute", "body", "function", "in_order", "sub/sparse"]
    for name in names:
        (tmp_path / name).write_bytes(name.encode())
    tensors = {name: external(location=name).graph.initializer[0] for name in names}
    model = external(location="in_order")
    model.graph.initializer.append(tensors["in_order"])
    model.graph.sparse_initializer.add(values=tensors["sub/sparse"])
    body = helper.make_graph([], "body", [], [], [tensors["body"]])
    model.graph.node.append(helper.make_node("If", ["c"], ["y"], then_branch=body))
    for nodes, name in ((model.graph.node, "attribute"), (model.functions.add().node, "function")):
        nodes.append(helper.make_node("Constant", [], [name], value=tensors[name]))
    expected = tuple((name, hashlib.sha256(name.encode()).hexdigest()) for name in names)
    assert digests(model, tmp_path) == expected and digests(parsed(RELU), tmp_path) == ()


@pytest.mark.parametrize(
    ("location", "says"),
    [
        ("missing", "'missing': given no such file"),
        *((place, "expected a relative path in the model's folder")
          for place in ("", "../secret", "{outside}/secret", "loop", "a\0b\n")),
        *((place, "given a path with links, expected a file beside the model")
          for place in ("sub/../four", "link", "linked/four")),
    ],
)  # fmt: skip
def test_digests_of_nothing_elsewhere(location: str, says: str, tmp_path: Path) -> None:
    """A file that is no part of the model would be read."""
    folder = tmp_path / "models"
    folder.mkdir()
    (tmp_path / "secret").write_bytes(b"")
    (folder / "four").write_bytes(b"")
    for name, to in (("link", "four"), ("linked", "."), ("loop", "loop")):
        (folder / name).symlink_to(folder / to)
    assert [name for name, _ in digests(external(location="four"), folder)] == ["four"]
    with pytest.raises(ModelError) as caught:
        digests(external(location=location.format(outside=tmp_path.resolve())), folder)
    assert says in str(caught.value) and str(caught.value).isprintable()
