"""The position schemes as exact matrices: what each adds to the score of query i and key j.

Each is one short definition from integers, with its paper: a slope of 1/10 stored in floats is not
1/10. *Generic* (learned) values are 2pk + (k² mod p) for a prime p: all their differences are
distinct (Erdős and Turán 1941), so that no two come to agree when row maxima are subtracted.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .exact_matrix import LARGEST, Exact, MatrixError, of_integers

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Options:
    """The parameters that schemes have; None is the scheme's own choice."""

    window: int | None = None
    prefix: int | None = None
    clip: int | None = None
    blocks: tuple[int, ...] | None = None
    rows: int | None = None


@dataclass(frozen=True)
class Position:
    """A scheme at n tokens: heads B of a score bias, or `classes` of equal positions where its own
    theorem says that exactly the permutations of equal positions remain (`reason`)."""

    name: str
    says: str
    paper: str
    n: int
    heads: tuple[Exact, ...] = ()
    classes: tuple[int, ...] | None = None
    reason: str = "score_bias_iff"
    regime: str = ""


@dataclass(frozen=True)
class Scheme:
    """A named scheme: a sentence, its paper, and its matrix for n tokens and options."""

    says: str
    paper: str
    make: Callable[[int, Options], dict[str, Any]]
    least: int = 1
    takes: tuple[str, ...] = field(default=())


SCHEMES: dict[str, Scheme] = {}


def scheme(
    name: str, says: str, paper: str, *, least: int = 1, takes: tuple[str, ...] = ()
) -> Callable[[Callable[[int, Options], dict[str, Any]]], Callable[[int, Options], dict[str, Any]]]:
    """Enter a definition under its name."""

    def enter(make: Callable[[int, Options], dict[str, Any]]) -> Any:
        SCHEMES[name] = Scheme(says, paper, make, least, takes)
        return make

    return enter


def position(name: str, n: int, options: Options = Options()) -> Position:
    """The named scheme at n tokens. Raises MatrixError for an unknown name, an n outside its range,
    or an option that it does not take."""
    if name not in SCHEMES:
        near = difflib.get_close_matches(name, SCHEMES, n=3, cutoff=0.4) or sorted(SCHEMES)
        raise MatrixError(f"unknown scheme {name!r}, nearest: {', '.join(near)}")
    entry = SCHEMES[name]
    if not entry.least <= n <= LARGEST:
        raise MatrixError(f"{name}: given n = {n}, expected {entry.least} <= n <= {LARGEST}")
    for option, value in vars(options).items():
        if value is not None and option not in entry.takes:
            raise MatrixError(f"{name}: --{option} is not a parameter of this scheme")
    made = entry.make(n, options)
    return Position(name=name, says=entry.says, paper=entry.paper, n=n, **made)


def generic(index: Integers) -> Integers:
    """Distinct integers with distinct differences, one for each index k >= 0."""
    p = int(index.max()) + 2
    while any(p % q == 0 for q in range(2, isqrt(p) + 1)):
        p += 1
    return np.asarray(2 * p * index + index * index % p)


def _offset(n: int) -> tuple[Integers, Integers, Integers]:
    """i, j and j − i."""
    i, j = np.indices((n, n))
    return i, j, j - i


def _option(value: int | None, default: int, least: int, name: str) -> int:
    chosen = default if value is None else value
    if chosen < least:
        raise MatrixError(f"--{name}: given {chosen}, expected at least {least}")
    return chosen


def _bias(
    entries: Integers,
    allowed: NDArray[np.bool_] | None = None,
    unit: Fraction = Fraction(1),
    regime: str = "",
) -> dict[str, Any]:
    return {"heads": (of_integers(entries, allowed, unit),), "regime": regime}


def _learned_bias(
    index: Integers, allowed: NDArray[np.bool_] | None = None, regime: str = ""
) -> dict[str, Any]:
    """Generic values between 0 and 1 by index."""
    values = generic(index)
    return _bias(values, allowed, Fraction(1, max(1, int(values.max()))), regime)


# -------------------------------------------------------------------------- no or added positions
@scheme("none", "nothing tells where a token stands", "Vaswani et al. 2017, section 3.2.1")
def _none(n: int, _: Options) -> dict[str, Any]:
    return _bias(np.zeros((n, n), dtype=np.int64))


@scheme("constant", "the same bias for every pair of tokens", "")
def _constant(n: int, _: Options) -> dict[str, Any]:
    return _bias(np.ones((n, n), dtype=np.int64))


@scheme("learned", "a learned row for each position, all distinct, added to the tokens",
        "Vaswani et al. 2017, section 3.5")  # fmt: skip
def _learned(n: int, _: Options) -> dict[str, Any]:
    return {"classes": tuple(range(n)), "reason": "additive_position_iff"}


@scheme("sinusoidal", "sines and cosines of the position, added to the tokens",
        "Vaswani et al. 2017, section 3.5")  # fmt: skip
