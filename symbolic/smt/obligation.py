"""One question to SMT solvers: whether assumptions imply a goal, as formulas, as text, in words.

What an `Obligation` says is written in the book's notation from the formulas that are checked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import z3

from . import z3_process
from .budget import QUESTION, Answer, Budget

EXPECTED = "unsat"


@dataclass(frozen=True)
class Obligation:
    """`assume` implies `goal` for all values of the constants in them. `example` tells where to
    look for values that satisfy the assumptions."""

    name: str
    says: str
    assume: tuple[Any, ...]
    goal: Any
    example: tuple[Any, ...] = ()
    uses: tuple[str, ...] = ()  # the lemmas and definitions that assumptions are instances of

    def smtlib(self, about: Mapping[str, Iterable[str]] | None = None) -> str:
        """A standalone SMT-LIB 2 file: a header that says what it is about, the assumptions, and
        last the negated goal; unsat means proved."""
        body = self.asserted()
        *given, negated = z3.parse_smt2_string(body)  # the header says what the text asserts
        known = {"theorem": (), "title": (), "claim": (), **(about or {})}
        header = {
            "obligation": (self.name,),
            **known,
            "states": (self.says,),
            "uses": (", ".join(self.uses),) if self.uses else (),
            "given": (written(h) for h in given),
            "to prove": (written(negated.arg(0)),),
            "expected": (EXPECTED,),
        }
        comments = [f"; {key}: {one_line(line)}" for key, lines in header.items() for line in lines]
        info = (
            "(set-info :smt-lib-version 2.6)",
            f"(set-info :source |orderproof: {one_line(self.name)}|)",
            f"(set-info :status {EXPECTED})",
        )
        return "\n".join([*comments, *info, body])

    def asserted(self) -> str:
        """The same without its header."""
        return f"(set-logic ALL)\n{self.text}(check-sat)\n"  # to_smt2 numbers by the past

    @cached_property
    def text(self) -> str:
        """The assumptions with the negated goal, as Z3 writes it: unsat means proved."""
        return asserting(*self.assume, z3.Not(self.goal))

    def check(self, budget: Budget = QUESTION) -> bool | None:
        """True if Z3 proves it, False if it refutes it, None if it is undecided."""
        return self.outcome(budget).ok

    def outcome(self, budget: Budget = QUESTION) -> Answer:
        """What Z3 says. Contradictory assumptions prove nothing and count as undecided."""
        alone = z3_process.answer(asserting(*self.assume, *self.example), budget)
        if alone.word != "sat":
            why = alone.reason or "contradictory"
            return Answer("unknown", reason=f"Z3, of its assumptions alone: {why}")
        return z3_process.answer(self.text, budget).by("Z3")


def asserting(*formulas: Any) -> str:
    """Formulas with what is declared in them, as Z3 writes them."""
    solver = z3.Solver()
    solver.add(*formulas)
    return str(solver.sexpr())


def one_line(text: str) -> str:
    """The text on one line, without what would end a comment or a quoted symbol."""
    return " ".join(text.split()).replace("|", "¦").replace("\\", "∖")


# ----------------------------------------------------------------------------- the book's notation
FOLDS = {"S": "Σ", "R": "⨁"}  # functions of an array a and a size n, over m < n
WORDS = {"op": "⊕", "e": "e", "join": "⊔", "bottom": "−∞", "top": "+∞",
         "sigma": "σ", "tau": "τ", "rho": "ρ"}  # fmt: skip
ATOM = 9
INFIX = {  # kind of an application: how it is written, and how tightly it binds
    z3.Z3_OP_IMPLIES: ("⇒", 1), z3.Z3_OP_OR: ("∨", 2), z3.Z3_OP_AND: ("∧", 3),
    z3.Z3_OP_EQ: ("=", 4), z3.Z3_OP_DISTINCT: ("≠", 4), z3.Z3_OP_LE: ("≤", 4),
    z3.Z3_OP_GE: ("≥", 4), z3.Z3_OP_LT: ("<", 4), z3.Z3_OP_GT: (">", 4),
    z3.Z3_OP_ADD: ("+", 5), z3.Z3_OP_SUB: ("−", 5), z3.Z3_OP_MUL: ("·", 6), z3.Z3_OP_DIV: ("/", 6),
}  # fmt: skip


def written(formula: Any) -> str:
    """A formula of an obligation in the book's notation."""
    return _level(formula)[0]


