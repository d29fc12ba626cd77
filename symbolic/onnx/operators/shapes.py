"""Sizes, and operators that change a tensor's dimensions alone; arithmetic of sizes."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from itertools import accumulate
from typing import Any

import numpy as np
import sympy

from ..atoms import LARGEST_SIZE
from ..graph import Call
from ..reader import CONSTANT, INTS_LIMIT, Reader, operator
from ..values import Constant, as_ints, dtype_kind
from .elementwise import TRUTHS, type_of
from .node import numbers, run_node


def ints(array: Any, kind: str = "i") -> Constant:
    """Whole numbers known for all sizes; the reader names them."""
    known = as_ints(array)
    return Constant("", tuple(map(sympy.Integer, known.shape)), kind, known)


@operator("Shape")
def shape(r: Reader, c: Call, args: list[Any]) -> Any:
    has = c.attributes
    return ints(list(r.sizes_of(args[0]))[has.get("start", 0) : has.get("end")])


@operator("Size")
def size(r: Reader, c: Call, args: list[Any]) -> Any:
    return ints(sympy.prod(r.sizes_of(args[0])))


# ------------------------------------------------------------- arithmetic of sizes, for all sizes
MOST_POWER, MOST_STEPS = 8, 100  # of a size in the sizes of dynamic dimensions
NARROW = 2**15  # the largest size that is read, where sizes are computed in 32 bits


def simple(x: Any) -> bool:
    """Whether a number made of sizes is one that models have: no tower of squares."""
    powers = [p.as_base_exp()[1] for p in x.atoms(sympy.Pow)]
    small = all(e.is_Integer and abs(e) <= MOST_POWER for e in powers)
    whole = all(abs(k) < 2**63 for k in x.atoms(sympy.Integer))
    return small and whole and x.count_ops() <= MOST_STEPS


def wraps(r: Reader, x: Any, most: int = 2**63) -> bool:
    """Whether a number made of sizes may be beyond 64 bits, or what holds it, or beyond 32 where
    one of them was cast to these. Of many sizes multiplied with each other each is taken to be at
    most NARROW."""
    if r.narrow & x.free_symbols and not magnitude(x, NARROW) < 2**31:
        return True
    if magnitude(x, LARGEST_SIZE) < most:
        return False
    if not magnitude(x, NARROW) < most:
        return True
    for s in x.free_symbols:
        r.atoms.at_most(s, sympy.Integer(NARROW))
    return False


BOUNDS: dict[Any, Callable[..., float]] = {  # on a function, from those on its arguments
    sympy.Add: sum, sympy.Mul: math.prod, sympy.Max: max, sympy.Min: max, sympy.Abs: max,
    sympy.Mod: min, sympy.floor: lambda of: of[0] + 1, sympy.ceiling: lambda of: of[0] + 1,
}  # fmt: skip


def magnitude(x: Any, size: int) -> float:
    """A bound on the absolute value of a number made of sizes that are at least 1 and at most
    `size`; infinity where none is known."""
    if x.is_Rational:
        return abs(int(x)) if x.is_Integer else float(abs(x))
    if x.is_Symbol:
        return size
    parts = [magnitude(a, size) for a in x.args]
    if x.is_Pow and x.exp.is_Integer:
        # what is divided by is a whole number other than 0: at least 1
        return parts[0] ** int(x.exp) if x.exp > 0 else 1
    return BOUNDS[x.func](parts) if x.func in BOUNDS else math.inf


def _divided(a: Any, b: Any) -> Any:
    if a.is_Integer and b.is_Integer:  # ONNX rounds towards zero
        return sympy.Integer(abs(int(a)) // abs(int(b)) * (1 if (a < 0) == (b < 0) else -1))
    if not b.is_positive or a.is_negative:
        raise ValueError
    return a // b  # of a ≥ 0: see `arithmetic`


def _decided(relation: Any) -> Any:
    """1 or 0, where a relation is true or false at all sizes."""
    if relation not in (sympy.true, sympy.false):
        raise ValueError
    return sympy.Integer(1 if relation == sympy.true else 0)


COMPUTED: dict[str, Callable[..., Any]] = {
    "Add": lambda a, b: a + b,
    "Sub": lambda a, b: a - b,
    "Mul": lambda a, b: a * b,
    "Div": _divided,
    "Mod": sympy.Mod,
    "Max": sympy.Max,
    "Min": sympy.Min,
    "Equal": lambda a, b: _decided(sympy.expand(a - b).is_zero),
    "Less": lambda a, b: _decided(a < b),
    "LessOrEqual": lambda a, b: _decided(a <= b),
    "Greater": lambda a, b: _decided(a > b),
    "GreaterOrEqual": lambda a, b: _decided(a >= b),
    "And": sympy.Min,
    "Or": sympy.Max,
    "Not": lambda a: 1 - a,
    "Neg": lambda a: -a,
    "Abs": sympy.Abs,
    "Where": lambda test, a, b: b if _decided(test.is_zero) else a,
}


def of_numbers(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers what computes whole numbers from those of all inputs, where these are known."""

    def registered(function: Callable[..., Any]) -> Callable[..., Any]:
        @operator(*names, table=CONSTANT)
        def read(r: Reader, c: Call, args: list[Any]) -> Any:
            given = [a for a in args if isinstance(a, Constant)]
            if not all(a.ints is not None and a.kind in "ib" for a in given):
                return None
            try:
                return function(r, c, [a.ints for a in given], given[c.op == "Where"].kind)
            except (ValueError, IndexError, TypeError):  # not the same for all sizes, or malformed
                return None

        return read

    return registered


