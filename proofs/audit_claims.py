"""What is planted beside a claim: changes of the claim itself, and a sample of those of its terms.

Every change is of one place, but for those that are made throughout a claim on purpose: most of
these are true again, and the audit has to find that out (the column softmax is equivariant too).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from orderproof.symbolic import kernel
from orderproof.symbolic.kernel import Theorem
from orderproof.symbolic.language import permutation, symbols
from orderproof.symbolic.names import node_name
from orderproof.symbolic.retyped import rebuilt, retyped
from orderproof.symbolic.tactic import refl, slots
from orderproof.symbolic.terms import (
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

from .audit_derive import everything_moved, weight
from .audit_mutants import (
    EVERYWHERE,
    FUNCTIONS,
    MOTIONS,
    SYMBOLS,
    Context,
    Operator,
    Planted,
    at_site,
    here,
    sites,
    throughout,
    within,
)
from .claims import Claim, Condition, TheoremFile

SEED = 20261121
ROOM, LEAST = 500, 5  # nodes that a claim's mutants by changes of terms may have in all; how many
EVALUATED = {"exact", "interval"}  # marks at given values: of given maps and functions alone


def context(claim: Claim) -> Context:
    """What there is to be mixed up, by name."""
    sets, maps = symbols(claim.lhs, claim.rhs)
    permutations = [m for m in maps if map_type(m)[2] and map_type(m)[0] == (map_type(m)[1],)]
    nodes = {n for t in (claim.lhs, claim.rhs) for n in reachable(t.node)}
    return Context(
        tuple(sorted(permutations, key=lambda m: str(m.data[0]))),
        tuple(sorted(sets, key=lambda s: s.name)),
        tuple(sorted((n.op for n in nodes if n.op.kind == "leaf"), key=lambda o: str(o.data[0]))),
        "prod" if claim.theorem is not None and claim.theorem.law == "ring" else "max",
    )


# ---------------------------------------------------------------------- changes of a claim itself
def _relations(claim: Claim) -> Iterator[Planted]:
    if claim.kind == "exists":
        opposite = replace(claim, relation="=", kind="equality")
        yield Planted("other relation", "equal, always", opposite)
        same = replace(claim, lhs=claim.rhs)
        yield Planted("same sides", "the right side on the left", same)
        theorem = everything_moved(claim.lhs)
        if theorem is not None:
            names = dict(enumerate(claim.lhs.axes))
            left, right = (t.rename(names) for t in (theorem.lhs, theorem.rhs))
            both = replace(claim, lhs=left, rhs=right)
            yield Planted("all moved", "every tensor, and the result", both)
        return
    for other in {"=": "≠>", ">": "="}.get(claim.relation, ""):
        yield Planted(
            "other relation",
            f"{other} for {claim.relation}",
            replace(claim, relation=other),
        )


def _bounds(claim: Claim) -> Iterator[Planted]:
    """Other sizes; a theorem of the kernel is about all of them, whatever its claim asks for."""
    if claim.theorem is not None:
        return
    for s, (relation, values) in claim.sizes.items():
        wider: Condition = (relation, (values[0] - 1, *values[1:]))
        if relation == "∈":
            wider = (relation, (*values, max(values) + 1))
        sizes = {**claim.sizes, s: wider}
        yield Planted(
            "bound off by one",
            f"{s.name} {wider[0]} {wider[1]}",
            replace(claim, sizes=sizes),
        )


def _hypotheses(claim: Claim) -> Iterator[Planted]:
    for h in sorted(claim.hyps, key=lambda h: str([(n.op, n.args) for n in within(h[0].node)])):
        yield Planted("no hypothesis", "left out", replace(claim, hyps=claim.hyps - {h}))


def _index_sets(claim: Claim, c: Context) -> Iterator[Planted]:
    """The right side over another set than the left: what it sums over (for tensors of that set),
    or an axis of its own."""
    sets, maps = symbols(claim.rhs)
    for s in sorted(sets, key=lambda s: s.name):
        other = next((x for x in c.sets if x != s), Set("q"))
        own = [m for m in maps if s in (*map_type(m)[0], map_type(m)[1])]
        free = s in claim.rhs.sets.values()
        if free or not (own or EVALUATED & set(claim.marks)):
            to: dict[Any, Any] = {s: other} | {m: retyped(m, {s: other}) for m in own}
            node = rebuilt(claim.rhs.node, to).node
            rhs = rebuild(node, {} if free else _over(claim.rhs.node, s, other))
            rhs = rhs.rename(dict(enumerate(claim.rhs.axes)))
            wrong = replace(claim, rhs=rhs)
            yield Planted("other index set", f"{other.name} for {s.name}", wrong)


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


def _inner_acts(claim: Claim, c: Context) -> Iterator[Planted]:
    """A literal permutation π inside the model. Moved first, X becomes X[σ(π(i))]; the result
    moved, X[π(σ(i))]: the same only if π commutes with σ, or where the order does not matter."""
    for m in c.permutations:
        inner = permutation("pi", map_type(m)[1])
        for node, slot in _moved(claim.lhs, m)[:1]:
            leaf = node.args[0].node

            def act(t: Term, slot: int = slot, inner: Map = inner) -> Term:
                return moved(t, slot, inner)

            yield Planted(
                "inner act",
                f"π on {leaf} inside",
                replace(
                    claim,
                    lhs=throughout(claim.lhs, {node}, act),
                    rhs=throughout(claim.rhs, {leaf}, act),
                ),
            )


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


def _throughout(claim: Claim, c: Context) -> Iterator[Planted]:
    """A constructor changed wherever it stands, in both sides: another model, and another claim."""
    if claim.theorem is None or claim.theorem.law != "perm":
        return  # numbers mattered, and with another function they need not fit
    nodes = list(dict.fromkeys(n for t in (claim.lhs, claim.rhs) for n in within(t.node)))
    for name in EVERYWHERE:
        operator = FUNCTIONS[name]
        ops = {n.op: n for n in reversed(nodes) if operator(slots(n), c)}
        for op in sorted(ops, key=lambda o: (o.kind, str(o.data)))[:1]:

            def change(t: Term, operator: Operator = operator) -> Term:
                return operator(t, c)[0]

            chosen = {n for n in nodes if n.op == op}
            left, right = (throughout(t, chosen, change) for t in (claim.lhs, claim.rhs))
            both = replace(claim, lhs=left, rhs=right)
            yield Planted("throughout", f"{name}: {node_name(ops[op])}", both)


def _stale(claim: Claim, others: Sequence[Claim]) -> Iterator[Planted]:
    """The right statement with a theorem, or obligations, of another one."""
    if "kernel" in claim.marks and claim.theorem is not None:
        lemmas: dict[str, Theorem] = {"the same turned round": kernel.sym(claim.theorem)}
        lemmas["a copy that the kernel did not issue"] = replace(claim.theorem)
        lemmas["the left side is itself"] = refl(claim.lhs)
        for other in others:
            if other.theorem is not None:
                lemmas["the theorem of another claim"] = other.theorem
        own = (claim.theorem.lhs, claim.theorem.rhs)
        for where, lemma in lemmas.items():
            if (lemma.lhs, lemma.rhs) != own or not kernel.is_theorem(lemma):
                stale = replace(claim, theorem=lemma, marks={"kernel": claim.marks["kernel"]})
                yield Planted("stale lemma", where, stale, derive=False)
    smt = [c.marks["smt"] for c in others if "smt" in c.marks]
    if "smt" in claim.marks and smt and claim.kind != "exists":
        stale = replace(claim, marks={"smt": smt[0]})
        yield Planted("stale lemma", "the obligations of another claim", stale, derive=False)


# ------------------------------------------------------------------------------- what is planted
def planted(theorem: TheoremFile, limit: int) -> list[Planted]:
    """The falsehoods beside a theorem: those that its file plants, those of its claims' statements,
    and up to `limit` for each claim by changes of its terms, every operator in its turn; fewer of
    large ones, which take longer to check."""
    found = [
        Planted("by hand", n.reason, n.claim) for n in (theorem.neighbour, *theorem.neighbours)
    ]
    for k, claim in enumerate(theorem.claims):
        others = [c for c in theorem.claims if (c.lhs, c.rhs) != (claim.lhs, claim.rhs)]
        found += _of_statement(claim, others)
        if claim.kind != "exists":
            few = max(LEAST, ROOM // (weight(claim.lhs) + weight(claim.rhs)))
            found += _of_terms(claim, min(limit, few), Random(f"{SEED} {theorem.id} {k}"))
    return _different(found, theorem.claims)


def _of_statement(claim: Claim, others: Sequence[Claim]) -> Iterator[Planted]:
    c = context(claim)
    yield from _relations(claim)
    yield from _bounds(claim)
    yield from _hypotheses(claim)
    yield from _stale(claim, others)
    if claim.kind != "exists":
        yield from _index_sets(claim, c)
        if not EVALUATED & set(claim.marks):
            yield from _inner_acts(claim, c)
            yield from _throughout(claim, c)


def _of_terms(claim: Claim, limit: int, rng: Random) -> list[Planted]:
    c, places = context(claim), list(sites(claim))
    operators = MOTIONS if EVALUATED & set(claim.marks) else MOTIONS | SYMBOLS | FUNCTIONS
    queues = {
        name: [s for s in places if operator(here(claim, s), c)]
        for name, operator in operators.items()
    }
    for queue in queues.values():
        rng.shuffle(queue)
    found: list[Planted] = []
    while len(found) < limit and any(queues.values()):
        for name, queue in queues.items():
            if queue and len(found) < limit:
                site = queue.pop()
                made = list(at_site(claim, site, operators[name], c))
                chosen = rng.sample(made, min(1, len(made)))
                found += [Planted(name, str(site), m, of=claim) for m in chosen]
    return found


def _different(found: Sequence[Planted], claims: Sequence[Claim]) -> list[Planted]:
    """Without what states a true claim of the file again, and without repetitions."""
    seen = {_key(c) for c in claims}
    kept = []
    for p in found:
        key = _key(p.claim)
        if key not in seen or p.operator == "stale lemma":
            seen.add(key)
            kept.append(p)
    return kept


def _key(c: Claim) -> object:
    sizes = tuple(sorted((s.name, condition) for s, condition in c.sizes.items()))
    return c.kind, c.lhs, c.relation, c.rhs, c.hyps, sizes
