"""The operators that models drawn at random are made of: of each how its inputs and attributes are
drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from onnx import ValueInfoProto, helper

from tests.models.random_growing import LONGEST, Dims, Drawn

STEPS: dict[str, list[Callable[[Drawn, str], str]]] = {}  # of each operator the ways to draw it
AXIS = ("an axis",)  # as what an attribute is drawn from
END = 2**62


def step(*ops: str) -> Callable[[Any], Any]:
    """Registers what draws these operators, given a model and the name."""

    def registered(function: Any) -> Any:
        for op in ops:
            STEPS.setdefault(op, []).append(function)
        return function

    return registered


def plain(
    ops: str, more: Callable[[Drawn, str], Sequence[str]] = lambda d, x: (), kinds: str = "f",
    least: int = 0, most: int = 5, outputs: int = 1, new: Dims = (),
    fit: Callable[[tuple[int, ...]], bool] = lambda s: True, **attributes: Sequence[Any],
) -> None:  # fmt: skip
    """Operators of a tensor of such kinds and so many axes (or a new one), and of what is made
    beside it; each attribute is one of these, or where that is None left out."""

    def of(d: Drawn, op: str) -> str:
        x = d.tensor(kinds, least, most, fit, new)
        drawn = {k: d.axis(x) if v is AXIS else d.pick(*v) for k, v in attributes.items()}
        parts = more(d, x)
        given = {k: v for k, v in drawn.items() if v is not None}
        name = d.op(op, x, *parts, outputs=outputs, **given)
        return name + "_" * int(d.rng.integers(outputs))

    step(*ops.split())(of)


def row(d: Drawn, x: str, k: int) -> str:
    """A constant of x's length along axis k, as a vector."""
    if d.shape(x)[k] <= LONGEST and d.pick(True, False):
        return d.weights(d.shape(x)[k])
    n = d.length(x, k)
    i = d.op("Range", d.given(0), n, d.given(1))
    f = d.op("Cast", i, to=1)
    match int(d.rng.integers(10)):
        case 0:
            return f
        case 1:
            return d.op("Mul", f, d.given(0, "f"))
        case 2:
            return d.op("Cast", d.op("Less", i, d.given(d.pick(1, 6, 40, 64, 100))), to=1)
        case 3:
            return d.op("Cast", d.op("Mod", i, d.given(d.pick(1, 2, 3))), to=1)
        case 4:
            return d.op("Cast", d.op("Div", i, d.given(d.pick(2, 6, 50, 70))), to=1)
        case 5:
            root = d.op("Sqrt", d.op("Cast", n, to=1))
            return d.op("Expand", root, d.op("Shape", i))
        case 6:
            big = d.op("Greater", d.length(x, d.axis(x)), d.given(d.pick(2, 4, 20)))
            return d.op("Mul", f, d.op("Cast", big, to=1))
        case 7:
            last = d.op("Sub", n, d.given(1))
            return d.op("Cast", d.op("Mul", i, d.op("Sub", last, i)), to=1)
        case 8:
            table = np.ones(90)
            table[d.pick(0, 3, 20, 70, 89) :] += 1
            return d.op("Slice", d.given(table, "f"), d.given([0]), d.size(x, k))
    return d.op("ConstantOfShape", d.size(x, k))


def beside(d: Drawn, x: str, kind: str = "") -> str:
    """What can stand beside a tensor: another one of as many places or of one, or a constant, of
    one axis maybe."""
    own, kind = d.shape(x), kind or d.kind(x)

    def fits(s: tuple[int, ...]) -> bool:
        return all(a in (b, 1) for a, b in zip(s[::-1], own[::-1], strict=False))

    others = [name for name, v in d.values.items() if d.kind(name) == kind and fits(v.shape)]
    if others and d.pick(0, 1, 1):
        return str(d.pick(others[-1], *others))
    if kind != "f" or not own:
        return d.given(d.pick(0, 1, 2), kind)
    k = d.axis(x)
    left = list(range(1, len(own) - k))
    return d.op("Unsqueeze", row(d, x, k), d.given(left)) if left else row(d, x, k)


def like(d: Drawn, x: str) -> str:
    """A tensor of the same sizes; along some axes its entries may be the same."""
    own, shape = d.shape(x), d.op("Shape", x)
    match int(d.rng.integers(5)) if d.kind(x) == "f" and own else 4:
        case 0:
            return x
        case 1:
            return d.op(d.pick("Tanh", "Neg"), x)
        case 2:
            few = [d.pick(1, s) if s <= LONGEST else 1 for s in own]
            return d.op("Expand", d.weights(*few), shape)
        case 3:
            return d.op("Expand", d.op("ReduceMax", x, d.given([d.axis(x)])), shape)
    return d.tensor(d.kind(x), fit=lambda s: s == own)


