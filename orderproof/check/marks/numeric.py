"""The numeric mark: both sides of a statement in floating point, against their rounding bounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orderproof.check.claims import Counts, Maps, Witness
from orderproof.check.sampling import moved_sets, substituted
from orderproof.numeric.rounding import Ball, bounded
from orderproof.symbolic.calculus.terms import map_type
from orderproof.symbolic.statements.evidence import Check, Evidence
from orderproof.symbolic.statements.statement import Statement

from .bounds import ratio, refuted, sides
from .exact import cases
from .inputs import DRAWS, SEED, drawn
from .inputs import Inputs as Inputs
from .inputs import weight as weight

UNBOUNDED = "no finite bound"  # ends the detail of a mark that failed without one
Reference = Callable[[Inputs], NDArray[Any]]
FLOATS = (np.float64, np.float32)


@dataclass(frozen=True)
class ByNumpy:
    """Both sides in floating point differ by no more than their rounding bounds allow; so do the
    right side before any permutation and an independent reference, where one is given (axes over
    permuted sets first). Random entries are normal numbers times `scale`. The reference also gets
    the maps that are no permutations. A bound above the largest value leaves the claim open."""

    reference: Reference | None = None
    scale: float = 1.0
    dtypes: Sequence[Any] = FLOATS

    def __call__(self, s: Statement) -> Evidence:
        if s.exists or s.atom.some or s.atom.relation == "≠":
            return _contrary(s)
        bare, tally = substituted(s), _Tally()
        for sizes, maps, given, kind in drawn(bare, np.random.default_rng(SEED), self.scale):
            for dtype in self.dtypes:
                left, right = sides(bare.atom, sizes, maps, given, dtype)
                share = ratio(left, right, bare.atom.relation)
                if self.reference is not None and kind == "random":
                    share = max(share, _against(self.reference, bare, sizes, maps, given, dtype))
                finite = all(np.all(np.isfinite(b.error)) for b in (left, right))
                if not finite and kind != "random":
                    continue  # a division by 0, say: no number to compare, and no case
                if not (share <= 1):
                    told = f"{share:.3g} times the bound" if finite else UNBOUNDED
                    said = f"{dtype.__name__}, {kind} inputs, sizes {sizes}: {told}"
                    return Evidence(False, said, refutes=finite and refuted(left, right, bare.atom))
                tally.add(bare, sizes, share, left, right, kind)
                if tally.vacuous:
                    return Evidence(None, f"{dtype.__name__}: {tally.vacuous}")
        kinds = " and ".join(d.__name__ for d in self.dtypes)
        return tally.evidence(s, bare, kinds)


def by_numpy(
    reference: Reference | None = None, *, scale: float = 1.0, dtypes: Sequence[Any] = FLOATS
) -> Check:
    """The mark of a claim for all values: see `ByNumpy`."""
    return ByNumpy(reference, scale, [np.dtype(x).type for x in dtypes])


class _Tally:
    """What was tried, and how near it came to its bounds."""

    def __init__(self) -> None:
        self.count, self.worst, self.smallest, self.largest = 0, 0.0, float("inf"), 0.0
        self.looked: set[tuple[int, ...]] = set()
        self.vacuous = ""

    def add(
        self, s: Statement, sizes: Counts, share: float, left: Ball, right: Ball, kind: str
    ) -> None:
        largest = float(np.max(np.abs(left.value), initial=0))
        largest = max(largest, float(np.max(np.abs(right.value), initial=0)))
        if kind == "random":
            if 0 < largest < np.max(left.error, initial=0):
                self.vacuous = "the bound is vacuous, above every value"
            self.smallest = min(self.smallest, largest)
        self.largest = max(self.largest, largest)
        self.count, self.worst = self.count + 1, max(self.worst, share)
        self.looked.add(tuple(sizes[x.name] for x in s.sets))

    def evidence(self, s: Statement, bare: Statement, kinds: str) -> Evidence:
        if not self.count:
            return Evidence(None, f"no inputs that satisfy the hypotheses among {DRAWS} drawn")
        if not (self.smallest > 0 and self.largest > 0):
            return Evidence(None, "all values were zero: nothing was compared")
        share = f"{self.worst:.2f}" if self.worst >= 0.01 else "0.01" if self.worst else "0"
        said = f"{self.count} runs, {kinds}, seed {SEED}: at most {share} of the bound"
        return Evidence(True, said, s.at(bare.sets, self.looked) if bare.sets else s, sweep=True)


def _contrary(s: Statement) -> Evidence:
    """Of a claim for all values that sides differ, a case in which they do not refutes it."""
    if s.exists or s.atom.relation != "≠":
        return Evidence(None, "cases prove neither existence nor a difference in some entry")
    bare = substituted(s)
    for sizes, maps, given, _ in drawn(bare, np.random.default_rng(SEED), 1.0):
        left, right = sides(bare.atom, sizes, maps, given, np.float64)
        if left.value.size and ratio(left, right, "=") <= 1:
            said = f"sizes {sizes}: no difference beyond rounding"
            return Evidence(False, said, refutes=refuted(left, right, bare.atom))
    return Evidence(None, "the sides differ in these cases, which proves no ≠")


def _against(
    reference: Reference, s: Statement, sizes: Counts, maps: Maps, given: Inputs, dtype: Any
) -> float:
    """The right side at rest and the independent reference on the same inputs, against twice the
    term's bound (each computes in its own order, within the same bound)."""
    permutations, moved, _ = moved_sets(s)
    moving = {m.data[0] for m in permutations}
    others = {name: table for name, table in maps.items() if name not in moving}
    inputs = {k: v.astype(dtype) if hasattr(v, "astype") else v for k, v in given.items()}
    expected = reference(inputs | others | {"sizes": sizes})
    still = {m.data[0]: list(range(sizes[map_type(m)[1].name])) for m in permutations}
    ball = bounded(s.atom.rhs, sizes, still | others, given, dtype, literal=True)
    sets = [*s.atom.rhs.sets.values()]
    rows_first = sorted(range(len(sets)), key=lambda k: sets[k] not in moved)
    value, error = (np.transpose(x, rows_first) for x in (ball.value, ball.error))
    if expected.shape != value.shape:
        return float("inf")
    wide = Ball(value.astype(np.float64), error)
    return ratio(wide, Ball(np.asarray(expected, np.float64), error), "=")


