"""Every way of telling attention where a token stands, each one short definition.

A scheme says what a position term is a function of: the entry for places i and j depends on
`own(i)` (a row that is added to token i), on `pair(i, j)` (a bias, a relative key, a rotation) and
on `seen(i, j)` (a mask). These are index arithmetic, read in two ways: at numbers they give the
values of the tensors, and at Z3's integers they give the questions that are answered for all n.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from math import floor, log
from typing import Any

from orderproof.symbolic.witness.scheme_file import LEAST, MAX_N

from .tables import SchemeError, unknown

MOST = MAX_N  # of a parameter, as of n: what a counterexample file may hold
OPTIONS = {"w": "window", "p": "prefix", "k": "clip", "s": "blocks", "c": "columns"}
# of each parameter: what the command line and the Python functions call it
QUERY = -1  # the block of the query after all documents


@dataclass(frozen=True)
class Spot:
    """A token's position: its number from 0, its block and its rank in it. None where it has none,
    as the number of a token in a block of unknown size."""

    number: Any = None
    block: Any = None
    rank: Any = None


Key = tuple[Any, ...]
Frame = Mapping[str, Any]  # n and the parameters, as numbers or as Z3 integers


def pick(condition: Any, a: Any, b: Any) -> Any:
    """a if the condition holds, else b."""
    if isinstance(condition, bool):
        return a if condition else b
    import z3  # where it is asked about all numbers: reading a scheme loads no solver

    return z3.If(condition, a, b)


def either(a: Any, b: Any) -> Any:
    """a or b"""
    if isinstance(a, bool) and isinstance(b, bool):
        return a or b
    import z3

    return z3.Or(a, b)


def both(a: Any, b: Any) -> Any:
    """a and b"""
    if isinstance(a, bool) and isinstance(b, bool):
        return a and b
    import z3

    return z3.And(a, b)


def quotient(a: Any, b: int) -> Any:
    """a // b"""
    return a // b if isinstance(a, int) else a / b


def distance(a: Any, b: Any) -> Any:
    """|a − b|"""
    return pick(a <= b, b - a, a - b)


@dataclass(frozen=True)
class PositionScheme:
    """A named scheme. `tensor` says what `pair` gives entries of: "B" a bias of the scores, "A" a
    vector added to the keys, "R" a rotation of the queries and keys. `label` is what an entry of a
    free table is found by, where that is coarser than `pair`; `value` is the entry (in units of
    the slope) where the scheme fixes it. `unit` is the parameter that sizes come in multiples of,
    after the last `extra` tokens; `edge` is a size up to which the scheme may tell less apart."""

    name: str
    says: str
    paper: str
    own: Callable[[Spot, Frame], Key] | None = None
    pair: Callable[[Spot, Spot, Frame], Key] | None = None
    seen: Callable[[Spot, Spot, Frame], Any] | None = None
    tensor: str = ""
    label: Callable[[Key, Frame], Any] = lambda key, f: key
    value: Callable[[Key], int] | None = None
    parameters: Mapping[str, int] = field(default_factory=dict)
    unit: str | None = None
    extra: int = 0
    edge: tuple[str, Callable[[Frame], Any]] | None = None
    grid: bool = False  # places are pairs (row, column) and are moved as such
    transcendental: bool = False  # sines and cosines: enclosed, not exact

    @property
    def letters(self) -> str:
        """The position tensors of the model: E added to tokens, B, A, R as above, G a mask."""
        own = "E" if self.own else ""
        return own + self.tensor + ("G" if self.seen else "")

    def fits(self, n: int) -> bool:
        """Whether the scheme is defined for n tokens."""
        unit = self.parameters[self.unit] if self.unit else 1
        return n >= 1 and n >= self.extra and (n - self.extra) % unit == 0

    @property
    def sizes(self) -> str:
        """The n for which it is defined, where not all are."""
        if not self.unit:
            return "at least 1"
        more = f", and {self.extra} more" if self.extra else ""
        return f"a multiple of {self.parameters[self.unit]}{more}, or other {OPTIONS[self.unit]}"

    def spot(self, i: Any, n: Any, shift: int = 0) -> Spot:
        """Place i of n, all positions shifted by so much (in a grid, rows and columns)."""
        if not self.unit:
            return Spot(i + shift if shift else i)
        unit = self.parameters[self.unit]
        if self.extra:
            query = i == n - 1
            block = pick(query, QUERY, quotient(i, unit))
            return Spot(i + shift, block, pick(query, unit, i % unit) + shift)
        if self.grid:
            return Spot(i, quotient(i, unit) + shift, i % unit + shift)
        return Spot(i + shift, quotient(i + shift, unit), (i + shift) % unit)

    def frame(self, n: int) -> Frame:
        """n and the parameters as numbers."""
        return {"n": n, **self.parameters}


