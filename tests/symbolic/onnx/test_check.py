"""The check of a translation: what it confirms, what it rejects, and when it cannot tell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

onnx = pytest.importorskip("onnx", reason="the extra orderproof[onnx] is not installed")
pytest.importorskip("onnxruntime", reason="the extra orderproof[onnx] is not installed")

from orderproof.symbolic.onnx import check as checking  # noqa: E402
from orderproof.symbolic.onnx import reader as reading  # noqa: E402
from orderproof.symbolic.onnx.check import Comparison, check, compared, doubt, extent, magnitudes  # noqa: E402  # noqa: E402
from orderproof.symbolic.onnx.decide import decide  # noqa: E402
from orderproof.symbolic.onnx.graph import Graph  # noqa: E402
from orderproof.symbolic.onnx.load import load  # noqa: E402
from orderproof.symbolic.onnx.reader import Reader, read  # noqa: E402
from orderproof.symbolic.onnx.run import Runner  # noqa: E402
from orderproof.symbolic.onnx.samples import ids, random_weights, sample_sizes  # noqa: E402
from orderproof.symbolic.onnx.values import Realised, Refused, Tensor  # noqa: E402
from tests.symbolic.onnx.one_operator import floats, graph, node  # noqa: E402
from tests.symbolic.onnx.planted import SQUARE, X, _times, after, method  # noqa: E402

BANK = Path(__file__).parents[2] / "models"


def read_as(reader: Reader, *names: str) -> dict[str, Tensor]:
    """Tensors of a graph that were read, by their names."""
    return {n: v for n in names if isinstance(v := reader.values[n], Tensor)}


def checked(g: Graph, evaluate: Any = None, outputs: Any = None) -> tuple[Any, list[Comparison]]:
    """The reader of a graph, and the comparisons of its output y."""
    runner = Runner(g)
    known = evaluate or (lambda n: runner.constants_at([n], {"b": 2, "n": 5})[n])
    reader, _ = read(g, None, evaluate=known)
    return reader, check(
        reader, Realised(reader.atoms), runner, read_as(reader, *(outputs or ["y"]))
    )


def why(g: Graph, evaluate: Any = None) -> str:
    """Why the reading of y is in doubt."""
    reader, found = checked(g, evaluate)
    return doubt(reader, found, ["y"])


LINEAR = graph([node("MatMul", "x w", "y")], X, {"w": SQUARE})


def test_a_right_reading_is_confirmed() -> None:
    """Were it to fail, nothing would ever be proved."""
    reader, found = checked(LINEAR)
    assert doubt(reader, found, ["y"]) == ""
    assert len({tuple(c.sizes.items()) for c in found}) >= 3
    assert {c.random_weights for c in found} == {False, True}


@pytest.mark.parametrize("factor", [1.001, 0.999])
def test_a_relative_fault_of_a_thousandth_is_seen(
    factor: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Were it to fail, tolerances would hide what is not rounding."""
    after("MatMul", _times(factor))(monkeypatch)
    assert "error" in why(LINEAR)


def test_nothing_compared_is_a_doubt() -> None:
    """Were it to fail, a model that onnxruntime does not run would count as confirmed."""
    reader, found = checked(LINEAR)
    assert "at no two sizes" in doubt(reader, [], ["y"])
    assert "at no two sizes" in doubt(reader, found[:2], ["y"])
    assert "at no two sizes" in doubt(reader, found, ["y", "z"])


def test_nan_is_no_agreement() -> None:
    """Were it to fail, a term without a value would agree with all."""
    c = Comparison({"n": 3}, 0, False, float("nan"), 1.0, 1.0, output="y")
    assert not c.agrees


@pytest.mark.parametrize(
    ("nodes", "said"),
    [
        ([node("Sub", "x x", "y")], "(all entries are 0)"),
        ([node("Sub", "x x", "d"), node("Exp", "d", "y")],
         "(the output does not change with the input)"),
        ([node("Add", "x thousand", "y")], "(the tolerance is wide beside the entries)"),
    ],
    ids=["zeros", "ones", "small beside what is added"],
)  # fmt: skip
def test_a_comparison_that_can_hardly_fail_confirms_nothing(nodes: list[Any], said: str) -> None:
    """Were it to fail, an output that no input changes, or of which rounding hides what the input
    changes, would count as compared."""
    assert why(graph(nodes, X, {"thousand": np.float32(1000)})).endswith(said)


