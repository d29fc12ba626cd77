"""A constant tensor by its dimensions and its entry at any indices, both as expressions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from .compare import equal
from .expression import ONE, ZERO, Expr, add, integer, mul, number, product, quotient
from .rounding import floor_div, floor_mod

Indices = tuple[Expr, ...]


class Refused(Exception):
    """What cannot be read, without the node, which the reader adds."""


class Reaches(Refused):
    """What depends on the values of an input."""


@dataclass(frozen=True, eq=False)
class Tensor:
    """Dimensions, sort of entries, and the entry at indices: each is reckoned once."""

    dims: tuple[Expr, ...]
    sort: str
    entry: Callable[[Indices], Expr]
    _met: dict[Indices, Expr] = field(default_factory=dict)

    def at(self, *indices: Expr) -> Expr:
        """The entry at these indices, which lie within the dimensions."""
        if len(indices) != len(self.dims):
            raise Refused(f"given {len(indices)} indices, expected {len(self.dims)}")
        if indices not in self._met:
            self._met[indices] = self.entry(indices)
        return self._met[indices]

    @property
    def rank(self) -> int:
        """How many axes it has."""
        return len(self.dims)

    def elements(self) -> list[Expr]:
        """The entries of a scalar, or of a list of known length."""
        if self.rank == 0:
            return [self.at()]
        length = integer(self.dims[0])
        if self.rank != 1 or length is None or length > 64:
            raise Refused("given a shape or list of unknown length, expected a known one")
        return [self.at(number(k)) for k in range(length)]

    def numbers(self) -> list[int]:
        """The same where all are known integers."""
        found = [integer(e) for e in self.elements()]
        if None in found:
            raise Refused("given a list that depends on a size, expected known integers")
        return [k for k in found if k is not None]


def place(axis: int, rank: int) -> int:
    """An axis counted from the front."""
    if not -rank <= axis < rank:
        raise Refused(f"given axis {axis}, expected one of {rank}")
    return axis % rank


def broadcast(shapes: Sequence[Sequence[Expr]], known: Callable[[Expr], None]) -> tuple[Expr, ...]:
    """The dimensions of tensors put together; where two sizes have to be equal, `known` is told. A
    size that is not 1 by its expression counts as no 1."""
    rank = max(map(len, shapes), default=0)
    found = [ONE] * rank
    for dims in shapes:
        for k, d in enumerate(dims, rank - len(dims)):
            if found[k] == ONE:
                found[k] = d
            elif d != ONE and d != found[k]:
                known(equal(d, found[k]))
                found[k] = d if integer(d) is not None else found[k]
    return tuple(found)


def spread(t: Tensor, indices: Indices) -> Expr:
    """The entry of a tensor at indices of what it is broadcast to."""
    own = indices[len(indices) - t.rank :]
    return t.at(*(ZERO if d == ONE else i for d, i in zip(t.dims, own, strict=True)))


def expanded(t: Tensor, dims: tuple[Expr, ...]) -> Tensor:
    """A tensor broadcast to dimensions."""
    return Tensor(dims, t.sort, lambda i: spread(t, i))


def reshaped(t: Tensor, dims: tuple[Expr, ...]) -> Tensor:
    """The same entries in row-major order, in other dimensions of the same product."""
    groups = list(_groups(list(t.dims), list(dims)))

    def entry(indices: Indices) -> Expr:
        found: dict[int, Expr] = {}
        for old, new in groups:
            if [t.dims[k] for k in old] == [dims[k] for k in new]:
                found |= {k: indices[m] for k, m in zip(old, new, strict=True)}
                continue
            whole = ZERO
            for m in new:
                whole = add(mul(whole, dims[m]), ZERO if dims[m] == ONE else indices[m])
            for k in reversed(old[1:]):
                found[k], whole = floor_mod(whole, t.dims[k]), floor_div(whole, t.dims[k])
            found |= dict.fromkeys(old[:1], whole)
        return t.at(*(ZERO if t.dims[k] == ONE else found[k] for k in range(t.rank)))

    return Tensor(dims, t.sort, entry)


def _groups(old: list[Expr], new: list[Expr]) -> list[tuple[list[int], list[int]]]:
    """Stretches of axes of one product: as short as they can be seen to be."""
    groups: list[tuple[list[int], list[int]]] = []
    a = [k for k, d in enumerate(old) if d != ONE]
    b = [k for k, d in enumerate(new) if d != ONE]
    while a or b:
        take: list[int] = []
        give: list[int] = []
        left = right = ONE
        while not take or left != right:
            if a and (not b or _smaller(left, right) or not take):
                k = a.pop(0)
                take.append(k)
                left = mul(left, old[k])
            elif b:
                k = b.pop(0)
                give.append(k)
                right = mul(right, new[k])
            else:
                break
        if left != right:
            raise Refused("given dimensions of another product, or not seen to be of the same")
        groups.append((take, give))
    return groups


def _smaller(left: Expr, right: Expr) -> bool:
    """Whether left is to be multiplied further: it divides right, or both are numbers and less."""
    x, y = integer(left), integer(right)
    if x is not None and y is not None:
        return x < y
    return quotient(right, left) is not None and left != right


def inferred(old: Sequence[Expr], wanted: Sequence[Expr], *, copies: bool) -> tuple[Expr, ...]:
    """The dimensions that a Reshape asks for: 0 copies one, −1 is what is left."""
    dims = [*wanted]
    for k, d in enumerate(dims):
        if d == ZERO and copies:
            if k >= len(old):
                raise Refused(f"given 0 at place {k}, expected a dimension to copy there")
            dims[k] = old[k]
    open_ = [k for k, d in enumerate(dims) if integer(d) == -1]
    if len(open_) > 1:
        raise Refused("given −1 twice, expected it once")
    for k in open_:
        rest = product(d for d in dims if integer(d) != -1)
        left = quotient(product(old), rest)
        if left is None:
            raise Refused("given −1 for a size that is not seen to be whole")
        dims[k] = left
    return tuple(dims)
