"""If: the branch that a decided condition takes, read as if it stood in the graph; where it is not
decided, both, and the condition chooses between their values."""

from __future__ import annotations

from typing import Any

from ..graph import Call
from ..reader import Reader, operator
from ..values import Refused
from .elementwise import function


@operator("If")
def branch(r: Reader, c: Call, args: list[Any]) -> Any:
    then, other = (c.attributes[name] for name in ("then_branch", "else_branch"))
    test = r.array(args[0])
    if test is not None:  # one for all inputs and sizes
        return r.inside(then if test.any() else other)
    if any(call.op == "Squeeze" for b in (then, other) for call in b.calls):
        # its branch means something at some sizes alone, and reading it would ask for these
        raise r.refuse("the condition of If is not the same for all sizes, or depends on data")
    sizes = dict(r.atoms.equal)
    read = [r.inside(b) for b in (then, other)]
    if r.atoms.equal != sizes:
        raise r.refuse("a branch of an undecided If that means something at some sizes alone")
    return [_chosen(r, c, args[0], a, b) for a, b in zip(*read, strict=True)]


def _chosen(r: Reader, c: Call, condition: Any, a: Any, b: Any) -> Any:
    """a where the condition holds, else b: of the same sizes."""
    for value in (a, b):
        if isinstance(value, Refused):
            return value
    a, b = r.as_tensor(a), r.as_tensor(b)
    if r.sizes(a) != r.sizes(b):
        raise r.refuse(f"an undecided If between tensors of sizes {r.sizes(a)} and {r.sizes(b)}")
    test = r.reshape(r.as_tensor(condition), [])
    return function(r, c, "where", [test, a, b], a.kind)
