"""The search for an input on which the output does not follow a permutation."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("flint", reason="SKIP: python-flint is not installed (extra onnx)")
pytest.importorskip("onnx", reason="SKIP: onnx is not installed")

import numpy as np
import onnx
from flint import arb
from onnx import numpy_helper

from orderproof.symbolic.onnx.decide import decide
from orderproof.symbolic.witness.model import evaluate
from orderproof.symbolic.witness.model.balls import boxed
from orderproof.symbolic.witness.model.errors import BadModel, UnsupportedOperator
from orderproof.symbolic.witness.model.refute import Spec, disjoint, search
from orderproof.symbolic.witness.model.replay import check
from tests.symbolic.witness.model.small_models import layer, of_text, saved


def sizes(*ns: int) -> list[Any]:
    """Every permutation but the identity, for each n."""
    return [({"x": Spec((1, n, 4))}, list(permutations(range(n)))[1:]) for n in ns]


def test_an_order_blind_layer_is_never_refuted(tmp_path: Path) -> None:
    """A model that commutes with every permutation would be said not to: a false answer."""
    path = saved(layer(), tmp_path)
    assert search(path, sizes(2, 3, 4), ("x", 1), "y", 1) is None
    pooled = saved(layer(pooled=True), tmp_path, "pooled.onnx")
    assert search(pooled, sizes(2, 3, 4), ("x", 1), "y", None) is None


@pytest.mark.parametrize("given", [{"positions": True}, {"causal": True}])
def test_a_layer_that_sees_order_is_refuted_at_the_smallest_n(
    tmp_path: Path, given: dict[str, bool]
) -> None:
    """What breaks the symmetry would not be found, or not at two tokens."""
    path = saved(layer(**given), tmp_path)
    found = search(path, sizes(1, 2, 3), ("x", 1), "y", 1)
    assert found is not None and found.sigma == (1, 0) and check(found, path).ok
    assert search(path, sizes(1, 2, 3), ("x", 1), "y", 1) == found  # the seed is fixed


def test_equivariant_is_not_invariant(tmp_path: Path) -> None:
    """`output_axis` None would ask the same question as an axis."""
    path = saved(layer(), tmp_path)
    found = search(path, sizes(2), ("x", 1), "y", None)
    assert found is not None and found.output_axis is None and check(found, path).ok
    features = search(path, [({"x": Spec((1, 2, 4))}, [[1, 0, 2, 3]])], ("x", 2), "y", 2)
    assert features is not None and check(features, path).ok


def test_a_faulty_operator_would_be_a_false_counterexample(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test above could not fail: with a wrong Softmax the order-blind layer is refuted."""
    right = evaluate.OPERATORS["Softmax"]

    def wrong(c: Any) -> Any:
        found = np.array(right(c))
        found[..., 0] = found[..., 0] + arb(1) / 2**40
        return found

    path = saved(layer(), tmp_path)
    monkeypatch.setitem(evaluate.OPERATORS, "Softmax", wrong)
    assert search(path, sizes(2), ("x", 1), "y", 1) is not None


def test_sums_that_wrap_around_refute_nothing(tmp_path: Path) -> None:
    """A running sum of int32 that the model multiplies by 2^32, which is 0, would refute a model
    that gives its input."""
    model = onnx.parser.parse_model("""<ir_version: 9, opset_import: ["" : 18]>
        g (int32[n] x) => (int32[n] y) <int32 b = {65536}, int64 z = {0}> {
            c = CumSum (x, z)
            c1 = Mul (c, b)
            c2 = Mul (c1, b)
            y = Add (x, c2)
        }""")
    path = saved(model, tmp_path)
    cases = [({"x": Spec((2,), "integer", 0, 7)}, [[1, 0]])]
    assert search(path, cases, ("x", 0), "y", 0) is None
    assert {r.answer for r in decide(path, axis="x:0").results} == {"unknown"}


def test_overlapping_balls_say_nothing(tmp_path: Path) -> None:
    """Two balls with a common point would count as different."""
    one, near, far = boxed([arb(1, 0.5)], (1,)), boxed([arb(2, 0.5)], (1,)), boxed([arb(3)], (1,))
    assert disjoint(one, near) is None and disjoint(one, one) is None
    found = disjoint(one, far)
    assert found is not None and found[0] == (0,) and found[1][1] < found[2][0]
    nothing = boxed([arb("nan")], (1,))
    assert disjoint(nothing, far) is None and disjoint(far, nothing) is None


def test_what_is_undecided_says_nothing(tmp_path: Path) -> None:
    """A comparison that balls leave open would end the search, or be taken for a difference."""
    path = saved(of_text("""g (float[n] x) => (float[n] y) {
        e = Exp (x)
        l = Log (e)
        b = Less (x, l)
        y = Cast <to = 1> (b)
    }"""), tmp_path)  # fmt: skip
    assert search(path, [({"x": Spec((2,))}, [[1, 0]])], ("x", 0), "y", 0) is None


def test_deep_models_are_given_more_bits(tmp_path: Path) -> None:
    """A model that widens its balls beyond 128 bits would never be refuted; or the file would not
    say with how many bits it is replayed."""
    steps = "\n".join(f"a{k + 1} = Exp (s{k})\n s{k + 1} = Log (a{k + 1})" for k in range(3))
    lost = "t = Mul (s3, big)\n u = Sin (t)\n c = CumSum (u, axis)\n y = Identity (c)"
    held = numpy_helper.from_array(np.array(2.0**140), "big")
    axis = numpy_helper.from_array(np.array(0), "axis")
    text = f"g (double[n] s0) => (double[n] y) {{ {steps}\n {lost} }}"
    path = saved(of_text(text, held, axis), tmp_path)
    found = search(path, [({"s0": Spec((2,))}, [[1, 0]])], ("s0", 0), "y", 0)
    assert found is not None and found.bits == 256 and check(found, path).ok


def test_mistakes_have_one_line(tmp_path: Path) -> None:
    """A wrong axis, output or operator would give a traceback, or no answer."""
    path = saved(layer(), tmp_path)
    for axis, output, output_axis in ((("x", 3), "y", 1), (("z", 1), "y", 1), (("x", 1), "z", 1),
                                      (("x", 1), "y", 2), (("x", 1), "y", 3)):  # fmt: skip
        with pytest.raises(BadModel):
            search(path, sizes(2), axis, output, output_axis)
    random = of_text("g (float[n] x) => (float[n] y) { y = RandomNormalLike (x) }")
    with pytest.raises(UnsupportedOperator, match="RandomNormalLike"):
        search(saved(random, tmp_path), [({"x": Spec((2,))}, [[1, 0]])], ("x", 0), "y", 0)
