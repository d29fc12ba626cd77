"""Why outputs differ under a permutation: what is told, and what is not, with faults planted."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="the extra `onnx` is missing")
pytest.importorskip("onnxruntime", reason="the extra `onnx` is missing")
pytest.importorskip("flint", reason="the extra `onnx` is missing")

from flint import arb  # noqa: E402
from onnx import helper, numpy_helper  # noqa: E402

from orderproof.numeric.drift import drift as whole  # noqa: E402
from orderproof.numeric.drift import enclosed, sums  # noqa: E402
from orderproof.numeric.drift.drift import Drift, drift  # noqa: E402
from orderproof.numeric.drift.enclosed import Span  # noqa: E402
from orderproof.numeric.drift.proof import Proof, _closure, holds  # noqa: E402
from orderproof.symbolic.witness.model.enclosure import ends  # noqa: E402
from orderproof.symbolic.witness.model.file import dumps, parse  # noqa: E402
from orderproof.symbolic.witness.model.replay import check  # noqa: E402
from tests.symbolic.onnx.making import made, saved, value  # noqa: E402

MODELS = Path(__file__).parents[2] / "models"
X = np.random.default_rng(0).normal(size=(1, 5, 4)).astype(np.float32)
EVALUATE = enclosed.evaluate


def asked(model: Path | str, folder: Path, x: Any = X, **options: Any) -> Drift:
    """The answer about a model of the bank, or a file, with one input."""
    np.save(folder / "x.npy", x)
    path = MODELS / f"{model}.onnx" if isinstance(model, str) else model
    return drift(path, [str(folder / "x.npy")], **options)


def unproved(monkeypatch: pytest.MonkeyPatch, **given: Any) -> None:
    """`decide` proves nothing, or what is given."""
    found = Proof(given.get("answer", "unknown"), "all n", given.get("axes"))
    monkeypatch.setattr(whole, "proof", lambda *_: found)


# ------------------------------------------------------------------------------------- rounding
def test_an_equivariant_encoder_rounds(tmp_path: Path) -> None:
    """A correct model would be called wrong; or a distance would be no enclosure of it."""
    d = asked("encoder_post_norm", tmp_path)
    assert (d.answer, d.status, d.proof.answer, d.output_axes) == (
        "rounding",
        0,
        "equivariant",
        (1,),
    )
    assert d.distances is not None and d.difference is not None
    one, other = d.distances
    assert one.high is not None and other.high is not None
    assert 0 < d.difference <= one.high + other.high < Fraction(1, 10**5)
    assert all(0 < s.low <= (s.high or 0) < s.low * (1 + Fraction(1, 10**20)) for s in d.distances)


def test_an_invariant_model_rounds(tmp_path: Path) -> None:
    """What pools its tokens would be compared as if its output had some."""
    d = asked("pool_mean", tmp_path)
    assert (d.answer, d.proof.answer, d.output_axes) == ("rounding", "invariant", ())


def test_a_badly_conditioned_model_still_rounds(tmp_path: Path) -> None:
    """A large difference would be taken for a fault, though every one of it is of floats."""
    nodes = [
        helper.make_node("Add", ["x", "far"], ["a"]),
        helper.make_node("ReduceMean", ["a"], ["m"], axes=[1], keepdims=1),
        helper.make_node("Sub", ["a", "m"], ["c"]),
        helper.make_node("Mul", ["c", "large"], ["y"]),
    ]
    constants = {"far": np.float32([1e5]), "large": np.float32([1e5])}
    shape = ("b", "n", 4)
    model = made(nodes, [value("x", shape)], [value("y", shape)], constants)
    x = np.random.default_rng(1).normal(size=(1, 9, 4)).astype(np.float32)
    d = asked(saved(model, tmp_path), tmp_path, x)
    assert d.answer == "rounding"
    assert d.difference is not None and d.difference > 100


def test_what_is_not_proved_is_not_said_to_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That the true values agree at one input would pass for a theorem."""
    unproved(monkeypatch)
    d = asked("encoder_post_norm", tmp_path)
    assert d.answer == "rounding" and not d.proof.covers and d.to_json()["proved"] is None
    assert d.gap is not None and d.gap.high is not None and d.gap.high < Fraction(1, 10**30)
    assert d.summation is not None and d.summation.orders == 1  # σ alone: others may change more


