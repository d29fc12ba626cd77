"""What is stated, as it is printed: from the very terms that are checked."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from orderproof.symbolic.derivation import Written, write
from orderproof.symbolic.language import in_order, symbols
from orderproof.symbolic.notation import Latex, Plain
from orderproof.symbolic.printing import Printer, Style
from orderproof.symbolic.terms import Map, Name, Node, Op, Set, Term, map_type

from .claims import Claim, Condition, TheoremFile
from .pages import Formula

MANY = 9  # tensors that are listed where a claim says that there are such


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
        r",\; ".join(f"{a.latex} = {b.latex}" for a, b in under)
        + r" \;\Rightarrow\; " * bool(under),
        ", ".join(f"{a.plain} = {b.plain}" for a, b in under) + "  ⇒  " * bool(under),
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
    below = (n.op for t in (claim.lhs, claim.rhs) for n in in_order(t.node))
    symbols_of: list[Op | Map] = [*(op for op in below if op.kind == "leaf"), *maps]
    both = []
    for to, atom in ((Latex(), said.latex), (Plain(), said.plain)):
        printer = Printer(to, theorem.show.style())
        own = [s for s in sets if s in claim.sizes and s not in common]
        before = [_sizes(printer, {s: claim.sizes[s] for s in own})] * bool(own)
        if claim.provided is not None:
            under = claim.provided
            before.append(under.latex if isinstance(to, Latex) else under.plain)
        if claim.nonzero is not None:
            divisor = write(claim.nonzero, style_of(theorem), *rows_and_columns(claim.nonzero))
            latex = isinstance(to, Latex)
            before.append(rf"{divisor.latex} \neq 0" if latex else f"{divisor.plain} ≠ 0")
        if claim.kind == "exists" and not _all_exist(theorem):
            names = list(dict.fromkeys(to.symbol(x.data[0]) for x in symbols_of))
            if len(names) > MANY:
                names = [*names[:2], to.dots, names[-1]]
            before.append(to.exists + f"{to.comma} ".join(names))
        both.append(to.colon.join([*before, atom]))
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
        n.op: None for t in terms for n in in_order(t.node) if n.op.kind in ("leaf", "opaque")
    }
    bundles = bundles_of(theorem, tensors)
    alike = [b for first in bundles for b in bundles[first]]
    apart = {n.op for nodes in alike for n in nodes} - {n.op for nodes in bundles for n in nodes}
    conditions = _shared(theorem)
    tables = {op: f for claim in theorem.claims for op, f in claim.tables.items()}
    both = []
    for to in (Latex(), Plain()):
        printer = Printer(to, theorem.show.style())
        ranges: dict[str, list[str]] = {}  # what ranges over the same stands together
        fixed = [f.latex if isinstance(to, Latex) else f.plain for f in tables.values()]
        for op in sorted(tensors, key=lambda op: op.data[0] != "X"):
            name = to.symbol(op.data[0])
            if op in tables or op in apart:
                continue
            if op.kind == "leaf":
                over = to.reals([printer.size(s) for s in op.data[1]])
                ranges.setdefault(f"{to.member} {over}", []).append(name)
            else:
                bound, made = (
                    [to.reals([printer.size(s) for s in sets]) for sets in group]
                    for group in (op.data[1], op.data[2:])
                )
                whole = f"{to.product(bound)} {to.arrow} {made[0]}"
                ranges[f"{to.function(op.data[0])}: {whole}"] = []
        if alike:
            ranges[to.alike([to.symbol(theorem.show.bundles[b]) for b in alike])] = []
        for m in maps:
            dom, cod, bijective = map_type(m)
            name, size = to.symbol(m.data[0]), printer.size(cod)
            if dom and not bijective:
                whole = to.product([to.range(printer.size(s)) for s in dom])
                ranges[f"{name}: {whole} {to.arrow} {to.range(size)}"] = []
            else:
                over = to.symmetric(size) if bijective else to.range(size)
                ranges.setdefault(f"{to.member} {over}", []).append(name)
        sizes = to.forall + _sizes(printer, {s: conditions.get(s) for s in sets})
        between = f"{to.comma} " + (to.exists if _all_exist(theorem) else "")
        parts = (
            " ".join([f"{to.comma} ".join(x)] * bool(x) + [over]) for over, x in ranges.items()
        )
        text = between.join([sizes, f"{to.comma} ".join(parts)])
        both.append(f"{to.comma} ".join([text, *fixed]))
    return Formula(*both)


def _sizes(printer: Printer, asked: Mapping[Set, Condition | None]) -> str:
    """Sizes with what is asked of them, those together that are one number: d = d_k = 1."""
    found: dict[Set | Condition | None, list[str]] = {}
    for s, condition in asked.items():
        one = condition is not None and condition[0] == "∈" and len(condition[1]) == 1
        found.setdefault(condition if one else s, []).append(printer.size(s))
    to = printer.to
    texts = []
    for key, sizes in found.items():
        condition = asked[key] if isinstance(key, Set) else key
        texts.append(f" {to.equals} ".join(sizes) + (to.condition(*condition) if condition else ""))
    return ", ".join(texts)


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
