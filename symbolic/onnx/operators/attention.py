"""Attention and rotary embeddings as operators of their own (opset 23 and later)."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import sympy

from ..atoms import Dim
from ..graph import Array, Call
from ..reader import Reader, operator
from ..values import Constant, SizeAt, Tensor
from .convolution import fixed
from .indexing import one_hot_gather
from .node import scalar

QUERY, KEY, VALUE, MASK, PAST_KEY, PAST_VALUE, LENGTHS = range(7)
HEADS = ["b", "h", "g", "i", "j"]  # batch, key heads, queries of each, query and key positions


@operator("Attention")
def attention(r: Reader, c: Call, args: list[Any]) -> Any:
    args = [*args, *[None] * (7 - len(args))]
    if len(c.outputs) > 3 and c.outputs[3]:
        raise r.refuse("the scores that Attention gives out are not read")
    flat = len(r.sizes_of(args[QUERY])) == 3
    q, k, v = (
        heads(r, c, r.as_tensor(args[i]), f"{'q' if i == QUERY else 'kv'}_num_heads")
        for i in (QUERY, KEY, VALUE)
    )
    if args[PAST_KEY] is not None:
        k, v = (
            r.concat([r.as_tensor(args[old]), new], 2)
            for old, new in ((PAST_KEY, k), (PAST_VALUE, v))
        )
    before = r.sizes_of(args[PAST_KEY])[2] if args[PAST_KEY] is not None else sympy.Integer(0)
    (key_heads,) = fixed(r, r.sizes(k)[1:2], "key heads")
    grouped = by_key_head(r, q, key_heads)
    scores = r.einsum([grouped, k], [["b", "h", "g", "i", "d"], ["b", "h", "j", "d"]], HEADS)
    scores = r.function("mul", scores, scale(r, c, q))
    cap = float(c.attributes.get("softcap", 0.0))
    if cap > 0:
        number = scalar(r, cap)
        inner = r.function("tanh", r.function("div", scores, number), of=np.tanh)
        scores = r.function("mul", inner, number)
    scores, masked = masks(r, c, args, scores, before, key_heads)
    weights = r.softmax(scores, 4)
    if masked:  # a row in which all is masked is zero, not 0/0
        weights = r.function(
            "number_or_zero", weights, of=lambda x: np.where(np.isnan(x), np.zeros_like(x), x)
        )
    whole = r.einsum([weights, v], [HEADS, ["b", "h", "j", "e"]], ["b", "h", "g", "i", "e"])
    batch, _, each, rows, width = r.sizes(whole)
    whole = r.reshape(whole, [batch, key_heads * each, rows, width])
    if flat:
        whole = r.reshape(r.permute(whole, [0, 2, 1, 3]), [batch, rows, key_heads * each * width])
    return [whole, k, v]


def heads(r: Reader, c: Call, x: Tensor, name: str) -> Tensor:
    """x as batch, heads, positions, features."""
    if len(x.dims) == 4:
        return x
    if len(x.dims) != 3 or name not in c.attributes:
        raise r.refuse(f"a tensor with {len(x.dims)} dimensions, expected 4, or 3 and {name}")
    return split_heads(r, x, int(c.attributes[name]))


def split_heads(r: Reader, x: Tensor, count: int) -> Tensor:
    """Batch, positions, features of all heads as batch, heads, positions, features of one."""
    batch, rows, width = r.sizes(x)
    return r.permute(r.reshape(x, [batch, rows, count, width / count]), [0, 2, 1, 3])


def by_key_head(r: Reader, q: Tensor, key_heads: int) -> Tensor:
    """Queries as batch, key heads, queries of each: query head h attends with key head h // g."""
    batch, count, rows, width = r.sizes(q)
    if not sympy.sympify(count / key_heads).is_Integer:
        raise r.refuse(f"{count} query heads for {key_heads} key heads")
    return r.reshape(q, [batch, key_heads, count / key_heads, rows, width])


