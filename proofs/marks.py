"""The marks: how each layer of trust looks at a claim. Each check returns ok and a detail.

ok is None when the layer cannot decide; that leaves the claim open. Nothing here is random but by
the fixed seeds that the details name.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import sympy

from orderproof.symbolic import second_solver
from orderproof.symbolic.entries import Model, evaluate
from orderproof.symbolic.kernel import equation, is_theorem
from orderproof.symbolic.language import symbols
from orderproof.symbolic.linked import unlinked
from orderproof.symbolic.obligation import Obligation, Outline
from orderproof.symbolic.printing import flattened
from orderproof.symbolic.read_sympy import Formulas, generic
from orderproof.symbolic.schema import Account
from orderproof.symbolic.terms import Map, Set, Term, map_type, reachable

from .claims import Check, Claim, meets

Sizes = dict[str, int]
Maps = dict[str, Any]


# ------------------------------------------------------------------------------------- kernel
def by_kernel(claim: Claim) -> tuple[bool | None, str]:
    """The kernel issued a theorem that says exactly this, under exactly these hypotheses."""
    theorem = claim.theorem
    if theorem is None or not is_theorem(theorem):
        return False, "no theorem of the kernel"
    same = (theorem.lhs, theorem.rhs) == equation(claim.lhs, claim.rhs)
    if not same or theorem.hyps != claim.hyps or claim.relation != "=":
        return False, "the kernel's theorem says something else"
    under = f", under {len(theorem.hyps)} hypothesis" if theorem.hyps else ""
    sizes = count(symbols(claim.lhs, claim.rhs)[0], "size")
    return True, f"{sizes} arbitrary, law {theorem.law}{under}"


# -------------------------------------------------------------------------- small sizes, all σ
def named(claim: Claim) -> tuple[list[Set], list[Map]]:
    """The sets and maps of a claim, its hypotheses included, by name: so that nothing depends on
    the order in which terms were built."""
    sets, maps = symbols(claim.lhs, claim.rhs, *(t for h in claim.hyps for t in h))
    return sorted(sets, key=lambda s: s.name), sorted(maps, key=lambda m: str(m.data))


def moved_sets(claim: Claim) -> tuple[list[Map], list[Set], list[Set]]:
    """The permutation symbols, the sets that they permute, and the other sets."""
    sets, maps = named(claim)
    permutations = [m for m in maps if map_type(m)[2]]
    moved = [s for s in sets if any(map_type(m)[1] == s for m in permutations)]
    return permutations, moved, [s for s in sets if s not in moved]


def generators(n: int) -> list[tuple[int, ...]]:
    """A swap and an n-cycle: every permutation is a product of these."""
    return [(1, 0, *range(2, n)), (*range(1, n), 0)] if n > 1 else [(0,)]


def _widths(claim: Claim, others: Sequence[Set]) -> Iterator[Sizes]:
    """Sizes of what is not permuted: up to 4, not all alike; and each set once at its least."""
    tried = [{s.name: 1 + (width + k) % 4 for k, s in enumerate(others)} for width in range(4)]
    tried = [*tried, *(tried[1] | {s.name: least(claim, s)} for s in others)] if others else [{}]
    for sizes in tried:
        if all(meets_own(claim, s, sizes[s.name]) for s in others):
            yield sizes


def small_models(claim: Claim) -> Iterator[tuple[Sizes, Maps]]:
    """Sizes and permutations for a check by entries: every σ for n ≤ 4 (of several permutations
    every choice for sizes ≤ 3) with feature sizes up to 4, every place and some of any other map,
    as far as the hypotheses about indices admit them; then, where products of permutations need
    no check of their own, generators up to n = 8."""
    permutations, moved, others = moved_sets(claim)
    fixed = [m for m in named(claim)[1] if m not in permutations]
    top = 5 if len(permutations) == 1 else 4
    ranges = [[n for n in range(top) if meets_own(claim, s, n)] for s in moved]
    for ns in itertools.product(*ranges):
        for widths in _widths(claim, others):
            sizes = {s.name: n for s, n in zip(moved, ns, strict=True)} | widths
            tables = [list(itertools.permutations(range(sizes[_over(m)]))) for m in permutations]
            tables += [_some(m, sizes) for m in fixed]
            for choice in itertools.product(*tables):
                maps = _maps([*permutations, *fixed], choice)
                if admitted(claim, sizes, maps):
                    yield sizes, maps
    if claim.motion:
        for n in range(5, 9):
            sizes = {s.name: n for s in moved} | {s.name: 1 for s in others}
            for k in range(len(permutations)):  # one at a time: so they generate the product
                for g in generators(n):
                    still = [tuple(range(sizes[_over(p)])) for p in permutations]
                    still[k] = g
                    yield sizes, _maps(permutations, still)


def meets_own(claim: Claim, s: Set, size: int) -> bool:
    """Whether a size is one that the claim is about: any, 0 too, if it says nothing of it."""
    return s not in claim.sizes or meets(size, claim.sizes[s])


def least(claim: Claim, s: Set) -> int:
    """The least size that the claim is about."""
    return min(claim.sizes[s][1]) if s in claim.sizes else 0


def least_models(claim: Claim, tokens: int, widths: Sizes) -> Iterator[tuple[Sizes, Maps]]:
    """Every σ up to so many tokens, at one choice of the other sizes (2 where none is named)."""
    permutations, moved, others = moved_sets(claim)
    fixed = [m for m in named(claim)[1] if m not in permutations]
    for n in range(tokens + 1):
        if not all(meets_own(claim, s, n) for s in moved):
            continue
        sizes = {s.name: n for s in moved} | {s.name: widths.get(s.name, 2) for s in others}
        every = list(itertools.permutations(range(n)))
        tables = [every] * len(permutations) + [_some(m, sizes) for m in fixed]
        for choice in itertools.product(*tables):
            maps = _maps([*permutations, *fixed], choice)
            if admitted(claim, sizes, maps):
                yield sizes, maps


def _some(m: Map, sizes: Sizes) -> list[Any]:
    """Every place; of maps of one argument a constant, one that goes round, and its reverse."""
    (dom, _, _), n = map_type(m), sizes[_over(m)]
    if not dom:
        return list(range(n))
    if n == 0:
        return [] if sizes[dom[0].name] else [[]]  # into nothing there is a map of nothing alone
    round_ = [k % n for k in range(sizes[dom[0].name])]
    return [[0] * len(round_), round_, round_[::-1]]


def admitted(claim: Claim, sizes: Sizes, maps: Maps) -> bool:
    """Whether maps satisfy the hypotheses ι(e) = ι(f) about indices, if there are any."""
    for a, b in (h for h in claim.hyps if about_indices(h[0])):
        left, right = (evaluate(t, generic(t, sizes, maps), Formulas()) for t in (a, b))
        if any(sympy.expand(value - right[i]) != 0 for i, value in left.items()):
            return False
    return True


def about_indices(side: Term) -> bool:
    """Whether a side of a hypothesis is about numbers (ι, sizes, scalars) and no other tensor."""
    ops = [n.op for n in reachable(side.node)]
    return not any(op.kind == "opaque" or (op.kind == "leaf" and op.data[1]) for op in ops)


def _over(m: Map) -> str:
    return str(map_type(m)[1].name)


def _maps(permutations: Sequence[Map], tables: Sequence[tuple[int, ...]]) -> Maps:
    return {m.data[0]: t for m, t in zip(permutations, tables, strict=True)}


def by_sympy(claim: Claim) -> tuple[bool | None, str]:
    """Both sides, entry by entry in generic real symbols, are the same expressions as built."""
    return entrywise(claim, "=", lambda a, b: bool(a == b))


def by_sympy_to(tokens: int, **widths: int) -> Check:
    """The same at fewer sizes, for terms whose entries are large: every σ up to so many tokens."""

    def check(claim: Claim) -> tuple[bool | None, str]:
        models = least_models(claim, tokens, widths)
        found = entrywise(claim, "=", lambda a, b: bool(a == b), models)
        return found if found[0] is not True else (True, f"{found[1]}, every σ to n = {tokens}")

    return check


def by_sympy_within(tokens: int, width: int) -> Check:
    """by_sympy where entries are large: permuted sets, and the others, up to these sizes."""

    def check(claim: Claim) -> tuple[bool | None, str]:
        moved = [s.name for s in moved_sets(claim)[1]]
        models = (
            (sizes, maps)
            for sizes, maps in small_models(claim)
            if all(k <= (tokens if name in moved else width) for name, k in sizes.items())
        )
        found = entrywise(claim, "=", lambda a, b: bool(a == b), models)
        said = f", every choice of permutations to size {tokens}" if moved else ""
        return found if found[0] is not True else (True, found[1] + said)

    return check


def by_sympy_simplified(claim: Claim) -> tuple[bool | None, str]:
    """Both sides, entry by entry in generic real symbols, differ by what simplifies to zero."""
    return entrywise(claim, "=", same_simplified)


def same_simplified(a: Any, b: Any) -> bool:
    """Whether a − b simplifies to zero, exp of each symbol being a variable of its own."""
    weights: dict[Any, Any] = {}

    def weight(e: Any) -> Any:  # exp(−s) is 1/exp(s)
        times, s = e.exp.as_coeff_Mul()
        symbol = sympy.Symbol(f"w{len(weights)}", positive=True)
        return weights.setdefault(s, symbol) ** times

    def in_sums(e: Any) -> Any:
        return sympy.expand_power_exp(sympy.exp(sympy.expand(e.exp)))

    def exponential(e: Any) -> bool:
        return isinstance(e, sympy.exp)

    if (a - b).has(sympy.sin, sympy.cos):
        point = {s: 0.5 + k / 7 for k, s in enumerate(sorted((a - b).free_symbols, key=str))}
        there = (a - b).evalf(subs=point)
        if there.is_finite and abs(there) > 1e-6:  # not 0 there: trigsimp would take minutes to say
            return False
    difference = (a - b).replace(exponential, in_sums).replace(exponential, weight)
    if difference.has(sympy.sin, sympy.cos):
        difference = sympy.trigsimp(sympy.expand(sympy.expand_trig(difference)))
    return bool(sympy.cancel(sympy.together(difference)) == 0)


def by_sympy_positive(claim: Claim) -> tuple[bool | None, str]:
    """Every entry, in generic real symbols, is positive by SymPy's assumptions."""
    return entrywise(claim, ">", lambda a, b: (a - b).is_positive is True)


