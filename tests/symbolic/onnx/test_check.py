"""The check of a translation: what it confirms, what it rejects, and when it cannot tell."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from tests.symbolic.onnx.one_operator import floats, graph

from orderproof.symbolic.onnx import check as checking  # isort: skip
from orderproof.symbolic.onnx import operators, reader as reading  # isort: skip
from orderproof.symbolic.onnx.arrays import Evaluator  # isort: skip
from orderproof.symbolic.onnx.check import (  # isort: skip
    Comparison,
    check,
    compared,
    doubt,
    extent,
    magnitudes,
)
from orderproof.symbolic.onnx.graph import Graph, Unsupported  # isort: skip
from orderproof.symbolic.onnx.load import load  # isort: skip
from orderproof.symbolic.onnx.reader import Reader, read  # isort: skip
from orderproof.symbolic.onnx.run import Runner  # isort: skip
from orderproof.symbolic.onnx.samples import ids, random_weights, sample_sizes  # isort: skip
from orderproof.symbolic.onnx.values import Realised, Refused  # isort: skip
from tests.models.files import model_file  # isort: skip
from tests.symbolic.onnx.planted import LINEAR, PLANTED, Patch, X, after, method, times  # isort: skip

del operators  # it registers what reads them


def checked(g: Graph, **used: Any) -> tuple[Reader, list[Comparison]]:
    """The reader of a graph along n, and the comparisons of its output y; with values that are
    planted as if the reading had looked at them."""
    runner = Runner(g)
    axes = ((name, t.dims.index("n")) for name, t in g.inputs.items() if "n" in t.dims)
    sizes = {"b": 2, "n": 5}
    reader, _ = read(g, next(axes, None), evaluate=lambda n: runner.constants_at([n], sizes)[n])
    reader.used.update(used)
    value: Any = reader.values["y"]
    if isinstance(value, Refused):
        raise Unsupported(value.reason)
    return reader, check(reader, Realised(reader.atoms), runner, {"y": value})


def why(g: Graph, **used: Any) -> str:
    """Why the reading of y is in doubt."""
    return doubt(*checked(g, **used), ["y"])


def problem(g: Graph) -> str:
    """Why the reading of y is in doubt, or cannot be made."""
    try:
        return why(g)
    except Unsupported as error:
        return f"construction: {error}"


@pytest.mark.parametrize(("name", "model", "patch"), PLANTED, ids=[name for name, *_ in PLANTED])
def test_planted_fault_is_seen(
    name: str, model: Graph, patch: Patch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This fault of the translator would end in a wrong theorem; and its model, read rightly, must
    be confirmed."""
    assert why(model) == ""
    patch(monkeypatch)
    assert problem(model) != ""


def test_a_right_reading_is_confirmed() -> None:
    """Nothing would ever be proved."""
    reader, found = checked(LINEAR)
    assert doubt(reader, found, ["y"]) == ""
    assert len({tuple(c.sizes.items()) for c in found}) >= 3
    assert {c.random_weights for c in found} == {False, True}


