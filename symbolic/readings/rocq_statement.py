"""A statement as a Rocq proposition: sums over ordinals, tensors as functions, quantifiers as such.

Shallow, for people and for proofs written by hand: over every `realFieldType`, every function that
has the properties of exp (as to any base above 1 up to e), of the root, and of cos and sin that
proofs/rocq/Shallow.v names, and any function in place of the others. A set symbol n is the
ordinals 'I_n; A + B and A × B are sums and products of types. Nothing is simplified; a node used
twice, and each definition, is bound by `let`.
Trusted: what Rocq accepts is the text that is written here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from orderproof.symbolic.calculus.terms import (
    Ap,
    Index,
    Map,
    Name,
    Node,
    Op,
    Set,
    Term,
    applied,
    map_type,
)
from orderproof.symbolic.models.builders import POINT, in_order
from orderproof.symbolic.models.names import set_name
from orderproof.symbolic.statements.statement import (
    Atom,
    Statement,
    Symbol,
    in_text_order,
    symbol_name,
)

from .rocq_text import Scope, atomic, operand

KNOWN = {  # pointwise functions that Rocq has; {0} and {1} are atomic
    "add": "{0} + {1}", "sub": "{0} - {1}", "mul": "{0} * {1}", "div": "{0} / {1}",
    "neg": "- {0}", "max": "Num.max {0} {1}", "min": "Num.min {0} {1}",
    "relu": "Num.max {0} 0", "at_most": "({0} <= {1} :> R)%R%:R",
}  # fmt: skip
PROPERTIES = {"exp": "exponential", "exp2": "exponential", "sqrt": "square_root"}
TOGETHER = {("cos", "sin"): "circular"}  # what is known of two functions; Shallow.v defines all
REDUCTIONS = {"max": "maximum", "min": "minimum"}  # likewise; sums and products are MathComp's
RELATIONS = {"=": "{} = {} :> R", "≠": "{} <> {} :> R", "<": "{} < {} :> R", "≤": "{} <= {} :> R"}


def proposition(s: Statement) -> str:
    """The proposition of a statement."""
    w, scope = _Writer(), Scope()
    lines = ["forall R : realFieldType,"]
    for name in w.functions(s.terms):
        arity = w.arity(s.terms, name)
        lines.append(f"forall {scope.name(('function', name), name + 'f')} : {_arrows(arity)},")
        if name in PROPERTIES:
            lines.append(f"{PROPERTIES[name]} {scope.of['function', name]} ->")
    for names, known in TOGETHER.items():
        if all(("function", name) in scope.of for name in names):
            both = " ".join(scope.of["function", name] for name in names)
            lines.append(f"{known} {both} ->")
    if s.sets:
        sizes = " ".join(scope.name(x, set_name(x)) for x in s.sets)
        lines.append(f"forall {sizes} : nat,")
    lines += _sizes(s, scope)
    quantified: list[Symbol] = [*s.maps, *s.tensors]
    for x in quantified:
        if x not in s.exists:
            bound, properties = w.quantified(x, scope)
            lines.append(f"forall {bound},")
            lines += [f"{p} ->" for p in properties]
    given, such = in_text_order(s.given), in_text_order(s.such)
    lines += w.bindings([t for a in given for t in a.terms], scope)
    lines += [f"({w.atom(a, scope)}) ->" for a in given]
    for x in quantified:
        if x in s.exists:
            bound, properties = w.quantified(x, scope)
            lines.append(f"exists {bound},")
            lines += [f"{p} /\\" for p in properties]
    lines += w.bindings([t for a in (*such, s.atom) for t in a.terms], scope)
    lines += [f"({w.atom(a, scope)}) /\\" for a in such]
    lines.append(w.atom(s.atom, scope))
    return "\n".join(lines)


def _arrows(arity: int) -> str:
    return " -> ".join(["R"] * (arity + 1))


def _sizes(s: Statement, scope: Scope) -> list[str]:
    lines = [f"({k} <= {scope.of[x]})%N ->" for x, k in sorted(s.sizes.least, key=str)]
    if s.sizes.of:
        several = len(s.sizes.of) > 1
        names = ", ".join(scope.of[x] for x in s.sizes.of)
        cases = (", ".join(f"{k}%N" for k in case) for case in sorted(s.sizes.among))
        listed = "; ".join(f"({case})" if several else case for case in cases)
        lines.append(f"{f'({names})' if several else names} \\in [:: {listed}] ->")
    return lines


class _Writer:
    """Writes terms; all symbols in them are in scope."""

    # --------------------------------------------------------------------------------- types
    def set(self, s: Set, scope: Scope) -> str:
        """The type of the elements of an index set."""
        if s == POINT:
            return "'I_1"
        if s.parts:
            sign = {"+": "+", "×": "*"}[s.name]
            return f"({f' {sign} '.join(self.set(x, scope) for x in s.parts)})%type"
        return f"'I_{scope.of[s]}"

    def size(self, s: Set, scope: Scope) -> str:
        """The number of elements of an index set, a natural number."""
        if s == POINT:
            return "1"
        if s.parts:
            sign = {"+": "+", "×": "*"}[s.name]
            return f"({f' {sign} '.join(self.size(x, scope) for x in s.parts)})"
        return scope.of[s]

    def number_of(self, s: Set, i: str, scope: Scope) -> str:
        """The number of an element, from 0: left parts first, right factors fastest."""
        if not s.parts:
            return f"nat_of_ord {i}" if re.fullmatch(r"[\w']+", i) else f"nat_of_ord ({i})"
        left, right = s.parts
        if s.name == "×":
            first, second = (
                self.number_of(x, f"({i}).{k}", scope) for k, x in enumerate(s.parts, 1)
            )
            return f"({first}) * {self.size(right, scope)} + {second}"
        inner = scope.copy()
        a, b = inner.fresh("a"), inner.fresh("b")
        return (
            f"match {i} with inl {a} => {self.number_of(left, a, inner)} "
            f"| inr {b} => {self.size(left, scope)} + ({self.number_of(right, b, inner)}) end"
        )

    def tensor(self, sets: Iterable[Set], scope: Scope) -> str:
        """The type of a tensor."""
        return " -> ".join([*(self.set(x, scope) for x in sets), "R"])

    def quantified(self, x: Symbol, scope: Scope) -> tuple[str, list[str]]:
        """A symbol with its type, bound from here on, and what is known of it."""
        name = symbol_name(x)
        if isinstance(x, Map):
            dom, cod, bijective = map_type(x)
            over = self.set(cod, scope)
            if not bijective:
                types = [*(self.set(a, scope) for a in dom), over]
                return f"{scope.name(x, name)} : {' -> '.join(types)}", []
            if dom == (cod,):
                there = (
                    "'S_" + scope.of[cod] if not cod.parts and cod != POINT else f"{{perm {over}}}"
                )
                return f"{scope.name(x, name)} : {there}", []
            start = self.set(dom[0], scope)
            f, g = scope.name(x, name), scope.name(("inverse", x), f"{name}_inverse")
            return f"({f} : {start} -> {over}) ({g} : {over} -> {start})", [
                f"cancel {f} {g}", f"cancel {g} {f}",
            ]  # fmt: skip
        if x.kind == "leaf":
            return f"{scope.name(x, name)} : {self.tensor(x.data[1], scope)}", []
        _, binds, yields = x.data
        parts = [self.tensor(b, scope) for b in binds]
        whole = self.tensor(yields, scope)
        f = scope.name(x, name)
        return f"{f} : {' -> '.join([*(f'({p})' for p in parts), whole])}", [
            self._extensional(f, binds, yields, scope)
        ]

    def _extensional(
        self, f: str, binds: Sequence[Sequence[Set]], yields: Sequence[Set], scope: Scope
    ) -> str:
        """Equal values of the parts give equal values of the operator."""
        inner = scope.copy()
        text = []
        parts = []
        for b in binds:
            one, other = inner.fresh("x"), inner.fresh("y")
            parts.append((one, other))
            text.append(f"forall {one} {other} : {self.tensor(b, scope)},")
            at = [inner.copy().fresh(f"i{k}") for k in range(len(b))]
            bound = self._forall(zip(at, b, strict=True), scope)
            text.append(f"({bound}{' '.join([one, *at])} = {' '.join([other, *at])}) ->")
        at = [inner.fresh(f"i{k}") for k in range(len(yields))]
        bound = self._forall(zip(at, yields, strict=True), scope)
        sides = (" ".join([f, *side, *at]) for side in zip(*parts, strict=True))
        return f"({' '.join(text)} {bound}{' = '.join(sides)})"

    def _forall(self, names: Iterable[tuple[str, Set]], scope: Scope, word: str = "forall") -> str:
        found = [f"({a} : {self.set(s, scope)})" for a, s in names]
        return f"{word} {' '.join(found)}, " if found else ""

    # --------------------------------------------------------------------------------- indices
    def map(self, m: Map, args: Sequence[str], scope: Scope) -> str:
        """A map applied."""
        match m.kind, m.data:
            case "symbol", _:
                return " ".join([scope.of[m], *map(atomic, args)])
            case "identity", _:
                return args[0]
            case "inverse", (f,):
                return self._inverse(f, args[0], scope)
            case ("inl" | "inr") as side, both:
                types = " ".join(self.set(x, scope) for x in both)
                return f"@{side} {types} {atomic(args[0])}"
            case "beside", (f, g):
                inner = scope.copy()
                a, b = inner.fresh("a"), inner.fresh("b")
                into = map_type(m)[1].parts
                left = self.map(Map("inl", into), [self.map(f, [a], inner)], inner)
                right = self.map(Map("inr", into), [self.map(g, [b], inner)], inner)
                return f"match {args[0]} with inl {a} => {left} | inr {b} => {right} end"
            case "pair", _:
                return f"({args[0]}, {args[1]})"
            case ("fst" | "snd") as side, _:
                return f"{atomic(args[0])}.{1 if side == 'fst' else 2}"
        raise TypeError(f"given the map {m.kind}, expected one of the calculus")

    def _inverse(self, f: Map, arg: str, scope: Scope) -> str:
        match f.kind, f.data:
            case "symbol", (_, dom, cod, _):
                if dom == (cod,):
                    return f"({scope.of[f]}^-1)%g {atomic(arg)}"
                return f"{scope.of['inverse', f]} {atomic(arg)}"
            case "identity", _:
                return arg
            case "inverse", (g,):
                return self.map(g, [arg], scope)
            case "beside", (g, h):
                whole = Map("beside", (Map("inverse", (g,)), Map("inverse", (h,))))
                return self.map(whole, [arg], scope)
        raise TypeError(f"given the map {f.kind}, expected a bijection of the calculus")

    def index(self, e: Index, at: Mapping[Name, str], scope: Scope) -> str:
        """An index expression, with texts for the axes in it."""
        if isinstance(e, Ap):
            return self.map(e.map, [self.index(x, at, scope) for x in e.args], scope)
        return at[e]

    # --------------------------------------------------------------------------------- terms
    def functions(self, terms: Iterable[Term]) -> list[str]:
        """The pointwise functions that are quantified, in order of use."""
        ops = (op for t in terms for op in _pointwise(t.node))
        return list(dict.fromkeys(op.data[0] for op in ops if op.data[0] not in KNOWN))

    def arity(self, terms: Iterable[Term], name: str) -> int:
        """Of how many numbers a quantified function is."""
        found = {op.data[1] for t in terms for op in _pointwise(t.node) if op.data[0] == name}
        if len(found) > 1:
            raise ValueError(f"function {name}: given {sorted(found)} arguments, expected one type")
        return int(found.pop())

    def bindings(self, terms: Sequence[Term], scope: Scope) -> list[str]:
        """Lines that bind definitions and what is used more than once, parts before wholes."""
        lines = []
        order = list(dict.fromkeys(n for t in terms for n in in_order(t.node)))
        uses = Counter(part.node for n in order for part in n.args)
        uses += Counter(t.node for t in terms)
        for node in order:
            if (step := applied(node.op)) is not None and step not in scope.of:
                lines.append(self._definition(step, scope))
            if node not in scope.of and uses[node] > 1 and not _short(node):
                inner = scope.copy()
                slots = [inner.axis() for _ in range(len(node.sets))]
                body = self.node(node, slots, inner)
                bound = "".join(
                    f" ({a} : {self.set(s, scope)})" for a, s in zip(slots, node.sets, strict=True)
                )
                name = scope.name(node, f"t{sum(isinstance(x, Node) for x in scope.of) + 1}")
                lines.append(f"let {name}{bound} : R := {body} in")
        return lines

    def _definition(self, op: Op, scope: Scope) -> str:
        name, formals, body = op.data
        inner = scope.closed()  # a tensor outside may have the name of a formal, and be its node
        bound = [f"({inner.name(f, f.data[0])} : {self.tensor(f.data[1], scope)})" for f in formals]
        term = Term(body, tuple(range(len(body.sets))))
        slots = [inner.axis() for _ in range(len(body.sets))]
        bound += [f"({a} : {self.set(s, scope)})" for a, s in zip(slots, body.sets, strict=True)]
        lines = self.bindings([term], inner)
        text = " ".join([*lines, self.node(body, slots, inner)])
        return f"let {scope.name(op, name)} {' '.join(bound)} : R := {text} in"

    def node(self, node: Node, at: Sequence[str], scope: Scope) -> str:
        """The value of a node at these indices, one for each slot."""
        match node.op.kind, node.op.data:
            case "leaf", _:
                return " ".join([scope.of[node.op], *map(atomic, at)])
            case "number", (Fraction() as q,):
                return _number(q)
            case "size", (over,):
                return f"{_nat(self.size(over, scope))}%:R"
            case "iota", (over,):
                return f"({self.number_of(over, at[0], scope)})%N%:R"
            case "delta", _:
                return f"({at[0]} == {at[1]})%:R"
            case "pointwise", (str(f), _):
                parts = [self.part(p, at, (), scope) for p in node.args]
                if f in KNOWN:
                    how = {"max": atomic, "min": atomic, "relu": atomic}.get(f, operand)
                    return KNOWN[f].format(*map(how, parts))
                return " ".join([scope.of["function", f], *map(atomic, parts)])
            case "reduce", (str(how), over):
                inner = scope.copy()
                j = inner.axis()
                body = self.part(node.args[0], at, (j,), inner)
                if how in REDUCTIONS:
                    return f"{REDUCTIONS[how]} (fun {j} : {self.set(over, scope)} => {body})"
                sign = {"sum": r"\sum", "prod": r"\prod"}[how]
                return f"{sign}_({j} : {self.set(over, scope)}) {operand(body)}"
            case "at", (exprs, _, _):
                slots: dict[Name, str] = dict(enumerate(at))
                inner_at = tuple(self.index(e, slots, scope) for e in exprs)
                return self.part(node.args[0], at, inner_at, scope)
            case "cat", _:
                branches = []
                for side, part in zip(("inl", "inr"), node.args, strict=True):
                    inner = scope.copy()
                    a = inner.fresh("a")
                    branches.append(f"{side} {a} => {self.part(part, at, (a,), inner)}")
                return f"match {at[0]} with {' | '.join(branches)} end"
            case "apply", (_, formals, body):
                yielded = at[: len(body.sets)]
                parts = [
                    self.function(p, at, f.data[1], scope)
                    for p, f in zip(node.args, formals, strict=True)
                ]
                return " ".join([scope.of[node.op], *parts, *map(atomic, yielded)])
            case "iterate", (step, over):
                return self._stack(node, step, over, at, scope)
            case "opaque", (_, binds, yields):
                parts = [
                    self.function(p, at, b, scope) for p, b in zip(node.args, binds, strict=True)
                ]
                return " ".join([scope.of[node.op], *parts, *map(atomic, at[: len(yields)])])
        raise TypeError(f"given the constructor {node.op.kind}, expected one of the calculus")

    def _stack(self, node: Node, step: Op, over: Set, at: Sequence[str], scope: Scope) -> str:
        """A definition, applied for each layer in order, to what it gave before."""
        _, formals, body = step.data
        start = self.function(node.args[0], at, body.sets, scope)
        inner = scope.copy()
        before, layer = inner.fresh("x"), inner.fresh("l")
        own = [inner.axis() for _ in body.sets]
        parts = []
        for p, f in zip(node.args[1:], formals[1:], strict=True):
            here = inner.copy()
            names = [here.axis() for _ in f.data[1]]
            value = self.part(p, at, (*names, layer), here)
            types = zip(names, f.data[1], strict=True)
            bound = " ".join(f"({a} : {self.set(s, scope)})" for a, s in types)
            parts.append(f"(fun {bound} => {value})" if names else atomic(value))
        once = " ".join([scope.of[step], before, *parts, *own])
        axes = " ".join(
            f"({a} : {self.set(s, scope)})" for a, s in zip(own, body.sets, strict=True)
        )
        made = f"fun {axes} => {once}" if own else once
        layers = self.set(over, scope)
        types_ = f"({before} : {self.tensor(body.sets, scope)}) ({layer} : {layers})"
        stack = f"(foldl (fun {types_} => {made}) {start} (enum {{: {layers}}}))"
        return " ".join([stack, *map(atomic, at[: len(body.sets)])])

    def part(self, p: Term, at: Sequence[str], bound: Sequence[str], scope: Scope) -> str:
        """A part at the indices of the whole and of the axes that are bound in it."""
        slots: dict[Name, str] = dict(enumerate(at))
        slots |= {-1 - k: a for k, a in enumerate(bound)}
        return self.value(p.node, [slots[a] for a in p.axes], scope)

    def value(self, node: Node, at: Sequence[str], scope: Scope) -> str:
        """A node by its name if it has one, else written out."""
        if node in scope.of:
            return " ".join([scope.of[node], *map(atomic, at)])
        return self.node(node, at, scope)

    def function(self, p: Term, at: Sequence[str], over: Sequence[Set], scope: Scope) -> str:
        """A part as a function of the axes that are bound in it."""
        inner = scope.copy()
        names = [inner.axis() for _ in range(len(over))]
        bound = " ".join(f"({a} : {self.set(s, scope)})" for a, s in zip(names, over, strict=True))
        body = self.part(p, at, names, inner)
        return f"(fun {bound} => {body})" if over else atomic(body)

    def atom(self, a: Atom, scope: Scope) -> str:
        """An atom, at every assignment or at some."""
        inner = scope.copy()
        axes = list(a.axes.items())
        names: dict[Name, str] = {
            axis: inner.fresh(axis) if isinstance(axis, str) else inner.axis() for axis, _ in axes
        }
        bound = ((names[axis], over) for axis, over in axes)
        left, right = (self.value(t.node, [names[axis] for axis in t.axes], inner) for t in a.terms)
        word = "exists" if a.some else "forall"
        return self._forall(bound, scope, word) + RELATIONS[a.relation].format(left, right)


def _pointwise(root: Node) -> Iterable[Op]:
    for node in in_order(root):
        if node.op.kind == "pointwise":
            yield node.op
        if (step := applied(node.op)) is not None:
            yield from _pointwise(step.data[2])


def _short(node: Node) -> bool:
    """Whether a node is too short for a name."""
    below = node.args[0].node.op.kind if node.op.kind == "at" else node.op.kind
    return below in ("leaf", "number", "size", "iota", "delta")


def _nat(text: str) -> str:
    return f"{text}%N" if text.startswith("(") else text


def _number(q: Fraction) -> str:
    whole = {0: "0", 1: "1"}.get(abs(q.numerator), f"{abs(q.numerator)}%:R")
    text = whole if q.denominator == 1 else f"{whole} / {q.denominator}%:R"
    return f"- ({text})" if q < 0 else text
