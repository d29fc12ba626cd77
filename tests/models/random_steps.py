"""The operators that models drawn at random are made of: each puts nodes after a tensor x."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tests.models.random_growing import Drawn

UNARY = ("Relu", "Tanh", "Neg", "Abs", "Sigmoid", "Sin", "Softplus", "Erf")


def _unary(d: Drawn, x: str) -> str:
    return d.op(d.pick(*UNARY), x)


def _binary(d: Drawn, x: str) -> str:
    return d.op(d.pick("Add", "Mul", "Sub", "Max"), x, d.pick(*d.shapes))


def _linear(d: Drawn, x: str) -> str:
    width, out = d.fixed(x, -1), d.pick(2, 3, 4, 6)
    return d.op("MatMul", x, d.given(d.rng.normal(size=(width, out))))


def _softmax(d: Drawn, x: str) -> str:
    return d.op(d.pick("Softmax", "LogSoftmax"), x, axis=d.axis(x) - d.pick(0, d.rank(x)))


def _reduced(d: Drawn, x: str) -> str:
    kind = d.pick(
        "ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceL2", "ReduceLogSumExp"
    )
    return d.op(kind, x, d.given([d.axis(x)], np.int64), keepdims=d.pick(0, 1))


def _transposed(d: Drawn, x: str) -> str:
    return d.op("Transpose", x, perm=[int(k) for k in d.rng.permutation(d.rank(x))])


def _reshaped(d: Drawn, x: str) -> str:
    k = d.axis(x)
    whole = [0] * d.rank(x)
    how = d.pick("split", "merge", "turn", "two")
    if how == "split":
        width = d.fixed(x, k)
        by = d.pick(*(j for j in (2, 3) if width % j == 0))
        target = [*whole[:k], by, width // by, *(-1 for _ in whole[k + 1 : k + 2])]
        if d.rank(x) - k > 2:
            raise IndexError
        return d.op("Reshape", x, d.given(target, np.int64))
    if how == "merge":
        return d.op("Reshape", x, d.given([*whole[:k], -1], np.int64))
    if how == "two":
        return d.op("Reshape", x, d.given([*whole[:k], -1, d.pick(2, 3, 4)], np.int64))
    order = d.given([int(j) for j in d.rng.permutation(d.rank(x))], np.int64)
    return d.op("Reshape", x, d.op("Gather", d.op("Shape", x), order))


def _row(d: Drawn, x: str, k: int) -> str:
    """A constant of x's shape along axis k alone, as a vector."""
    i = d.op("Range", d.given(0, np.int64), d.length(x, k), d.given(1, np.int64))
    f = d.op("Cast", i, to=1)
    match int(d.rng.integers(12)):
        case 0:
            return f
        case 1:
            return d.op("Mul", f, d.given(0))
        case 2:
            return d.op("Cast", d.op("Less", i, d.given(d.pick(1, 6, 40, 64, 100), np.int64)), to=1)
        case 3:
            return d.op("Cast", d.op("Mod", i, d.given(d.pick(1, 2, 3), np.int64)), to=1)
        case 4:
            return d.op("Cast", d.op("Div", i, d.given(d.pick(2, 6, 50, 70), np.int64)), to=1)
        case 5:
            n = d.op("Cast", d.length(x, k), to=1)
            return d.op("Expand", d.op("Log", n), d.op("Shape", i))
        case 6:
            other = d.length(x, d.axis(x))
            big = d.op("Greater", other, d.given(d.pick(2, 4, 20), np.int64))
            return d.op("Mul", f, d.op("Cast", big, to=1))
        case 7:
            last = d.op("Sub", d.length(x, k), d.given(1, np.int64))
            return d.op("Cast", d.op("Equal", i, last), to=1)
        case 8:
            square = d.op("Mul", i, i)
            less = d.op("Less", square, d.given(d.pick(1, 9, 900, 5000), np.int64))
            return d.op("Cast", less, to=1)
        case 9:
            last = d.op("Sub", d.length(x, k), d.given(1, np.int64))
            return d.op("Cast", d.op("Mul", i, d.op("Sub", last, i)), to=1)
        case 10:
            table = np.ones(90)
            table[d.pick(0, 3, 20, 70, 89) :] += 1
            end = d.op("Unsqueeze", d.length(x, k), d.given([0], np.int64))
            return d.op("Slice", d.given(table), d.given([0], np.int64), end)
        case _:
            ones = d.op("Expand", d.given([1.0]), d.op("Shape", i))
            cum = d.op("CumSum", ones, d.given(0, np.int64))
            return d.op("Sub", cum, f)


def _with_row(d: Drawn, x: str) -> str:
    k = d.axis(x)
    row = _row(d, x, k)
    after = d.rank(x) - 1 - k
    if after:
        row = d.op("Unsqueeze", row, d.given(list(range(1, after + 1)), np.int64))
    return d.op(d.pick("Add", "Mul"), x, row)


def _with_vector(d: Drawn, x: str) -> str:
    return d.op(d.pick("Add", "Mul"), x, d.given(d.rng.normal(size=d.fixed(x, -1))))


