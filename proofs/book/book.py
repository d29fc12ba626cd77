"""The book: LaTeX sources and one self-contained HTML page, printed from the pages of theorems and,
where it was computed, with the chapter on positions.

Equal pages give equal bytes; how long a mark took is not shown.
"""

from __future__ import annotations

import datetime
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from markupsafe import Markup

from orderproof.proofs.check.page import ClaimPage, Formula, Mark, TheoremPage
from orderproof.proofs.prove import shared_code
from orderproof.proofs.prove.results import write
from orderproof.proofs.prove.trust import MARKS

from . import latex as book_latex
from .bibliography import BIB, cited
from .pdf import PdfResult, TypesettingFailed, build_pdf
from .position_chapter import PositionChapter

__all__ = [
    "BadPage",
    "MissingExtra",
    "PdfResult",
    "TypesettingFailed",
    "build",
    "build_pdf",
    "write_html",
    "write_sources",
]

SUBTITLE = (
    "Attention cannot see the order of its tokens. "
    "What it sees of order is exactly what you did not permute."
)
ABOUT = (
    "Every architecture in this book is written once, as a term of a small calculus of tensors "
    "with named axes. Every derivation is printed from the theorem that a kernel checked; every "
    "counterexample was replayed in exact arithmetic or separated from zero by intervals."
)
READING: tuple[str | Formula, ...] = (
    "A permutation σ of n tokens acts on the rows of a matrix, by one convention throughout:",
    Formula(
        r"(P X)_{i} = X_{\sigma(i)}, \qquad P_{i,\,\sigma(i)} = 1, "
        r"\qquad P_{\sigma} P_{\tau} = P_{\tau \circ \sigma}",
        "(P X)[i] = X[σ(i)], P[i, σ(i)] = 1, P_σ P_τ = P_{τ ∘ σ}",
    ),
    "A derivation is a chain of equal formulas, and each line says at its right why it equals the "
    "line above. Where a lemma does the work, the same step is shown entry by entry beneath.",
    "Each theorem ends with a false variant: a statement that differs from it in one place, and "
    "that the same checks rejected. A check that rejects nothing would be no evidence.",
)
TRUST = (
    "A mark belongs to one claim and names one layer. Layers are never added up into one word: "
    "which of them to believe is the reader's choice; the table says who is trusted for each."
)
SUMMARY = (
    "For each theorem, how many of its claims carry the mark, of how many claims. "
    "✗: a claim on which that layer disagreed. ?: one that it left undecided."
)
WITHOUT_POSITIONS = (
    "The chapter on position schemes, their table, pictures and counterexamples, is not in this "
    "copy of the book; orderproof book adds it."
)
WITHOUT_ROCQ = " Rocq was not asked for this copy of the book; orderproof book --rocq asks it."


class BadPage(ValueError):
    """A page, or a date, that the book cannot print."""


class MissingExtra(RuntimeError):
    """A library of the extra `book` that is not installed; the LaTeX sources need none of them."""


def write_sources(
    pages: Sequence[TheoremPage],
    folder: Path,
    *,
    date: str,
    positions: PositionChapter | None = None,
) -> list[Path]:
    """Write book.tex and references.bib into `folder`; `date` as 2026-11-21. With the chapter on
    positions its counterexamples too, and its pictures where matplotlib is installed.

    Raises UnknownCitation, UnknownCharacter or BadPage before anything is written.
    """
    drawn = _drawn(positions, "pdf")
    text = book_latex.render(_context(pages, date, positions, drawn))
    files = positions.files if positions else {}
    return [
        write(folder / "book.tex", text),
        write(folder / "references.bib", BIB.read_text(encoding="utf-8")),
        *(write(folder / name, text) for name, text in files.items()),
        *(write(folder / "figures" / f"{name}.pdf", data) for name, data in drawn.items()),
    ]


def write_html(
    pages: Sequence[TheoremPage],
    folder: Path,
    *,
    date: str,
    positions: PositionChapter | None = None,
) -> Path:
    """Write book.html into `folder`: MathML and an inlined font; no script, nothing loaded.

    Raises UnknownCitation, BadFormula, MissingGlyph, BadPage or MissingExtra before anything is
    written.
    """
    try:
        from . import html as book_html
    except ModuleNotFoundError as error:
        raise MissingExtra(
            f"book.html needs {error.name}: install orderproof with its extra, orderproof[book]"
        ) from None
    drawn = {name: Markup(text) for name, text in _drawn(positions, "svg").items()}
    return write(folder / "book.html", book_html.render(_context(pages, date, positions, drawn)))


