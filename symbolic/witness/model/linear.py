"""Sums of products: MatMul, Gemm, Einsum, the discrete Fourier transform, determinants."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from flint import arb, arb_mat

from .balls import (
    MAX_BALLS,
    ZERO,
    Array,
    arithmetic,
    balls,
    boxed,
    filled,
    is_float,
    product,
    room,
    total,
    wrapped,
)
from .call import Call, Result
from .errors import BadModel


def matmul(a: Array, b: Array) -> Array:
    """The product as NumPy's matmul defines it for one and more axes."""
    if not (a.ndim and b.ndim):
        raise BadModel("given a scalar, expected a matrix")
    first, last = a.ndim == 1, b.ndim == 1
    a, b = (a[None] if first else a), (b[:, None] if last else b)
    if is_float(a):
        found = product(a, b)
    else:
        room((*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), a.shape[-2], b.shape[-1]))
        found = np.matmul(a, b)
    found = found[..., 0, :] if first else found
    return found[..., 0] if last else found


def _gemm(c: Call) -> Array:
    a, b, bias = c[0], c[1], c.optional(2)
    if a.ndim != 2 or b.ndim != 2:
        raise BadModel(f"given tensors of {a.ndim} and {b.ndim} axes, expected two matrices")
    a = a.T if c.get("transA", 0) else a
    b = b.T if c.get("transB", 0) else b
    if not is_float(a):
        raise c.refuse("Gemm of integers")
    alpha, beta = c.get("alpha", 1.0), c.get("beta", 1.0)
    found = product(a, b)
    if alpha != 1:
        found = found * arb(alpha)
    if bias is None:
        return found
    if beta != 1:  # NumPy would make a number of a tensor without axes
        bias = arithmetic(np.multiply, bias, filled((), arb(beta)))
    return arithmetic(np.add, found, bias)


def _einsum(c: Call) -> Array:
    xs = [c[k] for k in range(len(c.inputs))]
    return einsum(c.get("equation"), xs)


