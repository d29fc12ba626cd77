"""From a theorem to the steps that a person reads.

The kernel keeps how each theorem was made; `steps` unrolls that into a chain t₀ = t₁ = … = tₖ in
which every equation is itself a theorem, with its reasons: rules, or theorems named before.
`sections` groups a push by the tensors that the reader knows by name (Q, K, S, A, Z).
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from orderproof.symbolic.calculus import kernel as k
from orderproof.symbolic.calculus.kernel import Theorem
from orderproof.symbolic.calculus.terms import (
    Ap,
    Map,
    Name,
    Node,
    Op,
    Set,
    ShapeError,
    Term,
    opened,
)
from orderproof.symbolic.models.builders import opened_at, symbols
from orderproof.symbolic.models.named import Named as Named
from orderproof.symbolic.readings.notation import Formula, equation, in_both
from orderproof.symbolic.readings.printer import Label, Printer, Style

from .push import Pushed


@dataclass(frozen=True)
class Step:
    """theorem.lhs = theorem.rhs, and why: names of rules and of earlier theorems."""

    theorem: Theorem
    reasons: tuple[str, ...]


def steps(theorem: Theorem, named: Mapping[Theorem, str]) -> list[Step]:
    """The chain from theorem.lhs to theorem.rhs; a named theorem is one step, cited by its name."""
    if theorem in named:
        return [Step(theorem, (named[theorem],))]
    if theorem.lhs == theorem.rhs:
        return []
    match theorem.rule, theorem.premises:
        case "trans", (first, second):
            return [*steps(first, named), *steps(second, named)]
        case "sym", (inner,):
            return [Step(k.sym(s.theorem), s.reasons) for s in reversed(steps(inner, named))]
        case "cong", premises if len(premises) == len(theorem.lhs.node.args):
            return _inside(theorem.lhs, [steps(p, named) for p in premises])
        case "cong", premises if premises:  # some parts have none: those that are the same in both
            proofs = iter([p for p in premises if p.lhs != p.rhs])
            pairs = zip(_parts(theorem.lhs), _parts(theorem.rhs), strict=True)
            inside = [[] if a == b else steps(next(proofs), named) for a, b in pairs]
            return _inside(theorem.lhs, inside)
        case "inst", (lemma,) if lemma.rule == "iterate":
            return [Step(theorem, ("induction on the layers",))]
        case "inst", (lemma,) if lemma.lhs.node.op.kind == "apply":
            definition = lemma.lhs.node.op
            return [Step(theorem, (f"{definition.data[0]}",))]
        case "discharge", (inner, proof):  # the same, with what its hypothesis was replaced by
            reasons = (r for th in (inner, proof) for s in steps(th, named) for r in s.reasons)
            return [Step(theorem, tuple(dict.fromkeys(reasons)))]
        case "at_op", _:
            return [Step(theorem, (f"at_op {operator(theorem)}",))]
        case "at_delta", _ if not symbols(theorem.lhs)[1]:  # of the identity
            return [Step(theorem, ("symmetric",))]
        case "reindex", _ if theorem.lhs.node.op.data[0] != "sum":
            return [Step(theorem, (f"reindex {theorem.lhs.node.op.data[0]}",))]
    return [Step(theorem, (theorem.rule,))]


def operator(theorem: Theorem) -> str:
    """What a substitution passes through in a step: kind and name; "product" for Σ of a product,
    "sum with a row" for a sum of which one part has not the axis that is moved."""
    acted = next(t for t in (theorem.lhs, theorem.rhs) if t.node.op.kind == "at")
    whole = acted.node.args[0].node
    op, parts = whole.op, [part.node.op for part in whole.args]
    if op.kind == "reduce" and parts[0] == Op("pointwise", ("mul", 2)):
        return "product"
    if op == Op("pointwise", ("add", 2)):
        part, exprs = opened_at(acted)
        moved = {a for a, e in exprs.items() if isinstance(e, Ap)}
        if any(not moved <= set(p.axes) for p in opened(part)[1]):
            return "sum with a row"
    return op.kind if op.kind == "cat" else f"{op.kind} {op.data[0]}"


def _linked(theorem: Theorem, chain: Sequence[Step]) -> None:
    """Refuse a chain unless each step is a theorem that begins where the one before ended, with the
    same axes in the same order, and the last ends where the theorem does."""
    end = theorem.lhs
    for step in chain:
        if not k.is_theorem(step.theorem) or step.theorem.lhs != end:
            given = f"given {step.theorem.lhs}, expected a theorem about {end}"
            raise ShapeError(f"a step of {theorem.lhs} = {theorem.rhs}: {given}")
        end = step.theorem.rhs
    if end != theorem.rhs:
        raise ShapeError(f"the steps end at {end}, expected {theorem.rhs}, as the theorem does")


def _parts(t: Term) -> list[Term]:
    """The parts of a term with its axes for the shared ones and −1 − k for the bound ones."""
    return [part.rename(dict(enumerate(t.axes))) for part in t.node.args]


def _inside(t: Term, parts: list[list[Step]]) -> list[Step]:
    """Steps on the parts of a term as steps on the whole: the k-th steps of all parts at once."""
    result = []
    for n in range(max(map(len, parts), default=0)):
        now = [p[n] if n < len(p) else None for p in parts]
        theorem = k.cong(t, [s.theorem if s else None for s in now])
        reasons = tuple(dict.fromkeys(r for s in now if s for r in s.reasons))
        result.append(Step(theorem, reasons))
        t = theorem.rhs
    return result


@dataclass(frozen=True)
class Show:
    """How a derivation is written: the named tensors, the matrices of maps, letters of sets."""

    named: tuple[Named, ...]
    matrices: Mapping[Map, str]
    letters: Mapping[Set, str]
    stacked: frozenset[Set] = frozenset()
    bundles: Mapping[tuple[Node, ...], str] = field(default_factory=dict)
    alike: tuple[Mapping[str, str], ...] = ()  # new name ↦ of which it is another case

    def style(self, *pushes: Pushed) -> Style:
        """Labels for the named tensors and, given pushes, primed ones for their images."""
        labels: dict[Node, Label] = {}
        for pushed, item in itertools.product(pushes or (None,), self.named):
            node, axes = item.term.node, item.term.axes
            order = tuple(axes.index(a) for a in item.axes)
            labels[node] = Label(item.name, order)
            if pushed and node in pushed.parts:
                th = pushed.parts[node]
                image = tuple(th.lhs.axes.index(th.rhs.axes[s]) for s in order)
                if th.lhs.node is not node:
                    labels[th.lhs.node] = Label(item.name, image, primed=True)
        return Style(labels, self.matrices, self.letters, self.stacked, self.bundles)


@dataclass(frozen=True)
class WrittenLine:
    """A formula equal to the one before it, for these reasons; with the same step by entries."""

    formula: Formula
    reasons: tuple[str, ...]
    aside: Formula | None


def write(t: Term, style: Style, row: Name | None, column: Name | None) -> Formula:
    """A term in matrix notation where it has rows or columns, else by its entries."""
    if row is None and column is None and t.axes:
        return entries(t, style)
    return in_both(lambda to: Printer(to, style).matrix(t, row, column))


def entries(t: Term, style: Style) -> Formula:
    """A term by its entries."""
    return in_both(lambda to: Printer(to, style).indices(t))


def lines(
    theorem: Theorem,
    item: Named,
    style: Style,
    named: Mapping[Theorem, str],
    *,
    opening: bool = True,
) -> list[WrittenLine]:
    """The chain of a theorem about a named tensor, line by line; steps that print alike are one.

    With `opening`, the tensor itself is opened, but for the first and the last line. Where matrix
    notation cannot say a line, the whole chain is by entries: A′[i, j] = … = (P A Pᵀ)[i, j].
    """
    axes = _axes(theorem, item)
    closed = style
    opened = style.without(theorem.lhs.node, item.term.node) if opening else style
    rest = {th: name for th, name in named.items() if th is not theorem}
    chain = steps(theorem, rest)
    _linked(theorem, chain)
    by_entries = item.row is not None and any(
        _matrix(t.rename(axes), opened, item) is None
        for t in (theorem.lhs, *(s.theorem.rhs for s in chain))
    )

    def show(t: Term, how: Style) -> Formula:
        return entries(t.rename(axes), how) if by_entries else _write(t.rename(axes), how, item)

    result = [WrittenLine(show(theorem.lhs, closed), (), None)]
    pending: list[Step] = []

    def put(formula: Formula, *, closing: bool = False) -> None:
        if formula != result[-1].formula:
            found = () if closing else (r for s in pending for r in s.reasons)
            reasons = tuple(dict.fromkeys(found))
            shown = (_aside(s, axes, opened) for s in pending if "reindex" in s.reasons)
            aside = next((a for a in shown if a != equation(result[-1].formula, formula)), None)
            result.append(WrittenLine(formula, reasons or ("definition",), aside))
            pending.clear()

    put(show(theorem.lhs, opened))
    for step in chain:
        pending.append(step)
        put(show(step.theorem.rhs, opened))
    whole = _matrix(theorem.rhs.rename(axes), closed, item)
    if by_entries and whole:
        places = [str(a) for a in item.axes]
        closed_ = in_both(lambda to: to.indexed_whole(to.bracket(to.of(whole)), places))
        put(closed_, closing=True)
    else:
        put(show(theorem.rhs, closed), closing=True)
    return result


def ends(theorem: Theorem, item: Named, style: Style) -> tuple[Formula, Formula]:
    """Both sides of a theorem about a named tensor, in matrices where they can say it."""
    axes = _axes(theorem, item)
    left, right = (_write(t.rename(axes), style, item) for t in (theorem.lhs, theorem.rhs))
    return left, right


def _write(t: Term, style: Style, item: Named) -> Formula:
    return write(t, style, item.row, item.column)


def _matrix(t: Term, style: Style, item: Named) -> Formula | None:
    """A term in matrix notation, if that can say it."""
    written = _write(t, style, item)
    return None if written == entries(t, style) else written


def _axes(theorem: Theorem, item: Named) -> Mapping[Name, Name]:
    """The names of the axes of a theorem's right side, and so of all of its chain."""
    names: dict[Name, Name] = dict(enumerate(item.term.axes))
    moved = {x: names[s] for s, x in enumerate(theorem.rhs.axes)}
    return moved if _moved(theorem, item) else names


def _moved(theorem: Theorem, item: Named) -> bool:
    return theorem.lhs.node is not item.term.node


def _aside(step: Step, axes: Mapping[Name, Name], style: Style) -> Formula:
    left, right = (entries(t.rename(axes), style) for t in (step.theorem.lhs, step.theorem.rhs))
    return equation(left, right)


def sections(pushed: Pushed, show: Show) -> list[tuple[Named, list[WrittenLine]]]:
    """For each named tensor that moves, how it moves, from those before it."""
    style = show.style(pushed)
    named = {
        pushed.parts[item.term.node]: item.name
        for item in show.named
        if item.term.node in pushed.parts
        and pushed.parts[item.term.node].lhs.node is not item.term.node
    }
    by_name = {name: th for th, name in named.items()}
    return [
        (item, lines(by_name[item.name], item, style, named))
        for item in show.named
        if item.name in by_name
    ]