def scale(r: Reader, c: Call, q: Tensor) -> Tensor:
    """The factor of the scores: 1/√d where none is given."""
    if "scale" in c.attributes:
        given: Tensor = scalar(r, c.attributes["scale"])
        return given
    width = r.sizes(q)[3]
    if width.is_Integer and math.isqrt(int(width)) ** 2 == int(width):
        return r.number(Fraction(1, math.isqrt(int(width))))
    return r.function("div", r.number(1), r.function("sqrt", r.count([q.dims[3]])))


# ---------------------------------------------------------------------------------------- masks
def masks(
    r: Reader, c: Call, args: list[Any], scores: Tensor, before: Any, key_heads: int
) -> tuple[Tensor, bool]:
    """Scores with −∞ where a mask, the order or a length says so; and whether any may be −∞."""
    rows, columns = scores.dims[3:]
    left, right = (int(c.attributes.get(f"{s}_window_size", -1)) for s in ("left", "right"))
    causal, lengths = bool(c.attributes.get("is_causal", 0)), args[LENGTHS]
    if (left >= 0 or right >= 0) and lengths is not None:
        raise r.refuse("a window that begins at given lengths is not read")
    if args[MASK] is not None:
        scores = with_mask(r, scores, r.as_tensor(args[MASK]), key_heads)

    def seen(name: str, allowed: Any) -> Tensor:
        def values(_: Array | None, at: SizeAt) -> Array:
            i, j = np.ogrid[: at(r.atoms.size(rows)), : at(r.atoms.size(columns))]
            return np.asarray(allowed(i + at(before), j), dtype=float)

        table = r.table(f"{name} in {r.node}", [rows, columns], values)
        return r.pointwise("masked", [table, scores], [["i", "j"], HEADS], HEADS, of=_masked)

    if causal and lengths is not None:
        scores = _causal_from(r, scores, r.as_tensor(lengths))
    elif causal:
        scores = seen("causal mask", lambda i, j: j <= i)
    if left >= 0 or right >= 0:
        scores = seen(
            "window",
            lambda i, j: ((i - j <= left) | (left < 0)) & ((j - i <= right) | (right < 0)),
        )
    if lengths is not None:
        places = _counted(r, "keys", columns)
        scores = r.pointwise(
            "masked_from", [places, r.as_tensor(lengths), scores], [["j"], ["b"], HEADS], HEADS,
            of=lambda j, n, x: np.where(j < n, x, _lowest(x)),
        )  # fmt: skip
    some = causal or left >= 0 or right >= 0 or lengths is not None or args[MASK] is not None
    return scores, some


def _causal_from(r: Reader, scores: Tensor, lengths: Tensor) -> Tensor:
    """Query i of a batch sees the keys j ≤ i + length − number of queries."""
    over = scores.dims[3:]
    i, j = _counted(r, "queries", over[0]), _counted(r, "keys", over[1])
    return r.pointwise(
        "masked_behind", [i, j, lengths, r.count(over[:1]), scores],
        [["i"], ["j"], ["b"], [], HEADS], HEADS,
        of=lambda i, j, n, q, x: np.where(j <= i + n - q, x, _lowest(x)),
    )  # fmt: skip


def _counted(r: Reader, what: str, dim: Dim) -> Tensor:
    """The positions of a dimension as numbers, from 0."""
    size = r.atoms.size(dim)
    return r.table(f"{what} in {r.node}", [dim], lambda _, at: np.arange(at(size), dtype=float))


def with_mask(r: Reader, scores: Tensor, mask: Tensor, key_heads: int) -> Tensor:
    """A mask over (batch, query heads, query positions, key positions), fewer from the left."""
    rank = len(mask.dims)
    if not 1 <= rank <= 4:
        raise r.refuse(f"a mask with {rank} dimensions")
    own, columns = r.sizes(mask)[-1], r.sizes(scores)[-1]
    if own not in (columns, 1) and sympy.expand(own - columns).is_negative:
        raise r.refuse(f"a mask of {own} columns for {columns} keys")
    labels: list[Any] = ["b", "heads", "i", "j"][4 - rank :]
    if rank >= 3 and r.sizes(mask)[rank - 3] != 1:
        sizes: list[Any] = list(r.sizes(mask))
        each = sizes[rank - 3] / key_heads
        mask = r.reshape(mask, [*sizes[: rank - 3], key_heads, each, *sizes[rank - 2 :]])
        labels[rank - 3 : rank - 2] = ["h", "g"]
    elif rank >= 3:
        mask = r.drop(mask, [rank - 3])
        del labels[rank - 3]
    if mask.kind == "b":
        return r.pointwise("masked", [mask, scores], [labels, HEADS], HEADS, of=_masked)
    return r.pointwise("add", [scores, mask], [HEADS, labels], HEADS)