def build(
    pages: Sequence[TheoremPage], folder: Path, *, date: str, positions: PositionChapter
) -> Iterator[str]:
    """Make the whole book, and say of each part where it is or why it was skipped.

    Raises what write_sources, write_html and build_pdf raise; MissingExtra at the end, when all
    that needs no extra is there.
    """
    write_sources(pages, folder, date=date, positions=positions)
    if why := undrawn():
        yield f"Pictures: skipped, {why}"
    missing = None
    try:
        yield f"HTML: {write_html(pages, folder, date=date, positions=positions)}"
    except MissingExtra as error:
        missing = error
    pdf = build_pdf(folder, date=date)
    yield f"PDF: {pdf.path}" if pdf.path else f"PDF: skipped, {pdf.skipped}"
    if missing is not None:
        raise missing


def undrawn() -> str:
    """Why there will be no pictures, or nothing."""
    return "" if find_spec("matplotlib") else "matplotlib is not installed (orderproof[book])"


def _drawn(positions: PositionChapter | None, kind: str) -> dict[str, Any]:
    """The pictures by the name of their scheme."""
    if positions is None or undrawn():
        return {}
    from . import position_figures

    draw = getattr(position_figures, kind)
    return {page.name: draw(page.picture) for page in positions.schemes}


def _context(
    pages: Sequence[TheoremPage],
    date: str,
    positions: PositionChapter | None,
    drawn: Mapping[str, Any],
) -> dict[str, Any]:
    """What both templates print."""
    titles: dict[str, str] = {}
    for page in pages:
        if not re.fullmatch(r"[a-z][a-z0-9_]*", page.id) or page.id in titles:
            raise BadPage(
                f"theorem id {page.id!r}: expected lower-case letters, digits and _, once"
            )
        if not all(section.lines for section in page.sections):
            raise BadPage(f"{page.id}: a section without lines")
        titles[page.id] = page.title
        for example in page.examples:
            _check_tables(page, example.parts)
    found = {mark.mark for page in pages for claim in page.claims for mark in claim.marks}
    if unknown := sorted(found - {m.name for m in MARKS}):
        raise BadPage(f"unknown marks: {', '.join(unknown)}")
    schemes = positions.schemes if positions else ()
    references = cited(
        [*(k for page in pages for k in page.citations), *(s.citation for s in schemes)]
    )
    used = [m.name for m in MARKS if m.name in found]
    return {
        "pages": pages,
        "titles": titles,
        "marks": MARKS,
        "shared": shared_code.rows(),
        "used": used,
        "summary": {page.id: {name: _carried(page, name) for name in used} for page in pages},
        "ledger": {page.id: _ledger(page) for page in pages},
        "cited": references,
        "numbers": {r.key: n for n, r in enumerate(references, 1)},
        "positions": positions,
        "drawn": drawn,
        "undrawn": undrawn(),
        "without_positions": WITHOUT_POSITIONS,
        "front": _front(date) | ({} if "rocq" in found else {"summary": SUMMARY + WITHOUT_ROCQ}),
    }


def _front(date: str) -> dict[str, Any]:
    try:
        day = datetime.date.fromisoformat(date)
    except ValueError:
        raise BadPage(f"date {date!r}: expected year-month-day, as 2026-11-21") from None
    release = version("orderproof")
    return {
        "subtitle": SUBTITLE,
        "about": ABOUT,
        "reading": READING,
        "trust": TRUST,
        "shared": shared_code.SAYS,
        "not_counted": shared_code.exceptions(),
        "summary": SUMMARY,
        "version": release,
        "date": f"{day.day} {day:%B %Y}",
        "cite": f"The orderproof authors. orderproof: what attention sees of the order of its "
        f"tokens, derived and machine-checked. Version {release}, {day.year}.",
    }


def _check_tables(page: TheoremPage, parts: Sequence[Any]) -> None:
    for part in parts:
        for row in getattr(part, "rows", ()):
            if len(row) != len(part.head):
                raise BadPage(f"{page.id}: a row of {len(row)} cells under {len(part.head)} heads")


def _ledger(page: TheoremPage) -> list[tuple[str, ClaimPage]]:
    """A claim for each row of the table of marks; adjacent claims of equal evidence share one."""

    def evidence(numbered: tuple[int, ClaimPage]) -> tuple[object, ...]:
        claim = numbered[1]
        marks = tuple((m.mark, m.ok, m.detail) for m in claim.marks)
        return claim.kind, claim.scope, claim.expected, claim.verdict, marks

    rows = []
    for _, group in itertools.groupby(enumerate(page.claims, 1), evidence):
        (first, claim), *others = group
        rows.append((f"({first})–({others[-1][0]})" if others else f"({first})", claim))
    return rows


def _carried(page: TheoremPage, name: str) -> str:
    """How many claims of the page carry the mark."""
    given: list[Mark] = [m for claim in page.claims for m in claim.marks if m.mark == name]
    if not given:
        return ""
    if any(m.ok is False for m in given):
        return "✗"
    if any(m.ok is None for m in given):
        return "?"
    carried = sum(any(m.mark == name for m in claim.marks) for claim in page.claims)
    return f"{carried}/{len(page.claims)}"
