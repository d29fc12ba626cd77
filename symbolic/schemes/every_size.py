"""That position tensors break a symmetry for every n at once, as questions about integers.

One permutation of the family and a few places are named for every n, each as a number counted from
either end or from the scheme's parameter: "tokens n − 3 and n − 2 change places, and place n − 1
sees only one of them". That the permutation is one of the family, that the places are there, and
that the tensors differ at them, is quantifier-free arithmetic with n (and the parameter) as
symbols. The same functions read numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import z3

from orderproof.symbolic.smt.obligation import Obligation

from .definitions import Frame, PositionScheme, Spot, both, distance, pick
from .rotations import DISTINCT_ROWS
from .symmetries import Symmetry, label_of


@dataclass(frozen=True)
class Place:
    """The number c, n + c, p + c or n − p + c, where p is the scheme's parameter."""

    c: int
    from_end: bool = False
    parameter: str = ""

    def at(self, f: Frame) -> Any:
        """The number, or the term, at this n and this parameter."""
        p = f[self.parameter] if self.parameter else None
        start = f["n"] if self.from_end else p
        if self.from_end and p is not None:
            start = start - p
        return self.c if start is None else start + self.c if self.c else start

    def later(self, by: int) -> Place:
        """The number that is greater by so much."""
        return replace(self, c=self.c + by)

    def __str__(self) -> str:
        after = f" − {self.parameter}" if self.parameter and self.from_end else ""
        start = "n" + after if self.from_end else self.parameter
        if not start:
            return str(self.c)
        return start + (f" {'+' if self.c > 0 else '−'} {abs(self.c)}" if self.c else "")


LAST = Place(-1, from_end=True)


@dataclass(frozen=True)
class Broken:
    """That a scheme breaks a symmetry for every n from `smallest` on: σ is the swap at `swap` where
    the family is one of swaps; `what` differs at `places`. The smallest n is p + `least` (`least`
    alone where `slope` is 0) for every p ≥ `start` where `parameter` is set, else `least` for the
    scheme's own p. Where `below` is set, it is for n below that alone."""

    scheme: PositionScheme
    symmetry: Symmetry
    what: str
    swap: Place | None
    places: tuple[Place, ...]
    least: int
    parameter: str = ""
    slope: int = 0
    start: int = 1
    below: int | None = None

    @property
    def smallest(self) -> int | None:
        """The smallest n for the scheme's own parameter; None where the rule does not speak of
        it."""
        p = self.scheme.parameters[self.parameter] if self.parameter else self.start
        grows = p if self.slope else 0
        return grows + self.least if p >= self.start else None

    @property
    def regime(self) -> str:
        """For which sizes it is, in words."""
        s, family = self.scheme, self.symmetry.unit(self.scheme)
        extra = f" + {s.extra}" if s.extra else ""
        form = f" and < {_power(self.below)}" if self.below else ""
        form += f" of the form {family}·m{extra}" if family > 1 else ""
        if self.parameter:
            p = self.parameter
            rule = Place(self.least, parameter=p if self.slope else "")
            return f"every {p} ≥ {self.start} and every n ≥ {rule}{form}"
        given = "".join(f", {p} = {v}" for p, v in s.parameters.items())
        return f"every n ≥ {self.least}{form}{given}"

    @property
    def says(self) -> str:
        """σ and what differs, in words; tokens counted from 1."""
        differs = WHAT[self.what].format(*(p.later(1) for p in self.places))
        if self.swap is None:
            return differs
        blocks = self.symmetry.name == "blocks"
        first = self.swap.later(1)
        second = first.later(self.symmetry.unit(self.scheme) if blocks else 1)
        which = "the blocks that begin at tokens" if blocks else "tokens"
        return f"{which} {first} and {second} change places; {differs}"

    def obligations(self) -> tuple[Obligation, ...]:
        """That σ is in the family and the tensors differ, for every n (and every p)."""
        s, names = self.scheme, (self.parameter,) if self.parameter else ()
        f: dict[str, Any] = {**s.parameters, "n": z3.Int("n"), **{p: z3.Int(p) for p in names}}
        bound = Place(self.least, parameter=self.parameter if self.slope else "").at(f)
        assume = [f["n"] >= bound, *(f[p] >= self.start for p in names)]
        if self.below:
            assume.append(f["n"] < self.below)
        if (unit := self.symmetry.unit(s)) > 1:
            assume.append(f["n"] == unit * z3.Int("m") + s.extra)
        name = f"{s.name}_{self.symmetry.name}_{self.what}_broken"
        i = z3.Int("i")
        return tuple(
            Obligation(f"{name}_{k}", says, (*assume, *more), goal)
            for k, says, more, goal in (
                ("family", "σ is in the family, and the places are there", (),
                 z3.And(*(c for c in _in_family(self, f) if c is not True))),
                *((k, says, (i >= 0, i < f["n"]), goal)
                  for k, says, goal in _differing(self, f, i) if goal is not True),
            )
        )  # fmt: skip


