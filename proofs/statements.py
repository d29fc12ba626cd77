"""What is stated, as it is printed: from the very terms that are checked."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from orderproof.symbolic.derivation import Written, entries, write
from orderproof.symbolic.language import symbols
from orderproof.symbolic.notation import Latex, Plain
from orderproof.symbolic.printing import Label, Printer, Style
from orderproof.symbolic.tactic import act
from orderproof.symbolic.terms import Map, Name, Node, Op, Set, Term, build, map_type, reachable

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
    below = (n.op for t in (claim.lhs, claim.rhs) for n in reachable(t.node))
    symbols_of: list[Op | Map] = [*(op for op in below if op.kind == "leaf"), *maps]
    both = []
    for to, atom in ((Latex(), said.latex), (Plain(), said.plain)):
        printer = Printer(to, theorem.show.style())
        own = [s for s in sets if s in claim.sizes and s not in common]
        before = [_sizes(printer, {s: claim.sizes[s] for s in own})] * bool(own)
        if claim.provided is not None:
            under = claim.provided
            before.append(under.latex if isinstance(to, Latex) else under.plain)
        if claim.kind == "exists" and not _all_exist(theorem):
            names = list(dict.fromkeys(to.symbol(x.data[0]) for x in symbols_of))
            if len(names) > MANY:
                names = [*names[:2], to.dots, names[-1]]
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
    found: dict[object, list[str]] = {}
    for s, condition in asked.items():
        one = condition is not None and condition[0] == "∈" and len(condition[1]) == 1
        found.setdefault(condition if one else s, []).append(printer.size(s))
    to, after = printer.to, {c if c in found else s: c for s, c in asked.items()}
    texts = (
        f" {to.equals} ".join(sizes) + (to.condition(*c) if (c := after[key]) else "")
        for key, sizes in found.items()
    )
    return ", ".join(texts)


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
    told = _another_case(theorem, style)
    for item in theorem.show.named:
        if item.name in told:
            named += [("", said)] if (said := told[item.name]) else []
        elif item.term.node.op.kind != "leaf":
            body = write(item.term, style.without(item.term.node), item.row, item.column)
            if body == entries(item.term, style.without(item.term.node)):
                name = entries(item.term, style)  # entry by entry on both sides
            else:
                name = write(item.term, style, item.row, item.column)
            whole = Formula(f"{name.latex} = {body.latex}", f"{name.plain} = {body.plain}")
            named.append((item.name, whole))
    return (*result, *_shortened(_beside(named)))


def _another_case(theorem: TheoremFile, style: Style) -> dict[str, Formula | None]:
    """Names whose definitions are, letter by letter, those of the names that `alike` gives for
    them; the last of each family with one line that says so: which tensors stand for which."""
    items = {item.name: item for item in theorem.show.named}
    below = (n for c in theorem.claims for t in (c.lhs, c.rhs) for n in reachable(t.node))
    nodes = {str(n): n for n in below if n.op.kind == "leaf"}
    nodes |= {name: item.term.node for name, item in items.items()}

    def opened(name: str, how: Style) -> Written:
        item = items[name]
        return write(item.term, how.without(item.term.node), item.row, item.column)

    families = []
    for of in theorem.show.alike:
        cases = {new: old for new, old in of.items() if {new, old} <= set(nodes)}
        labels = dict(style.labels)
        for node, old in ((nodes[new], old) for new, old in cases.items()):
            order = labels[node].order if node in labels else tuple(range(len(node.sets)))
            labels[node] = Label(old, order)
        renamed = replace(style, labels=labels)
        made = [
            x
            for x in cases
            if x in items and "leaf" not in (nodes[x].op.kind, nodes[of[x]].op.kind)
        ]
        same = [x for x in made if opened(x, renamed) == opened(of[x], style)]
        families.append((cases, same, [x for x in cases if x not in same]))
    told = {x for _, same, _ in families for x in same}
    seen = _met(theorem, style, told)
    result: dict[str, Formula | None] = dict.fromkeys(told)
    for cases, same, other in families:
        shown = [x for x in same if x in seen] or same[-1:]
        both = []
        for to in (Latex(), Plain()):
            lists = (shown, [cases[x] for x in shown], other, [cases[x] for x in other])
            both.append(to.instead(*(f"{to.comma} ".join(map(to.symbol, x)) for x in lists)))
        last = [name for name in items if name in same][-1:]
        result |= dict.fromkeys(last, Formula(*both))
    return result


def _met(theorem: TheoremFile, style: Style, told: Collection[str]) -> set[str]:
    """The names in the statements of the claims and of the neighbour, and in the definitions of
    those that are no other case of another."""
    claims = [*theorem.claims, theorem.neighbour.claim]
    todo = [t.node for c in claims for t in (c.lhs, c.rhs)]
    todo += [
        part.node
        for item in theorem.show.named
        if item.name not in told
        for part in item.term.node.args
    ]
    found, seen = set(), set(todo)
    while todo:
        node = todo.pop()
        if node in style.labels:
            found.add(style.labels[node].name)
        else:
            new = {part.node for part in node.args} - seen
            seen |= new
            todo += new
    return found


def _beside(named: Sequence[tuple[str, Formula]]) -> list[tuple[str, Formula]]:
    """Q = X W_Q, K = X W_K, V = X W_V in one line; and E′ = P E, B′ = P B Pᵀ."""
    result: list[tuple[str, Formula]] = []
    for _, same in itertools.groupby(named, lambda pair: _kind(pair[1].plain)):
        names, formulas = zip(*same, strict=True)
        latex, plain = (x.join(each) for x, each in (
            (r", \quad ", (f.latex for f in formulas)), (", ", (f.plain for f in formulas)),
        ))  # fmt: skip
        result.append((names[0], Formula(latex, plain)))
    return result


def _kind(text: str) -> str:
    """Of formulas that stand in one line if they follow one another."""
    image = re.fullmatch(r"(\w+)′ = \S+ \1( \S+)?", text)
    return "image" if image else re.sub("[QKVqkv]", "Q", text)


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
