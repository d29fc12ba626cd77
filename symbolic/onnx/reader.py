"""Reading a graph: each tensor becomes a constant or a term, node after node.

What is not read is `Refused`, with the node and the reason, and so is all that depends on it. No
operator is guessed: what is in no file of operators/ is refused by name.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

from orderproof.symbolic import time_limit
from orderproof.symbolic.calculus.terms import Term
from orderproof.symbolic.models import builders as b

from .atoms import Dim, Mismatch, Size, Whole, symbol
from .build import Builder
from .counting import SPREADING, WIDE, counted
from .graph import Array, Call, Graph, Unsupported, captured, draws, inner
from .values import (
    Choice,
    Constant,
    Leaf,
    Realised,
    Refused,
    Tensor,
    Value,
    as_ints,
    dtype_kind,
    signed,
)

Operator = Callable[["Reader", Call, list[Any]], Any]
OPERATORS: dict[str, Operator] = {}  # by operator, of ONNX's own domain
CONSTANT: dict[str, Operator] = {}  # those whose result is a constant where its inputs are
# operators whose results are copies of their inputs' entries
COPYING = frozenset((
    "Gather", "Slice", "Squeeze", "Unsqueeze", "Reshape", "Expand", "Cast", "Identity",
    "Transpose", "Split", "GatherND",
))  # fmt: skip
# those of which an entry is made of entries in the same place, whatever the place is
ENTRYWISE = SPREADING - {"Reshape", "Squeeze"} | {
    "Add", "And", "CastLike", "Div", "Equal", "Mul", "Neg", "Not", "Or", "Sub", "Where",
}  # fmt: skip
DEEPEST = 16  # graphs inside of calls, and bodies of operators
MOST_RANK = 16  # dimensions of a tensor
INTS_LIMIT = 4096  # whole numbers whose value is known for all sizes, in one tensor


def operator(*names: str, table: dict[str, Operator] = OPERATORS) -> Callable[[Operator], Operator]:
    """Registers what reads an operator: of the reader, the call and its inputs, a value or a list
    of values."""

    def registered(function: Operator) -> Operator:
        for name in names:
            if name in table:
                raise ValueError(f"operator {name}: given two readings, expected one")
            table[name] = function
        return function

    return registered


@dataclass
class Reader(Builder):
    """The values of a graph's tensors, by name."""

    graph: Graph = field(default_factory=lambda: Graph({}, {}, {}, ()))
    values: dict[str, Value] = field(default_factory=dict)
    evaluate: Callable[[str], Array] | None = None  # of a constant that no size changes
    # constants that depend on sizes of dynamic dimensions, each with the names of these
    varying: dict[str, frozenset[str]] = field(default_factory=dict)
    used: dict[str, Array] = field(default_factory=dict)  # constants as `evaluate` gave them
    depth: int = 0  # of the graph inside of calls that is being read

    relabelled: frozenset[str] = frozenset()  # inputs of token numbers, which σ renames
    shapes: set[tuple[Size, ...]] = field(default_factory=set)  # of all tensors, once all are read
    narrow: set[Any] = field(default_factory=set)  # sizes that are cast to 32 bits somewhere
    made_by: dict[str, str] = field(default_factory=dict)  # the operator of each call
    identities: set[Tensor] = field(default_factory=set)  # the constants that are δ

    # ------------------------------------------------------------------ what operators ask for
    def identity(self, sizes: Sequence[Size], row: int, column: int, kind: str = "f") -> Tensor:
        """The identity matrix along two dimensions, the same along all others of these sizes."""
        dim = self.set_of(sizes[row], "places")
        dims = [dim if k in (row, column) else () for k in range(len(sizes))]

        def make(r: Realised, _: list[Term]) -> Term:
            sets = r.axes(dim, row)
            deltas = (b.delta(s, (row, k), (column, k)) for (_, k), s in sets.items())
            return b.multiply(b.number(1), *deltas)

        matrix = self.tensor(dims, (), make, [bool(d) for d in dims], kind)
        self.identities.add(found := self.expand(matrix, sizes))
        return found

    def copied_from(self, t: Tensor) -> str:
        """The relabelled input of which all entries of a tensor are copies, or "". Which entry
        stands where must not depend on any input: only then does it move as that input does."""
        found: set[str] = set()
        todo = [t]
        while todo:
            x = todo.pop()
            if not x.parts:
                found.add(x.names[0] if x.names else "")
            elif self.made_by.get(x.node) in COPYING:
                whole = [p for p in x.parts if p.kind == "i"]
                if any(self._depends(p) for p in x.parts if p not in whole):
                    return ""
                todo += whole
            else:
                return ""
        (name,) = found if len(found) == 1 else ("",)
        return name if name in self.relabelled else ""

    def _depends(self, t: Tensor) -> bool:
        """Whether a tensor is made of an input's values."""
        todo, seen = [t], {t}
        while todo:
            x = todo.pop()
            if any(name in self.graph.inputs for name in x.names):
                return True
            todo += [p for p in x.parts if p not in seen]
            seen |= {*x.parts}
        return False

    def refuse(self, reason: str) -> Unsupported:
        """The error that says why the call at hand is not read."""
        return Unsupported(self.node, reason)

    def as_tensor(self, value: Value | None) -> Tensor:
        """A value as a tensor: a constant as a leaf over sets of its own."""
        if isinstance(value, Constant):
            if value.term is not None:
                return value.term
            return self._local(value) if value.local else self.constant(value)
        if not isinstance(value, Tensor):
            raise self.refuse("an input is left out, expected one")
        return value

    def source(self, c: Constant) -> tuple[str, Choice]:
        """Where a table has the value of a constant from: a tensor of the graph, or of a graph
        inside of a call, whose tensors no run gives, what is known of it."""

        known, ints = c.array, c.ints
        if not c.local:
            return c.name, lambda array, _: np.asarray(array)
        if known is not None:
            return "", lambda _, at: known
        if ints is None:
            raise self.refuse(f"the constant {c.name} inside of it is not known")
        return "", lambda _, at: np.reshape([signed(at, x) for x in ints.flat], ints.shape)

    def _local(self, c: Constant) -> Tensor:
        """A constant of a graph inside of a call, as a table of its known value."""
        dims = [self.atoms.new(s, f"d{s}") for s in c.sizes]
        _, values = self.source(c)
        table = self.table(f"{c.name} in {self.node}", dims, values)
        table.kind = c.kind
        return table

    def sizes_of(self, value: Value) -> tuple[Size, ...]:
        """The sizes of a tensor's dimensions."""
        if isinstance(value, Constant):
            return value.sizes
        return self.sizes(self.as_tensor(value))

    def ints(self, value: Value | None, what: str) -> NDArray[Any]:
        """The value of small whole numbers, for all sizes."""
        if isinstance(value, Constant):
            if value.ints is not None:
                return value.ints
            array = self.array(value)
            if array is not None and array.size <= INTS_LIMIT:
                return as_ints(array)
        raise self.refuse(f"{what} depends on data, expected constants")

    def array(self, value: Value | None) -> Array | None:
        """The value of a constant that is the same for all sizes; None where it is not."""
        if not isinstance(value, Constant):
            return None
        if value.array is not None:
            if value.name in self.graph.constants:
                self.used[value.name] = value.array
            return value.array
        if value.ints is not None and all(x.is_Integer for x in value.ints.flat):
            return np.asarray(np.vectorize(int, otypes=[np.int64])(value.ints))
        if value.local or value.name in self.varying or self.evaluate is None:
            return None
        return self._evaluated(value.name)

    def _evaluated(self, name: str) -> Array:
        """The value of a constant, by whoever runs the model."""
        from .run import NotConstant, RunError

        try:
            if name not in self.used and self.evaluate is not None:
                self.used[name] = self.evaluate(name)
            return self.used[name]
        except (RunError, NotConstant) as error:
            raise self.refuse(f"the constant {name} has no value: {error}") from None

    def dimension(self, k: Any, rank: int) -> int:
        """A dimension's number, counted from the end where it is negative."""
        k = int(k)  # of a sympy number, too
        if not -rank <= k < rank:
            raise self.refuse(f"axis {k} of a tensor with {rank} dimensions")
        return int(k % rank)

    def dimensions(self, ks: Sequence[Any], rank: int) -> list[int]:
        """The numbers of several dimensions."""
        return [self.dimension(k, rank) for k in ks]

    # ------------------------------------------------------------------------------ node by node
    def read(self, graph: Graph) -> None:
        """All tensors of the graph, or of one inside of a call."""
        for name, array in graph.constants.items():
            if array.dtype.kind in "cO":
                self.values[name] = Refused(name, "text and complex numbers are not read", name)
            else:
                self.values[name] = replace(initialiser(name, array), local=bool(self.depth))
        for call in graph.calls:
            self.node = call.name
            op = "" if call.op == "Cast" and call.attributes.get("to") not in WIDE else call.op
            # two nodes may have one name: then it says nothing
            self.made_by[call.name] = op if self.made_by.get(call.name, op) == op else ""
            given = [self.values.get(n) if n else None for n in call.inputs]
            refused = [v for v in given if isinstance(v, Refused)]
            if time.monotonic() > time_limit.end():
                late = Refused(call.name, "the time was over before it was read")
                found: Any = [late] * len(call.outputs)
            elif refused:
                found = [refused[0]] * len(call.outputs)
            else:
                found = self.call(call, given)
            for name, value in zip(call.outputs, found, strict=False):
                if name:
                    self.values[name] = value
                    if isinstance(value, Tensor):
                        value.names.append(name)

    def inside(self, graph: Graph) -> list[Value]:
        """The outputs of a graph inside of the call at hand, which sees the tensors around it."""
        around, node = self.values, self.node
        self.values, self.depth = dict(around), self.depth + 1
        try:
            self.read(graph)
            return [self.values[name] for name in graph.outputs]
        finally:
            self.values, self.depth, self.node = around, self.depth - 1, node

    def call(self, call: Call, given: list[Any]) -> list[Value]:
        """The results of one call."""
        try:
            if call.domain not in ("", "ai.onnx"):
                raise self.refuse(f"operator {call.op} of domain {call.domain} is not read")
            inputs = [*given, *(self.values.get(n) for n in captured(call))]
            if all(v is None or isinstance(v, Constant) for v in inputs):
                names = [v.name for v in inputs if isinstance(v, Constant)]
                sizes = frozenset(s for n in names for s in self.varying.get(n, ()))
                return self._constants(call, given, sizes)
            found = self._apply(call, given)
            if any(isinstance(v, Tensor) and len(v.dims) > MOST_RANK for v in found):
                raise self.refuse(f"a tensor of more than {MOST_RANK} dimensions")
            return [
                self._as_constant(n, v, frozenset()) if isinstance(v, Constant) else v
                for n, v in zip(call.outputs, found, strict=False)
            ]
        except Unsupported as e:
            return [Refused(e.node, e.reason, n) for n in call.outputs]
        except Whole:
            reason = "it would split the axis in question"
        except Mismatch as e:
            reason = f"dimensions do not fit: {e}"
        except (AttributeError, LookupError, TypeError, ValueError):  # too few inputs, say
            reason = "its inputs or attributes are not those that are read"
        return [Refused(call.name, f"{call.op}: {reason}", n) for n in call.outputs]

    def _apply(self, call: Call, given: list[Any]) -> list[Value]:
        if call.op not in OPERATORS:
            return self._by_its_body(call, given)
        found = OPERATORS[call.op](self, call, given)
        return found if isinstance(found, list) else [found]

    def _by_its_body(self, call: Call, given: list[Any]) -> list[Value]:
        """An operator that ONNX defines by others: these are read."""
        from .bodies import body

        kinds = [v.kind if isinstance(v, Tensor | Constant) else "" for v in given]
        graph = body(call, kinds) if self.depth < DEEPEST and not draws(call) else None
        if graph is None or any(c.op == call.op for c in graph.calls):
            raise self.refuse(f"operator {call.op} is not read")
        found = dict(zip(graph.outputs, self.inside(graph), strict=True))
        return [found.get(n) for n in call.outputs]  # type: ignore[misc]

    def _constants(self, call: Call, given: list[Any], varying: frozenset[str]) -> list[Value]:
        """Constants of constants. What only their sizes are needed of is read as a tensor."""
        if draws(call):
            raise self.refuse(f"operator {call.op} draws random numbers")
        found: Any = None
        if call.op in CONSTANT:
            found = CONSTANT[call.op](self, call, given)
        if found is None:
            try:
                found = self._apply(call, given)
            except (Unsupported, Whole, Mismatch):
                # a subgraph may use what is no input of the call: it is no constant for that
                if varying or self.evaluate is None or self.depth or any(inner(call)):
                    raise
                found = [initialiser(n, self._evaluated(n)) if n else None for n in call.outputs]
        found = found if isinstance(found, list) else [found]
        constants: list[Value] = []
        for name, value in zip(call.outputs, found, strict=False):
            constant = self._as_constant(name, value, varying)
            if isinstance(constant, Constant) and isinstance(value, Tensor):
                constant = replace(
                    constant,
                    term=value if self._of_identity(call, given, value) else None,
                    counts=counted(call, given, constant),
                )
            constants.append(constant)
        return constants

    def _of_identity(self, call: Call, given: Sequence[Any], value: Tensor) -> bool:
        """Whether a constant is made entry by entry of the identity matrix, and else of what does
        not vary along dimensions such as the axis in question: every permutation of both sides
        leaves it as it is."""
        of = [c for c in given if isinstance(c, Constant)]
        others = [c for c in of if c.term is None]
        alike = not any(
            v and (s.free_symbols or s == self.atoms.size(self.asked))
            for c in others
            for v, s in zip(c.varies_along, c.sizes, strict=True)
        )
        return value in self.identities or (
            call.op in ENTRYWISE and len(others) < len(of) and alike
        )

    def _as_constant(self, name: str, value: Any, varying: frozenset[str]) -> Value:
        if isinstance(value, Tensor):
            if self.depth:
                return value
            value = Constant(name, self.sizes(value), value.kind, varies_along=value.varies_along)
        if not isinstance(value, Constant):
            return value  # type: ignore[no-any-return]
        known = value.ints is not None  # for all sizes: then it shows on which it depends
        every = [*value.sizes, *(value.ints.flat if value.ints is not None else ())]
        names = {str(s) for x in every for s in self.atoms.canonical(x).free_symbols}
        if names or (varying and not known):
            self.varying[name] = frozenset(names if known else names | varying)
        local = bool(self.depth)
        return replace(value, name=name, local=local)


