"""The table scheme × symmetry: every cell proved, refuted with the smallest n, or not applicable.

A proved cell rests on two things. The kernel derives the symmetry of the model for all n, d and
weights, from hypotheses on the position tensors; and the hypotheses are settled for all n and all
parameters by two solvers, as questions about integers. A refuted cell holds a witness at the
smallest n at which the tensors do not have the symmetry, replayed; at every smaller n, and at some
larger ones, the tensors were looked at entry by entry. Where a theorem of the catalogue says for
every n which permutations are kept, the cell names it. Whatever is neither is open.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from orderproof.check.marks.smt import settled
from orderproof.check.prove import as_json
from orderproof.check.prove.cache import Cache
from orderproof.check.prove.executor import each
from orderproof.check.prove.standing import cited
from orderproof.symbolic.counting import for_people
from orderproof.symbolic.ending import Ending, first_of
from orderproof.symbolic.schemes.definitions import (
    POSITION_SCHEMES,
    PositionScheme,
    position_scheme,
)
from orderproof.symbolic.schemes.models import Derived, any_depth, equivariant, last_row, travelling
from orderproof.symbolic.schemes.search import find
from orderproof.symbolic.schemes.sizes import looked_at
from orderproof.symbolic.schemes.symmetries import SYMMETRIES, Symmetry, obligations
from orderproof.symbolic.witness.scheme_file import LEAST, PositionWitness

KIND = "scheme"  # of entries in the cache
UNPLACED = ("none", "constant")  # schemes in which no token has a position of its own
FREE = "all d and all weights"
EXACTLY = ("score_bias_iff", "σ keeps the bias (−∞ where unseen) less its row maxima")


@dataclass(frozen=True)
class Cell:
    """One scheme and one symmetry. `regime` says for which sizes and parameters the verdict is.
    Of a refutation `smallest` is the smallest n, `smaller` are the sizes below it, at which the
    symmetry holds, `larger` those above it that were looked at and break it, and `again` those at
    which it holds; `theorem` says for every n which permutations are kept, if one does."""

    scheme: str
    symmetry: str
    verdict: str
    regime: str
    reason: str
    smallest: int | None = None
    smaller: tuple[int, ...] = ()
    larger: tuple[int, ...] = ()
    again: tuple[int, ...] = ()
    theorem: str = ""
    witness: PositionWitness | None = None

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
            "larger": list(self.larger),
            "again": list(self.again),
            "theorem": self.theorem or None,
            "file": file,
        }


CLASSES = as_json.named(Cell, PositionWitness)


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
    """The kernel's theorem about the model."""
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
    return Cell(s.name, y.name, "proved", regime, reason)


def _domain(s: PositionScheme, y: Symmetry, own: bool) -> str:
    unit = y.unit(s)
    sizes = "all n" if unit == 1 else f"all n = m·{s.unit if s.unit and not own else unit}"
    sizes += f" + {s.extra}" if s.extra else ""
    given = (f", {p} = {v}" if own else f", all {p} ≥ {LEAST[p]}" for p, v in s.parameters.items())
    return sizes + "".join(given)


def _refuted(s: PositionScheme, y: Symmetry) -> Cell:
    """The smallest n at which some permutation of the family changes the position tensors, with a
    witness there, and the other sizes that were looked at."""
    sizes = looked_at(s, y)
    at = sizes.smallest
    if at is None:
        said = f"the position tensors have it at n = {listed(sizes.held)}; not settled for all n"
        return Cell(s.name, y.name, "open", "", said, smaller=sizes.held)
    witness = find(s, y, at, sizes.breaking[at])
    if witness is None:
        said = f"n = {at}: the position tensors change, and no candidate is a counterexample"
        return Cell(
            s.name, y.name, "open", "", said, at, sizes.smaller, sizes.larger, sizes.again
        )  # fmt: skip
    given = "".join(f", {p} = {v}" for p, v in s.parameters.items())
    layers = ", with two layers" if y.depth == 0 else ""
    reason = f"n = {at}{given}: σ = {list(witness.sigma)}{layers}, replayed ({witness.kind})"
    if sizes.smaller:
        reason += f"; it holds at n = {listed(sizes.smaller)}, every entry looked at"
    if sizes.larger:
        reason += f"; the position tensors change at n = {listed(sizes.larger)}, too"
    if sizes.again:
        reason += f"; it holds again at n = {listed(sizes.again)}"
    edge = obligations(s, y, within_edge=True) if s.edge else None
    if s.edge and edge and settled(edge, "")[0] is True:
        reason += f"; proved for all {s.edge[0]}"
    theorem, condition = exactly_kept(s, y)
    if theorem:
        reason += f"; for every n: kept if and only if {condition} ({cited(theorem)})"
    return Cell(
        s.name, y.name, "refuted", f"n = {at}{given}", reason, at, sizes.smaller, sizes.larger,
        sizes.again, theorem, witness,
    )  # fmt: skip