def _added(name: str, says: str, paper: str, own: Any, **more: Any) -> PositionScheme:
    return PositionScheme(name, says, paper, own=own, **more)


def _bias(name: str, says: str, paper: str, pair: Any, **more: Any) -> PositionScheme:
    return PositionScheme(name, says, paper, pair=pair, tensor="B", **more)


def _mask(name: str, says: str, paper: str, seen: Any, **more: Any) -> PositionScheme:
    return PositionScheme(name, says, paper, seen=seen, **more)


def _offset(i: Spot, j: Spot, f: Frame) -> Key:
    return (j.number - i.number,)


def _apart(i: Spot, j: Spot, f: Frame) -> Key:
    return (distance(i.number, j.number),)


def _around(i: Spot, j: Spot, f: Frame) -> Key:
    """(j − i) mod n"""
    return (pick(j.number >= i.number, j.number - i.number, j.number - i.number + f["n"]),)


def _around_even(i: Spot, j: Spot, f: Frame) -> Key:
    """The shorter way round from i to j."""
    d = distance(i.number, j.number)
    return (pick(d + d <= f["n"], d, f["n"] - d),)


def _before(i: Spot, j: Spot, f: Frame) -> Any:
    return j.number <= i.number


def _same_block(i: Spot, j: Spot, f: Frame) -> Any:
    return i.block == j.block


def _earlier_in_block(i: Spot, j: Spot, f: Frame) -> Any:
    return both(i.block == j.block, j.rank <= i.rank)


def _distances(i: Spot, j: Spot, f: Frame) -> Key:
    return distance(i.block, j.block), distance(i.rank, j.rank)


def _unordered(i: Spot, j: Spot, f: Frame) -> Key:
    """{|Δrow|, |Δcolumn|} without its order."""
    a, b = _distances(i, j, f)
    return (pick(a <= b, a, b), pick(a <= b, b, a))


def bucket(offset: Any, *, two_sided: bool) -> Any:
    """T5's bucket of an offset j − i: 32 buckets, distances up to 128 (Raffel et al. 2020,
    section 2.1, and their `_relative_position_bucket`): how many begin at or below a distance."""
    if two_sided:
        later = pick(offset > 0, 16, 0)
        return later + _begun(pick(offset > 0, offset, 0 - offset), 16)
    return _begun(pick(offset < 0, 0 - offset, 0), 32)


def _begun(d: Any, count: int) -> Any:
    if isinstance(d, int):
        return bisect_right(_begins(count), d)
    return sum(pick(d >= begin, 1, 0) for begin in _begins(count))


@cache
def _begins(count: int) -> tuple[int, ...]:
    """The distance at which each bucket begins but the first: every one up to half of the count,
    then by logarithms up to 128."""
    half = count // 2
    found: list[int] = []
    for d in range(1, 129):
        far = half + floor(log(d / half) / log(128 / half) * (count - half))
        reached = d if d < half else min(far, count - 1)
        found += [d] * (reached - len(found))
    return tuple(found)


def _clipped(a: Any, most: Any) -> Any:
    """a, but −most or most where it is less or more"""
    return pick(a > most, most, pick(a < 0 - most, 0 - most, a))


def _documents(i: Spot, j: Spot, f: Frame) -> Any:
    return either(i.block == QUERY, i.block == j.block)


