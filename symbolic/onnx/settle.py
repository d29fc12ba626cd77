"""Whether a constant of a model is the same when σ moves it: for all n by two solvers, or not.

The transpositions generate every permutation, and the set of those that leave K as it is is a
group; so it is enough that K is fixed by each generator of a family, at every n. Z3 and cvc5 are
both asked whether there is an n, a generator and an entry that it changes; only if both say that
there is none is it proved. A constant that exists for n up to a table's length alone is settled up
to there, and the scope says so. "false" is shown at one n by the entries there, exact unless
they hold an unknown function such as exp, whose values have to differ by more than rounding.
What is proved is proved of the expression that was read, so it has to have been compared with the
file's own constant before (`Compared`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import z3
from numpy.typing import NDArray

from orderproof.symbolic.smt import cvc5_process
from orderproof.symbolic.smt.chain import answered
from orderproof.symbolic.smt.obligation import Obligation, written
from orderproof.symbolic.smt.z3_process import fresh

from .entries.check import Compared, exists, values
from .entries.compare import at_most
from .entries.evaluate import TooLarge, evaluate, inside_out
from .entries.expression import Expr, number, parts
from .entries.families import FAMILIES
from .entries.formulas import Formulas, size_name
from .entries.questions import Moved, defined, fits, index_free, largest, unmoved
from .entries.reader import Entry
from .graph import Array, Unsupported

PROVED, FALSE, UNKNOWN = "proved", "false", "unknown"
CONDITIONAL = "proved where the scope says"  # not for all n, nor up to a bound
WRITTEN = 20_000  # parts at most of an entry that is written out for solvers
SMALL = range(2, 7)  # sizes at which every entry is looked at before a solver is asked
LARGER = (7, 8, 12, 16, 17, 24, 32, 33, 48, 64, 65, 66, 96, 100, 128, 129, 130)
ENTRIES = 300_000  # of a constant that is looked at whole
ENUMERATED = 130  # sizes at most that are settled by looking at every one
APART = 1e-9  # of the larger one, that values of unknown functions have to differ by
APART_RUN = 1e-3  # of the largest one, that values which were run in floats have to differ by
ALL = "all n"


@dataclass(frozen=True)
class Shown:
    """Where K is changed: the sizes, σ as the list of σ(0), …, the entry, K there and at σ."""

    sizes: Mapping[str, int]
    sigma: tuple[int, ...]
    entry: tuple[int, ...]
    values: tuple[str, str]


@dataclass(frozen=True)
class Settled:
    """The answer for one constant and family: "proved" for all n, up to a bound, or at the one n of
    a fixed axis; CONDITIONAL where the scope is of another kind; "false" as shown; or "unknown" and
    why."""

    answer: str
    scope: str = ""
    shown: Shown | None = None
    reason: str = ""
    by: str = ""  # "solvers" or "enumeration"
    questions: tuple[Obligation, ...] = ()


def settle(
    compared: Compared,
    axes: Mapping[int, Expr | int],
    n: str | int,
    family: str = "all",
    at: Expr | int | None = None,
) -> Settled:
    """Whether a constant that was compared is fixed by a family of σ, each acting on these axes
    from an offset on, on n places."""
    if not isinstance(compared, Compared):
        raise TypeError("given an entry that was not compared with the file, expected Compared")
    return _Asked(compared.entry, Moved.of(axes, n, family, at)).settled()


def asked(
    entry: Entry, axes: Mapping[int, int], n: str, bound: int | None
) -> tuple[Obligation, ...]:
    """What is asked of solvers about an entry and every permutation, for all n or up to a bound."""
    one = _Asked(entry, Moved.of(axes, n))
    if bound is None:
        return (*one.everywhere(), unmoved(entry, one.moved))
    up_to, within = one.up_to(bound)
    return (*within, unmoved(entry, one.moved, [up_to]))


class _Asked:
    """One constant, one family, and what was asked of it so far."""

    def __init__(self, entry: Entry, moved: Moved) -> None:
        self.entry, self.moved = entry, moved
        self.conditions = [*entry.conditions, *fits(entry, moved)]
        self.name = moved.count.data if moved.count.op == "size" else None

    def settled(self) -> Settled:
        """By looking at small sizes, by solvers, and by looking at larger ones."""
        if shown := self.refuted(SMALL):
            return Settled(FALSE, shown=shown)
        if written_out(self.entry.value) > WRITTEN:
            return Settled(UNKNOWN, reason="given too large an entry to write it out for a solver")
        scope, given, asked = self.scope()
        proved = CONDITIONAL if " where " in scope else PROVED
        question = unmoved(self.entry, self.moved, given)
        answer = answered(question).ok
        if answer is True and cvc5_process.installed():
            return Settled(proved, scope, by="solvers", questions=(*asked, question))
        if answer is not True and (shown := self.refuted(self.larger(question, scope))):
            return Settled(FALSE, shown=self.smallest(shown))
        if answer is not True and self.enumerated(scope):
            return Settled(PROVED, scope, by="enumeration")
        reason = (
            "a solver found an entry that may change, and none was seen to"
            if answer is False
            else "the second solver (cvc5) is not installed"
            if answer
            else "a solver did not say"
        )
        return Settled(UNKNOWN, scope, reason=reason, questions=(question,))

    # ------------------------------------------------------------------------------------ the scope
    def scope(self) -> tuple[str, list[Expr], tuple[Obligation, ...]]:
        """For which n the constant exists, in words; what is assumed for it; what was asked."""
        asked = self.everywhere()
        if all(answered(o).ok is True for o in asked):
            return (ALL if self.name else f"n = {self.moved.count.data}"), [], asked
        if self.name and (k := self.bound()):
            up_to, within = self.up_to(k)
            return f"n <= {k}", [up_to], within
        given = index_free(self.conditions)
        formulas = Formulas()
        said = "; ".join(written(formulas.of(g)) for g in given)
        return f"all n where {said or 'it exists'}", given, ()

    def everywhere(self) -> tuple[Obligation, ...]:
        """Whether the constant exists for every number of tokens."""
        some = [at_most(number(1), self.moved.count)]  # of no tokens there is nothing to say
        return tuple(defined(c, some) for c in self.conditions)

    def up_to(self, k: int) -> tuple[Expr, tuple[Obligation, ...]]:
        """That there are at most k tokens, and whether the constant then exists."""
        some, given = at_most(number(1), self.moved.count), at_most(self.moved.count, number(k))
        return given, tuple(defined(c, [some, given]) for c in self.conditions)

    def bound(self) -> int:
        """The largest number of tokens, up to the largest number in a condition, up to which the
        constant exists; 0 where there is none. Where it exists up to k, it does up to fewer."""
        low, high = 0, largest(self.conditions) + 1
        while low < high:
            middle = (low + high + 1) // 2
            if all(answered(o).ok is True for o in self.up_to(middle)[1]):
                low = middle
            else:
                high = middle - 1
        return low

    # ------------------------------------------------------------------------------- looking at it
    def refuted(self, sizes: Iterable[int]) -> Shown | None:
        """The first of these sizes at which an entry is changed, with all of it."""
        for n in sizes if self.name else (self.moved.count.data,):
            try:
                for own in self.cases(n):
                    if shown := self.changed(own):
                        return shown
            except (TooLarge, Unsupported, OverflowError):
                continue
        return None

    def cases(self, n: int) -> Iterator[dict[str, int]]:
        """Sizes with these many tokens, at which the constant exists: of the others, all are 2, or
        all n."""
        names = {*self.entry.sizes, *_sizes(self.moved.count, *(o for _, o in self.moved.offsets))}
        if self.moved.at is not None:
            names |= _sizes(self.moved.at)
        others = sorted(names - {self.name})
        for other in (2, n) if others else (2,):
            own = dict.fromkeys(others, other) | ({self.name: n} if self.name else {})
            if exists(self.conditions, own):
                yield own

    def changed(self, own: Mapping[str, int]) -> Shown | None:
        """The first entry that a generator changes, at these sizes."""
        count = _number(self.moved.count, own)
        dims = [_number(d, own) for d in self.entry.dims]
        if np.prod([1, *dims]) > ENTRIES:
            raise TooLarge("given too many entries to look at them all")
        whole = values(self.entry, {**self.entry.fixed, **own})
        cut = 0 if self.moved.at is None else _number(self.moved.at, own)
        codes, known = coded(whole)
        least = self.apart(known)
        for sigma in FAMILIES[self.moved.family].generators(count, cut):
            there = codes
            for axis, offset in self.moved.offsets:
                first = _number(offset, own)
                places = [*range(dims[axis])]
                places[first : first + count] = [first + s for s in sigma]
                there = there.take(places, axis)
            for place in np.argwhere(there != codes):
                at = tuple(int(k) for k in place)
                x, y = known[codes[at]], known[there[at]]
                if differs(x, y, least):
                    return Shown(own, tuple(sigma), at, (str(x), str(y)))
        return None

    def apart(self, known: Iterable[Any]) -> float:
        """What values of results that were run have to differ by: rounding is no difference."""
        if not any(p.op == "result" for p in parts(self.entry.value)):
            return 0.0
        return APART_RUN * max((abs(float(v)) for v in known if math.isfinite(v)), default=0.0)

    def larger(self, question: Obligation, scope: str) -> list[int]:
        """Sizes at which a change is looked for: that of a solver's own example first."""
        limit = int(scope.removeprefix("n <= ")) if scope.startswith("n <= ") else None
        found = []
        solver = fresh(question.text)
        if self.name and solver.check() == z3.sat:
            value = solver.model()[z3.Int(size_name(self.name), solver.ctx)]
            found = [] if value is None else [value.as_long()]
        wanted = [*found, *LARGER, *([limit] if limit else [])]
        return [n for n in wanted if 0 < n <= (limit or 4096)]

    def smallest(self, shown: Shown) -> Shown:
        """A change at fewer tokens, where halving finds one."""
        if not self.name:
            return shown
        low, best = max(SMALL), shown
        while best.sizes[self.name] - low > 1:
            middle = (low + best.sizes[self.name]) // 2
            if found := self.refuted([middle]):
                best = found
            else:
                low = middle
        return best

    def enumerated(self, scope: str) -> bool:
        """Whether every size of a bounded scope was looked at, and all entries are exact."""
        own = {self.name} if self.name else set()
        functions = any(p.op in ("function", "special", "result") for p in parts(self.entry.value))
        if functions or not {*self.entry.sizes} <= own:
            return False
        if not self.name:
            sizes = [int(self.moved.count.data)]
        elif scope.startswith("n <= "):
            sizes = [*range(1, int(scope.removeprefix("n <= ")) + 1)]
        else:
            return False
        if len(sizes) > ENUMERATED:
            return False
        try:
            return all(not self.changed({self.name: n} if self.name else {}) for n in sizes)
        except (TooLarge, Unsupported, OverflowError):
            return False


