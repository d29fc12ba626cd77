"""At which n a scheme breaks a symmetry: the sizes looked at, every entry of the tensors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from .definitions import MOST, PositionScheme
from .symmetries import Sigma, Symmetry, holds_at

LARGEST = 8  # n up to which sizes are looked at; further for a large parameter


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

    @property
    def larger(self) -> tuple[int, ...]:
        """Breaking sizes above that."""
        return tuple(n for n in self.breaking if n != self.smallest)

    @property
    def smaller(self) -> tuple[int, ...]:
        """Sizes below that, at which it holds."""
        return tuple(n for n in self.held if self.smallest is None or n < self.smallest)

    @property
    def again(self) -> tuple[int, ...]:
        """Larger sizes at which it holds again."""
        return tuple(n for n in self.held if self.smallest is not None and n > self.smallest)


def looked_at(s: PositionScheme, y: Symmetry) -> Sizes:
    """Every size up to the largest, entry by entry: up to three blocks, where there are blocks."""
    held, breaking = [], {}
    largest = min(MOST, max([LARGEST, *(3 * p + 1 for p in s.parameters.values())]))
    for n in range(1, largest + 1):
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
