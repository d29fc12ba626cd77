"""A claim at small sizes, entry by entry: each tensor from those before it, in generic symbols.

Entries are numbered from 1: Q_12 stands in row 1 and column 2 of Q.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy

from orderproof.check.marks.sympy_entries import satisfying
from orderproof.check.sampling import Case, least_cases, moved_sets
from orderproof.symbolic.calculus.terms import Node, Term, applied, reachable
from orderproof.symbolic.readings.entries import Entries, Model, evaluate
from orderproof.symbolic.readings.notation import Plain
from orderproof.symbolic.readings.printer import Label
from orderproof.symbolic.readings.sympy_entries import Formulas, entry_symbol
from orderproof.symbolic.statements.statement import Statement

LONG = 60  # letters of an entry from which on its tensor gets a name


@dataclass(frozen=True)
class Steps:
    """The entries of named tensors in the order of their definition, a symbol and what it is, in
    symbols of tensors and of steps before; and the entries of both sides in these symbols.

    `formed` has an entry as it comes from the steps before, which `named` may know by another name.
    """

    named: tuple[tuple[sympy.Symbol, Any], ...]
    sides: tuple[Entries, Entries]
    formed: Mapping[sympy.Symbol, Any] = field(default_factory=dict)


def least_case(s: Statement, tokens: int) -> Case | None:
    """Sizes with so many tokens, and permutations that leave the fewest of them in place."""
    permutations, moved, _ = moved_sets(s)
    counted = [x.name for x in moved if x not in s.sizes.of]
    widths = {x.name: min(2, tokens) for x in s.sets}
    names = [m.data[0] for m in permutations]

    def unmoved(case: Case) -> int:
        return sum(k == x for name in names for k, x in enumerate(case[1][name]))

    cases = least_cases(s, tokens, widths)
    fitting = [c for c in cases if all(c[0][name] == tokens for name in counted)]
    return min(fitting, key=unmoved, default=None)


def largest_definition(s: Statement, sizes: Mapping[str, int]) -> int:
    """How many symbols there are in an entry of a definition of the statement, with whatever it is
    applied to standing as one symbol; the most of all."""
    model = Model(sizes)
    nodes = {n for t in s.atom.terms for n in reachable(t.node)}
    steps = (applied(n.op) for n in nodes)
    return max((_symbols(step.data[2], model) for step in steps if step is not None), default=0)


def _symbols(whole: Node, model: Model) -> int:
    count: dict[Node, int] = {}
    for n in reachable(whole):
        parts = [count[part.node] for part in n.args]
        if n.op.kind == "reduce":
            count[n] = model.size(n.op.data[1]) * parts[0]
        elif (step := applied(n.op)) is not None:
            layers = model.size(n.op.data[1]) if n.op.kind == "iterate" else 1
            count[n] = _symbols(step.data[2], model) ** layers * max(parts, default=1)
        else:
            count[n] = max(1, sum(parts))
    return count[whole]


def steps(s: Statement, labels: Mapping[Node, Label], sizes: Any, maps: Any) -> Steps:
    """Both sides of a statement part by part. The entries of a tensor with a label are named after
    it, and those of a part that is long after its turn: u1, u2. An entry that is the same
    expression as one before it is that one."""
    terms = s.atom.terms
    tensors = {k: f for t in terms for k, f in satisfying(s, t, sizes, maps).tensors.items()}
    model = Model(sizes, maps, tensors)
    taken, names = {*tensors}, (f"u{k}" for k in itertools.count(1))
    known: dict[object, Entries] = {}
    before: dict[Any, Any] = {}
    named: list[tuple[sympy.Symbol, Any]] = []
    formed: dict[sympy.Symbol, Any] = {}
    for node in _parts_first([t.node for t in reversed(terms)]):  # first what P is applied to
        slots = tuple(range(len(node.sets)))
        values = evaluate(Term(node, slots), model, Formulas(), known)
        name, order = _name(node, labels, values, names, taken)
        if not name:
            continue
        taken.add(name)
        symbol = entry_symbol(name)
        kept = {}
        for shown, index in sorted((tuple(i[k] for k in order), i) for i in values):
            own = symbol(*shown)
            value = before[values[index]] if values[index] in before else values[index]
            named.append((own, value))
            formed[own] = values[index]
            kept[index] = value if value.is_Atom else before.setdefault(value, own)
        known[next(reversed(known))] = kept  # the node's own, which was put there last
    left, right = (evaluate(t, model, Formulas(), known) for t in terms)
    return Steps(tuple(named), (left, right), formed)


def _parts_first(roots: Sequence[Node]) -> list[Node]:
    """The roots and all below them, parts before wholes; their order is that of the roots and their
    parts, whatever terms were made before."""
    found: dict[Node, None] = {}
    todo = [*reversed(roots)]
    while todo:
        node = todo.pop()
        rest = [part.node for part in reversed(node.args) if part.node not in found]
        if rest:
            todo += [node, *rest]
        else:
            found[node] = None
    return [*found]


def _name(
    node: Node, labels: Mapping[Node, Label], values: Entries, names: Iterator[str], taken: set[str]
) -> tuple[str, Sequence[int]]:
    """The name of a part, nothing if it needs none, and the order in which its indices stand."""
    if node.op.kind in ("leaf", "number", "size", "iota", "delta"):
        return "", ()
    if node in labels:
        label = labels[node]
        name = Plain().prime(label.name) if label.primed else Plain().symbol(label.name)
        if name not in taken:
            return name, label.order
    if any(len(str(v)) > LONG for v in values.values()):
        return next(x for x in names if x not in taken), range(len(node.sets))
    return "", ()
