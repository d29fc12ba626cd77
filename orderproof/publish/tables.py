"""What chapters print besides theorems: tables, pictures, and words about trust, by their slots."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial

from orderproof.check.page import Mark, TheoremPage
from orderproof.check.prove import trust_decided
from orderproof.check.prove.trust import MARKS, SHARED, VERDICTS, Trust, joins

from . import figures, schemes, sentences
from .chapters import Tables
from .model import Block, Code, Figure, Paragraph, Table, TheoremRef, Verdict, Words
from .schemes import PositionChapter
from .to_html import anchor

WITHOUT_POSITIONS = (
    "The table of position schemes and their counterexamples are not in this copy of the book; "
    "orderproof book adds them."
)


def tables(pages: Sequence[TheoremPage], positions: PositionChapter | None) -> Tables:
    """By the name of its slot what makes each."""

    def words(text: str) -> Sequence[Block]:
        parts = re.split(r"([a-z_/]+\.py)", text)  # paths, which may be broken
        return (Paragraph(tuple(Code(x) if k % 2 else x for k, x in enumerate(parts))),)

    found: dict[str, Callable[[], Sequence[Block]]] = {
        "sentences": lambda: tuple(sentences.blocks(sentences.of_pages(pages))),
        "trust": lambda: (marks("mark", MARKS),),
        "trust_decided": lambda: (
            *words(trust_decided.ABOUT),
            marks("part", trust_decided.DECIDED),
        ),
        "in_common": lambda: (*words(SHARED), *words(joins())),
        "verdicts": partial(words, VERDICTS),
        "evidence": lambda: (evidence(pages),),
    }
    names = ("scheme_table", "scheme_notes", "bias_picture", "depth_figure")
    if positions is None:
        return found | dict.fromkeys(names, partial(words, WITHOUT_POSITIONS)) | {
            "scheme_about": partial(words, "")
        }  # fmt: skip
    return found | {
        "scheme_about": partial(words, schemes.ABOUT),
        "scheme_table": lambda: schemes.overview(positions),
        "scheme_notes": lambda: schemes.notes(positions),
        "bias_picture": lambda: (figure(figures.BIAS),),
        "depth_figure": lambda: (figure(figures.DEPTH),),
    }


def figure(name: str) -> Figure:
    """The picture of this name, or why there is none."""
    picture = figures.pictures()[name]
    return Figure(name, (picture.caption,), picture.alt, figures.undrawn())


def marks(called: str, parts: Sequence[Trust]) -> Table:
    """Marks, or parts of an answer: what each says, and what one who accepts it believes."""
    rows = tuple(((Verdict(t.name, ""),), (t.says,), (t.believe,)) for t in parts)
    head: tuple[Words, ...] = ((called,), ("what it says",), ("what you must believe",))
    return Table(
        head, rows, (0.13, 0.38, 0.43), anchors=tuple(f"mark-{anchor(t.name)}" for t in parts)
    )


def evidence(pages: Sequence[TheoremPage]) -> Table:
    """How many claims of each theorem carry each mark."""
    names = used(pages)
    rows = tuple(
        ((TheoremRef(p.id),), _titled(p), *((carried(p, name),) for name in names)) for p in pages
    )
    shares = (0.12, 0.72 - 0.045 * len(names), *(0.0 for _ in names))
    return Table(((), ("theorem",), *((name,) for name in names)), rows, shares, turned=True)


def used(pages: Sequence[TheoremPage]) -> list[str]:
    """The marks that are on claims of these, in the order in which they are explained."""
    found = {m.mark for page in pages for c in page.claims for m in c.marks}
    return [m.name for m in MARKS if m.name in found]


def _titled(page: TheoremPage) -> Words:
    if not page.as_declared:
        said = Verdict(f"({page.verdict}, expected: {page.expected})", "open")
        return page.title, " ", said
    return (page.title, f" ({page.reads})") if page.reads != page.expected else (page.title,)


def carried(page: TheoremPage, name: str) -> str:
    """How many claims of the page carry the mark."""
    given: list[Mark] = [m for claim in page.claims for m in claim.marks if m.mark == name]
    if not given:
        return ""
    if any(m.ok is False for m in given):
        return "✗"
    if any(m.ok is None for m in given):
        return "?"
    count = sum(any(m.mark == name for m in claim.marks) for claim in page.claims)
    return f"{count}/{len(page.claims)}"
