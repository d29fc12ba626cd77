"""Maps, index sets, nodes and index expressions by name, for messages."""

from __future__ import annotations

from orderproof.symbolic.calculus.terms import Ap, Index, Map, Node, Set


def name_of(m: Map | None) -> str:
    """A map in a message."""
    if m is None:
        return "nothing"
    if m.kind == "symbol":
        return str(m.data[0])
    inner = ", ".join(name_of(x) if isinstance(x, Map) else set_name(x) for x in m.data)
    return f"{m.kind}({inner})"


def set_name(s: Set) -> str:
    """An index set in a message."""
    return s.name.join(map(set_name, s.parts)) if s.parts else s.name


def node_name(node: Node) -> str:
    """A node in a message: the name of a tensor, a function, a definition; else what it is."""
    match node.op.kind, node.op.data:
        case "at", _:
            return node_name(node.args[0].node)
        case "number", (value,):
            return str(value)
        case "iota" | "delta" | "size" as kind, (over,):
            return f"{kind} over {set_name(over)}"
        case "cat", _:
            return "cat"
        case "iterate", (step, _):
            return f"stack of {step.data[0]}"
    return str(node)


def index_name(e: Index) -> str:
    """An index expression in a message."""
    if isinstance(e, Ap):
        return name_of(e.map) + (f"({', '.join(map(index_name, e.args))})" if e.args else "")
    return f"axis {e}"
