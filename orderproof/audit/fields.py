"""Changes of a statement's fields: atom, hypotheses, conditions, quantifiers, sizes, one at a time.

Each change is of one field of one statement. Whether the result is true
or false is found out by reasons.py, with `weaker` below for what follows by form alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from orderproof.symbolic.calculus.terms import Map, Op, Set, map_type
from orderproof.symbolic.models.names import set_name
from orderproof.symbolic.statements.statement import (
    RELATIONS,
    Atom,
    Sizes,
    Statement,
    StatementError,
    Symbol,
    about,
    in_text_order,
    symbol_name,
    symbols_of,
)

Change = tuple[str, str, Statement]  # by which operator, where, and what is stated then
IMPLIED = {("<", "≤"), ("<", "≠"), ("=", "≤")}  # the first relation, and what follows from it


def changed(s: Statement) -> Iterator[Change]:
    """Every field of a statement changed; a change that gives no statement is skipped."""
    makers = (_atom(s), _given(s), _such(s), _quantifiers(s), _sizes(s))
    for operator, where, parts in itertools.chain(*makers):
        with suppress(StatementError):
            yield operator, where, replace(s, **parts)


Parts = Iterator[tuple[str, str, Mapping[str, Any]]]


def _atom(s: Statement) -> Parts:
    for other in RELATIONS:
        if other != s.atom.relation:
            where = f"{other} for {s.atom.relation}"
            yield "other relation", where, {"atom": replace(s.atom, relation=other)}
    some = not s.atom.some
    if s.atom.axes:
        where = "somewhere" if some else "everywhere"
        yield "every or some", where, {"atom": replace(s.atom, some=some)}
    swapped = replace(s.atom, lhs=s.atom.rhs, rhs=s.atom.lhs)
    yield "sides swapped", "left for right", {"atom": swapped}


def _given(s: Statement) -> Parts:
    for h in in_text_order(s.given):
        rest = s.given - {h}
        yield "no hypothesis", about(h), {"given": rest}
        for operator, other in _near(h):
            yield f"{operator} hypothesis", about(h), {"given": rest | {other}}


def _near(h: Atom) -> Iterator[tuple[str, Atom]]:
    """A weaker atom, a stronger one, and the opposite one."""
    weaker = {"<": "≤", "=": "≤"}.get(h.relation)
    if weaker:
        yield "weaker", replace(h, relation=weaker)
    stronger = {"≤": "<", "≠": "<"}.get(h.relation)
    if stronger:
        yield "other", replace(h, relation=stronger)
    if h.axes:
        yield ("other" if h.some else "weaker"), replace(h, some=not h.some)
    yield "other", h.opposite()


def _such(s: Statement) -> Parts:
    for c in in_text_order(s.such):
        rest = s.such - {c}
        yield "no condition", about(c), {"such": rest}
        yield "contrary condition", about(c), {"such": rest | {c.opposite()}}
    if s.exists:
        contrary = s.atom.opposite()
        yield "contrary condition", "of the atom", {"such": s.such | {contrary}}


def _quantifiers(s: Statement) -> Parts:
    for x in sorted(s.exists, key=symbol_name):
        such = s.such if len(s.exists) > 1 else frozenset[Atom]()
        parts = {"exists": s.exists - {x}, "such": such}
        yield "∀ for ∃", symbol_name(x), parts
    named: frozenset[Symbol] = frozenset((*s.tensors, *s.maps))
    every = sorted(named - s.exists, key=symbol_name)
    if not s.exists:  # one tensor, one bijection and one other map: each is like the others
        every = list({(type(x), isinstance(x, Map) and map_type(x)[2]): x for x in every}.values())
    for x in every:
        bound = frozenset(h for h in s.given if x in symbols_of(h))
        parts = {"exists": s.exists | {x}, "given": s.given - bound, "such": s.such | bound}
        yield "∃ for ∀", symbol_name(x), parts


def _sizes(s: Statement) -> Parts:
    own = s.sizes
    for x, k in sorted(own.least, key=str):
        rest = own.least - {(x, k)}
        lower = rest | ({(x, k - 1)} if k > 1 else set())
        yield "size lowered", f"{set_name(x)} ≥ {k - 1}", {"sizes": replace(own, least=lower)}
        higher = rest | {(x, k + 1)}
        yield "size raised", f"{set_name(x)} ≥ {k + 1}", {"sizes": replace(own, least=higher)}
    order = sorted(range(len(own.of)), key=lambda k: own.of[k].name)
    for k in order:
        x, column = own.of[k], [case[k] for case in own.among]
        yield "every size from", f"{set_name(x)} ≥ {min(column)}", {"sizes": _open(own, k)}
        new = max(column) + 1 if k == order[0] else min(column) - 1 if k == order[-1] else -1
        if new >= 0:
            like = min(own.among)
            more = own.among | {(*like[:k], new, *like[k + 1 :])}
            yield "size added", f"{set_name(x)} = {new}", {"sizes": replace(own, among=more)}
        if len(set(column)) > 1:
            less = frozenset(case for case in own.among if case[k] != max(column))
            where = f"{set_name(x)} = {max(column)}"
            yield "size removed", where, {"sizes": replace(own, among=less)}


def _open(own: Sizes, k: int) -> Sizes:
    """The k-th listed set with every size from its least on."""
    of = (*own.of[:k], *own.of[k + 1 :])
    among = frozenset((*case[:k], *case[k + 1 :]) for case in own.among) if of else frozenset()
    return Sizes(own.least | {(own.of[k], own.lower(own.of[k]))}, of, among)


# -------------------------------------------------------------- what follows by its form alone
def weaker(true: Statement, other: Statement) -> str:
    """Why a statement follows from another, of which one field was changed; nothing if no reason is
    known. Nothing here asks what decides of marks (`uncovered`, `weigh`)."""
    differ = [
        name for name in ("atom", "given", "exists", "such", "sizes")
        if getattr(true, name) != getattr(other, name)
    ]  # fmt: skip
    a, b = true.atom, other.atom
    match differ:
        case []:
            return "it is the claim"
        case ["atom"] if a.relation in "=≠" and (a.lhs, a.rhs) == (b.rhs, b.lhs):
            same = (a.relation, a.some) == (b.relation, b.some)
            return f"{a.relation} is symmetric" if same else ""
        case ["atom"]:
            return _implied(a, b, other)
        case ["given"] if true.given < other.given:
            return "one more hypothesis"
        case ["given"]:
            new, old = other.given - true.given, true.given - other.given
            stronger = all(any(_implied(a, b, other) for a in new) for b in old)
            return "a stronger hypothesis" if stronger else ""
        case ["such"] if other.such < true.such:
            return "one condition less"
        case ["sizes"]:
            return "fewer sizes" if _fewer(true, other) else ""
        case ["exists"] if true.exists < other.exists:
            always = (isinstance(x, Op) or map_type(x)[2] for x in other.exists - true.exists)
            return "some of all, of which there are" if all(always) else ""
    return ""


def _implied(a: Atom, b: Atom, s: Statement) -> str:
    """Why one atom implies another of the same sides, or with a smaller number on the left."""
    if a.relation == b.relation in ("<", "≤") and a.rhs == b.rhs and a.some == b.some:
        high, low = (t.node.op.data for t in (a.lhs, b.lhs))
        if {a.lhs.node.op.kind, b.lhs.node.op.kind} == {"number"} and high > low:
            return f"{high[0]} for {low[0]}"
    if (a.lhs, a.rhs) != (b.lhs, b.rhs):
        return ""
    single = all(x.name == "1" for x in a.axes.values())  # of one entry: every is some
    if (
        a.some != b.some
        and not single
        and (a.some or not all(_never_empty(x, s.sizes) for x in a.axes.values()))
    ):
        return ""
    if a.relation != b.relation and (a.relation, b.relation) not in IMPLIED:
        return ""
    return f"{a.relation} implies {b.relation}" if a.some == b.some else "every implies some"


def _never_empty(x: Set, sizes: Sizes) -> bool:
    if x.name == "+":
        return any(_never_empty(part, sizes) for part in x.parts)
    return all(_never_empty(part, sizes) for part in x.parts) if x.parts else (
        x.name == "1" or sizes.lower(x) > 0
    )  # fmt: skip


def _fewer(true: Statement, other: Statement) -> bool:
    """Whether every size of one is a size of the other, tried up to two above all that is named."""
    named = {x for s in (true, other) for x in s.sizes.sets()}
    cases = [dict(zip(other.sizes.of, case, strict=True)) for case in other.sizes.among] or [{}]
    for case in cases:
        bounds = [k for _, k in (*true.sizes.least, *other.sizes.least)]
        top = 3 + max([*bounds, *itertools.chain(*true.sizes.among, *other.sizes.among)], default=0)
        free = sorted(named - set(case), key=set_name)
        for sizes in itertools.product(range(top), repeat=len(free)):
            whole = case | dict(zip(free, sizes, strict=True))
            if other.sizes.admit(whole) and not true.sizes.admit(whole):
                return False
    return True
