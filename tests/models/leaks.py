"""A bank of small models for "who sees whom": which rows of an input an output row depends on.

A family is one text of ONNX with a blank in it: what is put there makes the model do what it
should, or breaks it the way people break it. Whether rows depend on what they must not is declared
here, and measured in leak_truth.py. Nothing here imports what is tested with it.

python -m tests.models.leaks FOLDER NAME...
"""

from __future__ import annotations

import re
import sys
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.parser
from onnx import numpy_helper

VOCABULARY = 11  # token numbers are below it: the rows of each table of embeddings

# The constants that the texts name; each is in the file of a model whose text has its name.
_INTEGERS = {
    "start": 0, "step": 1, "zero": [0], "one": [1], "two": [2], "three": [3], "four": [4],
    "eight": [8], "last": [-1], "lowest": [-(2**40)], "same": [0, 0, -1], "groups": [0, 2, -1],
    "flat": [1, -1, 4], "flat_gates": [1, -1, 2], "gate_numbers": [0, 1],
    "back": [0, 1, 0, 0, -1, 0], "ahead": [0, -1, 0, 0, 1, 0], "back_ids": [0, 1, 0, -1],
    "back_slots": [1, -1],
}  # fmt: skip
_REALS = {
    "far": -1e9, "near": -10.0, "tiny": 1e-9, "nought": 0.0, "half": 0.5, "unit": 1.0,
    "rooms": 2.0, "levels": 127.0, "units": [1.0, 1.0], "noughts": [0.0, 0.0],
    "spread": [1.0, 2.0, 0.5, 1.5], "rates": [0.3, 0.3, 1.1, 1.1],
    "quarter_turns": np.kron(np.eye(2), [[0, 1], [-1, 0]]),
    "lower": np.tril(np.ones((6, 6))), "upper": np.triu(np.ones((6, 6))),
}  # fmt: skip
CONSTANTS = {k: np.array(v, np.int64) for k, v in _INTEGERS.items()}
CONSTANTS |= {k: np.array(v, np.float32) for k, v in _REALS.items()}


def model_of(inputs: str, outputs: str, text: str, opset: int = 17) -> onnx.ModelProto:
    """The model with this text; of a name such as W_4x3 it is given a 4×3 matrix of weights."""
    head = f'<ir_version: 8, opset_import: ["" : {opset}]> main ({inputs}) => ({outputs})'
    model = onnx.parser.parse_model(f"{head} {{ {text} }}")
    for name in sorted(set(re.findall(r"\w+", text))):
        value = CONSTANTS.get(name)
        if value is None and re.fullmatch(r"[A-Z]_\d+(x\d+)*", name):
            shape = [int(d) for d in name[2:].split("x")]
            random = np.random.default_rng(zlib.crc32(name.encode()))
            value = random.normal(scale=1.3 / shape[-1] ** 0.5, size=shape).astype(np.float32)
        if value is not None:
            model.graph.initializer.append(numpy_helper.from_array(value, name))
    onnx.checker.check_model(model)
    return model


@dataclass(frozen=True)
class Leak:
    """A model, what is asked about it, and the declared truth.

    `broken` says what is broken, and is empty where nothing is. `options` has `along`, `mask`,
    `masked`, `ids` and `output` as far as they are needed. `contents`: a row depends on what the
    rows have that it must not see; `number`: on how many there are (None: the axis has one size).
    """

    name: str
    broken: str
    ask: str
    axis: str
    contents: bool
    number: bool | None
    text: str
    inputs: str
    outputs: str
    opset: int = 17
    options: Mapping[str, Any] = field(default_factory=dict)

    def write(self, folder: Path) -> Path:
        """The model as a file in the folder; every time the same bytes."""
        path = folder / f"{self.name}.onnx"
        onnx.save(model_of(self.inputs, self.outputs, self.text, self.opset), path)
        return path


@dataclass(frozen=True)
class Wrong:
    """What breaks a family: its name, what is put in the blank, what that is, what is then seen."""

    suffix: str
    part: str
    broken: str
    contents: bool = True
    number: bool | None = True