WRITTEN: dict[tuple[int, int], tuple[Any, tuple[str, int]]] = {}  # formulas, by Z3's numbers
MOST = 50_000  # of them, then they are forgotten


def _level(e: Any) -> tuple[str, int]:
    """A formula and how tightly its outermost sign binds. Formulas share most of their parts: one
    that was written is kept, and so is its number, which Z3 gives to no other while it is there."""
    key = id(e.ctx), e.get_id()
    if key not in WRITTEN:
        if len(WRITTEN) >= MOST:
            WRITTEN.clear()
        WRITTEN[key] = e, _written(e)
    return WRITTEN[key][1]


def _written(e: Any) -> tuple[str, int]:
    if z3.is_quantifier(e):
        names = [z3.Const(e.var_name(v), e.var_sort(v)) for v in range(e.num_vars())]
        body = written(z3.substitute_vars(e.body(), *reversed(names)))
        return f"∀ {', '.join(map(str, names))}: {body}", 0
    kind, parts = e.decl().kind(), e.children()
    if z3.is_rational_value(e) or z3.is_int_value(e):
        return str(e).replace("-", "−"), 5 if "-" in str(e) else 6 if "/" in str(e) else ATOM
    if kind == z3.Z3_OP_NOT and parts[0].decl().kind() == z3.Z3_OP_EQ:
        return _infix("≠", 4, parts[0].children())
    if kind == z3.Z3_OP_EQ and z3.is_rational_value(parts[0]):
        return _infix("=", 4, parts[::-1])  # as it was given: Python reflects the equation
    if kind in INFIX:
        return _infix(*INFIX[kind], parts)
    inner = [written(p) for p in parts]
    match kind:
        case z3.Z3_OP_NOT:
            return f"¬{_tight(parts[0], ATOM)}", ATOM
        case z3.Z3_OP_UMINUS:
            return f"−{_tight(parts[0], 7)}", 5
        case z3.Z3_OP_ITE:
            return f"if {inner[0]} then {inner[1]} else {inner[2]}", 0
        case z3.Z3_OP_SELECT:
            return f"{inner[0]}({inner[1]})", ATOM
        case z3.Z3_OP_STORE:
            return f"{inner[0]}[{inner[1]} ↦ {inner[2]}]", ATOM
        case z3.Z3_OP_DT_CONSTRUCTOR | z3.Z3_OP_DT_ACCESSOR:  # the reals lie in the extended ones
            return _level(parts[0]) if parts else (WORDS[e.decl().name()], ATOM)
        case z3.Z3_OP_TO_REAL:
            return _level(parts[0])
    name = e.decl().name()
    if name in FOLDS and len(parts) == 2:
        return f"{FOLDS[name]}_{{m<{inner[1]}}} {inner[0]}(m)", 5
    if name in WORDS and len(parts) == 2:
        return _infix(WORDS[name], 5, parts)
    return (f"{name}({', '.join(inner)})" if parts else WORDS.get(name, name)), ATOM


def _infix(sign: str, level: int, parts: list[Any]) -> tuple[str, int]:
    """(x + y) + z is written x + y + z, and (x · y) · z likewise."""
    from_left = level in (5, 6) and z3.is_app(parts[0]) and parts[0].decl().kind() in INFIX
    least = (level if from_left else level + 1, *[level + 1] * (len(parts) - 1))
    return f" {sign} ".join(_tight(p, k) for p, k in zip(parts, least, strict=True)), level


def _tight(e: Any, least: int) -> str:
    text, level = _level(e)
    return text if level >= least else f"({text})"