def _matrix(d: Drawn, x: str) -> str:
    """A constant n × n for an axis, by a comparison of i and j."""
    k = d.axis(x)
    i = d.op("Range", d.given(0, np.int64), d.length(x, k), d.given(1, np.int64))
    column = d.op("Unsqueeze", i, d.given([1], np.int64))
    c = d.op("Sub", column, i)
    found = d.pick(
        lambda: d.op("GreaterOrEqual", c, d.given(0, np.int64)),
        lambda: d.op("Equal", column, i),
        lambda: d.op("Less", d.op("Abs", c), d.given(d.pick(1, 2, 50, 75), np.int64)),
        lambda: d.op("Equal", d.op("Mod", c, d.given(2, np.int64)), d.given(0, np.int64)),
    )()
    table = d.op("Cast", found, to=1)
    if k != d.rank(x) - 2:
        order = [j for j in range(d.rank(x)) if j != k]
        order.insert(d.rank(x) - 2, k)
        x = d.op("Transpose", x, perm=order)
    return d.op("MatMul", table, x)


def _concat(d: Drawn, x: str) -> str:
    k = d.axis(x)
    if d.rng.random() < 0.5:
        return d.op("Concat", x, d.pick(*d.shapes), axis=k)
    shape = [1 if j == k else d.fixed(x, j) for j in range(d.rank(x))]
    row = d.given(d.rng.normal(size=shape))
    return d.op("Concat", *d.pick((x, row), (row, x)), axis=k)


def _slice(d: Drawn, x: str) -> str:
    start, end, step = d.pick(
        (0, 1, 1), (-1, 2**40, 1), (2**40, -(2**40), -1), (0, -1, 1), (1, 2**40, 1),
        (0, 2**40, 2), (1, 2, 1), (0, 2, 1),
    )  # fmt: skip
    bounds = [d.given([v], np.int64) for v in (start, end, d.axis(x), step)]
    return d.op("Slice", x, *bounds)


def _gather(d: Drawn, x: str) -> str:
    k = d.axis(x)
    if d.rng.random() < 0.5:
        return d.op("Gather", x, d.given(d.pick(0, -1, [0], [1, 0], [0, 0]), np.int64), axis=k)
    n = d.length(x, k)
    i = d.op("Range", d.given(0, np.int64), n, d.given(1, np.int64))
    places = d.pick(
        lambda: i,
        lambda: d.op("Sub", d.op("Sub", n, d.given(1, np.int64)), i),
        lambda: d.op("Mod", d.op("Add", i, d.given(1, np.int64)), n),
        lambda: d.op("Div", i, d.given(2, np.int64)),
        lambda: d.op("Neg", i),
    )()
    return d.op("Gather", x, places, axis=k)


def _cumsum(d: Drawn, x: str) -> str:
    options = {"exclusive": d.pick(0, 1), "reverse": d.pick(0, 1)}
    return d.op("CumSum", x, d.given(d.axis(x), np.int64), **options)


def _gram(d: Drawn, x: str) -> str:
    order = list(range(d.rank(x)))
    order[-1], order[-2] = order[-2], order[-1]
    turned = d.op("Transpose", x, perm=order)
    return d.op("MatMul", *d.pick((x, turned), (turned, x)))


def _attention(d: Drawn, x: str) -> str:
    weights = d.op("Softmax", _gram(d, x), axis=d.pick(-1, -2))
    return d.op("MatMul", weights, x)


def _differences(d: Drawn, x: str) -> str:
    k = d.axis(x)
    a, b = (d.op("Unsqueeze", x, d.given([j], np.int64)) for j in (k, k + 1))
    return d.op(d.pick("Sub", "Mul", "Max"), a, b)


def _trilu(d: Drawn, x: str) -> str:
    return d.op("Trilu", x, upper=d.pick(0, 1))


def _pad(d: Drawn, x: str) -> str:
    k, rank = d.axis(x), d.rank(x)
    pads = [0] * (2 * rank)
    pads[k], pads[rank + k] = d.pick((1, 1), (1, 0), (0, 1), (-1, 1), (2, 1))
    return d.op(
        "Pad", x, d.given(pads, np.int64), mode=d.pick("constant", "edge", "wrap", "reflect")
    )


def _top(d: Drawn, x: str) -> str:
    k, axis = d.given([d.pick(1, 2)], np.int64), d.axis(x)
    return d.op("TopK", x, k, outputs=2, axis=axis, largest=d.pick(0, 1))


def _arg(d: Drawn, x: str) -> str:
    options = {"axis": d.axis(x), "keepdims": d.pick(0, 1), "select_last_index": d.pick(0, 1)}
    return d.op("Cast", d.op("ArgMax", x, **options), to=1)


def _chosen(d: Drawn, x: str) -> str:
    """Rows at the places that another tensor's largest entries have."""
    k = d.axis(x)
    places = d.op("ArgMax", d.pick(*d.shapes), axis=d.pick(0, -1, -2), keepdims=0)
    return d.op("Gather", x, places, axis=k)


