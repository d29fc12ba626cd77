"""If: the branch that a decided condition takes, read as if it stood in the graph."""

from __future__ import annotations

from typing import Any

from ..graph import Call, Graph
from ..reader import Reader, operator
from ..values import Constant


@operator("If")
def branch(r: Reader, c: Call, args: list[Any]) -> Any:
    taken = c.attributes["then_branch" if decided(r, args[0]) else "else_branch"]
    if not isinstance(taken, Graph):
        raise r.refuse("If without branches")
    found = r.inside(taken)
    if len(found) != len(c.outputs):
        raise r.refuse(f"a branch with {len(found)} outputs for {len(c.outputs)}")
    return found


def decided(r: Reader, condition: Any) -> bool:
    """A condition that is the same whatever the inputs hold, and for all sizes."""
    if not isinstance(condition, Constant):
        raise r.refuse("the condition of If depends on data")
    known = condition.ints
    if known is None or not all(x.is_Integer for x in known.flat):
        array = r.array(condition)
        if array is None:
            raise r.refuse("the condition of If is not the same for all sizes")
        return bool(array.reshape(-1)[0])
    return bool(known.reshape(-1)[0] != 0)
