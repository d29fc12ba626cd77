"""What is stated, as it is printed: from the very terms that are checked."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from orderproof.symbolic.derivation import Written, entries, write
from orderproof.symbolic.language import symbols
from orderproof.symbolic.notation import Latex, Plain
from orderproof.symbolic.printing import Printer, Style
from orderproof.symbolic.tactic import act
from orderproof.symbolic.terms import Map, Name, Node, Op, Set, Term, build, map_type, reachable

from .claims import Claim, Condition, TheoremFile
from .pages import Formula


def style_of(theorem: TheoremFile) -> Style:
    """How a theorem writes its tensors, those that its pushes move primed."""
    style = theorem.show.style()
    for pushed in (*theorem.pushed, *theorem.primes):
        style = replace(style, labels={**style.labels, **theorem.show.style(pushed).labels})
    return style


def formula(w: Written) -> Formula:
    """The page's formula of a written one."""
    return Formula(w.latex, w.plain)


def statement(claim: Claim, style: Style) -> Formula:
    """A claim as it is printed, from the two terms that are checked."""
    left, right = (write(t, style, claim.row, claim.column) for t in (claim.lhs, claim.rhs))
    sign = {"=": "=", "≠": r"\neq", ">": ">"}[claim.relation]
    hyps = [[t.rename(dict(enumerate("ijkl"))) for t in sides] for sides in claim.hyps]
    under = [
        (write(a, style, *rows_and_columns(b)), write(b, style, *rows_and_columns(b)))
        for a, b in hyps
    ]
    under.sort(key=lambda sides: [side.plain for side in sides])  # a set has no order
    before = Formula(
        "".join(f"{a.latex} = {b.latex} \\;\\Rightarrow\\; " for a, b in under),
        "".join(f"{a.plain} = {b.plain}  ⇒  " for a, b in under),
    )
    return Formula(
        f"{before.latex}{left.latex} {sign} {right.latex}",
        f"{before.plain}{left.plain} {claim.relation} {right.plain}",
    )


def stated(claim: Claim, theorem: TheoremFile) -> Formula:
    """A claim as it is printed, with what `given` cannot say for all claims of its theorem: its own
    conditions on sizes, and that there are such tensors where other claims are about all."""
    said = statement(claim, style_of(theorem))
    sets, maps = symbols(claim.lhs, claim.rhs)
    common = _shared(theorem)
    below = (n.op for t in (claim.lhs, claim.rhs) for n in reachable(t.node))
    symbols_of: list[Op | Map] = [*(op for op in below if op.kind == "leaf"), *maps]
    both = []
    for to, atom in ((Latex(), said.latex), (Plain(), said.plain)):
        printer = Printer(to, theorem.show.style())
        own = [s for s in sets if s in claim.sizes and s not in common]
        before = [", ".join(printer.size(s) + to.condition(*claim.sizes[s]) for s in own)] * bool(
            own
        )
        if claim.provided is not None:
            under = claim.provided
            before.append(under.latex if isinstance(to, Latex) else under.plain)
        if claim.nonzero is not None:
            divisor = write(claim.nonzero, style_of(theorem), *rows_and_columns(claim.nonzero))
            latex = isinstance(to, Latex)
            before.append(rf"{divisor.latex} \neq 0" if latex else f"{divisor.plain} ≠ 0")
        if claim.kind == "exists" and not _all_exist(theorem):
            names = dict.fromkeys(to.symbol(x.data[0]) for x in symbols_of)
            before.append(to.exists + f"{to.comma} ".join(names))
        both.append(": ".join([*before, atom]))
    return Formula(*both)


def _shared(theorem: TheoremFile) -> dict[Set, Condition]:
    """The conditions on sizes that all claims with such a set make alike."""
    found: dict[Set, set[Condition | None]] = {}
    for claim in theorem.claims:
        for s in symbols(claim.lhs, claim.rhs)[0]:
            found.setdefault(s, set()).add(claim.sizes.get(s))
    return {
        s: c for s, conditions in found.items() if len(conditions) == 1 for c in conditions if c
    }


def _all_exist(theorem: TheoremFile) -> bool:
    """Whether every claim says that there are such tensors."""
    return all(c.kind == "exists" for c in theorem.claims)


def rows_and_columns(t: Term) -> tuple[Name | None, Name | None]:
    """The rows and columns of a tensor in its own order."""
    return (*t.axes, None, None)[0], (*t.axes, None, None)[1]


