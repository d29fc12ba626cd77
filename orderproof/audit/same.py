"""Whether a change makes a difference: the smallest changed part, against the original part.

A true equation stays true where a part of one side is replaced by an equal one. So of a mutant, the
changed part is compared with the original, by entries in generic symbols and in floating point,
with a fresh tensor for whatever the two have in common. The same bias on all keys, say, drops out
of the softmax; no mark that compares the two sides as built can see that it does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from orderproof.check.marks.numeric import by_numpy
from orderproof.check.marks.sympy_entries import entrywise, same_simplified
from orderproof.check.sampling import (
    Case,
    about_indices,
    equal_entries,
    least_cases,
    moved_sets,
)
from orderproof.symbolic.calculus.terms import (
    Name,
    Node,
    Op,
    Term,
    build,
    opened,
    reachable,
    rebuild,
    signature,
)
from orderproof.symbolic.derive.equations import arguments
from orderproof.symbolic.derive.push import slots
from orderproof.symbolic.models.names import node_name
from orderproof.symbolic.models.retype import remade
from orderproof.symbolic.readings.error import ReadingError
from orderproof.symbolic.statements.statement import Atom, Statement

WEIGHT = 60  # nodes of a part that is compared
DEPTH = 16  # to which corresponding parts are compared
OPERATIONS = 1000  # of an entry that is simplified
TENSORS = {"leaf", "opaque"}


def makes_no_difference(mutant: Statement, original: Statement) -> str:
    """The reason why a mutant is as true as the statement that it was made from; nothing if none is
    found."""
    if replace(mutant, atom=original.atom) != original or mutant.exists:
        return ""
    if (mutant.atom.relation, mutant.atom.some) != (original.atom.relation, original.atom.some):
        return ""
    pairs = zip(mutant.atom.terms, original.atom.terms, strict=True)
    sides = [(a, b) for a, b in pairs if a != b]
    if len(sides) != 1:
        return ""
    given = frozenset(h for h in mutant.given if about_indices(h) or equal_entries(h))
    for changed, before in reversed(list(narrowed(*sides[0]))):
        for pair in in_general(changed, before):
            small = max(len(reachable(t.node)) for t in pair) <= WEIGHT
            if not small or pair[0].sets != pair[1].sets:
                continue
            if said := _equal(Statement(Atom(pair[0], "=", pair[1]), given)):
                return f"the changed part, {node_name(changed.node)}, is equal {said}"
    return ""


def _equal(part: Statement) -> str:
    """By entries in generic symbols, and by floating point at larger sizes; nothing if not so."""
    try:
        if by_numpy()(part).ok is not True:
            return ""
    except ReadingError:
        return ""  # not readable in floating point
    found = entrywise(part, "=", _same, _cases(part))
    return f"by algebra, {found.detail}; numeric agrees" if found.ok else ""


def _same(a: Any, b: Any) -> bool:
    """Simplified only where that takes no time: large entries count as different."""
    return bool(a == b or (max(_size(a), _size(b)) <= OPERATIONS and same_simplified(a, b)))


def _size(e: Any) -> int:
    """How many operations an expression has when it is written out."""
    sizes: dict[Any, int] = {}
    todo = [e]
    while todo:
        x = todo[-1]
        missing = [part for part in x.args if part not in sizes]
        todo += missing
        if not missing:
            sizes[todo.pop()] = 1 + sum(sizes[part] for part in x.args)
    return sizes[e]


def _cases(part: Statement) -> Iterator[Case]:
    """Every permutation up to three tokens, all other sizes 2 and 3 by turns."""
    _, moved, others = moved_sets(part)
    for first in (0, 1):
        widths = {s.name: 2 + (first + k) % 2 for k, s in enumerate(others)}
        yield from least_cases(part, 3 if moved else 1, widths)


# ------------------------------------------------------------------------------- what has changed
def narrowed(s: Term, t: Term) -> Iterator[tuple[Term, Term]]:
    """Pairs of parts that are all of the difference between two terms, ever smaller. The innermost
    definition that it goes through is written out."""
    while s != t:
        yield s, t
        op, parts, bound, names = opened(s)
        other = t.node.op
        if signature(other) != signature(op) or names != t.axes[: len(names)]:
            return
        others = _parts_alike(t, bound)
        apart = [pair for pair in zip(parts, others, strict=True) if pair[0] != pair[1]]
        if op != other:
            if (
                apart
                or op.kind != "apply"
                or other.kind != "apply"
                or other.data[:2] != op.data[:2]
            ):
                return
            s, t = slots(op.data[2]), slots(other.data[2])  # equal for all arguments, or not
        elif op.kind == "apply":
            further = _through_all(apart)
            yield from further
            if any(a.node.op.kind == "apply" for a, _ in further):
                return
            s, t = (rebuild(op.data[2], arguments(op, p, bound)) for p in (parts, others))
        else:
            yield from _through_all(apart)
            return


def _through_all(apart: Sequence[tuple[Term, Term]]) -> list[tuple[Term, Term]]:
    """The pairs that the differences of all parts go through, be it one part, or a part that stands
    in several."""
    first, *rest = [list(narrowed(a, b)) for a, b in apart]
    keys = [{_key(a, b) for a, b in pairs} for pairs in rest]
    return [(a, b) for a, b in first if all(_key(a, b) in found for found in keys)]


def _key(s: Term, t: Term) -> object:
    return s.node, t.node, tuple(s.axes.index(a) if a in s.axes else a for a in t.axes)


def _parts_alike(t: Term, bound: Sequence[Sequence[Name]]) -> tuple[Term, ...]:
    """The parts of t, with these names for their bound axes."""
    names = dict(enumerate(t.axes))
    wires = [names | {-1 - k: a for k, a in enumerate(inner)} for inner in bound]
    return tuple(p.rename(w) for p, w in zip(t.node.args, wires, strict=True))


def in_general(s: Term, t: Term) -> Iterator[tuple[Term, Term]]:
    """Both with fresh tensors for common parts that contain a tensor: first for parts at the same
    position in both, then for parts at any position."""
    fresh: dict[Node, Term] = {}
    yield _beside(s, t, fresh, DEPTH)
    common = set(reachable(s.node)) & set(reachable(t.node))
    chosen = {n: _fresh(n, fresh) for n in sorted(common, key=lambda n: n.id) if _has_tensor(n)}
    yield _cut(s, chosen), _cut(t, chosen)


def _has_tensor(node: Node) -> bool:
    """Whether a part that is no tensor itself contains one."""
    return node.op.kind != "leaf" and any(n.op.kind in TENSORS for n in reachable(node))


def _fresh(node: Node, fresh: dict[Node, Term]) -> Term:
    leaf = Op("leaf", (f"part {len(fresh)}", node.sets))
    return fresh.setdefault(node, build(leaf, names=slots(node).axes))


def _beside(s: Term, t: Term, fresh: dict[Node, Term], depth: int) -> tuple[Term, Term]:
    if s == t:
        cut = _fresh(s.node, fresh) if _has_tensor(s.node) else slots(s.node)
        return (cut.rename(dict(enumerate(s.axes))),) * 2
    op, parts, bound, names = opened(s)
    if not depth or signature(op) != signature(t.node.op):
        return s, t
    others = _parts_alike(t, bound)
    pairs = [_beside(a, b, fresh, depth - 1) for a, b in zip(parts, others, strict=True)]
    left, right = zip(*pairs, strict=True) if pairs else ((), ())
    own = t.axes[: len(names)]
    return build(op, left, bound, names), build(t.node.op, right, bound, own)


def _cut(t: Term, fresh: Mapping[Node, Term]) -> Term:
    whole = remade(t.node, lambda node, *parts: fresh.get(node) or build(*parts))
    return whole.rename(dict(enumerate(t.axes)))