@pytest.mark.slow
def test_a_permutation_of_the_group_rounds_and_another_does_not(tmp_path: Path) -> None:
    """A theorem about some permutations would be used for all."""
    inside = asked("alibi", tmp_path, sigma="5,4,3,2,1")
    outside = asked("alibi", tmp_path, sigma="2,1,3,4,5")
    assert inside.answer == "rounding" and inside.proof.covers
    assert outside.answer == "not rounding" and not outside.proof.covers


def test_inputs_that_move_along(tmp_path: Path) -> None:
    """A mask would stay where it is, and its model be called wrong; or a theorem about a mask that
    moves would be used where it does not."""
    mask = np.random.default_rng(0).normal(size=(5, 5)).astype(np.float32)
    np.save(tmp_path / "mask.npy", mask)
    np.save(tmp_path / "x.npy", X)
    files = [f"x={tmp_path / 'x.npy'}", f"mask={tmp_path / 'mask.npy'}"]
    path = MODELS / "mask_added.onnx"
    moved = drift(path, files, "x:1", ["mask:0", "mask:1"])
    assert moved.answer == "rounding" and moved.proof.covers
    still = drift(path, files, "x:1")
    assert still.answer == "not rounding" and not still.proof.covers


# --------------------------------------------------------------------------------- not rounding
def test_positions_are_no_rounding_and_replay(tmp_path: Path) -> None:
    """A model that sees the order would be excused; or the file about it would not hold."""
    d = asked("positions_learned", tmp_path)
    assert (d.answer, d.status, d.output_axes) == ("not rounding", 1, (1,))
    assert d.gap is not None and d.gap.low > 1 and d.witness is not None
    text = dumps(d.witness).encode()
    assert check(parse(text, "file"), MODELS / "positions_learned.onnx").ok


def scaled_table(folder: Path, factor: float) -> Path:
    """The model with learned positions, its table scaled."""
    model = onnx.load(MODELS / "positions_learned.onnx")
    for t in model.graph.initializer:
        if t.name == "fixed_table":
            table = numpy_helper.to_array(t) * np.float32(factor)
            t.CopyFrom(numpy_helper.from_array(table, t.name))
    return saved(model, folder)


@pytest.mark.parametrize("factor", [1e-6, pytest.param(1e-12, marks=pytest.mark.slow)])
def test_a_true_difference_that_looks_like_floats(tmp_path: Path, factor: float) -> None:
    """A table of positions would be taken for rounding because it is small: as small as 1e-6, and
    smaller than any float32 shows."""
    d = asked(scaled_table(tmp_path, factor), tmp_path)
    assert d.answer == "not rounding" and d.output_axes == (1,)
    assert d.difference is not None and 0 < d.difference < 1e-4
    assert d.gap is not None and factor / 10 < d.gap.low < 10 * factor


@pytest.mark.slow
def test_without_its_table_the_same_model_rounds(tmp_path: Path) -> None:
    """The twin of the test above: its answer would not be due to the table."""
    assert asked(scaled_table(tmp_path, 0), tmp_path).answer == "rounding"


def test_the_output_axis_that_is_named_is_taken(tmp_path: Path) -> None:
    """An equivariant model would be called wrong, or right, about another claim than was asked."""
    d = asked("encoder_post_norm", tmp_path, output_axis="none")
    assert d.answer == "not rounding" and not d.proof.covers


# ---------------------------------------------------------------------------------- cannot tell
def logistic(folder: Path, steps: int) -> Path:
    """4 x (1 − x) many times: each step doubles the radius of a ball."""
    nodes, last = [], "x"
    for k in range(steps):
        nodes += [
            helper.make_node("Sub", ["one", last], [f"a{k}"]),
            helper.make_node("Mul", [last, f"a{k}"], [f"b{k}"]),
            helper.make_node("Mul", [f"b{k}", "four"], [f"c{k}"]),
        ]
        last = f"c{k}"
    nodes.append(helper.make_node("ReduceSum", [last, "axis"], ["y"], keepdims=0))
    constants = {"one": np.float32(1), "four": np.float32(4), "axis": np.int64([0])}
    return saved(made(nodes, [value("x", ("n",))], [value("y", ())], constants), folder)


POINTS = np.float32([0.125, 0.3, 0.7, 0.9, 0.45])


@pytest.mark.slow
def test_balls_that_are_too_wide_tell_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Balls that hold everything would be taken for agreement."""
    unproved(monkeypatch, axes=None)
    few = asked(logistic(tmp_path, 100), tmp_path, POINTS, output_axis="none", bits=64)
    assert few.answer == "rounding" and few.bits > 64  # more bits were taken
    many = asked(logistic(tmp_path, 350), tmp_path, POINTS, output_axis="none", bits=64)
    assert many.answer == "cannot tell" and many.status == 3 and "enclosures" in many.reason


@pytest.mark.slow
def test_what_is_proved_does_not_make_a_distance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without bounds, floats that are far from the truth would pass for near it."""
    unproved(monkeypatch, answer="invariant", axes=())
    many = asked(logistic(tmp_path, 350), tmp_path, POINTS, bits=64)
    assert many.answer == "cannot tell" and many.proof.covers and "no bounds" in many.reason