def initialiser(name: str, array: Array) -> Constant:
    """A constant whose value is given."""
    kind = dtype_kind(array.dtype)
    ints = as_ints(array) if kind in "ib" and array.size <= 64 else None
    sizes = tuple(sympy.Integer(k) for k in array.shape)
    return Constant(name, sizes, kind if kind in "fib" else "f", ints, array)


def read(
    graph: Graph,
    axis: tuple[str, int] | None = None,
    *,
    evaluate: Callable[[str], Array] | None = None,
    relabelled: frozenset[str] = frozenset(),
    identify: bool = False,
    cuts: Sequence[Size] = (),
    along: Sequence[tuple[str, int]] = (),
) -> tuple[Reader, Dim]:
    """A graph's tensors, and the dimension that a question is about. Axes of inputs that are moved
    `along` are over its set: Mismatch where they are of another length. With `identify` constants
    as long as this dimension are over its set too. With `cuts` it is cut at these positions, and
    the part of which the size is not fixed is whole."""
    from . import operators  # registers what reads them

    del operators
    reader = Reader(graph=graph, evaluate=evaluate, relabelled=relabelled, identify=identify)
    asked = _asked(reader, *_size(graph.dim(axis)), cuts) if axis is not None else ()
    for name, tensor in graph.inputs.items():
        dims = []
        for k, size in enumerate(tensor.dims):
            expr, hint = _size(size)
            if (name, k) == axis or (name, k) in along:
                dims.append(asked)
                reader.atoms.equate(expr, reader.atoms.size(asked))
            else:
                dims.append(reader.atoms.new(expr, hint))
        kind = dtype_kind(tensor.dtype)
        if tensor.dtype.kind in "OSUc" or not tensor.dtype.itemsize:
            reader.values[name] = Refused(name, "text and complex numbers are not read", name)
            continue
        leaf = Leaf(name, "input", tuple(dims), None, name)
        reader.values[name] = reader.leaf(name, leaf, kind if kind in "fib" else "f")
        reader.values[name].names.append(name)  # type: ignore[union-attr]
    reader.atoms.given |= {a for a, b in reader.atoms.equal.items() if not b.is_Integer}
    reader.read(graph)
    return reader, asked


def _size(size: str | int) -> tuple[Size, str]:
    """The size of an input's dimension, and what its set is called."""
    if isinstance(size, str):
        return symbol(size), size
    return sympy.Integer(size), f"d{size}"


def _asked(reader: Reader, size: Size, hint: str, cuts: Sequence[Size]) -> Dim:
    """The dimension that a question is about; if it is cut, in parts, the one of no fixed size
    whole: Mismatch where not just one is."""
    if not cuts:
        reader.asked = reader.atoms.new(size, hint, whole=True)
        return reader.asked
    parts = [sympy.expand(b - a) for a, b in pairwise([sympy.Integer(0), *cuts, size])]
    if sum(not p.is_Integer for p in parts) != 1 or any(p.is_nonpositive for p in parts):
        raise Mismatch("parts of the axis, of which not just one has no fixed size")
    dims: list[Dim] = []
    for part in parts:
        fixed = part.is_Integer
        dims.append(reader.atoms.new(part, f"d{part}" if fixed else hint, whole=not fixed))
        if not fixed:
            reader.asked = dims[-1]
    return reader.atoms.join(dims, hint)
