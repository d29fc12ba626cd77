"""What is read of a dynamic dimension holds at every size, the small ones and 1 included.

An operator may do something else where a dimension is short: a slice to 64 takes all of it, a
squeeze drops it, a size 1 is broadcast. What is read is compared at all sizes from 1 on at which
the reading says that it holds.
"""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="the extra orderproof[onnx] is not installed")
pytest.importorskip("onnxruntime", reason="the extra orderproof[onnx] is not installed")

from orderproof.symbolic.onnx.graph import Graph, Unsupported  # noqa: E402
from orderproof.symbolic.onnx.reader import read  # noqa: E402
from orderproof.symbolic.onnx.run import RunError, Runner  # noqa: E402
from orderproof.symbolic.onnx.values import Constant, Realised, Tensor  # noqa: E402
from tests.symbolic.onnx import operator_models as models  # noqa: E402
from tests.symbolic.onnx.one_operator import X, floats, graph, node, one, whole  # noqa: E402
from tests.symbolic.onnx.operator_cases import holds_at, value_at, with_parts  # noqa: E402
from tests.symbolic.onnx.planted import operator  # noqa: E402

SIZES = (1, 2, 3, 4, 5, 6, 8, 9)


def slices() -> list[Graph]:
    """Slices with bounds on both sides of both ends, and steps of both signs."""
    ends = (-9, -2, -1, 0, 1, 3, 2**62, -(2**62))
    return [
        one("Slice", "s e a k", {"s": whole(s), "e": whole(e), "a": whole(0), "k": whole(k)})
        for s, e, k in itertools.product(ends, ends, (1, 2, -1, -3))
    ]


def others() -> list[Graph]:
    """Operators of which the sizes decide what they do."""
    return [
        *(one("Gather", "k", {"k": np.int64(k)}, axis=0) for k in (0, 1, -1, -2)),
        *(one("Gather", "k", {"k": whole(*k)}, axis=0) for k in ((0, -1), (1, 0), (-1,))),
        *(one("Squeeze", *a) for a in ((), ("a", {"a": whole(0)}))),
        one("Squeeze", "", None, {"x": ["n", 1]}),
        *(one("Reshape", "s", {"s": whole(*s)}) for s in (
            (-1,), (0, -1), (3, -1), (-1, 1, 3), (1, -1), (-1, 3), (-1, 2), (2, -1), (0, 0, 1))),
        *(one("Flatten", axis=k) for k in (0, 1, 2, -1)),
        *(one("Expand", "s", {"s": whole(*s)}) for s in ((1,), (2, 1, 1), (4, 1), (1, 3), (5, 3))),
        *(one("Tile", "s", {"s": whole(*s)}) for s in ((1, 1), (2, 1), (3, 2))),
        *(one("Trilu", "k", {"k": np.int64(k)}, upper=u) for k in (-2, 0, 1) for u in (0, 1)),
        *(one("Add", "w", {"w": floats(s)}) for s in ((3,), (1, 3), (4, 3), (4, 1), (2, 1, 3))),
        *(one("Softmax", axis=k) for k in (0, 1)),
        *(one("Split", "s", {"s": whole(*s)}, axis=0) for s in ((4,), (5,))),
        one("Concat", "x", axis=0),
        one("Concat", "w", {"w": floats((2, 3))}, axis=0),
        one("ReduceMean", "a", {"a": whole(0)}),
        one("ReduceMax", "a", {"a": whole(0)}, keepdims=0),
        graph([node("Split", "x", "y p", axis=0, num_outputs=2)], X),
        graph([node("Split", "x", "p y", axis=0, num_outputs=2)], X),
        graph([node("Split", "x", "p q y", axis=0, num_outputs=3)], X),
        graph([node("Transpose", "x", "t"), node("MatMul", "x t", "y")], X),
        graph([node("Transpose", "x", "t"), node("Add", "x t", "y")], X),
        graph([node("Add", "x z", "y")], {"x": ["n", 3], "z": ["m", 3]}),
        graph([node("MatMul", "x z", "y")], {"x": ["n", "n"], "z": ["n", 3]}),
    ]  # fmt: skip


