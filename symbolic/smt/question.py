"""A statement as Z3 formulas computed from its terms, for symbolic sizes.

A tensor is a function of its indices, a map an array of integers, a size an integer. Σ over an axis
is S(e, n), where e is the array of the terms of the sum, *as a function of every index that they
depend on*: e = e₁(i, …), with the definition e₁(i, …)[j] = the term at i, …, j. Two sums whose
terms are made alike have one such function. Names are numbered within a question, so the same
statement gives the same formulas whatever was built before.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import z3

from orderproof.symbolic.calculus.terms import Ap, Index, Map, Name, Set, Term, map_type, opened
from orderproof.symbolic.models.builders import POINT
from orderproof.symbolic.models.names import name_of, node_name, set_name
from orderproof.symbolic.statements.statement import Atom, Statement
from orderproof.symbolic.statements.text import canonical, parse

from .induction import ARRAY, INT, REAL, SUM
from .laws import COS, EXP, INVERSE, LARGEST, LEAST, PRODUCT, ROOT, SIN
from .values import shape

Formula = Any  # of Z3: a truth value, a real number, an index or an array
MAP = z3.ArraySort(INT, INT)
RELATIONS: dict[str, Callable[..., Any]] = {
    "=": lambda x, y: x == y, "≠": lambda x, y: x != y,
    "<": lambda x, y: x < y, "≤": lambda x, y: x <= y,
}  # fmt: skip
FUNCTIONS = {"exp": EXP, "sin": SIN, "cos": COS, "sqrt": ROOT}
POINTWISE: dict[str, Callable[..., Any]] = {
    "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y,
    "div": lambda x, y: divided(x, y), "neg": lambda x: -x, "max": lambda x, y: z3.If(x >= y, x, y),
    "min": lambda x, y: z3.If(x <= y, x, y),
    "at_most": lambda x, y: z3.If(x <= y, z3.RealVal(1), z3.RealVal(0)),
}  # fmt: skip
REDUCTIONS: dict[str, Callable[..., Any]] = {
    "sum": SUM, "prod": PRODUCT.of, "max": LARGEST.of, "min": LEAST.of,
}  # fmt: skip
UNITS = {"sum": (0, "add"), "prod": (1, "mul")}
HOLE = z3.Int("hole")  # the index of the entries of an array


class QuestionError(ValueError):
    """A statement that has no question here: says which part, and what is expected."""


@dataclass(frozen=True, eq=False)
class Entries:
    """e(parameters)[hole] = body: what a reduction is of."""

    function: Any
    parameters: tuple[Formula, ...]
    body: Formula
    over: Set

    def at(self, arguments: Sequence[Formula], place: Formula) -> Formula:
        """The entry of e(arguments) at a place."""
        to = [*zip(self.parameters, arguments, strict=True), (HOLE, place)]
        return z3.substitute(self.body, *to)

    def array(self, arguments: Sequence[Formula]) -> Formula:
        """e(arguments)."""
        return self.function(*arguments) if arguments else self.function()


def parts(*roots: Formula) -> list[Formula]:
    """All parts of formulas without quantifiers, each once, in the order in which they stand."""
    found: dict[int, Formula] = {}
    todo = [(e.get_id(), e) for e in reversed(roots)]
    while todo:
        key, e = todo.pop()
        if key not in found:
            found[key] = e
            todo += reversed(shape(key, e)[0])
    return list(found.values())


def mentions(e: Formula, index: Formula) -> bool:
    """Whether an expression depends on an index."""
    return any(p.eq(index) for p in parts(e))


def inside(place: Formula, size: Formula) -> Formula:
    """0 ≤ place < size."""
    return z3.And(place >= 0, place < size)


def both(formulas: Iterable[Formula]) -> Formula:
    """All of these."""
    every = list(formulas)
    return every[0] if len(every) == 1 else z3.And(*every)


def divided(x: Formula, y: Formula) -> Formula:
    """x·y⁻¹: what x/y is, whatever x/0 is."""
    return x / y if z3.is_rational_value(y) else x * INVERSE(y)


class Question:
    """The formulas of one statement."""

    def __init__(self, statement: Statement) -> None:
        self.statement = statement = parse(canonical(statement))  # names T0, f0, n0 and so on
        self.entries: dict[str, Entries] = {}
        self._known: dict[tuple[int, Set], Entries] = {}
        self._holes = 0
        self.constants: dict[str, Set] = {}  # index constants, each with what it ranges over
        self.numerals: list[Formula] = []  # indices at which hypotheses are used
        self.pinned = self._pinned()
        self.maps = {str(m.data[0]): m for m in statement.maps}
        for name, m in self.maps.items():
            if not map_type(m)[0]:
                self.constants[name] = map_type(m)[1]

    # ------------------------------------------------------------------------------------- sizes
    def _pinned(self) -> dict[Set, int]:
        """The sets for which one size is listed."""
        own = self.statement.sizes
        columns = zip(*own.among, strict=True) if own.among else ()
        each = {s: set(column) for s, column in zip(own.of, columns, strict=False)}
        return {POINT: 1, **{s: min(sizes) for s, sizes in each.items() if len(sizes) == 1}}

    def size(self, s: Set) -> Formula:
        """The size of an index set."""
        if s in self.pinned:
            return z3.IntVal(self.pinned[s])
        if s.parts:
            raise QuestionError(f"index set {set_name(s)}: expected a symbol")
        return z3.Int(s.name)

    def bounds(self) -> Iterator[Formula]:
        """What is known of sizes: at least what the statement says, and 0; those that it lists."""
        own = self.statement.sizes
        for s in self.statement.sets:
            if s not in self.pinned:
                yield self.size(s) >= own.lower(s)
        open_ = [s for s in own.of if s not in self.pinned]
        if open_:
            cases = sorted({tuple(c[own.of.index(s)] for s in open_) for c in own.among})
            yield z3.Or(*(
                z3.And(*(self.size(s) == k for s, k in zip(open_, case, strict=True)))
                for case in cases
            ))  # fmt: skip

    # ------------------------------------------------------------------------------------ indices
    def constant(self, name: str, over: Set) -> Formula:
        """An index constant; the one element of a set of one."""
        if self.pinned.get(over) == 1:
            return z3.IntVal(0)
        self.constants[name] = over
        return z3.Int(name)

    def index(self, e: Index, env: Mapping[Name, Formula]) -> Formula:
        """An index expression at an assignment."""
        if not isinstance(e, Ap):
            return env[e]
        return self.apply(e.map, [self.index(a, env) for a in e.args])

    def apply(self, m: Map, args: Sequence[Formula]) -> Formula:
        """A map at indices."""
        match m.kind, m.data:
            case "symbol", (_, _, cod, _) if self.pinned.get(cod) == 1:
                return z3.IntVal(0)
            case "symbol", (str(name), dom, _, _):
                if len(dom) == 1:
                    return z3.Const(name, MAP)[args[0]]
                return z3.Function(name, *([INT] * (len(dom) + 1)))(*args) if dom else z3.Int(name)
            case "identity", _:
                return args[0]
            case "inverse", (Map(kind="symbol") as f,):
                return self.back(z3.Const(str(f.data[0]), MAP))[args[0]]
        raise QuestionError(f"map {name_of(m)}: expected a symbol, its inverse or an identity")

    def back(self, m: Formula) -> Formula:
        """The inverse of a bijection."""
        name = m.decl().name()
        return z3.Const(
            name.removesuffix("_back") if name.endswith("_back") else f"{name}_back", MAP
        )

    def there_and_back(self, e: Formula) -> Formula:
        """An expression with i for σ⁻¹(σ(i)): the same at indices."""
        moved = [
            p for p in parts(e)
            if p.decl().kind() == z3.Z3_OP_SELECT and p.arg(1).decl().kind() == z3.Z3_OP_SELECT
            and p.sort() == INT and p.arg(0).eq(self.back(p.arg(1).arg(0)))
        ]  # fmt: skip
        return z3.substitute(e, *((p, p.arg(1).arg(1)) for p in moved)) if moved else e

    def over(self, e: Formula) -> Set | None:
        """The set of which an index expression is an element, where it is one."""
        name, inner = e.decl().name(), e.children()
        if not inner:
            return self.constants.get(name)
        if e.decl().kind() == z3.Z3_OP_SELECT and inner[0].sort() == MAP:
            f = inner[0].decl().name()
            dom, cod, _ = map_type(self.maps[f.removesuffix("_back")])
            return dom[0] if f.endswith("_back") else cod
        if name in ("top", "low"):
            return self.entries[inner[0].decl().name()].over
        return map_type(self.maps[name])[1] if name in self.maps else None

    # ------------------------------------------------------------------------------------- values
    def sides(self, atom: Atom, env: Mapping[Name, Formula]) -> tuple[Formula, Formula]:
        """Both sides of an atom at an assignment of its axes."""
        left, right = (self.value(t, env, {}) for t in atom.terms)
        return left, right

    def said(self, atom: Atom, env: Mapping[Name, Formula]) -> Formula:
        """An atom at an assignment of its axes."""
        return RELATIONS[atom.relation](*self.sides(atom, env))

    def value(self, t: Term, env: Mapping[Name, Formula], formals: Mapping[Any, Any]) -> Formula:
        """A term at an assignment; `formals` are functions of indices."""
        op, of, bound, names = opened(t)
        at = [env[a] for a in names]
        match op.kind, op.data:
            case "leaf", (name, over):
                if op in formals:
                    return formals[op](at)
                return z3.Function(name, *[INT] * len(over), REAL)(*at) if over else z3.Real(name)
            case "number", (value,):
                return z3.RealVal(str(value))
            case "size", (over,):
                size = self.size(over)
                return z3.RealVal(size.as_long()) if over in self.pinned else z3.ToReal(size)
            case "iota", _:
                return z3.RealVal(at[0].as_long()) if z3.is_int_value(at[0]) else z3.ToReal(at[0])
            case "delta", _:
                return z3.If(at[0] == at[1], z3.RealVal(1), z3.RealVal(0))
            case "pointwise", (name, arity):
                inner = [self.value(p, env, formals) for p in of]
                if name in POINTWISE:
                    return POINTWISE[name](*inner)
                unknown = z3.Function(f"map_{name}", *[REAL] * (arity + 1))
                return FUNCTIONS.get(name, unknown)(*inner)
            case "at", (exprs, *_):
                new = [self.index(e, dict(enumerate(at))) for e in exprs]
                return self.value(of[0], {**env, **dict(zip(bound[0], new, strict=True))}, formals)
            case "reduce", (kind, over):
                return self._reduced(kind, over, of[0], bound[0][0], env, formals)
            case "apply", (_, own, body):
                inside_ = {
                    f: lambda at, p=p, b=b: self.value(
                        p, {**env, **dict(zip(b, at, strict=True))}, formals
                    )
                    for f, p, b in zip(own, of, bound, strict=True)
                }
                return self.value(Term(body, tuple(range(len(at)))), dict(enumerate(at)), inside_)
        raise QuestionError(f"{node_name(t.node)}: given {op.kind}, expected another constructor")

    def _reduced(
        self,
        kind: str,
        over: Set,
        part: Term,
        axis: Name,
        env: Mapping[Name, Formula],
        formals: Any,
    ) -> Formula:
        if over in self.pinned and kind in UNITS:
            unit, name = UNITS[kind]
            each = [
                self.value(part, {**env, axis: z3.IntVal(k)}, formals)
                for k in range(self.pinned[over])
            ]
            whole = each[0] if each else z3.RealVal(unit)
            for e in each[1:]:
                whole = POINTWISE[name](whole, e)
            return whole
        hole = z3.Int(f"hole{self._holes}")
        self._holes += 1
        self.constants[str(hole)] = over
        body = self.value(part, {**env, axis: hole}, formals)
        return REDUCTIONS[kind](self.array(body, hole, over), self.size(over))

    def array(self, body: Formula, hole: Formula, over: Set) -> Formula:
        """The array of the values of an expression, its entries being a function of all indices
        that it depends on (of σ(i) and of none in it, where it depends on i by σ alone)."""
        arguments: dict[int, Formula] = {}

        def look(e: Formula) -> None:
            if e.sort() == INT and not z3.is_int_value(e) and not mentions(e, hole):
                if self.over(e) is not None:
                    arguments[e.get_id()] = e
                return
            for part in e.children():
                look(part)

        look(body)
        met = list(arguments.values())
        given = [e for e in met if not any(mentions(e, x) for x in met if not x.eq(e))]
        named = [z3.Int(f"a{k}") for k in range(len(given))]
        whole = z3.substitute(body, (hole, HOLE), *zip(given, named, strict=True))
        entries = self._known.get((whole.get_id(), over))
        if entries is None:
            name = f"e{len(self.entries) + 1}"
            function = z3.Function(name, *[INT] * len(named), ARRAY)
            entries = Entries(function, tuple(named), whole, over)
            self.entries[name] = self._known[whole.get_id(), over] = entries
        return entries.array(given)

    # ---------------------------------------------------------------------- what is known of parts
    def defined(self, e: Formula) -> Formula | None:
        """The definition of an entry e(…)[place], if this is one."""
        if e.decl().kind() != z3.Z3_OP_SELECT:
            return None
        array, place = e.children()
        entries = self.entries.get(array.decl().name())
        return None if entries is None else e == entries.at(array.children(), place)

    def mapped(self, e: Formula) -> Iterator[Formula]:
        """That a value of a map is an index; and that a bijection goes back."""
        if e.decl().kind() == z3.Z3_OP_SELECT and e.arg(0).sort() == MAP:
            name, place = e.arg(0).decl().name(), e.arg(1)
            m = self.maps[name.removesuffix("_back")]
            (dom,), cod, bijective = map_type(m)
            back = name.endswith("_back")
            if bijective and dom != cod:
                raise QuestionError(f"map {name_of(m)}: expected a bijection of a set with itself")
            said = [inside(e, self.size(dom if back else cod))]
            if bijective:
                said.append(self.back(e.arg(0))[e] == place)
            yield z3.Implies(inside(place, self.size(cod if back else dom)), z3.And(*said))
        elif e.decl().name() in self.maps and e.num_args() > 1:
            sets, to, _ = map_type(self.maps[e.decl().name()])
            within = (inside(a, self.size(s)) for a, s in zip(e.children(), sets, strict=True))
            yield z3.Implies(z3.And(*within), inside(e, self.size(to)))

    # --------------------------------------------------------------------------------- hypotheses
    def given(self) -> tuple[list[Formula], list[Atom]]:
        """What holds of constants: sizes, elements, and for a hypothesis about some
        entry a new index of one; and the hypotheses about every entry."""
        found = list(self.bounds())
        for name, m in self.maps.items():
            if not map_type(m)[0] and self.pinned.get(map_type(m)[1]) != 1:
                found.append(inside(z3.Int(name), self.size(map_type(m)[1])))
        every = []
        for number, atom in enumerate(self.statement.atoms[1:]):
            if atom in self.statement.such:
                raise QuestionError("there is: expected a statement about given values")
            if atom.some and atom.axes:
                env = {
                    axis: self.constant(f"w{number}_{k}", over)
                    for k, (axis, over) in enumerate(atom.axes.items())
                }
                found += self.ranges(env.values())
                found.append(self.said(atom, env))
            elif atom.axes:
                every.append(atom)
            else:
                found.append(self.said(atom, {}))
        return found, every

    def ranges(self, indices: Iterable[Formula]) -> list[Formula]:
        """That index constants are indices."""
        return [
            inside(i, self.size(self.constants[str(i)])) for i in indices if not z3.is_int_value(i)
        ]

    def instances(self, atoms: Sequence[Atom], indices: Iterable[Formula]) -> Iterator[Formula]:
        """The instances of hypotheses about every entry, at each choice of these indices."""
        by_set: dict[Set, list[Formula]] = {POINT: [z3.IntVal(0)]}
        for s, k in self.pinned.items():
            by_set[s] = [z3.IntVal(i) for i in range(k)]
        for s in self.statement.sets:
            if s not in self.pinned:
                by_set[s] = list(self.numerals)
        for i in indices:
            over = self.over(i)
            if over is not None and over not in self.pinned:
                by_set.setdefault(over, []).append(i)
        for atom in atoms:
            axes = list(atom.axes.items())
            for choice in itertools.product(*(by_set.get(s, []) for _, s in axes)):
                env = {a: i for (a, _), i in zip(axes, choice, strict=True)}
                within = [
                    inside(i, self.size(s)) for i, (_, s) in zip(choice, axes, strict=True)
                    if s not in self.pinned
                ]  # fmt: skip
                said = self.said(atom, env)
                yield z3.Implies(both(within), said) if within else said
