"""Whether what was planted is true after all: reasons that are checked here, by means of their own.

No mark of the claim is asked. A reason is a theorem of the kernel that says it and agrees with
floating point, algebra at small sizes, values found by drawing, or the form of the change alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from orderproof.symbolic.kernel import Theorem
from orderproof.symbolic.statement import Statement

from .audit_derive import says
from .audit_fields import weaker
from .audit_same import makes_no_difference
from .checking import run
from .claims import ByKernel, Claim
from .marks import by_sympy_positive, by_sympy_simplified
from .marks_numeric import SEED, UNBOUNDED, by_numpy, holds_at, tensors_of
from .sampling import Counts, all_maps, cases_at, holds_of_numbers, substituted

DRAWS = 8  # of values, until a statement that there are some holds
MORE = 3  # so many sizes, from the least on, stand for all


def reason(claim: Claim, true: Statement | None, found: Theorem | None, quick: bool = False) -> str:
    """Why a changed claim is true; nothing if no reason is found, or (`quick`) none without values
    and algebra, but for a theorem that was derived."""
    s = claim.statement
    if true is not None and (said := weaker(true, s)):
        return said
    if s.atom.relation in "=≤" and not s.atom.some and s.atom.lhs == s.atom.rhs and not s.exists:
        return "both sides are the same term"
    if said := by_theorem(claim, true, found):
        return said
    if true is not None and (said := only_empty(true, s)):
        return said
    if quick:
        return ""
    if s.exists:
        return by_drawing(s)
    if not s.tensors:
        return by_computing(s)
    check = {"=": by_sympy_simplified, "<": by_sympy_positive}.get(s.atom.relation)
    if check and "kernel" not in claim.marks and not s.atom.some and agrees(claim):
        mark = run(check, "sympy", claim)
        if mark.ok:
            return f"by algebra at small sizes: {mark.detail}; numeric agrees"
    return makes_no_difference(s, true) if true is not None else ""


def by_theorem(claim: Claim, true: Statement | None, found: Theorem | None) -> str:
    """By a theorem that was derived, or by the one that the claim cites: of the same atom, it was
    looked at in floating point with the true claim."""
    check = claim.marks.get("kernel")
    cited = check.theorem if isinstance(check, ByKernel) else None
    if cited is not None and true is not None and says(cited, claim.statement):  # noqa: SIM102
        if claim.statement.atom == true.atom:
            return f"cited: a theorem of the kernel, law {cited.law}"
    if found is not None and says(found, claim.statement) and agrees(claim):
        return f"derived: a theorem of the kernel, law {found.law}; numeric agrees"
    return ""


def agrees(claim: Claim) -> bool:
    """Whether both sides agree in floating point, as far as that can be seen: small numbers where
    others overflow."""
    for scale in (1.0, 1 / 64):
        mark = run(by_numpy(scale=scale, dtypes=(np.float64,)), "numeric", claim)
        if mark.ok or (mark.ok is False and not mark.detail.endswith(UNBOUNDED)):
            return mark.ok
    return True


def only_empty(true: Statement, s: Statement) -> str:
    """A bound lowered to 0 adds the empty set alone, and over that there is nothing to state."""
    for x, k in true.sizes.least:
        if k > 1 or s.sizes.lower(x) > 0 or x not in s.atom.axes.values() or s.atom.some:
            continue
        if replace(s, sizes=replace(s.sizes, least=s.sizes.least | {(x, 1)})) == true:
            return f"vacuous: at {x.name} = 0 no entry is stated, and all else is the true claim"
    return ""


def by_computing(s: Statement) -> str:
    """A statement without tensors at listed sizes: computed for all maps."""
    if s.exists or set(s.sizes.of) != set(s.sets):
        return ""
    count = 0
    for sizes in _points(s):
        if not all_maps(s, sizes):
            return ""
        for _, maps in cases_at(s, sizes):
            if not holds_of_numbers(s.atom, sizes, maps):
                return ""
            count += 1
    return f"computed for all {count} maps" if count else ""


def by_drawing(s: Statement) -> str:
    """Values were found, by drawing, for every choice of the maps that they are to be found for,
    at all listed sizes, and at a few of those that are not listed."""
    bare = substituted(s)
    if any(op not in bare.exists for op in bare.tensors):
        return ""
    rng, count = np.random.default_rng(SEED), 0
    plain = Statement(bare.atom, bare.given)
    chosen = [m.data[0] for m in bare.maps if m in bare.exists]
    for sizes in _points(bare):
        found: dict[str, bool] = {}
        for _, maps in cases_at(plain, sizes):
            key = str({name: x for name, x in maps.items() if name not in chosen})
            found[key] = found.get(key, False) or _some(bare, sizes, maps, rng)
        if not all(found.values()):
            return ""
        count += len(found)
    return f"values were found by drawing, in {count} cases" if count else ""


def _some(s: Statement, sizes: Counts, maps: dict[str, Any], rng: np.random.Generator) -> bool:
    """Whether values are found at which all that is to hold does, beyond rounding; of what is
    given of the maps, where it does not hold there is nothing to find."""
    if not all(holds_at(a, sizes, maps, {}) for a in s.given):
        return True
    for draw in range(DRAWS):
        given = tensors_of(*s.terms, sizes=sizes, rng=rng)
        given = {k: x if callable(x) else x * (draw > 0) for k, x in given.items()}
        if all(holds_at(a, sizes, maps, given) for a in (s.atom, *s.such)):
            return True
    return False


def _points(s: Statement) -> Iterator[Counts]:
    """The listed sizes; with each, a few of every set that is not listed."""
    free = [x for x in s.sets if x not in s.sizes.of]
    columns: list[range] = [range(s.sizes.lower(x), s.sizes.lower(x) + MORE) for x in free]
    for case in sorted(s.sizes.among) or [()]:
        own = dict(zip(s.sizes.of, case, strict=True))
        for more in itertools.product(*columns):
            yield {x.name: k for x, k in (own | dict(zip(free, more, strict=True))).items()}
