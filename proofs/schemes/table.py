"""The table scheme × symmetry: every cell proved, refuted with the smallest n, or not applicable.

A proved cell rests on two things. The kernel derives the symmetry of the model for all n, d and
weights, from hypotheses on the position tensors; and the hypotheses are settled for all n and all
parameters by two solvers, as questions about integers. A refuted cell holds a witness at the
smallest n at which the tensors do not have the symmetry, replayed; at every smaller n the
hypotheses were looked at entry by entry. For every larger n it names a theorem of the catalogue, or
carries an argument on paper, which settles nothing and has a sign (refutations.py). Whatever is
neither is open.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import repeat
from typing import Any

from orderproof.proofs.marks.smt import settled
from orderproof.symbolic.counting import for_people
from orderproof.symbolic.schemes.definitions import (
    POSITION_SCHEMES,
    PositionScheme,
    position_scheme,
)
from orderproof.symbolic.schemes.models import Derived, any_depth, equivariant, last_row, travelling
from orderproof.symbolic.schemes.search import find
from orderproof.symbolic.schemes.sizes import VALUES, looked_at
from orderproof.symbolic.schemes.symmetries import SYMMETRIES, Symmetry, obligations
from orderproof.symbolic.witness.scheme_file import LEAST, PositionWitness

from .every_size import everywhere, listed
from .refutations import ByTheorem, Ground, OnPaper, require

UNPLACED = ("none", "constant")  # schemes in which no token has a position of its own
FREE = "all d and all weights"
PAPER, LOOKED_AT = "†", "…"  # signs: an argument on paper; larger n were looked at alone
INDUCTION = OnPaper(
    "The kernel proves what enters the first layer, one layer with its skip for any weights and "
    "any input, and the last row of what leaves it; that they give every depth is induction over "
    "the layers."
)


@dataclass(frozen=True)
class Cell:
    """One scheme and one symmetry. `regime` says for which sizes and parameters the verdict is.
    Of a refutation `smallest` is the smallest n, `smaller` are the sizes below it, at which the
    symmetry holds, and `again` larger ones at which it holds too; `every_n` is what every n from
    the smallest on rests on (None: larger ones were looked at alone), `replayed` are the sizes with
    a witness that was replayed, and `by_parameter` the smallest n for other values of the parameter
    where no rule is proved. Of a proof `every_depth` is what every depth rests on, where that is an
    argument on paper.

    Raises WrongTheorem for a theorem that does not refute this, UnknownTheorem for one that is not
    in the catalogue.
    """

    scheme: str
    symmetry: str
    verdict: str
    regime: str
    reason: str
    smallest: int | None = None
    smaller: tuple[int, ...] = ()
    again: tuple[int, ...] = ()
    every_n: Ground | None = None
    replayed: tuple[int, ...] = ()
    by_parameter: tuple[tuple[int, int], ...] = ()
    witness: PositionWitness | None = None
    every_depth: OnPaper | None = None

    def __post_init__(self) -> None:
        if self.every_n is not None and self.verdict != "refuted":
            raise ValueError(f"refuted for every n: given for a cell that is {self.verdict}")
        if isinstance(self.every_n, ByTheorem):
            s, y = position_scheme(self.scheme), SYMMETRIES[self.symmetry]
            require(self.every_n.theorem, s, y)

    @property
    def sign(self) -> str:
        """What is printed beside the verdict: † where part of the regime rests on paper, … where
        larger n were looked at alone."""
        if isinstance(self.every_n, OnPaper) or self.every_depth is not None:
            return PAPER
        return LOOKED_AT if self.verdict == "refuted" and self.every_n is None else ""

    @property
    def told(self) -> str:
        """The reason for people, who count from 1."""
        return for_people(self.reason, self.witness.sigma if self.witness else None)

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
            "every_n": self.every_n.to_json() if self.every_n else None,
            "every_depth": self.every_depth.to_json() if self.every_depth else None,
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
    if found is None and s.parameters and not looked_at(s, y).breaking:
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
    regime = f"{_domain(s, y, own_parameters)}, {FREE}"
    if y.depth:
        return Cell(s.name, y.name, "proved", regime, reason)
    reason += f"; for every depth, by an argument on paper: {INDUCTION.sentence}"
    regime += "; on paper every depth"
    return Cell(s.name, y.name, "proved", regime, reason, every_depth=INDUCTION)


def _domain(s: PositionScheme, y: Symmetry, own: bool) -> str:
    unit = y.unit(s)
    sizes = "all n" if unit == 1 else f"all n = m·{s.unit if s.unit and not own else unit}"
    sizes += f" + {s.extra}" if s.extra else ""
    given = (f", {p} = {v}" if own else f", all {p} ≥ {LEAST[p]}" for p, v in s.parameters.items())
    return sizes + "".join(given)


def _refuted(s: PositionScheme, y: Symmetry) -> Cell:
    """The smallest n at which some permutation of the family changes the position tensors, and for
    which n it is refuted."""
    sizes = looked_at(s, y)
    at = sizes.smallest
    if at is None:
        said = f"the position tensors have it at n = {listed(sizes.held)}; not settled for all n"
        return Cell(s.name, y.name, "open", "", said, smaller=sizes.held)
    witness = find(s, y, at, sizes.breaking[at])
    if witness is None:
        said = f"n = {at}: the position tensors change, and no candidate is a counterexample"
        return Cell(s.name, y.name, "open", "", said, at, sizes.smaller, sizes.again)
    given = "".join(f", {p} = {v}" for p, v in s.parameters.items())
    layers = ", with two layers" if y.depth == 0 else ""
    reason = f"n = {at}{given}: σ = {list(witness.sigma)}{layers}, replayed ({witness.kind})"
    if sizes.smaller:
        reason += f"; it holds at n = {listed(sizes.smaller)}, every entry looked at"
    if sizes.again:
        reason += f", and again at n = {listed(sizes.again)}"
    edge = obligations(s, y, within_edge=True) if s.edge else None
    if s.edge and edge and settled(edge, "")[0] is True:
        reason += f"; proved for all {s.edge[0]}"
    every = everywhere(s, y, sizes)
    reason += f"; {every.reason}"
    others = () if every.rule else by_parameter(s, y)
    regime = every.regime + "".join(
        f"; looked at, {p} = {v}: smallest n = {k}" for p in s.parameters for v, k in others
    )
    return Cell(
        s.name, y.name, "refuted", regime, reason, at, sizes.smaller, sizes.again, every.ground,
        every.replayed or (at,), others, witness,
    )  # fmt: skip


def summary(cells: Sequence[Cell]) -> str:
    """How many cells have each verdict, and on what the refutations for every n rest."""
    verdicts = Counter(c.verdict for c in cells)
    said = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common())
    grounds = Counter(_ground(c) for c in cells if c.verdict == "refuted")
    if grounds:
        said += f". Refuted for every n: {', '.join(f'{n} {g}' for g, n in grounds.most_common())}"
    if deep := sum(c.every_depth is not None for c in cells):
        said += f". Proved for every depth: {deep} on paper ({PAPER})"
    return said + "."


def _ground(c: Cell) -> str:
    match c.every_n:
        case ByTheorem(theorem):
            return f"by {theorem}"
        case OnPaper():
            return f"on paper ({PAPER})"
    return f"not, only at the sizes looked at ({LOOKED_AT})"


def by_parameter(s: PositionScheme, y: Symmetry) -> tuple[tuple[int, int], ...]:
    """The smallest n for other values of the parameter, where there is one and a witness for it."""
    found = []
    for name, own in s.parameters.items():
        for value in VALUES:
            other = replace(s, parameters={name: value})
            sizes = looked_at(other, y)
            at = sizes.smallest
            if value != own and at is not None and find(other, y, at, sizes.breaking[at]):
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
