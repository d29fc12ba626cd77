"""The table scheme × symmetry: every cell proved, refuted with the smallest n, or not applicable.

A proved cell rests on two things. The kernel derives the symmetry of the model for all n, d and
weights, from hypotheses on the position tensors; and the hypotheses are settled for all n and all
parameters by two solvers, as questions about integers. A refuted cell holds a witness at the
smallest n at which the tensors do not have the symmetry, replayed; at every smaller n the
hypotheses were looked at entry by entry. Whatever is neither is open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

from orderproof.symbolic.position_models import Derived, equivariant, last_row, travelling
from orderproof.symbolic.position_schemes import POSITION_SCHEMES, PositionScheme
from orderproof.symbolic.position_search import find
from orderproof.symbolic.position_witness import PositionWitness
from orderproof.symbolic.symmetries import SYMMETRIES, Sigma, Symmetry, holds_at, obligations

from .marks import settled

LARGEST = 8  # n up to which a symmetry that is not proved is looked at
DEEP = 8  # layers of the stack that stands for any depth
VALUES = (1, 2, 3)  # of a parameter, beside its default
UNPLACED = ("none", "constant")  # schemes in which no token has a position of its own
FREE = "all d and all weights"


@dataclass(frozen=True)
class Cell:
    """One scheme and one symmetry. `regime` says for which sizes and parameters the verdict is;
    `smallest` is the smallest n of a refutation, `smaller` are the sizes below it, at which the
    symmetry holds; `by_parameter` are the smallest n for other values of the parameter."""

    scheme: str
    symmetry: str
    verdict: str
    regime: str
    reason: str
    smallest: int | None = None
    smaller: tuple[int, ...] = ()
    by_parameter: tuple[tuple[int, int], ...] = ()
    witness: PositionWitness | None = None

    def to_json(self, file: str | None = None) -> dict[str, Any]:
        """The cell for a program; `file` is where its witness was written."""
        return {
            "scheme": self.scheme,
            "symmetry": self.symmetry,
            "verdict": self.verdict,
            "regime": self.regime,
            "reason": self.reason,
            "smallest": self.smallest,
            "smaller": list(self.smaller),
            "by_parameter": {str(k): n for k, n in self.by_parameter},
            "file": file,
        }


def cell(s: PositionScheme, y: Symmetry) -> Cell:
    """One cell of the table, from nothing."""
    if y.reads in ("offset", "ids") and s.name in UNPLACED:
        return Cell(s.name, y.name, "not applicable", "", "no token has a position of its own")
    theorem = derived(s, y)
    if y.reads == "ids":
        if theorem is None:
            return Cell(s.name, y.name, "open", "", "the push does not go through")
        reason = "kernel, no hypothesis: every position tensor is permuted with the tokens"
        return Cell(s.name, y.name, "proved", f"all n, {FREE}", reason)
    if theorem is not None or y.reads == "offset":
        proved = settled_for_all(s, y, theorem)
        if proved:
            return proved
    return _refuted(s, y)


def derived(s: PositionScheme, y: Symmetry) -> Derived | None:
    """The kernel's theorem about the model; for any depth that of a deep stack."""
    if y.reads == "ids":
        return travelling(s.letters)
    if y.reads == "last":
        return last_row(s.letters, y.depth or DEEP)
    return equivariant(s.letters) if y.reads == "layer" else None


def settled_for_all(s: PositionScheme, y: Symmetry, theorem: Derived | None) -> Cell | None:
    """The proved cell, if the hypotheses hold for all n."""
    asked = obligations(s, y)
    if asked is None:
        return None
    if asked and settled(asked, "")[0] is not True:
        return None
    how = "Z3 and cvc5 for all n" if asked else "there are none"
    if theorem is None:
        reason = f"the position tensors are the same ({how}), and so the model is"
    else:
        reason = f"kernel: {theorem.says}; its hypotheses on the position tensors: {how}"
    if y.depth == 0:
        reason += f"; {DEEP} layers derived, and a layer more is one more step of the same"
    return Cell(s.name, y.name, "proved", f"{_domain(s)}, {FREE}", reason)


def _domain(s: PositionScheme) -> str:
    sizes = "all n" if not s.unit else f"all n = m·{s.unit}" + (f" + {s.extra}" if s.extra else "")
    return sizes + "".join(f", all {p} ≥ 1" for p in s.parameters)


def _refuted(s: PositionScheme, y: Symmetry) -> Cell:
    """The smallest n at which some permutation of the family changes the position tensors."""
    smaller, at, sigma = _first(s, y)
    if at is None or sigma is None:
        said = f"the position tensors have it at n = {_listed(smaller)}; not settled for all n"
        return Cell(s.name, y.name, "open", "", said, smaller=smaller)
    witness = find(s, y, at, sigma)
    if witness is None:
        said = f"n = {at}: the position tensors lack it, and no candidate shows it"
        return Cell(s.name, y.name, "open", "", said, at, smaller)
    given = "".join(f", {p} = {v}" for p, v in s.parameters.items())
    reason = f"n = {at}{given}: σ = {list(sigma)}, replayed ({witness.kind})"
    if smaller:
        reason += f"; it holds at n = {_listed(smaller)}, every entry looked at"
    edge = obligations(s, y, within_edge=True) if s.edge else None
    if s.edge and edge and settled(edge, "")[0] is True:
        reason += f"; proved for all {s.edge[0]}"
    others = _by_parameter(s, y)
    regime = "; ".join(f"{p} = {v}: n = {k}" for p in s.parameters for v, k in others)
    if y.depth == 0:
        reason += "; with two layers"
    regime = f"smallest {regime}" if regime else f"smallest n = {at}"
    return Cell(s.name, y.name, "refuted", regime, reason, at, smaller, others, witness)


def _first(s: PositionScheme, y: Symmetry) -> tuple[tuple[int, ...], int | None, Sigma | None]:
    """Sizes at which the tensors have the symmetry, and the first at which they lack it."""
    held: list[int] = []
    for n in range(1, LARGEST + 1):
        if s.fits(n):
            for sigma in y.generators(s, n):
                if not holds_at(s, y, n, sigma):
                    return tuple(held), n, sigma
            held.append(n)
    return tuple(held), None, None


def _by_parameter(s: PositionScheme, y: Symmetry) -> tuple[tuple[int, int], ...]:
    """The smallest n for each value of the parameter, where there is one and a witness for it."""
    found = []
    for name in s.parameters:
        for value in VALUES:
            other = replace(s, parameters={name: value})
            _, n, sigma = _first(other, y)
            if n is not None and sigma is not None and find(other, y, n, sigma):
                found.append((value, n))
    return tuple(found)


def _listed(sizes: Iterable[int]) -> str:
    return ", ".join(map(str, sizes)) or "none"


def table(
    names: Iterable[str] = tuple(POSITION_SCHEMES),
    jobs: int = 1,
    done: Callable[[str], None] = lambda name: None,
) -> list[Cell]:
    """All cells of these schemes, row by row."""
    names = list(names)
    if jobs <= 1 or len(names) <= 1:
        rows = []
        for name in names:
            rows.append(row(name))
            done(name)
        return [c for r in rows for c in r]
    with ProcessPoolExecutor(min(jobs, len(names))) as pool:
        found = []
        for name, r in zip(names, pool.map(row, names), strict=True):
            found += r
            done(name)
        return found


def row(name: str) -> list[Cell]:
    """The cells of one scheme."""
    return [cell(POSITION_SCHEMES[name], y) for y in SYMMETRIES.values()]