# ------------------------------------------------------------------------------ entry by entry
plain("Exp Sin Cos Tan Atan Sinh Cosh Asinh Tanh Sigmoid Erf Softplus Softsign HardSwish Mish "
      "Floor Ceil Round Reciprocal Dropout IsNaN IsInf")  # fmt: skip
plain("DynamicQuantizeLinear", outputs=3)
plain("Neg Abs Sign Identity Relu", kinds="fi")
plain("LeakyRelu Elu Selu Celu HardSigmoid ThresholdedRelu Swish", alpha=(None, 0.5))
plain("Gelu", approximate=(None, "tanh"))
plain("Shrink", bias=(None, 0.25))
plain("Not", kinds="b")
plain("Add Sub Mul Max Min Sum Mean Equal Less LessOrEqual Greater GreaterOrEqual PRelu CastLike",
      lambda d, x: [beside(d, x)], "fi")  # fmt: skip
plain("Div Mod", lambda d, x: [d.given(d.pick(1, 2), d.kind(x))], "fi", fmod=(None, 1))
plain("Div", lambda d, x: [beside(d, x)])
plain("And Or Xor", lambda d, x: [beside(d, x)], "b")
plain("Where", lambda d, x: [y := d.tensor("fi"), beside(d, y)], "b")
plain("Clip", lambda d, x: [d.given(-1, d.kind(x)), d.given(1, d.kind(x))], "fi")


@step("Log", "Sqrt", "Asin", "Acos", "Atanh", "Acosh", "Pow", "ReduceLogSum")
def _positive(d: Drawn, op: str) -> str:
    x = d.op("Sigmoid", d.tensor(least=1))
    match op:
        case "Acosh":
            return d.op(op, d.op("Reciprocal", x))
        case "Pow":
            return d.op(op, x, beside(d, x))
    return d.op(op, x)


@step("Cast")
def _cast(d: Drawn, op: str) -> str:
    x = d.op("Clip", d.tensor(), d.given(-9, "f"), d.given(9, "f"))
    return d.op(op, d.op(op, x, to=d.pick(6, 7, 9)), to=d.pick(1, 7, 9))


# --------------------------------------------------------------------------------- along an axis
plain("Softmax LogSoftmax Hardmax", least=1, axis=AXIS)
plain("ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 ReduceSumSquare "
      "ReduceLogSumExp", lambda d, x: [d.given(list({d.axis(x), d.axis(x)}))], "fi", 1,
      keepdims=(None, 0))  # fmt: skip
plain("ArgMax ArgMin", least=1, axis=AXIS, keepdims=(None, 0), select_last_index=(None, 1))
plain("CumSum", lambda d, x: [d.given(d.axis(x))], "fi", 1, exclusive=(None, 1), reverse=(None, 1))
plain("Trilu", lambda d, x: [d.given(d.pick(-1, 0, 1))], "fi", 2, upper=(None, 0))
plain("TopK", lambda d, x: [d.pick(d.given([d.pick(1, 2)]), d.size(x, d.last))], least=1, outputs=2,
      axis=AXIS, largest=(None, 0))  # fmt: skip
plain("LayerNormalization RMSNormalization", lambda d, x: [row(d, x, -1)], least=1)
plain("InstanceNormalization", lambda d, x: [row(d, x, 1), row(d, x, 1)], least=3)
plain("BatchNormalization", least=2,
      more=lambda d, x: [*(row(d, x, 1) for _ in "abc"), d.op("Abs", row(d, x, 1))])  # fmt: skip
plain("GroupNormalization", lambda d, x: [row(d, x, 1), row(d, x, 1)], least=3, num_groups=(1, 2))
plain("MeanVarianceNormalization", least=2, axes=([0], [1], [0, 1]))
plain("SoftmaxCrossEntropyLoss NegativeLogLikelihoodLoss", least=2, reduction=("none", "mean"),
      more=lambda d, x: [d.op("ArgMax", like(d, x), axis=1, keepdims=0)])  # fmt: skip
plain("LpNormalization NonZero", least=1)  # not read
plain("DFT", lambda d, x: ["", d.given(d.axis(x) - 1)], least=2, fit=lambda s: s[-1] in (1, 2),
      new=("m", "n", 2), onesided=(None, 1))  # fmt: skip


