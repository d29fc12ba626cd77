"""Small graphs of constants as exporters write them, and what is true of each by enumeration."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

import numpy as np

from orderproof.symbolic.onnx.entries.check import runner
from orderproof.symbolic.onnx.graph import Call, Graph, Tensor

SIZES = [{"n": n, "b": b} for n, b in ((1, 3), (2, 3), (5, 2), (7, 3), (12, 1))]
SHAPES = """
  length = Shape<start=1, end=2>(x)
  zero1 = Constant<value=int64[1]{0}>()
  one1 = Constant<value=int64[1]{1}>()
  zero = Constant<value=int64{0}>()
  one = Constant<value=int64{1}>()
  zerof = Constant<value=float{0}>()
  onef = Constant<value=float{1}>()
  low = Constant<value=float{-1e38}>()
  n = Squeeze(length, zero1)
  square = Concat<axis=0>(length, length)
  places = Range(zero, n, one)
  rows = Unsqueeze(places, one1)
  columns = Unsqueeze(places, zero1)
  difference = Sub(columns, rows)
"""


def attribute(a: Any) -> Any:
    """An attribute as plain data."""
    import onnx
    from onnx import helper, numpy_helper

    value = helper.get_attribute_value(a)
    if isinstance(value, onnx.TensorProto):
        return numpy_helper.to_array(value)
    if isinstance(value, bytes):
        return value.decode()
    return tuple(value) if isinstance(value, list) else value


def graph_of(model: Any) -> Graph:
    """A model as plain data."""
    from onnx import helper, numpy_helper

    of, version = model.graph, model.opset_import[0].version

    def tensor(v: Any) -> Tensor:
        kind = v.type.tensor_type
        dims = tuple(d.dim_param or d.dim_value for d in kind.shape.dim)
        return Tensor(v.name, np.dtype(helper.tensor_dtype_to_np_dtype(kind.elem_type)), dims)

    calls = tuple(
        Call(
            node.name or f"{node.op_type} {node.output[0]}", node.op_type, node.domain, version,
            tuple(node.input), tuple(node.output), {a.name: attribute(a) for a in node.attribute},
        )
        for node in of.node
    )  # fmt: skip
    constants = {t.name: numpy_helper.to_array(t) for t in of.initializer}
    inputs = {v.name: tensor(v) for v in of.input}
    return Graph(inputs, {}, constants, calls, version, proto=model)


def graph(body: str, opset: int = 20, **constants: np.ndarray[Any, Any]) -> Graph:
    """A graph with an input x of shape b, n, 8 whose nodes give the constant K."""
    import onnx.parser
    from onnx import numpy_helper

    used: list[str] = []
    lines = [line for line in SHAPES.splitlines() + body.splitlines() if line.strip()]
    wanted = {"K"}
    for line in reversed(lines):  # those that are used alone: unused constants are no error
        name = line.split("=")[0]
        if wanted.intersection(part.strip() for part in name.split(",")):
            used.insert(0, line)
            wanted.update(line.rsplit("(", 1)[1].rstrip(") ").replace(" ", "").split(","))
    text = f'<ir_version: 10, opset_import: ["" : {opset}]> g (float[b,n,8] x) => (K) {{\n'
    model = onnx.parser.parse_model(text + "\n".join(used) + "\n}")
    model.graph.initializer.extend(numpy_helper.from_array(a, k) for k, a in constants.items())
    return graph_of(model)


def row_40(rows: int = 64, width: int = 3) -> np.ndarray[Any, Any]:
    """A table of equal rows but row 40."""
    table = np.full((rows, width), 0.25, dtype=np.float32)
    table[40, 1] = 0.5
    return table


RANDOM = np.random.default_rng(7).normal(size=(64, 3)).astype(np.float32)
TABLE_CUT = "K = Slice(table, zero1, length, zero1)"
BUCKETS = """
  two = Constant<value=int64{2}>()
  four = Constant<value=int64{4}>()
  near = Constant<value=int64{2}>()
  most = Constant<value=int64{3}>()
  fourf = Constant<value=float{4}>()
  twof = Constant<value=float{2}>()
  logs = Constant<value=float{2.0794415}>()
  right = Greater(difference, zero)
  righti = Cast<to=7>(right)
  half = Mul(righti, four)
  away = Abs(difference)
  small = Less(away, near)
  awayf = Cast<to=1>(away)
  ratio = Div(awayf, twof)
  log = Log(ratio)
  part = Div(log, logs)
  times = Mul(part, twof)
  timesi = Cast<to=7>(times)
  far = Add(timesi, near)
  capped = Min(far, most)
  bucket = Where(small, away, capped)
