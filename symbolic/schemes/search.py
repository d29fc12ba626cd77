"""The simplest counterexample to a symmetry of a position scheme, from a short list of candidates.

Tokens have the entries 0 and 1, fewest ones first; the weights are 0 or the identity, W_Q = 0
first, which leaves attention to the position term alone. A candidate that shows a difference is
evaluated again as the very term that the kernel proves things about. None found proves nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, product
from typing import Any

from orderproof.symbolic.models.builders import moved, tensor
from orderproof.symbolic.readings.entries import Model, evaluate
from orderproof.symbolic.readings.error import ReadingError
from orderproof.symbolic.readings.interval import Intervals, ends
from orderproof.symbolic.readings.rationals import Exact
from orderproof.symbolic.witness.fields import PLACES, Matrix, Side
from orderproof.symbolic.witness.replay import check, sides
from orderproof.symbolic.witness.scheme_file import VECTORS, WEIGHTS, PositionWitness

from .definitions import PositionScheme
from .models import CONTEXT, FEATURES, SIGMA, model, positions
from .symmetries import Sigma, Symmetry
from .tables import sinusoid

WIDTHS = {
    "rope": 2,
    "rope-causal": 2,
    "rope-partial": 2,
}  # least
USUAL = {**WIDTHS, "rope-partial": 3}  # one feature that is not turned
MOST = 512  # candidates for one permutation


@dataclass(frozen=True)
class Found:
    """What became of the candidates for one σ: the witness, or how many were tried, and of how many
    of these the enclosures of both sides overlap, so that nothing is said of them. `ended` tells
    why no more were tried: "all", "bound" (MOST) or "time"."""

    witness: PositionWitness | None
    tried: int
    undecided: int = 0
    ended: str = "all"


def find(
    s: PositionScheme, symmetry: Symmetry, n: int, sigma: Sigma, d: int | None = None
) -> PositionWitness | None:
    """A replayed witness that the scheme breaks the symmetry at n and σ; None where no candidate
    shows a difference."""
    return look(s, symmetry, n, sigma, d).witness


def look(
    s: PositionScheme, symmetry: Symmetry, n: int, sigma: Sigma, d: int | None = None,
    *, deadline: float | None = None,
) -> Found:  # fmt: skip
    """The candidates one after the other. Of any depth, two layers are tried. Without d, the least
    that will do. What was found is evaluated once more as the kernel's term; `deadline` is a time
    of time.monotonic()."""
    depth = symmetry.depth or 2
    d = d or USUAL.get(s.name, 1)
    table = free_table(s, n, d)
    bare: Matrix = tuple((Fraction(),) * d for _ in range(n))
    start = PositionWitness(
        s.name, s.parameters, symmetry.reads, depth, n, d, sigma, table, bare, (), (), (), (0, 0)
    )
    tried = undecided = 0
    for layers, x in _candidates(s, sigma, d, depth):
        if deadline is not None and time.monotonic() >= deadline:
            return Found(None, tried, undecided, "time")
        if tried == MOST:
            return Found(None, tried, undecided, "bound")
        tried += 1
        found = _compared(replace(start, layers=layers, x=x))
        if isinstance(found, PositionWitness):
            return Found(_confirmed(s, found), tried, undecided)
        undecided += not found
    return Found(None, tried, undecided)


def free_table(s: PositionScheme, n: int, d: int) -> dict[str, tuple[Fraction, ...]]:
    """Different numbers for the free entries: 0, 1, 2, … (for offsets, the offset itself)."""
    f, shift = s.frame(n), (0, 1)
    if s.transcendental or (s.value is not None):
        return {}
    labels: dict[str, Any] = {}
    for by in shift:
        spots = [s.spot(i, n, by) for i in range(n)]
        if s.own:
            labels |= {_text(s.own(i, f)): s.own(i, f) for i in spots}
        if s.pair:
            keys = [s.label(s.pair(i, j, f), f) for i in spots for j in spots]
            labels |= {_text(key): key for key in keys}
    ordered = sorted(labels, key=lambda text: labels[text])
    width = d if s.name in VECTORS else 1
    return {text: (Fraction(k),) * width for k, text in enumerate(ordered)}


def _text(label: Any) -> str:
    return ",".join(map(str, label)) if isinstance(label, tuple) else str(label)


def _candidates(
    s: PositionScheme, sigma: Sigma, d: int, depth: int
) -> Iterator[tuple[tuple[Mapping[str, Matrix], ...], Matrix]]:
    """Weights and tokens: fewest tokens that are not 0 first, from a least number on (a rotation
    turns nothing where only one is not 0), and for as many the simplest weights first."""
    alone = bool(s.seen or s.tensor == "B")  # shows where no score is: W_Q = 0 will do
    for count in range(2 if s.tensor == "R" else 0, len(sigma) + 1):
        for layers in _layers(d, depth, alone):
            for x in _tokens(sigma, d, count):
                yield layers, x


def _tokens(sigma: Sigma, d: int, count: int) -> Iterator[Matrix]:
    """So many tokens unit vectors (of two), the others 0; at places that move before others."""
    n = len(sigma)
    zero = (0,) * d
    units = [tuple(int(k == u) for k in range(d)) for u in range(min(d, 2))]
    order = sorted(range(n), key=lambda i: (sigma[i] == i, -i))
    for places in combinations(order, count):
        for chosen in product(units, repeat=count):
            rows = dict(zip(places, chosen, strict=True))
            yield tuple(tuple(map(Fraction, rows.get(i, zero))) for i in range(n))


def _layers(d: int, depth: int, alone: bool) -> Iterator[tuple[Mapping[str, Matrix], ...]]:
    """The weights of each layer; those of a layer that adds nothing are 0."""
    one = tuple(tuple(Fraction(int(a == b)) for b in range(d)) for a in range(d))
    zero = tuple((Fraction(),) * d for _ in range(d))
    still = dict(zip(WEIGHTS, (zero, zero, zero), strict=True))
    uniform = dict(zip(WEIGHTS, (zero, zero, one), strict=True))
    looking = dict(zip(WEIGHTS, (one, one, one), strict=True))
    before = (still,) * (depth - 1)
    if alone and depth > 1:
        yield (uniform,) * depth
    if alone:
        yield (*before, uniform)
    yield (*before, looking)
    if depth > 1:
        yield (*(looking,) * (depth - 1), uniform)


def _compared(w: PositionWitness) -> PositionWitness | bool:
    """The candidate with its sides, if they differ anywhere; else whether they are known to be
    equal everywhere."""
    lhs, rhs = sides(w)
    equal = True
    for i, (left, right) in enumerate(zip(lhs, rhs, strict=True)):
        for k, (a, b) in enumerate(zip(left, right, strict=True)):
            if a[1] < b[0] or b[1] < a[0]:
                if w.kind == "interval":
                    lhs, rhs = (outward(side) for side in (lhs, rhs))
                return replace(w, lhs=lhs, rhs=rhs, differ=(i, k))
            equal = equal and a[0] == a[1] == b[0] == b[1]
    return equal


def outward(side: Side) -> Side:
    """The narrowest enclosures whose ends a file can hold."""
    unit = Fraction(1, 10**PLACES)
    return tuple(
        tuple((low // unit * unit, -(-high // unit) * unit) for low, high in row) for row in side
    )


def _confirmed(s: PositionScheme, w: PositionWitness) -> PositionWitness:
    """The witness, if the replay and the model's own term agree with it."""
    outcome = check(w)
    if not outcome.ok:
        raise RuntimeError(f"the search and the replay disagree: {outcome.reason}")
    for name, recorded, computed in zip(
        ("lhs", "rhs"), (w.lhs, w.rhs), term_sides(s, w), strict=True
    ):
        for row, own in zip(recorded, computed, strict=True):
            for a, b in zip(row, own, strict=True):
                if a[1] < b[0] or b[1] < a[0]:
                    raise RuntimeError(f"the search and the term disagree about {name}")
    return w