# ---------------------------------------------------------------------------- entries elsewhere
@step("Concat")
def _concat(d: Drawn, op: str) -> str:
    x = d.tensor("fi", 1)
    k = d.axis(x)
    other = like(d, x)
    if d.pick(True, False):  # of it one place
        other = d.op("Slice", other, d.given([0]), d.given([1]), d.given([k]))
    parts = d.pick([x, other], [other, x], [other, x, like(d, x)])
    whole = d.op(op, *parts, axis=k)
    if d.pick(True, False):
        return whole
    first = d.size(parts[0], k)  # one of both sides of where the second begins
    ends = d.pick((d.given([0]), first), (first, d.given([END])))
    return d.op("Slice", whole, *ends, d.given([k]))


@step("Split")
def _split(d: Drawn, op: str) -> str:
    x = d.tensor("fi", 1)
    k, one = d.axis(x), d.given([1])
    if d.pick(True, False):
        return d.op(op, x, outputs=2, axis=k, num_outputs=2)
    rest = d.op("Sub", d.size(x, k), one)
    return d.op(op, x, d.op("Concat", *d.pick((one, rest), (rest, one)), axis=0), outputs=2, axis=k)


@step("Slice")
def _slice(d: Drawn, op: str) -> str:
    x = d.tensor("fi", 1)
    start, end, step = d.pick(
        (0, 1, 1), (-1, END, 1), (END, -END, -1), (0, -1, 1), (1, END, 1), (0, END, 2), (1, 2, 1),
        (0, 2, 1), (-2, END, 1), (1, -1, 1),
    )  # fmt: skip
    return d.op(op, x, *(d.given([v]) for v in (start, end, d.axis(x), step)))


def places(d: Drawn, x: str, k: int) -> str:
    """Places along an axis: of numbers, as many as there are, computed, or of an input."""
    n, one = d.length(x, k), d.given(1)
    i = d.op("Range", d.given(0), n, one)
    match int(d.rng.integers(7)):
        case 0:
            return i
        case 1:
            return d.op("Sub", d.op("Sub", n, one), i)
        case 2:
            return d.op("Mod", d.op("Add", i, one), n)
        case 3:
            return d.op("Div", i, d.given(2))
        case 4:
            return d.tensor("i", most=2)
    return d.given(d.pick(0, -1, [0], [1, 0], [0, 0], [[0, -1]]))


plain("Gather", lambda d, x: [places(d, x, d.last)], "fi", 1, axis=AXIS)
plain("GatherND", lambda d, x: [d.op("Unsqueeze", places(d, x, 0), d.given([-1]))], least=1)
plain("GatherND", lambda d, x: [d.given([[0, 1], [-1, 0]])], least=2)
plain("OneHot", lambda d, x: [d.given(d.pick(2, 3)), d.weights(2)], "i", most=3, axis=(0, -1))
plain("EyeLike", least=2, most=2, k=(None, 1))


def chosen(d: Drawn, x: str, k: int) -> str:
    """Of each row along an axis one place, or all in another order."""
    if d.pick(True, False):
        return d.op("ArgMax", like(d, x), axis=k)
    name = d.op("TopK", like(d, x), d.size(x, k), outputs=2, axis=k)
    return f"{name}_"


plain("GatherElements", lambda d, x: [chosen(d, x, d.last)], least=1, axis=AXIS)


@step("ScatterElements")
def _scatter_elements(d: Drawn, op: str) -> str:
    x = d.tensor(least=1)
    k = d.axis(x)
    at = chosen(d, x, k)
    if d.pick(True, False):
        whole = d.op("Shape", x)
        one = d.op("ScatterElements", whole, d.given([k]), d.given([1]))
        at = d.op("Expand", d.given(d.pick(0, -1)), d.pick(one, whole))
    updates = d.op("GatherElements", like(d, x), at, axis=k)
    return d.op(op, x, at, updates, axis=k, reduction=d.pick("none", "add", "max", "min", "mul"))


@step("ScatterND")
def _scatter_nd(d: Drawn, op: str) -> str:
    x = d.tensor(least=1)
    at = places(d, x, 0)
    updates = d.op("Gather", like(d, x), at)
    at = d.op("Unsqueeze", at, d.given([-1]))
    return d.op(op, x, at, updates, reduction=d.pick("none", "add", "max", "min", "mul"))


# ---------------------------------------------------------------------------------- dimensions
plain("Shape Size", kinds="fib")
plain("ConstantOfShape", lambda d, x: [], "i", 1, 1)
plain("Flatten", least=1, axis=AXIS)
plain("Squeeze", lambda d, x: [d.given([d.shape(x).index(1)])], "fi", fit=lambda s: 1 in s,
      new=("m", 1, "n"))  # fmt: skip
