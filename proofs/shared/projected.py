"""References from the papers that are given queries, keys and values, from tokens and weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from orderproof.proofs.marks.numeric import Inputs

Values = NDArray[Any]
OfProjected = Callable[[Values, Values, Values, Inputs], Values]

__all__ = ["Inputs", "Values", "projected"]


def projected(reference: OfProjected) -> Callable[[Inputs], Values]:
    """reference(X W_Q, X W_K, X W_V, all that is given), from what is given."""

    def of_tokens(given: Inputs) -> Values:
        q, k, v = (given["X"] @ given[name] for name in ("W_Q", "W_K", "W_V"))
        return reference(q, k, v, given)

    return of_tokens