def by_numpy_differs(witnesses: Sequence[Witness]) -> Check:
    """At each witness the two sides differ, in floating point, by more than rounding explains."""

    def check(s: Statement) -> Evidence:
        least = [float("inf")]

        def holds(bare: Statement, w: Witness) -> bool:
            for dtype in FLOATS:
                given = {k: np.asarray(v, dtype=float) for k, v in w.tensors.items()}
                if w.query in given:
                    width = given[w.query].shape[-1]
                    given[w.query] = given[w.query] * np.sqrt(width) * np.log(2.0)
                given |= {name: given[name] * np.log(2.0) for name in w.logs}
                left, right = sides(bare.atom, w.sizes, w.maps, given, dtype, literal=False)
                gap = np.abs(left.value - right.value) - left.error - right.error
                best = float(np.nanmax(gap, initial=-1.0))
                if not (best > 0):
                    return False
                least[0] = min(least[0], best)
            return True

        if s.atom.relation != "≠" or not s.atom.some:
            return Evidence(None, "this check is of ≠ in some entry")
        found = cases(s, witnesses, holds)
        one = len(witnesses) == 1
        subject = "1 witness differs" if one else f"{len(witnesses)} witnesses differ"
        said = f"{subject} by at least {least[0]:.3g} beyond rounding"
        if found.ok is not True:
            return found
        return Evidence(True, said, found.states, sweep=True)

    return check
