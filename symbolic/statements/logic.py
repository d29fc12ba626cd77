"""The rules between statements: from evidence for some they conclude another.

Each rule takes evidence that settles its statement and gives evidence of the statement that it
builds; its docstring is the rule, with [side conditions]. Trusted with the kernel. Γ and Δ are sets
of hypotheses; every symbol that a statement does not say there is, is any of its type.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from orderproof.symbolic.calculus.terms import (
    Ap,
    Index,
    Map,
    Name,
    Node,
    Op,
    Set,
    Term,
    at,
    map_type,
    reachable,
    rebuild,
)
from orderproof.symbolic.models.builders import Motion, image, opened_at

from .evidence import Evidence
from .statement import (
    Atom,
    Sizes,
    Statement,
    Symbol,
    about,
    definition,
    lost_maps,
    symbols_of,
    uncovered,
)


class LogicError(ValueError):
    """A rule that does not apply: which, and why, in one line."""


def _need(holds: bool, rule: str, why: str) -> None:
    if not holds:
        raise LogicError(f"{rule}: {why}")


def _shown(rule: str, e: Evidence) -> Statement:
    """What evidence establishes; cases, and what is open, establish nothing."""
    if e.ok is not True or e.sweep or e.states is None:
        raise LogicError(f"{rule}: given what is not established: {e.detail}")
    return e.states


def _by(rule: str, s: Statement, *premises: Evidence) -> Evidence:
    return Evidence(True, f"{'; '.join(p.detail for p in premises)}; {rule}", s)


# ----------------------------------------------------------------------------------- one statement
def weakening(e: Evidence, weaker: Statement) -> Evidence:
    """s ⇒ s′   [s′ has no fewer hypotheses, no more conditions on what there is, no more sizes; its
    atom is that of s, or with ≤ or ≠ for <, or at some assignment where each axis has one]"""
    s = _shown("weakening", e)
    have, want = s.atom, weaker.atom
    if have.some != want.some:
        empty = [x for x in want.axes.values() if not _inhabited(x, weaker.sizes)]
        _need(want.some and not empty, "weakening", "an entry somewhere, where there may be none")
    if have.relation == "<" and want.relation in ("≤", "≠"):
        have = replace(have, relation=want.relation)
    reason = uncovered(replace(s, atom=replace(have, some=want.some)), weaker)
    _need(not reason, "weakening", reason)
    return _by("weakening", weaker, e)


def _inhabited(s: Set, sizes: Sizes) -> bool:
    """Whether an index set has an element at all of these sizes."""
    match s.name, s.parts:
        case "1", _:
            return True
        case "+", (a, b):
            return _inhabited(a, sizes) or _inhabited(b, sizes)
        case "×", (a, b):
            return _inhabited(a, sizes) and _inhabited(b, sizes)
    return sizes.lower(s) > 0


def instance(e: Evidence, to: Mapping[Op, Term]) -> Evidence:
    """∀X: Γ ⇒ A  ⇒  Γ[u/X] ⇒ A[u/X]   [slot k of X is axis k of u; u has no other axes; nothing
    that there is stands in u; no axis and no map is lost]"""
    s = _shown("instance", e)
    for op, u in to.items():
        over = dict(enumerate(op.data[1])) if op.kind == "leaf" else {}
        _need(op.kind == "leaf" and op not in s.exists, "instance", f"{op.data[0]} is no tensor")
        _need(u.sets.items() <= over.items(), "instance", f"axes {u.axes} for {op.data[0]}")
        inside = symbols_of(Atom(u, "=", u)) & s.exists
        _need(not inside, "instance", "what there is would depend on itself")
    whole = replace(
        s, atom=_put(s.atom, to), given=frozenset(_put(a, to) for a in s.given),
        such=frozenset(_put(a, to) for a in s.such),
    )  # fmt: skip
    for old in (s.atom, *s.given, *s.such):
        _need(_put(old, to).axes == old.axes, "instance", f"an axis of {about(old)} is lost")
    _nothing_lost("instance", (s,), whole)
    return _by("instance", whole, e)


def _put(a: Atom, to: Mapping[Op, Term]) -> Atom:
    def put(t: Term) -> Term:
        return rebuild(t.node, to).rename(dict(enumerate(t.axes)))

    return replace(a, lhs=put(a.lhs), rhs=put(a.rhs))


def _nothing_lost(rule: str, premises: tuple[Statement, ...], whole: Statement) -> None:
    """Maps between different sets, or of no argument, of which there may be none."""
    for s in premises:
        _need(not lost_maps(s, whole), rule, "a map no longer occurs: there may be none")


def one_point(e: Evidence, op: Op) -> Evidence:
    """Γ, X = t ⇒ A  ⇒  Γ ⇒ there is X: X = t and A   [X neither in t nor in Γ]"""
    s = _shown("one point", e)
    found = [a for a in s.given if (d := definition(a)) is not None and d[0] == op]
    _need(len(found) == 1, "one point", f"{op.data[0]} is not given by one equation")
    rest = s.given - {found[0]}
    used = any(op in symbols_of(a) for a in rest)
    _need(not used, "one point", f"{op.data[0]} is in another hypothesis")
    whole = replace(s, given=rest, exists=s.exists | {op}, such=s.such | {found[0]})
    return _by("one point", whole, e)


def there_is(claimed: Statement, to: Mapping[Op, Term], *shown: Evidence) -> Evidence:
    """Γ ⇒ C[u/X] for each condition, and Γ ⇒ A[u/X]  ⇒  Γ ⇒ there is X: C and A   [slot k of X is
    axis k of u; u has no other axes, and no X; no axis is lost, and no map that is in u alone]"""
    rule = "there is"
    _need(claimed.exists == frozenset(to), rule, "a term for each tensor that there is")
    for op, u in to.items():
        over = dict(enumerate(op.data[1])) if op.kind == "leaf" else {}
        _need(op.kind == "leaf" and u.sets.items() <= over.items(), rule, f"axes {u.axes}")
        _need(not symbols_of(Atom(u, "=", u)) & claimed.exists, rule, "a term in itself")
    for a in (*claimed.such, claimed.atom):
        wanted = _put(a, to)
        _need(wanted.axes == a.axes, rule, f"an axis of {about(a)} is lost")
        bare = Statement(wanted, claimed.given)
        _need(not lost_maps(bare, claimed), rule, "a map is in a term alone: there may be none")
        ways = [_covers(_shown(rule, e), bare, claimed.sizes) for e in shown]
        _need(any(ways), rule, f"{about(wanted)} is not shown")
    return _by(rule, claimed, *shown)


def _covers(s: Statement, bare: Statement, sizes: Sizes) -> bool:
    """Whether s gives `bare` at these sizes, which may be of sets that do not occur in it."""
    return not (uncovered(replace(s, sizes=Sizes()), bare) or sizes.within(s.sizes))


def contraposition(e: Evidence, hypothesis: Atom) -> Evidence:
    """Γ, H ⇒ A  ⇒  Γ, not A ⇒ not H   [nothing that there is]"""
    s = _shown("contraposition", e)
    _need(hypothesis in s.given and not s.exists, "contraposition", "no such hypothesis")
    given = (s.given - {hypothesis}) | {s.atom.opposite()}
    return _by("contraposition", replace(s, atom=hypothesis.opposite(), given=given), e)


def from_some(e: Evidence, hypothesis: Atom, places: Mapping[Name, Map]) -> Evidence:
    """Γ, H at (p, …) ⇒ A  ⇒  Γ, H at some assignment ⇒ A   [p, … in nothing else]"""
    s, there = _shown("from some", e), _at_places("from some", hypothesis, places)
    _need(hypothesis.some and there in s.given, "from some", f"{about(there)} is not a hypothesis")
    rest = s.given - {there}
    _fresh("from some", places, (s.atom, *rest, *s.such), s.exists)
    return _by("from some", replace(s, given=rest | {hypothesis}), e)


def to_every(e: Evidence, atom: Atom, places: Mapping[Name, Map]) -> Evidence:
    """Γ ⇒ A at (p, …)  ⇒  Γ ⇒ A at every assignment   [p, … in nothing else; nothing there is]"""
    s, there = _shown("to every", e), _at_places("to every", atom, places)
    _need(not atom.some and s.atom == there, "to every", f"{about(there)} is not what is shown")
    _need(not s.exists, "to every", "what there is may depend on the place")
    _fresh("to every", places, tuple(s.given), s.exists)
    return _by("to every", replace(s, atom=atom), e)


def _at_places(rule: str, a: Atom, places: Mapping[Name, Map]) -> Atom:
    typed = all(map_type(p) == ((), a.axes.get(x), False) for x, p in places.items())
    _need(typed and set(places) == set(a.axes), rule, "an element for each axis, of its set")
    _need(len({*places.values()}) == len(places), rule, "an element of its own for each axis")
    _need(not symbols_of(a) & {*places.values()}, rule, "an element that is in the atom itself")
    sides = (at(t, {x: p() for x, p in places.items() if x in t.axes}) for t in a.terms)
    return Atom(next(sides), a.relation, next(sides))


def _fresh(
    rule: str, places: Mapping[Name, Map], atoms: tuple[Atom, ...], exists: frozenset[Symbol]
) -> None:
    used = frozenset().union(exists, *(symbols_of(a) for a in atoms))
    _need(not used & {*places.values()}, rule, "an element that is in something else")


# --------------------------------------------------------------------------------- two statements
def cut(first: Evidence, second: Evidence) -> Evidence:
    """Γ ⇒ H and Δ, H ⇒ A  ⇒  Γ, Δ ⇒ A   [nothing that there is in Γ; no map is lost; at the
    sizes of both]"""
    s, t = _shown("cut", first), _shown("cut", second)
    _need(not s.exists and s.atom in t.given, "cut", f"{about(s.atom)} is not a hypothesis")
    given = s.given | (t.given - {s.atom})
    caught = any(symbols_of(a) & t.exists for a in s.given)
    _need(not caught, "cut", "a hypothesis about what there is")
    whole = replace(t, given=given, sizes=Sizes())
    _nothing_lost("cut", (s, t), whole)
    return _by("cut", replace(whole, sizes=_both(s.sizes, t.sizes)), first, second)


def _both(a: Sizes, b: Sizes) -> Sizes:
    """The sizes of both."""
    least = dict(a.least)
    for x, k in b.least:
        least[x] = max(k, least.get(x, 0))
    if not a.of or not b.of:
        of, among = (a.of, a.among) if a.of else (b.of, b.among)
    else:
        _need(set(b.of) <= set(a.of), "cut", "sizes that are listed together in two ways")
        place = [a.of.index(x) for x in b.of]
        of = a.of
        among = frozenset(c for c in a.among if tuple(c[k] for k in place) in b.among)
    kept = frozenset(
        c for c in among if all(k >= least.get(x, 0) for x, k in zip(of, c, strict=True))
    )
    _need(not of or bool(kept), "cut", "no sizes in common")
    return Sizes(frozenset((x, k) for x, k in least.items() if x not in of), of, kept)


@dataclass(frozen=True)
class Iff:
    """Under Γ, at these sizes: the conclusion holds for all values of some symbols if and only if
    the condition holds."""

    condition: Atom
    conclusion: Atom
    every: frozenset[Symbol]
    given: frozenset[Atom]
    sizes: Sizes


def iff(one: Statement, other: Statement) -> Iff:
    """Γ, H ⇒ A and Γ, not H ⇒ there is w: not A  ⇒  Γ ⇒ (A for all w if and only if H)
    [w neither in Γ nor in H; the same sizes]"""
    rule = "iff"
    _need(not one.exists and not one.such and not other.such, rule, "conditions on what there is")
    _need(other.atom == one.atom.opposite(), rule, "the atoms are not opposite")
    own, opposite = one.given - other.given, other.given - one.given
    _need(len(own) == len(opposite) == 1, rule, "not one hypothesis in which they differ")
    (condition,), (against,) = own, opposite
    _need(against == condition.opposite(), rule, "the hypotheses are not opposite")
    _need(one.sizes == other.sizes, rule, "the sizes are not the same")
    return Iff(condition, one.atom, other.exists, one.given & other.given, one.sizes)


# ------------------------------------------------------------------------- products of permutations
def composes(s: Statement) -> str:
    """Why what s says for two permutations does not give it for their product; nothing if it does:
    s is f(X moved by σ) = f(X) moved by σ for all X, σ is not in f, and there are no hypotheses. So
    f(τ(σ X)) = τ f(σ X) = τ(σ f(X)), for each permutation in its own axes."""
    if s.given or s.exists or s.atom.relation != "=" or s.atom.some:
        return "it has hypotheses, or is no equation"
    permutations = {m for m in s.maps if map_type(m)[2]}
    if any(map_type(m)[0] != (map_type(m)[1],) for m in permutations):
        return "a bijection between two sets"
    part, exprs = opened_at(s.atom.rhs)
    moved = {a: e for a, e in exprs.items() if isinstance(e, Ap)}
    once = all(e.map in permutations and not isinstance(e.args[0], Ap) for e in moved.values())
    if not once or len(part.axes) != len(s.atom.rhs.axes):
        part, exprs = s.atom.rhs, {a: a for a in s.atom.rhs.axes}
    rest = part.rename({a: e.args[0] if isinstance(e, Ap) else e for a, e in exprs.items()})
    if any(m in permutations for m in Statement(Atom(rest, "=", rest)).maps):
        return "a permutation in what is moved"
    if at(rest, {e.args[0]: e for e in exprs.values() if isinstance(e, Ap)}) != s.atom.rhs:
        return "a result that is not moved axis by axis"
    moves = {op: m for n in reachable(s.atom.lhs.node) for op, m in _moves(n, permutations)}
    return "" if image(rest, moves) == s.atom.lhs else "an input that is not moved throughout"


def _moves(node: Node, permutations: set[Map]) -> list[tuple[Op, Motion]]:
    """The motion of a tensor that a node moves by permutations alone."""
    part, exprs = opened_at(Term(node, tuple(range(len(node.sets)))))
    if node.op.kind != "at" or part.node.op.kind != "leaf":
        return []
    motion: list[Map | None] = []
    for slot, e in enumerate(_by_slot(part, exprs)):
        plain = e.args[0] if isinstance(e, Ap) and len(e.args) == 1 else e
        if plain != slot or (isinstance(e, Ap) and e.map not in permutations):
            return []
        motion.append(e.map if isinstance(e, Ap) else None)
    return [(part.node.op, tuple(motion))]


def _by_slot(part: Term, exprs: Mapping[Name, Index]) -> list[Index]:
    """The index expression in each slot of a tensor."""
    return [exprs[a] for a in part.axes]
