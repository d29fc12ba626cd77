"""Whether an account is of its own statement: at sizes up to three, its last lemma says the claim.

The lemma's formula is read with the entries of the terms that its constants stand for, as Z3's
reading gives them, and every reduction written out. Each side must then be that side of the claim,
entry by entry, as an expression; and what the lemma takes as given, and the definitions it rests
on, must hold.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import permutations, product
from typing import Any

import z3

from .entries import Model, evaluate
from .language import symbols
from .read_z3 import Reals
from .reading_error import ReadingError
from .schema import Account
from .terms import Map, Term, map_type, reachable

LARGEST = 3
OTHERS = 2  # the size of every other index set
TIMEOUT = 5_000  # milliseconds
ROOT = z3.Function("sqrt", z3.RealSort(), z3.RealSort())  # of which nothing is known
RELATIONS = {z3.Z3_OP_EQ: "=", z3.Z3_OP_GT: ">"}
BETWEEN_TWO = {
    z3.Z3_OP_SUB: operator.sub, z3.Z3_OP_DIV: operator.truediv, z3.Z3_OP_LT: operator.lt,
    z3.Z3_OP_LE: operator.le, z3.Z3_OP_GT: operator.gt, z3.Z3_OP_GE: operator.ge,
    z3.Z3_OP_EQ: operator.eq, z3.Z3_OP_DISTINCT: operator.ne,
}  # fmt: skip
OF_SEVERAL = {z3.Z3_OP_ADD: operator.add, z3.Z3_OP_MUL: operator.mul}


class UnreadError(ValueError):
    """A formula speaks of what has no entries."""


def unlinked(account: Account) -> str:
    """Where the last lemma and the claim part; nothing if they agree."""
    last, cases = account.schemas[-1], 0
    given, said = _split(last.formula)
    if RELATIONS.get(said.decl().kind()) != account.relation:
        return f"{last.name} is no statement with {account.relation}"
    try:
        for read, sides, laws in _cases(account):
            same = all(_same(read.value(x), y) for x, y in zip(said.children(), sides, strict=True))
            held = [read.value(given), *_axioms(account, read)]
            known = [*laws, read.values[account.nonzero] != 0] if account.where else laws
            if not same or not _follows(held, known):
                return f"{last.name} says something else than the claim at size {read.size}"
            cases += 1
    except (UnreadError, ReadingError) as error:
        return f"{last.name} and the claim cannot be compared: {error}"
    return "" if cases else "no size at which to compare"


def _split(formula: Any) -> tuple[Any, Any]:
    """What is given and what is said."""
    if z3.is_implies(formula):
        return formula.arg(0), formula.arg(1)
    return z3.BoolVal(True), formula


def _same(x: Any, y: Any) -> bool:
    """Whether two sides are the same expression; that they are equal would not do: the sides of a
    true claim are equal to each other, too. Numerals are evaluated, and no sum is reordered."""
    x, y = (z3.simplify(e, flat=False, sort_sums=False) for e in (x, y))
    return bool(x.eq(y))


def _follows(formulas: Sequence[Any], known: Sequence[Any]) -> bool:
    solver = z3.Solver()
    solver.set("timeout", TIMEOUT)
    solver.add(*known)
    both = z3.And(*(f if z3.is_expr(f) else z3.BoolVal(f) for f in formulas))
    return bool(solver.check(z3.Not(both)) == z3.unsat)


class _Exponentials:
    """exp by its law exp(a − b) = exp(a)/exp(b) alone: of what is no difference, a constant."""

    def __init__(self) -> None:
        self.known: dict[Any, Any] = {}

    def __call__(self, x: Any) -> Any:
        if z3.is_sub(x):
            return self(x.arg(0)) / self(x.arg(1))
        if x.decl().kind() == z3.Z3_OP_UMINUS:
            return 1 / self(x.arg(0))
        return self.known.setdefault(x, z3.Real(f"exp{len(self.known)}"))


class _Waves:
    """sin and cos by the addition theorems alone: of what is no sum, a point of the circle."""

    def __init__(self) -> None:
        self.known: dict[Any, tuple[Any, Any]] = {}
        self.functions = {"cos": lambda x: self.of(x)[0], "sin": lambda x: self.of(x)[1]}

    def of(self, angle: Any) -> tuple[Any, Any]:
        """cos and sin of an angle, those of its addends being known."""
        sum_ = z3.simplify(angle, som=True)
        found: tuple[Any, Any] | None = None
        for part in sum_.children() if z3.is_add(sum_) else [sum_]:
            negative = z3.is_mul(part) and z3.simplify(part.arg(0) == -1).eq(z3.BoolVal(True))
            atom = z3.simplify(-part) if negative else part
            new = z3.Real(f"cos{len(self.known)}"), z3.Real(f"sin{len(self.known)}")
            c, s = self.known.setdefault(atom, new)
            s = -s if negative else s
            found = (found[0] * c - found[1] * s, found[1] * c + found[0] * s) if found else (c, s)
        return found or (z3.RealVal(1), z3.RealVal(0))

    @property
    def laws(self) -> list[Any]:
        """c² + s² = 1."""
        return [c * c + s * s == 1 for c, s in self.known.values()]


def _cases(account: Account) -> Iterator[tuple[_Reader, tuple[Any, Any], Sequence[Any]]]:
    """Sizes, permutations and entries: what each constant is there, both sides of the claim, and
    the laws of its exponentials and waves."""
    terms = {k: t for k, t in account.reading.items() if isinstance(t, Term)}
    known = [account.lhs, account.rhs, *terms.values()]
    sets, maps = symbols(*known)
    if any(map_type(m) != ((account.over,), account.over, True) for m in maps):
        raise UnreadError("a map that is no permutation of what is reduced")
    n, *places = account.schemas[-1].variables
    names = {x.op.data[0] for t in known for x in reachable(t.node) if x.op.kind == "leaf"}
    tensors = {k: (lambda *i, k=k: z3.Real(f"{k}{i}")) for k in names}
    for size in range(max(1, account.schemas[-1].least or 0), LARGEST + 1):
        sizes = {s.name: size if s == account.over else OTHERS for s in sets}
        for tables in product(permutations(range(size)), repeat=len(maps)):
            moved = dict(zip(maps, tables, strict=True))
            model = Model(sizes, {m.data[0]: t for m, t in moved.items()}, tensors)
            exp, waves = _Exponentials(), _Waves()
            reals = Reals(exp)
            reals.functions = {**reals.functions, **waves.functions, "sqrt": ROOT}
            left, right = (evaluate(t, model, reals) for t in (account.lhs, account.rhs))
            entries = {k: evaluate(t, model, reals) for k, t in terms.items()}
            for index, value in left.items():
                at = dict(zip(account.lhs.axes, index, strict=True))
                row = [{**at, account.axis: place} for place in range(size)]
                values: dict[str, Any] = {str(n): size}
                values |= {str(v): at[account.axis] for v in places if str(v) in ("i", "j")}
                for k, thing in account.reading.items():
                    if isinstance(thing, Map):
                        values[k] = list(moved[thing])
                        continue
                    several = [entries[k][tuple(r[a] for a in thing.axes)] for r in row]
                    values[k] = several if account.axis in thing.axes else several[0]
                other = right[tuple(at[a] for a in account.rhs.axes)]
                laws = [*(e > 0 for e in exp.known.values()), *waves.laws]
                yield _Reader(account.kind, size, values), (value, other), laws


def _axioms(account: Account, read: _Reader) -> Iterator[Any]:
    """The axioms at these entries, but for those that define what has none: τ, or the join."""
    spoken = {"S", "R", "op", *account.reading}
    lists = [v for v in read.values.values() if isinstance(v, list) and z3.is_expr(v[0])]
    ranges = {
        z3.Z3_INT_SORT: range(read.size), z3.Z3_ARRAY_SORT: lists,
        z3.Z3_UNINTERPRETED_SORT: lists[0] if lists else [],
    }  # fmt: skip
    for axiom in account.axioms:
        names = [str(v) for v in axiom.variables]
        for values in product(*(ranges.get(v.sort().kind(), ()) for v in axiom.variables)):
            known = {**read.values, **dict(zip(names, values, strict=True))}
            try:
                yield _Reader(read.kind, read.size, known).value(axiom.formula)
            except UnreadError:
                if axiom.variables and spoken & _names(axiom.formula):
                    raise
                break


def _names(e: Any) -> set[str]:
    """The functions and constants of a formula without quantifiers."""
    return {e.decl().name(), *(name for part in e.children() for name in _names(part))}


@dataclass(frozen=True)
class _Reader:
    """Formulas at given values: integers, lists, and real expressions; e is None."""

    kind: str
    size: int
    values: Mapping[str, Any]

    def value(self, e: Any) -> Any:
        """What a formula is; a truth value that needs no solver is a bool."""
        if z3.is_quantifier(e):
            names = [e.var_name(k) for k in range(e.num_vars())]
            body = z3.substitute_vars(e.body(), *(z3.Int(name) for name in reversed(names)))
            assigned = product(range(self.size + 1), repeat=len(names))
            every = ({**self.values, **dict(zip(names, i, strict=True))} for i in assigned)
            return _all(_Reader(self.kind, self.size, v).value(body) for v in every)
        kind, parts = e.decl().kind(), e.children()
        if z3.is_int_value(e):
            return e.as_long()
        if z3.is_rational_value(e):
            return e
        match kind:
            case z3.Z3_OP_TRUE:
                return True
            case z3.Z3_OP_AND:
                return _all(self.value(p) for p in parts)
            case z3.Z3_OP_IMPLIES:
                given = self.value(parts[0])
                if given is False:
                    return True
                said = self.value(parts[1])
                return said if given is True else z3.Implies(given, said)
            case z3.Z3_OP_SELECT:
                values, place = map(self.value, parts)
                if not 0 <= place < len(values):
                    raise UnreadError(f"{e} at {place}")
                return values[place]
            case z3.Z3_OP_TO_REAL:
                return z3.RealVal(self.value(parts[0]))
        inner = [self.value(p) for p in parts]
        if kind in BETWEEN_TWO and len(inner) == 2:
            return BETWEEN_TWO[kind](*inner)
        if kind in OF_SEVERAL:
            return reduce(OF_SEVERAL[kind], inner)
        match e.decl().name(), inner:
            case "S", (values, n):
                return Reals().reduce("sum", values[:n], [1] * n)
            case "R", (values, n):
                return Reals().reduce(self.kind, values[:n], [1] * n) if n else None
            case "op", (x, y):
                return self._combined(x, y)
            case "e", ():
                return None
            case name, () if name in self.values:
                return self.values[name]
        raise UnreadError(str(e.decl().name()))

    def _combined(self, x: Any, y: Any) -> Any:
        return y if x is None else x if y is None else Reals().reduce(self.kind, [x, y], [1, 1])


def _all(values: Iterator[Any]) -> Any:
    """Whether all hold, looked at up to the first that does not."""
    open_ = []
    for v in values:
        if v is False:
            return False
        if v is not True:
            open_.append(v)
    return z3.And(*open_) if open_ else True
