"""What is read of a dynamic dimension holds at every size, the small ones and 1 included.

An operator may do something else where a dimension is short: a slice to 64 takes all of it, a
squeeze drops it, a size 1 is broadcast. What is read is compared at all sizes from 1 on at which
the reading says that it holds.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest

from tests.symbolic.onnx import operator_models as models

from orderproof.symbolic.onnx.graph import Graph, Unsupported  # isort: skip
from orderproof.symbolic.onnx.reader import read  # isort: skip
from orderproof.symbolic.onnx.run import RunError, Runner  # isort: skip
from orderproof.symbolic.onnx.values import Constant, Realised, Tensor  # isort: skip
from tests.symbolic.onnx.operator_cases import holds_at, value_at, with_parts  # isort: skip
from tests.symbolic.onnx.planted import attributes  # isort: skip

SIZES = (1, 2, 3, 4, 5, 6, 8, 9)


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


@pytest.mark.parametrize(
    ("graphs", "least", "agree"),
    [
        pytest.param(models.slices, 1, 328, marks=pytest.mark.slow),
        (models.shapes, 1, 102), (models.computed, 1, 46), (models.windows, 1, 142),
        (models.blocks, 2, 4), (models.sequences, 1, 67), (models.layers, 1, 108),
        (models.branches, 1, 15), (models.plain, 1, 39),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)  # fmt: skip
def test_operators_at_all_sizes(graphs: Callable[[], list[Graph]], least: int, agree: int) -> None:
    """An operator would be read as one that does the same at some sizes only: where the dimension
    is short, where it is odd, or where a number computed of it is another."""
    wrong, agreed = judged(graphs(), least)
    assert wrong == []
    assert agreed >= agree


def test_a_wrong_reading_is_seen_at_some_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were it to fail, nothing could: copies and reflections read as zeros must be wrong."""
    attributes("Pad", mode="constant")(monkeypatch)
    wrong, _ = judged([g for g in models.windows() if g.calls[-1].op == "Pad"])
    assert len(wrong) >= 3
