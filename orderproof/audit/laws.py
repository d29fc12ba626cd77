"""Falsehoods among the lemmas of the smt marks: every law of a chain, changed in one place.

A mutant counts as rejected when a solver refutes one of its questions or leaves it undecided, or
when the chain is refused. If all its questions are proved it is true, which small cases confirm.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import z3

from orderproof.proofs.catalogue import IDS, load
from orderproof.symbolic.smt.budget import FALSEHOOD
from orderproof.symbolic.smt.chain import ByChain, gap
from orderproof.symbolic.smt.lemma import Instance, Schema, used_by
from orderproof.symbolic.smt.obligation import Obligation, asserting
from orderproof.symbolic.smt.z3_process import fresh, solved

REFUTED, UNDECIDED = "refuted", "undecided"
NO_HYPOTHESIS = "no hypothesis"
GAPS = ("base later", "step later", "no base")
RANGES = {"range later", "range earlier", *GAPS}


@dataclass(frozen=True)
class PlantedLemma:
    """A law behind the chains of the claims, changed in one place, after those that it may use."""

    operator: str
    law: Schema
    before: tuple[Schema, ...]

    @property
    def lemma(self) -> str:
        """The name of the law."""
        return self.law.name

    @property
    def kind(self) -> str:
        """What is changed: the range, what a proof assumes, or what the law says."""
        if self.operator in RANGES:
            return "range of a lemma"
        dropped = self.operator.startswith("without ") or self.operator == NO_HYPOTHESIS
        return "assumption dropped" if dropped else "lemma or axiom"


@dataclass(frozen=True, eq=False)
class _Gap(Schema):
    """A lemma whose base and step do not fit, which no constructor makes."""

    wrong: str = ""

    @cached_property
    def obligations(self) -> tuple[Obligation, ...]:
        """Base or step as they would be written by hand, wrongly."""
        plain = Schema(*(getattr(self, f) for f in Schema.__dataclass_fields__))
        base, step = plain.obligations
        later = replace(plain, least=(self.least or 0) + 1)
        match self.wrong:
            case "base later":
                return later.obligations[0], step
            case "step later":
                return base, later.obligations[1]
            case _ if self.wrong == NO_HYPOTHESIS:
                kept = 1 + len(self.hypotheses or ((),))
                return base, replace(step, assume=(step.assume[0], *step.assume[kept:]))
        return (step,)


@cache
def laws() -> dict[Schema, tuple[Schema, ...]]:
    """The laws behind the chains of all claims, each with those before it."""
    found: dict[Schema, tuple[Schema, ...]] = {}
    for claim in (c for name in IDS for c in load(name).claims):
        check: object = claim.marks.get("smt")
        if isinstance(check, ByChain):
            every = check.chain(claim.statement).laws
            for k, law in enumerate(every):
                found.setdefault(law, every[:k])
    return found


def mutated_obligations() -> Iterator[PlantedLemma]:
    """Every law of the catalogue, and everything that a law takes as given, changed in one place,
    each once for each change."""
    for law, before in laws().items():
        if law.kind != "axiom":
            for operator, changed in _mutants(law):
                yield PlantedLemma(operator, changed, before)
        for given in dict.fromkeys(u.of for u in used_by(law) if u.of.kind == "axiom"):
            for operator, formula in _formulas(given.formula) if given.variables else ():
                other = _using(law, given, replace(given, formula=formula))
                yield PlantedLemma(f"{operator}, in {given.name}", other, before)


def _using(law: Schema, old: Schema, new: Schema) -> Schema:
    """A law with something else in place of what it takes as given."""

    def instances(uses: Sequence[Instance]) -> tuple[Instance, ...]:
        return tuple(Instance(new if u.of is old else u.of, u.values) for u in uses)

    return replace(law, uses=instances(law.uses), start=instances(law.start))


def refusal(p: PlantedLemma) -> str:
    """How a planted falsehood among the laws is rejected; nothing if all of it is proved."""
    if fault := gap((*p.before, p.law)):
        return fault
    for o in p.law.obligations:
        answer = o.check(FALSEHOOD)
        if answer is False or (answer is None and refuted_small(o)):
            return f"{o.name} {REFUTED}"
        if answer is None:
            return f"{o.name} {UNDECIDED}"
    return ""


def proved(p: PlantedLemma) -> str:
    """Why a changed law that is proved is true: its questions hold in small cases too, with every ∀
    written out; nothing if they do not."""
    if any(refuted_small(o) for o in p.law.obligations):
        return ""
    return "proved, and so in all cases up to n = 2, written out"


def refuted_small(o: Obligation) -> bool:
    """Whether the obligation fails at a size n ≤ 2, every ∀ k written out for k ≤ n + 1 and j: all
    that the bounded ones say, and of τ and ρ the part that matters, as they are free beyond."""
    n = z3.Int("n")
    for size in range(3):
        formulas = (z3.substitute(f, (n, z3.IntVal(size))) for f in (*o.assume, z3.Not(o.goal)))
        text = asserting(*(_written_out(f, size + 2) for f in formulas))
        if solved(fresh(text, FALSEHOOD)) == z3.sat:
            return True
    return False


def _written_out(formula: Any, size: int) -> Any:
    """A formula with every quantifier over indices replaced by its cases below a size."""
    if z3.is_quantifier(formula):
        places = [*map(z3.IntVal, range(size)), z3.Int("j")]  # j: which place a lemma is about
        every = itertools.product(places, repeat=formula.num_vars())
        cases = (z3.substitute_vars(formula.body(), *values[::-1]) for values in every)
        return z3.And(*(_written_out(case, size) for case in cases))
    inner = [p for e in _parts(formula) for p in e.children() if z3.is_quantifier(p)]
    return z3.substitute(formula, *((q, _written_out(q, size)) for q in inner))


def _mutants(schema: Schema) -> Iterator[tuple[str, Schema]]:
    """The changes of a law."""
    least = schema.least
    if least is not None:
        yield "range later", replace(schema, least=least + 1)
        yield "range earlier", replace(schema, least=least - 1)
    if schema.kind == "induction":
        plain: dict[str, Any] = {f: getattr(schema, f) for f in Schema.__dataclass_fields__}
        for wrong in (*GAPS, NO_HYPOTHESIS):
            yield wrong, _Gap(**plain, wrong=wrong)
    for part in ("uses", "start"):
        known: tuple[Instance, ...] = getattr(schema, part)
        for k, u in enumerate(known):
            less: Any = {part: (*known[:k], *known[k + 1 :])}
            yield f"without {u.of.name}", replace(schema, **less)
    for operator, formula in _formulas(schema.formula):
        yield operator, replace(schema, formula=formula)


def _formulas(formula: Any) -> Iterator[tuple[str, Any]]:
    """A formula changed in one place: a side, a sign, a bound, a constant, or what is given."""
    given, said = (formula.arg(0), formula.arg(1)) if z3.is_implies(formula) else (None, formula)
    if given is not None:
        yield "nothing given", said
    for part in said.children() if z3.is_and(said) else [said]:
        if z3.is_eq(part):
            left, right = part.children()
            for side, other in ((left, right), (right, left)):
                yield "other side", z3.substitute(formula, (part, side == _other(other)))
    for part in _parts(formula):
        match part.decl().kind():
            case z3.Z3_OP_SUB:
                yield "plus for minus", z3.substitute(formula, (part, part.arg(0) + part.arg(1)))
            case z3.Z3_OP_LT if given is not None:
                weaker = part.arg(0) <= part.arg(1)
                yield "≤ for <", z3.substitute(formula, (part, weaker))
        if z3.is_const(part) and part.decl().name() in ("e", "bottom", "top"):
            yield "other neutral", z3.substitute(formula, (part, z3.Const("other", part.sort())))


def _other(x: Any) -> Any:
    """Something else of the same sort."""
    return x + 1 if z3.is_arith(x) else z3.Const("other", x.sort())


def _parts(e: Any) -> Iterator[Any]:
    """All parts of a formula outside quantifiers."""
    found = {e.get_id(): e}
    queue = [e]
    while queue:
        for part in queue.pop().children():
            if part.get_id() not in found and z3.is_app(part):
                found[part.get_id()] = part
                queue.append(part)
    yield from found.values()
