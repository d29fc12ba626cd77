"""Integers of which some are not decided: carried until something chooses others in their place.

A bucket of a distance is computed by a logarithm for all distances, that of 0 too, and is then used
for large ones alone. So a cast that cannot be decided is no error yet; any use of it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .balls import Array
from .call import Call
from .errors import Undecided


@dataclass(frozen=True, eq=False)
class Partial:
    """Integers; where `known` is false the value is 0 and means nothing. `reason` says why."""

    values: Array
    known: Array
    reason: str

    def used(self) -> Undecided:
        """The error that they are used where all must be known."""
        return Undecided(self.reason)


ENTRY_BY_ENTRY = {"Add", "Sub", "Mul", "Min", "Max", "Neg", "Abs", "Clip"}
MOVING = {"Identity", "Unsqueeze", "Squeeze", "Reshape", "Transpose", "Expand"}


def whole(values: Array, known: Array, reason: str) -> Array | Partial:
    """The integers, plain where all of them are known."""
    return values if known.all() else Partial(values, known, reason)


def applied(operator: Callable[[Call], Any], c: Call) -> Any:
    """An operator with such inputs: what it does to the values, and which of its results are
    known. Undecided for operators of which that is not said here."""
    first = next(v for v in c.inputs if isinstance(v, Partial))
    values = [v.values if isinstance(v, Partial) else v for v in c.inputs]
    known = [_known(v) for v in c.inputs]
    if c.op in ENTRY_BY_ENTRY:
        sure = known[0]
        for k in known[1:]:
            sure = sure & k
    elif c.op in MOVING and isinstance(c.inputs[0], Partial):
        if any(isinstance(v, Partial) for v in c.inputs[1:]):
            raise first.used()
        sure = _tensor(operator(replace(c, inputs=[known[0], *values[1:]])))
    elif c.op == "Where" and len(c.inputs) == 3 and not isinstance(c.inputs[0], Partial):
        sure = np.where(values[0], known[1], known[2])
    else:
        raise first.used()
    found = _tensor(operator(replace(c, inputs=values)))
    return whole(found, np.broadcast_to(sure, found.shape), first.reason)


def _known(v: Any) -> Array:
    if isinstance(v, Partial):
        return v.known
    return np.ones(np.shape(v) if isinstance(v, np.ndarray) else (), dtype=np.bool_)


def _tensor(found: Any) -> Array:
    results: Sequence[Any] = [found] if isinstance(found, np.ndarray | np.generic) else found
    return np.asarray(results[0])
