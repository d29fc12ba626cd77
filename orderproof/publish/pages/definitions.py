"""What the names in a statement stand for, as it is printed: each in a line, or like another."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from orderproof.check.claims import Named, TheoremFile
from orderproof.check.page import Formula
from orderproof.symbolic.calculus.terms import Map, Node, Op, Term, build, reachable
from orderproof.symbolic.derive.push import act
from orderproof.symbolic.derive.steps import entries, write
from orderproof.symbolic.models.builders import Motion, symbols
from orderproof.symbolic.readings.notation import Notation, equation, in_both
from orderproof.symbolic.readings.printer import Style

from .statements import bundles_of, rows_and_columns, stated, style_of

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
        *_defined(theorem, false=False),
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
    said = stated(theorem.neighbour.claim, theorem)
    names = _defined(theorem, false=True)
    if not names:
        return said
    return in_both(lambda to: to.of(said) + to.where + to.listed(map(to.of, names)))


def _defined(theorem: TheoremFile, *, false: bool) -> list[Formula]:
    """What the named tensors of the page stand for, or those of its false neighbour alone."""
    style, alone = style_of(theorem), _of_neighbour_alone(theorem)
    made = [x for x in theorem.show.named if x.term.node.op.kind != "leaf"]
    shown = [x for x in made if (x.term.node in alone) == false]
    told = _other_cases(theorem, shown)
    return _beside(f for x in shown if (f := told[x.name] if x.name in told else meaning(x, style)))


def _of_neighbour_alone(theorem: TheoremFile) -> set[Node]:
    """What stands in the false neighbour, and in no claim and no step of the page."""
    proofs = [th for p in theorem.shown for th in p.parts.values()]
    proofs += [th for _, th in theorem.chains]
    used = [t for c in theorem.claims for t in c.statement.terms]
    used += [t for th in proofs for t in (th.lhs, th.rhs)]
    false = [t for n in [theorem.neighbour] if n for t in n.claim.statement.terms]
    theirs, ours = ({n for t in terms for n in reachable(t.node)} for terms in (false, used))
    return theirs - ours


def meaning(item: Named, style: Style) -> Formula:
    """The name, and the term without it; where one is by entries, so is the other."""
    opened = style.without(item.term.node)
    body = write(item.term, opened, item.row, item.column)
    if body == entries(item.term, opened):
        return equation(entries(item.term, style), body)
    return equation(write(item.term, style, item.row, item.column), body)


def _other_cases(theorem: TheoremFile, shown: Sequence[Named]) -> dict[str, Formula | None]:
    """Names that are made as the names that `alike` gives for them, of other tensors; the last of
    each family, of those that are shown, with one line that says so: which tensors stand for
    which."""
    items = {item.name: item.term.node for item in theorem.show.named}
    stated = [*theorem.claims, *(n.claim for n in [theorem.neighbour] if n)]
    claims = [t.node for c in stated for t in c.statement.terms]
    nodes = {str(n): n for top in claims for n in reachable(top) if n.op.kind == "leaf"} | items
    families: list[dict[str, dict[Node, Node]]] = []
    for of in theorem.show.alike:
        cases = {nodes[x]: nodes[old] for x, old in of.items() if {x, old} <= nodes.keys()}
        found = {x: _instead(nodes[x], cases[nodes[x]], cases) for x in of if nodes.get(x) in cases}
        families.append({x: put for x, put in found.items() if put is not None
                         and not _down_to(put, [nodes[x]]) & {*put.values()}})  # fmt: skip
    told = {items[x] for family in families for x in family}
    seen = _down_to(told, [*claims, *(node for node in items.values() if node not in told)])
    result: dict[str, Formula | None] = {}
    for of, family in zip(theorem.show.alike, families, strict=True):
        same = [x for x in family if x not in result]
        listed = [x for x in same if items[x] in seen] or same[-1:]
        parts = {new for x in listed for new in family[x]}
        put = [x for x in of if nodes.get(x) in parts]
        said = _as_others(listed, [of[x] for x in listed], put, [of[x] for x in put])
        result |= dict.fromkeys(same)
        result |= dict.fromkeys([item.name for item in shown if item.name in same][-1:], said)
    return result


def _as_others(*lists: Sequence[str]) -> Formula:
    """Some tensors: as others, with these in place of those."""
    return in_both(lambda to: to.instead(*(to.listed(map(to.symbol, x)) for x in lists)))


def _instead(new: Node, old: Node, cases: Mapping[Node, Node]) -> dict[Node, Node] | None:
    """Which tensors, of these cases, one node is made of where the other, in the same way, is made
    of which; None where it is made in another way."""
    if (new.op, [p.axes for p in new.args]) != (old.op, [p.axes for p in old.args]):
        return None
    found: dict[Node, Node] = {}
    for a, b in ((a.node, b.node) for a, b in zip(new.args, old.args, strict=True) if a != b):
        inner = _instead(a, b, cases)
        if inner is None and cases.get(a) != b:
            return None
        found |= {a: b} if inner is None else inner
    return found


def _down_to(told: Collection[Node], tops: Iterable[Node]) -> set[Node]:
    """The nodes in the tops, of those that are told no parts."""
    todo, seen = [*tops], set[Node]()
    while todo:
        node = todo.pop()
        if node not in seen:
            seen.add(node)
            todo += [part.node for part in node.args if node not in told]
    return seen


def _beside(found: Iterable[Formula]) -> list[Formula]:
    """Q = X W_Q, K = X W_K, V = X W_V in one line; and E′ = P E, B′ = P B Pᵀ."""
    groups = itertools.groupby(found, lambda f: _kind(f.plain))
    return [_in_a_line(list(same)) for _, same in groups]


def _in_a_line(formulas: Sequence[Formula]) -> Formula:
    return in_both(lambda to: to.beside(map(to.of, formulas)))


def _kind(text: str) -> str:
    """Of formulas that stand in one line if they follow one another."""
    image = re.fullmatch(r"(\w+)′ = \S+ \1( \S+)?", text)
    return "image" if image else re.sub("[QKVqkv]", "Q", text)