def computed(r: Reader, op: str, *of: Any) -> Any:
    """A number made of others, if it is one that models have."""
    found = sympy.expand(COMPUTED[op](*of))
    if not simple(found):
        raise r.refuse("sizes are computed from each other in too many steps")
    return found


@of_numbers(*COMPUTED)
def arithmetic(r: Reader, c: Call, values: list[Any], kind: str) -> Any:
    if c.attributes.get("fmod") or (
        c.op in ("Div", "Mod") and any(x.is_zero is not False for x in values[1].flat)
    ):
        return None
    for x in values[0].flat if c.op == "Div" else ():
        if not x.is_negative:
            r.atoms.at_most(0, x)
    found = as_ints(np.frompyfunc(partial(computed, r, c.op), len(values), 1)(*values))
    wrapped = any(wraps(r, x) for x in found.flat)
    return None if wrapped else ints(found, "b" if c.op in TRUTHS else kind)


@operator("Identity", table=CONSTANT)
def identity(r: Reader, c: Call, args: list[Any]) -> Any:
    return args[0]


@of_numbers("Cast")
def cast(r: Reader, c: Call, values: list[Any], kind: str) -> Any:
    (found,), to = values, type_of(r, c.attributes["to"])
    if to == "bool":
        return ints(np.frompyfunc(lambda x: 1 - _decided(x.is_zero), 1, 1)(found), "b")
    if "float" in to:
        return None
    low, high = int(np.iinfo(to).min), int(np.iinfo(to).max)

    def fits(x: Any) -> bool:
        narrow = to == "int32" and magnitude(x, NARROW) < 2**31
        return low <= x <= high if x.is_Integer else to == "int64" or narrow

    if not all(map(fits, found.flat)):
        return None  # it wraps around
    if to == "int32":
        for s in set[Any]().union(*(x.free_symbols for x in found.flat)):
            r.narrow.add(s)
            r.atoms.at_most(s, sympy.Integer(NARROW))
    return ints(found)


@of_numbers("ReduceProd", "ReduceSum", "ReduceMax", "ReduceMin")
def reduced(r: Reader, c: Call, values: list[Any], kind: str) -> Any:
    if values[0].ndim != 1 or not values[0].size:
        return None
    if c.attributes.get("noop_with_empty_axes", 0) == 1 and not (values[1:] and values[1].size):
        return ints(values[0], kind)
    op = {"ReduceProd": "Mul", "ReduceSum": "Add", "ReduceMax": "Max", "ReduceMin": "Min"}[c.op]
    steps = [*accumulate(values[0], partial(computed, r, op))]
    # onnxruntime multiplies in floats of 64 bits
    if any(wraps(r, x, 2**53 if op == "Mul" else 2**63) for x in steps):
        return None
    return ints(steps[-1:] if c.attributes.get("keepdims", 1) == 1 else steps[-1], kind)


@of_numbers("Concat", "Gather", "Squeeze", "Unsqueeze", "Reshape", "Slice", "Flatten", "Transpose",
            "Split", "Expand", "Tile")  # fmt: skip
def moved(r: Reader, c: Call, values: list[Any], kind: str) -> Any:
    """Whole numbers put elsewhere: as the node puts their positions."""
    kinds = ["i" if name else "" for name in c.inputs]
    if c.op == "Squeeze" and not values[-1].size:  # an empty list of axes is none
        values, kinds = values[:1], kinds[:1]
    count = len(values) if c.op == "Concat" else 1
    every = np.concatenate([v.ravel() for v in values[:count]])
    ends = np.cumsum([v.size for v in values[:count]])
    others = [v.astype(np.int64) for v in values[count:]]
    spread = np.prod(others[0], dtype=object) if c.op in ("Expand", "Tile") else 0
    if every.size * max(spread, 1) > INTS_LIMIT:
        return None
    parts = np.split(np.arange(every.size), ends[:-1])
    positions = [p.reshape(v.shape) for p, v in zip(parts, values, strict=False)]
    each = [run_node(c, kinds, k)(*positions, *others) for k in range(len(c.outputs))]
    return [ints(every[p], kind) for p in each]


