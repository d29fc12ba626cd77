"""The table scheme × symmetry: every cell proved, refuted with the smallest n, or not applicable.

A proved cell rests on two things. The kernel derives the symmetry of the model for all n, d and
weights, from hypotheses on the position tensors; and the hypotheses are settled for all n and all
parameters by two solvers, as questions about integers. A refuted cell holds a witness at the
smallest n at which the tensors do not have the symmetry, replayed; at every smaller n the
hypotheses were looked at entry by entry. For the larger n see every_size.py. Whatever is neither is
open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import repeat
from typing import Any

from orderproof.symbolic.lacking import VALUES, looked_at
from orderproof.symbolic.position_models import (
    Derived,
    any_depth,
    equivariant,
    last_row,
    travelling,
)
from orderproof.symbolic.position_schemes import (
    POSITION_SCHEMES,
    PositionScheme,
    position_scheme,
)
from orderproof.symbolic.position_search import find
from orderproof.symbolic.position_witness import PositionWitness
from orderproof.symbolic.symmetries import SYMMETRIES, Symmetry, obligations

from .every_size import everywhere, listed
from .marks import settled

UNPLACED = ("none", "constant")  # schemes in which no token has a position of its own
FREE = "all d and all weights"
INDUCTION = (
    "base (what enters the first layer), step (one layer with its skip, any weights, any state) "
    "and read-out (the last row) are three theorems of the kernel; that they give every depth is "
    "induction over the layers, on paper here, and in Rocq for encoder_equivariant"
)


@dataclass(frozen=True)
class Cell:
    """One scheme and one symmetry. `regime` says for which sizes and parameters the verdict is.
    Of a refutation `smallest` is the smallest n, `smaller` are the sizes below it, at which the
    symmetry holds, and `again` larger ones at which it holds too; `every` says that it is proved
    for every n from the smallest on, `replayed` are the sizes with a witness that was replayed, and
    `by_parameter` the smallest n for other values of the parameter where no rule is proved."""

    scheme: str
    symmetry: str
    verdict: str
    regime: str
    reason: str
    smallest: int | None = None
    smaller: tuple[int, ...] = ()
    again: tuple[int, ...] = ()
    every: bool = False
    replayed: tuple[int, ...] = ()
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
            "again": list(self.again),
            "every": self.every,
            "replayed": list(self.replayed),
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
    """The kernel's theorems about the model; for any depth the base, the step and the read-out."""
    if y.reads == "ids":
        return travelling(s.letters)
    if y.reads == "last":
        return last_row(s.letters, y.depth) if y.depth else any_depth(s.letters)
    return equivariant(s.letters) if y.reads == "layer" else None


def settled_for_all(s: PositionScheme, y: Symmetry, theorem: Derived | None) -> Cell | None:
    """The proved cell, if the hypotheses hold for all n: for all parameters, else for the
    scheme's own, where no size says otherwise."""
    found = _settled(s, y, theorem, own_parameters=False)
    if found is None and s.parameters and not looked_at(s, y).lacked:
        return _settled(s, y, theorem, own_parameters=True)
    return found


def _settled(
    s: PositionScheme, y: Symmetry, theorem: Derived | None, *, own_parameters: bool
) -> Cell | None:
    asked = obligations(s, y, own_parameters=own_parameters)
    if asked is None:
        return None
    how = "there are none"
    if asked:
        good, said = settled(asked, "")
        if good is not True:
            return None
        how = f"{said.partition(':')[0]} for all n"
    if theorem is None:
        reason = f"the position tensors are the same ({how}), and so the model is"
    else:
        reason = f"kernel: {theorem.says}; its hypotheses on the position tensors: {how}"
    if y.depth == 0:
        reason += f"; {INDUCTION}"
    return Cell(s.name, y.name, "proved", f"{_domain(s, y, own_parameters)}, {FREE}", reason)


def _domain(s: PositionScheme, y: Symmetry, own: bool) -> str:
    unit = y.unit(s)
    sizes = "all n" if unit == 1 else f"all n = m·{s.unit if s.unit and not own else unit}"
    sizes += f" + {s.extra}" if s.extra else ""
    given = (f", {p} = {v}" if own else f", all {p} ≥ 1" for p, v in s.parameters.items())
    return sizes + "".join(given)


def _refuted(s: PositionScheme, y: Symmetry) -> Cell:
    """The smallest n at which some permutation of the family changes the position tensors, and for
    which n it is refuted."""
    sizes = looked_at(s, y)
    at = sizes.smallest
    if at is None:
        said = f"the position tensors have it at n = {listed(sizes.held)}; not settled for all n"
        return Cell(s.name, y.name, "open", "", said, smaller=sizes.held)
    witness = find(s, y, at, sizes.lacked[at])
    if witness is None:
        said = f"n = {at}: the position tensors lack it, and no candidate shows it"
        return Cell(s.name, y.name, "open", "", said, at, sizes.smaller, sizes.again)
    given = "".join(f", {p} = {v}" for p, v in s.parameters.items())
    reason = f"n = {at}{given}: σ = {list(witness.sigma)}, replayed ({witness.kind})"
    if sizes.smaller:
        reason += f"; it holds at n = {listed(sizes.smaller)}, every entry looked at"
    if sizes.again:
        reason += f", and again at n = {listed(sizes.again)}"
    edge = obligations(s, y, within_edge=True) if s.edge else None
    if s.edge and edge and settled(edge, "")[0] is True:
        reason += f"; proved for all {s.edge[0]}"
    every = everywhere(s, y, sizes)
    reason += f"; {every.regime if every.proved else 'larger n'}: {every.reason}"
    if y.depth == 0:
        reason += "; with two layers"
    others = () if every.rule else by_parameter(s, y)
    regime = every.regime + "".join(
        f"; looked at, {p} = {v}: smallest n = {k}" for p in s.parameters for v, k in others
    )
    return Cell(
        s.name, y.name, "refuted", regime, reason, at, sizes.smaller, sizes.again, every.proved,
        every.replayed or (at,), others, witness,
    )  # fmt: skip


def by_parameter(s: PositionScheme, y: Symmetry) -> tuple[tuple[int, int], ...]:
    """The smallest n for other values of the parameter, where there is one and a witness for it."""
    found = []
    for name, own in s.parameters.items():
        for value in VALUES:
            other = replace(s, parameters={name: value})
            sizes = looked_at(other, y)
            at = sizes.smallest
            if value != own and at is not None and find(other, y, at, sizes.lacked[at]):
                found.append((value, at))
    return tuple(found)


def table(
    names: Iterable[str] = tuple(POSITION_SCHEMES),
    jobs: int = 1,
    done: Callable[[str], None] = lambda name: None,
    parameters: Mapping[str, int] | None = None,
) -> list[Cell]:
    """All cells of these schemes, row by row; `parameters` are given to each of them."""
    names = list(names)
    if jobs <= 1 or len(names) <= 1:
        rows = []
        for name in names:
            rows.append(row(name, parameters))
            done(name)
        return [c for r in rows for c in r]
    with ProcessPoolExecutor(min(jobs, len(names))) as pool:
        found = []
        for name, r in zip(names, pool.map(row, names, repeat(parameters)), strict=True):
            found += r
            done(name)
        return found


def row(name: str, parameters: Mapping[str, int] | None = None) -> list[Cell]:
    """The cells of one scheme."""
    s = position_scheme(name, parameters)
    return [cell(s, y) for y in SYMMETRIES.values()]
