"""Position schemes: the table, the notes to it, and for each scheme why it has what it has. Every
word about a cell comes from the cell.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from orderproof.check.schemes.table import Cell, summary
from orderproof.symbolic.readings.notation import Plain
from orderproof.symbolic.schemes.definitions import POSITION_SCHEMES
from orderproof.symbolic.schemes.symmetries import SYMMETRIES
from orderproof.symbolic.witness.scheme_file import dumps

from . import model as m

SIGNS = {"proved": "✓", "refuted": "✗", "not applicable": "–", "open": "?"}
ABOUT = (
    "Attention with a position scheme commutes with the permutations that leave its position "
    "tensors unchanged. A cell of the table is one scheme and one symmetry: ✓ proved; ✗ refuted, "
    "and beside it the least number of tokens at which there is a counterexample; – not "
    "applicable; ? open. Every counterexample is a file, which orderproof replay rechecks."
)
READING = (
    "Tokens, positions and features are counted from 1: (1 2) is the permutation that exchanges "
    "the first two, and a list such as σ = [2, 1] is that of σ(1), σ(2), …; the files count from 0."
)


@dataclass(frozen=True)
class SchemePage:
    """One scheme of the chapter; `regimes` are those that the table's signs do not say, each with
    the symmetries it is for."""

    name: str
    cells: tuple[Cell, ...]
    regimes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class PositionChapter:
    """The chapter: what book and site print."""

    usual: str  # the regime of a ✓ without a note
    schemes: tuple[SchemePage, ...]

    @property
    def cells(self) -> list[Cell]:
        """The cells of the table, row by row."""
        return [c for s in self.schemes for c in s.cells]

    @property
    def files(self) -> dict[str, str]:
        """The counterexamples, by the names of their files."""
        return {file_of(c): dumps(c.witness) for c in self.cells if c.witness is not None}

    @property
    def noted(self) -> dict[str, str]:
        """The schemes that have a note to the table, with its number as it stands there."""
        names = [s.name for s in self.schemes if s.regimes]
        return {name: Plain().raised(k) for k, name in enumerate(names, 1)}


def chapter(cells: Sequence[Cell]) -> PositionChapter:
    """The chapter of these cells, scheme by scheme in their order."""
    proved = [c.regime for c in cells if c.verdict == "proved"]
    usual = max(sorted(set(proved)), key=proved.count, default="")
    rows = ((name, tuple(row)) for name, row in itertools.groupby(cells, lambda c: c.scheme))
    pages = (SchemePage(name, row, _regimes(row, usual)) for name, row in rows)
    return PositionChapter(usual, tuple(pages))


def sign(c: Cell) -> str:
    """The cell in the table: ✓, ✗ with the least n, –, or ? where it is open."""
    return SIGNS[c.verdict] + (str(c.smallest) if c.verdict == "refuted" else "")


def file_of(c: Cell) -> str:
    """Where the cell's counterexample is written, within the folder of what is written."""
    usual = POSITION_SCHEMES[c.scheme].parameters
    given = c.witness.parameters if c.witness else {}
    named = "".join(f"-{p}{v}" for p, v in given.items() if usual[p] != v)
    return f"witnesses/{c.scheme}{named}-{c.symmetry}-n{c.smallest}.json"


def citation(paper: str) -> str:
    """The key in references.bib of "Press et al. 2022, section 3": first author and year."""
    found = re.match(r"([\w-]+)(?: et al\.| and \w+)? (\d{4})", paper)
    if found is None:
        raise ValueError(f"no author and year in {paper!r}")
    return found[1].replace("-", "").lower() + found[2]


def _regimes(cells: Sequence[Cell], usual: str) -> tuple[tuple[str, str], ...]:
    found: dict[str, list[str]] = {}
    for c in cells:
        if c.regime and c.regime != usual and c.verdict != "refuted":
            found.setdefault(c.regime, []).append(c.symmetry)
    return tuple((", ".join(names), regime) for regime, names in found.items())


# --------------------------------------------------------------------------------------- as blocks
def overview(positions: PositionChapter) -> tuple[m.Block, ...]:
    """The table of schemes and symmetries, what its signs mean, and what the symmetries are."""
    noted = positions.noted
    rows = tuple(
        ((m.Link(s.name + noted.get(s.name, ""), page_file(s)),), *((_link(c),) for c in s.cells))
        for s in positions.schemes
    )
    symmetries = [SYMMETRIES[c.symmetry] for s in positions.schemes[:1] for c in s.cells]
    head: tuple[m.Words, ...] = (("scheme",), *((y.name,) for y in symmetries))
    counts = summary(positions.cells)
    signs = f"A ✓ is for {positions.usual}, unless a note says otherwise. {counts}"
    named = tuple(x for y in symmetries for x in (m.Emphasis(y.name), f": {y.says}. "))
    return m.Table(head, rows, turned=True), m.Paragraph((signs,)), m.Paragraph(named)


def _link(c: Cell) -> m.Link:
    said = f"{c.scheme}, {c.symmetry}: {c.verdict}" + (
        f" at n = {c.smallest}" if c.smallest else ""
    )
    return m.Link(sign(c), cell_url(c), c.verdict.replace(" ", "-"), said)


def page_file(s: SchemePage) -> str:
    """The page of a scheme, from the top of the site."""
    return f"scheme/{s.name}.html"


def cell_url(c: Cell) -> str:
    """Where a cell of the table is, on the page of its scheme."""
    return f"scheme/{c.scheme}.html#{c.symmetry}"


def notes(positions: PositionChapter) -> tuple[m.Block, ...]:
    """For which sizes and parameters the table's signs are, where they do not say it."""
    noted, found = positions.noted, list[m.Block]()
    for s in (s for s in positions.schemes if s.regimes):
        usual = POSITION_SCHEMES[s.name].parameters.items()
        here = f" (above {', '.join(f'{p} = {v}' for p, v in usual)})" if usual else ""
        said: list[str | m.Emphasis] = [f"{noted[s.name]} {s.name}{here}: "]
        for k, (names, regime) in enumerate(s.regimes):
            said += ["; " if k else "", m.Emphasis(names), f": {regime}"]
        found.append(m.Paragraph((*said, ".")))
    return tuple(found)


def page(s: SchemePage) -> tuple[m.Block, ...]:
    """What there is to say of one scheme: what it is, and why it has which symmetries."""
    rows = tuple(
        (
            (c.symmetry,), (m.Verdict(sign(c), c.verdict.replace(" ", "-")),), (c.regime,),
            (m.Link(f"n = {c.smallest}", file_of(c)),) if c.witness else (),
            (c.told,),
        )
        for c in s.cells
    )  # fmt: skip
    head: tuple[m.Words, ...] = (("Symmetry",), (), ("For",), ("File",), ("Why",))
    scheme = POSITION_SCHEMES[s.name]
    reading = (f"{READING} A counterexample is a file, which ", m.Code("orderproof replay"),
               " rechecks without a solver.")  # fmt: skip
    return (
        m.Paragraph((f"{scheme.says[0].upper()}{scheme.says[1:]}.",)),
        m.Paragraph((f"{scheme.paper} ", m.Citation((citation(scheme.paper),)))),
        m.Heading(("Its symmetries",), 1, False, "symmetries"),
        m.Paragraph(reading),
        m.Table(head, rows, (0, 0, 0.2, 0, 0.4), anchors=tuple(c.symmetry for c in s.cells)),
    )