X, Y = "float[b, n, 4] x", "float[b, n, 4] y"
POOLED = "float[b, 4] y"


def family(
    ask: str,
    name: str,
    text: str,
    right: str | None,
    *wrongs: Wrong,
    inputs: str = X,
    outputs: str = Y,
    axis: str = "x:1",
    opset: int = 17,
    **options: Any,
) -> Iterator[Leak]:
    """The repaired model, unless `right` is None, and the broken ones; `@` is the blank."""
    number = None if re.search(r"\b6\b", inputs) else False
    parts = [] if right is None else [Wrong("", right, "", False, number)]
    for w in (*parts, *wrongs):
        full = "_".join(filter(None, (ask, name, w.suffix)))
        filled = text.replace("@", w.part)
        yield Leak(
            full, w.broken, ask, axis, w.contents, w.number, filled, inputs, outputs, opset, options
        )


# Pieces. `i` is the column of the places of rows, `j` the row of the places that they may see.
PLACES = """
    size = Shape <start = 1, end = 2> (x)  n = Squeeze (size)  at = Range (start, n, step)
    i = Unsqueeze (at, one)  j = Unsqueeze (at, zero)
    place = Cast <to = 1> (i)  number = Cast <to = 1> (n)
"""
PAST = PLACES + " see = LessOrEqual (j, i) "
HIDE = " s = Where (see, raw, far) "
WEIGHTS = " a = Softmax <axis = -1> (s) "
MASKED_LATE = " all = Softmax <axis = -1> (raw)  a = Where (see, all, nought) "


def scores(x: str, memory: str) -> str:
    """The scores of attention from the rows of x to the rows of the memory."""
    return f"""
        q = MatMul ({x}, Q_4x4)  k = MatMul ({memory}, K_4x4)  v = MatMul ({memory}, V_4x4)
        turned = Transpose <perm = [0, 2, 1]> (k)  raw = MatMul (q, turned)
    """


def attend(x: str = "x", hide: str = HIDE + WEIGHTS, y: str = "y") -> str:
    """Attention of the rows of x to each other, under the mask `see`."""
    return f"{scores(x, x)} {hide} {y} = MatMul (a, v) "


def rotated(name: str) -> str:
    """q or k with its pairs of columns turned by angles that grow with the place."""
    return f"""
        {name}_across = MatMul ({name}, quarter_turns)  {name}_sine = Mul ({name}_across, sine)
        {name}_cosine = Mul ({name}, cosine)  {name}_placed = Add ({name}_cosine, {name}_sine)
    """


def standardised(axes: str) -> str:
    """x with mean 0 and variance 1 over these axes."""
    return f"""
        mean = ReduceMean <axes = {axes}> (x)  less = Sub (x, mean)  squares = Mul (less, less)
        variance = ReduceMean <axes = {axes}> (squares)  above = Add (variance, tiny)
        deviation = Sqrt (above)  y = Div (less, deviation)
    """


def channels(text: str) -> str:
    """What takes the tokens last: `wide` into `c`."""
    return f"""
        wide = Transpose <perm = [0, 2, 1]> (x)  {text}  y = Transpose <perm = [0, 2, 1]> (c)
    """


def recurrent(op: str, gates: int, direction: str) -> str:
    """An LSTM (4 gates) or a GRU (3) over the tokens, one way or both."""
    w = f"{1 + (direction == 'bidirectional')}x{3 * gates}"
    return f"""
        by_time = Transpose <perm = [1, 0, 2]> (x)
        all = {op} <hidden_size = 3, direction = "{direction}"> (by_time, W_{w}x4, R_{w}x3)
        by_batch = Transpose <perm = [2, 0, 1, 3]> (all)  y = Reshape (by_batch, same)
    """


def experts(order: str, choose: str) -> str:
    """Two experts; `order` is the shape in which tokens queue for them."""
    return f"""
        gates = MatMul (x, G_4x2)  shape = Shape (gates)  queue = Reshape (gates, {order})
        {choose}
        in_place = Reshape (kept, shape)  ones = Cast <to = 1> (in_place)
        by_expert = Transpose <perm = [0, 2, 1]> (ones)  factor = Unsqueeze (by_expert, three)
        each = Unsqueeze (x, one)  done = MatMul (each, E_2x4x4)  served = Mul (done, factor)
        y = ReduceSum <keepdims = 0> (served, one)
    """


