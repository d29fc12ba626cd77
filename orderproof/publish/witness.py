"""The witnesses of claims of existence as blocks: sizes, maps, every tensor, and both sides.

They are read from the theorem's file and bound to the page by the digest of the statement: of a
claim that is not the file's, nothing is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
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
from orderproof.symbolic.readings.notation import Notation, Piece, Plain, equation, in_both
from orderproof.symbolic.readings.printer import Printer
from orderproof.symbolic.statements.text import digest

from .formulas import array, rows
from .line_breaks import width
from .model import Block, Display, Paragraph
from .pages.statements import style_of

MADE = ("exact", "interval")  # marks that witnesses make
SHORT = 16  # letters of a side that is called by its name
LN_2 = Formula(r"\ln 2", "ln 2")
APART = "Then the two sides lie in intervals that do not meet."
Numbered = tuple[int, Claim, Sequence[Witness]]


def of_page(page: TheoremPage) -> list[Numbered]:
    """The claims of a page that witnesses show, numbered from 1, with these."""
    if page.id not in catalogue.IDS or all(c.kind != "exists" for c in page.claims):
        return []  # without the work of loading the theorem
    numbers = {c.digest: k for k, c in enumerate(page.claims, 1) if not _failed(c)}
    stated = ((numbers.get(digest(c.statement)), c) for c in catalogue.load(page.id).claims)
    return [(k, c, found) for k, c in stated if k is not None and (found := _witnesses(c))]


def _failed(claim: ClaimPage) -> bool:
    """Whether a mark that a witness makes did not come out, where marks were made."""
    made = claim.marks if claim.verdict != UNCHECKED else ()
    return any(m.ok is not True for m in made if m.mark in MADE)


def _witnesses(claim: Claim) -> Sequence[Witness]:
    """What the mark of a claim of existence is made from."""
    checks = [claim.marks.get(name) for name in MADE] if claim.statement.exists else []
    return next((w for c in checks if (w := getattr(c, "witnesses", ()))), ())


def blocks(page: TheoremPage) -> tuple[Block, ...]:
    """For each claim that a witness shows, the first of them, and how many there are."""
    found: list[Block] = []
    for k, claim, (w, *others) in of_page(page):
        theorem = catalogue.load(page.id)
        holds = f"Claim ({k}) holds" if len(page.claims) > 1 else "It holds"
        found.append(Paragraph((f"{holds} at {_at(w)}, with",)))
        found.append(Display(tuple(("", _tensor(theorem, claim, w, name)) for name in w.tensors)))
        if sides := _sides(theorem, claim, w):
            found.append(Paragraph(("Then",), continues=True))
            found.append(Display(tuple(("", f) for f in sides)))
        else:
            found.append(Paragraph((APART,), continues=True))
        if others:
            more = "is 1 more witness" if len(others) == 1 else f"are {len(others)} more witnesses"
            found.append(Paragraph((f"There {more}, at other sizes or for other maps.",), True))
    return tuple(found)


def _at(w: Witness) -> str:
    """Sizes, and maps by their cycles."""
    parts = [f"{name} = {size}" for name, size in w.sizes.items()]
    parts += [f"{Plain().symbol(name)} = {_map(table)}" for name, table in w.maps.items()]
    return ", ".join(parts)


def _map(table: Any) -> str:
    if not isinstance(table, Sequence):
        return str(PEOPLE(int(table)))
    images = [int(k) for k in table]
    if sorted(images) == list(range(len(images))):
        return cycle_text(images)
    return str(PEOPLE.images(images))


def _tensor(theorem: TheoremFile, claim: Claim, w: Witness, name: str) -> Formula:
    """W_Q = √d_k ln 2 (1): a tensor by its name, with its unit; d_k is the width of the query."""
    entries = np.asarray(w.tensors[name], dtype=object)
    value, style = array(entries.tolist()), theorem.show.style()
    widths = [op.data[1][-1] for op in claim.statement.tensors if op.data[0] == name == w.query]
    logs = bool(widths) or name in w.logs

    def written(to: Notation) -> str:
        units = [to.root(Piece(Printer(to, style).size(s))).text for s in widths]
        units += [to.of(LN_2)] * logs
        units = units if np.any(entries) else []  # 0 in any unit
        return f"{to.symbol(name)} = {to.times.join([*units, to.of(value)])}"

    return in_both(written)


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
        found.append(equation(name, array(rows(t, entries, claim.row))))
    return found