CONTRARY = {("=", "≠"), ("=", ">"), (">", "=")}  # where the first holds, the second fails


def entrywise(
    claim: Claim,
    relation: str,
    same: Callable[[Any, Any], bool],
    models: Iterable[tuple[Sizes, Maps]] | None = None,
) -> tuple[bool | None, str]:
    """All entries of both sides, at small sizes; of a claim of another relation, one entry at which
    this one holds refutes it."""
    count, largest, compared = 0, 0, False
    axes = claim.lhs.axes
    for sizes, maps in small_models(claim) if models is None else models:
        left, right = (_under(claim, t, sizes, maps) for t in (claim.lhs, claim.rhs))
        order = [axes.index(a) for a in claim.rhs.axes]
        for index, value in left.items():
            holds = same(value, right[tuple(index[k] for k in order)])
            where = ", ".join(str(k + 1) for k in index)
            if holds and (relation, claim.relation) in CONTRARY and claim.kind != "exists":
                return False, f"entry ({where}) is {relation} at sizes {sizes}, maps {maps}"
            if claim.relation == relation and not holds:
                return False, f"entry ({where}) differs at sizes {sizes}, maps {maps}"
        if claim.relation != relation and left:
            return None, f"the relation is {claim.relation}; this check is of {relation}"
        count, largest = count + 1, max(largest, *sizes.values())
        compared = compared or bool(left)
    if not compared:
        return None, "no case was checked"
    said = f"{count} case{'s' if count != 1 else ''}, sizes up to {largest}"
    return True, said + (_words(claim) if models is None else "")


