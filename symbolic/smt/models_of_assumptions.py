"""Models of assumptions, which show that they are consistent, as SMT-LIB definitions.

A certificate carries them as comments. Whoever checks it puts the definitions in place of the
declarations: what a solver then says of the assumptions is about these values. A function that
SMT-LIB cannot write is left to the solver.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

import z3

from .certificate import CertificateError, commands_of, defined
from .obligation import Obligation, asserting
from .z3_process import fresh, solved

DECLARED = re.compile(r"^\(declare-fun (\S+) ", re.MULTILINE)
OUTSIDE = ("root-obj", "as-array", "lambda", "k!")  # not expressible in SMT-LIB, or helpers of Z3


def model(o: Obligation) -> tuple[str, ...]:
    """Definitions under which the assumptions of an obligation hold, a line each; none if Z3 finds
    none that SMT-LIB can write."""
    assumptions, text = asserting(*o.assume), asserting(*o.assume, *o.example)
    declared = DECLARED.findall(assumptions)
    reals = {c.sexpr() for c in _constants(o.assume)}
    few = "".join(f"(assert (or (= {x} 0.0) (= {x} 1.0) (= {x} (- 1.0))))" for x in sorted(reals))
    for hint in ("", few):
        solver = fresh(text + hint)
        if solved(solver) == z3.sat:
            found = _lines(solver.model().sexpr(), declared)
            if found and holds(assumptions, found):
                return found
    return ()


def _constants(formulas: Iterable[Any]) -> Iterator[Any]:
    """The real constants of formulas, each part looked at once however many formulas share it."""
    todo, seen = [*formulas], {}
    while todo:
        e = todo.pop()
        if e.get_id() in seen:
            continue
        seen[e.get_id()] = e  # kept, so that no other formula gets its number
        if z3.is_const(e) and e.decl().kind() == z3.Z3_OP_UNINTERPRETED and z3.is_real(e):
            yield e
        todo += e.children()


def _lines(text: str, declared: Collection[str]) -> tuple[str, ...]:
    """Each definition of what is declared on a line, of those that SMT-LIB can write."""
    mine = (c for c in commands_of(text, "model") if c.tokens[2] in declared)
    lines = (" ".join(text[c.start : c.end].split()) for c in mine)
    return tuple(sorted(x for x in lines if not any(word in x for word in OUTSIDE)))


def holds(assumptions: str, definitions: Sequence[str]) -> bool:
    """Whether SMT-LIB assumptions hold under definitions of what they declare, by Z3."""
    try:
        solver = fresh(defined(assumptions, definitions))
    except (CertificateError, z3.Z3Exception):
        return False
    return bool(solved(solver) == z3.sat)