def test_what_has_no_enclosure_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An operator that the evaluator lacks, a choice that it cannot make, or a size beyond it would
    be a traceback, or an answer."""
    own = helper.make_node("Gelu", ["x"], ["y"], domain="com.microsoft")
    shapes = [value("x", ("n",))], [value("y", ("n",))]
    path = saved(made([own], *shapes, domains=["com.microsoft"]), tmp_path)
    lacking = asked(path, tmp_path, POINTS)
    assert lacking.answer == "cannot tell" and "Gelu" in lacking.reason
    names = {"Exp": "xe", "Log": "el", "Floor": "ly"}
    nodes = [helper.make_node(op, [a], [b]) for op, (a, b) in names.items()]
    path = saved(made(nodes, *shapes), tmp_path)
    choice = asked(path, tmp_path, np.float32([1, 2, 3, 4, 5]))
    assert choice.answer == "cannot tell" and "Floor" in choice.reason
    monkeypatch.setattr(whole, "LARGEST", 10)
    large = asked("encoder_post_norm", tmp_path)
    assert large.answer == "cannot tell" and "too large" in large.reason
    assert large.distances is None and large.overlap is None and large.proof.covers


def test_floats_that_are_not_finite(tmp_path: Path) -> None:
    """NaN would be a distance, or no difference."""
    nodes = [helper.make_node("Exp", ["x"], ["e"]), helper.make_node("Sub", ["e", "e"], ["y"])]
    path = saved(made(nodes, [value("x", ("n",))], [value("y", ("n",))]), tmp_path)
    d = asked(path, tmp_path, np.float32([100, 1, 2]))
    assert d.answer == "cannot tell" and "not finite" in d.reason and d.difference is None


# ------------------------------------------------------------------------------- planted faults
def middles(*args: Any) -> dict[str, Any]:
    """The evaluator with every radius lost."""
    found = EVALUATE(*args)
    return {k: np.frompyfunc(lambda b: arb(b.mid()), 1, 1)(v) for k, v in found.items()}


@pytest.mark.parametrize("known", [True, False])
def test_an_enclosure_without_its_radius_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, known: bool
) -> None:
    """Rounding of the evaluator itself would pass for a true difference, of a correct model."""
    if not known:
        unproved(monkeypatch)
    monkeypatch.setattr(enclosed, "evaluate", middles)
    d = asked("encoder_post_norm", tmp_path)
    assert d.answer == "cannot tell" and "fault" in d.reason


def test_a_theorem_against_an_enclosure_tells_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two that contradict each other one would be believed."""
    unproved(monkeypatch, answer="equivariant", axes=(1,))
    d = asked("positions_learned", tmp_path)
    assert d.answer == "cannot tell" and "at fault" in d.reason and d.witness is None


def test_distances_that_do_not_explain_the_difference_are_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A distance that is too small would still be printed as the reason."""
    none = Span(Fraction(0), Fraction(0))
    monkeypatch.setattr(whole, "distance", lambda *_: none)
    d = asked("encoder_post_norm", tmp_path)
    assert d.answer == "cannot tell" and "fault" in d.reason


def test_scopes_and_conditions_hold_or_are_not_used() -> None:
    """A theorem up to n = 8 would be used at n = 9, or under a condition that nobody understood."""
    sizes = {"n": 8, "m": 8}
    assert all(holds(t, sizes) for t in ("all n", "n <= 8", "n = 8", "n = m", "8 = n"))
    refused = ("n <= 7", "n = 7", "k <= 8", "2 divides n", "", "n < 9", "a x = b", "m + 1 <= n")
    assert not any(holds(t, sizes) for t in refused)
    assert _closure([(1, 2, 0)], 3) == {(0, 1, 2), (1, 2, 0), (2, 0, 1)}


def test_a_theorem_up_to_a_size_is_used_up_to_it(tmp_path: Path) -> None:
    """The table of eight positions bounds the batch's theorem's other axis: it would not be used
    where it holds."""
    x = np.random.default_rng(0).normal(size=(3, 5, 4)).astype(np.float32)
    d = asked("positions_learned", tmp_path, x, axis="x:0")
    assert d.answer == "rounding" and d.proof.covers


# ------------------------------------------------------------------------------------ summation
def test_sums_in_float64_take_the_difference_away(tmp_path: Path) -> None:
    """That order is all of it would be said of what was not measured."""
    d = asked("encoder_post_norm", tmp_path)
    s = d.summation
    assert s is not None and s.orders == 8 and s.wide is not None and d.difference is not None
    assert s.as_is >= d.difference > 0 and s.wide < s.as_is / 4
    assert s.nodes["MatMul"] == 5 and s.left == () and s.last is None


def test_what_is_not_a_sum_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With no operator widened it would be said that float64 changes something."""
    monkeypatch.setattr(sums, "SUMS", set())
    s = asked("encoder_post_norm", tmp_path).summation
    assert s is not None and s.wide is None and "no sums" in s.reason