def _under(claim: Claim, term: Term, sizes: Sizes, maps: Maps) -> Any:
    """A term by its entries in generic real symbols, those of tensors that a hypothesis fixes
    being the same along each orbit."""
    model = generic(term, sizes, maps)
    tensors = dict(model.tensors)
    for name, place in orbits(claim, sizes, maps).items():
        if name in tensors:
            tensors[name] = lambda *i, f=tensors[name], place=place: f(*place(i))
    return evaluate(term, Model(sizes, maps, tensors), Formulas())


def orbits(
    claim: Claim, sizes: Sizes, maps: Maps
) -> dict[str, Callable[[Sequence[int]], tuple[int, ...]]]:
    """For each tensor of which a hypothesis says that entries are equal, as at(E, maps) = E and
    G(last, σ(j)) = G(last, j) do: an index's first mate."""
    model, mates = Model(sizes, maps), dict[str, dict[tuple[int, ...], set[tuple[int, ...]]]]()
    for lhs, rhs in (h for h in claim.hyps if not about_indices(h[0])):
        if not of_one_tensor(lhs, rhs):
            raise ValueError("hypothesis: expected an equation between entries of one tensor")
        (one, e), (_, f) = flattened(lhs), flattened(rhs)
        found = mates.setdefault(one.node.op.data[0], {})
        for index in model.indices(tuple(lhs.sets.values())):
            here = dict(zip(lhs.sets, index, strict=True))
            a, b = (tuple(model.index(x, here) for x in to.values()) for to in (e, f))
            whole = found.get(a, {a}) | found.get(b, {b})
            found |= dict.fromkeys(whole, whole)

    def first(found: dict[tuple[int, ...], set[tuple[int, ...]]]) -> Any:
        return lambda index: min(found.get(tuple(index), {tuple(index)}))

    return {name: first(found) for name, found in mates.items()}