def _sinusoidal(n: int, _: Options) -> dict[str, Any]:
    return {"classes": tuple(range(n)), "reason": "additive_position_iff"}


# -------------------------------------------------------------------------------- relative biases
_PRESS = "Press et al. 2022, section 3"
_RAFFEL = "Raffel et al. 2020, section 2.1"


@scheme("alibi", "minus the slope times the distance", _PRESS)
def _alibi(n: int, _: Options) -> dict[str, Any]:
    return _bias(-abs(_offset(n)[2]), unit=Fraction(1, 2), regime="slope 1/2")


@scheme("alibi-signed", "the slope times j − i, in both directions", _PRESS)
def _alibi_signed(n: int, _: Options) -> dict[str, Any]:
    return _bias(_offset(n)[2], unit=Fraction(1, 2), regime="slope 1/2")


@scheme("alibi-causal", "minus the slope times the distance, to earlier tokens", _PRESS)
def _alibi_causal(n: int, _: Options) -> dict[str, Any]:
    offset = _offset(n)[2]
    return _bias(offset, offset <= 0, Fraction(1, 2), regime="slope 1/2")


def _bucket(distance: int, exact: int, ratio: tuple[int, int]) -> int:
    """T5's bucket of a distance: itself below `exact`, then by logarithm up to the distance 128, in
    integers: exact + k where (distance/exact)^exact >= (128/exact)^k, at most 2·exact − 1."""
    if distance < exact:
        return distance
    k, (power, base) = 0, ratio
    while distance**power >= exact**power * base ** (k + 1):
        k += 1
    return min(exact + k, 2 * exact - 1)


def t5_bucket(distance: int) -> int:
    """The bucket of a distance in one of two directions: 16 for each."""
    return _bucket(distance, 8, (8, 16))


@scheme("t5", "a generic value for each of 32 buckets of j − i, to distance 128", _RAFFEL)
def _t5(n: int, _: Options) -> dict[str, Any]:
    bucket = np.array([t5_bucket(d) for d in range(n)])
    offset = _offset(n)[2]
    return _learned_bias(bucket[abs(offset)] + 16 * (offset > 0), regime="32 generic buckets")


@scheme("t5-causal", "a generic value for each of 32 buckets of the distance back", _RAFFEL)
def _t5_causal(n: int, _: Options) -> dict[str, Any]:
    bucket = np.array([_bucket(d, 16, (16, 8)) for d in range(n)])
    offset = _offset(n)[2]
    return _learned_bias(bucket[abs(offset)], offset <= 0, regime="32 generic buckets")


@scheme("shaw", "a generic relative key for each offset, clipped", "Shaw et al. 2018, section 3.2",
        takes=("clip",))  # fmt: skip
def _shaw(n: int, options: Options) -> dict[str, Any]:
    clip = _option(options.clip, 16, 0, "clip")
    offset = np.clip(_offset(n)[2], -clip, clip)
    return _learned_bias(offset + clip, regime=f"clip {clip}") | {"reason": "relative keys"}


_SU = "Su et al. 2021, section 3.2.2"


@scheme("rope", "queries and keys rotated by their position, frequencies generic", _SU)
def _rope(n: int, _: Options) -> dict[str, Any]:
    return {"classes": tuple(range(n)), "reason": "rope"}


@scheme("rope-partial", "some of the features rotated by the position, the others not", _SU)
def _rope_partial(n: int, _: Options) -> dict[str, Any]:
    return {"classes": tuple(range(n)), "reason": "rope"}


# ------------------------------------------------------------------------------------------ masks
def _mask(allowed: NDArray[np.bool_], regime: str = "") -> dict[str, Any]:
    return _bias(np.zeros(allowed.shape, dtype=np.int64), allowed, regime=regime)


@scheme("causal", "a token attends to itself and to earlier ones", "Kazemnejad et al. 2023")
def _causal(n: int, _: Options) -> dict[str, Any]:
    return _mask(_offset(n)[2] <= 0)


_BELTAGY = "Beltagy et al. 2020, section 3.1"


@scheme("window", "a token attends to those at most w away", _BELTAGY, takes=("window",))
def _window(n: int, options: Options) -> dict[str, Any]:
    w = _option(options.window, 1, 0, "window")
    return _mask(abs(_offset(n)[2]) <= w, f"w = {w}")


@scheme("window-causal", "a token attends to itself and the w before it", _BELTAGY,
        takes=("window",))  # fmt: skip
def _window_causal(n: int, options: Options) -> dict[str, Any]:
    w = _option(options.window, 1, 0, "window")
    offset = _offset(n)[2]
    return _mask((offset <= 0) & (offset >= -w), f"w = {w}")


@scheme("prefix", "the first p tokens are seen by all, later ones causally",
        "Raffel et al. 2020, section 3.2.1", takes=("prefix",))  # fmt: skip