@pytest.mark.parametrize("factor", [1.001, 0.999])
def test_a_relative_fault_of_a_thousandth_is_seen(
    factor: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tolerances would hide what is not rounding."""
    after("MatMul", times(factor))(monkeypatch)
    assert "error" in why(LINEAR)


def test_nothing_compared_is_a_doubt() -> None:
    """A model that onnxruntime does not run would count as confirmed, or a term without a value
    agree with all."""
    reader, found = checked(LINEAR)
    for few, outputs in (([], ["y"]), (found[:2], ["y"]), (found, ["y", "z"])):
        assert "at no two sizes" in doubt(reader, few, outputs)
    assert not Comparison({"n": 3}, 0, False, float("nan"), 1.0, 1.0, output="y").agrees


@pytest.mark.parametrize(
    ("nodes", "said"),
    [
        ("y = Sub(x, x)", "(all entries are 0)"),
        ("d = Sub(x, x) y = Exp(d)", "(the output does not change with the input)"),
        ("y = Add(x, thousand)", "(the tolerance is wide beside the entries)"),
    ],
)
def test_a_comparison_that_can_hardly_fail_confirms_nothing(nodes: str, said: str) -> None:
    """An output that no input changes, or of which rounding hides what the input changes, would
    count as compared."""
    assert why(graph(nodes, X, thousand=1000.0)).endswith(said)


@pytest.mark.parametrize("other", [np.nan, -np.inf, 1.0])
def test_entries_that_are_not_finite_are_compared(other: float) -> None:
    """A term would agree that is NaN, −∞ or a number where the model is ∞."""
    g = graph("y = Div(x, w)", w=np.float32([0, 1, 2]))
    reader, _ = read(g)
    ran = Runner(g).run({"x": 1 + floats((5, 3)) ** 2}, ["x", "w", "y"])
    for first, agrees in ((np.inf, True), (other, False)):
        ran["y"][:, 0] = first
        run, value = ran.__getitem__, reader.values["y"]
        at = Comparison({"n": 5}, 0, False, output="y")
        assert compared(reader, Realised(reader.atoms), value, run, at).agrees is agrees


def test_sizes_are_primes_unlike_fixed_dimensions() -> None:
    """x + xᵀ at n = d would look like a sum of two dimensions of one size, and an axis of length d
    like the axis in question."""
    reader, _ = read(graph("y = MatMul(x, w)", "float[b, n, 7] x", w=(7, 11)))
    found = sample_sizes(reader, {}, 5)
    assert len(found) == 5
    assert not {7, 11} & {s for sizes in found for s in sizes.values()}
    assert all(sizes["b"] != sizes["n"] for sizes in found)
    assert any(sizes["n"] > 64 for sizes in found)


def _as_at_seven(role: str, value: Any) -> Any:
    small = role == "input" or not value.size or value.ndim < 2 or value.shape[-1] < 65
    return value if small else np.broadcast_to(value[..., :1, :1], value.shape)


def _first_row(role: str, value: Any) -> Any:
    table = role != "input" and value.ndim == 2 and value.shape[0] > 40
    return np.broadcast_to(value[:1], value.shape) if table else value


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [("window_64", _as_at_seven, "n = 71"), ("positions_equal_rows_40", _first_row, "error")],
)
def test_a_constant_that_is_one_at_small_sizes_alone_is_seen(
    name: str, change: Any, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A window of 64 would be read as no window at all, or a table whose first rows are equal be
    taken for one row."""
    g = load(model_file(f"{name}.onnx"))
    assert why(g) == ""
    old = Evaluator.leaf
    monkeypatch.setattr(Evaluator, "leaf", lambda self, leaf: change(leaf.role, old(self, leaf)))
    assert said in why(g)


def test_a_branch_that_captures_the_input_is_no_constant(monkeypatch: pytest.MonkeyPatch) -> None:
    """An If whose condition is known would be taken for a constant of the model, whatever its
    branches use: without a reading of If it is refused, not evaluated."""
    both = ", ".join(
        f"{k}_branch = {k} () => (float {k}s) {{ {k}s = ReduceSum<keepdims = 0>(x) }}"
        for k in ("then", "else")
    )
    g = graph(f"s = If(t) <{both}> y = Add(x, s)", X, t=True)
    runner = Runner(g)
    zeros = {"x": np.zeros((3, 5, 4), np.float32)}
    monkeypatch.delitem(reading.OPERATORS, "If")
    reader, _ = read(g, None, evaluate=lambda n: runner.run(zeros, [n])[n])
    assert isinstance(reader.values["y"], Refused) and "If" in reader.values["y"].reason


@pytest.mark.parametrize(
    ("nodes", "used", "said"),
    [
        ("s = ReduceSum<keepdims = 0>(x) y = Add(x, s)", {"s": np.zeros((), np.float32)},
         "s depends on the values"),
        ("s = Shape<start = 1, end = 2>(x) f = Cast<to = 1>(s) y = Mul(x, f)",
         {"f": np.float32([5])}, "f depends on the sizes"),
    ],
)  # fmt: skip
def test_what_was_taken_for_constant_and_is_not_is_seen(
    nodes: str, used: dict[str, Any], said: str
) -> None:
    """A captured input, or what was looked at at one size, would be taken for a constant."""
    assert said in why(graph(nodes, X), **used)


def test_a_constant_of_another_shape_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its numbers alone would be compared, or there is a traceback."""
    monkeypatch.setitem(reading.CONSTANT, "Squeeze", lambda r, c, args: args[0])
    nodes = "s = Shape<end = 1>(x) q = Squeeze(s) f = Cast<to = 1>(q) y = Mul(x, f)"
    assert "has the shape (), read as (1,)" in why(graph(nodes, X))


def test_a_dimension_that_equals_another_at_some_sizes_is_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A reading that holds only where n is 4 could be confirmed."""

    def swapped(old: Any, r: Any, x: Any, y: Any) -> Any:
        found = old(r, x, y)
        return r.permute(found, [0, 2, 1]) if len(found.dims) == 3 else found

    method("matmul", swapped)(monkeypatch)
    assert "shape" in why(LINEAR)


def test_ids_are_rows_of_the_table() -> None:
    """Embeddings would be asked for rows that they lack, or two rows alone."""
    g = graph("y = Gather(w, i)", "int64[n] i", w=(30, 4))
    reader, found = checked(g)
    assert ids(reader, {"n": 5}) == {"i": (0, 29)} and doubt(reader, found, ["y"]) == ""


def test_random_weights_keep_what_must_be_kept() -> None:
    """Variances would be negative, masks finite, or vectors of zeros stay."""
    old = {
        "zeros": np.zeros(5, np.float32), "variance": np.ones(5, np.float32),
        "weights": floats((4, 4)), "mask": np.array([0, -np.inf, 0], np.float32),
        "whole": np.arange(4),
    }  # fmt: skip
    new = random_weights(old, 3)
    assert set(new) == {"zeros", "variance", "weights"}
    assert np.min(new["variance"]) > 0 and not np.array_equal(new["zeros"], old["zeros"])
    assert set(random_weights(old, 3, few=True)) == {"zeros", "variance"}
    assert "zeros" not in random_weights(old, 3, {"zeros": 0})


def test_huge_entries_do_not_widen_the_tolerance_of_others() -> None:
    """−10⁹ of a mask would hide an error of 1 in the scores beside it."""
    values = np.array([0.5, -2.0, -1e9, 0.0, -1e9 + 1])
    huge, rest = magnitudes(values)
    assert huge.tolist() == [False, False, True, False, True]
    assert (huge | rest).all()
    assert len(magnitudes(values[:2])) == 1


def _deep(layers: int, width: int) -> Graph:
    """Residual layers of a normalisation and two products."""
    nodes = " ".join(
        f"a{k} = LayerNormalization(x{k}, g) b{k} = MatMul(a{k}, u{k}) c{k} = Relu(b{k}) "
        f"d{k} = MatMul(c{k}, v{k}) x{k + 1} = Add(x{k}, d{k})"
        for k in range(layers)
    )
    inner = {f"u{k}": floats((width, 4 * width), k) / width**0.5 for k in range(layers)}
    outer = {f"v{k}": floats((4 * width, width), 9 + k) / width for k in range(layers)}
    text = f"{nodes} y = Identity(x{layers})"
    return graph(text, f"float[n, {width}] x0", g=np.ones(width, np.float32), **inner, **outer)


def test_a_large_model_is_checked_in_32_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """A large model would need its weights twice, or its faults be missed."""
    g = _deep(4, 64)
    usual = checked(g)[1]
    assert extent(usual) == f"{len(usual)} comparisons with onnxruntime" and len(usual) > 4
    monkeypatch.setattr(checking, "ALL_WORK", 1000)  # two sizes, in 64 bits
    assert extent(checked(g)[1]) == "4 comparisons with onnxruntime, at 2 sizes"
    monkeypatch.setattr(checking, "WORK", 1000)
    monkeypatch.setattr(checking, "MANY", 1000)
    reader, found = checked(g)
    assert doubt(reader, found, ["y"]) == "" and len(found) == 2
    assert extent(found) == "2 comparisons with onnxruntime, at 2 sizes, in 32 bits alone"
    assert max(c.error / c.tolerance for c in found) < 0.5
    after("Relu", times(1.001))(monkeypatch)
    assert "error" in why(g)


def _threads() -> set[int]:
    return {lib["num_threads"] for lib in threadpool_info() if lib["user_api"] == "blas"}


def test_terms_are_evaluated_in_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads that wait for each other would take most of the time where a machine is shared, or
    those of a user's own program would be one after it."""
    seen, compared = [], checking.compared
    monkeypatch.setattr(
        checking, "compared", lambda *a, **k: seen.append(_threads()) or compared(*a, **k)
    )
    with threadpool_limits(2, "blas"):
        if _threads() != {2}:
            pytest.skip("NumPy is without a BLAS that can be limited")
        assert why(LINEAR) == "" and _threads() == {2}
    assert seen and all(threads == {1} for threads in seen)