def computed() -> list[Graph]:
    """Sizes that the graph computes: halves, remainders, comparisons, ranges, the larger of two."""
    shape = [node("Shape", "x", "s", start=0, end=1), node("Squeeze", "s", "n")]
    given = {"two": np.int64(2), "three": np.int64(3), "zero": np.int64(0), "one": np.int64(1),
             "axis": whole(0), "ones": whole(1), "four": np.int64(4), "none": whole()}  # fmt: skip
    ways = [
        [node("Div", "n two", "y")],
        [node("Mod", "n two", "y")],
        [node("Sub", "zero n", "m"), node("Div", "m two", "y")],
        [node("Sub", "one n", "m"), node("Mod", "m three", "y")],
        [node("Max", "n three", "y")],
        [node("Min", "n three", "y")],
        [node("Equal", "n three", "t"), node("Where", "t two n", "y")],
        [node("Less", "n three", "t"), node("Where", "t two n", "y")],
        [node("GreaterOrEqual", "n one", "t"), node("Where", "t two n", "y")],
        [node("Greater", "n one", "t"), node("Where", "t two n", "y")],
        [node("Range", "zero n one", "y")],
        [node("Range", "one n one", "y")],
        [node("Range", "n zero one", "y")],
        [node("Range", "zero n two", "y")],
        [node("Sub", "n one", "m"), node("Abs", "m", "y")],
        [node("Sub", "n two", "m"), node("Abs", "m", "y")],
        [node("Sub", "n four", "m"), node("Neg", "m", "y")],
        [
            node("Concat", "s ones", "p", axis=0),  # over no axes: as it is
            node("ReduceSum", "p none", "q", noop_with_empty_axes=1),
            node("Gather", "q zero", "y"),
        ],
        [node("Cast", "n", "t", to=9), node("Cast", "t", "y", to=7)],
        [node("Cast", "n", "t", to=3), node("Cast", "t", "y", to=7)],
        [node("Sub", "n three", "m"), node("Cast", "m", "t", to=9), node("Cast", "t", "y", to=7)],
    ]
    made = [graph([*shape, *way, node("Mul", "x zero_f", "u")], X, given | {"zero_f": floats((1,))})
            for way in ways]  # fmt: skip
    half = node("Div", "n two", "h")
    used = [
        [half, node("Unsqueeze", "h axis", "e"), node("Slice", "x axis e axis", "y")],
        [half, node("Unsqueeze", "h axis", "e"), node("Slice", "x e s axis", "y")],
        [node("Sub", "n two", "m"), node("Unsqueeze", "m axis", "e"),
         node("Slice", "x e s axis", "y")],
        [node("Sub", "n one", "m"), node("Gather", "x m", "y", axis=0)],
        [half, node("Gather", "x h", "y", axis=0)],
    ]  # fmt: skip
    return made + [graph([*shape, *way], X, given) for way in used]