def first_come(rooms: str) -> str:
    """Each token's best expert serves it if fewer than `rooms` came before."""
    return f"""
        best = ArgMax <axis = -1> (queue)  chosen = Equal (best, gate_numbers)
        came = Cast <to = 1> (chosen)  rank = CumSum (came, one)
        in_time = LessOrEqual (rank, {rooms})  kept = And (chosen, in_time)
    """


TOKENS_CHOOSE = "top = ReduceMax <axes = [-1]> (queue)  kept = Equal (queue, top)"
EXPERTS_CHOOSE = "top, who = TopK <axis = 1> (queue, one)  kept = Equal (queue, top)"
ONE_SCALE = """
    bytes, scale, middle = DynamicQuantizeLinear (x)
    coarse = DequantizeLinear (bytes, scale, middle)
"""
ROW_SCALES = """
    sizes = Abs (x)  peak = ReduceMax <axes = [-1]> (sizes)  above = Max (peak, tiny)
    scale = Div (above, levels)  scaled = Div (x, scale)  whole = Round (scaled)
    coarse = Mul (whole, scale)
"""


# fmt: off
def causal() -> Iterator[Leak]:
    """Row i of an output must not depend on rows j > i."""
    make = partial(family, "causal")
    ones = PLACES + "square = Concat <axis = 0> (size, size)" + (
        " ones = ConstantOfShape <value = float[1] {1}> (square) ")
    yield from make("tril", ones + "kept = Trilu <upper = 0> (ones, @)  see = Cast <to = 9> (kept)"
        + attend(), "start", Wrong("off_by_one", "step", "tril with k = 1"))
    yield from make("triu", ones + "cut = Trilu <upper = 1> (ones, @)  wall = Mul (cut, far)"
        + attend(hide="s = Add (raw, wall)" + WEIGHTS), "one",
        Wrong("off_by_one", "two", "triu with diagonal = 2"))
    yield from make("buffer", "see = Cast <to = 9> (@) " + attend(), "lower",
        Wrong("transposed", "upper", "the mask is transposed", True, None),
        inputs="float[b, 6, 4] x", outputs="float[b, 6, 4] y")
    yield from make("attention", PAST + attend(hide="@"), HIDE + WEIGHTS,
        Wrong("masked_late", MASKED_LATE, "the mask comes after the softmax"),
        Wrong("over_rows", HIDE + "a = Softmax <axis = 1> (s)", "the softmax is over the rows"))
    yield from make("words", "x = Gather (E_11x4, t)" + PLACES + attend(hide="""
            more = Add (i, step)  see = LessOrEqual (j, @)
        """ + HIDE + WEIGHTS), "i", Wrong("off_by_one", "more", "one token too many is seen"),
        inputs="int64[b, n] t", axis="t:1")
    yield from make("fused", "q = MatMul (x, Q_4x4)  k = MatMul (x, K_4x4)"
        " y = Attention <is_causal = @, q_num_heads = 2, kv_num_heads = 2> (q, k, x)", "1",
        Wrong("unmasked", "0", "is_causal was left out"), opset=23)
    yield from make("cache", PLACES + """
            all = Concat <axis = 1> (cache, x)  past = Shape <start = 1, end = 2> (cache)
            many = Add (past, size)  end = Squeeze (many)  from = Range (start, end, step)
            own = Add (i, past)  more = Add (own, step)  see = LessOrEqual (from, @)
        """ + scores("x", "all") + HIDE + WEIGHTS + "y = MatMul (a, v)", "own",
        Wrong("off_by_one", "more", "new tokens read one place past their own"),
        inputs=X + ", float[b, p, 4] cache")
    yield from make("convolution", channels("c = Conv <pads = @> (wide, W_4x4x3)"), "[2, 0]",
        Wrong("wrong_side", "[0, 2]", "padded after the tokens"),
        Wrong("symmetric", "[1, 1]", "padded on both sides"))
    grouped = """
        shape = Shape (wide)  groups_apart = Reshape (wide, groups)
        normed = InstanceNormalization (groups_apart, units, noughts)  c = Reshape (normed, shape)
    """
    yield from make("norm", "@", standardised("[2]"),
        Wrong("over_both", standardised("[1, 2]"), "a layer norm over tokens and features"),
        Wrong("over_time", standardised("[1]"), "an encoder's norm over time"),
        Wrong("of_groups", channels(grouped), "a group norm, which is over time too"))
    for op, gates in (("LSTM", 4), ("GRU", 3)):
        yield from make(op.lower(), "@", recurrent(op, gates, "forward"),
            Wrong("both_ways", recurrent(op, gates, "bidirectional"), f"the {op} runs both ways"),
            outputs="float[b, n, h] y")
    yield from make("scan", """
            by_time = Transpose <perm = [1, 0, 2]> (x)
            peak = ReduceMax <axes = [1], keepdims = 0> (x)  none = Mul (peak, nought)
            end, states = Scan <num_scan_inputs = 1, scan_input_directions = [@],
                scan_output_directions = [@], body = advance (float[b, 4] s, float[b, 4] u)
                => (float[b, 4] t, float[b, 4] w) {
                    less = Mul (s, half)  t = Add (less, u)  w = Tanh (t)
                }> (none, by_time)
            y = Transpose <perm = [1, 0, 2]> (states)
        """, "0", Wrong("backwards", "1", "the scan starts at the last token"))
    yield from make("sum", "y = CumSum <reverse = @> (x, step)", "0",
        Wrong("reversed", "1", "the sum runs from the last token"))
    yield from make("flip", """
            turned = Slice (x, last, lowest, one, last)
            sums = CumSum <reverse = @> (turned, step)  y = Slice (sums, last, lowest, one, last)
        """, "1", Wrong("once", "0", "the tokens were reversed, the direction of the sum was not"))
    yield from make("shift", "beside = Pad (x, @)  own = MatMul (x, K_4x4)"
        " other = MatMul (beside, V_4x4)  y = Add (own, other)", "back",
        Wrong("ahead", "ahead", "the token shift goes the wrong way"))
    yield from make("window", PLACES + """
            off = Sub (i, j)  away = @ (off)  near_by = LessOrEqual (away, one)
            not_ahead = GreaterOrEqual (away, zero)  see = And (near_by, not_ahead)
        """ + attend(), "Identity", Wrong("ahead", "Abs", "the window looks ahead"))
    yield from make("sink", PLACES + """
            before = LessOrEqual (j, i)  off = Sub (i, j)  near_by = LessOrEqual (off, one)
            window = And (before, near_by)  sink = Equal (j, zero)  see = Or (window, sink)
        """ + attend(), "")
    yield from make("offsets", PAST + attend(hide="""
            off = Sub (i, j)  up = Max (off, start)  index = Min (up, eight)
            bias = Gather (B_9, index)  raised = Add (raw, bias)  s = Where (see, raised, far)
        """ + WEIGHTS), "")
    yield from make("rotary", PAST + attend(hide=f"""
            angle = Mul (place, rates)  cosine = Cos (angle)  sine = Sin (angle)
            {rotated("q")} {rotated("k")} across = Transpose <perm = [0, 2, 1]> (k_placed)
            placed = MatMul (q_placed, across)  s = Where (see, placed, far)
        """ + WEIGHTS), "")
    yield from make("places", PLACES + """
            till = Sub (number, place)  wave = Sin (@)  y = Add (x, wave)
        """, "place", Wrong("from_the_end", "till", "places are counted from the end", False))
    yield from make("log", PAST + attend(hide="""
            up = Add (place, unit)  heat = Log (@)  hot = Mul (raw, heat)  s = Where (see, hot, far)
        """ + WEIGHTS), "up", Wrong("of_all", "number", "scores are scaled by log n", False))
    two, outputs = PAST + attend() + "z = CumSum <reverse = 1> (x, step)", Y + ", float[b, n, 4] z"
    yield from make("first_output", two, "", outputs=outputs, output="y")
    yield from make("two", two, None, Wrong("outputs", "", "the second leaks"), outputs=outputs)
    yield from make("streams", """
            own = CumSum (x, step)  other = CumSum <reverse = @> (z, step)  y = Add (own, other)
        """, "0", Wrong("second_reversed", "1", "the other sum runs from the last token"),
        inputs=X + ", float[b, n, 4] z", along=("z:1",))
    yield from make("capacity", PLACES + " ration = Mul (number, half) @",
        experts("shape", first_come("rooms")),
        Wrong("of_length", experts("shape", first_come("ration")), "capacity grows with n", False),
        Wrong("of_batch", experts("flat_gates", first_come("rooms")),
              "tokens queue in the order of the flattened batch"))
    yield from make("experts", "@", experts("shape", TOKENS_CHOOSE),
        Wrong("choose", experts("shape", EXPERTS_CHOOSE), "each expert takes its top token"))