@pytest.mark.parametrize("other", [np.nan, -np.inf, 1.0])
def test_entries_that_are_not_finite_are_compared(other: float) -> None:
    """Were it to fail, a term would agree that is NaN, −∞ or a number where the model is ∞."""
    g = graph([node("Div", "a w", "y")], {"a": ["n", 3]}, {"w": np.float32([0, 1, 2])})
    runner, sizes = Runner(g), {"n": 5}
    reader, _ = read(g)
    ran = runner.run({"a": 1 + floats((5, 3)) ** 2}, ["a", "w", "y"])
    for first, agrees in ((np.inf, True), (other, False)):
        ran["y"] = np.column_stack([np.full(5, first, np.float32), ran["y"][:, 1:]])
        run, value = ran.__getitem__, reader.values["y"]
        at = Comparison(sizes, 0, False, output="y")
        assert compared(reader, Realised(reader.atoms), value, run, at).agrees is agrees


def test_sizes_are_primes_unlike_fixed_dimensions() -> None:
    """Were it to fail, x + xᵀ at n = d would look like a sum of two dimensions of one size, and an
    axis of length d like the axis in question."""
    g = graph([node("MatMul", "x w", "y")], {"x": ["b", "n", 7]}, {"w": floats((7, 11))})
    reader, _ = read(g)
    found = sample_sizes(reader, {}, 5)
    assert len(found) == 5
    assert not {7, 11} & {s for sizes in found for s in sizes.values()}
    assert all(sizes["b"] != sizes["n"] for sizes in found)
    assert any(sizes["n"] > 64 for sizes in found)


def test_a_constant_that_is_one_at_small_sizes_alone_is_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Were it to fail, a window of 64 would be read as no window at all."""
    g = load(BANK / "window_64.onnx")
    runner = Runner(g)
    reader, _ = read(g, ("x", 1), evaluate=lambda n: runner.run({}, [n])[n])
    realised = Realised(reader.atoms)
    assert doubt(reader, check(reader, realised, runner, read_as(reader, "y")), ["y"]) == ""
    from orderproof.symbolic.onnx.arrays import Evaluator

    old = Evaluator.leaf

    def as_at_seven(self: Any, leaf: Any) -> Any:
        value = old(self, leaf)
        if leaf.role == "input" or not value.size or value.ndim < 2 or value.shape[-1] < 65:
            return value
        return np.broadcast_to(value[..., :1, :1], value.shape)

    monkeypatch.setattr(Evaluator, "leaf", as_at_seven)
    assert "n = 71" in doubt(reader, check(reader, realised, runner, read_as(reader, "y")), ["y"])


def test_a_table_that_differs_at_row_40_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were it to fail, a table whose first rows are equal would be taken for one row."""
    g = load(BANK / "positions_equal_rows_40.onnx")
    runner = Runner(g)
    reader, _ = read(g, ("x", 1), evaluate=lambda n: runner.run({}, [n])[n])
    realised = Realised(reader.atoms)
    assert doubt(reader, check(reader, realised, runner, read_as(reader, "y")), ["y"]) == ""
    from orderproof.symbolic.onnx.arrays import Evaluator

    old = Evaluator.leaf

    def first_row(self: Any, leaf: Any) -> Any:
        value = old(self, leaf)
        table = leaf.role != "input" and value.ndim == 2 and value.shape[0] > 40
        return np.broadcast_to(value[:1], value.shape) if table else value

    monkeypatch.setattr(Evaluator, "leaf", first_row)
    assert doubt(reader, check(reader, realised, runner, read_as(reader, "y")), ["y"]) != ""


@pytest.mark.parametrize("name", ["symmetrised", "symmetrised_fixed"])
def test_both_axes_of_a_square_are_not_one(name: str) -> None:
    """Were it to fail, x + xᵀ would be called equivariant though both of its axes were moved: the
    reading makes them one set, and the answer says so."""
    report = decide(BANK / f"{name}.onnx", axis="x:0")
    assert [r.answer for r in report.results if r.answer == "equivariant" and not r.along] == []


def _branch() -> Graph:
    """y = x plus, in both branches of an If, the sum of x: a constant of its only input."""
    body = [
        onnx.helper.make_graph(
            [onnx.helper.make_node("ReduceSum", ["x"], [f"s{k}"], keepdims=0)],
            f"branch{k}",
            [],
            [onnx.helper.make_tensor_value_info(f"s{k}", 1, [])],
        )
        for k in (0, 1)
    ]
    branch = onnx.helper.make_node("If", ["t"], ["s"], then_branch=body[0], else_branch=body[1])
    return graph([branch, node("Add", "x s", "y")], X, {"t": np.array(True)})


