"""Products of matrices and tensors."""

from __future__ import annotations

from typing import Any

from ..graph import Call
from ..reader import Reader, operator
from .node import attributes, optional, scalar


@operator("MatMul")
def matmul(r: Reader, c: Call, args: list[Any]) -> Any:
    return r.matmul(r.as_tensor(args[0]), r.as_tensor(args[1]))


@operator("Gemm")
def gemm(r: Reader, c: Call, args: list[Any]) -> Any:
    a, b = r.as_tensor(args[0]), r.as_tensor(args[1])
    has = attributes(c)
    rows, columns = "ji" if has["transA"] else "ij", "kj" if has["transB"] else "jk"
    parts = [(r.einsum([a, b], [rows, columns], "ik"), has["alpha"])]
    if optional(args, 2) is not None:
        parts.append((r.as_tensor(args[2]), has["beta"]))
    scaled = [t if k == 1 else r.function("mul", t, scalar(r, k)) for t, k in parts]
    return r.function("add", *scaled) if len(scaled) > 1 else scaled[0]


@operator("Einsum")
def einsum(r: Reader, c: Call, args: list[Any]) -> Any:
    text = str(c.attributes["equation"]).replace(" ", "")
    parts = [r.as_tensor(a) for a in args]
    left, arrow, out = text.partition("->")
    terms = left.split(",")
    labels = [_letters(t, len(p.dims)) for t, p in zip(terms, parts, strict=True)]
    dots = sorted({x for own in labels for x in own if isinstance(x, int)})
    if arrow:
        to = [y for x in out.replace("...", ".") for y in (dots if x == "." else [x])]
    else:
        every = [x for own in labels for x in own if isinstance(x, str)]
        to = [*dots, *sorted(x for x in set(every) if every.count(x) == 1)]
    return r.einsum(parts, labels, to)


def _letters(term: str, rank: int) -> list[Any]:
    """The labels of one input; of an ellipsis, places counted from the end: −1 is its last."""
    before, dots, after = term.partition("...")
    return [*before, *range(len(before) + len(after) - rank if dots else 0, 0), *after]
