"""The witnesses of claims of existence as blocks: sizes, maps, every tensor, and both sides.

They are read from the theorem's file and bound to the page by the digest of the statement: of a
claim that is not the file's, nothing is shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from orderproof.check.claims import Claim, TheoremFile, Witness
from orderproof.check.marks.exact import exact_entries
from orderproof.check.page import UNCHECKED, ClaimPage, Formula, TheoremPage
from orderproof.check.sampling import substituted
from orderproof.proofs import catalogue
from orderproof.symbolic.counting import PEOPLE, cycle_text
from orderproof.symbolic.derive.steps import write
from orderproof.symbolic.readings.error import ReadingError
from orderproof.symbolic.readings.notation import Piece, Plain, equation, in_both
from orderproof.symbolic.readings.printer import Printer
from orderproof.symbolic.statements.text import digest

from .formulas import array, rows
from .line_breaks import width
from .model import Block, Display, Paragraph
from .pages.statements import style_of

MADE = ("exact", "interval")  # marks that witnesses make
SHORT = 16  # letters of a side that is called by its name
Numbered = tuple[int, Claim, Sequence[Witness]]


def of_page(page: TheoremPage) -> list[Numbered]:
    """The claims of a page that witnesses show, numbered from 1, with these."""
    if page.id not in catalogue.IDS or all(c.kind != "exists" for c in page.claims):
        return []  # without the work of loading the theorem
    numbers = {c.digest: k for k, c in enumerate(page.claims, 1) if not _failed(c)}
    found = []
    for claim in catalogue.load(page.id).claims:
        k = numbers.get(digest(claim.statement))
        witnesses = _witnesses(claim)
        if k is not None and witnesses:
            found.append((k, claim, witnesses))
    return found


def _failed(claim: ClaimPage) -> bool:
    """Whether a mark that a witness makes did not come out, where marks were made."""
    made = claim.marks if claim.verdict != UNCHECKED else ()
    return any(m.ok is not True for m in made if m.mark in MADE)


def _witnesses(claim: Claim) -> Sequence[Witness]:
    """What the mark of a claim of existence is made from."""
    if not claim.statement.exists:
        return ()
    checks = (claim.marks.get(name) for name in MADE)
    return next((w for c in checks if (w := getattr(c, "witnesses", ()))), ())


def blocks(page: TheoremPage) -> tuple[Block, ...]:
    """For each claim that a witness shows, the first of them, and how many there are."""
    several = len(page.claims) > 1
    return tuple(
        block
        for k, claim, witnesses in of_page(page)
        for block in _shown(page, claim, witnesses, f"Claim ({k}) holds" if several else "It holds")
    )


def _shown(
    page: TheoremPage, claim: Claim, witnesses: Sequence[Witness], holds: str
) -> Iterator[Block]:
    w = witnesses[0]
    theorem = catalogue.load(page.id)
    yield Paragraph((f"{holds} at ", *_at(w), ", with"))
    yield Display(tuple(("", _tensor(theorem, claim, w, name)) for name in w.tensors))
    sides = _sides(theorem, claim, w)
    if sides:
        yield Paragraph(("Then",), continues=True)
        yield Display(tuple(("", f) for f in sides))
    else:
        yield Paragraph(("Then the two sides lie in intervals that do not meet.",), True)
    if more := len(witnesses) - 1:
        others = f"{'are' if more != 1 else 'is'} {more} more witness{'es' if more != 1 else ''}"
        yield Paragraph((f"There {others}, at other sizes or for other maps.",), True)


def _at(w: Witness) -> Iterator[str | Formula]:
    """Sizes, and maps by their cycles."""
    parts = [f"{name} = {size}" for name, size in w.sizes.items()]
    parts += [f"{Plain().symbol(name)} = {_map(table)}" for name, table in w.maps.items()]
    yield ", ".join(parts)


def _map(table: Any) -> str:
    if not isinstance(table, Sequence):
        return str(PEOPLE(int(table)))
    images = [int(k) for k in table]
    if sorted(images) == list(range(len(images))):
        return cycle_text(images)
    return f"[{', '.join(str(PEOPLE(k)) for k in images)}]"


def _root(theorem: TheoremFile, claim: Claim, query: str) -> Formula:
    """√d_k, of the width of the query."""
    (over,) = (op.data[1][-1] for op in claim.statement.tensors if op.data[0] == query)
    style = theorem.show.style()
    return in_both(lambda to: to.root(Piece(Printer(to, style).size(over))).text)


def _tensor(theorem: TheoremFile, claim: Claim, w: Witness, name: str) -> Formula:
    """W_Q = √d_k ln 2 (1): a tensor by its name, with its unit."""
    value = array(np.asarray(w.tensors[name], dtype=object).tolist())
    unit = Formula("", "")
    if not np.any(np.asarray(w.tensors[name], dtype=object)):
        pass  # 0 in any unit
    elif name == w.query:
        root = _root(theorem, claim, name)
        unit = Formula(rf"{root.latex}\,\ln 2\;", f"{root.plain} ln 2 ")
    elif name in w.logs:
        unit = Formula(r"\ln 2\;", "ln 2 ")
    return in_both(lambda to: f"{to.symbol(name)} = {to.of(unit)}{to.of(value)}")


def _sides(theorem: TheoremFile, claim: Claim, w: Witness) -> list[Formula]:
    """Both sides of the claim's atom with their values, where these are exact; a side by its name
    where that is short."""
    style, given = style_of(theorem), claim.statement.atom
    try:
        values = [exact_entries(t, w) for t in substituted(claim.statement).atom.terms]
    except ReadingError:
        return []
    found = []
    for side, t, entries in zip(("left", "right"), given.terms, values, strict=True):
        name = write(t, style, claim.row, claim.column)
        if width(name.latex) > SHORT or (claim.row, claim.column) == (None, None):
            name = Formula(rf"\text{{{side} side}}", f"{side} side")
        value = array(rows(t, entries, claim.row))
        found.append(equation(name, value))
    return found