plain("Unsqueeze", lambda d, x: [d.given([d.pick(-1, 0, len(d.shape(x)))])], "fib", most=3)
plain("Expand", lambda d, x: [d.op("Shape", d.tensor("fib", len(d.shape(x))))], "fi")
plain("Tile", lambda d, x: [d.given([d.pick(1, 2) for _ in d.shape(x)])], "fi", 1)
plain("Pad", lambda d, x: [d.given(d.pick([1, 1], [1, 0], [0, 1], [-1, 1], [2, 1])),
                           d.given(d.pick(0, 2), "f"), d.given([d.axis(x)])], least=1,
      mode=(None, "constant", "edge", "wrap", "reflect"))  # fmt: skip
plain("DepthToSpace", least=4, most=4, fit=lambda s: s[1] == 4, new=("m", 4, "n", 2),
      blocksize=(2,), mode=(None, "CRD"))  # fmt: skip
plain("SpaceToDepth", least=4, most=4, fit=lambda s: s[2] % 2 == s[3] % 2 == 0, blocksize=(2,),
      new=("n", "m", 2, 4))  # fmt: skip


@step("Transpose")
def _transposed(d: Drawn, op: str) -> str:
    x = d.tensor("fi", 2)
    return d.op(op, x, **d.some(perm=[int(k) for k in d.rng.permutation(len(d.shape(x)))]))