def summed(folder: Path, op: str) -> Path:
    """The sum, or mean, of squares over the tokens."""
    nodes = [helper.make_node("Mul", ["x", "x"], ["s"])]
    if op == "ReduceSum":
        nodes.append(helper.make_node(op, ["s", "axis"], ["y"], keepdims=0))
    else:
        nodes.append(helper.make_node(op, ["s"], ["y"], axes=[1], keepdims=1))
    shape = ("b", 4) if op == "ReduceSum" else ("b", 1, 4)
    inputs, outputs = [value("x", ("b", "n", 4))], [value("y", shape)]
    return saved(made(nodes, inputs, outputs, {"axis": np.int64([1])}), folder)


@pytest.mark.parametrize("op", ["ReduceSum", "ReduceMean"])
def test_the_order_of_a_last_sum_is_bounded(tmp_path: Path, op: str) -> None:
    """A bound would be below what is seen; or it would be of other terms."""
    x = np.random.default_rng(3).normal(size=(1, 400, 4)).astype(np.float32)
    path = summed(tmp_path, op)
    for seed in range(2):
        d = asked(path, tmp_path, x, axis="x:1", seed=seed)
        assert d.answer == "rounding" and d.summation is not None and d.difference is not None
        last = d.summation.last
        assert last is not None and last.same_terms and last.terms == 400
        assert d.difference <= last.bound and 0 < last.measured <= last.bound
        assert d.difference > last.bound / 10**4  # it is no idle bound


def test_a_sum_over_features_is_no_sum_over_tokens(tmp_path: Path) -> None:
    """The order of tokens would be said to change a sum that they have no part in."""
    x = np.random.default_rng(3).normal(size=(1, 4, 4)).astype(np.float32)
    nodes = [helper.make_node("ReduceSum", ["x", "axis"], ["y"], keepdims=0)]
    shapes = [value("x", ("b", "n", 4))], [value("y", ("b", "n"))]
    path = saved(made(nodes, *shapes, {"axis": np.int64([2])}), tmp_path)
    d = asked(path, tmp_path, x, axis="x:1")
    assert d.summation is not None and d.summation.last is None


# --------------------------------------------------------------------------- what it stands upon
def test_ends_of_balls_without_bounded_exponents() -> None:
    """A ball of 2^(2^70), or of its inverse, would be written out as a fraction, in any memory."""
    far = arb(2)
    for _ in range(70):
        far = far * far
    assert far.is_finite() and (1 / far).is_finite()
    assert ends(far) is None and ends(-far) is None and ends(arb(float("inf"))) is None
    low, high = ends(1 / far) or (0, 0)
    assert -Fraction(1, 2**4000) < low <= 0 < high < Fraction(1, 2**4000)
    assert ends(arb(0)) == (0, 0) and ends(arb(3) / 4) == (Fraction(3, 4), Fraction(3, 4))
    low, high = ends(arb(1) / 3) or (0, 0)
    assert low < Fraction(1, 3) < high and high - low < Fraction(1, 10**10)


def test_a_bias_without_axes(tmp_path: Path) -> None:
    """Gemm with beta 0 and a number as its bias would be a traceback."""
    node = helper.make_node("Gemm", ["x", "w", "c"], ["y"], beta=0.5)
    shapes = [value("x", ("n", 2))], [value("y", ("n", 3))]
    constants = {"w": np.ones((2, 3), np.float32), "c": np.array(3, np.float32)}
    d = asked(saved(made([node], *shapes, constants), tmp_path), tmp_path, X[0, :, :2])
    assert d.answer == "rounding" and d.distances is not None
    assert d.distances[0].high is not None and d.distances[0].high < Fraction(1, 10**5)
