"""The falsehoods beside a claim: each field of its statement changed, and a sample of its terms.

Every change is of one place, but for those that are made throughout a claim on purpose: most of
these are true again, and the audit has to find that out (the column softmax is equivariant too).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from random import Random

from orderproof.check.claims import ByKernel, Check, Claim, TheoremFile, by_kernel
from orderproof.symbolic.calculus import kernel
from orderproof.symbolic.calculus.kernel import Theorem
from orderproof.symbolic.calculus.terms import (
    Ap,
    Map,
    Node,
    Op,
    Set,
    Term,
    at,
    build,
    map_type,
    reachable,
    rebuild,
)
from orderproof.symbolic.derive.push import refl, slots
from orderproof.symbolic.models.builders import permutation, symbols
from orderproof.symbolic.models.names import node_name
from orderproof.symbolic.models.retype import rebuilt, retyped
from orderproof.symbolic.statements.evidence import Evidence
from orderproof.symbolic.statements.statement import (
    Atom,
    Statement,
    StatementError,
    Symbol,
    about,
    in_text_order,
)

from .attempts import everything_moved, weight
from .fields import changed, weaker
from .operators import (
    EVERYWHERE,
    FUNCTIONS,
    MOTIONS,
    SYMBOLS,
    Context,
    Operator,
    at_site,
    here,
    sites,
    throughout,
    within,
)

SEED = 20261121
ROOM, LEAST = 500, 5  # nodes that a claim's mutants by changes of terms may have in all; how many
EVALUATED = {"exact", "interval"}  # marks at given values: of given maps and functions alone


@dataclass(eq=False)
class Original:
    """A true claim of a theorem, with the evidence of its marks, computed once; for any other
    statement that evidence is stale."""

    claim: Claim
    number: int

    def __post_init__(self) -> None:
        self._found: dict[str, Evidence] = {}

    def evidence(self, mark: str) -> Evidence:
        """What a mark found of the true statement."""
        if mark not in self._found:
            self._found[mark] = self.claim.marks[mark](self.claim.statement)
        return self._found[mark]

    def beside(self, mark: str, _: Statement) -> Evidence:
        """The same, whatever the statement is."""
        return self.evidence(mark)

    @cached_property
    def context(self) -> Context:
        """The symbols that a change may exchange, by name."""
        return context(self.claim)


@dataclass(frozen=True)
class Planted:
    """A claim changed in one place: by which operator, and where."""

    operator: str
    where: str
    claim: Claim
    of: Original | None = None
    strict: bool = True  # each mark must reject it; else none may settle it
    excusable: bool = True  # it may be true after all; a falsehood planted by hand may not
    swept: bool = True  # whether the marks that sweep are asked anew: they can confirm, not settle


def context(claim: Claim) -> Context:
    """The symbols of a claim that a change may exchange."""
    s = claim.statement
    permutations = [m for m in s.maps if map_type(m)[2] and map_type(m)[0] == (map_type(m)[1],)]
    nodes = {n for t in s.atom.terms for n in reachable(t.node)}
    theorem = cited(claim)
    return Context(
        tuple(sorted(permutations, key=lambda m: str(m.data[0]))),
        tuple(sorted(s.sets, key=lambda s: s.name)),
        tuple(sorted((n.op for n in nodes if n.op.kind == "leaf"), key=lambda o: str(o.data[0]))),
        "prod" if theorem is not None and theorem.law == "ring" else "max",
    )


def cited(claim: Claim) -> Theorem | None:
    """The theorem of the kernel that a claim cites."""
    check = claim.marks.get("kernel")
    return check.theorem if isinstance(check, ByKernel) else None


# ------------------------------------------------------------------------------- what is planted
def planted(theorem: TheoremFile, limit: int) -> list[Planted]:
    """The falsehoods beside a theorem: those that its file plants, every field of its claims'
    statements changed, and up to `limit` for each claim by changes of its terms, every operator in
    its turn; fewer of large ones, which take longer to check. A change of a hypothesis that
    several claims have in common is checked by the marks that sweep for the first of them alone."""
    shared: set[tuple[frozenset[Atom], frozenset[Atom]]] = set()
    true = [Original(claim, number) for number, claim in enumerate(theorem.claims)]
    found = []
    for n in theorem.neighbours:
        of = next((o for o in true if o.claim.marks is n.claim.marks), None)
        found.append(Planted("by hand", n.reason, n.claim, of, excusable=False))
    for o in true:
        s = o.claim.statement
        rng = Random(f"{SEED} {theorem.id} {o.number}")
        for change in _of_fields(o, rng):
            given = change[-1].given
            differ = s.given - given, given - s.given
            p = _stating(o, *change, strict=False)
            found.append(replace(p, swept=s.given == given or differ not in shared))
            shared.add(differ)
        strict = not _slack(o.claim)
        found += [_stating(o, *change, strict=strict) for change in _of_statement(o)]
        if not s.exists:
            few = max(LEAST, ROOM // (weight(s.atom.lhs) + weight(s.atom.rhs)))
            changes = _of_terms(s.atom, min(limit, few), _operators(o.claim), o.context, rng)
            found += [_stating(o, *c, strict=strict) for c in _stated(s, changes)]
    return _different(found, theorem.claims) + [p for o in true for p in _stale(o, true)]


def _slack(claim: Claim) -> bool:
    """Whether a claim stands before Rocq alone, or is a bound that Rocq alone settles. Where it is
    not reached, numbers confirm other bounds too, true ones and false ones: they settle none, and
    more is not asked of them."""
    bound = claim.statement.atom.relation in ("<", "≤") and set(claim.marks) == {"numeric"}
    return bound or claim.rocq_alone


def _stating(of: Original, operator: str, where: str, s: Statement, strict: bool = True) -> Planted:
    return Planted(operator, where, replace(of.claim, statement=s), of, strict)


def _different(found: Sequence[Planted], claims: Sequence[Claim]) -> list[Planted]:
    """Without statements of true claims of the file, and without repetitions."""
    seen = {c.statement for c in claims}
    kept = []
    for p in found:
        if p.claim.statement not in seen:
            seen.add(p.claim.statement)
            kept.append(p)
    return kept


# ------------------------------------------------------------------------- changes of a statement
Changes = Iterator[tuple[str, str, Statement]]


def _of_fields(o: Original, rng: Random) -> Changes:
    """Every field, and each hypothesis by one of the operators on terms."""
    s = o.claim.statement
    yield from changed(s)
    yield "contrary", "of the whole", contrary(s)
    for h in in_text_order(s.given):
        for operator, where, near in _of_terms(h, 1, _operators(o.claim), o.context, rng):
            with suppress(StatementError):
                where = f"{operator}: {about(h)}, {where}"
                yield "other hypothesis", where, replace(s, given=s.given - {h} | {near})


def contrary(s: Statement) -> Statement:
    """What holds only if a statement is false at all of its sizes."""
    if not s.exists:
        return s.negated()
    atom = s.atom.opposite()
    return replace(s, atom=atom, given=s.given | s.such, exists=frozenset(), such=frozenset())


def _of_statement(o: Original) -> Changes:
    s, c = o.claim.statement, o.context
    if s.exists:
        yield from _stated(s, _same_sides(s.atom))
    else:
        yield from _stated(s, _index_sets(o.claim, c))
        if not EVALUATED & set(o.claim.marks):
            yield from _stated(s, _inner_acts(s.atom, c))
            yield from _stated(s, _throughout(o.claim, c))


Atoms = Iterator[tuple[str, str, Atom]]


def _stated(s: Statement, atoms: Iterator[tuple[str, str, Atom]]) -> Changes:
    """The statement with each of these atoms, where that is a statement; if it claims existence,
    new symbols are existential too."""
    for operator, where, atom in atoms:
        with suppress(StatementError):
            bare = Statement(atom, s.given | s.such)
            every = {*s.tensors, *s.maps} - s.exists
            named: frozenset[Symbol] = frozenset((*bare.tensors, *bare.maps))
            exists = named - every if s.exists else s.exists
            yield operator, where, replace(s, atom=atom, exists=exists)


def _same_sides(atom: Atom) -> Atoms:
    """Sides that are equal for all values."""
    yield "same sides", "the right side on the left", replace(atom, lhs=atom.rhs)
    theorem = everything_moved(atom.lhs)
    if theorem is not None:
        names = dict(enumerate(atom.lhs.axes))
        left, right = (t.rename(names) for t in (theorem.lhs, theorem.rhs))
        both = replace(atom, lhs=left, rhs=right)
        yield "all moved", "every tensor, and the result", both


def _index_sets(claim: Claim, c: Context) -> Atoms:
    """The right side over another set than the left, for tensors of that set: what it sums over."""
    atom = claim.statement.atom
    sets, maps = symbols(atom.rhs)
    for s in sorted(sets, key=lambda s: s.name):
        other = next((x for x in c.sets if x != s), Set("q"))
        own = [m for m in maps if s in (*map_type(m)[0], map_type(m)[1])]
        if s not in atom.axes.values() and not (own or EVALUATED & set(claim.marks)):
            node = rebuilt(atom.rhs.node, {s: other}).node
            rhs = rebuild(node, _over(atom.rhs.node, s, other))
            rhs = rhs.rename(dict(enumerate(atom.rhs.axes)))
            yield "other index set", f"{other.name} for {s.name}", replace(atom, rhs=rhs)


def _over(node: Node, s: Set, other: Set) -> dict[Op, Term]:
    """For each tensor that had an axis over a set, as it is over the other, one of another name."""
    found = {}
    for op in {n.op for n in reachable(node) if n.op.kind == "leaf"}:
        name, sets = op.data
        if s in sets:
            new = retyped(sets, {s: other})
            leaf = Op("leaf", (f"{name}_{other.name}", new))
            found[Op("leaf", (name, new))] = build(leaf, names=range(len(sets)))
    return found


def _inner_acts(atom: Atom, c: Context) -> Atoms:
    """A literal permutation π inside the model. Moved first, X becomes X[σ(π(i))]; the result
    moved, X[π(σ(i))]: the same only if π commutes with σ, or where the order does not matter."""
    for m in c.permutations:
        inner = permutation("pi", map_type(m)[1])
        for node, slot in _moved(atom.lhs, m)[:1]:
            leaf = node.args[0].node

            def act(t: Term, slot: int = slot, inner: Map = inner) -> Term:
                return moved(t, slot, inner)

            lhs, rhs = throughout(atom.lhs, {node}, act), throughout(atom.rhs, {leaf}, act)
            yield "inner act", f"π on {leaf} inside", replace(atom, lhs=lhs, rhs=rhs)


def moved(t: Term, slot: int, m: Map) -> Term:
    """t with a map on the axis that is its slot."""
    a = t.axes[slot]
    return at(t, {a: m(a)})


def _moved(t: Term, m: Map) -> list[tuple[Node, int]]:
    """The tensors of t with an axis moved by m, and its slot."""
    return [
        (node, slot)
        for node in within(t.node)
        if node.op.kind == "at" and node.args[0].node.op.kind == "leaf"
        for slot, e in enumerate(node.op.data[0])
        if isinstance(e, Ap) and e.map == m and e.args == (slot,)
    ]


def _throughout(claim: Claim, c: Context) -> Atoms:
    """A constructor changed wherever it stands, in both sides: another model, and another claim."""
    theorem, atom = cited(claim), claim.statement.atom
    if theorem is None or theorem.law != "perm" or theorem.hyps:
        return  # the proof uses numbers or hypotheses, which need not fit another function
    nodes = list(dict.fromkeys(n for t in atom.terms for n in within(t.node)))
    for name in EVERYWHERE:
        operator = FUNCTIONS[name]
        ops = {n.op: n for n in reversed(nodes) if operator(slots(n), c)}
        for op in sorted(ops, key=lambda o: (o.kind, str(o.data)))[:1]:

            def change(t: Term, operator: Operator = operator) -> Term:
                return operator(t, c)[0]

            chosen = {n for n in nodes if n.op == op}
            left, right = (throughout(t, chosen, change) for t in atom.terms)
            both = replace(atom, lhs=left, rhs=right)
            yield "throughout", f"{name}: {node_name(ops[op])}", both


def _operators(claim: Claim) -> dict[str, Operator]:
    return MOTIONS if EVALUATED & set(claim.marks) else MOTIONS | SYMBOLS | FUNCTIONS


def _of_terms(
    atom: Atom, limit: int, operators: dict[str, Operator], c: Context, rng: Random
) -> Atoms:
    """At most `limit` atoms, each changed at one site, by every operator in turn."""
    places = list(sites(atom))
    queues = {name: [s for s in places if op(here(atom, s), c)] for name, op in operators.items()}
    for queue in queues.values():
        rng.shuffle(queue)
    count = 0
    while count < limit and any(queues.values()):
        for name, queue in queues.items():
            if queue and count < limit:
                site = queue.pop()
                made = at_site(atom, site, operators[name], c)
                if made:
                    count += 1
                    yield name, str(site), rng.choice(made)


# --------------------------------------------------------------- evidence for another statement
def _stale(o: Original, others: Sequence[Original]) -> Iterator[Planted]:
    """The right statement with the evidence of another claim, or another theorem of the kernel."""

    def with_mark(mark: str, where: str, check: Check) -> Planted:
        claim = replace(o.claim, marks={mark: check})
        return Planted("stale evidence", where, claim, None, excusable=False)

    theorem = cited(o.claim)
    if theorem is not None:
        lemmas = {"the same turned round": kernel.sym(theorem), "itself": refl(theorem.lhs)}
        for where, lemma in lemmas.items():
            if (lemma.lhs, lemma.rhs) != (theorem.lhs, theorem.rhs):
                yield with_mark("kernel", where, by_kernel(lemma))
    for other in others:
        if other is not o and not weaker(other.claim.statement, o.claim.statement):
            for mark in other.claim.marks:
                where = f"of claim {other.number + 1}"
                yield with_mark(mark, where, partial(other.beside, mark))
