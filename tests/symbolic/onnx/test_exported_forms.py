"""Forms that exporters write today: packed projections, masks that are picked by numbers, sizes
that are computed from sizes. Each is a theorem for all sizes, and a wrong reading is seen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy

from orderproof.symbolic.onnx import build, counting
from orderproof.symbolic.onnx.decide import decide
from orderproof.symbolic.onnx.graph import Graph
from orderproof.symbolic.onnx.operators import indexing
from orderproof.symbolic.onnx.reading import not_negative
from tests.symbolic.onnx.one_operator import floats, graph, node, whole
from tests.symbolic.onnx.test_planted import seen

QKV = {"w": floats((4, 12), 1), "heads": whole(0, 0, 2, 2), "three": whole(4, 4, 4),
       "unbound": whole(0, 0, 3, 2, 2)} | {f"at{k}": whole(k) for k in range(3)}  # fmt: skip
QKV |= {f"{name}{k}": whole(4 * (k + shift)) for k in range(3) for shift, name in enumerate("se")}
SCORES = [node("Einsum", "q k", "s", equation="bihd,bjhd->bhij"), node("Softmax", "s", "a"),
          node("Einsum", "a v", "y", equation="bhij,bjhd->bihd")]  # fmt: skip
HEADS = [node("Reshape", f"{x}0 heads", x) for x in "qkv"]
X = {"x": ["b", "n", 4]}


def packed(*cut: Any) -> Graph:
    """Attention with one projection to queries, keys and values."""
    return graph([node("MatMul", "x w", "p"), *cut, *SCORES], X, QKV)


MASK = {"b_mask": ["b", "n"]}
NUMBERS = {"zero": np.int64(0), "one": np.int64(1), "a0": whole(0), "a1": whole(1),
           "a2": whole(2), "flat": whole(-1)}  # fmt: skip
RANGES = [
    node("Shape", "b_mask", "sizes"), node("Split", "sizes", "b1 n1", num_outputs=2),
    node("Squeeze", "b1 a0", "b0"), node("Squeeze", "n1 a0", "n0"),
    node("Range", "zero b0 one", "rb"), node("Range", "zero n0 one", "rn"),
]  # fmt: skip


def picked(*nodes: Any) -> Graph:
    """A mask, of which entries are taken by the numbers of their rows and columns."""
    return graph([*RANGES, *nodes], MASK, NUMBERS)


def by_columns(first: str, second: str, shape: str, rows: str, columns: str) -> Graph:
    """The mask by pairs of numbers, spread over `shape`, the numbers of `rows` first."""
    return picked(
        node("Unsqueeze", f"rb {rows}", "i0"), node("Unsqueeze", f"rn {columns}", "j0"),
        node("Concat", shape, "shape", axis=0), node("Expand", "i0 shape", "i"),
        node("Expand", "j0 shape", "j"), node("Unsqueeze", "i a2", "b"),
        node("Unsqueeze", "j a2", "n"), node("Concat", f"{first} {second}", "at", axis=-1),
        node("GatherND", "b_mask at", "m"), node("Cast", "m", "y", to=1),
    )  # fmt: skip


FLAT = picked(
    node("Reshape", "b_mask flat", "entries"), node("Unsqueeze", "rb a1", "i"),
    node("Mul", "i n0", "begin"), node("Add", "begin rn", "at"),
    node("Gather", "entries at", "m"), node("Cast", "m", "y", to=1),
)  # fmt: skip
FEATURES = [node("Unsqueeze", "x a1", "u"), node("Conv", "u k", "f", strides=[2])]
SOUND = {"x": ["b", "n"]}
KERNEL = {"k": floats((2, 1, 3), 2), "to": whole(0, 2, -1), "a1": whole(1), "three": np.int64(3),
          "two": np.int64(2), "one": np.int64(1), "zero": np.int64(0), "a0": whole(0)}  # fmt: skip
STEPS = [node("Shape", "x", "n1", start=1, end=2), node("Squeeze", "n1 a0", "n0"),
         node("Sub", "n0 three", "d"), node("Div", "d two", "h"), node("Add", "h one", "m"),
         node("Range", "zero m one", "r"), node("Cast", "r", "t", to=1),
         node("Add", "f t", "y")]  # fmt: skip
TWO_NAMES = graph(
    [node("Shape", "x", "b0", start=0, end=1), node("Concat", "b0 flat", "to", axis=0),
     node("Reshape", "mask to", "m"), node("Unsqueeze", "m a2", "u"), node("Mul", "x u", "y")],
    X | {"mask": ["other", "m"]}, {"flat": whole(-1), "a2": whole(2)},
)  # fmt: skip
OF_TOKENS = graph(
    [node("Shape", "x", "sizes"), *RANGES[1:], node("Unsqueeze", "rb a1", "i0"),
     node("Expand", "i0 sizes", "i"), node("Expand", "rn sizes", "j"),
     node("Unsqueeze", "i a2", "i2"), node("Unsqueeze", "j a2", "j2"),
     node("Concat", "i2 j2", "at", axis=-1), node("GatherND", "b_mask at", "m"),
     node("Cast", "m", "f", to=1), node("Mul", "f x", "y")],
    {"x": ["b", "n"], "b_mask": ["other", "m"]}, NUMBERS,
)  # fmt: skip
FORMS: dict[str, tuple[Graph, str, str, tuple[str, ...]]] = {
    "split": (packed(node("Split", "p three", "q0 k0 v0", axis=2), *HEADS), "x:1", "all n", ()),
    "chunk": (
        packed(node("Split", "p", "q0 k0 v0", axis=2, num_outputs=3), *HEADS), "x:1", "all n", (),
    ),
    "slices": (
        packed(*(node("Slice", f"p s{k} e{k} at2", f"{x}0") for k, x in enumerate("qkv")), *HEADS),
        "x:1", "all n", (),
    ),
    "unbind": (
        packed(node("Reshape", "p unbound", "r"), *(
            node("Gather", f"r at{k}", f"{x}1", axis=2) for k, x in enumerate("qkv")), *(
            node("Squeeze", f"{x}1 at2", x) for x in "qkv")), "x:1", "all n", (),
    ),
    "class token before patches": (
        graph([node("Reshape", "x to", "p"), node("Shape", "x", "b0", start=0, end=1),
               node("Concat", "b0 one one", "shape", axis=0), node("Expand", "c shape", "cs"),
               node("Concat", "cs p", "y", axis=1)],
              {"x": ["n", 2, 2, 3]},
              {"to": whole(0, 4, 3), "c": floats((1, 1, 3)), "one": whole(1)}),
        "x:0", "all n", ()),
    "mask by numbers, rows": (by_columns("b", "n", "b1 n1", "a1", "a0"), "b_mask:0", "all n", ()),
    "mask by numbers, columns": (
        by_columns("b", "n", "b1 n1", "a1", "a0"), "b_mask:1", "all n", ()),
    "mask by numbers, transposed": (
        by_columns("b", "n", "n1 b1", "a0", "a1"), "b_mask:0", "all n", ()),
    "mask by numbers of its entries": (FLAT, "b_mask:1", "all n", ()),
    "a window, reshaped to what is left": (
        graph([*FEATURES, node("Reshape", "f to", "y")], SOUND, KERNEL), "x:0", "all n",
        ("n >= 3",)),
    "positions after a window": (
        graph([*FEATURES, *STEPS], SOUND, KERNEL), "x:0", "all n", ("n >= 3",)),
    "one length in two names": (TWO_NAMES, "x:0", "all n", ("n = m",)),
    "a mask by numbers of tokens": (OF_TOKENS, "x:1", "all n", ("other = b",)),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMS)
def test_form_is_a_theorem_for_all_sizes(name: str, tmp_path: Path) -> None:
    """Most people's models would be unknown, or decided for a few sizes alone."""
    model, axis, scope, conditions = FORMS[name]
    (tmp_path / "model.onnx").write_bytes(model.proto.SerializeToString())
    along = {"one length in two names": ["mask:0"], "a mask by numbers of tokens": ["b_mask:1"]}
    (found,) = decide(tmp_path / "model.onnx", axis, along.get(name, [])).results
    assert (found.answer, found.scope, found.conditions) == ("equivariant", scope, conditions)