def given(theorem: TheoremFile) -> Formula:
    """The quantifiers, read off the terms: sizes, tensors with their shapes, maps."""
    terms = [t for c in theorem.claims for t in (c.lhs, c.rhs)]
    sets, maps = symbols(*terms)
    tensors: dict[Op, None] = {
        n.op: None for t in terms for n in reachable(t.node) if n.op.kind in ("leaf", "opaque")
    }
    bundles = _bundles(theorem, tensors)
    alike = [b for first in bundles for b in bundles[first]]
    apart = {n.op for nodes in alike for n in nodes} - {n.op for nodes in bundles for n in nodes}
    conditions = _shared(theorem)
    tables = {op: f for claim in theorem.claims for op, f in claim.tables.items()}
    both = []
    for to in (Latex(), Plain()):
        printer = Printer(to, theorem.show.style())
        fixed = [f.latex if isinstance(to, Latex) else f.plain for f in tables.values()]
        parts: list[str] = []
        for op in sorted(tensors, key=lambda op: op.data[0] != "X"):
            name = to.symbol(op.data[0])
            if op in tables or op in apart:
                continue
            if op.kind == "leaf":
                parts.append(
                    f"{name} {to.member} {to.reals([printer.size(s) for s in op.data[1]])}"
                )
            else:
                bound, made = (
                    [to.reals([printer.size(s) for s in sets]) for sets in group]
                    for group in (op.data[1], op.data[2:])
                )
                parts.append(f"{to.function(op.data[0])}: {to.product(bound)} {to.arrow} {made[0]}")
        if alike:
            names = [to.symbol(theorem.show.bundles[b]) for b in alike]
            parts.append(to.alike(names))
        for m in maps:
            dom, cod, bijective = map_type(m)
            name, size = to.symbol(m.data[0]), printer.size(cod)
            if dom and not bijective:
                whole = to.product([to.range(printer.size(s)) for s in dom])
                parts.append(f"{name}: {whole} {to.arrow} {to.range(size)}")
            else:
                parts.append(
                    f"{name} {to.member} {to.symmetric(size) if bijective else to.range(size)}"
                )
        sizes = to.forall + ", ".join(
            printer.size(s) + (to.condition(*conditions[s]) if s in conditions else "")
            for s in sets
        )
        between = f"{to.comma} " + (to.exists if _all_exist(theorem) else "")
        text = between.join([sizes, f"{to.comma} ".join(parts)])
        both.append(f"{to.comma} ".join([text, *fixed]))
    return Formula(*both)


Nodes = tuple[Node, ...]


def _bundles(theorem: TheoremFile, tensors: Collection[Op]) -> dict[Nodes, list[Nodes]]:
    """The bundles among these tensors: the first of each shape, with those of the same shape."""
    found: dict[Nodes, list[Nodes]] = {}
    first: dict[tuple[Any, ...], Nodes] = {}
    for nodes in theorem.show.bundles:
        if {n.op for n in nodes} <= set(tensors):
            like = first.setdefault(tuple(n.sets for n in nodes), nodes)
            found.setdefault(like, []).extend([nodes] if nodes is not like else [])
    return found


def _written_out(op: Op, style: Style) -> Formula:
    """A definition, entry by entry."""
    _, formals, body = op.data
    names = [next(c for c in style.letters.get(s, "") + "ijk") for s in body.sets]
    both = []
    for to in (Latex(), Plain()):
        head = to.function(op.data[0]) + to.bracket(
            ", ".join(to.symbol(f.data[0]) for f in formals)
        )
        whole = Printer(to, style).indices(Term(body, tuple(names)))
        left = to.indexed_whole(head, names) if names else head
        both.append(f"{left} = {whole}")
    return Formula(*both)


def where(theorem: TheoremFile) -> tuple[Formula, ...]:
    """What the letters and labels of a theorem stand for."""
    style = theorem.show.style()
    tensors = {n.op for c in theorem.claims for n in reachable(c.lhs.node)}
    maps = symbols(*(t for c in theorem.claims for t in (c.lhs, c.rhs)))[1]
    result = [
        Formula(rf"({matrix}\,t)_{{i}} = t_{{{to[0]}(i)}}", f"({matrix} t)[i] = t[{to[1]}(i)]")
        for m, matrix in theorem.show.matrices.items()
        if theorem.show.named
        and m in maps
        and (to := [n.symbol(m.data[0]) for n in (Latex(), Plain())])
    ]
    for pushed in (*theorem.pushed, *theorem.primes):
        for op, motion in pushed.moves.items():
            t = act(build(op, names=range(len(motion))).node, motion)
            printed = write(t, style, *rows_and_columns(t))
            left, right = (to.prime(op.data[0]) for to in (Latex(), Plain()))
            new = Formula(f"{left} = {printed.latex}", f"{right} = {printed.plain}")
            result += [new] if new not in result else []
    result += [_written_out(op, style) for op in theorem.definitions]
    for nodes in _bundles(theorem, tensors):
        left, right = (to.symbol(theorem.show.bundles[nodes]) for to in (Latex(), Plain()))
        each = [[to.symbol(str(n)) for n in nodes] for to in (Latex(), Plain())]
        result.append(
            Formula(*(f"{a} = ({', '.join(b)})" for a, b in zip((left, right), each, strict=True)))
        )
    style, named = style_of(theorem), []
    for item in theorem.show.named:
        if item.term.node.op.kind != "leaf":
            body = write(item.term, style.without(item.term.node), item.row, item.column)
            if body == entries(item.term, style.without(item.term.node)):
                name = entries(item.term, style)  # entry by entry on both sides
            else:
                name = write(item.term, style, item.row, item.column)
            whole = Formula(f"{name.latex} = {body.latex}", f"{name.plain} = {body.plain}")
            named.append((item.name, whole))
    return (*result, *_shortened(named))


def _shortened(named: Sequence[tuple[str, Formula]]) -> list[Formula]:
    """X_2 = f(X_1), …, X_12 = f(X_11) in one line: of a row of formulas that differ in their
    numbers alone, each one more than before, the first and the last."""
    result = []
    for _, same in itertools.groupby(enumerate(named), _pattern):
        first, *others = (f for _, (_, f) in same)
        if len(others) < 3:
            result += [first, *others]
        else:
            latex = rf"{first.latex}, \quad \dots, \quad {others[-1].latex}"
            result.append(Formula(latex, f"{first.plain}, …, {others[-1].plain}"))
    return result


def _pattern(placed: tuple[int, tuple[str, Formula]]) -> object:
    """What formulas of one row have in common: the text with numbers counted from their own."""
    place, (name, shown) = placed
    _, _, number = name.rpartition("_")
    if not number.isdigit():
        return place
    k = int(number)
    return place - k, re.sub(r"\d+", lambda m: f"<{int(m[0]) - k}>", shown.plain)