"""
T5 = BUCKETS + "\n  both = Add(half, bucket)\n  K = Gather<axis=0>(table, both)"
T5_SYMMETRIC = BUCKETS + "\n  K = Gather<axis=0>(table, bucket)"

# name: body, the axes of K that σ moves, tables, and the families that leave K as it is at every n
GRAPHS: dict[str, tuple[str, tuple[int, ...], dict[str, Any], frozenset[str]]] = {}
EVERY = frozenset(
    {"all", "all but the first", "all but the last", "blocks", "reversal", "rotation"}
)
SOME = EVERY - {"all"}


def case(
    name: str, body: str, *axes: int, fixed_by: Iterable[str] = (), **tables: np.ndarray[Any, Any]
) -> None:
    """One graph of the list."""
    GRAPHS[name] = body, axes, tables, frozenset(fixed_by)


case("causal by Trilu", """
  ones = ConstantOfShape<value=float[1]{1}>(square)
  upper = Trilu<upper=1>(ones, one)
  keep = Equal(upper, zerof)
  K = Where(keep, zerof, low)
""", 0, 1)  # fmt: skip
case("causal by comparison", "K = GreaterOrEqual(rows, columns)", 0, 1)
case("zeros", "K = ConstantOfShape<value=float[1]{0}>(square)", 0, 1, fixed_by=EVERY)
case("mask of ones", """
  ones = ConstantOfShape<value=int64[1]{1}>(square)
  onesf = Cast<to=1>(ones)
  off = Sub(onef, onesf)
  K = Mul(off, low)
""", 0, 1, fixed_by=EVERY)  # fmt: skip
case("one value expanded", """
  value = Constant<value=float[1,1]{0.1}>()
  K = Expand(value, square)
""", 0, 1, fixed_by=EVERY)  # fmt: skip
case("diagonal", "K = Equal(rows, columns)", 0, 1, fixed_by=EVERY)
case("eye", """
  ones = ConstantOfShape<value=float[1]{1}>(square)
  K = EyeLike<dtype=1>(ones)
""", 0, 1, fixed_by=EVERY)  # fmt: skip
case("ALiBi", """
  slope = Constant<value=float[2,1,1]{-0.5, -0.0625}>()
  away = Abs(difference)
  awayf = Cast<to=1>(away)
  K = Mul(awayf, slope)
""", 1, 2, fixed_by={"reversal"})  # fmt: skip
case("ALiBi, one-sided", """
  slope = Constant<value=float[2,1,1]{-0.5, -0.0625}>()
  awayf = Cast<to=1>(difference)
  K = Mul(awayf, slope)
""", 1, 2)  # fmt: skip
case("window of 64", """
  width = Constant<value=int64{64}>()
  away = Abs(difference)
  K = LessOrEqual(away, width)
""", 0, 1, fixed_by={"reversal"})  # fmt: skip
case("table cut to n", TABLE_CUT, 0, table=RANDOM)
case("table of equal rows", TABLE_CUT, 0, fixed_by=EVERY, table=np.ones((64, 3), np.float32))
case("table but for row 40", TABLE_CUT, 0, table=row_40())
case("T5 buckets", T5, 0, 1, table=RANDOM)
case("T5 buckets, symmetric", T5_SYMMETRIC, 0, 1, fixed_by={"reversal"}, table=RANDOM)
case("sinusoids", """
  step = Constant<value=float[2]{1, 0.01}>()
  rowsf = Cast<to=1>(rows)
  angle = Mul(rowsf, step)
  sin = Sin(angle)
  cos = Cos(angle)
  K = Concat<axis=1>(sin, cos)
""", 0)  # fmt: skip
case("class token first", """
  head = Constant<value=float[1]{1}>()
  two = Constant<value=int64[1]{2}>()
  zeros = ConstantOfShape<value=float[1]{0}>(length)
  fewer = Sub(length, one1)
  cut = Slice(zeros, zero1, fewer)
  K = Concat<axis=0>(head, cut)
""", 0, fixed_by={"all but the first"})  # fmt: skip
case("last token", """
  last = Sub(n, one)
  K = Equal(places, last)
""", 0, fixed_by={"all but the last"})  # fmt: skip
case("blocks of 2", """
  two = Constant<value=int64{2}>()
  a = Less(rows, two)
  b = Less(columns, two)
  unlike = Xor(a, b)
  K = Not(unlike)
""", 0, 1, fixed_by={"blocks"})  # fmt: skip
case("circle", """
  ahead = Add(difference, n)
  round = Mod(ahead, n)
  K = Equal(round, one)
""", 0, 1, fixed_by={"rotation"})  # fmt: skip
case("backwards and forwards", """
  minus = Constant<value=int64[1]{-1}>()
  least = Constant<value=int64[1]{-9223372036854775807}>()
  back = Slice(places, minus, least, zero1, minus)
  sum = Add(back, places)
  K = Cast<to=1>(sum)
