"""What solvers are asked about a constant: is it defined, and is it the same when σ moves it?

`smt/question.py` builds formulas from terms of the calculus, which have no division of indices, no
cases and no comparison of sizes; so these questions are built from expressions here, as obligations
of the same kind, with the same text, header and answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import z3

from orderproof.symbolic.smt.obligation import Obligation
from orderproof.symbolic.smt.question import inside

from .compare import at_most
from .expression import Expr, add, index, integer, number, parts, size
from .families import FAMILIES
from .formulas import Formulas, size_name
from .node import Condition
from .reader import Entry


@dataclass(frozen=True)
class Moved:
    """How σ acts on a constant: on each of these axes at the places offset, …, offset + n − 1, and
    not elsewhere. `at` is where a family of two blocks is divided."""

    offsets: tuple[tuple[int, Expr], ...]
    count: Expr
    family: str = "all"
    at: Expr | None = None

    @staticmethod
    def of(
        axes: Mapping[int, Expr | int],
        n: str | int,
        family: str = "all",
        at: Expr | int | None = None,
    ) -> Moved:
        """From numbers or size expressions, and the name of the number of tokens, or itself."""
        count = number(n) if isinstance(n, int) else size(n)
        offsets = tuple((k, _expression(e)) for k, e in sorted(axes.items()))
        if family not in FAMILIES:
            raise ValueError(f"family {family!r}: expected one of {', '.join(FAMILIES)}")
        if FAMILIES[family].at != (at is not None):
            raise ValueError(f"family {family!r}: given at = {at}, expected one for blocks alone")
        return Moved(offsets, count, family, None if at is None else _expression(at))


def _expression(e: Expr | int) -> Expr:
    return number(e) if isinstance(e, int) else e


def fits(entry: Entry, moved: Moved) -> list[Condition]:
    """That the tokens lie on the axes that are moved."""
    held = [at_most(add(o, moved.count), entry.dims[k]) for k, o in moved.offsets]
    return [Condition(h) for h in held if not (h.op == "truth" and h.data)]


def nonnegative(*of: Expr) -> list[Any]:
    """That sizes are at least 0."""
    names = sorted({p.data for p in parts(*of) if p.op == "size"})
    return [z3.Int(size_name(name)) >= 0 for name in names]


def defined(condition: Condition, given: Iterable[Expr] = ()) -> Obligation:
    """Whether a condition holds for all sizes, and all indices below its bounds."""
    formulas, given = Formulas(), tuple(given)
    bounds = [b for _, b in condition.indices]
    assume = nonnegative(condition.holds, *bounds, *given)
    assume += [formulas.of(g) for g in given if g.op != "truth"]
    assume += [inside(z3.Int(i), formulas.of(b)) for i, b in condition.indices]
    goal = formulas.of(condition.holds)
    return Obligation("defined", "the constant exists", tuple(assume), goal)


def unmoved(entry: Entry, moved: Moved, given: Iterable[Expr] = ()) -> Obligation:
    """Whether every entry is the one that σ takes to its place, σ a generator of the family."""
    formulas, given, family = Formulas(), tuple(given), FAMILIES[moved.family]
    cut = number(0) if moved.at is None else moved.at
    offsets = [o for _, o in moved.offsets]
    assume = nonnegative(entry.value, *entry.dims, *offsets, moved.count, cut, *given)
    assume += [formulas.of(g) for g in given]
    assume += [
        inside(z3.Int(i), formulas.of(d)) for i, d in zip(entry.indices, entry.dims, strict=True)
    ]
    n = formulas.of(moved.count)
    assume += family.assume(n, formulas.of(cut))
    to = []
    for k, offset in moved.offsets:
        old, new, first = z3.Int(f"i{k}"), z3.Int(f"m{k}"), formulas.of(offset)
        place = old - first if integer(offset) != 0 else old
        goes = family.moved(place, n) + first if integer(offset) != 0 else family.moved(place, n)
        assume += [formulas.of(at_most(add(offset, moved.count), entry.dims[k]))]
        assume += [new == (goes if full(entry, moved, k) else z3.If(inside(place, n), goes, old))]
        to.append((old, new))
    whole = formulas.of(entry.value)
    says = f"{entry.name} is the same where {family.says}"
    name = f"constant {entry.name}, {moved.family}"
    before, after = (z3.Const(x, whole.sort()) for x in ("before", "after"))
    assume += [before == whole, after == z3.substitute(whole, *to)]
    goal = after == before
    return Obligation(name, says, tuple(e for e in assume if not z3.is_true(e)), goal)


def full(entry: Entry, moved: Moved, axis: int) -> bool:
    """Whether the tokens are all of an axis, by its expression."""
    return dict(moved.offsets)[axis] == number(0) and entry.dims[axis] == moved.count


def largest(conditions: Iterable[Condition]) -> int:
    """The largest number in conditions: a table's length, for one."""
    of = [e for c in conditions for e in (c.holds, *(b for _, b in c.indices))]
    numbers = [
        abs(v) for p in parts(*of)
        for v in (p.data if p.op == "sum" else (p.data,) if p.op == "number" else ())
    ]  # fmt: skip
    return int(max(numbers, default=0))


def index_free(conditions: Iterable[Condition]) -> list[Expr]:
    """The conditions on sizes alone."""
    return [c.holds for c in conditions if not c.indices and index_names(c.holds) == set()]


def index_names(e: Expr) -> set[str]:
    """The indices in an expression."""
    return {p.data for p in parts(e) if p == index(str(p.data))}
