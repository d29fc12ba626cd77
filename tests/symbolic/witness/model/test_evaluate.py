"""What the evaluator means: real numbers, certain choices, bounded sizes, and errors in a line."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

pytest.importorskip("flint", reason="SKIP: python-flint is not installed (extra onnx)")
pytest.importorskip("onnx", reason="SKIP: onnx is not installed")

import numpy as np
import onnx
from flint import arb
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from orderproof.symbolic.witness.model.balls import fraction_of
from orderproof.symbolic.witness.model.errors import (
    BadModel,
    EvaluationError,
    Undecided,
    UnsupportedOperator,
)
from orderproof.symbolic.witness.model.evaluate import evaluate
from tests.symbolic.witness.model.small_models import layer, of_nodes, of_text

FLOATS = (TensorProto.FLOAT, [None])


def value(text: str, x: Any, *held: onnx.TensorProto, opset: int = 20, bits: int = 128) -> Any:
    """The output y of nodes written as text, of one input x of floats."""
    dims = ", ".join(str(s) for s in np.shape(x))
    model = of_text(f"g (float[{dims}] x) => (float[N] y) {{ {text} }}", *held, opset=opset)
    return evaluate(model, {"x": np.asarray(x, dtype=np.float32)}, bits=bits)["y"]


def refused(kind: type[EvaluationError], model: onnx.ModelProto, **inputs: Any) -> str:
    """The message with which an evaluation is refused: one line of this kind."""
    with pytest.raises(kind) as caught:
        evaluate(model, inputs)
    message = str(caught.value)
    assert message.isprintable() and len(message) < 600
    return message


def test_floats_are_dyadic_numbers() -> None:
    """0.1 in float32 would be read as a tenth, or a sum be rounded to float32."""
    x = np.array([0.1, 2.0**-60, 1.0], dtype=np.float32)
    found = value("y = ReduceSum (x)", x)
    exact = sum((Fraction(float(v)) for v in x), Fraction(0))
    assert fraction_of(found.item()) == exact
    assert float(exact) != float(np.float32(exact))


def test_a_cast_between_floats_changes_nothing() -> None:
    """A value would be rounded to half precision, and tell two orders apart that are the same."""
    found = value("h = Cast <to = 10> (x)\n y = Cast <to = 1> (h)", [1 + 2.0**-20])
    assert fraction_of(found.item()) == 1 + Fraction(1, 2**20)


def test_more_bits_give_smaller_balls() -> None:
    """The parameter `bits` would do nothing, or the balls not enclose the value."""
    few, many = (value("y = Exp (x)", [1.0], bits=b).item() for b in (64, 256))
    assert few.rad() > many.rad() * 2**150
    assert few.contains(many)


def test_a_masked_score_has_weight_zero() -> None:
    """−∞ in a mask would give NaN, or a weight that is not exactly 0."""
    found = value("y = Softmax (x)", [[0.0, -np.inf, 1.0]]).ravel().tolist()
    assert found[1] == 0 and (found[0] + found[2]).contains(1)
    assert value("y = Softmax (x)", [[-np.inf, -np.inf]]).ravel().tolist()[0].is_nan()
    large = value("y = Softmax (x)", [[3e38, 3e38]]).ravel().tolist()
    assert large[0].contains(arb(1) / 2) and large[0].rad() < 1e-20


@pytest.mark.parametrize(
    ("text", "x"),
    [
        ("e = Exp (x)\n l = Log (e)\n b = Less (x, l)\n y = Cast <to = 1> (b)", [1.0]),
        ("e = Exp (x)\n l = Log (e)\n b = Equal (x, l)\n y = Cast <to = 1> (b)", [1.0]),
        ("e = Exp (x)\n l = Log (e)\n y = Floor (l)", [1.0]),
        ("e = Exp (x)\n l = Log (e)\n i = Cast <to = 7> (l)\n y = Cast <to = 1> (i)", [1.0]),
        ("e = Exp (x)\n i = ArgMax <axis = 0> (e)\n y = Cast <to = 1> (i)", [1.0, 1.0]),
        ("e = Sin (x)\n y = Sign (e)", [2.0**-100]),
        ("h = Sin (x)\n s = Mul (h, h)\n y = Round (s)", [0.0, 1.5]),
    ],
)
def test_a_choice_is_a_certain_one(text: str, x: Any) -> None:
    """A comparison, an order or a rounding would follow the midpoint of a ball, which rounding may
    have moved: a false counterexample. Where the ball decides, there is a value."""
    if "Sign" in text or "Round" in text:
        assert value(text, x).size == len(x)
        return
    model = of_text(f"g (float[{len(x)}] x) => (float[N] y) {{ {text} }}")
    message = refused(Undecided, model, x=np.array(x, dtype=np.float32))
    assert "not decided" in message and message.split()[0] in text


def test_equal_exact_numbers_are_decided() -> None:
    """Ties of given numbers would be refused, and models of counts with them."""
    assert value("i = ArgMax <axis = 0> (x)\n y = Cast <to = 1> (i)", [1, 3, 3]).item() == 1
    model = of_text("g (float[4] x) => (float[2] y, int64[2] i) { y, i = TopK (x, k) }",
                    numpy_helper.from_array(np.array([2]), "k"))  # fmt: skip
    found = evaluate(model, {"x": np.array([1, 3, 3, 0], dtype=np.float32)})
    assert found["i"].tolist() == [1, 2]


BUCKET = """g (int64[3] x) => (float[3] y) {
    two = Constant <value_int = 2> ()
    f = Cast <to = 1> (x)
    l = Log (f)
    i = Cast <to = 7> (l)
    j = Min (i, two)
    k = Add (j, two)
    small = Less (x, two)
    w = Where (small, %s)
    y = Cast <to = 1> (w)
}"""


def test_an_undecided_integer_that_is_not_chosen_does_no_harm() -> None:
    """The bucket of distance 0, which is cast from log 0 and not used, would refuse every model
    with buckets; or an integer that is made up would be used."""
    x = np.array([0, 1, 5])
    assert evaluate(of_text(BUCKET % "x, k"), {"x": x})["y"].tolist() == [0, 1, 3]
    for text in (BUCKET % "k, x", (BUCKET % "x, k").replace("Where (small, x, k)", "Neg (k)"),
                 (BUCKET % "x, k").replace("Where (small, x, k)", "Mod (k, two)")):  # fmt: skip
        message = refused(Undecided, of_text(text), x=x)
        assert "not decided" in message


def test_values_of_top_k_need_no_order() -> None:
    """Of two entries that cannot be told apart the larger would be refused, though their values
    are known; and the places of them be made up."""
    nodes = """e = Exp (x)
        y, i = TopK (e, k)"""
    k = numpy_helper.from_array(np.array([1]), "k")
    model = of_text(f"g (float[2] x) => (float[1] y, int64[1] i) {{ {nodes} }}", k)
    x = {"x": np.array([1, 1], dtype=np.float32)}
    with pytest.raises(Undecided):
        evaluate(model, x)
    only = of_text(f"g (float[2] x) => (float[1] y) {{ {nodes.replace(', i', '')} }}", k)
    assert evaluate(only, x)["y"].item().overlaps(arb(1).exp())


def test_the_layer_in_numpy() -> None:
    """A whole layer would be evaluated to another value than NumPy finds in float64."""
    from math import erf

    rng = np.random.default_rng(1)
    x = rng.integers(-8, 9, (1, 3, 4)) / 8
    model = layer(positions=True, causal=True)
    held = {t.name: numpy_helper.to_array(t).astype(float) for t in model.graph.initializer}
    h = x[0] + held["table"][:3]
    s = h @ held["wq"] @ (h @ held["wk"]).T
    e = np.exp(np.where(np.tri(3, dtype=bool), s, -np.inf))
    r = e / e.sum(axis=1, keepdims=True) @ h @ held["wv"] + h
    d = r - r.mean(axis=1, keepdims=True)
    n = d / np.sqrt((d * d).mean(axis=1, keepdims=True) + 1e-5) * held["g"] + held["c"]
    u = n @ held["w1"]
    gelu = u / 2 * (1 + np.vectorize(erf)(u / np.sqrt(2)))
    expected = gelu @ held["w2"] + n
    found = evaluate(model, {"x": x})["y"]
    assert np.allclose(found[0].astype(float), expected, rtol=1e-12, atol=1e-12)
    assert max(float(v.rad()) for v in found.ravel()) < 1e-30


@pytest.mark.parametrize("opset", [9, 13, 18])
@pytest.mark.parametrize("size", [1e-3, 1e-9, 1e-11])
def test_mean_and_variance_below_epsilon(opset: int, size: float) -> None:
    """Epsilon would stand in the root, and not after it, as ONNX has it: seen only where the
    deviation is about as small as epsilon."""
    nodes = [helper.make_node("MeanVarianceNormalization", ["x"], ["y"])]
    against_onnx(nodes, [(2, 3, 2, 5)], size, opset)


@pytest.mark.parametrize(
    ("op", "shapes", "opset", "given"),
    [
        ("LayerNormalization", [(2, 8), (8,), (8,)], 17, {}),
        ("RMSNormalization", [(2, 8), (8,)], 23, {}),
        ("InstanceNormalization", [(2, 3, 8), (3,), (3,)], 17, {}),
        ("GroupNormalization", [(2, 4, 8), (4,), (4,)], 21, {"num_groups": 2}),
        ("BatchNormalization", [(2, 3, 8), (3,), (3,), (3,), (3,)], 15, {}),
        ("LpNormalization", [(2, 8)], 22, {"p": 1}),
        ("LpNormalization", [(2, 8)], 22, {"p": 2}),
        ("LRN", [(5, 5, 2, 2)], 13, {"size": 3, "bias": 1e-6}),
        ("LRN", [(5, 5, 2, 2)], 13, {"size": 4, "bias": 1e-3, "beta": 0.5}),
    ],
)
@pytest.mark.parametrize("size", [1.0, 3e-3, 1e-5])
def test_normalisations_where_epsilon_counts(
    op: str, shapes: list[Any], opset: int, given: dict[str, Any], size: float
) -> None:
    """Epsilon would stand elsewhere than ONNX has it, which usual inputs do not show."""
    node = helper.make_node(op, [f"x{k}" for k in range(len(shapes))], ["y"], **given)
    node.input[0] = "x"
    against_onnx([node], shapes, size, opset)


@pytest.mark.parametrize(
    ("opset", "given", "words"),
    [
        (6, {}, "in training"),
        (6, {"is_test": 1, "spatial": 0}, "for each place"),
        (7, {"spatial": 0}, "for each place"),
        (15, {"training_mode": 1}, "in training"),
    ],
)
def test_other_batch_normalisations_are_refused(
    opset: int, given: dict[str, Any], words: str
) -> None:
    """A normalisation by the statistics of the batch, which is the default of old opsets, would be
    read as one by those that the model holds."""
    node = helper.make_node("BatchNormalization", ["x", *"abcd"], ["y"], **given)
    held = [numpy_helper.from_array(np.ones(2, dtype=np.float32), name) for name in "abcd"]
    model = of_nodes([node], {"x": (TensorProto.FLOAT, [1, 2, 2])}, ["y"], *held, opset=opset)
    assert words in refused(UnsupportedOperator, model, x=np.ones((1, 2, 2), dtype=np.float32))


def against_onnx(nodes: Any, shapes: list[Any], size: float, opset: int) -> None:
    """Compare with onnx's reference at positive inputs, the first of this size, and of variances
    its square."""
    rng = np.random.default_rng(0)
    names = list(nodes[0].input)
    model = of_nodes(nodes, {x: (TensorProto.FLOAT, s) for x, s in zip(names, shapes, strict=True)},
                     ["y"], opset=opset)  # fmt: skip
    scales = [size, 1, 1, size, size**2]
    inputs = {
        x: (rng.uniform(0.1, 1, s) * scale).astype(np.float32)
        for x, s, scale in zip(names, shapes, scales, strict=False)
    }
    expected: Any = ReferenceEvaluator(model).run(None, inputs)[0]  # type: ignore[arg-type]
    found = evaluate(model, inputs)["y"].astype(np.float64)
    assert np.abs(found - expected).max() <= 1e-5 * np.abs(expected).max()


BIG = 2**31 - 1


@pytest.mark.parametrize(
    ("text", "exact"),
    [
        ("y = Add (x, x)", [2 * BIG, 12]),
        ("y = ReduceSum (x)", [BIG + 6]),
        ("y = ReduceProd (x)", [6 * BIG]),
        ("z = Constant <value_int = 0> ()\n y = CumSum (x, z)", [BIG, BIG + 6]),
        ("z = Constant <value_int = 2> ()\n y = Pow (x, z)", [BIG**2, 36]),
        (f"z = Constant <value_int = {2**32 + 2}> ()\n y = Pow (x, z)",
         [pow(BIG, 2**32 + 2, 2**32), pow(6, 2**32 + 2, 2**32)]),
        ('y = Einsum <equation = "i,i->"> (x, x)', [BIG**2 + 36]),
        ('y = Einsum <equation = "i,i->i"> (x, x)', [BIG**2, 36]),
        ("y = MatMul (x, x)", [BIG**2 + 36]),
        ("z = Constant <value_ints = [0, 0]> ()\n"
         'y = ScatterElements <reduction = "add"> (x, z, x)', [2 * BIG + 6, 6]),
    ],
)  # fmt: skip
def test_integers_wrap_around_in_their_type(text: str, exact: list[int]) -> None:
    """Sums and products of int32 would be those of int64, or end in a traceback."""
    model = of_text(f"g (int32[2] x) => (int32[N] y) {{ {text} }}")
    found = evaluate(model, {"x": np.array([BIG, 6])})["y"]
    assert found.dtype == np.int32
    assert found.ravel().tolist() == [(v + 2**31) % 2**32 - 2**31 for v in exact]


def test_places_of_a_narrow_type() -> None:
    """An index of int8 on an axis that int8 cannot count would end in a traceback."""
    table = numpy_helper.from_array(np.arange(300, dtype=np.float32), "table")
    count = numpy_helper.from_array(np.array(300), "count")
    ends = numpy_helper.from_array(np.array([0, 1], dtype=np.float32), "ends")
    model = of_text("""g (int8[2] x) => (float[2] y, float[2, 300] z) {
        y = Gather (table, x)
        z = OneHot (x, count, ends)
    }""", table, count, ends)  # fmt: skip
    found = evaluate(model, {"x": np.array([3, -1])})
    assert found["y"].tolist() == [3, 299]
    assert found["z"].astype(float).argmax(axis=1).tolist() == [3, 299]


def test_what_is_not_needed_is_not_evaluated() -> None:
    """An operator that is not evaluated would stop an output that does not depend on it."""
    model = of_text("""g (float[2] x) => (float[2] y, float[2] z) {
        y = Neg (x)
        z = RandomNormalLike (x)
    }""")
    x = {"x": np.ones(2, dtype=np.float32)}
    assert evaluate(model, x, ["y"])["y"].tolist() == [-1, -1]
    message = refused(UnsupportedOperator, model, **x)
    assert message.startswith("RandomNormalLike z: ")


def test_functions_and_subgraphs() -> None:
    """A function of the model, with an attribute of its own, or a name of the outer graph in a
    branch would be read wrongly."""
    model = onnx.parser.parse_model("""<ir_version: 9, opset_import: ["" : 20, "own" : 1]>
        g (float[2] x, bool c) => (float[2] y) {
            s = own.scaled <by = 3.0> (x)
            t = own.scaled (s)
            y = If (c) <
                then_branch = a () => (float[2] p) { p = Neg (t) },
                else_branch = b () => (float[2] q) { q = Identity (s) }
            >
        }
        <domain: "own", opset_import: ["" : 20]>
        scaled <by: float = 2.0> (v) => (w) {
            f = Constant <value_float: float = @by> ()
            w = Mul (v, f)
        }""")
    x = np.array([1, -2], dtype=np.float32)
    for c, expected in ((True, [-6, 12]), (False, [3, -6])):
        assert evaluate(model, {"x": x, "c": np.array(c)})["y"].tolist() == expected


def node(op: str, inputs: str, output: str, **given: Any) -> onnx.NodeProto:
    """A node, its inputs as words."""
    return helper.make_node(op, inputs.split(), [output], **given)


def test_bombs_are_refused() -> None:
    """A small file would take all memory, or run for ever."""
    huge = numpy_helper.from_array(np.array([10**6, 10**6]), "huge")
    one = numpy_helper.from_array(np.array(1.0, dtype=np.float32), "one")
    for nodes in (
        [node("Expand", "one huge", "y")],
        [node("ConstantOfShape", "huge", "y")],
        [node("Expand", "x huge", "y")],
        [node("Unsqueeze", "x two", "c"), node("Tile", "c huge", "y")],
    ):
        two = numpy_helper.from_array(np.array([1]), "two")
        model = of_nodes(nodes, {"x": FLOATS}, ["y"], huge, one, two)
        assert "entries" in refused(BadModel, model, x=np.ones(1, dtype=np.float32))
    wide = [node("Mul", "a b", "y")]
    kinds = {"a": (TensorProto.FLOAT, [None, 1]), "b": (TensorProto.FLOAT, [1, None])}
    message = refused(BadModel, of_nodes(wide, kinds, ["y"]),
                      a=np.ones((10**4, 1)), b=np.ones((1, 10**4)))  # fmt: skip
    assert message.startswith("Mul y: ")


@pytest.mark.slow
def test_a_tensor_that_doubles_is_refused() -> None:
    """A small file would take all memory, by and by."""
    doubled = [node("Concat", f"x{k} x{k}", f"x{k + 1}", axis=0) for k in range(40)]
    model = of_nodes(doubled, {"x0": FLOATS}, ["x40"])
    assert "entries" in refused(BadModel, model, x0=np.ones(1, dtype=np.float32))


@pytest.mark.slow
def test_a_loop_without_an_end_is_refused() -> None:
    """A loop whose condition stays true would run for ever."""
    model = of_text("""g (float[1] x) => (float[1] y) {
        y = Loop (, , x) <body = b (int64 i, bool c, float[1] v) => (bool d, float[1] w) {
            d = Identity (c)
            w = Identity (v)
        }>
    }""")
    assert "turns" in refused(BadModel, model, x=np.ones(1, dtype=np.float32))


def test_graphs_in_graphs_without_an_end_are_refused() -> None:
    """A function that calls itself would end in a traceback."""
    model = onnx.parser.parse_model("""<ir_version: 9, opset_import: ["" : 20, "own" : 1]>
        g (float[2] x) => (float[2] y) { y = own.f (x) }
        <domain: "own", opset_import: ["own" : 1]> f (v) => (w) { w = own.f (v) }""")
    assert "in each other" in refused(BadModel, model, x=np.ones(2, dtype=np.float32))


@pytest.mark.parametrize(
    ("nodes", "given", "words"),
    [
        ([node("Neg", "x", "y")], {}, "no input 'x'"),
        ([node("Neg", "x", "y")], {"x": np.ones(1), "z": np.ones(1)}, "input 'z'"),
        ([node("Neg", "x", "y")], {"x": np.ones((1, 1))}, "shape"),
        ([node("Neg", "x", "y")], {"x": np.array([1])}, "expected FLOAT"),
        ([node("Neg", "z", "y")], {"x": np.ones(1)}, "before it is computed"),
        ([node("Neg", "y", "z"), node("Neg", "x", "y")], {"x": np.ones(1)}, ""),
        ([node("Neg", "x", "y"), node("Abs", "x", "y")], {"x": np.ones(1)}, "two nodes"),
        ([node("Transpose", "x", "y", perm=[1])], {"x": np.ones(1)}, "order"),
        ([node("Concat", "x x", "y", axis=3)], {"x": np.ones(1)}, "axis 3"),
        ([node("Gather", "x k", "y")], {"x": np.ones(1)}, "outside"),
        ([node("Reshape", "x k", "y")], {"x": np.ones(1)}, "do not fit"),
        ([node("MatMul", "x m", "y")], {"x": np.ones(1)}, "inner sizes"),
        ([node("Cast", "x", "y", to=77)], {"x": np.ones(1)}, "type 77"),
        ([node("Softmax", "x", "y", axis=4)], {"x": np.ones(1)}, "axis 4"),
        ([node("Softmax", "", "y")], {"x": np.ones(1)}, "expected one at 0"),
    ],
)  # fmt: skip
def test_bad_models_and_inputs_have_one_line(nodes: Any, given: Any, words: str) -> None:
    """A mistake of a person would give a traceback, or a value."""
    held = (
        numpy_helper.from_array(np.array([7]), "k"),
        numpy_helper.from_array(np.ones((2, 2), dtype=np.float32), "m"),
    )
    model = of_nodes(nodes, {"x": FLOATS}, ["y"], *held)
    if not words:  # nodes out of order that the output does not need
        assert evaluate(model, given)["y"].tolist() == [-1]
        return
    assert words in refused(BadModel, model, **given)


def test_unknown_operators_are_named() -> None:
    """A person would not learn which operator, of which domain, and which node it is."""
    other = helper.make_node("FusedThing", ["x"], ["y"], name="/block/fused", domain="com.other")
    model = of_nodes([other], {"x": FLOATS}, ["y"])
    model.opset_import.append(helper.make_opsetid("com.other", 1))
    message = refused(UnsupportedOperator, model, x=np.ones(1))
    assert message == (
        "FusedThing /block/fused: the operator com.other::FusedThing is not evaluated"
    )
