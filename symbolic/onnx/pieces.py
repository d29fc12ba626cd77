"""Terms with the axes of a tensor, (dimension, atom): renamed, joined, picked from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from orderproof.symbolic.calculus.terms import Ap, Index, Map, Op, Set, Term, at, build
from orderproof.symbolic.models import builders as b

from .atoms import of_sets
from .values import Realised

Labels = Sequence[Any]


def pairs(term: Term) -> tuple[tuple[Any, int], ...]:
    """The axes of a tensor's term: (dimension or label, atom)."""
    return cast(tuple[tuple[Any, int], ...], term.axes)


def labelled(term: Term, labels: Labels) -> Term:
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


def copied(term: Term, axis: Any, over: Set) -> Term:
    """A term with an axis along which nothing differs, so that it can be joined along it."""
    if axis in term.axes:
        return term
    return b.pointwise("copied", term, b.iota(over, axis))


def point_map(r: Realised) -> Map:
    """The one element of a point."""
    r.maps["point"] = 0
    return b.constant("point", b.POINT)


def joined_terms(pieces: Sequence[Term], sets: Sequence[Set], axis: Any) -> Term:
    """Pieces one after the other along an axis, which a piece may lack: then it is constant."""
    whole, over = pieces[-1], sets[-1]
    for piece, s in zip(reversed(pieces[:-1]), reversed(sets[:-1]), strict=True):
        op = Op("cat", (s, over))
        whole, over = build(op, [piece, whole], [[axis], [axis]], [axis]), Set("+", (s, over))
    return whole
