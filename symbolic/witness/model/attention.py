"""Attention and RotaryEmbedding as single operators (opset 23 and later)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from flint import arb

from .balls import (
    MINUS_INFINITY,
    ZERO,
    Array,
    arithmetic,
    balls,
    filled,
    mapped,
    product,
    room,
    unified,
)
from .call import Call, Result
from .errors import BadModel
from .index import within
from .normalise import softmax


def _heads(x: Array, count: int | None) -> Array:
    """(batch, tokens, features) as (batch, heads, tokens, features of a head)."""
    if x.ndim == 4:
        return x
    if x.ndim != 3 or not count or count < 1 or x.shape[2] % count:
        raise BadModel(f"given a tensor of shape {list(x.shape)} for {count} heads")
    return x.reshape(x.shape[0], x.shape[1], count, -1).transpose(0, 2, 1, 3)


def _forbidden(c: Call, queries: int, keys: int, past: int) -> Array | None:
    """Which keys a query may not attend to: the causal mask, the window, and the padding."""
    lengths, left = c.optional(6), int(c.get("left_window_size", -1))
    right = int(c.get("right_window_size", -1))
    offset = np.full((1, 1, 1, 1), past)
    if lengths is not None and c.optional(4) is None:
        offset = lengths.reshape(-1, 1, 1, 1) - queries
    room((offset.size, queries, keys))
    i = np.arange(queries).reshape(1, 1, queries, 1) + offset
    j = np.arange(keys).reshape(1, 1, 1, keys)
    rules = []
    if c.get("is_causal", 0):
        rules.append(j > i)
    if left >= 0:
        rules.append(i - j > left)
    if right >= 0:
        rules.append(j - i > right)
    if lengths is not None:
        rules.append(j >= lengths.reshape(-1, 1, 1, 1))
    if not rules:
        return None
    found = rules[0]
    for rule in rules[1:]:
        found = found | rule
    return np.asarray(found)


def _bias(c: Call, queries: int, keys: int, past: int) -> Array | None:
    """What is added to the scores, as balls; −∞ where a key may not be attended to."""
    mask, rule = c.optional(3), _forbidden(c, queries, keys, past)
    bias: Array | None = None
    if mask is not None:
        missing = keys - mask.shape[-1]
        if mask.dtype == np.bool_:
            bias = mapped(lambda m: ZERO if m else MINUS_INFINITY, mask)
        else:
            bias = balls(mask)
        if missing > 0:
            more = filled((*mask.shape[:-1], missing), MINUS_INFINITY)
            bias = np.concatenate([bias, more], axis=-1)
    if rule is not None:
        added = mapped(lambda m: MINUS_INFINITY if m else ZERO, rule)
        bias = added if bias is None else arithmetic(np.add, bias, added)
    return bias


def _attention(c: Call) -> Result:
    flat = c[0].ndim == 3
    q = _heads(balls(c[0]), c.get("q_num_heads", None))
    k, v = (_heads(balls(c[i]), c.get("kv_num_heads", None)) for i in (1, 2))
    past_k, past_v = c.optional(4), c.optional(5)
    past = 0 if past_k is None else past_k.shape[2]
    if past_k is not None and past_v is not None:
        k = np.concatenate(unified([past_k, k]), axis=2)
        v = np.concatenate(unified([past_v, v]), axis=2)
    kept_k, kept_v = k, v
    heads = q.shape[1]
    if k.shape[1] < 1 or heads % k.shape[1] or v.shape[1] != k.shape[1]:
        raise BadModel(f"given {heads} query heads and {k.shape[1]} key heads")
    times = heads // k.shape[1]
    k, v = (np.repeat(x, times, axis=1) if times > 1 else x for x in (k, v))
    scale = c.get("scale", None)
    factor = arb(q.shape[-1]).rsqrt() if scale is None else arb(scale)
    scores = product(q * factor, k.transpose(0, 1, 3, 2))
    cap, mode = float(c.get("softcap", 0.0)), int(c.get("qk_matmul_output_mode", 0))
    shown = scores
    if cap > 0:
        scores = mapped(lambda s: arb(cap) * (s / arb(cap)).tanh(), scores)
        shown = scores
    bias = _bias(c, q.shape[2], k.shape[2], past)
    if bias is not None:
        scores = arithmetic(np.add, scores, bias)
    shown = scores if mode == 2 else shown
    weights = _weights(scores, bias)
    shown = weights if mode == 3 else shown
    out = product(weights, v)
    if flat:
        out = out.transpose(0, 2, 1, 3).reshape(out.shape[0], out.shape[2], -1)
    return out, kept_k, kept_v, shown


def _weights(scores: Array, bias: Array | None) -> Array:
    """The softmax of the scores; a query that may attend to no key has weights 0."""
    if scores.shape[-1] == 0:
        return scores
    found = softmax(scores)
    if bias is None:
        return found
    closed = mapped(lambda b: b == MINUS_INFINITY, bias, dtype=np.bool_)
    none = np.broadcast_to(closed, scores.shape).all(axis=-1, keepdims=True)
    return np.where(none, filled((1,), ZERO), found)


def _rotary(c: Call) -> Array:
    x, cos, sin, places = balls(c[0]), c[1], c[2], c.optional(3)
    flat = x.ndim == 3
    y = _heads(x, c.get("num_heads", None))  # batch, heads, tokens, features
    width = int(c.get("rotary_embedding_dim", 0)) or y.shape[-1]
    if places is not None:
        cos, sin = (t[within(places, t.shape[0])] for t in (cos, sin))
    if cos.ndim != 3 or cos.shape[-1] * 2 != width or sin.shape != cos.shape:
        raise BadModel(f"given a table of shape {list(cos.shape)} for a width of {width}")
    cos, sin = balls(cos)[:, None], balls(sin)[:, None]
    turned, rest = y[..., :width], y[..., width:]
    if c.get("interleaved", 0):
        a, b = turned[..., 0::2], turned[..., 1::2]
    else:
        a, b = turned[..., : width // 2], turned[..., width // 2 :]
    first, second = a * cos - b * sin, a * sin + b * cos
    if c.get("interleaved", 0):
        found = np.stack([first, second], axis=-1).reshape(turned.shape)
    else:
        found = np.concatenate([first, second], axis=-1)
    found = np.concatenate([found, rest], axis=-1)
    return found.transpose(0, 2, 1, 3).reshape(x.shape) if flat else found


OPERATORS: dict[str, Callable[[Call], Result]] = {
    "Attention": _attention,
    "RotaryEmbedding": _rotary,
}