def _lowest(x: Any) -> Any:
    return np.asarray(-np.inf, dtype=x.dtype)


def _masked(mask: Any, x: Any) -> Any:
    return np.where(mask != 0, x, _lowest(x))


# ------------------------------------------------------------------------------ rotary embeddings
@operator("RotaryEmbedding")
def rotary(r: Reader, c: Call, args: list[Any]) -> Any:
    x = r.as_tensor(args[0])
    flat = len(x.dims) == 3
    if flat:
        x = split_heads(r, x, int(c.attributes.get("num_heads", 0)) or 1)
    width = r.sizes(x)[3]
    part = int(c.attributes.get("rotary_embedding_dim", 0)) or width
    turned, left = r.slice(x, 3, 0, part), None if part == width else r.slice(x, 3, part, width)
    cos, sin = (_angles(r, a, args[3] if len(args) > 3 else None) for a in args[1:3])
    whole = _turned(r, turned, part, cos, sin, bool(c.attributes.get("interleaved", 0)))
    if left is not None:
        whole = r.concat([whole, left], 3)
    if flat:
        batch, count, rows, each = r.sizes(whole)
        whole = r.reshape(r.permute(whole, [0, 2, 1, 3]), [batch, rows, count * each])
    return whole


def _angles(r: Reader, cache: Any, positions: Any) -> Tensor:
    """Cosines or sines of each position, as batch, 1, positions, half the features."""
    table = r.as_tensor(cache)
    if positions is not None:
        if isinstance(positions, Constant):
            new = [r.atoms.new(s, "positions") for s in positions.sizes]
            source, choice = r.source(positions)
            table = r.select(table, 0, new, source, choice, f"places {positions.name}")
        else:
            table = one_hot_gather(r, table, r.as_tensor(positions), 0)
    return r.insert(table, [1])


def _turned(r: Reader, x: Tensor, width: Any, cos: Tensor, sin: Tensor, pairs: bool) -> Tensor:
    """Each pair of features turned by its angle: feature k with k + d/2, or 2k with 2k + 1."""
    half = sympy.sympify(width) / 2
    if pairs:
        first, second = (_every_other(r, x, half, k) for k in (0, 1))
    else:
        first, second = r.slice(x, 3, 0, half), r.slice(x, 3, half, width)
    real = r.function("sub", r.function("mul", cos, first), r.function("mul", sin, second))
    other = r.function("add", r.function("mul", sin, first), r.function("mul", cos, second))
    if not pairs:
        return r.concat([real, other], 3)
    return r.function("add", _spread(r, real, width, 0), _spread(r, other, width, 1))


def _every_other(r: Reader, x: Tensor, half: Any, first: int) -> Tensor:
    """Features first, first + 2, …: by a table, since a merged dimension could not be joined."""
    new = r.atoms.new(half, f"d{half}")
    name = f"every other feature in {r.node}, {first}"
    return r.select(x, 3, [new], "", lambda _, at: 2 * np.arange(at(half)) + first, name)


def _spread(r: Reader, x: Tensor, width: Any, first: int) -> Tensor:
    """Features put at first, first + 2, …, between zeros."""
    new = r.atoms.new(width, f"d{width}")

    def places(_: Array | None, at: SizeAt) -> Array:
        k = np.arange(at(width))
        return np.where(k % 2 == first, k // 2, -1)

    return r.windows(x, 3, [new], places, f"features between zeros in {r.node}, {first}")
