"""A chain of lemmas for a statement, generated from its terms: laws of sums, and then the statement.

Nothing is written beside the terms but the names of the laws, in order. Each step applies its law
to the sums of the question at which it has something to say; that its conditions hold there is a
question of its own, about one entry. What follows may be used from then on, and the last question
is the statement itself. Whatever steps are named, what two solvers prove of it is true.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import z3

from . import second_solver
from .angles import angle_laws, angles
from .evidence import Evidence
from .factors import factored, multiplicands, positive, summands
from .induction import SUMMING
from .laws import (
    AGREE,
    CIRCLE_TIMES,
    CONSTANT,
    EXP_POSITIVE,
    EXP_SIGN,
    EXP_SUM,
    LARGEST,
    LEAST,
    MORE,
    POSITIVE,
    PRODUCT,
    QUOTIENT,
    QUOTIENT_SIGN,
    ROOT_SIGN,
    SCALE,
    SINGLE,
    SPLIT,
    SUPPORT,
    Law,
    permuted,
)
from .obligation import Obligation
from .question import Formula, Question, QuestionError, both, inside, mentions, parts
from .schema import Instance, Schema, used_by
from .statement import Statement
from .statement_text import canonical, digest, parse
from .terms import Set
from .values import Values

PLACE = z3.Int("k")  # any entry, in a question about entries
TIMEOUT = 5_000  # milliseconds for a question
GOAL = "goal"


@dataclass(frozen=True, eq=False)
class Reduced:
    """A reduction in the question: of which array, over how many entries, and the indices in it
    that stand for any (those of the statement, and of the sums that it is in)."""

    term: Formula
    kind: str
    array: Formula
    size: Formula
    over: Set
    free: tuple[Formula, ...]

    def entry(self, place: Formula) -> Formula:
        """An entry of what is reduced."""
        return self.array[place]


@dataclass(frozen=True, eq=False)
class Fact:
    """What was proved of a reduction, for all values of the indices in `free`."""

    name: str
    about: Formula
    free: tuple[Formula, ...]
    formula: Formula

    def at(self, e: Formula) -> Formula | None:
        """The fact about this part of a formula, if it is about such a one."""
        found: dict[int, Formula] = {}
        if not _match(self.about, e, {v.get_id() for v in self.free}, found):
            return None
        to = [(v, found[v.get_id()]) for v in self.free if v.get_id() in found]
        return z3.substitute(self.formula, *to) if len(to) == len(self.free) else None


def _match(pattern: Formula, e: Formula, free: set[int], found: dict[int, Formula]) -> bool:
    if pattern.get_id() in free:
        return found.setdefault(pattern.get_id(), e).eq(e)
    if pattern.num_args() == 0 or e.num_args() != pattern.num_args():
        return bool(pattern.eq(e))
    pairs = zip(pattern.children(), e.children(), strict=True)
    return bool(pattern.decl().eq(e.decl())) and all(_match(p, x, free, found) for p, x in pairs)


@dataclass(frozen=True)
class Chain:
    """The questions of a statement by these steps, laws first, the statement itself last."""

    statement: Statement
    steps: tuple[str, ...]
    laws: tuple[Schema, ...]
    questions: tuple[Obligation, ...]

    @property
    def obligations(self) -> tuple[Obligation, ...]:
        """All that is to be proved."""
        return (*(o for law in self.laws for o in law.obligations), *self.questions)

    def fault(self) -> str:
        """Why the obligations, if proved, would not prove the statement; nothing if they do."""
        proved: list[Schema] = []
        for law in self.laws:
            for u in used_by(law):
                if u.of.kind != "axiom" and not any(u.of is known for known in proved):
                    return f"{law.name} uses {u.of.name}, which is not proved before"
            proved.append(law)
        names = {law.name for law in self.laws}
        for o in self.questions:
            unknown = [u for u in o.uses if u not in names and u not in AXIOMS]
            if unknown:
                return f"{o.name} uses {unknown[0]}, which is not proved before"
            names.add(o.name)
        return "" if self.questions and self.questions[-1].name == GOAL else "no goal"


AXIOMS = {"definition", "map", "hypothesis", "exp", "sqrt", "angle", "inverse"}


class _Builder:
    """Makes a chain, step by step."""

    def __init__(self, statement: Statement) -> None:
        if statement.exists:
            raise QuestionError("there is: expected a statement about all values")
        self.question = q = Question(statement)
        self.constant, self.everywhere = q.given()
        atom = statement.atom
        self.env = {axis: q.constant(f"i{k}", s) for k, (axis, s) in enumerate(atom.axes.items())}
        self.left, self.right = q.sides(atom, self.env)
        self.free = tuple(i for i in self.env.values() if not z3.is_int_value(i))
        self.facts: list[Fact] = []
        self.laws: dict[str, Schema] = {}
        self.asked: list[Obligation] = []
        self.sums: list[Reduced] = []
        self.patterns: set[int] = set()
        self._kept: list[Formula] = []
        self._bound = 0
        self.identities: dict[int, Formula] = {}  # of arguments of functions, to be asked apart
        self.places: list[dict[Any, Formula]] = [self.env]
        for side in (self.left, self.right):
            self.look(side, self.free)

    # ------------------------------------------------------------------------- reductions in sight
    def look(self, e: Formula, free: tuple[Formula, ...]) -> None:
        """Find the reductions in an expression, those inside others first."""
        for part in parts(e):
            found = self.reduced(part)
            if found is None or not self._new(found[1], free):
                continue
            kind, array, size = found
            entries = self.question.entries[array.decl().name()]
            own = tuple(v for v in free if mentions(array, v))
            self._bound += 1
            inner = self.question.constant(f"x{self._bound}", entries.over)
            self.look(entries.at(array.children(), inner), (*own, inner))
            self.sums.append(Reduced(part, kind, array, size, entries.over, own))

    def reduced(self, e: Formula) -> tuple[str, Formula, Formula] | None:
        """The kind, array and size of a reduction."""
        if not z3.is_app(e):
            return None
        name = e.decl().name()
        if name in ("S", "P"):
            return {"S": "sum", "P": "prod"}[name], e.arg(0), e.arg(1)
        if e.decl().kind() == z3.Z3_OP_SELECT and e.arg(1).decl().name() in ("top", "low"):
            array, size = e.arg(1).children()
            if array.eq(e.arg(0)):
                return {"top": "max", "low": "min"}[e.arg(1).decl().name()], array, size
        return None

    def _new(self, array: Formula, free: tuple[Formula, ...]) -> bool:
        """Whether no array was met that is the same up to the names of free indices."""
        used = [p for p in parts(array) if any(p.eq(v) for v in free)]
        pattern = z3.substitute(array, *((v, z3.Int(f"#{k}")) for k, v in enumerate(used)))
        self._kept.append(pattern)
        known = pattern.get_id() in self.patterns
        self.patterns.add(pattern.get_id())
        return not known

    def array(self, of: Reduced, body: Formula) -> Formula:
        """The array of an expression in PLACE, over what another is over."""
        self.question.constants[str(PLACE)] = of.over
        array = self.question.array(body, PLACE, of.over)
        if of.kind == "sum":
            self.look(SUMMING.of(array, of.size), of.free)
        return array

    def body(self, of: Reduced) -> Formula:
        """The entry at PLACE, written out."""
        entries = self.question.entries[of.array.decl().name()]
        return entries.at(of.array.children(), PLACE)

    # ------------------------------------------------------------------------------------ questions
    def use(
        self,
        law: Law,
        of: Reduced,
        values: Sequence[Formula],
        extra: Sequence[Instance] = (),
        about: Formula | None = None,
    ) -> None:
        """A law at a reduction: a question about one entry, and what follows from it."""
        for schema in law.schemas:
            self.laws.setdefault(schema.name, schema)
        self.question.constants[str(PLACE)] = of.over
        entries, said = law.said([of.size, *values], PLACE)
        name = law.name
        within = self.question.ranges(of.free)
        if not z3.is_true(entries):
            name = f"{law.name}_{1 + sum(o.name.startswith(law.name) for o in self.asked)}"
            says = f"{law.says}: the entries"
            self.laws |= {u.of.name: u.of for u in extra if u.of.kind != "axiom"}
            more = [self.concluded(u) for u in extra]
            self.ask(name, says, [*within, inside(PLACE, of.size), *more], entries)
        least = [] if law.least == 0 else [of.size >= law.least]
        given = [*within, *least]
        formula = z3.Implies(both(given), said) if given else said
        self.facts.append(Fact(name, of.term if about is None else about, of.free, formula))

    def ask(self, name: str, says: str, assume: Sequence[Formula], goal: Formula) -> None:
        """A question, with all that is known of the parts of its formulas."""
        known, uses = self.known([*assume, *self.constant, goal])
        if self.identities:
            named = Values().named(both(self.identities.values()))
            says_ = "the parts of arguments add up to them"
            self.asked.append(Obligation(f"{name}_arguments", says_, (), named))
            uses = (*uses, f"{name}_arguments")
            self.identities.clear()
        values = Values()
        said, *given = map(values.named, (goal, *assume, *self.constant, *known))
        same = tuple(values.congruences())
        self.asked.append(Obligation(name, says, (*_once(given), *same), said, (), uses))

    def known(self, roots: Sequence[Formula]) -> tuple[list[Formula], tuple[str, ...]]:
        """What definitions, laws of functions, hypotheses and facts say of parts of formulas."""
        found: dict[int, Formula] = {}
        uses: dict[str, None] = {}
        seen: set[int] = set()

        def close(todo: list[Formula]) -> None:
            while todo:
                for part in parts(todo.pop(0)):
                    if part.get_id() in seen:
                        continue
                    seen.add(part.get_id())
                    self._kept.append(part)
                    for why, formula, follow in self._of(part):
                        if formula.get_id() not in found:
                            found[formula.get_id()] = formula
                            uses[why] = None
                            todo += [formula] if follow else []

        close([*roots])
        everything = [p for e in (*roots, *found.values()) for p in parts(e)]
        indices = {p.get_id(): p for p in everything if p.sort() == z3.IntSort()}
        held = list(self.question.instances(self.everywhere, indices.values()))
        found |= {h.get_id(): h for h in held}
        uses |= dict.fromkeys(["hypothesis"] * bool(held))
        close(held)
        return list(found.values()), tuple(uses)

    def _of(self, e: Formula) -> Iterator[tuple[str, Formula, bool]]:
        """What is known of one part: why, what, and whether its own parts are looked at too."""
        if (definition := self.question.defined(e)) is not None:
            yield "definition", definition, True
        for formula in self.question.mapped(e):
            yield "map", formula, False
        match e.decl().name():
            case "Exp":
                yield "exp", EXP_POSITIVE.at(e.arg(0)).formula, False
                if (pair := summands(e.arg(0))) is not None:
                    yield "exp", self.concluded(EXP_SUM.at(*pair, e.arg(0))), True
            case "Inv":
                self.laws.setdefault(QUOTIENT_SIGN.name, QUOTIENT_SIGN)
                yield QUOTIENT.name, QUOTIENT.at(e.arg(0)).formula, False
                yield QUOTIENT_SIGN.name, QUOTIENT_SIGN.at(e.arg(0)).formula, False
            case "Root":
                yield "sqrt", ROOT_SIGN.at(e.arg(0)).formula, False
            case "Sin" | "Cos":
                for law in angle_laws(e.arg(0)):
                    yield "angle", self.concluded(law), False
        for fact in self.facts:
            if (said := fact.at(e)) is not None:
                yield fact.name, said, True

    def concluded(self, law: Instance) -> Formula:
        """What a law says where arguments of a function add up to another; that they do is asked
        apart, with nothing else about it."""
        said = law.formula
        if not z3.is_implies(said):
            return said
        self.identities[said.arg(0).get_id()] = said.arg(0)
        return said.arg(1)

    def goal(self) -> None:
        """The statement itself, at any indices; where it is true somewhere, at one of `places`."""
        atom = self.question.statement.atom
        within = self.question.ranges(self.free)
        said = self.question.said(atom, self.env)
        if atom.some and atom.axes:
            cases = []
            for env in self.places[1:]:
                inner = [inside(i, self.question.size(atom.axes[a])) for a, i in env.items()
                         if not z3.is_int_value(i)]  # fmt: skip
                cases.append(z3.And(*inner, self.question.said(atom, env)))
            within, said = [], z3.Or(*cases) if cases else z3.BoolVal(False)
        self.ask(GOAL, "the statement, from the laws", within, said)


def _once(formulas: Iterable[Formula]) -> tuple[Formula, ...]:
    return tuple({f.get_id(): f for f in formulas}.values())


# -------------------------------------------------------------------------------------------- steps
def _positive(b: _Builder) -> None:
    """Sums of exponentials, and of their products and quotients, are positive."""
    for s in [*b.sums]:
        if s.kind == "sum" and positive(b.body(s)):
            b.use(POSITIVE, s, [s.array])


def _scale(b: _Builder) -> None:
    """A factor that does not depend on the index of a sum goes before it."""
    for s in [*b.sums]:
        if s.kind not in ("sum", "max", "min"):
            continue
        factor, rest, laws = factored(b.body(s), PLACE)
        if factor is None:
            continue
        inner = b.array(s, rest)
        law = {"sum": SCALE, "max": LARGEST.scaled, "min": LEAST.scaled}[s.kind]
        b.use(law, s, [s.array, inner, factor], laws)


def _split(b: _Builder) -> None:
    """A sum of sums, or of differences, is the sum, or the difference, of sums."""
    for s in [*b.sums]:
        body = b.body(s)
        if s.kind != "sum" or not (z3.is_add(body) or z3.is_sub(body)) or body.num_args() != 2:
            continue
        left, right = (b.array(s, x) for x in body.children())
        values = [s.array, left, right] if z3.is_add(body) else [left, s.array, right]
        b.use(SPLIT, s, values)


def _constant(b: _Builder) -> None:
    """Equal entries."""
    for s in [*b.sums]:
        if s.kind == "sum" and not mentions(body := b.body(s), PLACE):
            b.use(CONSTANT, s, [s.array, body])


def _permute(b: _Builder) -> None:
    """A reduction of entries at σ(j) is that of the entries at j."""
    for s in [*b.sums]:
        body = b.body(s)
        moved = [
            p for p in parts(body)
            if p.decl().kind() == z3.Z3_OP_SELECT and p.arg(1).eq(PLACE)
            and p.arg(0).decl().name().removesuffix("_back") in b.question.maps
        ]  # fmt: skip
        if len(moved) != 1:
            continue
        still = z3.substitute(body, (moved[0], z3.Int("still")))
        if mentions(still, PLACE):
            continue
        inner = b.array(s, z3.substitute(still, (z3.Int("still"), PLACE)))
        sigma = moved[0].arg(0)
        if s.kind in ("max", "min"):
            name = sigma.decl().name()
            other = name.removesuffix("_back") if name.endswith("_back") else f"{name}_back"
            law = (LARGEST if s.kind == "max" else LEAST).permuted
            b.use(law, s, [inner, s.array, sigma, z3.Const(other, sigma.sort())])
        else:
            law = permuted(SUMMING if s.kind == "sum" else PRODUCT)
            b.use(law, s, [inner, s.array, sigma])


def _agree(b: _Builder) -> None:
    """Sums at the same place of both sides have the same entries."""
    done: list[tuple[Formula, Formula]] = []

    def walk(x: Formula, y: Formula, free: tuple[Formula, ...]) -> None:
        if x.eq(y):
            return
        one, other = b.reduced(x), b.reduced(y)
        if one and other:
            if one[0] != "sum" or other[0] != "sum" or not one[2].eq(other[2]):
                return
            e, f = (b.question.entries[r[1].decl().name()] for r in (one, other))
            b._bound += 1
            inner = b.question.constant(f"x{b._bound}", e.over)
            own = tuple(v for v in free if mentions(x, v) or mentions(y, v))
            walk(e.at(one[1].children(), inner), f.at(other[1].children(), inner), (*own, inner))
            if not any(p.eq(x) and q.eq(y) for p, q in done) and all(mentions(x, v) for v in own):
                done.append((x, y))
                of = Reduced(x, "sum", one[1], one[2], e.over, own)
                b.use(AGREE, of, [one[1], other[1]], _turned(b, of, other[1]))
        elif x.num_args() == y.num_args() and x.decl().eq(y.decl()):
            for p, q in zip(x.children(), y.children(), strict=True):
                walk(p, q, free)

    walk(b.left, b.right, b.free)


def _turned(b: _Builder, of: Reduced, other: Formula) -> list[Instance]:
    """The entries of another array times c² + s² of each angle that only this one's have."""
    here, there = b.body(of), b.question.entries[other.decl().name()].at(other.children(), PLACE)
    same = angles(there)
    new = [a for a in angles(here) if not any(a.eq(x) for x in same)]
    return [CIRCLE_TIMES.at(a, there) for a in new]