def exactly_kept(s: PositionScheme, y: Symmetry) -> tuple[str, str]:
    """The theorem of the catalogue that says for every n which permutations of all tokens one layer
    keeps, and its condition; nothing where there is none, as of added tables of several
    features."""
    return EXACTLY if y.reads == "layer" and s.letters in ("B", "G", "BG") else ("", "")


def listed(sizes: tuple[int, ...]) -> str:
    """Sizes in words: n = 3, …, 8."""
    if len(sizes) > 3 and len({b - a for a, b in pairwise(sizes)}) == 1:
        middle = "…" if sizes[1] == sizes[0] + 1 else f"{sizes[1]}, …"
        return f"{sizes[0]}, {middle}, {sizes[-1]}"
    return ", ".join(map(str, sizes)) or "none"


def ending(cells: Sequence[Cell]) -> Ending:
    """The exit status, 3 if a cell stayed open, and why."""
    left = [f"{c.scheme}, {c.symmetry} open" for c in cells if c.verdict == "open"]
    return Ending(3, "every cell proved or refuted", first_of(left)) if left else Ending()


def summary(cells: Sequence[Cell]) -> str:
    """How many cells have each verdict, and which theorems say for every n what is kept."""
    verdicts = Counter(c.verdict for c in cells)
    said = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common())
    named = Counter(c.theorem for c in cells if c.theorem)
    if named:
        by = "; ".join(f"{count} by {cited(theorem)}" for theorem, count in named.most_common())
        said += f". Which permutations are kept, for every n: {by}"
    return f"{said}."


def table(
    names: Iterable[str] = tuple(POSITION_SCHEMES),
    jobs: int = 1,
    done: Callable[[str], None] = lambda name: None,
    parameters: Mapping[str, int] | None = None,
    *,
    cache: Cache | None = None,
    scheduler: str | None = None,
) -> list[Cell]:
    """All cells of these schemes, row by row; `parameters` are given to each of them. A row is
    taken from the cache where one is given and has it; in several processes where jobs > 1, or on
    the cluster of a scheduler."""
    names = list(names)
    rows: dict[str, list[Cell]] = {}
    if cache:
        for name in names:
            if (found := taken(cache, name, parameters)) is not None:
                rows[name] = found
                done(name)
    left = [name for name in names if name not in rows]
    for name, made in each(row, left, parameters, jobs=jobs, scheduler=scheduler):
        if cache:
            keep(cache, name, parameters, made)
        rows[name] = made
        done(name)
    return [c for name in names for c in rows[name]]


def row(name: str, parameters: Mapping[str, int] | None = None) -> list[Cell]:
    """The cells of one scheme."""
    s = position_scheme(name, parameters)
    return [cell(s, y) for y in SYMMETRIES.values()]


def entry(name: str, parameters: Mapping[str, int] | None) -> str:
    """The name of a row in the cache."""
    return "-".join([name, *(f"{k}{v}" for k, v in sorted((parameters or {}).items()))])


def taken(cache: Cache, name: str, parameters: Mapping[str, int] | None) -> list[Cell] | None:
    """The row of a scheme from the cache, if it is there."""
    data = cache.load(KIND, entry(name, parameters))
    if data is None:
        return None
    try:
        found = list(as_json.decode(data, CLASSES))
        if [(c.scheme, c.symmetry) for c in found] != [(name, y) for y in SYMMETRIES]:
            raise ValueError(f"given other cells than those of {name}")
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        cache.refuse(KIND, entry(name, parameters), f"{type(error).__name__}: {error}")
        return None
    return found


def keep(
    cache: Cache, name: str, parameters: Mapping[str, int] | None, cells: Sequence[Cell]
) -> None:
    """Keep a row without a cell that is open: with more time it may come out otherwise."""
    if all(c.verdict != "open" for c in cells):
        data = as_json.encoded(tuple(cells), CLASSES)
        cache.store(KIND, entry(name, parameters), data)
