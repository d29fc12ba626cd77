"""Entry by entry: the evaluator behind the readings that compute every entry of a term.

A reading supplies an `Algebra` (what numbers, functions and reductions are) and a `Model` (sizes,
maps and tensors). The elements of an index set of size k are 0 … k−1: in a sum the left part
comes first, in a product the right part runs fastest. The readings in SymPy, Z3 and intervals share
this file; those in NumPy and in fractions read indices by index_arrays.py, and share none of it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any, Protocol

from orderproof.symbolic.calculus.terms import (
    Ap,
    Index,
    Map,
    Node,
    Op,
    Set,
    Term,
    map_type,
    reachable,
)
from orderproof.symbolic.models.builders import symbols

from .error import ReadingError

Entries = dict[tuple[int, ...], Any]
ARITHMETIC: dict[str, Callable[..., Any]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv,
    "neg": operator.neg,
}  # fmt: skip


class Algebra(Protocol):
    """The values of a reading. `functions` are the pointwise functions that it can evaluate."""

    functions: Mapping[str, Callable[..., Any]]

    def number(self, value: Fraction) -> Any:
        """A rational constant as a value."""

    def reduce(self, kind: str, values: Sequence[Any], counts: Sequence[Any]) -> Any:
        """sum, prod, max or min of the values, the k-th taken counts[k] times."""


@dataclass(frozen=True)
class Model:
    """Sizes of index set symbols, tables of map symbols, and tensors, by name.

    A map of one argument is the list of its values, a constant its index, another a function. A
    tensor is a function of its indices. `counts` gives the multiplicity of each element
    of an index set symbol whose elements represent several equal ones (values of the algebra).
    """

    sizes: Mapping[str, int]
    maps: Mapping[str, Any] = field(default_factory=dict)
    tensors: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    counts: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    def size(self, s: Set) -> int:
        """The number of elements of an index set."""
        match s.name, s.parts:
            case "1", ():
                return 1
            case "+", (a, b):
                return self.size(a) + self.size(b)
            case "×", (a, b):
                return self.size(a) * self.size(b)
        if s.name not in self.sizes:
            raise ReadingError(f"index set {s.name}: no size given, expected one of {self.sizes}")
        return self.sizes[s.name]

    def multiplicity(self, s: Set) -> Sequence[Any]:
        """The multiplicity of each element: 1 unless `counts` says otherwise."""
        if not s.parts:
            return self.counts.get(s.name, (1,) * self.size(s))
        left, right = map(self.multiplicity, s.parts)
        return [*left, *right] if s.name == "+" else [a * b for a in left for b in right]

    def lumped(self, s: Set) -> bool:
        """Whether some element of the set has a multiplicity."""
        return s.name in self.counts or any(map(self.lumped, s.parts))

    def indices(self, sets: Sequence[Set]) -> Iterator[tuple[int, ...]]:
        """All assignments of indices to axes over these sets."""
        return product(*(range(self.size(s)) for s in sets))

    def apply(self, m: Map, args: tuple[int, ...]) -> int:
        """The value of a map."""
        match m.kind, m.data, args:
            case "symbol", (name, _, cod, bijective), _:
                if name not in self.maps:
                    raise ReadingError(f"map {name}: no table given, expected one")
                table = self.maps[name]
                if bijective and sorted(table) != list(range(self.size(cod))):
                    raise ReadingError(f"map {name}: given {table}, expected a permutation")
                return int(table(*args) if callable(table) else table[args[0]] if args else table)
            case "identity", _, (i,):
                return i
            case "inverse", (f,), (i,):
                (dom,) = map_type(f)[0]
                return next(j for j in range(self.size(dom)) if self.apply(f, (j,)) == i)
            case "inl", _, (i,):
                return i
            case "inr", (a, _), (i,):
                return self.size(a) + i
            case "beside", (f, g), (i,):
                left = self.size(map_type(f)[0][0])
                if i < left:
                    return self.apply(f, (i,))
                return self.size(map_type(f)[1]) + self.apply(g, (i - left,))
            case "pair", (_, b), (i, j):
                return i * self.size(b) + j
            case "fst", (_, b), (i,):
                return i // self.size(b)
            case "snd", (_, b), (i,):
                return i % self.size(b)
        raise ReadingError(f"map {m.kind}: given {m.data}, expected a known kind")

    def index(self, e: Index, at: Mapping[Any, int]) -> int:
        """The value of an index expression at an assignment."""
        if isinstance(e, Ap):
            return self.apply(e.map, tuple(self.index(arg, at) for arg in e.args))
        return at[e]


def evaluate(
    term: Term,
    model: Model,
    algebra: Algebra,
    known: MutableMapping[object, Entries] | None = None,
    tensors: object = None,
) -> Entries:
    """Every entry of the term, by index tuple in the order of its axes. Entries of parts are taken
    from `known` and put there: it is for one algebra, and `tensors` says which are the model's."""
    tables: dict[Node, Entries] = {}
    for node in reachable(term.node):
        key = None if known is None else (tensors, node, *_where(node, model))
        found = None if known is None else known.get(key)
        tables[node] = _entries(node, tables, model, algebra) if found is None else found
        if known is not None:
            known[key] = tables[node]
    return tables[term.node]


