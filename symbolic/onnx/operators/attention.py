"""Attention and rotary embeddings as operators of their own (opset 23 and later)."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy

from ..graph import Array, Call
from ..reader import Reader, operator
from ..values import SizeAt, Tensor
from .convolution import fixed
from .indexing import gather
from .node import attributes, optional, scalar

QUERY, KEY, VALUE, MASK, PAST_KEY, PAST_VALUE, LENGTHS = range(7)
SIDES = ("left", "right")  # of a window
HEADS = ["b", "h", "g", "i", "j"]  # batch, key heads, queries of each, query and key positions


@operator("Attention")
def attention(r: Reader, c: Call, args: list[Any]) -> Any:
    args, has = [*args, *[None] * (7 - len(args))], attributes(c)
    if len(c.outputs) > 3 and c.outputs[3]:
        raise r.refuse("the scores that Attention gives out are not read")
    if args[LENGTHS] is not None or max(has.get(f"{k}_window_size", -1) for k in SIDES) >= 0:
        raise r.refuse("Attention with lengths or within a window is not read")
    flat = len(r.sizes_of(args[QUERY])) == 3
    q, k, v = (
        heads(r, c, r.as_tensor(args[i]), f"{'q' if i == QUERY else 'kv'}_num_heads")
        for i in (QUERY, KEY, VALUE)
    )
    before = sympy.Integer(0)
    if args[PAST_KEY] is not None:
        before = r.sizes_of(args[PAST_KEY])[2]
        k, v = (
            r.concat([r.as_tensor(args[old]), new], 2)
            for old, new in ((PAST_KEY, k), (PAST_VALUE, v))
        )
    (key_heads,) = fixed(r, r.sizes(k)[1:2], "key heads")
    grouped = by_key_head(r, q, key_heads)
    scores = r.einsum([grouped, k], [["b", "h", "g", "i", "d"], ["b", "h", "j", "d"]], HEADS)
    scores = r.function("mul", scores, scale(r, c, q))
    if has["softcap"] > 0:
        cap = scalar(r, has["softcap"])
        inner = r.function("tanh", r.function("div", scores, cap), of=np.tanh)
        scores = r.function("mul", inner, cap)
    if args[MASK] is not None:
        scores = with_mask(r, scores, r.as_tensor(args[MASK]), key_heads)
    if has["is_causal"]:
        scores = causal(r, scores, before)
    weights = r.softmax(scores, 4)
    if has["is_causal"] or args[MASK] is not None:  # a row in which all is masked is 0, not 0/0
        weights = r.function(
            "number_or_zero", weights, of=lambda x: np.where(np.isnan(x), np.zeros_like(x), x)
        )
    whole = r.einsum([weights, v], [HEADS, ["b", "h", "j", "e"]], ["b", "h", "g", "i", "e"])
    batch, _, each, rows, width = r.sizes(whole)
    whole = r.reshape(whole, [batch, key_heads * each, rows, width])
    return [merge_heads(r, whole) if flat else whole, k, v]


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


def merge_heads(r: Reader, x: Tensor) -> Tensor:
    """Batch, heads, positions, features of one as batch, positions, features of all."""
    batch, count, rows, width = r.sizes(x)
    return r.reshape(r.permute(x, [0, 2, 1, 3]), [batch, rows, count * width])


def by_key_head(r: Reader, q: Tensor, key_heads: int) -> Tensor:
    """Queries as batch, key heads, queries of each: query head h attends with key head h // g."""
    batch, count, rows, width = r.sizes(q)
    if not sympy.sympify(count / key_heads).is_Integer:
        raise r.refuse(f"{count} query heads for {key_heads} key heads")
    return r.reshape(q, [batch, key_heads, count / key_heads, rows, width])


def scale(r: Reader, c: Call, q: Tensor) -> Tensor:
    """The factor of the scores: 1/√d where none is given."""
    if "scale" in c.attributes:
        return scalar(r, c.attributes["scale"])
    return r.function("div", r.number(1), r.function("sqrt", r.count([q.dims[3]])))


# ---------------------------------------------------------------------------------------- masks
def causal(r: Reader, scores: Tensor, before: Any) -> Tensor:
    """Scores of each query with the keys up to its own position, −∞ with later ones."""
    rows, columns = scores.dims[3:]

    def values(_: Array | None, at: SizeAt) -> Array:
        i, j = np.ogrid[: at(r.atoms.size(rows)), : at(r.atoms.size(columns))]
        return np.asarray(j <= i + at(before), dtype=float)

    table = r.table(f"causal mask in {r.node}", [rows, columns], values)
    return r.pointwise("masked", [table, scores], [["i", "j"], HEADS], HEADS, of=_masked)


def with_mask(r: Reader, scores: Tensor, mask: Tensor, key_heads: int) -> Tensor:
    """A mask over (batch, query heads, query positions, key positions), fewer from the left."""
    mask = r.insert(mask, range(4 - len(mask.dims)))
    batch, count, *rest = r.sizes(mask)
    each: list[Any] = [1, 1] if count == 1 else [key_heads, count / key_heads]
    mask = r.reshape(mask, [batch, *each, *rest])
    if mask.kind == "b":
        return r.function("masked", mask, scores, of=_masked)
    return r.function("add", scores, mask)


def _masked(mask: Any, x: Any) -> Any:
    return np.where(mask != 0, x, np.asarray(-np.inf, dtype=x.dtype))


# ------------------------------------------------------------------------------ rotary embeddings
@operator("RotaryEmbedding")
def rotary(r: Reader, c: Call, args: list[Any]) -> Any:
    x, has = r.as_tensor(args[0]), attributes(c)
    flat = len(x.dims) == 3
    if flat:
        x = split_heads(r, x, int(has.get("num_heads", 0)) or 1)
    width = r.sizes(x)[3]
    part = int(has["rotary_embedding_dim"]) or width
    if optional(args, 3) is not None:  # the angles of these positions
        args = [x, *(gather(r, c, [a, args[3]]) for a in args[1:3])]
    cos, sin = (r.insert(r.as_tensor(a), [1]) for a in args[1:3])
    whole = _turned(r, r.slice(x, 3, 0, part), cos, sin, bool(has["interleaved"]))
    if part != width:
        whole = r.concat([whole, r.slice(x, 3, part, width)], 3)
    return merge_heads(r, whole) if flat else whole


def _turned(r: Reader, x: Tensor, cos: Tensor, sin: Tensor, pairs: bool) -> Tensor:
    """Each pair of features turned by its angle: feature k with k + d/2, or 2k with 2k + 1. Of the
    two features p, q of an angle: cos p − sin q, and cos q + sin p."""
    (*others, width), dim = r.sizes(x), 4 if pairs else 3
    whole = r.reshape(x, [*others, *((width / 2, 2) if pairs else (2, width / 2))])
    p, q = (r.drop(r.slice(whole, dim, k, k + 1), [dim]) for k in (0, 1))
    (cp, sq), (cq, sp) = ((r.function("mul", cos, a), r.function("mul", sin, b))
                          for a, b in ((p, q), (q, p)))  # fmt: skip
    turned = r.function("sub", cp, sq), r.function("add", cq, sp)
    return r.reshape(r.concat([r.insert(a, [dim]) for a in turned], dim), [*others, width])