def test_a_branch_that_captures_the_input_is_no_constant(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were it to fail, an If whose condition is known would be taken for a constant of the model,
    whatever its branches use: without a reading of If it is refused, not evaluated."""
    from orderproof.symbolic.onnx import operators  # registers If

    assert operators
    g = _branch()
    runner = Runner(g)
    zeros = {"x": np.zeros((3, 5, 4), np.float32)}
    monkeypatch.delitem(reading.OPERATORS, "If")
    reader, _ = read(g, None, evaluate=lambda n: runner.run(zeros, [n])[n])
    assert isinstance(reader.values["y"], Refused) and "If" in reader.values["y"].reason


def test_what_was_taken_for_constant_and_is_not_is_seen() -> None:
    """Were it to fail, a captured input, or any value looked at by mistake, would pass."""
    g = graph([node("ReduceSum", "x", "s", keepdims=0), node("Add", "x s", "y")], X)
    runner = Runner(g)
    reader, _ = read(g)
    reader.used["s"] = np.zeros((), np.float32)  # planted: as if it had been looked at
    found = check(reader, Realised(reader.atoms), runner, read_as(reader, "y"))
    assert "s depends on the values" in doubt(reader, found, ["y"])


def test_a_dimension_that_equals_another_at_some_sizes_is_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Were it to fail, a reading that holds only where n is 4 could be confirmed."""

    def swapped(old: Any, r: Any, x: Any, y: Any) -> Any:
        found = old(r, x, y)
        return r.permute(found, [0, 2, 1]) if len(found.dims) == 3 else found

    method("matmul", swapped)(monkeypatch)
    assert "shape" in why(LINEAR)


def test_a_constant_that_changes_with_the_sizes_is_seen() -> None:
    """Were it to fail, what was looked at at one size would be taken for all sizes."""
    g = graph(
        [node("Shape", "x", "s", start=1, end=2), node("Cast", "s", "f", to=1),
         node("Mul", "x f", "y")], X
    )  # fmt: skip
    runner = Runner(g)
    reader, _ = read(g)
    reader.used["f"] = np.array([5], np.float32)  # planted: as if it had been looked at
    found = check(reader, Realised(reader.atoms), runner, read_as(reader, "y"))
    assert "f depends on the sizes" in doubt(reader, found, ["y"])


def test_ids_are_rows_of_the_table() -> None:
    """Were it to fail, embeddings would be asked for rows that they lack, or two rows alone."""
    g = graph([node("Gather", "w i_k", "y")], {"i_k": ["n"]}, {"w": floats((30, 4))})
    reader, _ = read(g)
    assert ids(reader, {"n": 5}) == {"i_k": (0, 29)}
    assert why(g) == ""


def test_random_weights_keep_what_must_be_kept() -> None:
    """Were it to fail, variances would be negative, masks finite, or vectors of zeros stay."""
    old = {
        "zeros": np.zeros(5, np.float32),
        "variance": np.ones(5, np.float32),
        "weights": floats((4, 4)),
        "mask": np.array([0, -np.inf, 0], np.float32),
        "whole": np.arange(4),
    }
    new = random_weights(old, 3)
    assert set(new) == {"zeros", "variance", "weights"}
    assert np.min(new["variance"]) > 0 and not np.array_equal(new["zeros"], old["zeros"])
    assert set(random_weights(old, 3, few=True)) == {"zeros", "variance"}
    assert "zeros" not in random_weights(old, 3, {"zeros": 0})


def test_huge_entries_do_not_widen_the_tolerance_of_others() -> None:
    """Were it to fail, −10⁹ of a mask would hide an error of 1 in the scores beside it."""
    values = np.array([0.5, -2.0, -1e9, 0.0, -1e9 + 1])
    huge, rest = magnitudes(values)
    assert huge.tolist() == [False, False, True, False, True]
    assert (huge | rest).all()
    assert len(magnitudes(values[:2])) == 1


def _deep(layers: int, width: int) -> Graph:
    """Residual layers of a normalisation and two products."""
    nodes: list[Any] = []
    constants: dict[str, Any] = {}
    last = "x"
    rng = np.random.default_rng(1)
    for k in range(layers):
        constants |= {
            f"g{k}": np.ones(width, np.float32),
            f"u{k}": (rng.normal(size=(width, 4 * width)) / width**0.5).astype(np.float32),
            f"v{k}": (rng.normal(size=(4 * width, width)) / width).astype(np.float32),
        }
        nodes += [
            node("LayerNormalization", f"{last} g{k}", f"a{k}"),
            node("MatMul", f"a{k} u{k}", f"b{k}"),
            node("Relu", f"b{k}", f"c{k}"),
            node("MatMul", f"c{k} v{k}", f"d{k}"),
            node("Add", f"{last} d{k}", f"e{k}" if k < layers - 1 else "y"),
        ]
        last = f"e{k}"
    return graph(nodes, {"x": ["n", width]}, constants)


def test_a_large_model_is_checked_in_32_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were it to fail, a large model would need its weights twice, or its faults be missed."""
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
    margins = [c.error / c.tolerance for c in found]
    assert max(margins) < 0.5
    after("Relu", _times(1.001))(monkeypatch)
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
