"""What a picture of a position scheme shows: its tensor, the tensor after σ, and the difference.

Entries are numbers, or None where the place is not seen. Nothing is drawn here. That a difference
is empty is compared with what the table of symmetries asks of the tensors.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from orderproof.symbolic.counting import cycle_text
from orderproof.symbolic.schemes.definitions import PositionScheme
from orderproof.symbolic.schemes.symmetries import SYMMETRIES, Sigma, holds_at
from orderproof.symbolic.schemes.tables import sinusoid

SIZE = 6  # tokens of a picture, or the next number that the scheme is defined for
FEATURES = 2  # columns of a table of sines
NEW, GONE = "new", "gone"  # an entry that is seen after σ alone, or before it alone

Grid = tuple[tuple[float | None, ...], ...]
Changes = tuple[tuple[float | str | None, ...], ...]


class WrongPicture(ValueError):
    """A picture that shows a change where the symmetry holds, or none where it does not."""


@dataclass(frozen=True)
class Strip:
    """Three grids for one σ of one symmetry."""

    symmetry: str
    sigma: Sigma
    before: Grid
    after: Grid

    @property
    def difference(self) -> Changes:
        """After less before, entry by entry: 0 where nothing changes, None where neither sees."""
        rows = zip(self.before, self.after, strict=True)
        return tuple(tuple(_less(a, b) for b, a in zip(*row, strict=True)) for row in rows)

    @property
    def changed(self) -> int:
        """How many entries change."""
        return sum(c not in (0, None) for row in self.difference for c in row)

    @property
    def caption(self) -> str:
        """σ, what it is, and what it changes."""
        total = sum(map(len, self.before))
        count = f"{self.changed} of {total} entries change" if self.changed else "no entry changes"
        return f"{cycle_text(self.sigma)}, {SYMMETRIES[self.symmetry].says}: {count}"


@dataclass(frozen=True)
class Picture:
    """The strips of one scheme: a permutation that it notices, and one that it does not."""

    scheme: str
    n: int
    titles: tuple[str, str]  # of the grids before and after
    rows: str  # what a row is of
    shows: str
    strips: tuple[Strip, ...]

    @property
    def caption(self) -> str:
        """What is shown, in words; each strip says itself what changes."""
        return f"{self.titles[0]} for n = {self.n}: {self.shows}."

    @property
    def alt(self) -> str:
        """The caption, and every strip with its entries: what one who cannot see it would miss."""
        said = [self.caption]
        for strip in self.strips:
            grids = (strip.before, strip.after, strip.difference)
            titles = (*self.titles, "difference")
            rows = [f"{title}: {_rows(g)}" for title, g in zip(titles, grids, strict=True)]
            said.append(f"σ = {strip.caption}. {'. '.join(rows)}.")
        return " ".join(said)


def picture(s: PositionScheme, lost: str | None, kept: str | None) -> Picture:
    """The picture of a scheme, for a symmetry of a layer that it breaks and for one that it has.

    Raises WrongPicture where the entries do not say so.
    """
    n = next(n for n in range(SIZE, 4 * SIZE) if s.fits(n))
    strips = []
    for name, holds in ((lost, False), (kept, True)):
        if name is not None:
            sigma = next(_sigmas(s, name, n, holds), None)
            if sigma is None:
                raise WrongPicture(f"{s.name}, n = {n}: no σ for which {name} is {holds}")
            strips.append(strip(s, name, n, sigma, holds=holds))
    titles, rows, shows = _words(s)
    return Picture(s.name, n, titles, rows, shows, tuple(strips))


def strip(s: PositionScheme, symmetry: str, n: int, sigma: Sigma, *, holds: bool) -> Strip:
    """The three grids for σ; WrongPicture where the difference is empty and should not be, or the
    other way round."""
    before = grid(s, n)
    table = bool(s.own and not s.seen)  # rows alone are moved
    after = tuple(before[i] if table else tuple(before[i][j] for j in sigma) for i in sigma)
    found = Strip(symmetry, tuple(sigma), before, after)
    if (found.changed == 0) != holds:
        said = "keeps" if holds else "breaks"
        raise WrongPicture(f"{s.name} {said} {symmetry} at n = {n}, but {found.caption}")
    return found


def grid(s: PositionScheme, n: int) -> Grid:
    """The entries of the scheme's position tensor for n tokens: of a table that is added a row for
    each token, else a row for each query and a column for each key. What the scheme leaves free is
    0, 1, 2, … in the order of its labels."""
    f, spots = s.frame(n), [s.spot(i, n) for i in range(n)]
    if s.own and s.transcendental:
        return tuple(tuple(_sine(s.own(spot, f)[0], k) for k in range(FEATURES)) for spot in spots)

    def label(i: int, j: int) -> Any:
        if s.own:
            return s.own(spots[j], f)
        return s.label(s.pair(spots[i], spots[j], f), f) if s.pair else ()

    def value(i: int, j: int) -> float | None:
        if s.seen and not s.seen(spots[i], spots[j], f):
            return None
        if s.pair and s.value:
            return float(s.value(s.pair(spots[i], spots[j], f)))
        if s.pair and s.tensor == "R":
            return float(s.pair(spots[i], spots[j], f)[0])
        if s.pair or s.own:
            return float(ranks[label(i, j)])
        return 1.0 if s.seen else 0.0

    labels = sorted({label(i, j) for i in range(n) for j in range(n)})
    ranks = {key: k for k, key in enumerate(labels)}
    if s.own and not s.seen:
        return tuple((value(0, j),) for j in range(n))
    return tuple(tuple(value(i, j) for j in range(n)) for i in range(n))


def _sine(place: int, k: int) -> float:
    function, power = sinusoid(place, k, FEATURES)
    angle = place / 10_000.0 ** float(power)
    return math.sin(angle) if function == "sin" else math.cos(angle)


def _sigmas(s: PositionScheme, symmetry: str, n: int, holds: bool) -> Iterator[Sigma]:
    """Those of the family's generators that the scheme does, or does not, notice."""
    y = SYMMETRIES[symmetry]
    return (g for g in y.generators(s, n) if holds_at(s, y, n, g) == holds)


