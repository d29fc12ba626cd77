"""What is stated, as it is printed: from the very terms that are checked."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from orderproof.check.claims import Claim, TheoremFile
from orderproof.check.page import Formula, Reason
from orderproof.symbolic.calculus.terms import Name, Node, Op, Set, Term, map_type, reachable
from orderproof.symbolic.derive.steps import entries, write
from orderproof.symbolic.models.builders import POINT, symbols
from orderproof.symbolic.readings.notation import Latex, Notation, Plain, in_both
from orderproof.symbolic.readings.printer import Printer, Style
from orderproof.symbolic.statements.statement import Atom, Sizes

Condition = tuple[str, tuple[int, ...]]  # of a size: ("≥", (2,)), ("∈", (2, 3))
ANY: Condition = ("≥", (0,))  # no condition


def style_of(theorem: TheoremFile) -> Style:
    """How a theorem writes its tensors, those that its pushes move primed."""
    return theorem.show.style(*theorem.shown, *theorem.primes)


def atom(a: Atom, style: Style, row: Name | None = None, column: Name | None = None) -> Formula:
    """An atom as it is printed. A relation other than = that holds in every entry is written by
    entries: 0 < A[i, j]; so tensors differ, A ≠ B, where some entries do. Where one side can be
    written by its entries alone, or they would look alike, so are both: G[i, j] = [j ≤ i]; and
    what holds in some says so."""
    by_entries = [entries(t, style) for t in a.terms]
    if (row, column) == (None, None):  # rows and columns for which the fewest are transposed
        own = rows_and_columns(a.rhs if a.rhs.axes else a.lhs)
        turned = own[::-1] if None not in own else own
        found = min(([write(t, style, *x) for t in a.terms] for x in (own, turned)),
                    key=lambda sides: sum(len(w.plain) for w in sides))  # fmt: skip
    else:
        found = [write(t, style, row, column) for t in a.terms]
    if (
        (a.relation != "=" and not (a.some and a.relation == "≠"))
        or any(t.axes and w == e for t, w, e in zip(a.terms, found, by_entries, strict=True))
        or (a.lhs != a.rhs and found[0] == found[1])  # the product P X, and X with its rows moved
    ):
        found = by_entries
    left, right = found
    at = " and ".join(str(x) for x, over in a.axes.items() if over != POINT)
    some = f" for some {at}" if a.some and at and found == by_entries else ""
    return in_both(
        lambda to: (
            f"{to.of(left)} {to.relation(a.relation)} {to.of(right)}"
            + (to.said(some).rstrip() if some else "")
        )
    )


def hypotheses(atoms: Iterable[Atom], style: Style) -> list[Formula]:
    """Hypotheses as they are printed, with letters for axes that are numbered, in a fixed order."""
    found = []
    for a in atoms:
        letters: dict[Name, str] = {x: x for x in a.axes if isinstance(x, str)}
        for x, over in a.axes.items():
            own = style.letters.get(over, "") + "ijklrst"
            letters.setdefault(x, next(c for c in own if c not in letters.values()))
        lhs, rhs = (Term(t.node, tuple(letters[x] for x in t.axes)) for t in a.terms)
        named = replace(a, lhs=lhs, rhs=rhs)
        found.append(atom(named, style))
    return sorted(found, key=lambda f: f.plain)  # a set has no order


def statement(claim: Claim, style: Style) -> Formula:
    """A claim as it is printed, from the statement that is checked."""
    s = claim.statement
    return implication(s.given, s.atom, style, claim.row, claim.column)


def implication(
    given: Iterable[Atom],
    a: Atom,
    style: Style,
    row: Name | None = None,
    column: Name | None = None,
) -> Formula:
    """Hypotheses, then the atom."""
    said, under = atom(a, style, row, column), hypotheses(given, style)
    return in_both(lambda to: _implied(to, under, to.of(said)))


def _implied(to: Notation, under: Iterable[Formula], text: str) -> str:
    return to.implies.join(filter(None, [to.listed(map(to.of, under)), text]))


def stated(claim: Claim, theorem: TheoremFile) -> Formula:
    """A claim as it is printed, with what `given` cannot say for all claims of its theorem: its own
    conditions on sizes, and what there is where other claims are about all."""
    style, s = style_of(theorem), claim.statement
    under = hypotheses(s.given, style)
    such = [*hypotheses(s.such, style), atom(s.atom, style, claim.row, claim.column)]
    asked, common = conditions(s.sizes), _shared(theorem)
    each = {x: asked.get(x, ANY) for x in sorted(s.sets, key=lambda x: x.name)}
    own = {x: c for x, c in each.items() if c != common.get(x, ANY)}

    def written(to: Notation) -> str:
        printer = Printer(to, theorem.show.style())
        before = [_sizes(printer, own)] * bool(own)
        before += [_joint(printer, s.sizes)] * bool(s.sizes.of and not s.sizes.columns())
        text = to.listed(map(to.of, such))
        if s.exists and not _all_exist(theorem):
            names = (to.symbol(x.data[0]) for x in (*s.tensors, *s.maps) if x in s.exists)
            text = to.exists + to.listed(dict.fromkeys(names)) + to.colon + text
        return to.colon.join([*before, _implied(to, under, text)])

    return in_both(written)


def conditions(sizes: Sizes) -> dict[Set, Condition]:
    """The conditions on sizes that stand for each set alone."""
    found: dict[Set, Condition] = {s: ("≥", (k,)) for s, k in sizes.least}
    found |= {s: ("∈", values) for s, values in sizes.columns().items()}
    return dict(sorted(found.items(), key=lambda item: item[0].name))


def _joint(printer: Printer, sizes: Sizes) -> str:
    """Sizes that are listed together: (n, d) ∈ {(2, 1), (3, 2)}."""
    names = ", ".join(printer.size(s) for s in sizes.of)
    cases = ", ".join(f"({', '.join(map(str, c))})" for c in sorted(sizes.among))
    return f"({names}) {printer.to.member} {printer.to.braces(cases)}"


def _shared(theorem: TheoremFile) -> dict[Set, Condition]:
    """The conditions on sizes that all claims with such a set make alike."""
    found: dict[Set, set[Condition | None]] = {}
    for claim in theorem.claims:
        own = conditions(claim.statement.sizes)
        for s in claim.statement.sets:
            found.setdefault(s, set()).add(own.get(s))
    return {s: c for s, each in found.items() if len(each) == 1 for c in each if c}


def _all_exist(theorem: TheoremFile) -> bool:
    """Whether every claim says that there are such tensors, all of them."""
    return all(
        c.statement.exists == {*c.statement.tensors, *c.statement.maps} and c.statement.exists
        for c in theorem.claims
    )


def rows_and_columns(t: Term) -> tuple[Name | None, Name | None]:
    """The rows and columns of a tensor in its own order."""
    row, column, *_ = (*t.axes, None, None)
    return row, column


def given(theorem: TheoremFile) -> Formula:
    """The quantifiers, read off the terms: sizes, tensors with their shapes, maps."""

    def written(to: Notation) -> str:
        sizes, *ranges = _quantified(theorem, to)
        there = to.exists if _all_exist(theorem) else ""
        return to.listed([to.forall + sizes, there + to.listed(ranges)])

    return in_both(written)


def for_all(theorem: TheoremFile) -> tuple[Reason, Reason]:
    """The quantifiers in words, for all n, X; and the same without a list of tensors."""
    written = (_quantified(theorem, to).items() for to in (Latex(), Plain()))
    (sizes, _), *ranges = (
        (Formula(latex, plain), tensor)
        for (latex, tensor), (plain, _) in zip(*written, strict=True)
    )
    there = _all_exist(theorem)
    begin: Reason = ("For all ", sizes, ", there are " if there else ", ")
    others = [x for f, tensor in ranges if not tensor for x in (", ", f)]
    told = f"{'' if there else 'all '}tensors of fitting shapes"
    return (*begin, *[x for f, _ in ranges for x in (", ", f)][1:]), (*begin, told, *others)


def _quantified(theorem: TheoremFile, to: Notation) -> dict[str, bool]:
    """The sizes, then what ranges over the same together; each with whether it is tensors."""
    claims = [c.statement for c in theorem.claims]
    sets, maps = symbols(*(t for s in claims for t in s.terms))
    tensors: dict[Op, None] = {op: None for s in claims for op in s.tensors}
    bundles = bundles_of(theorem, tensors)
    alike = [b for first in bundles for b in bundles[first]]
    apart = {n.op for nodes in alike for n in nodes} - {n.op for nodes in bundles for n in nodes}
    asked = _shared(theorem)
    nodes = [n for s in claims for t in s.terms for n in reachable(t.node)]
    numbers = {n.op.data[0] for n in nodes if n.op.kind == "iota"}
    printer = Printer(to, style_of(theorem))
    leaves = {n.op: n for n in nodes if n.op.kind == "leaf"}
    ranges: dict[str, list[str]] = {}  # by what they range over

    def reals(sets: Sequence[Set]) -> str:
        return to.reals([printer.size(s) for s in sets])

    for op in sorted(tensors, key=lambda op: op.data[0] != "X"):
        if op.kind == "leaf" and op not in apart:
            over = f"{to.member} {reals(op.data[1])}"
            ranges.setdefault(over, []).append(printer.called(leaves[op]))
        elif op not in apart:
            name, bound, made = op.data
            whole = f"{to.product([*map(reals, bound)])} {to.arrow} {reals(made)}"
            ranges[f"{to.function(name)}: {whole}"] = []
    shapes = {over for over, names in ranges.items() if names}
    if alike:
        same = to.alike([to.symbol(theorem.show.bundles[b]) for b in alike])
        ranges[same] = []
        shapes.add(same)
    for m in maps:
        dom, cod, bijective = map_type(m)
        *before, among = (to.range(printer.size(s), as_numbers=s in numbers) for s in (*dom, cod))
        if dom and not bijective:
            whole = f"{to.product(before)} {to.arrow} {among}"
            ranges[f"{to.symbol(m.data[0])}: {whole}"] = []
        else:
            over = to.symmetric(printer.size(cod)) if bijective else among
            ranges.setdefault(f"{to.member} {over}", []).append(to.symbol(m.data[0]))
    sizes = _sizes(printer, {s: asked.get(s) for s in sets})
    return {sizes: False} | {
        " ".join(filter(None, [to.listed(names), over])): over in shapes
        for over, names in ranges.items()
    }


def _sizes(printer: Printer, asked: Mapping[Set, Condition | None]) -> str:
    """Sizes with what is asked of them, those together that are one number: d = d_k = 1."""
    to, found = printer.to, dict[tuple[str, Set | None], list[str]]()
    for s, condition in asked.items():
        said = to.condition(*condition) if condition else ""
        found.setdefault((said, None if said.startswith(" = ") else s), []).append(printer.size(s))
    return ", ".join(f" {to.equals} ".join(sizes) + said for (said, _), sizes in found.items())


Nodes = tuple[Node, ...]


def bundles_of(theorem: TheoremFile, tensors: Collection[Op]) -> dict[Nodes, list[Nodes]]:
    """The bundles among these tensors: the first of each shape, with those of the same shape."""
    found: dict[Nodes, list[Nodes]] = {}
    first: dict[tuple[Any, ...], Nodes] = {}
    for nodes in theorem.show.bundles:
        if {n.op for n in nodes} <= set(tensors):
            like = first.setdefault(tuple(n.sets for n in nodes), nodes)
            found.setdefault(like, []).extend([nodes] if nodes is not like else [])
    return found