def disagreement(g: Graph, axis: tuple[str, int] | None, least: int) -> str:
    """Where the reading of y and the model differ; "refused" where y is not read."""
    runner = Runner(g)
    usual = {"n": 7, "m": 5, "b": 2}
    reader, _ = read(g, axis, evaluate=lambda n: runner.constants_at([n], usual)[n])
    value = reader.values["y"]
    if not isinstance(value, Tensor | Constant):
        return "refused"
    realised = Realised(reader.atoms)
    others = itertools.product(SIZES[least - 1 :], (1, 4) if "z" in g.inputs else (5,))
    compared = 0
    for n, m in others:
        sizes = {"n": n, "m": m, "b": 2}
        inputs = runner.random_inputs(sizes, n, dict.fromkeys(g.inputs, (-2, 1)))
        sizes = with_parts(reader, sizes)
        if not holds_at(reader, sizes):
            continue
        try:
            wanted = runner.run(inputs, ["y"])["y"]
        except RunError:
            continue
        compared += 1
        try:
            found = value_at(reader, realised, value, sizes, lambda n: runner.run(inputs, [n])[n])  # noqa: B023
        except Unsupported:
            return "refused"
        if isinstance(value, Constant):
            if not np.array_equal(
                wanted, runner.run(runner.random_inputs(sizes, n + 1), ["y"])["y"]
            ):
                return f"{sizes}: no constant"
            known = found.shape != wanted.shape or not np.isnan(found).all()
            found = found if known else wanted
        if found.shape != wanted.shape or not np.allclose(found, wanted, 1e-4, 1e-5):
            return f"{sizes}: {found.shape} and {wanted.shape}"
    return "" if compared else "never run"


def judged(graphs: list[Graph], least: int = 1) -> tuple[list[str], int]:
    """What disagrees, read as it is and along the axis n of its first input; how much agrees."""
    wrong, agreed = [], 0
    for g in graphs:
        name, first = next(iter(g.inputs.items()))
        axis = (name, first.dims.index("n")) if "n" in first.dims else None
        for asked in dict.fromkeys((None, axis)):
            try:
                why = disagreement(g, asked, least)
            except Exception as error:  # every kind: that is what is looked for
                why = f"{type(error).__name__}: {error}"
            agreed += not why
            if why not in ("", "refused", "never run"):
                calls = [(c.op, dict(c.attributes)) for c in g.calls][-1]
                known = {k: v.tolist() for k, v in g.constants.items() if v.size < 9}
                wrong.append(f"{calls} {known} along {asked}: {why}")
    return wrong, agreed


@pytest.mark.slow
def test_slices_at_all_sizes() -> None:
    """Were it to fail, a slice would be read as another one where the dimension is short."""
    wrong, read_ = judged(slices())
    assert wrong == []
    assert read_ >= 60


def test_operators_at_all_sizes() -> None:
    """Were it to fail, an operator would be read as one that does the same at some sizes only."""
    wrong, read_ = judged(others())
    assert wrong == []
    assert read_ >= 25


def test_computed_sizes_at_all_sizes() -> None:
    """Were it to fail, a number computed of a size would be another one at some sizes."""
    wrong, read_ = judged(computed())
    assert wrong == []
    assert read_ >= 10


def test_windows_at_all_sizes() -> None:
    """Were it to fail, padding, strides or places of windows would be others than the model's."""
    wrong, read_ = judged(models.windows())
    assert wrong == []
    assert read_ >= 140
    assert judged(models.blocks(), least=2) == ([], 4)


def test_sequences_at_all_sizes() -> None:
    """Were it to fail, sums, ranks or places along an axis would be others than the model's."""
    wrong, read_ = judged(models.sequences())
    assert wrong == []
    assert read_ >= 67


def test_layers_at_all_sizes() -> None:
    """Were it to fail, heads, masks, gates or states would be others than the model's."""
    wrong, read_ = judged(models.layers())
    assert wrong == []
    assert read_ >= 108


def test_branches_at_all_sizes() -> None:
    """Were it to fail, the other branch would be read, or what captures data be a constant."""
    wrong, read_ = judged(models.branches())
    assert wrong == []
    assert read_ >= 15


def test_a_wrong_reading_is_seen_at_some_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were it to fail, nothing could: copies of the last place read as zeros must be wrong."""
    other = {"edge": "constant"}
    wrong_mode = operator(
        "Pad",
        lambda old, r, c, args: old(
            r,
            dataclasses.replace(
                c, attributes={"mode": other.get(c.attributes["mode"], c.attributes["mode"])}
            ),
            args,
        ),
    )
    wrong_mode(monkeypatch)
    wrong, _ = judged(models.windows())
    assert wrong and all("Pad" in line or "Pool" in line for line in wrong)
