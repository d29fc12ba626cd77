"""Sizes, and operators that change a tensor's dimensions alone; arithmetic of sizes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import sympy

from ..atoms import LARGEST_SIZE
from ..graph import Call
from ..reader import CONSTANT, INTS_LIMIT, Reader, operator
from ..values import Constant, Tensor, as_ints, dtype_kind
from .elementwise import type_of
from .node import run_node


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
    if x.is_Integer:
        return bool(abs(x) < 2**63)
    powers = [e for _, e in (p.as_base_exp() for p in x.atoms(sympy.Pow))]
    large = any(not e.is_Integer or abs(e) > MOST_POWER for e in powers)
    return not large and x.count_ops() <= MOST_STEPS and all(
        abs(k) < 2**63 for k in x.atoms(sympy.Integer)
    )  # fmt: skip


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


def magnitude(x: Any, size: int) -> float:
    """A bound on the absolute value of a number made of sizes that are at least 1 and at most
    `size`; infinity where none is known."""
    if x.is_Integer or x.is_Rational:
        return abs(int(x)) if x.is_Integer else float(abs(x))
    if x.is_Symbol:
        return size
    parts = [magnitude(a, size) for a in x.args]
    if x.is_Add:
        return sum(parts)
    if x.is_Mul:
        return math.prod(parts)
    if x.is_Pow and x.exp.is_Integer:
        # what is divided by is a whole number other than 0: at least 1
        return parts[0] ** int(x.exp) if x.exp > 0 else 1
    if isinstance(x, sympy.floor | sympy.ceiling):
        return parts[0] + 1
    if isinstance(x, sympy.Max | sympy.Min | sympy.Abs):
        return max(parts)
    return min(parts) if isinstance(x, sympy.Mod) else math.inf


def _divided(a: Any, b: Any) -> Any:
    if b == 0 or not ((b.is_positive and not a.is_negative) or (a.is_Integer and b.is_Integer)):
        raise ValueError
    if a.is_Integer and b.is_Integer:  # ONNX rounds towards zero
        return sympy.Integer(abs(int(a)) // abs(int(b)) * (1 if (a < 0) == (b < 0) else -1))
    return sympy.expand(a // b)  # of a ≥ 0: see `arithmetic`


def _not_zero(x: Any) -> Any:
    if x.is_zero is not False:
        raise ValueError
    return x


def _decided(relation: Any) -> Any:
    if relation not in (sympy.true, sympy.false):
        raise ValueError
    return sympy.Integer(1 if relation == sympy.true else 0)


def _equal(a: Any, b: Any) -> Any:
    difference = sympy.expand(a - b)
    if difference == 0:
        return sympy.Integer(1)
    if difference.is_zero is False:
        return sympy.Integer(0)
    raise ValueError


BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "Add": lambda a, b: sympy.expand(a + b),
    "Sub": lambda a, b: sympy.expand(a - b),
    "Mul": lambda a, b: sympy.expand(a * b),
    "Div": _divided,
    "Mod": lambda a, b: sympy.Mod(a, _not_zero(b)),
    "Max": sympy.Max,
    "Min": sympy.Min,
    "Equal": _equal,
    "Less": lambda a, b: _decided(a < b),
    "LessOrEqual": lambda a, b: _decided(a <= b),
    "Greater": lambda a, b: _decided(a > b),
    "GreaterOrEqual": lambda a, b: _decided(a >= b),
    "And": lambda a, b: sympy.Integer(1 if a != 0 and b != 0 else 0),
    "Or": lambda a, b: sympy.Integer(1 if a != 0 or b != 0 else 0),
}
COMPARED = {"Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "And", "Or"}


def known(args: list[Any]) -> list[Any] | None:
    """The whole numbers of all inputs; None where those of one are not known."""
    if not all(isinstance(a, Constant) and a.ints is not None and a.kind in "ib" for a in args):
        return None
    return [a.ints for a in args]


@operator(*BINARY, table=CONSTANT)
def arithmetic(r: Reader, c: Call, args: list[Any]) -> Any:
    values = known(args)
    if not values or len(values) != 2 or c.attributes.get("fmod"):
        return None
    left, right = np.broadcast_arrays(*values)
    if c.op == "Div":
        for x in left.flat:
            if not x.is_negative:
                r.atoms.at_most(sympy.Integer(0), x)
    found = np.empty(left.shape, dtype=object)
    try:
        for i in np.ndindex(left.shape):
            found[i] = BINARY[c.op](left[i], right[i])
            if not simple(found[i]):
                raise r.refuse("sizes are computed from each other in too many steps")
    except ValueError:
        return None
    if any(wraps(r, x) for x in found.flat):
        return None
    return ints(found, "b" if c.op in COMPARED else args[0].kind)


@operator("Neg", "Abs", "Not", "Identity", table=CONSTANT)
def one(r: Reader, c: Call, args: list[Any]) -> Any:
    if c.op == "Identity":
        return args[0]
    values = known(args)
    if values is None:
        return None
    of = {"Neg": lambda x: -x, "Abs": sympy.Abs, "Not": lambda x: sympy.Integer(int(x == 0))}
    return ints([of[c.op](x) for x in values[0].flat], args[0].kind) if values[0].ndim == 1 else (
        ints(of[c.op](values[0][()])) if values[0].ndim == 0 else None
    )  # fmt: skip


@operator("Cast", table=CONSTANT)
def cast(r: Reader, c: Call, args: list[Any]) -> Any:
    values, to = known(args), type_of(r, c.attributes["to"])
    if values is None or "float" in to:
        return None
    found = values[0]
    if to == "bool":
        try:
            found = np.vectorize(lambda x: 1 - _equal(x, sympy.Integer(0)), [object])(found)
        except ValueError:
            return None
        return Constant("", args[0].sizes, "b", as_ints(found))
    ends = np.iinfo(np.dtype(to))
    low, high = int(ends.min), int(ends.max)
    if any(x.is_Integer and not low <= x <= high for x in found.flat) or (
        to not in ("int64", "int32") and any(not x.is_Integer for x in found.flat)
    ):
        return None  # it wraps around
    if to == "int32" and not all(magnitude(x, NARROW) < 2**31 for x in found.flat):
        return None
    if to == "int32":
        for s in {s for x in found.flat for s in x.free_symbols}:
            r.narrow.add(s)
            r.atoms.at_most(s, sympy.Integer(NARROW))
    return Constant("", args[0].sizes, "i", found)


@operator("Where", table=CONSTANT)
def where(r: Reader, c: Call, args: list[Any]) -> Any:
    values = known(args)
    if values is None or not all(x.is_Integer for x in values[0].flat):
        return None
    test, x, y = np.broadcast_arrays(*values)
    return ints(np.where(test != 0, x, y), args[1].kind)


@operator("ReduceProd", "ReduceSum", "ReduceMax", "ReduceMin", table=CONSTANT)
def reduced(r: Reader, c: Call, args: list[Any]) -> Any:
    values = known(args[:1])
    if values is None or values[0].ndim != 1 or not values[0].size:
        return None
    if c.attributes.get("noop_with_empty_axes", 0) and len(args) < 2:
        return None
    of = {"ReduceProd": "Mul", "ReduceSum": "Add", "ReduceMax": "Max", "ReduceMin": "Min"}[c.op]
    whole, *rest = values[0]
    for x in rest:
        whole = BINARY[of](whole, x)
        if not simple(whole):
            raise r.refuse("sizes are computed from each other in too many steps")
        # onnxruntime multiplies in floats of 64 bits
        if wraps(r, whole, 2**53 if c.op == "ReduceProd" else 2**63):
            return None
    return ints([whole] if c.attributes.get("keepdims", 1) else whole, args[0].kind)


@operator("Concat", "Gather", "Squeeze", "Unsqueeze", "Reshape", "Slice", "Flatten", "Transpose",
          "Split", "Expand", "Tile", table=CONSTANT)  # fmt: skip
def moved(r: Reader, c: Call, args: list[Any]) -> Any:
    """Whole numbers put elsewhere: as the node puts their positions."""
    values = known([a for a in args if a is not None])
    if values is None:
        return None
    count = len(values) if c.op == "Concat" else 1
    every = np.concatenate([v.ravel() for v in values[:count]])
    ends = np.cumsum([v.size for v in values[:count]])
    try:
        others = [v.astype(np.int64) for v in values[count:]]
        spread = np.prod(others[0], dtype=object) if c.op in ("Expand", "Tile") else 0
        if every.size * max(spread, 1) > INTS_LIMIT:
            return None
        parts = np.split(np.arange(every.size), ends[:-1])
        positions = [p.reshape(v.shape) for p, v in zip(parts, values, strict=False)]
        kinds = ["" if a is None else "i" for a in args]
        each = [run_node(c, kinds, k)(*positions, *others) for k in range(len(c.outputs))]
    except (ValueError, IndexError, TypeError):
        return None
    return [ints(every[p], args[0].kind) for p in each]


@operator("Range", table=CONSTANT)
def arange(r: Reader, c: Call, args: list[Any]) -> Any:
    values = known(args)
    if values is None:
        return None
    start, stop, step = (v[()] if v.ndim == 0 else v.flat[0] for v in values)
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
    return Constant("", (sympy.expand(stop - start),), args[0].kind, counts=counts)


@operator("ConstantOfShape", table=CONSTANT)
def constant_of_shape(r: Reader, c: Call, args: list[Any]) -> Any:
    sizes = list(r.ints(args[0], "the shape").flat)
    value = np.asarray(c.attributes.get("value", np.zeros(1, np.float32)))
    kind = dtype_kind(value.dtype)
    fixed = all(s.is_Integer for s in sizes)
    if kind in "ib" and fixed and np.prod(list(map(int, sizes)), dtype=object) <= 64:
        return ints(np.full(list(map(int, sizes)), value.flat[0].item(), dtype=object), kind)
    return Constant("", tuple(sizes), kind, varies_along=(False,) * len(sizes))


# --------------------------------------------------------------------------------- of tensors
@operator("Reshape")
def reshape(r: Reader, c: Call, args: list[Any]) -> Any:
    x = r.as_tensor(args[0])
    return reshaped(r, x, list(r.ints(args[1], "the shape").flat), c.attributes.get("allowzero", 0))


def reshaped(r: Reader, x: Tensor, target: list[Any], allowzero: Any = 0) -> Tensor:
    """x in these sizes: 0 keeps a dimension's, −1 is what remains."""
    own = r.sizes(x)
    if not allowzero and any(k == 0 and i >= len(own) for i, k in enumerate(target)):
        raise r.refuse(f"a reshape of sizes {own} to {tuple(target)}")
    sizes = [own[i] if k == 0 and not allowzero else k for i, k in enumerate(target)]
    if 0 in own:
        raise r.refuse(f"a reshape of sizes {own}: of a tensor without entries")
    if math.prod(len(sympy.Add.make_args(s)) for s in (*own, *sizes)) > MOST_STEPS:
        raise r.refuse("sizes are computed from each other in too many steps")
    if -1 in sizes:
        place = sizes.index(-1)
        rest = sympy.prod([sympy.Integer(1), *(s for i, s in enumerate(sizes) if i != place)])
        if rest == 0:
            raise r.refuse(f"a reshape of sizes {own} to {tuple(target)}")
        sizes[place] = sympy.cancel(sympy.prod(own) / rest)
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
    x = r.as_tensor(args[0])
    k = int(c.attributes.get("axis", 1))
    k = k + len(x.dims) if k < 0 else k
    sizes = r.sizes(x)
    return r.reshape(x, [sympy.prod(sizes[:k]), sympy.prod(sizes[k:])])