def _support(b: _Builder) -> None:
    """A sum is positive if that of some of the factors of its terms is, and the others are."""
    for s in [*b.sums]:
        if s.kind != "sum":
            continue
        for factor in multiplicands(b.body(s)):
            if not positive(factor) and mentions(factor, PLACE):
                b.use(SUPPORT, s, [b.array(s, factor), s.array])


STEPS = {
    "positive": _positive, "scale": _scale, "split": _split, "constant": _constant,
    "permute": _permute, "agree": _agree, "support": _support,
}  # fmt: skip


@cache
def chain(statement: Statement, steps: tuple[str, ...]) -> Chain:
    """The chain of a statement by these steps; QuestionError where it has none."""
    builder = _Builder(parse(canonical(statement)))
    for step in steps:
        name, *words = step.split()
        if name not in STEPS:
            raise QuestionError(f"step {name}: expected one of {', '.join(STEPS)}")
        STEPS[name](builder, *words)
    builder.goal()
    return Chain(statement, steps, tuple(builder.laws.values()), tuple(builder.asked))


# ----------------------------------------------------------------------------------------- evidence
@dataclass(frozen=True)
class ByChain:
    """A statement by its own chain of these steps: two solvers prove every question in it."""

    steps: tuple[str, ...]

    def obligations(self, statement: Statement) -> tuple[Obligation, ...]:
        """Every question that the evidence rests on; none where the statement has no chain."""
        try:
            return chain(statement, self.steps).obligations
        except QuestionError:
            return ()

    def __call__(self, statement: Statement) -> Evidence:
        """Not ok where a question does not follow, undecided where a solver does not say."""
        try:
            made = chain(statement, self.steps)
        except QuestionError as error:
            return Evidence(None, str(error))
        if fault := made.fault():
            return Evidence(False, fault)
        asked = made.obligations
        answers = {o.name: settled(o) for o in asked}
        for word, ok in (("does not follow", False), ("undecided", None)):
            if names := [name for name, answer in answers.items() if answer is ok]:
                return Evidence(ok, f"{word}: {', '.join(names)}")
        by = "Z3 and cvc5" if second_solver.installed() else "Z3 alone (cvc5 is not installed)"
        laws = ", ".join(dict.fromkeys(s.split()[0] for s in made.steps)) or "no law"
        said = f"{by}: {len(asked)} questions generated from the terms, by {laws}"
        return Evidence(True, said, made.statement)


@cache
def settled(o: Obligation) -> bool | None:
    """What the solvers say of an obligation: no if one refutes it, None if one is undecided."""
    first = o.check(TIMEOUT)
    if first is not True or not second_solver.installed():
        return first
    return {"unsat": True, "sat": False}.get(second_solver.answer(o.smtlib(), TIMEOUT))


def by_chain(*steps: str) -> ByChain:
    """The check of a statement by the chain of these steps."""
    return ByChain(steps)