def _words(s: PositionScheme) -> tuple[tuple[str, str], str, str]:
    """Titles of the grids, what their rows are of, and what their numbers mean."""
    hidden = "; crossed: i does not see j" if s.seen else ""
    if s.own and s.seen:
        shows = "which row of the free table is added to token j" + hidden
        return ("E[j], seen by i", "E[σ(j)], seen by σ(i)"), "query i", shows
    if s.own:
        shows = (
            f"the table, d = {FEATURES}" if s.transcendental else "which row is added to token i"
        )
        return ("E[i]", "E[σ(i)]"), "token i", shows
    letter = s.tensor or ("G" if s.seen else "B")
    if s.tensor == "R":
        shows = "the angle, in radians, by which features 1 and 2 of key j are turned against i"
    elif s.value:
        shows = "the bias, in units of the slope"
    elif s.pair:
        kind = "vectors" if s.tensor == "A" else "numbers"
        shows = f"the free {kind}, numbered 0, 1, 2, …"
    else:
        shows = "1 where i sees j" if s.seen else "there is no position term, so a bias of 0"
    return (f"{letter}[i, j]", f"{letter}[σ(i), σ(j)]"), "query i", shows + hidden


def shown(entry: float | str | None) -> str:
    """An entry as it is printed: whole, or to two places."""
    if entry is None:
        return "×"
    if isinstance(entry, str):
        return entry
    text = str(int(entry)) if entry == int(entry) else f"{entry:.2f}"
    return ("0" if text == "-0.00" else text).replace("-", "−")


def _less(after: float | None, before: float | None) -> float | str | None:
    if after is None or before is None:
        return None if after is before else GONE if after is None else NEW
    return after - before


def _rows(rows: Grid | Changes) -> str:
    return "; ".join(" ".join(map(shown, row)) for row in rows)
