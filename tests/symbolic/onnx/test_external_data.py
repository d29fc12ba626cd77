"""External data: read from the model's folder, and from nowhere else."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the extra `onnx` is missing")

import onnx
from onnx import TensorProto, helper, numpy_helper

from orderproof.symbolic.onnx.graph import ModelError
from orderproof.symbolic.onnx.load import load
from orderproof.symbolic.onnx.tensors import digests
from tests.symbolic.onnx.making import parsed, refused, saved
from tests.symbolic.onnx.test_load import RELU, with_tensor


def external(dims: Sequence[int] = (1,), name: str = "w", **entries: str) -> TensorProto:
    """A tensor of floats that are elsewhere."""
    place = TensorProto.EXTERNAL
    tensor = TensorProto(name=name, data_type=1, dims=dims, data_location=place)
    for key, entry in entries.items():
        tensor.external_data.add(key=key, value=entry)
    return tensor


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model's folder, with links and files that are no part of it."""
    folder = tmp_path / "models"
    (folder / "sub").mkdir(parents=True)
    (tmp_path / "secret").write_bytes(b"\0" * 4)
    (folder / "four").write_bytes(b"\0" * 4)
    (folder / "empty").write_bytes(b"")
    (folder / "link").symlink_to(tmp_path / "secret")
    (folder / "linked").symlink_to(tmp_path)
    (folder / "inner").symlink_to(folder / "four")
    (folder / "round").symlink_to(folder)
    (folder / "loop").symlink_to(folder / "loop")
    os.mkfifo(folder / "pipe")
    return folder


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
    model = parsed(RELU)
    tensors = (numpy_helper.from_array(array, name) for name, array in constants.items())
    model.graph.initializer.extend(tensors)
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
    model = with_tensor(external([4], location="w", offset="3", length="16"))
    found = load(saved(model, tmp_path)).constants["w"]
    assert found.tolist() == [0, 1, 2, 3] and found.flags.aligned


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
    entries: dict[str, str], says: str, folder: Path
) -> None:
    """A model would read a file of its user's that is not part of it, or wait for a pipe."""
    assert load(saved(with_tensor(external(location="four")), folder)).constants["w"].tolist() == [
        0
    ]
    given = {key: entry.replace("{folder}", str(folder)) for key, entry in entries.items()}
    assert says in refused(saved(with_tensor(external(**given)), folder))


def test_many_tensors_of_one_file_cannot_fill_the_memory(tmp_path: Path) -> None:
    """Tensors that overlap at odd offsets would each be copied."""
    (tmp_path / "w").write_bytes(b"\0" * 4001)
    model = parsed(RELU)
    model.graph.initializer.extend(external([1000], f"w{k}", location="w", offset="1")
                                   for k in range(3))  # fmt: skip
    assert "w1 overlaps other tensors in w" in refused(saved(model, tmp_path))


def test_digests_of_external_data(tmp_path: Path) -> None:
    """Weights in a file of their own could be exchanged after an answer, wherever in the model the
    tensor stands that names it."""
    (tmp_path / "sub").mkdir()
    names = ["attribute", "body", "function", "in_order", "sub/sparse"]
    for name in names:
        (tmp_path / name).write_bytes(name.encode())
    attribute, body, function, in_order, values = (external(location=name) for name in names)
    model = with_tensor(in_order)
    model.graph.initializer.append(in_order)
    model.graph.sparse_initializer.add(values=values)
    branch = helper.make_graph([], "body", [], [], [body])
    model.graph.node.append(helper.make_node("If", ["c"], ["y"], then_branch=branch))
    model.graph.node.append(helper.make_node("Constant", [], ["a"], value=attribute))
    model.functions.add().node.append(helper.make_node("Constant", [], ["f"], value=function))
    expected = tuple((name, hashlib.sha256(name.encode()).hexdigest()) for name in names)
    assert digests(model, tmp_path) == expected and digests(parsed(RELU), tmp_path) == ()


@pytest.mark.parametrize(
    ("location", "says"),
    [
        ("missing", "'missing': given no such file"),
        *((place, "expected a relative path in the model's folder")
          for place in ("", "../secret", "{folder}/four", "loop", "a\0b\n")),
        *((place, "given a path with links, expected a file beside the model")
          for place in ("sub/../four", "inner", "round/four")),
    ],
)  # fmt: skip
def test_digests_of_nothing_elsewhere(location: str, says: str, folder: Path) -> None:
    """A file that is no part of the model would be read."""
    assert [n for n, _ in digests(with_tensor(external(location="four")), folder)] == ["four"]
    place = location.replace("{folder}", str(folder.resolve()))
    with pytest.raises(ModelError) as caught:
        digests(with_tensor(external(location=place)), folder)
    assert says in str(caught.value) and str(caught.value).isprintable()