def isolated() -> Iterator[Leak]:
    """A request must not depend on the others of its batch."""
    make = partial(family, "isolated", axis="x:0")
    exchanged, again = (f"{y} = Transpose <perm = [1, 0, 2]> ({x})"
                        for y, x in (("rows", "x"), ("y", "out")))
    unmasked = attend("rows", "s = Identity (raw)" + WEIGHTS, "out")
    yield from make("attention", "@", f"rows = Identity (x) {unmasked} y = Identity (out)",
        Wrong("exchanged", f"{exchanged} {unmasked} {again}", "attention over the wrong axis"))
    yield from make("softmax", "h = MatMul (x, W_4x4)  y = Softmax <axis = @> (h)", "-1",
        Wrong("over_batch", "0", "a softmax over the batch"))
    sizes = "dims = Shape (x)  b = Gather (dims, zero)  n = Gather (dims, one)"
    yield from make("tokens_first", sizes + " other = Concat <axis = 0> (n, b, four)"
        " @ out = CumSum (rows, start)" + again, exchanged,
        Wrong("by_reshape", "rows = Reshape (x, other)", "axes exchanged by a reshape"))
    yield from make("norm", "@",
        channels("c = BatchNormalization (wide, spread, B_4, M_4, spread)"),
        Wrong("of_batch", standardised("[0, 1]"), "a batch norm with the batch's statistics"))
    yield from make("mean", "mean = ReduceMean <axes = [@]> (x)  y = Sub (x, mean)", "1",
        Wrong("of_batch", "0", "the mean is over the batch", True, None),
        inputs="float[6, 4] x", outputs="float[6, 4] y")
    yield from make("scale", sizes + " real = Cast <to = 1> (@)  y = Div (x, real)", "n",
        Wrong("by_batch", "b", "divided by the number of requests", False))
    yield from make("quantised", "@ y = MatMul (coarse, W_4x4)", ROW_SCALES,
        Wrong("one_scale", ONE_SCALE, "one scale for the batch"))
    yield from make("capacity", sizes + " ration = Cast <to = 1> (b) @",
        experts("shape", first_come("rooms")),
        Wrong("of_batch", experts("flat_gates", first_come("rooms")),
              "first come, first served over the batch", True, False),
        Wrong("by_batch", experts("flat_gates", first_come("ration")),
              "the same, and capacity grows with the batch"))
    yield from make("experts", "@", experts("shape", EXPERTS_CHOOSE),
        Wrong("of_batch", experts("flat_gates", EXPERTS_CHOOSE),
              "each expert takes the top token of the batch"))
    yield from make("flattened", sizes + """
            all = Mul (b, n)  many = Squeeze (all)  at = Range (start, many, step)
            request = Div (at, n)  own = Unsqueeze (request, one)  its = Unsqueeze (request, zero)
            rows = Reshape (x, flat)  see = Equal (@)
        """ + attend("rows", y="out") + " y = Reshape (out, dims)", "own, its",
        Wrong("without_blocks", "own, own", "one long sequence, and no mask between requests"))
    yield from make("mask", "first = Gather (mask, zero)  see = Unsqueeze (@, one)" + attend(),
        "mask", Wrong("of_first", "first", "the first request's mask is used for all", True, False),
        inputs=X + ", bool[b, n] mask", along=("mask:0",))


