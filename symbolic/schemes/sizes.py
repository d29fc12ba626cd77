"""From which n on a scheme breaks a symmetry: the sizes looked at, and guesses for every n.

What holds at every size that was looked at, entry by entry, is written with n (and the scheme's
parameter) as symbols, for differing.py to state and for solvers to prove. What cannot be written
that way remains a statement about the sizes that were looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from .definitions import MOST, Frame, PositionScheme
from .every_size import COUNT, LAST, Broken, Place, shown
from .symmetries import Sigma, Symmetry, holds_at

LARGEST = 8  # n up to which sizes are looked at; further for a large parameter
VALUES = (1, 2, 3)  # of a parameter, from which the general rule is guessed before it is proved


@dataclass(frozen=True)
class Sizes:
    """What every entry of the tensors says at the sizes that were looked at. `breaking` are those
    with a permutation that changes the tensors, each with such a σ (one that is visible after one
    layer, if any); at `held` there is none (where the family has the identity alone, there cannot
    be)."""

    held: tuple[int, ...]
    breaking: Mapping[int, Sigma]

    @property
    def smallest(self) -> int | None:
        """The smallest breaking size."""
        return min(self.breaking, default=None)

    def beyond(self, count: int) -> Sizes:
        """The same without the first breaking sizes."""
        return replace(self, breaking={n: self.breaking[n] for n in list(self.breaking)[count:]})

    @property
    def smaller(self) -> tuple[int, ...]:
        """Sizes below that."""
        return tuple(n for n in self.held if self.smallest is None or n < self.smallest)

    @property
    def again(self) -> tuple[int, ...]:
        """Larger sizes at which it holds again."""
        return tuple(n for n in self.held if self.smallest is not None and n > self.smallest)


def largest(s: PositionScheme) -> int:
    """The n up to which sizes are looked at: three blocks, where there are blocks."""
    return min(MOST, max([LARGEST, *(3 * p + 1 for p in s.parameters.values())]))


def looked_at(s: PositionScheme, y: Symmetry) -> Sizes:
    """Every size up to the largest, entry by entry."""
    held, breaking = [], {}
    for n in range(1, largest(s) + 1):
        if not (s.fits(n) and y.fits(s, n)):
            continue
        outside = [g for g in y.generators(s, n) if not holds_at(s, y, n, g)]
        if outside:
            seen = (g for g in outside if visible_after_one_layer(s, y, n, g))
            breaking[n] = next(seen, outside[0])
        else:
            held.append(n)
    return Sizes(tuple(held), breaking)


def visible_after_one_layer(s: PositionScheme, y: Symmetry, n: int, sigma: Sigma) -> bool:
    """Whether what a single layer reads changes: for the last token, the last row."""
    return y.reads != "last" or not holds_at(s, replace(y, depth=1), n, sigma)


# ------------------------------------------------------------------------ for every n
def candidates(
    s: PositionScheme, y: Symmetry, sizes: Sizes, what: str, of: Symmetry | None = None
) -> Iterator[Broken]:
    """Guesses: σ and places at which the tensors differ at all sizes that were looked at; first a
    rule for all values of the parameter, which must give the smallest breaking sizes of the
    symmetry `of` (y if none is given). To be proved."""
    if sizes.smallest is None or sizes.again:
        return
    if s.parameters and not s.unit:
        for rule in _for_all_parameters(s, y, what):
            if rule.smallest == sizes.smallest and _is_sharp(rule, of or y):
                yield rule
    grid = [(s, n) for n in sizes.breaking]
    yield from _guesses(s, y, what, grid, sizes.smallest)


def _is_sharp(rule: Broken, y: Symmetry) -> bool:
    """Whether the rule gives the smallest size for each value of the parameter."""
    others = [replace(rule.scheme, parameters={rule.parameter: v}) for v in VALUES]
    return all(replace(rule, scheme=s).smallest == looked_at(s, y).smallest for s in others)


def _for_all_parameters(s: PositionScheme, y: Symmetry, what: str) -> Iterator[Broken]:
    """The same with the parameter as a symbol, where the smallest n grows evenly with it."""
    (name,) = s.parameters
    grid, first = [], {}
    for value in VALUES:
        other = replace(s, parameters={name: value})
        found = looked_at(other, y)
        if found.smallest is not None and not found.again:
            first[value] = found.smallest
            grid += [(other, n) for n in found.breaking]
    if len(first) < 2:
        return
    start, least = min(first.items())
    slope = first[start + 1] - least if start + 1 in first else -1
    if slope in (0, 1) and all(n == least + slope * (v - start) for v, n in first.items()):
        for guess in _guesses(s, y, what, grid, least - slope * start, name):
            yield replace(guess, slope=slope, start=start)


def _guesses(
    s: PositionScheme, y: Symmetry, what: str, grid: Sequence[tuple[PositionScheme, int]],
    least: int, parameter: str = "",
) -> Iterator[Broken]:  # fmt: skip
    """Guesses from the first size of the grid that hold at all of them."""
    first, n = grid[0]
    f = first.frame(n)
    names = (parameter,) if parameter else ()
    for swap in _swaps_at(first, y, n):
        for numbers in _numbers(y, what, n):
            here = Broken(first, y, what, None if swap is None else Place(swap),
                          tuple(map(Place, numbers)), least)  # fmt: skip
            if not shown(here, n):
                continue
            ways = [_places(k, f, names) for k in ([] if swap is None else [swap])]
            ways += [[LAST] if _is_last(y, what, k) else _places(x, f, names)
                     for k, x in enumerate(numbers)]  # fmt: skip
            for chosen in sorted(product(*ways), key=lambda c: len({p.from_end for p in c})):
                places = chosen if swap is None else chosen[1:]
                guess = Broken(s, y, what, None if swap is None else chosen[0], places, least,
                               parameter)  # fmt: skip
                if all(shown(replace(guess, scheme=t), m) for t, m in grid):
                    yield guess
                    break
            else:
                continue
            break


def _is_last(y: Symmetry, what: str, k: int) -> bool:
    """Whether a place must be the last: that of the row which is read."""
    return k == 0 and y.reads == "last" and y.depth == 1 and what in ("mask", "bias", "entry")


def _numbers(y: Symmetry, what: str, n: int) -> Iterator[tuple[int, ...]]:
    """The places of a row and one or two columns, or of a column."""
    for numbers in product(range(n), repeat=COUNT[what]):
        if not _is_last(y, what, 0) or numbers[0] == n - 1:
            yield numbers


def _swaps_at(s: PositionScheme, y: Symmetry, n: int) -> Iterator[int | None]:
    """Where neighbours change places, for the families of swaps."""
    match y.name:
        case "permutation":
            yield from range(n - 1)
        case "context-1" | "context-2" | "context-any":
            yield from range(n - 2)
        case "blocks":
            yield from range(0, n - s.extra - y.unit(s), y.unit(s))
        case _:
            yield None


def _places(number: int, f: Frame, names: Sequence[str]) -> list[Place]:
    """The ways to say a number at one size, so that it is said at every size."""
    found = [Place(number), Place(number - f["n"], from_end=True)]
    for p in names:
        found += [Place(number - f[p], False, p), Place(number - f["n"] + f[p], True, p)]
    return found
