"""Stacks: a layer applied once for each index of a set, and the same written out layer by layer."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from orderproof.symbolic.calculus.terms import (
    Map,
    Name,
    Node,
    Op,
    Set,
    ShapeError,
    Term,
    applied,
    at,
    build,
    opened,
    reachable,
)

from .builders import constant
from .names import set_name


def stacked(layer: Term, axis: Name) -> Term:
    """The stack of which this is a layer: a definition of tokens and of weights that may have the
    axis `axis`. It is applied for each index of that axis, in order, each time to what it gave
    before, at first to the tokens that it has here. Raises ShapeError for what is no such layer."""
    op, (tokens, *weights), (own, *bound), names = opened(layer)
    if axis not in layer.axes or axis in tokens.axes or axis in names:
        given = f"axes {layer.axes}, of its tokens {tokens.axes}"
        raise ShapeError(f"stack over {axis!r}: given {given}, expected it in weights alone")
    of = Op("iterate", (op, layer.sets[axis]))
    return build(of, [tokens, *weights], [own, *((*b, axis) for b in bound)], names)


@cache
def layer_sets(root: Node) -> frozenset[Set]:
    """The index sets of the layers of all stacks in a node, those inside definitions too."""
    found: set[Set] = set()
    for node in reachable(root):
        if (step := applied(node.op)) is not None:
            found |= layer_sets(step.data[2])
        if node.op.kind == "iterate":
            found.add(node.op.data[1])
    return frozenset(found)


def unrolled(term: Term, size: Callable[[Set], int]) -> tuple[Term, dict[str, int]]:
    """term with every stack written out for so many layers, each an application of its own; and the
    constants that name the layers, with the index of each."""
    places: dict[str, int] = {}

    def layers(over: Set) -> list[Map]:
        every = [constant(f"layer {k} of {set_name(over)}", over) for k in range(size(over))]
        places.update({m.data[0]: k for k, m in enumerate(every)})
        return every

    def written(root: Node) -> Term:
        done: dict[Node, Term] = {}
        for node in reachable(root):
            op, parts, bound, names = opened(Term(node, tuple(range(len(node.sets)))))
            parts = tuple(done[p.node].rename(dict(enumerate(p.axes))) for p in parts)
            step = applied(op)
            if step is not None and layer_sets(step.data[2]):
                step = _with_body(step, written(step.data[2]))
            if step is None or op.kind == "apply":
                done[node] = build(step or op, parts, bound, names)
                continue
            state = parts[0].rename(
                {b: a for b, a in zip(bound[0], names, strict=True) if b in parts[0].axes}
            )
            for layer in layers(op.data[1]):
                here = [
                    at(p, {b[-1]: layer()} if b[-1] in p.axes else {})
                    for p, b in zip(parts[1:], bound[1:], strict=True)
                ]
                inner = [names, *(b[:-1] for b in bound[1:])]
                state = build(step, [state, *here], inner, names)
            done[node] = state
        return done[root]

    return written(term.node).rename(dict(enumerate(term.axes))), places


def _with_body(definition: Op, body: Term) -> Op:
    name, formals, before = definition.data
    if body.axes != tuple(range(len(before.sets))):
        raise ShapeError(
            f"definition {name}: given axes {body.axes} once its stacks are written "
            f"out, expected those that it has, {len(before.sets)}"
        )
    return Op("apply", (name, formals, body.node))