def padding() -> Iterator[Leak]:
    """Real tokens, or the output as a whole, must not depend on tokens that the mask hides."""
    bits, reals = X + ", bool[b, n] mask", X + ", float[b, n] mask"
    make = partial(family, "padding", inputs=bits, mask="mask:1")
    on_keys, on_rows = "see = Unsqueeze (mask, one)", "see = Unsqueeze (mask, two)"
    unused = Wrong("mask_unused", "s = Identity (raw)" + WEIGHTS, "the mask is not applied")
    yield from make("attention", attend(hide="@"), on_keys + HIDE + WEIGHTS, unused,
        Wrong("on_rows", on_rows + HIDE + WEIGHTS, "the mask is on the rows, not on what they see"),
        Wrong("masked_late", on_keys + MASKED_LATE, "the mask comes after the softmax"))
    yield from make("finite", "keys = Unsqueeze (mask, one)  hide = Sub (unit, keys)"
        " wall = Mul (hide, @)" + attend(hide="s = Add (raw, wall)" + WEIGHTS), "far",
        Wrong("ten", "near", "a mask of −10: e⁻¹⁰ is left"), inputs=reals)
    yield from make("additive", "keys = Unsqueeze (mask, one)"
        + attend(hide="@" + WEIGHTS), "s = Add (raw, keys)",
        Wrong("as_bits", "see = Cast <to = 9> (keys)" + HIDE, "an additive mask is read as bits"),
        inputs=reals, masked=-1e9)
    yield from make("inverted", "real = Not (mask)  see = Unsqueeze (@, one)" + attend(), "real",
        Wrong("wrongly", "mask", "the mask's convention is inverted"), masked=1)
    yield from make("words", f"x = Gather (E_11x4, t) {on_keys}" + attend(hide="@"),
        HIDE + WEIGHTS, unused, inputs="int64[b, n] t, bool[b, n] mask", axis="t:1")
    column = "column = Unsqueeze (mask, two)  real = Mul (x, column) "
    sums = column + """
        total = ReduceSum <keepdims = 0> (real, one)  all = ReduceSum <keepdims = 0> (x, one)
        count = ReduceSum <keepdims = 0> (column, one)  y = Div (@)
    """
    yield from make("mean", PLACES + sums, "total, count",
        Wrong("of_all", "all, count", "the sum is over padding too"),
        Wrong("by_all", "total, number", "divided by n", False), inputs=reals, outputs=POOLED)
    yield from make("mean_of_six", sums, "total, count",
        Wrong("of_all", "all, count", "the sum is over padding too", True, None),
        inputs="float[b, 6, 4] x, float[b, 6] mask", outputs=POOLED, output_axis="none")
    yield from make("maximum", column + """
            see = Cast <to = 9> (column)  low = Where (see, x, far)
            y = ReduceMax <axes = [1], keepdims = 0> (@)
        """, "low", Wrong("of_all", "x", "the maximum is over padding too"),
        Wrong("with_zeros", "real", "masked tokens are zeros in the maximum", False),
        inputs=reals, outputs=POOLED)
    yield from make("last", PLACES + """
            real_places = Where (mask, j, last)  end = ReduceMax <axes = [1]> (real_places)
            final = Sub (n, one)  hit = Equal (j, @)  ones = Cast <to = 1> (hit)
            row = Unsqueeze (ones, one)  picked = MatMul (row, x)  y = Squeeze (picked, one)
        """, "end", Wrong("place", "final", "the last token is taken, not the last real one"),
        outputs=POOLED)
    yield from make("class", scores("C_1x4", "x") + on_keys + "@"
        " out = MatMul (a, v)  y = Squeeze (out, one)", HIDE + WEIGHTS, unused, outputs=POOLED)
    yield from make("convolution", column + "apart = Identity (@)"
        + channels("c = Conv <pads = [1, 1]> (wide, W_4x4x3)").replace("(x)", "(apart)"), "real",
        Wrong("of_all", "x", "a convolution reads the padding beside a token"), inputs=reals)
    yield from make("quantised", on_keys + " @ " + attend("coarse"), ROW_SCALES,
        Wrong("one_scale", ONE_SCALE, "padding has a share in the scale"))
    memory = scores("x", "src") + HIDE + WEIGHTS + "y = MatMul (a, v)"
    yield from make("memory", PLACES + """
            long = Shape <start = 1, end = 2> (src)  many = Squeeze (long)
            from = Range (start, many, step)  see = @
        """ + memory, "Unsqueeze (src_mask, one)",
        Wrong("causal", "LessOrEqual (from, i)", "the memory has the decoder's own mask"),
        inputs="float[b, t, 4] x, float[b, n, 4] src, bool[b, n] src_mask",
        outputs="float[b, t, 4] y", axis="src:1", mask="src_mask:1")
    yield from make("slots", "late = Pad (valid, back_slots, unit)"
        " see = Cast <to = 9> (@)" + memory, "valid",
        Wrong("off_by_one", "late", "one slot past the valid ones is read"),
        inputs="float[b, t, 4] x, float[b, n, 4] src, float[n] valid",
        outputs="float[b, t, 4] y", axis="src:1", mask="valid:0")


