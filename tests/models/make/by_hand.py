"""Graphs written in ONNX's own text, as other tools and hands write them; and traps."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
import onnx
import onnx.parser
from onnx import numpy_helper

from tests.models.make.spec import (
    BATCH,
    Input,
    Model,
    Question,
    equivariant,
    invariant,
    refuted,
    subgroup,
    tokens,
)

X = {"x": tokens()}
TEXT = {"float32": "float", "int64": "int64", "bool": "bool"}
SHAPES = {"square": (4, 4), "row": (4,), "scalar": (), "words": (11, 4), "table": (8, 4)}


def random(name: str, *shape: int) -> Any:
    """Normal values that depend on the name and the shape alone."""
    values = np.random.default_rng([zlib.crc32(name.encode()), *shape]).normal(size=shape)
    return (values * (0.7 if len(shape) > 1 else 1)).astype(np.float32)


def graph(
    body: str,
    output: str = "float[b,n,4] y",
    inputs: dict[str, Input] | None = None,
    opset: int = 13,
    functions: str = "",
    imports: str = "",
    **weights: Any,
) -> onnx.ModelProto:
    """A model of nodes in text; weights are arrays, or names of SHAPES filled at random."""
    given = ", ".join(
        f"{TEXT[i.dtype]}[{','.join(map(str, i.dims))}] {name}"
        for name, i in (X if inputs is None else inputs).items()
    )
    text = f'<ir_version: 8, opset_import: ["" : {opset}{imports}]>\nmain ({given}) => ({output}) '
    proto = onnx.parser.parse_model(text + "{" + body + "}" + functions)
    for name, value in weights.items():
        array = random(name, *SHAPES[value]) if isinstance(value, str) else np.asarray(value)
        proto.graph.initializer.append(numpy_helper.from_array(array, name))
    for k, node in enumerate(proto.graph.node):
        node.name = f"{node.op_type}_{k}"
    return proto


def ints(*values: int) -> Any:
    """Axes, shapes and indices."""
    return np.array(values, np.int64)


def models() -> list[Model]:
    """The models of this file."""
    both, none = [equivariant(), BATCH], [refuted(output_axis=1)]
    three = {name: random(f"{name} heads", 4, 2, 2) for name in ("wq", "wk", "wv")}
    squares = dict.fromkeys(("wq", "wk", "wv", "wo"), "square")
    norm = """
        mean = ReduceMean <axes = [2]> (x)
        centred = Sub (x, mean)
        squared = Mul (centred, centred)
        variance = ReduceMean <axes = [2]> (squared)
        shifted = Add (variance, epsilon)
        root = Sqrt (shifted)
        unit = Div (centred, root)
        scaled = Mul (unit, gamma)
        normed = Add (scaled, beta)"""
    project = "q = MatMul (x, wq) k = MatMul (x, wk) v = MatMul (x, wv)"
    fused = " <q_num_heads = 2, kv_num_heads = 2>"
    coarse = {"x": Input(("b", "n", 4), "coarse")}
    ids = {"ids": Input(("b", "n"), "integers", "int64", 11)}
    mask = {"x": X["x"], "mask": Input(("n", "n"), "adjacency", "bool")}
    places = {"x": X["x"], "position_ids": Input(("b", "n"), "places", "int64")}
    rotate = {
        "cosines": np.cos(np.outer(np.arange(8), [0.9])).astype(np.float32),
        "sines": np.sin(np.outer(np.arange(8), [0.9])).astype(np.float32),
    }
    rest = {3: 2, 4: 6, 5: 24}
    mirror = {2: 2, 3: 2, 4: 8, 5: 8}
    fixed = {"x": Input(("b", 4, 5))}
    rows = "n = Shape <start = 1, end = 2> (x) one = Constant <value_int = 1> () "
    span = (
        rows
        + """zero = Constant <value_int = 0> () count = Squeeze (n)
        place = Range (zero, count, one)"""
    )
    # fmt: off
    return [  # name, what it is, module, inputs, questions
        Model("keras_attention", "Keras's MultiHeadAttention as Einsum, opset 13", graph("""
              q = Einsum <equation = "abc,cde->abde"> (x, wq)
              k = Einsum <equation = "abc,cde->abde"> (x, wk)
              v = Einsum <equation = "abc,cde->abde"> (x, wv)
              small = Mul (q, half)
              scores = Einsum <equation = "aecd,abcd->acbe"> (k, small)
              weights = Softmax <axis = -1> (scores)
              z = Einsum <equation = "acbe,aecd->abcd"> (weights, v)
              out = Einsum <equation = "abcd,cde->abe"> (z, wo)
              y = Add (out, bias)""", half=np.float32(0.7), bias="row",
              wo=random("wo heads", 2, 2, 4), **three), X, both),
        Model("keras_dense", "Keras's Dense on tokens as a flattened product, and a decomposed"
              " layer norm, opset 13", graph(norm + """
              flat = Reshape (normed, two)
              product = MatMul (flat, w)
              summed = Add (product, bias)
              shape = Shape (x)
              again = Reshape (summed, shape)
              y = Relu (again)""", two=ints(-1, 4), w="square", bias="row", gamma="row",
              beta="row", epsilon=np.float32(0.001)), X, both),
        Model("keras_global_pooling", "NHWC to NCHW and back around a pointwise convolution, then"
              " GlobalAveragePooling1D, opset 13", graph("""
              front = Transpose <perm = [0, 2, 1]> (x)
              flat = Unsqueeze (front, axis)
              c = Conv (flat, w, bias)
              r = LeakyRelu <alpha = 0.2> (c)
              g = GlobalAveragePool (r)
              y = Flatten (g)""", "float[b,4] y", axis=ints(2), w=random("conv", 4, 4, 1, 1),
              bias="row"), X, [invariant(), BATCH]),
        Model("attention_23", "the Attention operator of opset 23, three axes", graph(
              project + f" z = Attention{fused} (q, k, v) y = MatMul (z, wo)", opset=23,
              **squares), X, both),
        Model("attention_23_causal", "the same with is_causal", graph(
              project + "z = Attention <q_num_heads = 2, kv_num_heads = 2, is_causal = 1>"
              " (q, k, v) y = MatMul (z, wo)", opset=23, **squares), X, none),
        Model("attention_23_mask", "the same with a mask (n, n) of booleans as an input", graph(
              project + f" z = Attention{fused} (q, k, v, mask) y = MatMul (z, wo)", opset=23,
              inputs=mask, **squares), mask,
              [equivariant(moving=[("mask", 0), ("mask", 1)]), *none]),
        Model("attention_23_softcap", "the same with soft-capped scores, shared keys", graph("""
              q = MatMul (x, wq) k = MatMul (x, wk) v = MatMul (x, wv)
              z = Attention <q_num_heads = 2, kv_num_heads = 1, softcap = 2.0, scale = 0.5>
              (q, k, v)
              y = MatMul (z, wo)""", opset=23, wq="square", wo="square", wk=random("wk", 4, 2),
              wv=random("wv", 4, 2)), X, both),
        Model("rotary_23", "RotaryEmbedding of opset 23, position ids as an input", graph(
              project + """
              r = RotaryEmbedding <num_heads = 2> (q, cosines, sines, position_ids)
              s = RotaryEmbedding <num_heads = 2> (k, cosines, sines, position_ids)
              """ + f"z = Attention{fused} (r, s, v) y = MatMul (z, wo)", opset=23,
              inputs=places, **squares, **rotate), places,
              [equivariant(moving=[("position_ids", 1)]), *none]),
        Model("local_function", "a block as a local function, called twice", graph("""
              h = own.Mixed <rate = 0.5> (x, wq, wk)
              y = own.Mixed <rate = 0.25> (h, wv, wo)""", opset=18, imports=', "own" : 1',
              functions="""
              <domain: "own", opset_import: ["" : 18]>
              Mixed <rate> (tokens, left, right) => (mixed) {
              own = MatMul (tokens, left)
              axis = Constant <value_ints = [1]> ()
              all = ReduceMean <keepdims = 1> (tokens, axis)
              share = MatMul (all, right)
              factor = Constant <value_float: float = @rate> ()
              small = Mul (share, factor)
              sum = Add (own, small)
              mixed = Tanh (sum) }""", **squares), X, both),
        Model("if_by_size", "If: for more than three tokens a table is added", graph("""
              size = Shape <start = 1, end = 2> (x)
              many = Greater (size, three)
              one = Squeeze (many)
              y = If (one) <then_branch = positions () => (float[b,n,4] added)
              { rows = Slice (table, zero, size) added = Add (x, rows) },
              else_branch = nothing () => (float[b,n,4] same) { same = Tanh (x) }>""", opset=18,
              three=ints(3), zero=ints(0), table="table"), X,
              [equivariant(sizes=(2, 3), breaks_at=4)]),
        Model("if_by_value", "If: by the sign of the sum of all, two maps of each token", graph("""
              sum = ReduceSum <keepdims = 0> (x)
              positive = Greater (sum, zero)
              y = If (positive) <then_branch = left () => (float[b,n,4] l)
              { l = MatMul (x, wq) }, else_branch = right () => (float[b,n,4] r)
              { h = MatMul (x, wk) r = Tanh (h) }>""", opset=18, zero=np.float32(0),
              wq="square", wk="square"), X, both),
        Model("scan_sum", "Scan whose state is a sum: it forgets the order", graph("""
              turned = Transpose <perm = [1, 0, 2]> (x)
              nothing = Mul (x, zero)
              start = ReduceSum <keepdims = 0> (nothing, first)
              y = Scan <num_scan_inputs = 1, body = step (float[b,4] s, float[b,4] t) =>
              (float[b,4] u) { h = Tanh (t) u = Add (s, h) }> (start, turned)""",
              "float[b,4] y", opset=18, first=ints(1), zero=np.float32(0)), X, [invariant()]),
        Model("unstable_sort", "a bug: tokens in the order of a key with ties, which stay in"
              " their places", graph("""
              first = Gather <axis = 2> (x, zero)
              key = Sign (first)
              size = Shape <start = 1, end = 2> (x)
              values, order = TopK <axis = 1> (key, size)
              place = Unsqueeze (order, two)
              shape = Shape (x)
              wide = Expand (place, shape)
              y = GatherElements <axis = 1> (x, wide)""", opset=18, zero=np.int64(0),
              two=ints(2)), X, [refuted()]),
        Model("best_token", "the token with the largest first feature: of equals, the first",
              graph("""
              first = Gather <axis = 2> (x, zero)
              best = ArgMax <axis = 1, keepdims = 1> (first)
              place = Unsqueeze (best, two)
              shape = Constant <value_ints = [1, 1, 4]> ()
              wide = Expand (place, shape)
              z = GatherElements <axis = 1> (x, wide)
              y = Squeeze (z, one)""", "float[b,4] y", inputs=coarse, opset=18,
              zero=np.int64(0), one=ints(1), two=ints(2)), coarse, [refuted()]),
        Model("hard_attention", "Hardmax over the tokens: of equals, the first", graph("""
              scores = MatMul (x, w) weights = Hardmax <axis = 1> (scores)
              picked = Mul (weights, x) y = ReduceSum <keepdims = 0> (picked, one)""",
              "float[b,4] y", inputs=coarse, w=np.eye(4, 1, dtype=np.float32), one=ints(1)),
              coarse, [refuted()]),
        Model("top_values", "the two largest values of each feature", graph("""
              v, i = TopK <axis = 1> (x, two) y = Tanh (v)""", "float[b,2,4] y", two=ints(2)), X,
              [invariant(), BATCH]),
        Model("spread_mean", "the mean at every token: it moves with the tokens, and it stays",
              graph("""
              m = ReduceMean <axes = [1], keepdims = 1> (x) shape = Shape (x)
              wide = Expand (m, shape) y = Tanh (wide)"""), X, both),
        Model("constant_rows", "n rows of a table are returned, whatever the values", graph("""
              n = Shape <start = 1, end = 2> (x) rows = Slice (table, zero, n)
              y = Tanh (rows)""", "float[n,4] y", opset=18, zero=ints(0), table="table"), X,
              [invariant()]),
        Model("identity", "nothing", graph("y = Identity (x)"), X, both),
        Model("reversed", "the tokens in reverse: σ must commute with the reversal", graph("""
              y = Slice (x, last, end, one, back)""", last=ints(-1), end=ints(-(2**31)),
              one=ints(1), back=ints(-1)), X, [subgroup(mirror), BATCH]),
        Model("tiled", "all tokens, twice", graph("""
              z = Concat <axis = 1> (x, x) y = Tanh (z)""", "float[b,m,4] y"), X, both),
        Model("repeated", "each token twice", graph("""
              wide = Unsqueeze (x, two) twice = Concat <axis = 2> (wide, wide)
              flat = Reshape (twice, shape) y = Tanh (flat)""", "float[b,m,4] y", two=ints(2),
              shape=ints(0, -1, 4)), X, both),
        Model("flattened_tokens", "all tokens as one vector of any length", graph("""
              h = MatMul (x, w) z = Tanh (h) y = Flatten (z)""", "float[b,m] y", w="square"), X,
              both),
        Model("gathered", "four tokens in another order, which is part of the model: a cycle",
              graph("y = Gather <axis = 1> (x, order)", "float[b,4,5] y", fixed,
              order=ints(1, 2, 3, 0)), fixed,
              [subgroup({4: 4}, sizes=(4,)), BATCH]),
        Model("two_scans", "sums from both sides, less the token: the total, at every token",
              graph("""
              a = CumSum (x, one) b1 = CumSum <reverse = 1> (x, one) s = Add (a, b1)
              t = Sub (s, x) y = Tanh (t)""", one=np.int32(1)), X, both),
        Model("two_triangles", "a mask of a lower and an upper triangle: all ones", graph("""
              n = Shape <start = 1, end = 2> (x)
              shape = Concat <axis = 0> (n, n)
              ones = ConstantOfShape <value = float[1] {1.0}> (shape)
              low = Trilu <upper = 0> (ones) up = Trilu <upper = 1> (ones, step)
              all = Add (low, up) z = MatMul (all, x) y = Tanh (z)""", opset=15,
              step=np.int64(1)), X, both),
        Model("one_hot", "ids by OneHot and a product, the sum: a bag of words", graph("""
              hot = OneHot (ids, depth, values) v = MatMul (hot, words)
              s = ReduceSum <keepdims = 0> (v, one) y = Tanh (s)""", "float[b,4] y", ids,
              depth=np.int64(11), values=np.array([0, 1], np.float32), one=ints(1),
              words="words"), ids,
              [Question("ids", 1, "invariant"), Question("ids", 0, "equivariant", 0)]),
        Model("counts", "how often each id occurs, by ScatterElements with addition", graph("""
              like = Cast <to = 1> (ids) zero = Mul (like, nought)
              updates = Add (zero, unit) sum = ReduceSum <keepdims = 1> (zero, one)
              start = Expand (sum, shape) c = ScatterElements <axis = 1, reduction = "add">
              (start, ids, updates) d = Add (c, unit) y = Log (d)""", "float[b,11] y", ids,
               opset=18, nought=np.float32(0), unit=np.float32(1), one=ints(1),
              shape=ints(1, 11)), ids,
              [Question("ids", 1, "invariant"), Question("ids", 0, "equivariant", 0)]),
        Model("hashed_ids", "the sum of ids times their places", graph(
              "n = Shape <start = 1, end = 2> (ids)" + """
              one = Constant <value_int = 1> () zero = Constant <value_int = 0> ()
              count = Squeeze (n) place = Range (zero, count, one) next = Add (place, one)
              product = Mul (ids, next) sum = ReduceSum <keepdims = 0> (product, axis)
              y = Mod (sum, prime)""", "int64[b] y", ids, opset=15, axis=ints(1),
              prime=np.int64(101)), ids, [Question("ids", 1, "not equivariant")]),
        Model("places_cancel", "places minus places: nothing is left of them", graph(span + """
              other = Range (zero, count, one) d = Sub (place, other) f = Cast <to = 1> (d)
              column = Unsqueeze (f, one1) z = Add (x, column) y = Tanh (z)""", opset=15,
              one1=ints(1)), X, both),
        Model("places_by_modulus", "places modulo three, added", graph(span + """
              r = Mod (place, three) f = Cast <to = 1> (r) column = Unsqueeze (f, one1)
              z = Add (x, column) y = Tanh (z)""", opset=15, one1=ints(1), three=np.int64(3)), X,
              [subgroup({2: 1, 3: 1, 4: 2, 5: 4})]),
        Model("first_and_rest", "the first token and the mean of the others", graph("""
              head = Slice (x, zero, one, one) tail = Slice (x, one, end, one)
              mean = ReduceMean <axes = [1], keepdims = 1> (tail) d = Sub (head, mean)
              y = Squeeze (d, one)""", "float[b,4] y", zero=ints(0), one=ints(1),
              end=ints(2**31)), X, [subgroup({2: 1, **rest}, None), BATCH]),
        Model("activations", "a row of functions of one entry each, in order", graph("""
              a = Elu <alpha = 0.5> (x) b1 = Softplus (a) c = HardSigmoid (b1) d = Selu (c)
              e = Celu (d) f = Clip (e, low, high) g = PRelu (f, slope) h = ThresholdedRelu (g)
              i = Sin (h) j = Exp (i) positive = Greater (x, low) k = Where (positive, j, x)
              l = Softsign (k) m = Pow (l, two) y = Max (m, x)""", low=np.float32(0.1),
              high=np.float32(2),
              slope=np.array([0.5, -0.5, 0.2, 0.1], np.float32), two=np.float32(2)), X, both),
        Model("quantised", "weights and tokens in eight bits (QDQ)", graph("""
              q = QuantizeLinear (x, scale, zero) d = DequantizeLinear (q, scale, zero)
              w = DequantizeLinear (w8, scale, zero8) p = MatMul (d, w)
              m = ReduceMean <axes = [1]> (p) y = Sub (p, m)""", scale=np.float32(0.03),
              zero=np.uint8(128), zero8=np.int8(0), w8=(random("w8", 4, 4) * 40).astype(np.int8)),
              X, both),
        Model("tokens_first", "tokens before the batch: axes token, batch, feature", graph(
              project + """
              heads = Transpose <perm = [1, 0, 2]> (q) keys = Transpose <perm = [1, 2, 0]> (k)
              values = Transpose <perm = [1, 0, 2]> (v) s = MatMul (heads, keys)
              w = Softmax (s) z = MatMul (w, values) turned = Transpose <perm = [1, 0, 2]> (z)
              y = MatMul (turned, wo)""", "float[n,b,4] y", {"x": Input(("n", "b", 4))},
              **squares), {"x": Input(("n", "b", 4))},
              [equivariant(0, axis=0), Question("x", 1, "equivariant", 1)]),
        Model("softmax_over_batch", "a bug: the softmax is over the batch; it moves all the same",
              graph("h = MatMul (x, w) y = Softmax <axis = 0> (h)", w="square"), X, both),
        Model("axes_swapped_by_reshape", "a bug: (b, n, 4) to (n, b, 4) by Reshape where a"
              " Transpose was meant, then attention", graph("""
              shape = Shape (x) nb = Gather (shape, swap) t = Reshape (x, nb)
              keys = Transpose <perm = [0, 2, 1]> (t) s = MatMul (t, keys)
              w = Softmax (s) z = MatMul (w, t) y = Reshape (z, shape)""", swap=ints(1, 0, 2)), X,
              none),
    ]
    # fmt: on
