"""Whether whole numbers of a constant stay within their bits, for all sizes that models have."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from onnx import TensorProto

from ..atoms import LARGEST_SIZE
from ..graph import Call, Graph
from .evaluate import inside_out
from .expression import INT, Expr

UNKNOWN = 2**20  # a whole number that a function of reals is rounded to


def bits(graph: Graph, calls: Sequence[Call]) -> int:
    """The bits of the narrowest whole numbers that these nodes reckon with, less the sign."""
    used = {name for call in calls for name in call.inputs}
    cast = any(c.op == "Cast" and c.attributes.get("to") == TensorProto.INT32 for c in calls)
    narrow = any(graph.constants[x].dtype == np.int32 for x in used & graph.constants.keys())
    return 31 if cast or narrow else 63


def in_bits(e: Expr, within: int) -> bool:
    """Whether a whole number needs no more than these bits, where sizes are at most LARGEST_SIZE.
    Of numbers that are not whole nothing is asked."""
    return e.sort != INT or magnitude(e) < 2**within


def magnitude(e: Expr) -> float:
    """A bound on the absolute value of an expression; infinity where none is known."""
    found: dict[Expr, float] = {}
    for part in inside_out(e):
        of = [found[a] for a in part.args]
        match part.op:
            case "number":
                found[part] = abs(part.data)
            case "size" | "index":
                found[part] = LARGEST_SIZE
            case "sum":
                constant, *factors = part.data
                found[part] = abs(constant) + sum(
                    abs(k) * x for k, x in zip(factors, of, strict=True)
                )
            case "product":
                found[part] = math.prod(of)
            case "ite":
                found[part] = max(of[1:])
            case "abs" | "real" | "floor_div":
                found[part] = of[0]
            case "floor":
                found[part] = of[0] + 1 if of[0] < math.inf else UNKNOWN
            case "mod":
                found[part] = min(of)
            case "table":
                whole = part.sort == INT
                found[part] = max(map(abs, part.data.array.flat), default=0) if whole else math.inf
            case _:
                found[part] = UNKNOWN if part.sort == INT else math.inf
    return found[e]