# ------------------------------------------------------------------------------ the term itself
class _Units(Exact):
    """Exact rationals with scores in units of ln 2 and 1/√d in the factor on the query weight."""

    def __init__(self, width: int) -> None:
        def root(x: Fraction) -> Fraction:
            if x != width:
                raise ReadingError(f"square root: given {x}, expected the width {width}")
            return Fraction(1)

        self.functions = {**Exact.functions, "sqrt": root}


def term_sides(s: PositionScheme, w: PositionWitness) -> tuple[Side, Side]:
    """Both sides of a witness from the term of models.py, in exact rationals or in
    intervals (mpmath's)."""
    x = tensor("X", i=CONTEXT, k=FEATURES)
    f = model(x, positions(s.letters, CONTEXT), w.depth)
    of_permuted = model(moved(x, i=SIGMA), positions(s.letters, CONTEXT), w.depth)
    algebra: Any = _Units(w.d) if w.kind == "exact" else Intervals()

    def rows(term: Any, shift: int) -> list[list[tuple[Fraction, Fraction]]]:
        values = evaluate(term, Model({"n": w.n, "d": w.d}, {"sigma": w.sigma},
                                      _tensors(s, w, algebra, shift)), algebra)  # fmt: skip
        order = [term.axes.index(a) for a in ("i", "v")]
        by_place = {tuple(index[k] for k in order): v for index, v in values.items()}
        pair: Callable[[Any], Any] = (lambda v: (v, v)) if w.kind == "exact" else ends
        return [[pair(by_place[i, k]) for k in range(w.d)] for i in range(w.n)]

    right = rows(f, 0)
    if w.reads == "offset":
        return _side(rows(f, 1)), _side(right)
    left = rows(of_permuted, 0)
    if w.reads == "last":
        return _side(left[-1:]), _side(right[-1:])
    return _side(left), _side([right[i] for i in w.sigma])