def of_one_tensor(lhs: Term, rhs: Term) -> bool:
    """Whether a hypothesis says that entries of one tensor are equal."""
    one = flattened(lhs)[0].node
    return one is flattened(rhs)[0].node and one.op.kind == "leaf"


def _words(claim: Claim) -> str:
    permutations = moved_sets(claim)[0]
    if not permutations:
        return ""
    every = "σ to n = 4" if len(permutations) == 1 else "choice of permutations to size 3"
    return f", every {every}" + ("; generators and composition to n = 8" if claim.motion else "")


def count(things: Sequence[Any], word: str) -> str:
    """A number with its noun."""
    return f"{len(things)} {word}{'s' if len(things) != 1 else ''}"


# ---------------------------------------------------------------------------------------- smt
class BySmt(ABC):
    """A mark that solvers give; what they are asked is told, so that all of it is written."""

    @abstractmethod
    def obligations(self, claim: Claim) -> tuple[Obligation, ...]:
        """Every question that the mark of this claim rests on."""

    @abstractmethod
    def __call__(self, claim: Claim) -> tuple[bool | None, str]:
        """The mark."""


@dataclass(frozen=True)
class ByAccount(BySmt):
    """The account is of this very claim, sizes and hypotheses included; its lemmas stand on
    earlier ones, and the last says the claim at small sizes; and every obligation in it is proved
    by Z3, and by cvc5 from the exported text where it is installed. One undecided leaves the claim
    open."""

    account: Account

    def obligations(self, claim: Claim) -> tuple[Obligation, ...]:
        """Those of the account."""
        return self.account.obligations

    def __call__(self, claim: Claim) -> tuple[bool | None, str]:
        """Open if undecided, no if the account is of another statement, or does not hold water."""
        stated = claim.lhs, claim.relation, claim.rhs, claim.hyps
        same = (stated, claim.nonzero) == (self.account.statement, self.account.where)
        if claim.kind == "exists" or not same or not self.account.covers(claim.sizes):
            return False, "the obligations are about another statement"
        if fault := self.account.fault() or unlinked(self.account):
            return False, f"the obligations do not account for the claim: {fault}"
        asked = self.obligations(claim)
        return settled(asked, f"{count(asked, 'obligation')}; on paper {self.account.paper}")


@dataclass(frozen=True)
class ByOutline(BySmt):
    """The outline is of this very claim, and every obligation in it is proved; that they add up to
    the claim is on paper, and the detail says so."""

    outline: Outline

    def obligations(self, claim: Claim) -> tuple[Obligation, ...]:
        """Those of the outline."""
        return self.outline.obligations

    def __call__(self, claim: Claim) -> tuple[bool | None, str]:
        """Open if undecided, no if the outline is of another statement."""
        stated = claim.lhs, claim.relation, claim.rhs, claim.hyps, claim.sizes
        if stated != self.outline.statement:
            return False, "the obligations are about another statement"
        asked = self.obligations(claim)
        said = f"{count(asked, 'obligation')}; on paper, not linked to the terms by a machine: "
        return settled(asked, said + self.outline.paper)


def by_smt(account: Account | Outline) -> Check:
    """The claim by the obligations of an account of it."""
    return ByAccount(account) if isinstance(account, Account) else ByOutline(account)


def settled(obligations: Sequence[Obligation], said: str) -> tuple[bool | None, str]:
    """What two solvers say of obligations: no if one refutes, open if one is undecided."""
    answers = {o.name: (o.check(), _second(o)) for o in obligations}
    refuted = [name for name, pair in answers.items() if False in pair]
    undecided = [name for name, pair in answers.items() if None in pair]
    if refuted:
        return False, f"refuted: {', '.join(refuted)}"
    if undecided or not answers:
        return None, f"undecided: {', '.join(undecided) or 'no obligation'}"
    by = "Z3 and cvc5" if second_solver.installed() else "Z3 alone (cvc5 is not installed)"
    return True, f"{by}: {said}"


def _second(obligation: Obligation) -> bool | None:
    if not second_solver.installed():
        return True
    return {"unsat": True, "sat": False}.get(second_solver.answer(obligation.smtlib()))