def _norm(d: Drawn, x: str) -> str:
    axis = d.pick(-1, -2)
    if axis == -1 or d.rng.random() < 0.5:
        return d.op("LayerNormalization", x, d.given(d.rng.normal(size=d.fixed(x, -1))), axis=-1)
    return d.op("LayerNormalization", x, d.given([1.5]), axis=-2)


def _instance_norm(d: Drawn, x: str) -> str:
    c = d.fixed(x, 1)
    return d.op("InstanceNormalization", x, *(d.given(d.rng.normal(size=c)) for _ in "ab"))


def _convolution(d: Drawn, x: str) -> str:
    c, k = d.fixed(x, 1), d.pick(1, 2, 3)
    pads = d.pick([0, 0], [1, 1], [k - 1, 0])
    return d.op("Conv", x, d.given(d.rng.normal(size=(d.pick(2, 3), c, k))), pads=pads,
                strides=[d.pick(1, 1, 2)])  # fmt: skip


def _pool(d: Drawn, x: str) -> str:
    k = d.pick(1, 2, 3)
    if d.rng.random() < 0.3:
        return d.op(d.pick("GlobalAveragePool", "GlobalMaxPool"), x)
    return d.op(d.pick("AveragePool", "MaxPool"), x, kernel_shape=[k], strides=[d.pick(1, k)],
                pads=d.pick([0, 0], [k // 2, k // 2]), ceil_mode=d.pick(0, 1))  # fmt: skip


def _einsum(d: Drawn, x: str) -> str:
    letters = "abcd"[: d.rank(x)]
    other = d.pick(*d.shapes)
    own = "".join(d.pick(*"abcde") for _ in range(d.rank(other)))
    every = sorted(set(letters + own))
    out = "".join(c for c in d.rng.permutation(every) if d.rng.random() < 0.6)
    return d.op("Einsum", x, other, equation=f"{letters},{own}->{out}")


def _diagonal(d: Drawn, x: str) -> str:
    own = "".join(d.pick("a", "b", "c") for _ in range(d.rank(x)))
    out = "".join(sorted(c for c in set(own) if d.rng.random() < 0.7))
    return d.op("Einsum", x, equation=f"{own}->{out}")


def _expand(d: Drawn, x: str) -> str:
    other = d.pick(*d.shapes)
    return d.op("Expand", x, d.op("Shape", other))


def _unsqueeze(d: Drawn, x: str) -> str:
    return d.op("Unsqueeze", x, d.given([d.pick(*range(d.rank(x) + 1))], np.int64))


def _squeeze(d: Drawn, x: str) -> str:
    return d.op("Squeeze", x, d.given([d.axis(x)], np.int64))


def _where(d: Drawn, x: str) -> str:
    test = d.op("Greater", d.pick(*d.shapes), d.given(0.1))
    return d.op("Where", test, x, d.pick(*d.shapes, d.given(0.5)))


def _split(d: Drawn, x: str) -> str:
    k = d.axis(x)
    name = d.op("Split", x, outputs=2, axis=k, num_outputs=2)
    if d.rng.random() < 0.4:
        return name
    other = f"t{int(name[1:]) + 1}"
    return d.op(*d.pick(("Add", name, other), ("Sub", other, name))) if d.rng.random() < 0.5 else (
        d.op("Concat", other, name, axis=k)
    )  # fmt: skip


def _tile(d: Drawn, x: str) -> str:
    repeats = [1] * d.rank(x)
    repeats[d.axis(x)] = 2
    return d.op("Tile", x, d.given(repeats, np.int64))


def _by_size(d: Drawn, x: str) -> str:
    n = d.op("Cast", d.length(x, d.axis(x)), to=1)
    return d.op(d.pick("Mul", "Div"), x, n)


def _scattered(d: Drawn, x: str) -> str:
    k = d.axis(x)
    places = d.op("ArgMax", x, axis=k, keepdims=1)
    updates = d.op("ReduceMean", x, d.given([k], np.int64), keepdims=1)
    return d.op("ScatterElements", x, places, updates, axis=k, reduction=d.pick("none", "add"))


def _sorted(d: Drawn, x: str) -> str:
    k = d.axis(x)
    n = d.op("Unsqueeze", d.length(x, k), d.given([0], np.int64))
    return d.op("TopK", x, n, outputs=2, axis=k, largest=d.pick(0, 1))


STEPS: list[Callable[[Drawn, str], str]] = [
    _unary, _binary, _linear, _softmax, _reduced, _transposed, _reshaped, _with_row, _with_row,
    _with_vector, _matrix, _concat, _slice, _gather, _cumsum, _gram, _attention, _differences,
    _trilu, _pad, _top, _arg, _chosen, _norm, _instance_norm, _convolution, _pool, _einsum,
    _diagonal, _expand, _unsqueeze, _squeeze, _where, _split, _tile, _by_size, _scattered, _sorted,
    _binary, _binary, _reduced, _attention,
]  # fmt: skip