PLANTED = {
    "factors of a part in the other order": (
        "split", build, "pair", lambda of: lambda sets, e: of(sets[::-1], e[::-1])),
    "parts of a cut in the other order": (
        "slices", build, "inside", lambda of: lambda sets, k, e: of(sets, len(sets) - 1 - k, e)),
    "columns for rows": (
        "mask by numbers, rows", indexing, "columns_of",
        lambda of: lambda *columns: of(*columns)[::-1]),
    "strides that are not compared": (
        "mask by numbers of its entries", indexing, "row_by_row",
        lambda of: lambda own, sizes, canonical: sorted(own, reverse=True)),
}  # fmt: skip


@pytest.mark.parametrize("name", PLANTED)
def test_wrong_reading_of_a_form_is_seen(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would end in a wrong theorem."""
    form, owner, attribute, change = PLANTED[name]
    model = FORMS[form][0]
    assert seen(model) == ""
    monkeypatch.setattr(owner, attribute, change(getattr(owner, attribute)))
    assert seen(model) != ""


def test_numbers_that_count_nothing_have_no_strides() -> None:
    """A choice of positions would be read as none."""
    rows, columns = np.indices((3, 4))
    assert counting.strides_of(4 * rows + columns) == {0: 4, 1: 1}
    assert counting.strides_of(columns + 0 * rows) == {1: 1}
    for other in (4 * rows + columns + 1, columns[:, ::-1], columns**2, columns % 3):
        assert counting.strides_of(other) is None
    n, m = sympy.symbols("n m", integer=True, positive=True)
    plain = sympy.expand
    assert counting.row_by_row({0: n * m, 1: m, 2: sympy.S.One}, (3, n, m), plain) == [0, 1, 2]
    assert counting.row_by_row({0: sympy.S.One, 1: n}, (n, m), plain) == [1, 0]
    for wrong in ({0: m, 1: n}, {0: sympy.S.One, 1: m}, {0: 2 * sympy.S.One, 1: sympy.S.One}):
        assert counting.row_by_row(wrong, (n, m), plain) is None


def test_bounds_are_said_of_the_size_alone() -> None:
    """A person would have to solve `0 <= n - 2`, or read a bound that is off by one."""
    n, b = sympy.symbols("n b", integer=True, positive=True)
    floor = sympy.floor((n - 3) / 2)
    assert not_negative([7 - n]) == ["n <= 7"] and not_negative([8 - 2 * n]) == ["2*n <= 8"]
    assert not_negative([n - 2, floor, floor - 1, n - 2]) == ["n >= 5"]
    assert not_negative([b - n]) == ["n <= b"]
    assert not_negative([sympy.floor(n / 2) - sympy.floor(n / 3)]) == ["floor(n/3) <= floor(n/2)"]