@step("Reshape")
def _reshaped(d: Drawn, op: str) -> str:
    x = d.tensor("fi", 1)
    k, own = d.axis(x), d.shape(x)
    few = [0] * len(own)
    if d.pick(0, 0, 1):  # in the order of other sizes
        order = d.given([int(j) for j in d.rng.permutation(len(own))])
        return d.op(op, x, d.op("Gather", d.op("Shape", x), order))
    rest = [d.pick(1, s) if s <= LONGEST else -1 for s in own[k + 1 :]]
    return d.op(op, x, d.given(d.pick(
        [-1], [*few[:k], -1], [*few[:k], -1, d.pick(2, 3, 4)], [*few[:k], 2, -1],
        [*few[:k], 1, *few[k:]], [*few[:k], -1, *rest], [*few[:k], 2, own[k] // 2, *rest],
    )))  # fmt: skip


# ------------------------------------------------------------------------------------- products
def _columns(d: Drawn, x: str) -> str:
    own = d.shape(x)
    if d.pick(True, False):
        return d.weights(own[-1], d.pick(2, 3))
    other = d.tensor("f", 2, 2, lambda s: own[-1] in s)
    return other if d.shape(other)[0] == own[-1] else d.op("Transpose", other)


plain("MatMul", lambda d, x: [_columns(d, x)], least=1)
plain("Gemm", lambda d, x: [_columns(d, x)], least=2, most=2, alpha=(None, 0.5))
plain("MatMulInteger", lambda d, x: [d.given([[k % 3, 1] for k in range(d.shape(x)[-1])], "q")],
      "q", 2)  # fmt: skip
plain("QuantizeLinear", lambda d, x: [d.given(0.25, "f")])
plain("DequantizeLinear", lambda d, x: [d.given(0.25, "f"), d.given(d.pick(0, 128), "q")], "q")


@step("Einsum")
def _einsum(d: Drawn, op: str) -> str:
    parts = [d.tensor(least=1, most=4) for _ in range(d.pick(1, 2))]
    own = ["".join(d.pick(*"abcd") for _ in d.shape(x)) for x in parts]
    out = "".join(c for c in d.rng.permutation(sorted({*"".join(own)})) if d.rng.random() < 0.6)
    return d.op(op, *parts, equation=f"{','.join(own)}->{out}")


@step("Attention")
def _attention(d: Drawn, op: str) -> str:
    x = d.tensor("f", 3, 4, new=d.pick((2, "n", 4), ("m", 2, "n", 3)))
    flat = {} if len(d.shape(x)) == 4 else {"q_num_heads": 1, "kv_num_heads": 1}
    i = row(d, x, -2)
    mask = d.op("Sub", d.op("Unsqueeze", i, d.given([1])), i)
    masks = [d.pick(mask, d.op("Greater", mask, d.given(0, "f")))] if d.pick(True, False) else []
    return d.op(op, x, like(d, x), like(d, x), *masks, **flat, **d.some(is_causal=1, softcap=2.0))


@step("RotaryEmbedding")
def _rotary(d: Drawn, op: str) -> str:
    x = d.tensor("f", 3, 4, lambda s: s[-1] in (2, 4), d.pick(("m", "n", 4), (2, 3, "n", 2)))
    half, heads = d.shape(x)[-1] // 2, {"num_heads": 1} if len(d.shape(x)) == 3 else {}
    sizes = d.op("Concat", d.size(x, 0), d.size(x, -2), axis=0)
    if d.pick(True, False):
        at = d.op("Expand", d.given(1), sizes)
        return d.op(op, x, d.weights(8, half), d.weights(8, half), at, **heads)
    angle = d.op("Unsqueeze", row(d, x, -2), d.given([1]))
    angles = d.op("Expand", angle, d.op("Concat", sizes, d.given([half]), axis=0))
    return d.op(op, x, d.op("Cos", angles), d.op("Sin", angles), **heads, **d.some(interleaved=1))


# -------------------------------------------------------------------------------------- windows
def _window(d: Drawn, x: str) -> dict[str, Any]:
    kernel = [d.pick(1, 2, 3) for _ in d.shape(x)[2:]]
    ends = d.pick({}, {"pads": [k // 2 for k in kernel] * 2}, {"auto_pad": "SAME_LOWER"})
    return {"kernel_shape": kernel, **ends, **d.some(strides=[d.pick(1, 2) for _ in kernel])}


@step("Conv", "AveragePool", "MaxPool")
def _windows(d: Drawn, op: str) -> str:
    x = d.tensor("f", 3, 4, lambda s: s[1] <= LONGEST, d.pick(("m", 2, "n"), (1, 4, "n", "m")))
    window, channels = _window(d, x), d.shape(x)[1]
    if op != "Conv":
        return d.op(op, x, **window, **d.some(ceil_mode=1))
    groups = d.pick(1, channels)
    weights = d.weights(2 * groups, channels // groups, *window["kernel_shape"])
    return d.op(op, x, weights, d.weights(2 * groups), group=groups, **window)


plain("GlobalAveragePool GlobalMaxPool", least=3)


@step("Resize")
def _resize(d: Drawn, op: str) -> str:
    x = d.tensor(least=1, most=4)
    scales = np.ones(len(d.shape(x)))
    scales[d.axis(x)] = d.pick(2, 0.5)
    placed = d.pick("half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel")
    return d.op(op, x, "", d.given(scales, "f"), mode=d.pick("nearest", "linear"),
                coordinate_transformation_mode=placed)  # fmt: skip


# ------------------------------------------------------------------------- graphs inside, layers
@step("RNN", "GRU", "LSTM")
def _recurrent(d: Drawn, op: str) -> str:
    x = d.tensor("f", 3, 3, lambda s: s[2] <= LONGEST, d.pick(("n", "m", 3), ("m", "n", 2)))
    way, gates = d.pick("forward", "reverse", "bidirectional"), {"RNN": 1, "GRU": 3, "LSTM": 4}[op]
    both = 1 + (way == "bidirectional")
    weights = [d.weights(both, 2 * gates, k) for k in (d.shape(x)[2], 2)]
    return d.op(op, x, *weights, outputs=d.pick(1, 2), hidden_size=2, direction=way)


@step("If")
def _if(d: Drawn, op: str) -> str:
    x = d.tensor(least=1)
    test = d.pick(
        lambda: d.given(d.pick(True, False), "b"),
        lambda: d.op("Greater", d.length(x, d.axis(x)), d.given(d.pick(0, 2))),
        lambda: d.op("Greater", d.op("ReduceSum", x, keepdims=0), d.given(0, "f")),
    )()
    branches = {}
    for name in ("then_branch", "else_branch"):
        nodes = [helper.make_node(d.pick("Relu", "Neg", "Softmax"), [x], [f"{name}s"])]
        nodes.append(helper.make_node("Add", [f"{name}s", x], [f"{name}t"]))
        out = [ValueInfoProto(name=f"{name}t")]
        branches[name] = helper.make_graph(nodes, name, [], out)
    return d.op(op, test, **branches)


@step("Scan")
def _scan(d: Drawn, op: str) -> str:
    """Not read: running sums of rows."""
    x = d.tensor(least=2)
    ins = [helper.make_tensor_value_info(name, 1, None) for name in ("sum", "row")]
    nodes = [helper.make_node("Add", ["sum", "row"], ["new"])]
    body = helper.make_graph(nodes, "body", ins, [ValueInfoProto(name="new")])
    first = d.op("ReduceSum", x, d.given([0]), keepdims=0)
    return d.op(op, first, x, body=body, num_scan_inputs=1)