def _side(rows: Sequence[Sequence[tuple[Fraction, Fraction]]]) -> Side:
    return tuple(tuple(row) for row in rows)


def _tensors(
    s: PositionScheme, w: PositionWitness, algebra: Any, shift: int
) -> dict[str, Callable[..., Any]]:
    """The entries of every tensor of the model, those of the scheme by its definition."""
    f, spots = s.frame(w.n), [s.spot(i, w.n, shift) for i in range(w.n)]

    def fixed(rows: Matrix) -> Callable[..., Any]:
        return lambda a, b: algebra.number(rows[a][b])

    def row(i: int, k: int) -> Any:
        key = s.own(spots[i], f) if s.own else ()
        if s.transcendental:
            function, power = sinusoid(key[0], k, w.d)
            return algebra.sinusoid(function, key[0], power)
        return algebra.number(w.table[_text(key)][k])

    def pair(i: int, j: int, *c: int) -> Any:
        key = s.pair(spots[i], spots[j], f) if s.pair else ()
        if s.tensor == "R":
            width = 2 if s.name == "rope-partial" else w.d - w.d % 2
            return _rotation(algebra, width, key[0], *c)
        if s.value:
            return algebra.number(Fraction(s.value(key)))
        return algebra.number(w.table[_text(s.label(key, f))][c[0] if c else 0])

    def seen(i: int, j: int) -> Any:
        return algebra.number(Fraction(int(s.seen is None or s.seen(spots[i], spots[j], f))))

    layers = {"": w.layers[0]} if w.depth == 1 else {str(k + 1): m for k, m in enumerate(w.layers)}
    given = {f"{name}{k}": fixed(m[name]) for k, m in layers.items() for name in WEIGHTS}
    own: dict[str, Callable[..., Any]] = {"E": row, "B": pair, "A": pair, "R": pair, "G": seen}
    return {"X": fixed(w.x)} | own | given


def _rotation(algebra: Any, width: int, by: int, c: int, e: int) -> Any:
    """The entry of the rotation by a place: pairs of the first `width` features are turned, the
    others are left alone."""
    if c // 2 != e // 2 or max(c, e) >= width:
        return algebra.number(Fraction(int(c == e)))
    power = Fraction(c - c % 2, width)
    turned = algebra.sinusoid("cos" if c == e else "sin", abs(by), power)
    return turned if c == e or (e > c) != (by > 0) else -turned
