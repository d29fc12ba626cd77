"""A theorem as a terminal shows it: its proof, and each claim with what its marks say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from orderproof.check.page import (
    UNCHECKED,
    ClaimPage,
    Example,
    Mark,
    TheoremPage,
    reads,
)

from . import theorem, to_text
from .model import Block, Display, Folded, Heading, Paragraph, Proof, Remark, Source, Verdict

VARIANT = "A false variant"


def plain(page: TheoremPage) -> str:
    """A theorem as text."""
    return to_text.text(blocks(page))


def blocks(page: TheoremPage) -> Iterator[Block]:
    """A theorem, its claims with their marks, its proof, examples, and a false variant."""
    yield Heading((page.title,))
    yield Paragraph((f"({page.id}: {page.reads})",), continues=True)
    yield Paragraph((page.said,))
    if page.remarks:
        yield Paragraph((f"Remark: {page.remarks}",))
    if page.given:
        yield Paragraph((page.given,))
    if page.where:
        yield Display(tuple(("", w) for w in page.where))
    for k, claim in enumerate(page.claims, 1):
        yield from _claim(claim, f"({k}) " if len(page.claims) > 1 else "", first=k == 1)
    yield from theorem.in_symbols(page)
    yield Proof(theorem.proof(page, entries=True))
    yield from map(_example, page.examples)
    if page.neighbour:
        false, why = page.neighbour
        refused = "" if page.verdict == UNCHECKED else f", and {page.refused}"
        yield Paragraph((f"{VARIANT}{refused}:",))
        yield Display((("", false),))
        yield Paragraph((why,), continues=True)
    for k in page.refuted:
        yield Paragraph((f"That a false variant fails: {page.claims[k].called}.",))
    yield Paragraph((f"Source: {page.source}",))
    if page.uses:
        yield Paragraph((f"Uses: {', '.join(page.uses)}",), continues=True)
    if page.verdict == UNCHECKED:
        yield Paragraph(
            ("No mark was checked for this page: --check does, and shows what each says.",)
        )


def _claim(claim: ClaimPage, number: str, *, first: bool) -> Iterator[Block]:
    """A claim with what its marks say or, where none was made, with their names."""
    unchecked = claim.verdict == UNCHECKED
    word = "claimed" if unchecked else reads(claim.verdict)
    verdict = Verdict(number + word, claim.shade)
    if claim.headline:
        yield Paragraph((verdict, f": {claim.called} of Rocq"), continues=not first)
        yield Source(claim.statement.plain)
    else:
        said = (verdict, ": ", claim.statement, f"   ({claim.scope})")
        yield Paragraph(said, continues=not first)
    names = f"marks: {', '.join(m.mark for m in claim.marks)}"
    details = [names] if unchecked else map(_mark, claim.marks)
    yield Folded("", tuple(Paragraph((x,), continues=True) for x in details))


def _mark(m: Mark) -> str:
    word = "" if m.ok else "FAILED: " if m.ok is False else "undecided: "
    return f"{m.mark}: {word}{m.detail}"


def _example(found: Example) -> Remark:
    """An example, its parts close together."""
    made = theorem.example(found)
    return replace(made, blocks=tuple(
        replace(b, continues=True) if isinstance(b, Paragraph) else b for b in made.blocks
    ))  # fmt: skip
