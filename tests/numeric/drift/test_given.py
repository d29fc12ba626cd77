"""What a person gives to `drift`: a mistake is one line, and nothing in a file is run."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the extra `onnx` is missing")
pytest.importorskip("onnxruntime", reason="the extra `onnx` is missing")

from orderproof.numeric.drift.given import given, read
from orderproof.symbolic.onnx.graph import ModelError
from orderproof.symbolic.onnx.load import load

MODELS = Path(__file__).parents[2] / "models"
X = np.random.default_rng(0).normal(size=(1, 5, 4)).astype(np.float32)
MASK = np.zeros((5, 5), np.float32)


class Mine:
    """An object whose unpickling would be noticed."""

    def __reduce__(self) -> Any:
        return Path.touch, (Path("unpickled"),)


def line(call: Any, *args: Any, **options: Any) -> str:
    """The one line with which something is refused."""
    with pytest.raises(ModelError) as caught:
        call(*args, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def saved(folder: Path, name: str, x: Any) -> str:
    """The file that holds an array."""
    np.save(folder / name, x)
    return str(folder / name)


def test_an_input_is_read_and_moved(tmp_path: Path) -> None:
    """Another array would be compared than was given, or moved the wrong way."""
    graph = load(MODELS / "encoder_post_norm.onnx")
    found = given(graph, [saved(tmp_path, "x.npy", X)], "x:1", sigma="2,3,1,4,5")
    assert np.array_equal(found.inputs["x"], X) and found.sigma == (1, 2, 0, 3, 4)
    assert np.array_equal(found.moved()["x"], X[:, [1, 2, 0, 3, 4]])
    assert given(graph, [saved(tmp_path, "x.npy", X)]).axes == (("x", 1),)
    again = given(graph, [f"x={tmp_path / 'x.npy'}"], "x:1", sigma="1,2,0,3,4")  # as JSON counts
    assert again.sigma == found.sigma


def test_a_random_permutation_is_that_of_its_seed(tmp_path: Path) -> None:
    """A difference that was seen could not be looked at again."""
    graph, file = load(MODELS / "encoder_post_norm.onnx"), saved(tmp_path, "x.npy", X[:, :2])
    assert [given(graph, [file], seed=s).sigma for s in range(5)] == [(1, 0)] * 5
    file = saved(tmp_path, "x.npy", X)
    assert given(graph, [file], seed=3).sigma == given(graph, [file], seed=3).sigma
    assert len({given(graph, [file], seed=s).sigma for s in range(9)}) > 5


@pytest.mark.parametrize(
    ("x", "words"),
    [
        (X.astype(np.float64), "given float64, expected float32"),
        (X[0], "given the shape [5, 4], expected [b, n, 4]"),
        (X[:, :, :3], "given the shape [1, 5, 3], expected [b, n, 4]"),
        (X[:, :0], "expected numbers in it"),
        (np.where(X > 1, np.nan, X).astype(np.float32), "given NaN, expected numbers"),
        (X[:, :1], "expected --axis INPUT:K"),
        (np.concatenate([X, X]), "expected --axis INPUT:K"),
        (np.zeros_like(X), "leaves as it is"),
    ],
)
def test_arrays_that_do_not_fit(tmp_path: Path, x: Any, words: str) -> None:
    """A person would be told of something in onnxruntime, or be given an answer."""
    graph = load(MODELS / "encoder_post_norm.onnx")
    assert words in line(given, graph, [saved(tmp_path, "x.npy", x)])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"axis": "z:1"}, "--axis: given 'z:1'"),
        ({"axis": "x:7"}, "which has 3 dimensions"),
        ({"axis": "x"}, "expected INPUT:K"),
        ({"axis": "x:1", "along": ["x:1"]}, "given an axis twice"),
        ({"axis": "x:1", "along": ["x:2"]}, "expected axes of one size"),
        ({"axis": "x:0"}, "of size 1, expected axes of one size of at least 2"),
        ({"sigma": "1,2,3,4,5"}, "that moves one"),
        ({"sigma": "2,1"}, "expected a permutation of 1, …, 5"),
        ({"sigma": "2,1,3,4,4"}, "expected a permutation of 1, …, 5"),
        ({"sigma": "b,a"}, "expected a permutation of 1, …, 5"),
    ],
)
def test_questions_that_are_none(tmp_path: Path, options: dict[str, Any], words: str) -> None:
    """Another question would be answered than was asked."""
    graph = load(MODELS / "encoder_post_norm.onnx")
    assert words in line(given, graph, [saved(tmp_path, "x.npy", X)], **options)


def test_inputs_by_name(tmp_path: Path) -> None:
    """An array would be taken for another input, or one would be missing."""
    graph = load(MODELS / "mask_added.onnx")
    x, mask = saved(tmp_path, "x.npy", X), saved(tmp_path, "m.npy", MASK)
    assert given(graph, [f"x={x}", f"mask={mask}"], "x:1").inputs.keys() == {"x", "mask"}
    assert "given no 'mask', expected mask=FILE.npy" in line(given, graph, [f"x={x}"])
    assert "as there are several" in line(given, graph, [x])
    assert "NAME of:" in line(given, graph, [f"y={x}"])
    assert "given x twice" in line(given, graph, [f"x={x}", f"x={x}"])
    small = saved(tmp_path, "m.npy", MASK[:4, :4])
    said = line(given, graph, [f"x={x}", f"mask={small}"], "x:1")
    assert "as in" in said and "n = " in said


def test_files_that_hold_no_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Something in a file would be run, or would fill the memory, or be a traceback."""
    monkeypatch.chdir(tmp_path)
    np.save("object.npy", np.array([Mine()], dtype=object), allow_pickle=True)
    Path("pickle.npy").write_bytes(pickle.dumps(Mine()))
    np.savez("several.npz", a=X)
    Path("text.npy").write_text("1 2 3")
    Path("empty.npy").touch()
    np.save("whole.npy", X)
    data = Path("whole.npy").read_bytes()
    Path("cut.npy").write_bytes(data[:-4])
    shape, huge = b"'shape': (1, 5, 4), }", b"'shape': (10**9, 4), }"
    Path("formula.npy").write_bytes(data.replace(shape, huge.ljust(len(shape))[: len(shape)]))
    huge = b"'shape': (9999999999,)"
    Path("bomb.npy").write_bytes(data.replace(b"'shape': (1, 5, 4), }  ", huge + b"}"))
    for name in ("object", "pickle", "text", "empty", "cut", "formula", "bomb"):
        assert "expected a .npy file of plain numbers" in line(read, f"{name}.npy"), name
    assert "several arrays" in line(read, "several.npz")
    assert "no file" in line(read, "none.npy") and "no file" in line(read, str(tmp_path))
    assert not Path("unpickled").exists()
    assert np.array_equal(read("whole.npy"), X)
