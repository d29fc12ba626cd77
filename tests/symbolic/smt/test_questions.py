"""The questions themselves: what formulas say, the laws behind them, that nothing is vacuous."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, ClassVar

import pytest
import z3

from orderproof.symbolic.calculus.terms import map_type
from orderproof.symbolic.readings.entries import Model, evaluate
from orderproof.symbolic.readings.rationals import Exact
from orderproof.symbolic.smt import cvc5_process, laws
from orderproof.symbolic.smt.budget import FALSEHOOD
from orderproof.symbolic.smt.certificate import parse
from orderproof.symbolic.smt.chain import by_chain, chain
from orderproof.symbolic.smt.induction import SUMMING
from orderproof.symbolic.smt.laws import LARGEST, LEAST, Law
from orderproof.symbolic.smt.lemma import Schema
from orderproof.symbolic.smt.models_of_assumptions import holds, model
from orderproof.symbolic.smt.question import Question
from orderproof.symbolic.smt.served import STATED, compared
from orderproof.symbolic.statements.statement import symbol_name

from .chain_statements import Case, cases

CASES = cases()
SEED = 20
LAWS = [
    laws.AGREE, laws.SPLIT, laws.SCALE, laws.CONSTANT, laws.POSITIVE, laws.MORE, laws.PRESENT,
    laws.SUPPORT, laws.SINGLE, LARGEST.scaled, LARGEST.permuted, LEAST.scaled, LEAST.permuted,
    laws.permuted(SUMMING), laws.permuted(laws.PRODUCT),
]  # fmt: skip
UNKNOWN: dict[str, Callable[..., Fraction]] = {  # any functions: what is compared is their use
    "exp": lambda x: x * x + 3, "sin": lambda x: 2 * x + 1, "cos": lambda x: x * x - x,
    "sqrt": lambda x: x + 5, "inverse": lambda x: 7 * x + 2,
}  # fmt: skip


class Reader(Exact):
    """Rationals in which x/y is x·i(y), as in the questions; other functions are polynomials."""

    functions: ClassVar[Mapping[str, Callable[..., Any]]] = {
        **Exact.functions, **{k: f for k, f in UNKNOWN.items() if k != "inverse"},
        "div": lambda x, y: x * UNKNOWN["inverse"](y),
        "at_most": lambda x, y: Fraction(int(x <= y)), "min": min, "max": max,
    }  # fmt: skip


class Value:
    """What a formula of a question is, at given sizes, maps and tensors: S is a sum, and so on."""

    def __init__(self, q: Question, model_: Model, indices: Mapping[str, int]) -> None:
        self.q, self.model, self.indices = q, model_, indices

    def of(self, e: Any) -> Any:
        kind, name, inner = e.decl().kind(), e.decl().name(), e.children()
        if z3.is_int_value(e):
            return e.as_long()
        if z3.is_rational_value(e):
            return Fraction(e.numerator_as_long(), e.denominator_as_long())
        match kind:
            case z3.Z3_OP_ADD:
                return sum(map(self.of, inner))
            case z3.Z3_OP_SUB:
                return self.of(inner[0]) - self.of(inner[1])
            case z3.Z3_OP_UMINUS:
                return -self.of(inner[0])
            case z3.Z3_OP_MUL:
                x, y = map(self.of, inner)
                return x * y
            case z3.Z3_OP_DIV:
                return Fraction(self.of(inner[0])) / self.of(inner[1])
            case z3.Z3_OP_TO_REAL:
                return Fraction(self.of(inner[0]))
            case z3.Z3_OP_ITE:
                return self.of(inner[1] if self.of(inner[0]) else inner[2])
            case z3.Z3_OP_LE:
                return self.of(inner[0]) <= self.of(inner[1])
            case z3.Z3_OP_GE:
                return self.of(inner[0]) >= self.of(inner[1])
            case z3.Z3_OP_EQ:
                return self.of(inner[0]) == self.of(inner[1])
            case z3.Z3_OP_SELECT:
                return self.entry(inner[0], self.of(inner[1]))
        if name in ("S", "P"):
            values = [self.entry(inner[0], k) for k in range(self.of(inner[1]))]
            whole = Fraction(int(name == "P"))
            for v in values:
                whole = whole * v if name == "P" else whole + v
            return whole
        if name in ("top", "low"):
            values = [self.entry(inner[0], k) for k in range(self.of(inner[1]))]
            return values.index(max(values) if name == "top" else min(values))
        if name in ("Exp", "Sin", "Cos", "Root", "Inv"):
            own = {"Root": "sqrt", "Inv": "inverse"}.get(name, name.lower())
            return UNKNOWN[own](self.of(inner[0]))
        if name in self.model.tensors:
            return self.model.tensors[name](*map(self.of, inner))
        if name in self.model.sizes:
            return self.model.sizes[name]
        return self.indices[name] if name in self.indices else self.model.maps[name]

    def entry(self, array: Any, place: int) -> Any:
        name = array.decl().name()
        if name not in self.q.entries:
            table = self.model.maps[name.removesuffix("_back")]
            return table.index(place) if name.endswith("_back") else table[place]
        arguments = [z3.IntVal(self.of(a)) for a in array.children()]
        return self.of(self.q.entries[name].at(arguments, z3.IntVal(place)))


LONG = ("slope", "outside", "shift", "keys")  # with softmax in them, as shorter ones are


@pytest.mark.parametrize(
    "case",
    [pytest.param(c, id=c.name, marks=[pytest.mark.slow] * (c.name in LONG)) for c in CASES],
)
def test_formulas_have_the_values_of_their_terms(case: Case) -> None:
    """A question would be about another statement than the one whose text it bears."""
    q, rng = Question(case.statement), random.Random(SEED)
    s = q.statement
    sides = {}
    for t in s.atom.terms:
        env = {a: q.constant(f"i_{a}", over) for a, over in t.sets.items()}
        sides[t] = q.value(t, env, {}), env
    compared_ = 0
    for size in (2, 3):
        sizes = {x.name: q.pinned.get(x, size + k % 2) for k, x in enumerate(s.sets)}
        bare = Model(sizes)
        maps: dict[str, Any] = {}
        for f in s.maps:
            dom, cod, _ = map_type(f)
            table = list(range(bare.size(cod)))
            rng.shuffle(table)
            maps[symbol_name(f)] = table if dom else table[0]
        tensors = {}
        for x in s.tensors:
            entries = {i: Fraction(rng.randint(-3, 3)) for i in bare.indices(x.data[1])}
            tensors[symbol_name(x)] = lambda *i, entries=entries: entries[i]
        here = Model(sizes, maps, tensors)
        for t, (formula, env) in sides.items():
            for index, value in evaluate(t, here, Reader()).items():
                at = {str(c): i for c, i in zip(env.values(), index, strict=True)}
                assert Value(q, here, at).of(formula) == value
                compared_ += 1
    assert compared_


# --------------------------------------------------------------------------------------------- laws
def proved(schema: Schema) -> bool:
    """By both solvers."""
    texts = [(o, o.smtlib()) for o in schema.obligations]
    second = all(cvc5_process.answer(t).word == "unsat" for _, t in texts)
    return all(o.check() is True for o, _ in texts) and (second or not cvc5_process.installed())


@pytest.mark.parametrize(
    "law",
    [pytest.param(x, id=x.name, marks=[pytest.mark.slow] * (x is LAWS[-1])) for x in LAWS],
)  # of products as of sums
def test_laws_are_proved_for_every_size(law: Law) -> None:
    """A chain would rest on what nobody proves."""
    for schema in law.schemas:
        assert proved(schema), schema.name


@pytest.mark.parametrize("law", LAWS, ids=[x.name for x in LAWS])
def test_laws_need_what_they_ask_of_entries(law: Law) -> None:
    """What a law asks of the entries would make no difference: it would hold of any array."""
    bare = replace(law.schema, formula=law.schema.formula.arg(1))
    for o in bare.obligations:
        if o.check(FALSEHOOD) is not True:
            return
    raise AssertionError(f"{law.name} holds without its condition")


def test_laws_say_the_same_as_what_chains_use() -> None:
    """A chain would use another conclusion than the one that was proved."""
    for law in LAWS:
        given, said = law.schema.formula.children()
        assert said.eq(law.conclusion)
        below = z3.And(law.schema.variables[0] > z3.Int("k"), z3.Int("k") >= 0)
        solver = z3.Solver()  # what is asked of every k, and of any other p, is what is given
        k, p = z3.Ints("k p")
        solver.add(z3.ForAll([k, p] if law.name.endswith("permuted") else [k],
                             z3.Implies(below, law.entries)), z3.Not(given))  # fmt: skip
        assert solver.check() == z3.unsat, law.name


# -------------------------------------------------------------------------------------- consistency
@pytest.mark.slow
def test_assumptions_hold_for_the_values_in_a_certificate() -> None:
    """A certificate whose assumptions contradict each other would prove anything."""
    found = 0
    for case in CASES:
        check = by_chain(*case.steps, values=case.values)
        for o in chain_of(case).questions:
            serves = tuple(s.line() for s in check.served(case.statement))
            text = o.smtlib({"theorem": ("t",), "serves": serves, "model": model(o)})
            assert parse(text.encode(), o.name).says["states"] == o.says
            assert compared(text)[0] == STATED
            lines = model(o)
            found += bool(lines) or not o.assume
            for line in lines:
                assert f"; model: {line}\n" in text
    assert found == sum(len(chain_of(c).questions) for c in CASES)


def chain_of(case: Case) -> Any:
    """The chain of a case."""
    return by_chain(*case.steps, values=case.values).chain(case.statement)


def test_values_that_contradict_assumptions_are_refused() -> None:
    """A model that is none would be taken for one."""
    (goal,) = chain(CASES[0].statement, ("permute",)).questions[-1:]
    solver = z3.Solver()
    solver.add(*goal.assume)
    lines = model(goal)
    assert holds(solver.sexpr(), lines)
    wrong = [
        line.replace("(define-fun n0 () Int 0)", "(define-fun n0 () Int (- 1))") for line in lines
    ]
    assert tuple(wrong) != lines and not holds(solver.sexpr(), wrong)
    assert not holds("(assert false)", ()) and not holds(solver.sexpr(), ["(assert true)"])
