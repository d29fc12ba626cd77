"""The largest values, and what is not read of them: in which order equal ones stand."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph import Call
from ..reader import Reader, operator
from ..values import Tensor


@operator("TopK")
def largest(r: Reader, c: Call, args: list[Any]) -> Any:
    x = r.as_tensor(args[0])
    dim = r.dimension(c.attributes.get("axis", -1), len(x.dims))
    k = r.atoms.canonical(r.ints(args[1], "the number of values").reshape(-1)[0])
    if not bool(c.attributes.get("sorted", 1)):
        raise r.refuse("values in an order that is left open")
    most = bool(c.attributes.get("largest", 1))
    found: list[Any] = [None, None]
    if c.outputs[0]:
        found[0] = by_counting(r, x, dim, k, most)
    if len(c.outputs) > 1 and c.outputs[1]:
        found[1] = places(r, x, dim, k, most)
    return found[: len(c.outputs)]


def by_counting(r: Reader, x: Tensor, dim: int, k: Any, most: bool) -> Tensor:
    """The value of rank k, from 0, is the least of those x_i that at most k others exceed:
    min over i of where(#{j: x_j > x_i} ≤ k, x_i, ∞). Equal values take as many ranks as there are
    of them. No rank depends on the order of the x_i: the ranks are a set of their own."""
    before, after = list(range(dim)), list(range(dim + 1, len(x.dims)))
    rows = [[*before, label, *after] for label in ("j", "i")]
    name = "greater" if most else "less"
    of: Any = np.greater if most else np.less
    ahead = r.pointwise(
        name, [x, x], rows, rows[1], of=lambda a, b: np.asarray(of(a, b), dtype=a.dtype)
    )
    ranks = r.table(
        f"ranks in {r.node}", [r.atoms.new(k, "rank")], lambda _, at: np.arange(at(k), dtype=float)
    )
    limit = np.inf if most else -np.inf
    kept = r.pointwise(
        "reaches_rank" if most else "within_rank", [ahead, x, ranks], [rows[1], rows[1], ["k"]],
        [*before, "k", "i", *after],
        of=lambda count, value, rank: np.where(
            count <= rank, value, np.asarray(limit, np.result_type(value.dtype, np.float16))
        ),
        kind=x.kind,
    )  # fmt: skip
    return r.reduce("min" if most else "max", kept, [dim + 1], keep=False)


def places(r: Reader, x: Tensor, dim: int, k: Any, most: bool) -> Tensor:
    """Where the largest stand: of equal ones the first, which depends on the order."""

    def of(rows: Any, count: int) -> Any:
        order = np.argsort(-rows if most else rows, axis=-1, kind="stable").astype(rows.dtype)
        return order[..., :count] if new else order[..., 0]

    new = r.atoms.new(k, "rank")  # none of one place
    return r.rowwise(f"places of the {'largest' if most else 'least'}", x, dim, of, new, "i")
