"""The theorem about a model: what it says, on what it rests, and that another one does not pass."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("onnx", reason="the extra onnx is not installed")

from onnx import parser

from orderproof.symbolic.calculus import kernel as k
from orderproof.symbolic.calculus.terms import Map
from orderproof.symbolic.derive.equations import refl
from orderproof.symbolic.models.builders import permutation
from orderproof.symbolic.onnx import naturality
from orderproof.symbolic.onnx.load import graph_of
from orderproof.symbolic.onnx.naturality import SIGMA, Conditional, NoTheorem, conditionals
from orderproof.symbolic.onnx.reading import Reading, reading_of

ATTENTION = """<ir_version: 9, opset_import: ["" : 18]>
g (float[n, 4] x, float[n, n] mask) => (float[n, 4] y)
<float[4, 4] W = {1,2,0,1, 0,1,1,3, 2,1,0,1, 1,0,1,1}> {
  q = MatMul(x, W)  t = Transpose<perm = [1, 0]>(x)  s = MatMul(q, t)
  m = Add(s, mask)  a = Softmax<axis = 1>(m)  y = MatMul(a, x)
}"""
TRIANGLE = ATTENTION.replace(", float[n, n] mask", "").replace(
    "m = Add(s, mask)", "u = Trilu<upper = 0>(s)  m = Identity(u)"
)
PICKED = """<ir_version: 9, opset_import: ["" : 18]>
g (float[n, 4] x) => (float[4] y) <int64 last = {-1}> {
  t = Transpose<perm = [1, 0]>(x)  s = MatMul(x, t)  a = Softmax<axis = 1>(s)
  z = MatMul(a, x)  y = Gather<axis = 0>(z, last)
}"""


def reading(text: str) -> Reading:
    """A model read for the first axis of x."""
    return reading_of(graph_of(parser.parse_model(text)), ("x", 0), (), None)


def theorems(text: str, along: Any = ()) -> tuple[Reading, list[Conditional] | NoTheorem]:
    """The theorems about the output y, which are not checked against onnxruntime."""
    r = reading(text)
    value: Any = r.value("y")
    assert r.over is not None
    return r, conditionals(r.realised, value, ("x", 0), r.over, along)


def test_what_moves_along_is_said() -> None:
    """A mask would be moved without a word, or the output's axis would be another."""
    _, found = theorems(ATTENTION)
    assert isinstance(found, list)
    assert set(found[0].moved) == {("x", 0), ("mask", 0), ("mask", 1)}
    assert found[0].output_dims == (0,) and not found[0].hypotheses
    assert k.is_theorem(found[0].theorem) and not found[0].theorem.hyps


def test_constants_are_hypotheses() -> None:
    """A triangle of the scores would be taken for something that no permutation changes."""
    _, found = theorems(TRIANGLE)
    assert isinstance(found, list)
    assert [h.motion for h in found[0].hypotheses] == [
        (permutation(SIGMA, h.node.sets[0]),) * 2  # type: ignore[union-attr]
        for h in found[0].hypotheses
    ]
    assert len(found[0].theorem.hyps) == 1


def test_a_picked_place_is_a_hypothesis() -> None:
    """The last row would be picked as if σ did not move it."""
    _, found = theorems(PICKED)
    assert isinstance(found, list)
    assert all([h.place is not None for h in c.hypotheses] for c in found)
    assert all(len(c.theorem.hyps) == 1 and c.output_dims == () for c in found)


def test_another_theorem_is_not_taken() -> None:
    """A theorem of the kernel would pass whatever it is about: that the term is itself, that the
    output stays where it moves, or that it moves by the inverse."""
    r, found = theorems(ATTENTION)
    assert isinstance(found, list) and r.over is not None
    (proof, *_), value = found, r.value("y")
    term = r.realised.of(value)  # type: ignore[arg-type]
    sigma = permutation(SIGMA, r.over)
    moved = {
        op: naturality.motion_of(op.data[1], r.over)
        for op, leaf in r.realised.leaves.items()
        if leaf.role == "input"
    }
    motion = tuple(sigma if s == r.over else None for s in term.node.sets)
    assert naturality._says(proof.theorem, term, moved, motion, [])
    inverse: Any = tuple(m and Map("inverse", (m,)) for m in motion)
    assert not naturality._says(refl(term), term, moved, motion, [])
    assert not naturality._says(proof.theorem, term, moved, (None,) * len(motion), [])
    assert not naturality._says(proof.theorem, term, moved, inverse, [])
    assert not naturality._says(proof.theorem, term, {}, motion, [])
    assumed = k.hyp(proof.theorem.lhs, proof.theorem.rhs)  # ⊢ itself, if it is given
    assert not naturality._says(assumed, term, moved, motion, [])