def documents() -> Iterator[Leak]:
    """A token must not depend on those of other documents in the same sequence."""
    make = partial(family, "documents", inputs=X + ", int64[b, n] ids", ids="ids:1")
    own = PLACES + " mine = Unsqueeze (ids, two)  its = Unsqueeze (ids, one) "
    alike = own + " alike = Equal (its, mine) "
    past = alike + " past = LessOrEqual (j, i)  both = And (past, alike) "
    before = Wrong("at_most", "LessOrEqual", "ids are compared with ≤", True, False)
    yield from make("attention", own + "see = @ (its, mine)" + attend(), "Equal", before,
        Wrong("at_least", "GreaterOrEqual", "ids are compared with ≥"))
    yield from make("words", "x = Gather (E_11x4, t)" + own + "see = @ (its, mine)"
        + attend(), "Equal", before, inputs="int64[b, n] t, int64[b, n] ids", axis="t:1")
    yield from make("causal", past + "see = Identity (@)" + attend(), "both",
        Wrong("mask_only", "past", "a causal mask, and none of documents", True, False))
    yield from make("one_list", "mine = Unsqueeze (ids, one)"
        " its = Unsqueeze (ids, zero)  see = Equal (@)" + attend(), "its, mine",
        Wrong("unused", "its, its", "ids are not used"), inputs=X + ", int64[n] ids", ids="ids:0")
    yield from make("places_run_on", alike + "see = Identity (alike)"
        " wave = Sin (place)  placed = Add (x, wave)" + attend("placed"), "")
    yield from make("sum", past + "ones = Cast <to = 1> (both)  y = @", "MatMul (ones, x)",
        Wrong("across", "CumSum (x, step)", "the sum runs on into the next document", True, False))
    yield from make("mean", alike + """
            ones = Cast <to = 1> (alike)  total = MatMul (ones, x)  count = ReduceSum (ones, two)
            y = Div (total, @)
        """, "count", Wrong("by_all", "number", "the sum of a document is divided by n", False))
    yield from make("shift", """
            beside = Pad (x, back)  id_beside = Pad (ids, back_ids)  alike = Equal (id_beside, ids)
            column = Unsqueeze (alike, two)  inside = Where (column, beside, nought)
            other = MatMul (@, V_4x4)  y = Add (x, other)
        """, "inside", Wrong("across", "beside", "the token shift crosses a border", True, False))
# fmt: on


LEAKS = (*causal(), *isolated(), *padding(), *documents())
BY_NAME = {leak.name: leak for leak in LEAKS}


def main(arguments: list[str]) -> None:
    """Write the models of these names into a folder; SystemExit where there is no such model."""
    folder, *names = arguments or [""]
    if not names or not {*names} <= {*BY_NAME}:
        raise SystemExit(f"given {names}, expected FOLDER NAME..., with names of: {[*BY_NAME]}")
    for name in names:
        print(BY_NAME[name].write(Path(folder)))


if __name__ == "__main__":
    main(sys.argv[1:])
