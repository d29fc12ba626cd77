"""Graphs of one operator or few along an axis n of any size, to be read and compared."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from orderproof.symbolic.onnx.graph import Graph
from tests.symbolic.onnx.one_operator import X, graph

ROWS, LINE = "float[b, n, 4] x", "float[b, 4, n] x"
PICTURE, THREE = "float[b, 4, n, m] x", "float[b, 3, n, 2] x"
FAR = 2**62


def slices() -> list[Graph]:
    """Slices with bounds on both sides of both ends, and steps of both signs."""
    ends = (-9, -2, -1, 0, 1, 3, FAR, -FAR)
    return [
        graph("y = Slice(x, s, e, a, k)", s=[s], e=[e], a=[0], k=[k])
        for s, e, k in itertools.product(ends, ends, (1, 2, -1, -3))
    ]


def shapes() -> list[Graph]:
    """Operators of which the sizes decide what they do."""
    numbers: dict[str, list[Any]] = {
        "Gather<axis = 0>(x, k)": [0, 1, -1, -2, [0, -1], [1, 0], [-1]],
        "Squeeze(x, k)": [[0]],
        "Reshape(x, k)": [
            [-1], [0, -1], [3, -1], [-1, 1, 3], [1, -1], [-1, 3], [-1, 2], [2, -1], [0, 0, 1]],
        "Expand(x, k)": [[1], [2, 1, 1], [4, 1], [1, 3], [5, 3]],
        "Tile(x, k)": [[1, 1], [2, 1], [3, 2]],
        "Trilu<upper = 0>(x, k)": [-2, 0, 1],
        "Trilu<upper = 1>(x, k)": [-2, 0, 1],
        "Add(x, k)": [(3,), (1, 3), (4, 3), (4, 1), (2, 1, 3)],
        "Split<axis = 0>(x, k)": [[4], [5]],
        "Concat<axis = 0>(x, k)": [(2, 3)],
        "ReduceMean(x, k)": [[0]],
        "ReduceMax<keepdims = 0>(x, k)": [[0]],
    }  # fmt: skip
    alone = ["y = Squeeze(x)", "y = Concat<axis = 0>(x, x)",
             "t = Transpose(x) y = MatMul(x, t)", "t = Transpose(x) y = Add(x, t)",
             *(f"y = Flatten<axis = {k}>(x)" for k in (0, 1, 2, -1)),
             *(f"y = Softmax<axis = {k}>(x)" for k in (0, 1)),
             *(f"{p} = Split<axis = 0, num_outputs = {p.count(',') + 1}>(x)"
               for p in ("y, p", "p, y", "p, q, y"))]  # fmt: skip
    return [
        *(graph(f"y = {of}", k=k) for of, values in numbers.items() for k in values),
        *map(graph, alone),
        graph("y = Squeeze(x)", "float[n, 1] x"),
        graph("y = Add(x, z)", "float[n, 3] x, float[m, 3] z"),
        graph("y = MatMul(x, z)", "float[n, n] x, float[n, 3] z"),
    ]


def computed() -> list[Graph]:
    """Sizes that the graph computes: halves, remainders, comparisons, ranges, the larger of two."""
    numbers = """
    Div(n, two); Mod(n, two); Max(n, three); Min(n, three)
    Range(zero, n, one); Range(one, n, one); Range(n, zero, one); Range(zero, n, two)
    Where(t, two, n) t = Equal(n, three); Where(t, two, n) t = Less(n, three)
    Where(t, two, n) t = GreaterOrEqual(n, one); Where(t, two, n) t = Greater(n, one)
    Div(m, two) m = Sub(zero, n); Mod(m, three) m = Sub(one, n); Neg(m) m = Sub(n, four)
    Abs(m) m = Sub(n, one); Abs(m) m = Sub(n, two)
    Cast<to = 7>(t) t = Cast<to = 9>(n); Cast<to = 7>(t) t = Cast<to = 3>(n)
    Cast<to = 7>(t) t = Cast<to = 9>(m) m = Sub(n, three)
    Gather(q, zero) q = ReduceSum<noop_with_empty_axes = 1>(both, none) both = Shape(x)"""
    used = """
    Slice(x, axis, e, axis) e = Unsqueeze(h, axis) h = Div(n, two)
    Slice(x, e, s, axis) e = Unsqueeze(h, axis) h = Div(n, two)
    Slice(x, e, s, axis) e = Unsqueeze(m, axis) m = Sub(n, two)
    Gather<axis = 0>(x, m) m = Sub(n, one); Gather<axis = 0>(x, h) h = Div(n, two)"""
    given: dict[str, Any] = {"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "axis": [0]}
    given["none"] = np.zeros(0, np.int64)  # axes: of a sum over none nothing is added
    return [
        graph(f"s = Shape<start = 0, end = 1>(x) n = Squeeze(s) y = {way}", **given)
        for way in (numbers + used).replace("\n", ";").split(";")
        if way.strip()
    ]


def windows() -> list[Graph]:
    """Convolutions, pooling, padding and resizing along an axis, and views of views."""
    ends: dict[str, Any] = {"p": [0, 0, 1, 0, 0, 2]}
    both = "kernel_shape = [3, 2], pads = [1, 0, 1, 1]"
    convolutions = (
        (1, ""), (1, "strides = [2]"), (2, "strides = [2]"), (3, "pads = [2, 0]"),
        (3, "pads = [0, 3], dilations = [2]"), (3, "pads = [1, 1], strides = [2]"),
        (4, 'auto_pad = "SAME_UPPER"'), (4, 'auto_pad = "SAME_LOWER"'),
        (4, 'auto_pad = "SAME_LOWER", strides = [3]'), (3, 'auto_pad = "VALID", strides = [2]'),
    )  # fmt: skip
    pools = (
        "[3]", "[3], pads = [1, 1]", "[3], pads = [1, 1], strides = [2]", "[2], dilations = [2]",
        '[4], auto_pad = "SAME_LOWER"', '[4], auto_pad = "SAME_UPPER", strides = [3]',
    )  # fmt: skip
    pooled = ("AveragePool", "MaxPool")
    found = [
        *(graph(f"y = Conv<{a}>(x, w, c)", LINE, w=(8, 4, k), c=(8,)) for k, a in convolutions),
        graph("y = Conv<pads = [1, 1], group = 2>(x, w, c)", LINE, w=(8, 2, 3), c=(8,)),
        graph("y = Conv<group = 4>(x, w, c)", LINE, w=(8, 1, 1), c=(8,)),
        graph("y = Conv<pads = [1, 0, 2, 1], strides = [2, 1], dilations = [1, 2]>(x, w)", PICTURE,
              w=(4, 4, 3, 2)),
        *(graph(f"y = {op}<kernel_shape = {a}>(x)", LINE) for op in pooled for a in pools),
        *(graph(f"y = {op}<{both}, strides = [2, 1]>(x)", PICTURE) for op in pooled),
        *(graph("y = AveragePool<kernel_shape = [2], strides = [3], ceil_mode = 1>(x)",
                f"float[b, 4, {k}] x") for k in (6, 7)),
        *(graph(f'z = Pad<mode = "{mode}">(x, p) y = {op}<kernel_shape = [4], pads = {pads}>(z)',
                LINE, **ends)
          for op in pooled for mode in ("constant", "edge", "wrap") for pads in ([0, 0], [1, 1])),
        *(graph(f'y = Resize<mode = "{mode}", coordinate_transformation_mode = "{at}">(x, , s)',
                LINE, s=np.float32([1, 1, s]))
          for mode in ("nearest", "linear")
          for at in ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric")
          for s in (2, 0.5)),
        *(graph(f'y = Resize<nearest_mode = "{how}", '
                'coordinate_transformation_mode = "asymmetric">(x, , s)',
                LINE, s=np.float32([1, 1, 2]))
          for how in ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")),
        *(graph(f'y = Pad<mode = "{mode}">(x, p)', LINE, **ends)
          for mode in ("constant", "edge", "reflect", "wrap")),
        graph("y = Pad(x, p, v, a)", PICTURE, p=[1, 0, 1, 2], v=3.5, a=[2, 3]),
        graph("y = Pad(x, p, v)", LINE, p=[0, 0, 1, 0, 0, -1], v=-2.0),
    ]  # fmt: skip
    numbers: dict[str, Any] = {
        "z": [0], "o": [1], "two": [2], "three": [3], "back": [-1], "far": [FAR], "near": [-FAR],
        "w": (6, 4, 3), "twice": [1, 1, 2],
    }  # fmt: skip
    views = (
        "own = Shape(x) new = Mul(own, twice) y = Resize(x, , , new)",
        "a = Slice(x, back, far, two) b = Slice(x, z, o, two) "
        "q = Concat<axis = 2>(a, x, b) y = Conv(q, w)",
        *(f"a = Slice(x, {by}, far, two) b = Slice(x, z, {by}, two) roll = Concat<axis = 2>(a, b) "
          "y = Slice(roll, back, near, two, back)" for by in ("three", "o")),
        'a = Pad<mode = "reflect">(x, p) y = Slice(a, o, far, two)',
        'a = Pad<mode = "wrap">(x, p) y = Conv(a, w)',
        "[pool] a = AveragePool<kernel_shape = [3], pads = [1, 1]>(x) "
        "[pool] b = AveragePool<kernel_shape = [5], pads = [2, 2]>(x) y = Sub(a, b)",
    )  # fmt: skip
    return found + [graph(nodes, LINE, **numbers, **ends) for nodes in views]


def blocks() -> list[Graph]:
    """Pooling of blocks; of one place onnxruntime makes a block of two."""
    return [
        graph(f"y = {op}<kernel_shape = [2], strides = [2]>(x)", LINE)
        for op in ("AveragePool", "MaxPool")
    ]


def sequences() -> list[Graph]:
    """Running sums, Fourier transforms, ranks, places, and what is scattered."""
    edges = "float[n, 4] x, float[m, 4] u, int64[m, 1] i_to"
    return [
        *(graph(f"y = CumSum<exclusive = {e}, reverse = {b}>(x, a)", ROWS, a=-2)
          for e in (0, 1) for b in (0, 1)),
        *(graph(f"y = DFT<{a}>(x, , a)", f"float[b, n, 3, {parts}] x", a=1)
          for parts, a in ((1, ""), (1, "inverse = 1"), (1, "onesided = 1"), (2, ""),
                           (2, "inverse = 1"))),
        *(graph("y = DFT(x, k, a)", "float[b, 6, n, 1] x", k=k, a=1) for k in (4, 9)),
        graph("y = DFT(x)", "float[b, 2, n, 1] x"),
        *(graph(f"r = Round(x) y, i = TopK<axis = 1, largest = {most}>(r, k)", ROWS, k=[3])
          for most in (0, 1)),
        graph("v, y = TopK(x, k)", ROWS, k=[2]),
        graph("k = Shape<start = 1, end = 2>(x) y, i = TopK<axis = 1>(x, k)", ROWS),
        graph("y = OneHot<axis = 0>(i_at, d, v)", "int64[b, n] i_at", d=6, v=(2,)),
        *(graph(f"e = EyeLike<k = {k}>(x) y = Add(e, x)", "float[n, m] x") for k in (0, 1)),
        graph("y = GatherND(x, i_at)", "float[n, 5, 2] x, int64[m, 2] i_at"),
        graph("y = GatherND<batch_dims = 1>(x, i_at)", "float[b, n, 2] x, int64[b, m, 1] i_at"),
        *(graph(nodes.replace("<", f'<reduction = "{how}"'), edges)
          for how in ("add", "max", "min", "mul")
          for nodes in ("y = ScatterND<>(x, i_to, u)",
                        "s = Shape(u) p = Expand(i_to, s) y = ScatterElements<>(x, p, u)")),
        graph('y = ScatterND<reduction = "add">(x, i_to, u)',
              "float[n, 5, 2] x, float[m, 2] u, int64[m, 2] i_to"),
        graph("y = ScatterND(x, p, u)", "float[6, n] x, float[4, n] u", p=[[5], [0], [5], [-3]]),
        graph("y = ScatterND(x, p, u)", "float[6, 3, n] x, float[2, 2, n] u",
              p=[[[0, 1], [2, 2]], [[5, 0], [0, 1]]]),
        graph("y = ScatterElements<axis = 1>(x, p, u)", "float[2, 6] x, float[2, 4] u",
              p=[[0, 3, 1, 2], [2, 0, 1, 3]]),
        graph("s = Shape<start = 0, end = 1>(x) k = Squeeze(s) r = Range(one, k, one) "
              "p = Unsqueeze(r, last) t = Slice(x, last, end) u = Neg(t) y = ScatterND(x, p, u)",
              X, one=1, last=[1], end=[FAR]),
    ]  # fmt: skip


def layers() -> list[Graph]:
    """Attention, rotary embeddings, recurrent layers, losses."""
    heads = "float[b, 4, n, 3] q, float[b, 2, m, 3] k, float[b, 2, m, 5] v"
    own = heads.replace("m", "n")
    flat = "float[b, n, 12] q, float[b, m, 6] k, float[b, m, 10] v"
    counts = "q_num_heads = 4, kv_num_heads = 2"
    masks = ("n, m", "b, 1, n, m", "b, 4, n, m", "1, 4, n, m")
    found = [
        *(graph(f"y = Attention<{a}>(q, k, v)", x) for x, a in (
            (heads, ""), (heads, "scale = 0.3"), (heads, "softcap = 0.7"), (flat, counts),
            (flat, f"{counts}, is_causal = 1"), (own, "is_causal = 1"))),
        *(graph("y = Attention(q, k, v, mask)", f"{heads}, float[{dims}] mask") for dims in masks),
        *(graph("mask = Or(b_some, first) y = Attention(q, k, v, mask)",
                f"{heads}, bool[{dims}] b_some", first=np.eye(1, 5, dtype=bool))
          for dims in masks[:2]),
        *(graph(f"{out} = Attention<is_causal = {causal}>(q, k, v, , pk, pv)",
                f"{own}, float[b, 2, m, 3] pk, float[b, 2, m, 5] pv")
          for out in ("y, z, w", "z, y, w", "z, w, y") for causal in (0, 1)),
        graph("p = Add(i_at, two) y = RotaryEmbedding(x, c, s, p)",
              "float[b, 2, n, 6] x, int64[b, n] i_at", two=2, c=(4, 3), s=(4, 3)),
        *(graph(f"y = RotaryEmbedding<interleaved = {pairs}, rotary_embedding_dim = {part}, "
                "num_heads = 2>(x, c, s)",
                f"float[{dims}] x, float[b, n, {half}] c, float[b, n, {half}] s")
          for pairs in (0, 1) for part, half in ((0, 3), (4, 2))
          for dims in ("b, 2, n, 6", "b, n, 12")),
        graph('y = SoftmaxCrossEntropyLoss<reduction = "none">(x, i_at)',
              "float[b, 2, n] x, int64[b, n] i_at"),
        graph("y = MeanVarianceNormalization(x)", THREE),
        graph("y = Shrink<bias = 0.25>(x)", THREE),
    ]  # fmt: skip
    for op, gates in (("RNN", 1), ("GRU", 3), ("LSTM", 4)):
        for k, out, more, a in (
            (1, "y", "", ""), (1, "z, y", "", ""), (1, "y", ", , h", ""), (2, "y", "", ""),
            (2, "z, y", "", ""), (2, "y", ", , h", ""), (1, "z, y", "", ', direction = "reverse"'),
            *([(1, "z, w1, y", ", , h, k", ""), (1, "y", ", , h, k, p", "")]
              if op == "LSTM" else []),
            *([(1, "y", "", ", linear_before_reset = 1")] if op == "GRU" else []),
        ):  # fmt: skip
            both = ', direction = "bidirectional"' if k == 2 else ""
            states = "".join(f", float[{k}, b, 5] {s}" for s in "hk" if s in more)
            weights = {"w": (k, 5 * gates, 4), "r": (k, 5 * gates, 5), "c": (k, 10 * gates)}
            weights |= {"p": (k, 15)} if "p" in more else {}
            nodes = f"{out} = {op}<hidden_size = 5{a}{both}>(x, w, r, c{more})"
            found.append(graph(nodes, f"float[n, b, 4] x{states}", **weights))
    return found


def branches() -> list[Graph]:
    """If: the branch that is taken, what branches capture, conditions on sizes and on data."""
    double, same = "() => (t) { t = Add(x, x) }", "() => (t) { t = Identity(x) }"
    shift = "() => (t) <float k = {2.5}> { u = Mul(x, w) t = Add(u, k) }"
    # the constants p of a branch, and those of another one
    there, other = (
        f"() => (t) <int64[3] p = {{{p}}}> {{ t = Gather<axis = 1>(x, p) }}"
        for p in ("2, 0, 3", "1, 1, 1")
    )
    put = "() => (t) <int64[2, 1] p = {2, 0}> { t = ScatterND(x, p, u) }"
    is_one = "s = Shape<start = 1, end = 2>(x) e = Equal(s, one) c = Squeeze(e)"
    longer = "s = Shape<start = 2>(x) g = Greater(s, five) c = Squeeze(g)"
    positive = "s = ReduceSum<keepdims = 0>(x) c = Greater(s, zero)"
    given: dict[str, Any] = {"w": (4, 1), "five": [5], "one": [1], "zero": 0.0, "u": (2, 3, 4)}
    return [
        graph(f"{before} y = If(c) <then_branch = a {then}, else_branch = b {els}>", x, **given,
              **({} if before else {"c": truth}))
        for before, then, els, x, truth in (
            ("", double, shift, LINE, True), ("", double, shift, LINE, False),
            ("", there, other, LINE, True), ("", put, other, "float[5, 3, 4] x", True),
            (is_one, "() => (t) { t = Squeeze(x, one) }", same, "float[b, 1, n] x", None),
            (is_one, double, same, LINE, None), (longer, double, shift, LINE, None),
            (positive, double, shift, LINE, None))
    ]  # fmt: skip


def plain() -> list[Graph]:
    """Functions of the entries, reductions and quantised numbers that no other list has."""
    steps: dict[str, Any] = {"s": 0.05, "z": np.int8(3)}
    weights = np.random.default_rng(4).integers(-60, 60, (4, 4)).astype(np.int8)
    return [
        graph("y = Ceil(x)"),
        graph("y = Div(i_x, k)", "int64[b, n, 4] i_x", k=[3]),
        *(graph(f"t = {op}(b_x, b_z) u = Not(t) y = Cast<to = 1>(u)", "bool[n] b_x, bool[n] b_z")
          for op in ("And", "Or", "Xor")),
        graph("q = QuantizeLinear(x, s, z) y = DequantizeLinear(q, s, z)", ROWS, **steps),
        graph("q = QuantizeLinear<axis = 1>(x, s) y = DequantizeLinear<axis = 1>(q, s)", THREE,
              s=np.float32([0.1, 0.2, 0.5])),
        graph("q, s, z = DynamicQuantizeLinear(x) p = MatMulInteger(q, w, z) f = Cast<to = 1>(p) "
              "y = Mul(f, s)", ROWS, w=weights),
        graph('y = ScatterElements<axis = 1, reduction = "add">(x, k, z)',
              "float[3, 5, 4] x, float[3, 5, 4] z", k=np.arange(60).reshape(3, 5, 4) // 4 % 4),
        *(graph(f"y = {op}(x, a)", a=[0]) for op in (
            "ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSumExp", "ReduceMin")),
        *(graph(f"y = {op}<axis = {k}>(x)", ROWS) for op in ("ArgMax", "ArgMin") for k in (1, 2)),
        *(graph(f"a = Abs(x) t = {op}(x, a) y = Where(t, x, w)", w=(3,))
          for op in ("GreaterOrEqual", "LessOrEqual")),
    ]  # fmt: skip


QKV: dict[str, Any] = {
    "w": (4, 12), "heads": [0, 0, 2, 2], "three": [4, 4, 4], "unbound": [0, 0, 3, 2, 2],
    "s0": [0], "s1": [4], "s2": [8], "e0": [4], "e1": [8], "e2": [12], "a0": [0], "a1": [1],
    "a2": [2],
}  # fmt: skip
HEADS = " ".join(f"{x} = Reshape({x}0, heads)" for x in "qkv")


def packed(cut: str) -> Graph:
    """Attention with one projection to queries, keys and values."""
    scores = (
        's = Einsum<equation = "bihd,bjhd->bhij">(q, k) a = Softmax(s) '
        'y = Einsum<equation = "bhij,bjhd->bihd">(a, v)'
    )
    return graph(f"p = MatMul(x, w) {cut} {scores}", ROWS, **QKV)


NUMBERS: dict[str, Any] = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "a0": [0], "a1": [1], "a2": [2], "flat": [-1],
    "to": [0, 2, -1], "k": (2, 1, 3),
}  # fmt: skip
RANGES = """b1, n1 = Split<num_outputs = 2>(sizes) b0 = Squeeze(b1, a0) n0 = Squeeze(n1, a0)
    rb = Range(zero, b0, one) rn = Range(zero, n0, one)"""
AT = """i = Expand(i0, shape) j = Expand(j0, shape) b = Unsqueeze(i, a2) n = Unsqueeze(j, a2)
    at = Concat<axis = -1>(b, n) m = GatherND(b_mask, at)"""


def picked(nodes: str, mask: str = "bool[b, n] b_mask") -> Graph:
    """A mask, of which entries are taken by the numbers of their rows and columns."""
    text = f"sizes = Shape(b_mask) {RANGES} {nodes} y = Cast<to = 1>(m)"
    return graph(text, mask, **NUMBERS)


ROWS_FIRST = f"i0 = Unsqueeze(rb, a1) j0 = Unsqueeze(rn, a0) shape = Concat<axis = 0>(b1, n1) {AT}"
FEATURES = "u = Unsqueeze(x, a1) f = Conv<strides = [2]>(u, k)"
# Forms that exporters write: the graph, its axis, what moves along, conditions of the theorem.
FORMS: dict[str, tuple[Graph, str, list[str], tuple[str, ...]]] = {
    "split": (packed(f"q0, k0, v0 = Split<axis = 2>(p, three) {HEADS}"), "x:1", [], ()),
    "chunk": (packed(f"q0, k0, v0 = Split<axis = 2, num_outputs = 3>(p) {HEADS}"), "x:1", [], ()),
    "slices": (packed(" ".join(
        f"{x}0 = Slice(p, s{k}, e{k}, a2)" for k, x in enumerate("qkv")) + HEADS), "x:1", [], ()),
    "unbind": (packed("r = Reshape(p, unbound)" + " ".join(
        f"{x}1 = Gather<axis = 2>(r, a{k}) {x} = Squeeze({x}1, a2)"
        for k, x in enumerate("qkv"))), "x:1", [], ()),
    "class token before patches": (graph(
        "p = Reshape(x, to) b0 = Shape<start = 0, end = 1>(x) shape = Concat<axis = 0>(b0, a, a) "
        "cs = Expand(c, shape) y = Concat<axis = 1>(cs, p)", "float[n, 2, 2, 3] x",
        to=[0, 4, 3], c=(1, 1, 3), a=[1]), "x:0", [], ()),
    "mask by numbers, rows": (picked(ROWS_FIRST), "b_mask:0", [], ()),
    "mask by numbers, columns": (picked(ROWS_FIRST), "b_mask:1", [], ()),
    "mask by numbers, transposed": (picked(
        "i0 = Unsqueeze(rb, a0) j0 = Unsqueeze(rn, a1) shape = Concat<axis = 0>(n1, b1)" + AT),
        "b_mask:0", [], ()),
    "mask by numbers of its entries": (picked(
        "entries = Reshape(b_mask, flat) i = Unsqueeze(rb, a1) begin = Mul(i, n0) "
        "at = Add(begin, rn) m = Gather(entries, at)"), "b_mask:1", [], ()),
    "a window, reshaped to what is left": (graph(
        f"{FEATURES} y = Reshape(f, to)", "float[b, n] x", **NUMBERS), "x:0", [], ("n >= 3",)),
    "positions after a window": (graph(
        f"{FEATURES} n1 = Shape<start = 1, end = 2>(x) n0 = Squeeze(n1, a0) d = Sub(n0, three) "
        "h = Div(d, two) m = Add(h, one) r = Range(zero, m, one) t = Cast<to = 1>(r) "
        "y = Add(f, t)", "float[b, n] x", **NUMBERS), "x:0", [], ("n >= 3",)),
    "the first half of the positions": (graph(
        "s = Shape<start = 1, end = 2>(x) h = Div(s, two) y = Slice(x, zero, h, one)",
        "float[b, n] x", two=[2], zero=[0], one=[1]), "x:0", [], ()),
    "one length in two names": (graph(
        "b0 = Shape<start = 0, end = 1>(x) to = Concat<axis = 0>(b0, flat) m = Reshape(mask, to) "
        "u = Unsqueeze(m, a) y = Mul(x, u)", f"{ROWS}, float[other, m] mask",
        flat=[-1], a=[2]), "x:0", ["mask:0"], ("n = m",)),
    "a mask by numbers of tokens": (graph(
        f"sizes = Shape(x) shape = Identity(sizes) {RANGES} i0 = Unsqueeze(rb, a1) "
        f"j0 = Identity(rn) {AT} g = Cast<to = 1>(m) y = Mul(g, x)",
        "float[b, n] x, bool[other, m] b_mask", **NUMBERS), "x:1", ["b_mask:1"],
        ("other = b",)),
}  # fmt: skip
