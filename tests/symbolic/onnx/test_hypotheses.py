"""For which n a constant of a model is the same under every permutation: the scope of an answer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
pytest.importorskip("flint")

from onnx import numpy_helper

from orderproof.symbolic.onnx.decide import decide

from .making import parsed, saved

BETWEEN = "r = Slice(t, a, b, zero)  k = Slice(r, a, b, one)"
DOUBLE = """m = Squeeze(n)  p = Range(first, m, step)  q = Add(p, p)
    r = Gather<axis = 0>(t, q)  k = Gather<axis = 1>(r, q)"""
# name: rows of an identity matrix, its last entry, what is taken of it, the answer and its scope.
CUT = {
    "as far as the table goes": (
        16, 1, f"a = Identity(zero)  b = Identity(n)  {BETWEEN}", ("equivariant", "n <= 16")),
    "two rows for each token": (16, 1, DOUBLE, ("equivariant", "n <= 8")),
    "after a first row": (
        16, 1, f"a = Identity(one)  b = Add(n, one)  {BETWEEN}", ("equivariant", "n <= 15")),
    "more rows than are looked at": (
        80, 1, f"a = Identity(zero)  b = Identity(n)  {BETWEEN}", ("equivariant", "n <= 64")),
    "but for the last entry": (
        16, 2, f"a = Identity(zero)  b = Identity(n)  {BETWEEN}", ("not equivariant", "n = 16")),
}  # fmt: skip


@pytest.mark.parametrize("name", CUT)
def test_the_scope_is_as_large_as_was_looked_at(name: str, tmp_path: Path) -> None:
    """A table would be said to serve more tokens than it has rows for, than were looked at, or than
    leave it as it is; or fewer."""
    rows, last, body, expected = CUT[name]
    table = np.eye(rows, dtype=np.float32)
    table[-1, -1] = last
    model = parsed(f"""g (float[n,3] x) => (float[n,3] y)
        <int64 first = {{0}}, int64 step = {{1}}, int64[1] zero = {{0}}, int64[1] one = {{1}}> {{
        n = Shape<start = 0, end = 1>(x)  {body}  y = MatMul(k, x) }}""")
    model.graph.initializer.append(numpy_helper.from_array(table, "t"))
    (found,) = decide(saved(model, tmp_path), axis="x:0").results
    assert (found.answer, found.scope) == expected, found