@of_numbers("Range")
def arange(r: Reader, c: Call, values: list[Any], kind: str) -> Any:
    start, stop, step = (v.flat[0] for v in values)
    if step == 0:
        raise r.refuse("a range with step 0")
    if all(x.is_Integer for x in (start, stop, step)):
        if (stop - start) / step > INTS_LIMIT:
            raise r.refuse(f"a range of more than {INTS_LIMIT} numbers")
        return ints(list(range(int(start), int(stop), int(step))))
    if step != 1:
        raise r.refuse(f"a range of unknown length with step {step}")
    r.atoms.at_most(start, stop)
    counts = ({0: sympy.Integer(1)},) if start == 0 else ()
    return Constant("", (sympy.expand(stop - start),), kind, counts=counts)


@operator("ConstantOfShape", table=CONSTANT)
def constant_of_shape(r: Reader, c: Call, args: list[Any]) -> Any:
    sizes = numbers(r, args, 0, "the shape")
    value = np.asarray(c.attributes.get("value", np.zeros(1, np.float32)))
    kind = dtype_kind(value.dtype)
    if kind in "ib" and all(s.is_Integer for s in sizes) and sympy.prod(sizes) <= 64:
        return ints(np.full(list(map(int, sizes)), value.flat[0].item(), dtype=object), kind)
    return Constant("", tuple(sizes), kind, varies_along=(False,) * len(sizes))


# --------------------------------------------------------------------------------- of tensors
@operator("Reshape")
def reshape(r: Reader, c: Call, args: list[Any]) -> Any:
    """x in these sizes: 0 keeps a dimension's, −1 is what remains."""
    x, target = r.as_tensor(args[0]), numbers(r, args, 1, "the shape")
    own = r.sizes(x)
    keeps = not c.attributes.get("allowzero", 0)
    sizes = [own[i] if k == 0 and keeps else k for i, k in enumerate(target)]
    if 0 in (*own, *sizes):
        raise r.refuse(f"a reshape of sizes {own} to {tuple(target)}: of a tensor without entries")
    if math.prod(len(sympy.Add.make_args(s)) for s in (*own, *sizes)) > MOST_STEPS:
        raise r.refuse("sizes are computed from each other in too many steps")
    if -1 in sizes:
        place = sizes.index(-1)
        sizes[place] = sympy.cancel(-sympy.prod(own) / sympy.prod(sizes))
        for a, b in zip(own, sizes, strict=False):  # of two inputs: one length, in two names
            if sizes[place].as_numer_denom()[1].has(b) and a.is_Symbol and b.is_Symbol:
                r.atoms.equate(a, b)
    sizes = [r.atoms.canonical(s) for s in sizes]
    if any(s.is_nonpositive for s in sizes):
        raise r.refuse(f"a reshape of sizes {own} to {tuple(target)}")
    for factor in {f for s in sizes for f in sympy.Mul.make_args(sympy.factor(s))}:
        r.atoms.at_most(sympy.Integer(1), factor)
    return r.reshape(x, sizes)


@operator("Flatten")
def flatten(r: Reader, c: Call, args: list[Any]) -> Any:
    x, k = r.as_tensor(args[0]), int(c.attributes.get("axis", 1))
    sizes = r.sizes(x)
    return r.reshape(x, [sympy.prod(sizes[:k]), sympy.prod(sizes[k:])])


@operator("Squeeze")
def squeeze(r: Reader, c: Call, args: list[Any]) -> Any:
    x = r.as_tensor(args[0])
    named = numbers(r, args, 1, "axes", [])
    if not named and not all(s.is_Integer for s in r.sizes(x)):
        raise r.refuse(f"a squeeze of sizes {r.sizes(x)} without axes: which are 1 differs")
    named = named or [i for i, s in enumerate(r.sizes(x)) if s == 1]
    return r.drop(x, r.dimensions(named, len(x.dims)))


@operator("Unsqueeze")
def unsqueeze(r: Reader, c: Call, args: list[Any]) -> Any:
    x = r.as_tensor(args[0])
    named = numbers(r, args, 1, "axes")
    return r.insert(x, r.dimensions(named, len(x.dims) + len(named)))


@operator("Transpose")
def transpose(r: Reader, c: Call, args: list[Any]) -> Any:
    x = r.as_tensor(args[0])
    order = r.dimensions(c.attributes.get("perm", [*reversed(range(len(x.dims)))]), len(x.dims))
    if sorted(order) != [*range(len(x.dims))]:
        raise r.refuse("an order of axes in which not each is once")
    return r.permute(x, order)


@operator("Expand")
def expand(r: Reader, c: Call, args: list[Any]) -> Any:
    return r.expand(r.as_tensor(args[0]), numbers(r, args, 1, "the shape"))


@operator("Tile")
def tile(r: Reader, c: Call, args: list[Any]) -> Any:
    x, repeats = r.as_tensor(args[0]), numbers(r, args, 1, "repeats")
    own = r.sizes(x)
    pairs = [*zip(repeats, own, strict=True)]
    spread = r.insert(x, range(0, 2 * len(own), 2))
    spread = r.expand(spread, [s for pair in pairs for s in pair])
    return r.reshape(spread, [k * s for k, s in pairs])