def _prefix(n: int, options: Options) -> dict[str, Any]:
    p = _option(options.prefix, min(2, n), 0, "prefix")
    _, j, offset = _offset(n)
    return _mask((j < p) | (offset <= 0), f"p = {p}")


def _blocks_of(n: int, options: Options, total: int) -> tuple[tuple[int, ...], Integers, Integers]:
    """The sizes, and for each of `total` tokens its block and its place in the block."""
    sizes = options.blocks
    if sizes is None:
        if total % 2:
            raise MatrixError(f"n = {n} does not part into two equal blocks: give --blocks")
        sizes = (total // 2, total // 2)
    if sum(sizes) != total or min(sizes) < 1:
        raise MatrixError(
            f"--blocks: given {','.join(map(str, sizes))}, expected sizes that sum to {total}"
        )
    block = np.repeat(np.arange(len(sizes)), sizes)
    start = np.array([0, *accumulate(sizes)])[block]
    return sizes, block, np.arange(total) - start


@scheme("blocks", "a token attends to all of its own block",
        "McIlroy-Young et al. 2024", least=2, takes=("blocks",))  # fmt: skip
def _blocks(n: int, options: Options) -> dict[str, Any]:
    sizes, block, _ = _blocks_of(n, options, n)
    return _mask(block[:, None] == block, f"blocks {','.join(map(str, sizes))}")


@scheme("blocks-causal", "a token attends to itself and the earlier ones of its own block",
        "McIlroy-Young et al. 2024", least=2, takes=("blocks",))  # fmt: skip
def _blocks_causal(n: int, options: Options) -> dict[str, Any]:
    sizes, block, _ = _blocks_of(n, options, n)
    allowed = (block[:, None] == block) & (_offset(n)[2] <= 0)
    return _mask(allowed, f"blocks {','.join(map(str, sizes))}")


@scheme("documents", "blocks with positions of their own and none across, a query after them all",
        "McIlroy-Young et al. 2024", least=3, takes=("blocks",))  # fmt: skip
def _documents(n: int, options: Options) -> dict[str, Any]:
    sizes, block, place = _blocks_of(n, options, n - 1)
    ids = np.append(place, max(sizes))
    own = np.append(block, -1)
    offset = ids - ids[:, None]
    allowed = ((own[:, None] == own) | (own[:, None] == -1)) & (offset <= 0)
    regime = f"blocks {','.join(map(str, sizes))}, one query, generic in the offset of positions"
    return _learned_bias(abs(offset), allowed, regime=regime)


# --------------------------------------------------------------------------- around, and in a plane
@scheme("circulant", "a generic value for each j − i modulo n", "Romero and Cordonnier 2021")
def _circulant(n: int, _: Options) -> dict[str, Any]:
    return _learned_bias(_offset(n)[2] % n)


@scheme("circulant-even", "a generic value for each distance around a circle of n",
        "Romero and Cordonnier 2021")  # fmt: skip
def _circulant_even(n: int, _: Options) -> dict[str, Any]:
    offset = _offset(n)[2]
    return _learned_bias(np.minimum(offset % n, -offset % n))


def _plane(n: int, options: Options) -> tuple[int, int, Integers, Integers]:
    rows = _option(options.rows, max(r for r in range(1, isqrt(n) + 1) if n % r == 0), 1, "rows")
    if n % rows:
        raise MatrixError(f"--rows: given {rows}, expected a divisor of n = {n}")
    columns = n // rows
    row, column = np.divmod(np.arange(n), columns)
    return rows, columns, row - row[:, None], column - column[:, None]


_LIU = "Liu et al. 2021 (Swin), section 3.2"


@scheme("relative-2d", "a generic value for each signed offset in a plane", _LIU, takes=("rows",))
def _relative_2d(n: int, options: Options) -> dict[str, Any]:
    rows, columns, dr, dc = _plane(n, options)
    index = (dr + rows) * (2 * columns) + dc + columns
    return _learned_bias(index, regime=f"{rows} × {columns}")


@scheme("relative-2d-even", "a generic value for each |Δrow|, |Δcolumn|", _LIU, takes=("rows",))
def _relative_2d_even(n: int, options: Options) -> dict[str, Any]:
    rows, columns, dr, dc = _plane(n, options)
    return _learned_bias(abs(dr) * columns + abs(dc), regime=f"{rows} × {columns}")


@scheme("relative-2d-swap", "a generic value for each pair {|Δrow|, |Δcolumn|} without its order",
        _LIU, takes=("rows",))  # fmt: skip
def _relative_2d_swap(n: int, options: Options) -> dict[str, Any]:
    rows, columns, dr, dc = _plane(n, options)
    low, high = np.minimum(abs(dr), abs(dc)), np.maximum(abs(dr), abs(dc))
    return _learned_bias(low * max(rows, columns) + high, regime=f"{rows} × {columns}")
