"""A node as its operator reads it: its inputs, attributes, and what must hold for it to run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..graph import Array, Call
from .expression import Expr, index, number
from .tables import looked_up, sort_of
from .tensors import Reaches, Refused, Tensor


@dataclass(frozen=True)
class Condition:
    """What must hold at all indices below these bounds, or the model has no value."""

    holds: Expr
    indices: tuple[tuple[str, Expr], ...] = ()


@dataclass(frozen=True, eq=False)
class Node:
    """A call with its inputs read; `require` keeps what must hold."""

    call: Call
    inputs: tuple[Tensor | None, ...]
    conditions: list[Condition]
    fresh: Callable[[], str]  # a name that no index has
    run: Callable[[Mapping[str, int]], Array]  # its first output at these sizes

    def input(self, k: int) -> Tensor:
        """An input that is there."""
        if (t := self.given(k)) is None:
            raise Refused(f"given no input {k}, expected one")
        return t

    def given(self, k: int) -> Tensor | None:
        """An input, or None where it is left out."""
        return self.inputs[k] if k < len(self.inputs) else None

    def attribute(self, name: str, default: Any = None) -> Any:
        """An attribute."""
        return self.call.attributes.get(name, default)

    def numbers(self, k: int, attribute: str) -> list[int] | None:
        """Known integers, which newer operator sets have as an input and older ones as an
        attribute; None where they are left out."""
        if (t := self.given(k)) is not None:
            return t.numbers()
        found = self.attribute(attribute)
        return None if found is None else [int(x) for x in found]

    def require(self, holds: Expr) -> None:
        """That the sizes are such."""
        self._keep(Condition(holds))

    def require_everywhere(self, t: Tensor, holds: Callable[[Expr], Expr]) -> None:
        """That every entry of a tensor is such; of an input's values nothing is asked."""
        names = [self.fresh() for _ in t.dims]
        try:
            said = holds(t.at(*map(index, names)))
        except Reaches:
            return
        self._keep(Condition(said, tuple(zip(names, t.dims, strict=True))))

    def _keep(self, condition: Condition) -> None:
        if condition.holds.op != "truth" or not condition.holds.data:
            self.conditions.append(condition)


def of_array(array: Array) -> Tensor:
    """A fixed array."""
    sort = sort_of(array.dtype)
    if not sort:
        raise Refused(f"given entries of {array.dtype}, expected float, int32, int64 or bool")
    dims = tuple(number(n) for n in array.shape)
    return Tensor(dims, sort, lambda i: looked_up(array, i))
