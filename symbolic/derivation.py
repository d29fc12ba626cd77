"""From a theorem to the steps that a person reads.

The kernel keeps how each theorem was made; `steps` unrolls that into a chain t₀ = t₁ = … = tₖ in
which every equation is itself a theorem, with its reason: a rule, or a theorem named before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from . import kernel as k
from .kernel import Theorem
from .terms import Term


@dataclass(frozen=True)
class Step:
    """theorem.lhs = theorem.rhs, and why: names of rules and of earlier theorems."""

    theorem: Theorem
    reasons: tuple[str, ...]


def steps(theorem: Theorem, named: Mapping[Theorem, str]) -> list[Step]:
    """The chain from theorem.lhs to theorem.rhs; a named theorem is one step, cited by its name."""
    if theorem in named:
        return [Step(theorem, (named[theorem],))]
    if theorem.lhs == theorem.rhs:
        return []
    match theorem.rule, theorem.premises:
        case "trans", (first, second):
            return [*steps(first, named), *steps(second, named)]
        case "sym", (inner,):
            return [Step(k.sym(s.theorem), s.reasons) for s in reversed(steps(inner, named))]
        case "cong", premises if len(premises) == len(theorem.lhs.node.args):
            return _inside(theorem.lhs, [steps(p, named) for p in premises])
    return [Step(theorem, (theorem.rule,))]


def _inside(t: Term, parts: list[list[Step]]) -> list[Step]:
    """Steps on the parts of a term as steps on the whole: the k-th steps of all parts at once."""
    result = []
    for n in range(max(map(len, parts))):
        now = [p[n] if n < len(p) else None for p in parts]
        theorem = k.cong(t, [s.theorem if s else None for s in now])
        reasons = tuple(dict.fromkeys(r for s in now if s for r in s.reasons))
        result.append(Step(theorem, reasons))
        t = theorem.rhs
    return result
