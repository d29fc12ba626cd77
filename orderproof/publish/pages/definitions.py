"""What the names in a statement stand for, as it is printed: each in a line, or like another."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from orderproof.check.claims import Named, TheoremFile
from orderproof.check.page import Formula
from orderproof.symbolic.calculus.terms import Map, Node, Op, Term, build, reachable
from orderproof.symbolic.derive.push import act
from orderproof.symbolic.derive.steps import entries, write
from orderproof.symbolic.models.builders import Motion, in_order, symbols
from orderproof.symbolic.readings.notation import Notation, equation, in_both
from orderproof.symbolic.readings.printer import Label, Printer, Style

from .statements import bundles_of, rows_and_columns, sizes_of, stated, style_of

COUNTED = "an index that is used as a number counts from 0"


def _written_out(op: Op, style: Style) -> Formula:
    """A definition, entry by entry."""
    name, formals, body = op.data
    names = [next(c for c in style.letters.get(s, "") + "ijk") for s in body.sets]

    def head(to: Notation) -> str:
        whole = to.function(name) + to.bracket(", ".join(to.symbol(f.data[0]) for f in formals))
        return to.indexed_whole(whole, names) if names else whole

    return equation(in_both(head), entries(Term(body, tuple(names)), style))


def where(theorem: TheoremFile) -> tuple[Formula, ...]:
    """What the letters and labels of a theorem stand for."""
    style = theorem.show.style()
    terms = [t for c in theorem.claims for t in c.statement.terms]
    tensors = {n.op for t in terms for n in reachable(t.node)}
    maps = symbols(*terms)[1]
    numbers = any(op.kind == "iota" for op in tensors)
    matrices = theorem.show.matrices.items() if theorem.show.named else ()
    images = (item for p in (*theorem.shown, *theorem.primes) for item in p.moves.items())
    return (
        *[in_both(lambda to: to.said(COUNTED).strip())] * numbers,
        *(_acts(m, matrix) for m, matrix in matrices if m in maps),
        *dict.fromkeys(image(op, motion, style) for op, motion in images),
        *_primes(theorem),
        *(_written_out(op, style) for op in theorem.definitions),
        *(_bundle(theorem.show.bundles[b], b) for b in bundles_of(theorem, tensors)),
        *_defined(theorem, _divided(theorem)[0]),
    )


def _acts(m: Map, matrix: str) -> Formula:
    """(P t)[i] = t[σ(i)]."""
    return in_both(
        lambda to: (
            f"{to.indexed_whole(f'({matrix}{to.times}t)', 'i')} = "
            + to.indexed_whole("t", [f"{to.symbol(m.data[0])}(i)"])
        )
    )


def image(op: Op, motion: Motion, style: Style) -> Formula:
    """What the prime says of a tensor: X′ = P X."""
    t = act(build(op, names=range(len(motion))).node, motion)
    return equation(in_both(lambda to: to.prime(op.data[0])), write(t, style, *rows_and_columns(t)))


def _bundle(name: str, nodes: Sequence[Node]) -> Formula:
    """W = (W_Q, W_K, W_V)."""
    return in_both(
        lambda to: f"{to.symbol(name)} = ({', '.join(to.symbol(str(n)) for n in nodes)})"
    )


def _primes(theorem: TheoremFile) -> list[Formula]:
    """What a prime marks that no line of its own defines: the image under a push."""
    if not any(x.primed for x in style_of(theorem).labels.values()):
        return []
    moved = dict.fromkeys(op.data[0] for p in (*theorem.shown, *theorem.primes) for op in p.moves)
    return [
        in_both(lambda to: to.primes(*(to.listed(map(of, moved)) for of in (to.prime, to.symbol))))
    ]


def planted(theorem: TheoremFile) -> Formula:
    """The false neighbour as it is printed, with what its own names stand for; ValueError where
    there is none."""
    if theorem.neighbour is None:
        raise ValueError(f"{theorem.id}: given no neighbour, expected one to print")
    false = theorem.neighbour.claim
    said = stated(false, theorem)
    if said in [stated(claim, theorem) for claim in theorem.claims]:  # it is of other sizes
        begin = in_both(lambda to: sizes_of(Printer(to, theorem.show.style()), false))
        said = Formula(begin.latex + said.latex, begin.plain + said.plain)
    names = _defined(theorem, _divided(theorem)[1])
    if not names:
        return said
    return in_both(lambda to: to.of(said) + to.where + to.listed(map(to.of, names)))


def _divided(theorem: TheoremFile) -> tuple[list[Named], list[Named]]:
    """The named tensors of the page, and those of its false neighbour alone."""
    proofs = [th for p in theorem.shown for th in p.parts.values()]
    proofs += [th for _, th in theorem.chains]
    sides = [c.statement.terms for c in theorem.claims] + [(th.lhs, th.rhs) for th in proofs]
    false = [n.claim.statement.terms for n in [theorem.neighbour] if n]
    used, own = ({n for side in both for t in side for n in reachable(t.node)}
                 for both in (sides, false))  # fmt: skip
    cases = {name for of in theorem.show.alike for name in of}
    named = theorem.show.named
    return (
        [
            x
            for x in named
            if x.term.node in used or (x.name not in cases and x.term.node not in own)
        ],
        [x for x in named if x.term.node in own - used],
    )


def _defined(theorem: TheoremFile, items: Sequence[Named]) -> list[Formula]:
    """What these names stand for."""
    style, named = style_of(theorem), []
    told = _another_case(theorem, style, items)
    for item in items:
        if item.name in told:
            named += [("", said)] if (said := told[item.name]) else []
        elif item.term.node.op.kind != "leaf":
            named.append((item.name, meaning(item, style)))
    return _shortened(_beside(named))


def meaning(item: Named, style: Style) -> Formula:
    """The name, and the term without it; where one is by entries, so is the other."""
    opened = style.without(item.term.node)
    body = write(item.term, opened, item.row, item.column)
    if body == entries(item.term, opened):
        return equation(entries(item.term, style), body)
    return equation(write(item.term, style, item.row, item.column), body)


def _another_case(
    theorem: TheoremFile, style: Style, shown: Sequence[Named]
) -> dict[str, Formula | None]:
    """Names whose definitions are, letter by letter, those of the names that `alike` gives for
    them; the last of each family, of those that are shown, with one line that says so: which
    tensors stand for which."""
    items = {item.name: item for item in theorem.show.named}
    below = (n for c in theorem.claims for t in c.statement.terms for n in in_order(t.node))
    nodes = {str(n): n for n in below if n.op.kind == "leaf"}
    nodes |= {name: item.term.node for name, item in items.items()}

    def opened(name: str, how: Style) -> Formula:
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
    listed_before: set[str] = set()
    for cases, same, other in families:
        same = [x for x in same if x not in listed_before]
        listed = [x for x in same if x in seen] or same[-1:]
        listed_before |= {*same}
        met = _down_to([nodes[cases[x]] for x in listed], {nodes[cases[x]] for x in other})
        other = [x for x in other if nodes[cases[x]] in met]
        lists = (listed, [cases[x] for x in listed], other, [cases[x] for x in other])
        last = [item.name for item in shown if item.name in same][-1:]
        result |= dict.fromkeys(last, _as_others(lists))
    return result


def _as_others(lists: Iterable[Sequence[str]]) -> Formula:
    """Some tensors: as others, with these in place of those."""
    return in_both(lambda to: to.instead(*(to.listed(map(to.symbol, x)) for x in lists)))


def _down_to(tops: Iterable[Node], named: Collection[Node]) -> set[Node]:
    """Those of the named that the tops are or are made from; what is below them is theirs."""
    todo, seen = [*tops], set[Node]()
    while todo:
        node = todo.pop()
        if node not in seen:
            seen.add(node)
            todo += [part.node for part in node.args if node not in named]
    return seen & {*named}


def _met(theorem: TheoremFile, style: Style, told: Collection[str]) -> set[str]:
    """The names in the statements of the claims and of the neighbour, and in the definitions of
    those that are no other case of another."""
    claims = [*theorem.claims, *(n.claim for n in [theorem.neighbour] if n)]
    other = (x.term.node for x in theorem.show.named if x.name not in told)
    tops = [t.node for c in claims for t in c.statement.terms]
    tops += [part.node for node in other for part in node.args]
    return {style.labels[node].name for node in _down_to(tops, style.labels)}


def _beside(named: Sequence[tuple[str, Formula]]) -> list[tuple[str, Formula]]:
    """Q = X W_Q, K = X W_K, V = X W_V in one line; and E′ = P E, B′ = P B Pᵀ."""
    result: list[tuple[str, Formula]] = []
    for _, same in itertools.groupby(named, lambda pair: _kind(pair[1].plain)):
        names, formulas = zip(*same, strict=True)
        result.append((names[0], _in_a_line(formulas)))
    return result


def _in_a_line(formulas: Sequence[Formula]) -> Formula:
    return in_both(lambda to: to.beside(map(to.of, formulas)))


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
            result.append(_in_a_line((first, in_both(lambda to: to.dots), others[-1])))
    return result


def _pattern(placed: tuple[int, tuple[str, Formula]]) -> object:
    """What formulas of one row have in common: the text with numbers counted from their own."""
    place, (name, shown) = placed
    _, _, number = name.rpartition("_")
    if not number.isdigit():
        return place
    k = int(number)
    return place - k, re.sub(r"\d+", lambda m: f"<{int(m[0]) - k}>", shown.plain)