def _where(node: Node, model: Model) -> Iterator[object]:
    """The sizes and tables of maps that the entries of a node depend on."""
    sets, maps = _symbols(node)
    yield from (model.sizes.get(name) for name in sets)
    yield from (tuple(t) if isinstance(t := model.maps.get(m), list) else t for m in maps)


@cache
def _symbols(node: Node) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of the index sets and maps in a node."""
    sets, maps = symbols(Term(node, tuple(range(len(node.sets)))))
    return tuple(s.name for s in sets), tuple(str(m.data[0]) for m in maps)


def _entries(node: Node, tables: dict[Node, Entries], model: Model, algebra: Algebra) -> Entries:
    op, out = node.op, list(model.indices(node.sets))

    def part(k: int, slots: tuple[int, ...], bound: tuple[int, ...] = ()) -> Any:
        wires: Any = node.args[k].axes
        return tables[node.args[k].node][
            tuple(slots[w] if w >= 0 else bound[-1 - w] for w in wires)
        ]

    match op.kind, op.data:
        case "leaf", (name, _):
            if name not in model.tensors:
                raise ReadingError(f"tensor {name}: no values given, expected them in the model")
            return {i: model.tensors[name](*i) for i in out}
        case "number", (value,):
            return {(): algebra.number(value)}
        case "size", (of,):
            counts = model.multiplicity(of)
            return {(): algebra.reduce("sum", [algebra.number(Fraction(1))] * len(counts), counts)}
        case (("iota" | "delta"), (of,)) if model.lumped(of):
            raise ReadingError(f"{op.kind} over {of.name}: its elements have multiplicities")
        case "iota", _:
            return {i: algebra.number(Fraction(i[0])) for i in out}
        case "delta", _:
            return {i: algebra.number(Fraction(int(i[0] == i[1]))) for i in out}
        case "pointwise", (name, arity):
            if name not in algebra.functions:
                known = ", ".join(sorted(algebra.functions))
                raise ReadingError(f"function {name}: unknown to this reading, expected: {known}")
            function = algebra.functions[name]
            return {i: function(*(part(k, i) for k in range(arity))) for i in out}
        case "reduce", (kind, over):
            counts = model.multiplicity(over)
            inner = range(model.size(over))
            return {i: algebra.reduce(kind, [part(0, i, (j,)) for j in inner], counts) for i in out}
        case "at", (exprs, _, _):
            steps = [(tuple(model.index(e, dict(enumerate(i))) for e in exprs), i) for i in out]
            return {i: part(0, (), to) for to, i in steps}
        case "cat", (left, _):
            cut = model.size(left)
            return {
                i: part(0, i, (i[0],)) if i[0] < cut else part(1, i, (i[0] - cut,)) for i in out
            }
        case "apply", _:
            return _apply(node, op, part, model, algebra)
        case "iterate", (_, over) if model.lumped(over):
            raise ReadingError(f"iterate over {over.name}: its elements have multiplicities")
        case "iterate", (step, over):
            return _apply(node, step, part, model, algebra, range(model.size(over)))
        case "opaque", (name, binds, yields):
            if name not in model.tensors:
                raise ReadingError(f"operator {name}: no function given, expected one in the model")
            cut = len(yields)
            return {
                i: model.tensors[name](
                    *(
                        {b: part(k, i, b) for b in model.indices(sets)}
                        for k, sets in enumerate(binds)
                    )
                )[i[:cut]]
                for i in out
            }
    raise ReadingError(f"{op.kind}: given {op.data}, expected a known constructor")


def _apply(
    node: Node,
    definition: Op,
    part: Any,
    model: Model,
    algebra: Algebra,
    layers: range | None = None,
) -> Entries:
    """A definition: its body evaluated once for each assignment of the shared axes; or once for
    each layer, each time of the value before and of what the other parts are at that layer."""
    _, formals, body = definition.data
    cut = len(body.sets)

    def once(slots: tuple[int, ...], layer: tuple[int, ...], state: Entries | None) -> Entries:
        def value(k: int, b: tuple[int, ...]) -> Any:
            return part(k, slots, (*b, *layer)) if state is None or k else state[b]

        tensors = {f.data[0]: (lambda *b, k=k: value(k, b)) for k, f in enumerate(formals)}
        inner = Model(model.sizes, model.maps, tensors, model.counts)
        return evaluate(Term(body, tuple(range(cut))), inner, algebra)

    result: Entries = {}
    for shared in model.indices(node.sets[cut:]):
        slots = (0,) * cut + shared
        if layers is None:
            entries = once(slots, (), None)
        else:
            entries = {y: part(0, slots, y) for y in model.indices(body.sets)}
            for layer in layers:
                entries = once(slots, (layer,), entries)
        result |= {(*y, *shared): v for y, v in entries.items()}
    return result
