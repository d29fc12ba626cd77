"""The questions of a lemma chain, one after the other, with the facts known of their parts.

A question is about a statement's formulas (question.py). What it may assume is collected here: the
definitions of the entries and functions that occur, the hypotheses of the statement at the indices
that occur, and the facts that earlier questions proved. It is written about numbers (values.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import z3

from orderproof.symbolic.calculus.terms import Set
from orderproof.symbolic.statements.statement import Atom, Statement

from .angles import angle_laws
from .factors import summands, whole
from .laws import (
    EXP_POSITIVE,
    EXP_SIGN,
    EXP_SUM,
    QUOTIENT,
    QUOTIENT_PRODUCT,
    QUOTIENT_SIGN,
    ROOT_SIGN,
    Law,
)
from .lemma import Instance, Schema
from .obligation import Obligation
from .question import REDUCTIONS, Formula, Question, QuestionError, both, inside, parts
from .values import Values

INDEX = z3.Int("k")  # any index, in a question about entries
GOAL = "goal"
AXIOMS = {"definition", "map", "hypothesis", "exp", "sqrt", "angle", "inverse"}  # assumed, by name


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


@dataclass(frozen=True, eq=False)
class Fact:
    """What was proved of a reduction, for all values of the indices in `free`."""

    name: str
    about: Formula
    free: tuple[Formula, ...]
    formula: Formula
    product: tuple[Formula, ...] = ()  # where the fact is that it is a product: of what

    def at(self, e: Formula) -> tuple[Formula, ...]:
        """The fact about this part of a formula, and the product, if it is about such a one."""
        found: dict[int, Formula] = {}
        if not _match(self.about, e, {v.get_id() for v in self.free}, found):
            return ()
        to = [(v, found[v.get_id()]) for v in self.free if v.get_id() in found]
        if len(to) < len(self.free):
            return ()
        return tuple(z3.substitute(f, *to) for f in (self.formula, *self.product))


def _match(pattern: Formula, e: Formula, free: set[int], found: dict[int, Formula]) -> bool:
    if pattern.get_id() in free:
        known: Any = found.setdefault(pattern.get_id(), e)
        return bool(known.eq(e))
    if pattern.num_args() == 0 or not pattern.decl().eq(e.decl()):
        return bool(pattern.eq(e))
    pairs = zip(pattern.children(), e.children(), strict=True)
    return all(_match(p, x, free, found) for p, x in pairs)


class Builder:
    """Makes a chain, step by step."""

    def __init__(self, statement: Statement) -> None:
        if statement.exists:
            raise QuestionError("there is: expected a statement about all values")
        self.question = q = Question(statement)
        self.constant, self.everywhere = q.given()
        atom = q.statement.atom
        self.env = {axis: q.constant(f"i{k}", s) for k, (axis, s) in enumerate(atom.axes.items())}
        self.left, self.right = q.sides(atom, self.env)
        self.free = tuple(i for i in self.env.values() if not z3.is_int_value(i))
        self.facts: dict[str, list[Fact]] = {}  # by the outermost function of what each is about
        self.laws: dict[str, Schema] = {}
        self.by: dict[str, str] = {}  # the law by which each fact follows
        self.asked: list[Obligation] = []
        self.sums: list[Reduced] = []
        self.patterns: set[int] = set()
        self._kept: list[Formula] = []
        self._bound = 0
        self.identities: dict[int, Formula] = {}  # of arguments of functions: separate questions
        self.outweighed: tuple[str, Formula, list[Formula]] | None = None  # side, values, places
        self.signs = False  # whether to use the sign law: exp x < 1, = 1 or > 1
        self.place: dict[Any, Formula] = {}  # where the statement is true somewhere
        for side in (self.left, self.right):
            self.look(side, self.free)

    # -------------------------------------------------------------------------------- reductions
    def look(self, e: Formula, free: tuple[Formula, ...]) -> None:
        """Find the reductions in an expression, those inside others first."""
        for part in parts(e):
            found = self.reduced(part)
            if found is None or not self._new(part, free):
                continue
            kind, array, _ = found
            entries = self.question.entries[array.decl().name()]
            array, own = self._any(array, free)
            inner = self.any(entries.over)
            self.look(entries.at(array.children(), inner), (*own, inner))
            self.sums.append(self.made(kind, array, own))

    def any(self, over: Set) -> Formula:
        """A new constant for any index of a set."""
        self._bound += 1
        return self.question.constant(f"x{self._bound}", over)

    def _any(
        self, array: Formula, free: tuple[Formula, ...]
    ) -> tuple[Formula, tuple[Formula, ...]]:
        """An array at any indices in place of those that are values of maps, and what is free."""
        arguments, own = [], []
        for e in array.children():
            over = self.question.over(e)
            if over is not None and e.decl().kind() == z3.Z3_OP_SELECT:
                e = self.any(over)
                own.append(e)
            elif any(e.eq(v) for v in free):
                own.append(e)
            arguments.append(e)
        whole = array.decl()(*arguments)
        return whole, tuple(v for k, v in enumerate(own) if not any(v.eq(w) for w in own[:k]))

    def made(self, kind: str, array: Formula, free: tuple[Formula, ...] = ()) -> Reduced:
        """A reduction of an array."""
        over = self.question.entries[array.decl().name()].over
        size = self.question.size(over)
        return Reduced(REDUCTIONS[kind](array, size), kind, array, size, over, free)

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

    def _new(self, term: Formula, free: tuple[Formula, ...]) -> bool:
        """Whether no reduction was met that is the same up to the names of free indices."""
        used = [p for p in parts(term) if any(p.eq(v) for v in free)]
        pattern = z3.substitute(term, *((v, z3.Int(f"#{k}")) for k, v in enumerate(used)))
        self._kept.append(pattern)
        known = pattern.get_id() in self.patterns
        self.patterns.add(pattern.get_id())
        return not known

    def array(self, of: Reduced, body: Formula) -> Formula:
        """The array of an expression in INDEX, over the same set as another."""
        self.question.constants[str(INDEX)] = of.over
        array = self.question.array(body, INDEX, of.over)
        self.look(REDUCTIONS[of.kind](array, of.size), of.free)
        return array

    def constants(self, over: Set) -> list[Formula]:
        """The elements of a set that occur in hypotheses, in order of use."""
        everything = [p for e in self.constant for p in parts(e)]
        found = {p.get_id(): p for p in everything if self.question.over(p) == over}
        return list(found.values())

    def put(self, to: Mapping[Any, Formula]) -> None:
        """Where the statement is true somewhere: at these indices, by names of their own."""
        for k, (axis, index) in enumerate(to.items()):
            over = self.question.statement.atom.axes[axis]
            name = self.question.constant(f"q{k}", over)
            self.place[axis] = name
            if not z3.is_int_value(name):
                self.constant.append(name == index)

    def side(self, word: str) -> Formula:
        """The left or the right side."""
        if word not in ("left", "right"):
            raise QuestionError(f"side {word}: expected left or right")
        return self.left if word == "left" else self.right

    def body(self, of: Reduced) -> Formula:
        """The entry at INDEX, written out."""
        entries = self.question.entries[of.array.decl().name()]
        return entries.at(of.array.children(), INDEX)

    def each(self, *kinds: str) -> list[tuple[Reduced, Formula]]:
        """The reductions of these kinds that were met so far, with their entries at INDEX."""
        return [(s, self.body(s)) for s in self.sums if s.kind in kinds]

    # ------------------------------------------------------------------------------------ questions
    def use(
        self,
        law: Law,
        of: Reduced,
        values: Sequence[Formula],
        extra: Sequence[Instance] = (),
        product: tuple[Formula, ...] = (),
        about: Formula | None = None,
    ) -> None:
        """A law at a reduction: a question about one entry, and what follows from it."""
        for schema in law.schemas:
            self.laws.setdefault(schema.name, schema)
        self.question.constants[str(INDEX)] = of.over
        entries, said = law.said([of.size, *values], INDEX)
        name = law.name
        within = self.question.ranges(of.free)
        if not z3.is_true(entries):
            name = f"{law.name}_{1 + sum(o.name.startswith(law.name) for o in self.asked)}"
            says = f"{law.schema.says}: the entries"
            self.laws |= {u.of.name: u.of for u in extra if u.of.kind != "axiom"}
            more = [self.concluded(u) for u in extra]
            also = tuple(u.of.name for u in extra if u.of.kind != "axiom")
            self.ask(name, says, [*within, inside(INDEX, of.size), *more], entries, also)
        least = [] if law.least == 0 else [of.size >= law.least]
        given = [*within, *least]
        formula = z3.Implies(both(given), said) if given else said
        self.by[name] = law.schema.name
        trigger = of.term if about is None else about
        fact = Fact(name, trigger, of.free, formula, product)
        self.facts.setdefault(trigger.decl().name(), []).append(fact)

    def ask(
        self, name: str, says: str, assume: Sequence[Formula], goal: Formula,
        also: tuple[str, ...] = (),
    ) -> None:  # fmt: skip
        """A question, with all that is known of the parts of its formulas."""
        known, uses = self.known([*assume, *self.constant, goal])
        uses = (*uses, *also)
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
        """What definitions, laws of functions, hypotheses and facts say of parts of formulas; a
        fact is not applied to its own consequences, so that this terminates."""
        found: dict[int, Formula] = {}
        uses: dict[str, None] = {}
        seen: dict[int, Formula] = {}

        def close(roots: Sequence[Formula]) -> None:
            todo: list[tuple[Formula, frozenset[str]]] = [(e, frozenset()) for e in roots]
            while todo:
                root, before = todo.pop(0)
                for part in parts(root):
                    if part.get_id() in seen:
                        continue
                    seen[part.get_id()] = part
                    for why, formula, follow in self._of(part):
                        if why not in before and formula.get_id() not in found:
                            found[formula.get_id()] = formula
                            uses.update(dict.fromkeys((why, self.by.get(why, why))))
                            new = before | {why} if why not in AXIOMS else before
                            todo += [(formula, new)] if follow else []

        close(roots)
        held = list(self.question.instances(self.everywhere, [*seen.values()]))
        found |= {h.get_id(): h for h in held}
        uses |= dict.fromkeys(["hypothesis"] * bool(held))
        close(held)
        return list(found.values()), tuple(uses)

    def _of(self, e: Formula) -> Iterator[tuple[str, Formula, bool]]:
        """What is known of one part: why, what, and whether its parts are searched too."""
        if (definition := self.question.defined(e)) is not None:
            yield "definition", definition, True
        for formula in self.question.mapped(e):
            yield "map", formula, False
        match e.decl().name():
            case "Exp":
                yield "exp", EXP_POSITIVE.at(e.arg(0)).formula, False
                if self.signs:
                    yield "exp", EXP_SIGN.at(e.arg(0)).formula, False
                if (pair := summands(e.arg(0))) is not None:
                    yield "exp", self.concluded(EXP_SUM.at(*pair, e.arg(0))), True
            case "Inv":
                self.laws.setdefault(QUOTIENT_SIGN.name, QUOTIENT_SIGN)
                yield QUOTIENT.name, QUOTIENT.at(e.arg(0)).formula, False
                yield QUOTIENT_SIGN.name, QUOTIENT_SIGN.at(e.arg(0)).formula, False
                for product in self.products(e.arg(0)):
                    self.laws.setdefault(QUOTIENT_PRODUCT.name, QUOTIENT_PRODUCT)
                    law = QUOTIENT_PRODUCT.at(*product, e.arg(0))
                    yield QUOTIENT_PRODUCT.name, law.formula, True
            case "Root":
                yield "sqrt", ROOT_SIGN.at(e.arg(0)).formula, False
            case "Sin" | "Cos":
                for law in angle_laws(e.arg(0)):
                    yield "angle", self.concluded(law), False
        for fact in self.facts.get(e.decl().name(), []):
            for said in fact.at(e)[:1]:
                yield fact.name, said, True

    def products(self, e: Formula) -> Iterator[tuple[Formula, ...]]:
        """The products that facts say a reduction is."""
        for fact in self.facts.get(e.decl().name(), []):
            if len(said := fact.at(e)) > 1:
                yield said[1:]

    def bijection(self, atom: Atom) -> None:
        """That a term gives a bijection, ι(σ(i)) = t: it is an index, and so again gives i."""
        ((axis, over),) = atom.axes.items()
        name = f"bijection_{1 + len(self.asked)}"
        x, size = self.question.constant(name, over), self.question.size(over)
        y = whole(self.question.value(atom.rhs, {axis: x}, {}))
        again = z3.substitute(y, (x, y))
        given = (*self.question.bounds(), inside(x, size))
        says = "a term gives an index, and of it the first"
        self.asked.append(Obligation(name, says, given, z3.And(inside(y, size), again == x)))

    def concluded(self, law: Instance) -> Formula:
        """What a law says where arguments of a function add up to another; that they do is a
        separate question."""
        said = law.formula
        if not z3.is_implies(said):
            return said
        self.identities[said.arg(0).get_id()] = said.arg(0)
        return said.arg(1)

    def goal(self) -> None:
        """The statement itself, at any indices; where it is true somewhere, at `place`."""
        atom = self.question.statement.atom
        within = self.question.ranges(self.free)
        said = self.question.said(atom, self.env)
        if atom.some and atom.axes:
            if set(self.place) != set(self.env):
                raise QuestionError("true somewhere: expected a step that says where")
            there = self.question.ranges(self.place.values())
            within, said = [], both([*there, self.question.said(atom, self.place)])
        self.ask(GOAL, "the statement, from the laws", within, said)


def _once(formulas: Iterable[Formula]) -> tuple[Formula, ...]:
    return tuple({f.get_id(): f for f in formulas}.values())
