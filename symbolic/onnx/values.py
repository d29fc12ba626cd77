"""The two kinds of value in a graph: tensors, which are terms of the calculus, and constants.

A constant does not depend on the data of any input, at most on their sizes. It is kept whole: a
term has it as a leaf, named by the tensor in the graph. Of small whole numbers, as those that
compute shapes, the value is known for all sizes: `ints`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
import sympy
from numpy.typing import NDArray

from orderproof.symbolic.calculus.terms import Ap, Index, Map, Op, Set, ShapeError, Term, at, build
from orderproof.symbolic.models import builders as b

from .atoms import Atoms, Dim, Mismatch, Size, of_sets
from .graph import Array, Unsupported

Axis = tuple[int, int]  # of a term: the dimension of the tensor, and the atom in that dimension
SizeAt = Callable[[Size], int]  # what a size is at the sizes in question
TableAt = Callable[[Array | None, SizeAt], Array]  # a table, from its source's value
Choice = Callable[[Array | None, SizeAt], Any]  # positions, from a constant's value and sizes
Strides = Mapping[int, Size]  # of dimensions of a constant: see counting.py
Labels = Sequence[Any]  # of each dimension
Make = Callable[["Realised", list[Term]], Term]


@dataclass(eq=False)
class Tensor:
    """A tensor that depends on the data of an input. `make` gives its term from those of its
    parts, when all that operators force on its atoms is known."""

    dims: tuple[Dim, ...]
    parts: tuple[Tensor, ...]
    make: Make
    varies_along: tuple[bool, ...]  # of each dimension: whether entries may differ along it
    kind: str = "f"  # of its numbers: f, i or b, as NumPy has them
    names: list[str] = field(default_factory=list)  # in the graph
    node: str = ""  # the call that made it


@dataclass(frozen=True, eq=False)
class Constant:
    """A tensor of the graph that is the same whatever the data of the inputs."""

    name: str
    sizes: tuple[Size, ...]
    kind: str
    ints: NDArray[Any] | None = None  # of sizes: sympy expressions
    array: Array | None = None  # its value, where that is one for all sizes
    local: bool = False  # of a graph inside of a call: no run of the model gives its value
    varies_along: tuple[bool, ...] = ()  # of each dimension: whether entries may differ along it
    # entries that are Σ stride · position, over some dimensions: of all, or of each index of the
    # last dimension
    counts: tuple[Strides, ...] = ()
    term: Tensor | None = None  # where it is made of the identity matrix: what it is

    def __post_init__(self) -> None:
        if not self.varies_along:  # nothing is known
            object.__setattr__(self, "varies_along", (True,) * len(self.sizes))


@dataclass(frozen=True)
class Refused:
    """A tensor that is not read: at which node, and why."""

    node: str
    reason: str
    tensor: str = ""


Value = Tensor | Constant | Refused


@dataclass(frozen=True)
class Leaf:
    """What a free tensor of the term stands for: an input of the graph; a constant of it, without
    the axes along which no entry differs; or a table that an operator makes of one (the matrix of a
    convolution)."""

    source: str  # a tensor of the graph; "" where the table depends on sizes alone
    role: str  # "input", "constant", "table"
    dims: tuple[Dim, ...]
    table: TableAt | None = None
    input: str = ""  # of the graph: where it is made of one by copying entries, which one


@dataclass
class Realised:
    """Terms of tensors, with their leaves, when nothing more is forced on the atoms."""

    atoms: Atoms
    terms: dict[Tensor, Term] = field(default_factory=dict)
    leaves: dict[Op, Leaf] = field(default_factory=dict)
    named: dict[str, Any] = field(default_factory=dict)  # what each name in a term stands for
    maps: dict[str, Size] = field(default_factory=dict)  # constants of index sets

    def of(self, tensor: Tensor) -> Term:
        """The term of a tensor; its axes are among (dimension, atom)."""
        todo = [tensor]
        while todo:
            t = todo[-1]
            missing = [p for p in t.parts if p not in self.terms]
            if t not in self.terms and missing:
                todo += missing
                continue
            todo.pop()
            if t not in self.terms:
                try:
                    self.terms[t] = t.make(self, [self.terms[p] for p in t.parts])
                except Mismatch as error:
                    raise Unsupported(t.node, str(error)) from None
                except ShapeError:  # atoms were split after it was read
                    reason = "another node splits or joins one of its dimensions in another way"
                    raise Unsupported(t.node, reason) from None
        return self.terms[tensor]

    def axes(self, dim: Dim, number: int) -> dict[Axis, Set]:
        """The axes of a term for a dimension, with their sets."""
        return {(number, k): self.atoms.set(a) for k, a in enumerate(self.atoms.resolve(dim))}

    def name(self, name: str, of: object) -> str:
        """The name with as many primes as it needs to be of nothing else: two nodes may have one,
        and of a dimension that a reshape merged an operator is another function."""
        while self.named.setdefault(name, of) != of:
            name += "′"
        return name

    def leaf(self, name: str, leaf: Leaf) -> Term:
        """A free tensor."""
        axes = {a: s for i, dim in enumerate(leaf.dims) for a, s in self.axes(dim, i).items()}
        sets, key = tuple(axes.values()), leaf if leaf.table else (leaf.source, leaf.role)
        op = Op("leaf", (self.name(name, (sets, key)), sets))
        self.leaves.setdefault(op, leaf)
        numbered = b.tensor(op.data[0], **{f"a{k}": s for k, s in enumerate(sets)})
        return numbered.rename({f"a{k}": a for k, a in enumerate(axes)})


def signed(at: SizeAt, number: Any) -> int:
    """A whole number that may be negative, where sizes are not."""
    number = sympy.sympify(number)
    return -at(-number) if number.is_negative else at(number)


def dtype_kind(dtype: np.dtype[Any]) -> str:
    """f, i or b of the numbers of a type; of other types the letter that NumPy has."""
    return "i" if dtype.kind == "u" else dtype.kind


def as_ints(array: Any) -> NDArray[Any]:
    """Whole numbers as an array of sympy expressions or Python numbers."""
    found = np.empty(np.shape(array), dtype=object)
    for i, x in np.ndenumerate(np.asarray(array, dtype=object)):
        found[i] = sympy.sympify(x) if not isinstance(x, bool | np.bool_) else sympy.Integer(int(x))
    return found


# ------------------------------- terms with the axes of a tensor: renamed, joined, picked from
def pairs(term: Term) -> tuple[tuple[Any, int], ...]:
    """The axes of a tensor's term: (dimension or label, atom)."""
    return cast(tuple[tuple[Any, int], ...], term.axes)