""", 0, fixed_by=EVERY)  # fmt: skip
case("positions by CumSum", """
  ones = ConstantOfShape<value=int64[1]{1}>(length)
  K = CumSum(ones, zero)
""", 0)  # fmt: skip
case("infinite causal", """
  minus = Constant<value=float{-inf}>()
  keep = LessOrEqual(columns, rows)
  K = Where(keep, zerof, minus)
""", 0, 1)  # fmt: skip
case("normalised rows, all alike", """
  value = Constant<value=float[1,3]{0.1, 0.7, -2}>()
  scale = Constant<value=float[3]{1, 2, 3}>()
  weight = Constant<value=float[3,3]{1, 2, 3, 4, 5, 7, 9, 1, -2}>()
  three = Constant<value=int64[1]{3}>()
  wide = Concat<axis=0>(length, three)
  rows_ = Expand(value, wide)
  norm = LayerNormalization<axis=-1>(rows_, scale, scale)
  linear = Gemm(norm, weight)
  gelu = Gelu(linear)
  soft = Softmax<axis=-1>(gelu)
  K = Add(soft, norm)
""", 0, fixed_by=EVERY)  # fmt: skip
case("normalised positions", """
  scale = Constant<value=float[3]{1, 2, 3}>()
  f = Cast<to=1>(rows)
  steps = Mul(f, scale)
  K = Softmax<axis=-1>(steps)
""", 0)  # fmt: skip
case("batches of an Einsum", """
  value = Constant<value=float[1,2,3]{0.1, 0.7, -2, 1, 2, 3}>()
  two = Constant<value=int64[2]{2, 3}>()
  wide = Concat<axis=0>(length, two)
  a = Expand(value, wide)
  K = Einsum<equation="bij,bkj->bik">(a, a)
""", 0, fixed_by=EVERY)  # fmt: skip
CUT_TWICE = """
  front = Constant<value=int64[2]{0, 1}>()
  two1 = Constant<value=int64[1]{2}>()
  three1 = Constant<value=int64[1]{3}>()
  cut = Slice(table, zero1, length, two1)
  square_ = Slice(cut, zero1, length, three1)
  masked = Where(square_, zerof, low)
  K = Squeeze(masked, front)
"""
TRIANGLE = np.tril(np.ones((1, 1, 32, 32), dtype=bool))
BAND = np.abs(np.subtract.outer(np.arange(32), np.arange(32)))
CHECKERS = (np.add.outer(np.arange(32), np.arange(32)) % 2 == 0)[None, None]
case("causal table cut to n", CUT_TWICE, 0, 1, table=TRIANGLE)
case("full table cut to n", CUT_TWICE, 0, 1, fixed_by=EVERY, table=np.ones_like(TRIANGLE))
case("band table cut to n", CUT_TWICE, 0, 1, fixed_by={"reversal"}, table=(BAND < 3)[None, None])
case("checkers cut to n", CUT_TWICE, 0, 1, fixed_by={"reversal"}, table=CHECKERS)
case("diagonal table cut to n", CUT_TWICE, 0, 1, fixed_by=EVERY, table=(BAND == 0)[None, None])
case("places from a table", """
  K = Slice(table, zero1, length, zero1)
""", 0, table=np.arange(3, 67, dtype=np.int64))  # fmt: skip
case("split by 8", """
  eight = Constant<value=int64[2]{-1, 4}>()
  four = Constant<value=int64[1]{4}>()
  wide = Mul(length, four)
  limit = Squeeze(wide, zero1)
  counted = Range(zero, limit, one)
  K = Reshape(counted, eight)
""", 0)  # fmt: skip


def generators(family: str, n: int) -> list[list[int]]:
    """Every σ of a family at n, listed; the blocks are of the first two and the others."""
    each = [list(s) for s in itertools.permutations(range(n))]
    match family:
        case "all":
            return each
        case "all but the first":
            return [s for s in each if s[:1] == [0][:n]]
        case "all but the last":
            return [s for s in each if s[-1] == n - 1]
        case "blocks":
            return [s for s in each if all(k < 2 for k in s[:2])]
        case "reversal":
            return [list(range(n))[::-1]]
    return [[(k + by) % n for k in range(n)] for by in range(n)]


def truth(of: Graph, axes: Iterable[int], family: str, n: int) -> bool:
    """Whether K is the same under every σ of a family at n, by onnxruntime and listing."""
    array = runner(of, "K")({"n": n})
    for sigma in generators(family, n):
        moved = array
        for axis in axes:
            moved = moved.take(sigma, axis)
        if not np.array_equal(moved, array):
            return False
    return True
