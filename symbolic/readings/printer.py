"""The printer: a term in index notation, or in matrix notation where it has rows and columns.

In matrix notation a term whose row axis is moved by σ prints as P t, with its column axis moved
by ρ as t Rᵀ (the convention (PX)ᵢ = X_{σ(i)}). Nodes may have labels (Q, S, A): they print as
their label and are opened when asked. What matrix notation cannot write is printed by indices.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from orderproof.symbolic.calculus.terms import (
    Ap,
    Index,
    Map,
    Name,
    Node,
    Set,
    Term,
    at,
    index_subst,
    map_type,
    opened,
    signature,
)
from orderproof.symbolic.models.builders import POINT, opened_at

from .notation import ATOM, BIG, PRODUCT, SUM, Notation, Piece
from .partial_products import before_index, top_of_binomial

LONG = 10**6  # from here on powers of ten are written as powers
SMALL = 1000  # up to here a denominator is written
LARGEST = 10**300  # beyond, a number may be no float
INFIX = {"add": SUM, "sub": SUM, "mul": PRODUCT}


@dataclass(frozen=True)
class Label:
    """A name for a node, primed or not, and the order in which its slots are written."""

    name: str
    order: tuple[int, ...]
    primed: bool = False


@dataclass(frozen=True)
class Style:
    """How a statement is written: labels of nodes, the matrix of each map, letters of each set."""

    labels: Mapping[Node, Label] = field(default_factory=dict)
    matrices: Mapping[Map, str] = field(default_factory=dict)
    letters: Mapping[Set, str] = field(default_factory=dict)
    stacked: frozenset[Set] = frozenset()  # an axis over these (heads) is a subscript: Q_h
    bundles: Mapping[tuple[Node, ...], str] = field(default_factory=dict)  # arguments as one: θ

    def without(self, *nodes: Node) -> Style:
        """The same with some labels opened."""
        return replace(self, labels={n: s for n, s in self.labels.items() if n not in nodes})


class _NoMatrix(Exception):
    """Raised where matrix notation cannot write a term."""


class Printer:
    """Prints terms in a notation and a style."""

    def __init__(self, notation: Notation, style: Style) -> None:
        self.to, self.style = notation, style
        self._scope: list[str] = []  # letters bound around what is being printed
        self._stack: dict[Name, str] = {}  # the index for a bound axis over a stacked set

    # ------------------------------------------------------------------------- index notation
    def indices(self, t: Term) -> str:
        """t by its entries: the axes of t are named by their names."""
        names = ["1" if over == POINT else self.to.symbol(str(a)) for a, over in t.sets.items()]
        self._scope += names
        text = self._entry(t.node, names).text
        del self._scope[len(self._scope) - len(names) :]
        return text

    def _map(self, m: Map) -> str:
        match m.kind, m.data:
            case "symbol", (name, *_):
                return self.to.symbol(name)
            case "inverse", (f,):
                return self.to.inverse(self._map(f))
            case "beside", (f, g):
                return self.to.bracket(f"{self._map(f)}+{self._map(g)}")
        return self.to.function({"identity": "id"}.get(m.kind, m.kind))

    def _index(self, e: Index, slots: Sequence[str]) -> str:
        if isinstance(e, Ap):
            if not e.args and map_type(e.map)[1] == POINT:
                return "1"
            inner = [self._index(a, slots) for a in e.args]
            if e.map.kind == "inr":  # the places of B come after those of A
                before, own = e.map.data
                return f"{self.size(before)}+{'1' if own == POINT else inner[0]}"
            whole = e.map.kind in ("identity", "inl")
            return inner[0] if whole else self.to.applied(self._map(e.map), inner)
        return slots[e]  # type: ignore[call-overload, no-any-return]

    def _letter(self, over: Set, used: Sequence[str], node: Node) -> str:
        """A letter for a bound axis that is not in use outside."""
        taken = re.sub(r"\\[A-Za-z]+", "", "".join([*used, *self._scope]))  # \sigma has no s
        letters = self.style.letters.get(over, "") + "ijklrstuvwabc"
        for letter in letters:
            if letter not in taken:
                return letter
        return f"{letters[0]}{node.id}"

    def _label(self, node: Node) -> Label | None:
        """The label of a node; a tensor is its own."""
        if node.op.kind == "leaf" and node not in self.style.labels:
            return Label(node.op.data[0], tuple(range(len(node.sets))))
        return self.style.labels.get(node)

    def called(self, leaf: Node) -> str:
        """What a tensor is called: by its label, or else by its own name."""
        label = self._label(leaf)
        return self._symbol(label) if label else self.to.symbol(leaf.op.data[0])

    def _symbol(self, label: Label) -> str:
        return self.to.symbol(label.name) if not label.primed else self.to.prime(label.name)

    def _wrap(self, p: Piece, strength: int) -> str:
        return p.text if p.strength >= strength else self.to.bracket(p.text)

    def _part(self, part: Term, slots: Sequence[str], bound: Sequence[str] = ()) -> Piece:
        wires: Any = part.axes
        names = [slots[w] if w >= 0 else bound[-1 - w] for w in wires]
        return self._entry(part.node, names)

    def _entry(self, node: Node, slots: Sequence[str]) -> Piece:
        op, label = node.op, self._label(node)
        if label:
            return Piece(self.to.indexed(self._symbol(label), [slots[k] for k in label.order]))
        match op.kind, op.data:
            case "number", (value,):
                plain = value >= 0 and value.denominator == 1
                if plain and value >= LONG and re.fullmatch("10+", str(value)):
                    return Piece("10" + self.to.raised(len(str(value)) - 1))
                text = str(value) if value.denominator <= SMALL else _decimal(value)
                return Piece(text, ATOM if plain else SUM)
            case "size", (of,):
                return Piece(self.size(of), SUM if of.parts else ATOM)
            case "iota", _:
                return Piece(slots[0], SUM if "+" in slots[0] else ATOM)
            case "delta", _:
                return Piece(self.to.delta(*slots))
            case "at", (exprs, _, _):
                return self._part(node.args[0], [], [self._index(e, slots) for e in exprs])
            case "pointwise", ("max", 2) if _opposite(*node.args):
                return Piece(self.to.absolute(self._part(node.args[0], slots).text))
            case "pointwise", (name, _):
                return self._function(name, [self._part(p, slots) for p in node.args])
            case "reduce", ("prod", _) if closed := self._closed(node, slots):
                return closed
            case "reduce", (kind, over):
                j = self._letter(over, slots, node)
                self._scope += [*slots, j]
                body = self._part(node.args[0], slots, [j])
                del self._scope[-len(slots) - 1 :]
                return Piece(self.to.big(kind, j) + self._wrap(body, BIG), BIG)
            case "cat", (left, right):
                inner = [self._letter(x, slots[1:], node) for x in (left, right)]
                self._scope += [*slots[1:], *inner]
                first, second = (
                    self._part(p, slots, [x]).text for p, x in zip(node.args, inner, strict=True)
                )
                del self._scope[-len(slots) - 1 :]
                return Piece(self.to.indexed_whole(self.to.stacked(first, second), slots[:1]))
        return self._named(node, slots)

    def _closed(self, node: Node, slots: Sequence[str]) -> Piece | None:
        """A power or a binomial coefficient, where a product over places is one."""
        found = before_index(Term(node, tuple(range(len(node.sets)))))
        if not found:
            return None
        place, index, factor = found
        end = self._part(index, slots).text
        if factor.node.op.kind == "number":
            return self.to.power(self._part(factor, slots), end)
        top = top_of_binomial(place, factor)
        return Piece(self.to.binomial(self._part(top, slots).text, end)) if top else None

    def _named(self, node: Node, slots: Sequence[str]) -> Piece:
        """A definition or an opaque operator: softmax_j(S[i, j]), or softmax_l(S[i, l])[σ(j)]."""
        binds, yields = signature(node.op)
        made, outer = slots[: len(yields)], slots[len(yields) :]
        own = [e for e in made if len(e) == 1 and e != "1" and "".join(slots).count(e) == 1]
        letters = [
            e if e in own else self._letter(over, slots, node)
            for e, over in zip(made, yields, strict=True)
        ]
        shown = []
        for part, over in zip(node.args, binds, strict=True):
            inner: list[str] = []  # a part's letter is that of the result where it may be
            for k, x in enumerate(over):
                shared = k < len(yields) and yields[k] == x
                other = [*slots, *letters, *inner]
                inner.append(letters[k] if shared else self._letter(x, other, node))
            self._scope += [*outer, *inner]
            row = None if yields else self._rows(part, outer, inner)
            shown.append(row or self._part(part, [*made, *outer], inner).text)
            del self._scope[len(self._scope) - len(outer) - len(inner) :]
        if node.op.kind == "apply" and node.op.data[0] == "norm":
            return Piece(self.to.norm(*shown))
        head = self._head(node) + self.to.under(letters)
        text = f"{head}{self.to.bracket(', '.join(shown))}"
        return Piece(text if letters == list(made) else self.to.indexed_whole(text, made))

    def _rows(self, part: Term, outer: Sequence[str], inner: Sequence[str]) -> str | None:
        """A row, or the difference of two rows: X[i] − X[l]."""
        if part.node.op.kind != "pointwise" or part.node.op.data != ("sub", 2):
            return self._row(part, outer, inner)
        wires: Any = part.axes
        wired = (Term(a.node, tuple(wires[w] for w in a.axes)) for a in part.node.args)
        left, right = (self._row(a, outer, inner) for a in wired)
        return f"{left} {self.to.minus} {right}" if left and right else None

    def _row(self, part: Term, outer: Sequence[str], inner: Sequence[str]) -> str | None:
        """A row of a tensor with a name, as what a number is made of: w(Q[i], K[j]), mean(x)."""
        label = self._label(part.node)
        exprs: dict[Any, Index] = {a: a for a in part.axes}
        if label is None:
            part, exprs = flattened(part)
            label = self._label(part.node)
        if label is None or not inner:
            return None
        places: list[Any] = [exprs[part.axes[k]] for k in label.order]
        cut = len(places) - len(inner)
        if places[cut:] != [-1 - k for k in range(len(inner))]:
            return None
        if any(w < 0 for e in places[:cut] for w in _wires(e)):
            return None
        return self.to.indexed(self._symbol(label), [self._index(e, outer) for e in places[:cut]])

    def _power(self, left: Piece, right: Piece) -> Piece | None:
        """x² of x x, and a x³ of a x² x; None where the last factor is another."""
        if left == right:
            base = self._wrap(left, ATOM)
            high = re.search("[\\^²³⁴⁵⁶⁷⁸⁹]", base) or base.startswith((r"\frac", r"\sqrt", "√"))
            whole = self.to.bracket(base) if high else self.to.grouped(base)
            return Piece(whole + self.to.raised(2))
        again = self.to.times + self.to.grouped(right.text)
        ends = [
            self.to.times + right.text,
            *(again + self.to.raised(k) for k in range(2, 9)),
        ]
        for k, end in enumerate(ends, 2):
            if left.strength == PRODUCT and right.strength == ATOM and left.text.endswith(end):
                return Piece(left.text.removesuffix(end) + again + self.to.raised(k), PRODUCT)
        return None

    def _function(self, name: str, parts: Sequence[Piece]) -> Piece:
        if name == "div":
            return self.to.fraction(*parts)
        if name == "sqrt":
            return self.to.root(parts[0])
        if name == "neg":
            return Piece(self.to.minus + self._wrap(parts[0], PRODUCT), SUM)
        if name == "exp2":
            return self.to.power(Piece("2"), parts[0].text)
        if name == "at_most":
            return Piece(self.to.at_most(*(p.text for p in parts)))
        if name == "mul" and (power := self._power(*parts)):
            return power
        if name in INFIX:
            s = INFIX[name]
            sign = {"add": self.to.plus, "sub": self.to.minus, "mul": self.to.times}[name]
            gap = "" if name == "mul" else " "
            right = self._wrap(parts[1], s + (name == "sub"))
            return Piece(self._wrap(parts[0], s) + gap + sign + gap + right, s)
        return Piece(self.to.function(name) + self.to.bracket(", ".join(p.text for p in parts)))

    def size(self, s: Set) -> str:
        """The size of an index set, as a formula."""
        match s.name, s.parts:
            case "+", (a, b):
                return f"{self.size(a)}+{self.size(b)}"
            case "×", (a, b):
                both = (
                    self.to.bracket(self.size(x)) if x.name == "+" else self.size(x) for x in (a, b)
                )
                return self.to.times.join(both)
        return self.to.symbol(s.name)

    # ------------------------------------------------------------------------ matrix notation
    def matrix(self, t: Term, row: Name | None, column: Name | None) -> str:
        """t with these axes as its rows and columns; by indices where matrices cannot write it."""
        try:
            return self._matrix(t, row, column).text
        except _NoMatrix:
            return self.indices(t)

    def _matrix(self, t: Term, row: Name | None, column: Name | None) -> Piece:
        stack = [a for a, over in t.sets.items() if over in self.style.stacked]
        flat = tuple(a for a in t.axes if a not in stack)
        if not set(flat) <= {row, column} or {row, column} & set(stack):
            raise _NoMatrix
        node, op = t.node, t.node.op
        label = self._label(node)
        if label:
            axes = tuple(t.axes[k] for k in label.order)
            above = [self._stack.get(a, str(a)) for a in axes if a in stack]
            symbol = self.to.grouped(self.to.indexed(self._symbol(label), above))
            return self._placed(symbol, tuple(a for a in axes if a in flat), row, column)
        if not t.axes:
            return self._entry(node, [])
        if column is not None and flat == (row,):  # the same in every column
            one = self.to.times + self.to.one + self.to.top
            return Piece(self._wrap(self._matrix(t, row, None), ATOM) + one, PRODUCT)
        if row is not None and flat == (column,):  # the same in every row
            turned = self._wrap(self._matrix(t, column, None), ATOM) + self.to.top
            return Piece(self.to.one + self.to.times + turned, PRODUCT)
        if op.kind == "delta":
            return Piece("I")
        if op.kind == "at":
            return self._acted(t, row, column)
        if op.kind == "pointwise":
            return self._pointwise(t, row, column)
        if op.kind == "reduce" and op.data[0] == "sum":
            return self._product(t, row, column)
        if op.kind in ("apply", "iterate", "opaque"):
            return self._by_rows(t, row, column)
        if op.kind == "cat" and row is not None and t.axes[0] == row:
            _, parts, bound, _ = opened(t)
            rows = (self._matrix(p, b[0], column).text for p, b in zip(parts, bound, strict=True))
            return Piece(self.to.stacked(*rows))
        raise _NoMatrix

    def _placed(
        self, symbol: str, axes: tuple[Name, ...], row: Name | None, column: Name | None
    ) -> Piece:
        """A tensor with a name: as it is, or transposed, or a row repeated."""
        if len(axes) == 0 or axes in ((row, column), (row,) if column is None else ()):
            return Piece(symbol)
        if axes == (row,):
            one = self.to.times + self.to.one + self.to.top
            return Piece(symbol + one, PRODUCT)
        if axes == (column, row):
            return Piece(symbol + self.to.top)
        if axes == (column,) and row is None:
            return Piece(symbol)
        if axes == (column,):
            return Piece(f"{self.to.one}{self.to.times}{symbol}{self.to.top}", PRODUCT)
        raise _NoMatrix

    def _acted(self, t: Term, row: Name | None, column: Name | None) -> Piece:
        """P t Rᵀ"""
        part, exprs = flattened(t, self.style.labels)
        place: dict[Name, tuple[Name, Map | None]] = {}
        for a, e in exprs.items():
            if part.sets[a] in self.style.stacked:
                self._stack[a] = self._stacked(e)
            elif isinstance(e, Ap):
                if len(e.args) != 1 or isinstance(e.args[0], Ap):
                    raise _NoMatrix
                place[a] = e.args[0], e.map
            else:
                place[a] = e, None
        if len({x for x, _ in place.values()}) < len(place):
            raise _NoMatrix
        back = {x: (a, m) for a, (x, m) in place.items()}
        (r, left), (c, right) = back.get(row, (None, None)), back.get(column, (None, None))
        label = self._label(part.node)
        flat = [part.axes[k] for k in label.order] if label else []
        if [a for a in flat if a not in self._stack] == [c, r]:  # (P K)ᵀ, not Kᵀ Pᵀ
            turned = self._acted(t, column, row)
            return Piece(self._wrap(turned, ATOM) + self.to.top)
        text = self._wrap(self._matrix(part, r, c), ATOM if left or right else SUM)
        pieces = [self._p(left, turned=False)] if left else []
        pieces.append(text)
        if right:
            pieces.append(self._p(right, turned=True))
        return Piece(self.to.times.join(pieces), PRODUCT if len(pieces) > 1 else ATOM)

    def _stacked(self, e: Index) -> str:
        """An index expression of a stacked set."""
        if isinstance(e, Ap):
            return self.to.applied(self._map(e.map), [self._stacked(a) for a in e.args])
        return self._stack.get(e, str(e))

    def _p(self, m: Map, *, turned: bool) -> str:
        """The matrix of a map, or its transpose; that of an inverse is the transpose."""
        if m.kind == "inverse":
            return self._p(m.data[0], turned=not turned)
        if m not in self.style.matrices:
            raise _NoMatrix
        return self.to.symbol(self.style.matrices[m]) + (self.to.top if turned else "")

    def _pointwise(self, t: Term, row: Name | None, column: Name | None) -> Piece:
        op, parts, _, _ = opened(t)
        name = op.data[0]
        scalar = [not p.axes for p in parts]
        fits = (
            name in ("add", "sub", "neg", "relu", "gelu")
            or (name == "div" and scalar[1])
            or (name == "mul" and scalar[0])
        )
        if not fits:
            raise _NoMatrix
        return self._function(name, [self._matrix(p, row, column) for p in parts])

    def _product(self, t: Term, row: Name | None, column: Name | None) -> Piece:
        """A B, where the axis summed over is that of A's columns and B's rows."""
        _, (body,), ((j,),), _ = opened(t)
        if (over := body.sets.get(j)) in self.style.stacked:
            self._stack[j] = self._letter(over, [*map(str, t.axes)], t.node)
            inner = self._wrap(self._matrix(body, row, column), BIG)
            return Piece(self.to.big("sum", self._stack[j]) + inner, BIG)
        part, exprs = flattened(body)
        if part.node.op.kind != "pointwise" or part.node.op.data != ("mul", 2):
            raise _NoMatrix
        _, factors, _, _ = opened(part)
        a, b = (at(f, {x: e for x, e in exprs.items() if x in f.axes}) for f in factors)
        if j not in a.axes or j not in b.axes:
            raise _NoMatrix
        across = (row is not None and row in b.axes, column is not None and column in a.axes)
        if any(across):
            if (row is not None and row in a.axes) or (column is not None and column in b.axes):
                raise _NoMatrix
            return Piece(self._wrap(self._product(t, column, row), ATOM) + self.to.top)
        left, right = self._matrix(a, row, j), self._matrix(b, j, column)
        text = self._wrap(left, ATOM) + self.to.times + self._wrap(right, ATOM)
        return Piece(text, PRODUCT)

    def _by_rows(self, t: Term, row: Name | None, column: Name | None) -> Piece:
        """f(A) for what acts on each row: it binds the columns of its parts and makes columns; or
        for a map of whole matrices, rows to rows and columns to columns of its first part."""
        _, parts, bound, names = opened(t)
        if t.node.op.kind == "iterate":  # what is the same in all layers has no axis of them
            later = zip(parts[1:], bound[1:], strict=True)
            bound = (bound[0], *(b if b[-1] in p.axes else b[:-1] for p, b in later))
        if tuple(names) not in ((column,), ()):
            made = [t.sets[a] for a in (row, column) if a in t.axes]
            into = {parts[0].sets.get(a): a for a in bound[0]}
            if {row, column} != set(names) or set(into) != set(made) or len(into) != 2:
                raise _NoMatrix
            bound = (tuple(into[s] for s in made), *bound[1:])  # rows first
            row = None  # bound in each part
        nodes = [p.node for p in parts]
        found = [of for of in self.style.bundles if (*nodes[-len(of) :],) == of]
        cut = len(found[0]) if found else 0
        shown = [
            self._argument(p, b, row)
            for p, b in list(zip(parts, bound, strict=True))[: len(parts) - cut]
        ]
        inside = ", ".join([*shown, *(self.to.symbol(self.style.bundles[of]) for of in found)])
        return Piece(self._head(t.node) + self.to.bracket(inside))

    def _head(self, node: Node) -> str:
        """The name of a definition or operator; of a stack that of its layer, with the number of
        layers above it."""
        if node.op.kind != "iterate":
            return self.to.function(str(node))
        step, over = node.op.data
        return self.to.function(str(step.data[0])) + self.to.above(self.size(over))

    def _argument(self, part: Term, bound: Sequence[Name], row: Name | None) -> str:
        """What a definition is applied to: its rows if it has them, else the axes bound in it."""
        by_row = row is not None and row in part.axes
        stacked = self.style.stacked & {part.sets.get(a) for a in bound}
        if stacked or len(bound) > 2 - by_row:
            raise _NoMatrix
        first, second = (row, *bound, None)[:2] if by_row else (None, None, *bound)[-2:]
        return self._matrix(part, first, second).text


def _decimal(value: Fraction) -> str:
    """The shortest decimal that names this float, of single or double precision; of a number that
    is none, the fraction."""
    if abs(value) > LARGEST or Fraction(whole := float(value)) != value:
        return str(value)
    digits = (f"{whole:.{k}g}" for k in range(1, 10))
    return next((d for d in digits if _single(float(d)) == whole), repr(whole))


def _single(x: float) -> float:
    """The nearest float of single precision; infinity where there is none."""
    try:
        return float(struct.unpack("f", struct.pack("f", x))[0])
    except OverflowError:
        return math.inf


def _opposite(a: Term, b: Term) -> bool:
    """Whether b is −a, so that the larger of the two is |a|."""
    if (b.node.op.kind, b.node.op.data) != ("pointwise", ("neg", 1)):
        return False
    wires: Any = b.axes
    (inner,) = b.node.args
    return Term(inner.node, tuple(wires[w] for w in inner.axes)) == a


def _wires(e: Index) -> list[Any]:
    """The axes that stand in an index expression."""
    return [w for a in e.args for w in _wires(a)] if isinstance(e, Ap) else [e]


def flattened(t: Term, known: Container[Node] = ()) -> tuple[Term, dict[Name, Index]]:
    """Under any number of `at`s, or down to a node that is known: the part, and what each of its
    axes becomes in all."""
    part, exprs = opened_at(t)
    while part.node.op.kind == "at" and part.node not in known:
        part, inner = opened_at(part)
        exprs = {a: index_subst(e, exprs) for a, e in inner.items()}
    return part, exprs