VASWANI, PRESS = "Vaswani et al. 2017, section 3.5", "Press et al. 2022"
RAFFEL, SU = "Raffel et al. 2020, section 2.1", "Su et al. 2021, eq. 16"
BELTAGY = "Beltagy et al. 2020 (Longformer), section 3.1"
_SCHEMES = (
    PositionScheme("none", "no position term", "Vaswani et al. 2017, eq. 1"),
    _added("constant", "one row is added to every token", VASWANI, lambda i, f: (0,)),
    _added("learned", "row i of a free table is added to token i", VASWANI,
           lambda i, f: (i.number,)),
    _added("sinusoidal", "row i of a table of sines is added", VASWANI,
           lambda i, f: (i.number,), transcendental=True),
    _bias("alibi", "−|i − j| times a slope is added to the scores, without a mask", PRESS, _apart,
          value=lambda key: -key[0]),
    _bias("alibi-signed", "(j − i) times a slope is added to the scores", PRESS, _offset,
          value=lambda key: key[0]),
    _bias("alibi-causal", "−(i − j) times a slope is added, under a causal mask", PRESS, _offset,
          value=lambda key: key[0], seen=_before),
    _bias("t5", "a free number for each bucket of j − i is added to the scores", RAFFEL, _offset,
          label=lambda key, f: bucket(key[0], two_sided=True)),
    _bias("t5-causal", "t5 with one-sided buckets, under a causal mask", RAFFEL, _offset,
          label=lambda key, f: bucket(key[0], two_sided=False), seen=_before),
    PositionScheme("shaw", "a free vector for j − i, clipped to k, is added to the key",
                   "Shaw et al. 2018, section 3.2", pair=_offset, tensor="A", parameters={"k": 2},
                   label=lambda key, f: _clipped(key[0], f["k"])),
    PositionScheme("rope", "queries and keys are rotated by their positions; R_pᵀ R_q is the "
                   "rotation by q − p", SU, pair=_offset, tensor="R", transcendental=True),
    PositionScheme("rope-causal", "rope under a causal mask", SU, pair=_offset, tensor="R",
                   seen=_before, transcendental=True),
    PositionScheme("rope-partial", "rope in the first two features alone",
                   "Black et al. 2022 (GPT-NeoX), section 2.1", pair=_offset, tensor="R",
                   transcendental=True),
    _mask("causal", "no position term, and a causal mask", "Haviv et al. 2022", _before),
    _mask("window", "token i attends to token j if |i − j| ≤ w", BELTAGY,
          lambda i, j, f: distance(i.number, j.number) <= f["w"], parameters={"w": 1},
          edge=("n ≤ w + 1", lambda f: f["n"] <= f["w"] + 1)),
    _mask("window-causal", "token i attends to token j if 0 ≤ i − j ≤ w", BELTAGY,
          lambda i, j, f: both(j.number <= i.number, i.number - j.number <= f["w"]),
          parameters={"w": 1}, edge=("n ≤ w + 1", lambda f: f["n"] <= f["w"] + 1)),
    _mask("prefix", "token i attends to the first p tokens and to all up to its own",
          "Raffel et al. 2020, section 3.2.1",
          lambda i, j, f: either(j.number < f["p"], j.number <= i.number), parameters={"p": 2},
          edge=("n ≤ p", lambda f: f["n"] <= f["p"])),
    _mask("blocks", "tokens attend only within their block of s tokens", "Child et al. 2019",
          _same_block, parameters={"s": 2}, unit="s"),
    _mask("blocks-causal", "a causal mask within blocks of s tokens",
          "Child et al. 2019", _earlier_in_block, parameters={"s": 2}, unit="s"),
    _bias("circulant", "a free number for (j − i) mod n is added to the scores",
          "Romero and Cordonnier 2021", _around),
    _bias("circulant-even", "a free number for the circular distance of i and j is added",
          "Romero and Cordonnier 2021", _around_even),
    _bias("relative-2d", "a free number for the difference of rows and of columns is added",
          "Liu et al. 2021 (Swin), section 3.2",
          lambda i, j, f: (j.block - i.block, j.rank - i.rank),
          parameters={"c": 2}, unit="c", grid=True),
    _bias("relative-2d-distance", "a free number for the distances of rows and of columns is added",
          "Liu et al. 2021 (Swin), section 3.2", _distances, parameters={"c": 2}, unit="c",
          grid=True),
    _bias("relative-2d-swap", "a free number for the two distances, of rows and of columns, in any "
          "order is added", "Liu et al. 2021 (Swin), section 3.2", _unordered,
          parameters={"c": 2}, unit="c", grid=True),
    _added("documents", "documents of s tokens, each with its own positions, that do not attend to "
           "one another, and a query after them that attends to all",
           "McIlroy-Young et al. 2024", lambda i, f: (i.rank,),
           seen=_documents, parameters={"s": 2}, unit="s", extra=1),
)  # fmt: skip
POSITION_SCHEMES: Mapping[str, PositionScheme] = {s.name: s for s in _SCHEMES}


def parameters(options: Mapping[str, Any]) -> dict[str, Any]:
    """The values of OPTIONS that are given, by the letters of the parameters; SchemeError for a
    name that is no option."""
    letters = {option: letter for letter, option in OPTIONS.items()}
    for option in options:
        if option not in letters:
            wanted = f"expected one of {', '.join(letters)}"
            raise SchemeError(f"option of a scheme: given {option}, {wanted}")
    return {letters[option]: value for option, value in options.items()}


def position_scheme(
    name: str, parameters: Mapping[str, int] | None = None, most: int = MOST
) -> PositionScheme:
    """The scheme of this name, with these values, up to `most`, of its parameters; SchemeError
    where there is none of this name, or for a parameter that it has not."""
    if name not in POSITION_SCHEMES:
        raise unknown(name, {s.name: s.says for s in _SCHEMES})
    s = POSITION_SCHEMES[name]
    for letter, value in (parameters or {}).items():
        option = OPTIONS.get(letter, letter)
        if letter not in s.parameters:
            takes = ", ".join(OPTIONS[p] for p in s.parameters)
            has = f"expected {takes}" if takes else "it has none"
            raise SchemeError(f"option of the scheme {name}: given {option}, {has}")
        if not (isinstance(value, int) and LEAST[letter] <= value <= most):
            wanted = f"expected an integer from {LEAST[letter]} to {most}"
            raise SchemeError(f"{option}: given {value}, {wanted}")
    return replace(s, parameters={**s.parameters, **(parameters or {})})
