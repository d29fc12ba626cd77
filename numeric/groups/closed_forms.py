"""The groups of schemes at any n, by formulas: for sizes at which no n×n matrix is made.

That no other permutation keeps the scheme is argued here on paper:

- j − i kept (learned offsets, RoPE): σ(i) − i is one constant, so 0; mod n: a rotation. T5, clipped
  offsets and causal masks tell at least which of two tokens comes first: σ keeps the order.
- |i − j| kept: an isometry of a line, so the identity or the reversal; the way round mod n, n >= 5:
  neighbours stay neighbours around the circle, so a rotation or a reflection.
- A window of w: tokens that see all are interchangeable. The others are ordered from both
  ends by what they see: of the tokens that see fewest, the outermost two are the ends, and so on
  inwards.
- A prefix of p: the first p are seen by all and interchangeable; each other sees another number.
- Blocks: who sees whom is an equivalence, so σ permutes its classes; with an order or positions
  inside, each class in its order.
- Context at depth L >= 2: the same of the rows within L − 1 steps of the last token. Out of reach,
  tokens are alike. The context group of one layer needs no formula: it is read off the last row.

The tests compare each formula with the exact group at every small n and parameter. At n itself each
generator is compared with the scheme's definition in a few rows.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from orderproof.symbolic.counting import PEOPLE
from orderproof.symbolic.schemes.definitions import QUERY, Frame, PositionScheme, Spot

from .automorphisms import EngineError, Group, Item, Permutation
from .bias_matrices import Options, found_scheme, places
from .exact_matrix import LARGEST, MatrixError
from .individualisation import Orbits
from .symmetry import Answer

MOST = 65_536  # tokens
ENTRIES = 2**25  # of all generators of a group together


@dataclass(frozen=True)
class Shape:
    """A group: the tokens of each class in any order, extended by permutations that move whole
    classes. The order of what these generate is times · Π factorials!."""

    classes: tuple[Sequence[int], ...] = ()
    moves: tuple[Permutation, ...] = ()
    factorials: tuple[int, ...] = ()
    times: int = 1

    @property
    def size(self) -> tuple[tuple[int, ...], int]:
        """The order: a tuple of factorials over 1, and a factor."""
        sizes = (*map(len, self.classes), *self.factorials)
        return tuple(sorted(k for k in sizes if k > 1)), self.times


Form = Callable[[int, Frame, Sequence[int]], Shape]  # of n, the parameters, the sizes of blocks


@dataclass(frozen=True)
class Closed:
    """The forms of a scheme: of the layer, and of the context at a depth of 2 or more."""

    layer: Form
    context: Callable[[int, Frame, Sequence[int], int], Shape] = lambda n, f, s, depth: Shape()


# ------------------------------------------------------------------------------------ the forms
def _reversal(n: int) -> Permutation:
    return tuple(range(n - 1, -1, -1))


def _rotation(n: int) -> Permutation:
    return (*range(1, n), 0)


def _all(n: int) -> Shape:
    return Shape((range(n),))


def _window(n: int, f: Frame, sizes: Sequence[int]) -> Shape:
    """Tokens in the middle may see all, and be seen by all; else only the reversal is left."""
    w = f["w"]
    if w == 0 or n <= w + 1:
        return _all(n)
    return Shape((range(n - 1 - w, w + 1),), (_reversal(n),), times=2)


def _window_context(n: int, f: Frame, sizes: Sequence[int], depth: int) -> Shape:
    """Tokens that are out of reach, and those in the middle that see all."""
    w = f["w"]
    if w == 0:
        return _all(n - 1)
    return Shape((range(n - 1 - depth * w), range(max(n - 1 - w, 0), min(w + 1, n - 1))))


def _window_causal_context(n: int, f: Frame, sizes: Sequence[int], depth: int) -> Shape:
    """Tokens that are out of reach."""
    return Shape((range(n - 1 - depth * f["w"]),))


def _exchanged(n: int, f: Frame, sizes: Sequence[int]) -> Shape:
    """Blocks of equal size in any order, each with its order inside."""
    starts: dict[int, list[int]] = {}
    for start, size in zip(accumulate(sizes, initial=0), sizes, strict=False):
        starts.setdefault(size, []).append(start)
    moves = []
    for size, found in starts.items():
        for cycle in _cycles(found):
            steps = zip(cycle, [*cycle[1:], cycle[0]], strict=True)
            moves.append(_moving(n, ((a + k, b + k) for a, b in steps for k in range(size))))
    return Shape((), tuple(moves), tuple(map(len, starts.values())))


def _moving(n: int, images: Iterable[tuple[int, int]]) -> Permutation:
    sigma = list(range(n))
    for k, image in images:
        sigma[k] = image
    return tuple(sigma)


def _cycles(points: Sequence[int]) -> list[Sequence[int]]:
    """Cycles that generate all permutations of the points: a swap, and a cycle of all."""
    return [points[:2], points][: max(0, min(len(points) - 1, 2))]


def _blocks(n: int, f: Frame, sizes: Sequence[int]) -> Shape:
    between = _exchanged(n, f, sizes)
    classes = (range(a, a + k) for a, k in zip(accumulate(sizes, initial=0), sizes, strict=False))
    return Shape(tuple(classes), between.moves, between.factorials)


def _blocks_context(n: int, f: Frame, sizes: Sequence[int], depth: int) -> Shape:
    """All before the last block, and the last block but its last token."""
    return Shape((range(n - sizes[-1]), range(n - sizes[-1], n - 1)))


def _around_even(n: int, f: Frame, sizes: Sequence[int]) -> Shape:
    return Shape((), (_rotation(n), _reversal(n)), times=2 * n)


CLOSED: dict[str, Closed] = {
    **dict.fromkeys(
        ("none", "constant"),
        Closed(lambda n, f, s: _all(n), lambda n, f, s, depth: _all(n - 1)),
    ),
    **dict.fromkeys(
        ("learned", "sinusoidal", "alibi-signed", "alibi-causal", "t5", "t5-causal", "rope",
         "rope-causal", "rope-partial", "causal"),
        Closed(lambda n, f, s: Shape()),
    ),
    "alibi": Closed(lambda n, f, s: Shape((), (_reversal(n),), times=2)),
    "shaw": Closed(
        lambda n, f, s: Shape() if f["k"] else _all(n),
        lambda n, f, s, depth: Shape() if f["k"] else _all(n - 1),
    ),
    "window": Closed(_window, _window_context),
    "window-causal": Closed(
        lambda n, f, s: Shape() if f["w"] else _all(n), _window_causal_context
    ),
    "prefix": Closed(
        lambda n, f, s: _all(min(n, f["p"])),
        lambda n, f, s, depth: _all(min(n - 1, f["p"])),
    ),
    "blocks": Closed(_blocks, _blocks_context),
    "blocks-causal": Closed(
        _exchanged, lambda n, f, s, depth: Shape((range(n - s[-1]),))
    ),
    "documents": Closed(_exchanged, lambda n, f, s, depth: _exchanged(n, f, s)),
    "circulant": Closed(lambda n, f, s: Shape((), (_rotation(n),), times=n)),
    "circulant-even": Closed(
        _around_even,
        lambda n, f, s, depth: Shape((), ((*range(n - 2, -1, -1), n - 1),), times=2),
    ),
}  # fmt: skip


# ------------------------------------------------------------------------------------ the answer
def answer(name: str, n: int, options: Options) -> tuple[Answer, PositionScheme, str]:
    """The groups of the named scheme at n tokens (n >= 5), the scheme, and its parameters in words.
    Raises MatrixError where there is no formula, or too much to list."""
    scheme = found_scheme(name, options)
    if name not in CLOSED:
        raise MatrixError(
            f"{name}: given n = {n}, expected at most {LARGEST} (there is no formula)"
        )
    if n > MOST:
        raise MatrixError(f"{name}: given n = {n}, expected at most {MOST}")
    scheme, spots, regime = places(scheme, n, options)
    sizes = tuple(Counter(s.block for s in spots if s.block is not QUERY).values())
    form, frame = CLOSED[name], scheme.frame(n)
    layer = form.layer(n, frame, sizes)
    _compared(scheme, spots, frame, layer)
    first = _first(scheme, spots, frame)

    def context(depth: int) -> Shape:
        return first if depth == 1 else form.context(n, frame, sizes, depth)

    if not first.size[0]:  # the groups shrink with depth
        return Answer(_group(n, layer), dict.fromkeys((1, 2), _group(n, first)), 1), scheme, regime
    least = context(n).size
    limit = 1 + bisect_left(range(1, n), True, key=lambda depth: context(depth).size == least)
    contexts = {depth: _group(n, context(depth)) for depth in sorted({1, 2, limit})}
    return Answer(_group(n, layer), contexts, limit), scheme, regime


def _entry(scheme: PositionScheme, i: Spot, j: Spot, frame: Frame) -> object:
    """What the scheme adds to the score of i and j; None where j is not seen."""
    if scheme.seen and not scheme.seen(i, j, frame):
        return None
    return scheme.label(scheme.pair(i, j, frame), frame) if scheme.pair else 0


def _first(scheme: PositionScheme, spots: Sequence[Spot], frame: Frame) -> Shape:
    """The context group at depth 1: tokens alike for the last row, and, where they are seen, in
    what is added to them."""
    last = spots[-1]
    found: dict[object, list[int]] = {}
    for k, spot in enumerate(spots[:-1]):
        entry = _entry(scheme, last, spot, frame)
        own = scheme.own(spot, frame) if scheme.own and entry is not None else None
        found.setdefault((entry, own), []).append(k)
    return Shape(tuple(found.values()))


def _compared(scheme: PositionScheme, spots: Sequence[Spot], frame: Frame, shape: Shape) -> None:
    """Raises EngineError where a generator changes the scheme in its first, last or middle row."""
    n = len(spots)
    for sigma in _generators(n, shape):
        moved = [spots[k] for k in sigma]
        for i in (0, n // 2, n - 1):
            kept = all(
                _entry(scheme, spots[i], a, frame) == _entry(scheme, moved[i], b, frame)
                for a, b in zip(spots, moved, strict=True)
            )
            if not kept or (
                scheme.own and scheme.own(spots[i], frame) != scheme.own(moved[i], frame)
            ):
                raise EngineError(
                    f"{scheme.name}, n = {n}: the formula's group changes row {PEOPLE(i)}"
                )


def _generators(n: int, shape: Shape) -> list[Permutation]:
    """Of classes that the moves take to one another, one is enough."""
    around = Orbits(n)
    for sigma in shape.moves:
        around.join(enumerate(sigma))
    first = {around.find(c[0]): c for c in reversed(shape.classes) if c}
    cycles = [cycle for points in first.values() for cycle in _cycles(points)]
    if len(cycles) * n > ENTRIES:
        raise MatrixError(f"given n = {n}, expected fewer: the generators are too many to list")
    steps = (zip(c, [*c[1:], c[0]], strict=True) for c in cycles)
    return [*shape.moves, *(_moving(n, images) for images in steps)]


def _group(n: int, shape: Shape) -> Group:
    generators = _generators(n, shape)
    twins = tuple(tuple(c) for c in shape.classes if len(c) > 1)
    merged = {t for c in twins for t in c}
    items = [Item(c, f"S_{len(c)}") for c in twins]
    items += [Item((t,)) for t in range(n) if t not in merged]
    place = {t: k for k, item in enumerate(items) for t in item.tokens}
    outer = tuple(tuple(place[s[item.tokens[0]]] for item in items) for s in shape.moves)
    outer_order = shape.times * math.prod(map(math.factorial, shape.factorials))
    order = outer_order * math.prod(math.factorial(len(c)) for c in twins)
    sizes, times = shape.size
    parts = [str(times)] if times > 1 or not sizes else []
    parts += [f"{k}!" + (f"^{m}" if m > 1 else "") for k, m in Counter(sizes).items()]
    return Group(
        n, order, tuple(generators), False, tuple(items), outer, outer_order, twins, True,
        " · ".join(parts),
    )  # fmt: skip