def einsum(equation: str, xs: list[Array]) -> Array:
    """A sum over the letters that the output does not have. Dots become letters of their own."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    parts = left.split(",")
    if len(parts) != len(xs):
        raise BadModel(f"given {len(xs)} tensors for {equation!r}, expected {len(parts)}")
    width = max((x.ndim - len(p.replace("...", "")) for p, x in zip(parts, xs, strict=True)
                 if "..." in p), default=0)  # fmt: skip
    dots = [f".{k}" for k in range(width)]

    def letters(part: str, axes: int | None) -> list[str]:
        before, found, after = part.partition("...")
        count = width if axes is None else axes - len(before) - len(after)
        return [*before, *(dots[width - count :] if found and count else []), *after]

    named = [letters(p, x.ndim) for p, x in zip(parts, xs, strict=True)]
    if any(len(p) != x.ndim for p, x in zip(named, xs, strict=True)):
        raise BadModel(f"given axes that do not fit the equation {equation!r}")
    seen = [letter for p in named for letter in p]
    if arrow:
        out = letters(right, None)
    else:
        out = dots + sorted({x for x in seen if seen.count(x) == 1 and x not in dots})
    if not set(out) <= set(seen) or len(set(out)) != len(out):
        raise BadModel(f"given an output that does not fit the equation {equation!r}")
    size: dict[str, int] = {}
    for p, x in zip(named, xs, strict=True):
        for letter, s in zip(p, x.shape, strict=True):
            if s != 1 and size.setdefault(letter, s) not in (s, 1):
                raise BadModel(f"given two sizes of {letter} in {equation!r}")
            size.setdefault(letter, s)
            size[letter] = max(size[letter], s) if s != 0 else 0
    whole = all(not is_float(x) for x in xs)
    pairs = [_diagonal(p, balls(x)) for p, x in zip(named, xs, strict=True)]
    names, value = pairs[0]
    for k, (other, y) in enumerate(pairs[1:], 1):
        later = {letter for p, _ in pairs[k + 1 :] for letter in p} | set(out)
        names, value = _contracted(names, value, other, y, later)
    gone = tuple(k for k, letter in enumerate(names) if letter not in out)
    value = total(value, gone, keep=False)
    names = [letter for letter in names if letter in out]
    value = value.transpose([names.index(letter) for letter in out])
    value = np.broadcast_to(value, room([size[letter] for letter in out]))
    if whole:
        return wrapped(value, xs[0].dtype)
    return value


def _diagonal(names: list[str], x: Array) -> tuple[list[str], Array]:
    """A letter that stands twice as one axis."""
    names = list(names)
    for letter in dict.fromkeys(names):
        while names.count(letter) > 1:
            i = names.index(letter)
            j = names.index(letter, i + 1)
            x = np.diagonal(x, axis1=i, axis2=j)
            names = [v for k, v in enumerate(names) if k not in (i, j)] + [letter]
    return names, x


def _contracted(
    a: list[str], x: Array, b: list[str], y: Array, later: set[str]
) -> tuple[list[str], Array]:
    """Two factors as one: a batched matrix product over the letters that nothing later needs."""
    x = total(x, tuple(k for k, v in enumerate(a) if v not in b and v not in later), keep=False)
    a = [v for v in a if v in b or v in later]
    y = total(y, tuple(k for k, v in enumerate(b) if v not in a and v not in later), keep=False)
    b = [v for v in b if v in a or v in later]
    batch = [v for v in a if v in b and v in later]
    inner = [v for v in a if v in b and v not in later]
    rows, columns = [v for v in a if v not in b], [v for v in b if v not in a]
    sizes = dict(zip(b, y.shape, strict=True))
    for v, s in zip(a, x.shape, strict=True):
        sizes[v] = s if sizes.get(v, 1) == 1 else sizes[v]
    x = np.broadcast_to(x.transpose([a.index(v) for v in batch + rows + inner]),
                        [sizes[v] for v in batch + rows + inner])  # fmt: skip
    y = np.broadcast_to(y.transpose([b.index(v) for v in batch + inner + columns]),
                        [sizes[v] for v in batch + inner + columns])  # fmt: skip

    def volume(letters: list[str]) -> int:
        return int(np.prod([sizes[v] for v in letters], dtype=object))

    m, k, n = volume(rows), volume(inner), volume(columns)
    room((volume(batch), m, n), MAX_BALLS)
    found = product(x.reshape(volume(batch), m, k), y.reshape(volume(batch), k, n))
    names = batch + rows + columns
    return names, found.reshape([sizes[v] for v in names])


def roots(n: int) -> tuple[list[arb], list[arb]]:
    """cos and sin of 2πk/n for k from 0 to n − 1."""
    angles = [arb(2 * k) / n for k in range(n)]
    return [t.cos_pi() for t in angles], [t.sin_pi() for t in angles]


def _dft(c: Call) -> Array:
    x = balls(c[0])
    length, given = c.ints(1), c.ints(2, "axis")
    axis = (given or [1 if c.version < 20 else -2])[0]
    inverse, onesided = bool(c.get("inverse", 0)), bool(c.get("onesided", 0))
    if x.ndim < 2 or x.shape[-1] not in (1, 2):
        raise BadModel(f"given a tensor of shape {list(x.shape)}, expected 1 or 2 at its end")
    axis %= x.ndim
    if axis == x.ndim - 1:
        raise BadModel("given the axis of real and imaginary part, expected another")
    if inverse and onesided:
        raise c.refuse("the inverse of half of a spectrum")
    n = x.shape[axis] if length is None else length[0]
    room((n, n))
    kept = x.take(range(min(n, x.shape[axis])), axis=axis)
    if n > kept.shape[axis]:
        shape = list(kept.shape)
        shape[axis] = n - kept.shape[axis]
        kept = np.concatenate([kept, filled(shape, ZERO)], axis=axis)
    kept = np.moveaxis(kept, axis, -2)
    re = kept[..., 0]
    im = kept[..., 1] if kept.shape[-1] == 2 else filled(re.shape, ZERO)
    cos, sin = roots(n)
    count = n // 2 + 1 if onesided else n
    c_matrix = boxed([cos[j * k % n] for j in range(n) for k in range(count)], (n, count))
    s_matrix = boxed([sin[j * k % n] for j in range(n) for k in range(count)], (n, count))
    s_matrix = s_matrix if inverse else -s_matrix

    def times(v: Array, m: Array) -> Array:
        return product(v.reshape(-1, n), m).reshape(*v.shape[:-1], count)

    real = times(re, c_matrix) - times(im, s_matrix)
    imaginary = times(re, s_matrix) + times(im, c_matrix)
    found = np.stack([real, imaginary], axis=-1)
    return np.moveaxis(found / arb(n) if inverse else found, -2, axis)


def _det(c: Call) -> Array:
    x = balls(c[0])
    if x.ndim < 2 or x.shape[-1] != x.shape[-2] or x.shape[-1] > 64:
        raise BadModel(f"given a tensor of shape {list(x.shape)}, expected square matrices")
    out = np.empty(x.shape[:-2], dtype=object)
    for key in np.ndindex(*out.shape):
        out[key] = arb_mat(x.shape[-1], x.shape[-1], x[key].ravel().tolist()).det()
    return out


OPERATORS: dict[str, Callable[[Call], Result]] = {
    "MatMul": lambda c: matmul(c[0], c[1]),
    "Gemm": _gemm,
    "Einsum": _einsum,
    "DFT": _dft,
    "Det": _det,
}
