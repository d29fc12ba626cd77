"""Every file of the site, from the pages of theorems and the chapter on positions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from orderproof.check.page import RECORDED_ROCQ, ROCQ, Table, TheoremPage
from orderproof.check.prove import trust_decided
from orderproof.check.prove.trust import MARKS
from orderproof.publish.bibliography import Reference, cited
from orderproof.publish.book import quotations
from orderproof.publish.schemes import PositionChapter, file_of

from . import facts, manifest, mathml, questions
from .beside import beside
from .front import front
from .prose import card
from .render import Pages, cell_url

NAME = r"[a-z][a-z0-9_]*"  # of a theorem: it becomes the name of a file
STYLE = Path(__file__).with_name("style.css")
HOW = {  # what settles a claim
    "kernel": "the kernel",
    "smt": "two solvers, by questions generated from its terms",
    "exact": "a witness, in exact arithmetic",
    "interval": "enclosures that are apart",
    ROCQ: "a proof in Rocq",
    RECORDED_ROCQ: "a proof in Rocq, as recorded",
}


class BadPage(ValueError):
    """A page that the site cannot show."""


def files(
    pages: Sequence[TheoremPage], *, date: str, positions: PositionChapter | None = None
) -> dict[str, str | bytes]:
    """The files of the site by their names."""
    _check(pages)
    words = front(date)
    known = {p.id: p for p in pages}
    titles = {p.id: p.title for p in pages}
    schemes = positions.schemes if positions else ()
    sentences = quotations.of_pages(pages)
    references = cited(
        [
            *(k for p in pages for k in p.citations),
            *(s.citation for s in schemes),
            *(s.quoted.source for s in sentences if s.quoted.source),
            *(positions.depth.citations if positions else ()),
        ]
    )
    cards = {p.id: card(p) for p in pages}
    to = Pages(cards, {
        "front": words, "positions": positions, "has_sentences": bool(sentences), "titles": titles,
        "meaning": {m.name: m.says for m in MARKS},
    })  # fmt: skip
    by_key = {r.key: r for r in references}
    found: dict[str, str | bytes] = {
        ".nojekyll": "",  # GitHub Pages takes the files as they are
        "style.css": STYLE.read_text(encoding="utf-8").replace("FONT_DATA", mathml.font_data()),
        "font-license.txt": (mathml.FONT.parent / "GUST-FONT-LICENSE.txt").read_bytes(),
        "references.html": to.render("references", references=references),
        "trust.html": to.render(
            "trust", marks=MARKS, decided=trust_decided,
            carry={m.name: sum(any(c.mark == m.name and c.count for c in facts.carried(p))
                               for p in pages) for m in MARKS},
        ),
        "index.html": to.render(
            "index", pages=pages, topics=questions.by_chapter(pages),
            questions=questions.answered(known),
            counts=[f"{n} claims {what}" for what, n in sorted(facts.counted(pages).items(),
                                                             key=lambda item: -item[1])],
        ),
    }  # fmt: skip
    if sentences:
        found["sentences.html"] = to.render(
            "sentences", sentences=sentences, about=quotations.ABOUT, references=by_key
        )
    found |= _theorems(to, pages, by_key)
    if positions:
        found |= _positions(to, positions, by_key)
    cells = [c for s in schemes for c in s.cells]
    found["theorems.json"] = manifest.text(
        manifest.manifest(
            words.version, date, pages, facts.used_by(pages),
            [(c, cell_url(c), file_of(c) if c.witness else None) for c in cells],
        )
    )  # fmt: skip
    return found


def _check(pages: Sequence[TheoremPage]) -> None:
    seen = set()
    for page in pages:
        if not re.fullmatch(NAME, page.id) or page.id in seen:
            raise BadPage(
                f"theorem id {page.id!r}: expected lower-case letters, digits and _, once"
            )
        if not all(section.lines for section in page.sections):
            raise BadPage(f"{page.id}: a section without lines")
        for table in (x for e in page.examples for x in e.parts if isinstance(x, Table)):
            if wrong := [len(row) for row in table.rows if len(row) != len(table.head)]:
                raise BadPage(f"{page.id}: {wrong[0]} cells under {len(table.head)} heads")
        seen.add(page.id)
        marks = {m.mark for c in page.claims for m in c.marks}
        if unknown := sorted(marks - {m.name for m in MARKS}):
            raise BadPage(f"{page.id}: unknown marks: {', '.join(unknown)}")


# ------------------------------------------------------------------------------------- theorems
def _theorems(
    to: Pages,
    pages: Sequence[TheoremPage],
    references: Mapping[str, Reference],
) -> Iterator[tuple[str, str]]:
    users = facts.used_by(pages)
    topics = {
        page.id: (k, title)
        for k, (title, below) in enumerate(questions.by_chapter(pages), 1)
        for page in below
    }
    for k, page in enumerate(pages):
        found = beside(page)
        yield (
            f"theorem/{page.id}.html",
            to.render(
                "theorem", "../", page=page, beside=found, users=users[page.id],
                topic=topics[page.id], how=_how(page),
                references=[references[key] for key in page.citations],
                previous=pages[k - 1].id if k else None,
                next=pages[k + 1].id if k + 1 < len(pages) else None,
            ),
        )  # fmt: skip
        yield f"theorem/{page.id}.json", manifest.text(manifest.whole(page, users[page.id], found))
        yield from ((f"witnesses/{name}", text) for name, text in found.files.items())


def _how(page: TheoremPage) -> str:
    """What settles each claim, by the marks that do."""
    found: dict[str, list[str]] = {}
    for k, claim in enumerate(page.claims, 1):
        by = [HOW[m.mark] for m in claim.marks if m.settles and claim.as_declared]
        found.setdefault(" and ".join(by) or "nothing here", []).append(f"({k})")
    said = (f"{', '.join(numbers)}: {why}" for why, numbers in found.items())
    return f"{'; '.join(said)}."


# -------------------------------------------------------------------------------------- positions
def _positions(
    to: Pages, positions: PositionChapter, references: Mapping[str, Reference]
) -> Iterator[tuple[str, str | bytes]]:
    yield "schemes.html", to.render("schemes")
    plot = _plot(positions)
    yield (
        "depth.html",
        to.render(
            "depth", plot=bool(plot), undrawn="matplotlib is not installed (orderproof[book])",
            references=[references[key] for key in positions.depth.citations],
        ),
    )  # fmt: skip
    if plot:
        yield "depth.svg", plot
    yield from positions.files.items()
    for s in positions.schemes:
        yield (
            f"scheme/{s.name}.html",
            to.render("scheme", "../", scheme=s, reference=references[s.citation]),
        )


def _plot(positions: PositionChapter) -> str:
    """The figure of the page on depth, or nothing where matplotlib is not installed."""
    if not find_spec("matplotlib"):
        return ""
    from orderproof.publish import depth_figure

    return depth_figure.svg(positions.depth)
