"""That assumptions do not contradict each other: values for which they hold, as definitions.

A certificate carries them as comments. Whoever checks it puts the definitions in place of the
declarations: what a solver then says of the assumptions is about these values, and no search.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import z3

from .certificate import CertificateError, defined
from .obligation import TIMEOUT, Obligation

OUTSIDE = ("root-obj", "as-array", "lambda")  # what SMT-LIB does not say
OWN = "(define-fun /0 "  # of Z3 alone: what x/0 is


def model(o: Obligation) -> tuple[str, ...]:
    """Definitions under which the assumptions of an obligation hold, a line each; none if Z3 finds
    none that SMT-LIB can write."""
    assume = z3.Solver()
    assume.add(*o.assume, *o.example)
    text = assume.sexpr()
    reals = {c.sexpr() for f in o.assume for c in _constants(f)}
    few = "".join(f"(assert (or (= {x} 0.0) (= {x} 1.0) (= {x} (- 1.0))))" for x in sorted(reals))
    for hint in ("", few):
        solver = z3.Solver(ctx=z3.Context())  # what it finds does not depend on earlier questions
        solver.set("timeout", TIMEOUT)
        solver.from_string(text + hint)
        if solver.check() == z3.sat:
            found = _lines(solver.model().sexpr())
            if found and holds(text, found):
                return found
    return ()


def _constants(e: Any) -> Iterator[Any]:
    """The real constants of a formula."""
    if z3.is_const(e) and e.decl().kind() == z3.Z3_OP_UNINTERPRETED and z3.is_real(e):
        yield e
    for part in e.children():
        yield from _constants(part)


def _lines(text: str) -> tuple[str, ...]:
    """Each definition on a line, in order of names."""
    whole, depth, start = " ".join(text.split()), 0, 0
    found = []
    for k, c in enumerate(whole):
        depth += (c == "(") - (c == ")")
        if c == "(" and depth == 1:
            start = k
        if c == ")" and depth == 0:
            found.append(whole[start : k + 1])
    found = [line for line in found if not line.startswith(OWN)]
    if any(word in line for line in found for word in OUTSIDE):
        return ()
    return tuple(sorted(found))


def holds(assumptions: str, definitions: Sequence[str]) -> bool:
    """Whether SMT-LIB assumptions hold under definitions of what they declare, by Z3."""
    solver = z3.Solver(ctx=z3.Context())
    solver.set("timeout", TIMEOUT)
    try:
        solver.from_string(defined(assumptions, definitions))
    except (CertificateError, z3.Z3Exception):
        return False
    return bool(solver.check() == z3.sat)