def labelled(term: Term, labels: Labels | Mapping[Any, Any]) -> Term:
    """A term with its axes (i, k) called (labels[i], k); a label that stands twice: a diagonal."""
    new: Mapping[Any, Index] = {(i, k): (labels[i], k) for i, k in pairs(term)}
    if len(set(new.values())) == len(new):
        return term.rename(new)
    return at(term, new)


def inside(sets: Sequence[Set], k: int, index: Index) -> Index:
    """An index of the k-th of these sets as one of A + (B + (C + …))."""
    e = index
    if k < len(sets) - 1:
        e = Ap(Map("inl", (sets[k], of_sets("+", sets[k + 1 :]))), (e,))
    for j in reversed(range(k)):
        e = Ap(Map("inr", (sets[j], of_sets("+", sets[j + 1 :]))), (e,))
    return e


def pair(sets: Sequence[Set], indices: Sequence[Index]) -> Index:
    """Indices of sets as one of A × (B × (C × …))."""
    e = indices[-1]
    for k in reversed(range(len(sets) - 1)):
        e = Ap(Map("pair", (sets[k], of_sets("×", sets[k + 1 :]))), (indices[k], e))
    return e


def component(sets: Sequence[Set], k: int, index: Index) -> Index:
    """The k-th component of an index of A × (B × (C × …))."""
    e = index
    for j in range(min(k + 1, len(sets) - 1)):
        side = "fst" if j == k else "snd"
        e = Ap(Map(side, (sets[j], of_sets("×", sets[j + 1 :]))), (e,))
    return e


def joined_terms(pieces: Sequence[Term], sets: Sequence[Set], axis: Any) -> Term:
    """Pieces one after the other along an axis."""
    whole, over = pieces[-1], sets[-1]
    for piece, s in zip(reversed(pieces[:-1]), reversed(sets[:-1]), strict=True):
        op = Op("cat", (s, over))
        whole, over = build(op, [piece, whole], [[axis], [axis]], [axis]), Set("+", (s, over))
    return whole