@operator("Squeeze")
def squeeze(r: Reader, c: Call, args: list[Any]) -> Any:
    x = r.as_tensor(args[0])
    if len(args) > 1 and args[1] is not None:
        places = r.dimensions(list(r.ints(args[1], "axes").flat), len(x.dims))
    else:
        if not all(s.is_Integer for s in r.sizes(x)):
            raise r.refuse(f"a squeeze of sizes {r.sizes(x)} without axes: which are 1 differs")
        places = [i for i, s in enumerate(r.sizes(x)) if s == 1]
    return r.drop(x, places)


@operator("Unsqueeze")
def unsqueeze(r: Reader, c: Call, args: list[Any]) -> Any:
    x = r.as_tensor(args[0])
    named = list(r.ints(args[1], "axes").flat)
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
    return r.expand(r.as_tensor(args[0]), list(r.ints(args[1], "the shape").flat))


@operator("Tile")
def tile(r: Reader, c: Call, args: list[Any]) -> Any:
    x, repeats = r.as_tensor(args[0]), list(r.ints(args[1], "repeats").flat)
    dims, varies_along = [], []
    for d, own, k in zip(x.dims, x.varies_along, repeats, strict=True):
        dims += [r.atoms.new(k, "copies"), d]
        varies_along += [False, own]
    spread = r.insert(x, range(0, 2 * len(x.dims), 2))
    spread = r.same(spread, dims, varies_along)
    pairs = [(*dims[2 * i], *dims[2 * i + 1]) for i in range(len(x.dims))]
    return r.regroup(spread, pairs, x.varies_along)