def written_out(e: Expr) -> int:
    """How many parts an expression has where it is written out, what is shared as often as it
    stands."""
    count: dict[Expr, int] = {}
    for part in inside_out(e):
        count[part] = 1 + sum(count[a] for a in part.args)
    return count[e]


def coded(whole: Array) -> tuple[NDArray[np.int64], list[Any]]:
    """An array with a number for each different value, and the values by number."""
    numbers: dict[Any, int] = {}
    codes = np.frompyfunc(lambda v: numbers.setdefault(v, len(numbers)), 1, 1)(whole)
    return np.asarray(codes, dtype=np.int64).reshape(whole.shape), [*numbers]


def differs(x: Any, y: Any, apart: float = 0.0) -> bool:
    """Whether two values are not one: exactly, or of floats beyond what rounding explains, and
    `apart` at least."""
    if apart == 0.0 and not isinstance(x, float) and not isinstance(y, float):
        return bool(x != y)
    x, y = float(x), float(y)
    if x == y or (x != x and y != y):
        return False
    if not (math.isfinite(x) and math.isfinite(y)):
        return True
    return not abs(x - y) <= max(apart, APART * max(1.0, abs(x), abs(y)))


def _sizes(*of: Expr) -> set[str]:
    return {p.data for p in parts(*of) if p.op == "size"}


def _number(e: Expr, own: Mapping[str, int]) -> int:
    return int(evaluate(e, own, {}))