WHAT = {  # what differs, of places in words
    "mask": "whether token {0} sees token {1} changes",
    "bias": "the position term at ({0}, {1}) minus that at ({0}, {2}) changes",
    "row": "row {0} of the table changes",
    "columns": "every token that sees the second of them sees the first, token {0} the first alone",
    "entry": "the position term at ({0}, {1}) changes",
}
ALL = "the last token sees every token"
ALL_ALIKE = "the token that is read, and its image, see every token"
NEAR = "the places are so near that sines differ"
COUNT = {"mask": 2, "bias": 3, "row": 1, "columns": 1, "entry": 2}


def _power(number: int) -> str:
    """10 to a power in words, or the number."""
    digits = str(number)
    if digits != "1" + "0" * (len(digits) - 1):
        return digits
    return "10" + str(len(digits) - 1).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


# ------------------------------------------------------------------------ σ and what differs
def _sigma(given: Broken, f: Frame) -> Callable[[Any], Any]:
    """σ at a place, which is a number or a term."""
    n = f["n"]
    if given.swap is None:
        if given.symmetry.name == "shift":
            return lambda x: pick(x + 1 < n, x + 1, 0)
        return lambda x: n - 1 - x if given.symmetry.name == "reversal" else x
    k = given.swap.at(f)
    u = given.symmetry.unit(given.scheme) if given.symmetry.name == "blocks" else 1

    def moved(x: Any) -> Any:
        first, second = (both(a <= x, x < a + u) for a in (k, k + u))
        return pick(first, x + u, pick(second, x - u, x))

    return moved


def _in_family(given: Broken, f: Frame) -> list[Any]:
    """That the places are there, and σ is a permutation of the family."""
    n, y = f["n"], given.symmetry
    there = [c for p in given.places for c in (p.at(f) >= 0, p.at(f) < n)]
    if given.swap is None:
        return [*there, n >= 1]
    k, u = given.swap.at(f), y.unit(given.scheme)
    if y.name == "blocks":
        return [*there, k >= 0, k % u == 0, k + 2 * u <= n - given.scheme.extra]
    return [*there, k >= 0, k + 1 < n - int(y.reads == "last")]


def shown(given: Broken, n: int) -> bool:
    """Whether all this is so at a size, the places numbers."""
    f = {**given.scheme.parameters, "n": n}
    return all(_in_family(given, f)) and all(
        goal for i in range(n) for _, _, goal in _differing(given, f, i)
    )


def _differing(given: Broken, f: Frame, i: Any) -> Iterator[tuple[str, str, Any]]:
    """What differs, for a place i that may be any."""
    s, n, shift = given.scheme, f["n"], int(given.symmetry.reads == "offset")
    sigma, numbers = _sigma(given, f), [p.at(f) for p in given.places]
    before = [s.spot(x, n) for x in numbers]
    after = [s.spot(sigma(x), n, shift) for x in numbers]
    facts: list[Any] = []

    def sees_all(x: Any) -> Any:
        sides = ((s.spot(x, n), 0), (s.spot(sigma(x), n, shift), shift))
        one, other = (_seen(s, spot, s.spot(i, n, by), f) for spot, by in sides)
        return both(one, other)

    match given.what:
        case "mask":
            goal = _xor(*(_seen(s, a, b, f) for a, b in (before, after)))
            yield "mask", "a pair is seen and its image is not, or the reverse", goal
        case "entry":
            labels = [_label(s, a, b, f, facts) for a, b in (before, after)]
            if s.seen:
                yield "all", ALL_ALIKE, sees_all(numbers[0])
            yield "entry", "an entry differs from its image", _not(_same(*labels))
            if s.transcendental:
                (one,), (other,) = labels
                yield "near", NEAR, distance(one, other) < DISTINCT_ROWS
        case "row" if s.own:
            rows = [s.own(place, f) for (place,) in (before, after)]
            if s.seen:
                yield "all", ALL_ALIKE, sees_all(n - 1)
            yield "row", "a row differs from its image", _not(_same(*rows))
            if s.transcendental:
                (one,), (other,) = rows
                yield "near", NEAR, both(one < DISTINCT_ROWS, other < DISTINCT_ROWS)
        case "bias":
            goal = _bias_differs(s, before, after, f, facts)
            yield "bias", "a difference within a row differs from its image", goal
        case "columns" if given.swap is not None:
            one, other = (s.spot(given.swap.at(f) + k, n) for k in (0, 1))
            anyone, last = s.spot(i, n), s.spot(n - 1, n)
            yield "all", ALL, _seen(s, last, anyone, f)
            fewer = _implies(_seen(s, anyone, other, f), _seen(s, anyone, one, f))
            yield "fewer", "every token that sees the second sees the first", fewer
            more = both(_seen(s, before[0], one, f), _not(_seen(s, before[0], other, f)))
            yield "more", "one sees the first alone", more
        case _:
            yield given.what, "there is none", False
    if s.seen:
        own = [_seen(s, spot, spot, f) for spot in (s.spot(i, n, by) for by in (0, shift))]
        yield "self", "every token sees itself", both(*own)
    for k, fact in enumerate(facts):
        yield f"key_{k}", "the difference of two places is a number", fact


def _bias_differs(
    s: PositionScheme, before: Sequence[Spot], after: Sequence[Spot], f: Frame, facts: list[Any]
) -> Any:
    """B(i, j) − B(i, l) ≠ B(σi, σj) − B(σi, σl), which no constants of rows can make up for; all
    four are seen. Where the table is free, that of B which is 1 at one label and 0 at others."""
    pairs = [(a, b) for a, *rest in (before, after) for b in rest]
    seen = [_seen(s, a, b, f) for a, b in pairs]
    if s.value and s.pair:
        values = [s.value(s.pair(a, b, f)) for a, b in pairs]
    else:
        labels = [_label(s, a, b, f, facts) for a, b in pairs]
        values = [pick(_same(x, labels[0]), 1, 0) for x in labels]
    one, two, three, four = values
    differ = one - two != three - four
    return both(both(both(seen[0], seen[1]), both(seen[2], seen[3])), differ)


def _label(s: PositionScheme, i: Spot, j: Spot, f: Frame, facts: list[Any]) -> tuple[Any, ...]:
    """The label of an entry. Where its key is a number for every n, so is the label; that it is
    that number goes to the facts, which are to be proved too."""
    key = []
    for term in s.pair(i, j, f) if s.pair else ():
        value = None if isinstance(term, int) else z3.simplify(term)
        if value is not None and z3.is_int_value(value):
            facts.append(term == value)
            key.append(value.as_long())
        else:
            key.append(term)
    return label_of(s, tuple(key), f)


def _seen(s: PositionScheme, i: Spot, j: Spot, f: Frame) -> Any:
    return s.seen(i, j, f) if s.seen else True


def _same(a: Sequence[Any], b: Sequence[Any]) -> Any:
    found: Any = True
    for x, y in zip(a, b, strict=True):
        found = both(found, x == y)
    return found


def _not(a: Any) -> Any:
    return not a if isinstance(a, bool) else z3.Not(a)


def _xor(a: Any, b: Any) -> Any:
    return a != b if isinstance(a, bool) and isinstance(b, bool) else z3.Xor(_z3(a), _z3(b))


def _implies(a: Any, b: Any) -> Any:
    return not a or b if isinstance(a, bool) and isinstance(b, bool) else z3.Implies(a, b)


def _z3(a: Any) -> Any:
    return z3.BoolVal(a) if isinstance(a, bool) else a
