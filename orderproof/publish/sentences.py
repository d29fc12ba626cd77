"""Quoted sentences checked against the catalogue, and what book, docs/ and terminal print of them.

A row is refused where a theorem, claim or headline that it cites is not there, or does not do what
the verdict needs of it: a sentence that is called false must have a counterexample.

python -m orderproof.publish.sentences docs/sentences.md
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from orderproof.check.claims import Sentence, TheoremFile
from orderproof.check.page import TheoremPage, unless_proved, weakest
from orderproof.check.prove import results, standing, trust_page
from orderproof.check.rocq.headlines import headline
from orderproof.proofs import catalogue
from orderproof.proofs.sentences.quoted import SENTENCES, Cited, Quoted, Verdict
from orderproof.proofs.sentences.spans import quotes

from . import model as m
from .bibliography import references, short
from .evidence import numbers_of

BEGIN = "<!-- sentences: written by `make readme` from proofs/sentences/quoted.py -->"
END = "<!-- sentences: end -->"
ABOUT = (
    "What papers and teachers say of attention and order, with what is true of each sentence as it "
    "stands, the sentence that can be upheld, and the claims of this book behind both."
)
REFUTING = ("≠", "<")  # relations of a claim that shows a counterexample
IN_ROCQ = ("<>", "~ ")  # the same in the words of a headline


class BadQuotation(ValueError):
    """A row of quoted.py that the catalogue does not bear out: one line that says which and why."""


@dataclass(frozen=True)
class Behind:
    """Claims behind a sentence: their theorem, and their numbers from 0."""

    theorem: str
    claims: tuple[int, ...]
    verdict: str = ""  # of the weakest of them; unchecked, where it is recorded or open

    @property
    def weaker(self) -> str:
        """What is to be said of it; nothing where all is proved, or unchecked and declared so."""
        return unless_proved(self.verdict)

    @property
    def numbers(self) -> str:
        """The claims as people number them: (1), (3)–(5)."""
        return numbers_of(k + 1 for k in self.claims)


@dataclass(frozen=True)
class Entry:
    """A quoted sentence as it is printed."""

    number: int
    quoted: Quoted
    source: str
    holds: tuple[Behind, ...]
    fails: tuple[Behind, ...]

    @property
    def judged(self) -> str:
        """What is said of the sentence and, where the claims behind that are not all proved here,
        what the weakest of them is."""
        weak = weakest(b.verdict or "proved" for b in (*self.holds, *self.fails))
        resting = unless_proved(weak, " (rests in part on what is ")
        return self.quoted.verdict.value + (f"{resting})" if resting else "")


# ---------------------------------------------------------------------------------- what is checked
def checked(rows: Sequence[Quoted] = SENTENCES) -> list[Entry]:
    """The sentences with what their claims say, in order; BadQuotation at the first wrong row."""
    names = dict.fromkeys(c.theorem for row in rows for c in (*row.holds, *row.fails))
    if unknown := sorted(names.keys() - set(catalogue.IDS)):
        raise BadQuotation(f"given {unknown[0]}, expected a theorem of the catalogue")
    theorems = {name: catalogue.load(name) for name in names}
    for row in rows:
        for why in _faults(row, theorems):
            raise BadQuotation(f"“{row.text}”: {why}")

    def behind(cited: Cited) -> Behind:
        theorem = theorems[cited.theorem]
        numbers = theorem.said_by(Sentence("", cited.claims, cited.headlines))
        found = standing.of_theorem(theorem, numbers)
        return Behind(theorem.id, numbers, "" if found == "proved" else found)

    return _entries(rows, behind)


def _faults(row: Quoted, theorems: Mapping[str, TheoremFile]) -> Iterator[str]:
    """What is wrong with a row; what follows a fault may rest on it being mended."""
    if row.verdict not in list(Verdict):
        yield f"given the verdict {row.verdict!r}, expected one of Verdict"
    if not row.text or not row.upheld:
        yield "given no sentence, expected the quoted and the upheld one"
    if row.source and row.source not in references():
        yield f"given the source {row.source}, expected a key of references.bib"
    if not row.source and not row.place:
        yield "given no source, expected who says it"
    if row.literal and not quotes(row.text, row.source or row.place):
        yield f"given this of {source(row)}, expected a span of spans.py"
    found = {True: 0, False: 0}
    for cited in (*row.holds, *row.fails):
        theorem = theorems[cited.theorem]
        if not (cited.claims or cited.headlines):
            yield f"given {theorem.id} alone, expected the claims of it that are meant"
        for k in cited.claims:
            if not 0 <= k < len(theorem.claims):
                yield f"given claim {k} of {theorem.id}, which has {len(theorem.claims)}"
            if theorem.claims[k].expected != "proved":
                yield f"claim {k} of {theorem.id} is not declared to be proved"
        for name in cited.headlines:
            if name not in (*theorem.headlines, *theorem.refuted):
                yield f"given {name}, expected a headline on the page of {theorem.id}"
        for refutes in _refuting(theorem, cited):
            found[refutes] += 1
    if why := _lacking(row, found, all(all(_refuting(theorems[c.theorem], c)) for c in row.fails)):
        yield f"it is called {row.verdict.value}: {why}"


def _lacking(row: Quoted, found: Mapping[bool, int], all_refute: bool) -> str:
    """What the verdict of a row needs and its claims do not give; nothing as it should be."""
    match row.verdict:
        case Verdict.TRUE if row.fails:
            return "given a claim that it fails, expected none"
        case Verdict.FALSE if not row.fails or not all_refute:
            return "expected a counterexample in what fails, and nothing else"
        case Verdict.CONDITION if not row.fails:
            return "expected a claim that shows where it fails"
        case Verdict.EXISTENTIAL if not (row.fails and found[True] and found[False]):
            return "expected both a counterexample and an equality"
    return "" if row.holds else "expected a claim that says the upheld sentence"


def _refuting(theorem: TheoremFile, cited: Cited) -> list[bool]:
    """Of each claim and headline whether it shows a counterexample to an equality."""
    atoms = [theorem.claims[k].statement.atom.relation in REFUTING for k in cited.claims]
    return atoms + [any(x in headline(h).source for x in IN_ROCQ) for h in cited.headlines]


# ------------------------------------------------------------------------------------ what is shown
def of_pages(pages: Iterable[TheoremPage], rows: Sequence[Quoted] = SENTENCES) -> list[Entry]:
    """The sentences with the verdicts that their claims came out with; none where some of the
    theorems are not among the pages."""
    known = {page.id: page for page in pages}
    if not {c.theorem for row in rows for c in (*row.holds, *row.fails)} <= known.keys():
        return []

    def behind(cited: Cited) -> Behind:
        page = known[cited.theorem]
        stated = {c.headline: k for k, c in enumerate(page.claims)}
        numbers = (*cited.claims, *(stated[h] for h in cited.headlines))
        claims = [page.claims[k] for k in numbers]
        return Behind(page.id, numbers, weakest(c.verdict for c in claims))

    return _entries(rows, behind)


def _entries(rows: Sequence[Quoted], behind: Callable[[Cited], Behind]) -> list[Entry]:
    return [
        Entry(k, row, source(row), *(tuple(map(behind, x)) for x in (row.holds, row.fails)))
        for k, row in enumerate(rows, 1)
    ]


def source(row: Quoted) -> str:
    """Who says it: authors and year, or the title of what has no author; where; and its address."""
    named = short(references()[row.source]) if row.source else ""
    said = "" if row.literal else "in substance"
    return ", ".join(filter(None, [named, row.place, said, _address(row)]))


def _address(row: Quoted) -> str:
    return references()[row.source].fields.get("url", "") if row.source else ""


def blocks(entries: Iterable[Entry]) -> Iterator[m.Block]:
    """The sentences: who says each, its verdict, what can be upheld, and the claims behind."""
    for entry in entries:
        row, address = entry.quoted, _address(entry.quoted)
        title = (f"{entry.number}. {row.words}",)
        yield m.Heading(title, 3, False, f"sentence-{entry.number}")
        link: m.Words = (m.Link(address, address),) if address else ()
        cites: m.Words = (" ", m.Citation((row.source,))) if row.source else ()
        judged = m.Verdict(entry.judged, f"quoted-{row.verdict.name.lower()}")
        said = entry.source.removesuffix(address)
        yield m.Paragraph((said, *link, *cites, ". ", judged, "."))
        yield m.Paragraph((row.upheld,))
        yield m.Paragraph(_by(entry))


def _by(entry: Entry) -> m.Words:
    limits = (" Limits: ", *_listed(entry.fails)) if entry.fails else ()
    return "By ", *_listed(entry.holds), *limits


def _listed(found: Sequence[Behind]) -> Iterator[m.Inline]:
    for k, b in enumerate(found):
        yield from ("; " if k else "", m.TheoremRef(b.theorem), f" {b.numbers}")
        if b.weaker:
            shade = "recorded" if b.verdict == "recorded" else "open"
            yield from (" ", m.Verdict(f"({b.weaker})", shade))
    yield "."


def markdown(entries: Iterable[Entry]) -> str:
    """The sentences in Markdown, a section each."""
    parts = []
    for entry in entries:
        row = entry.quoted
        part = f"## {entry.number}. {row.words}\n\n"
        part += f"{entry.source}: **{entry.judged}**. {row.upheld}"
        for title, found in (("By", entry.holds), ("Limits", entry.fails)):
            links = (
                f"[{b.theorem}]({trust_page.ROOT}{catalogue.file(b.theorem)}) {b.numbers}"
                + (f" ({b.weaker})" if b.weaker else "")
                for b in found
            )
            part += f"\n\n{title}: {', '.join(links)}" if found else ""
        parts.append(part)
    return "\n\n".join(parts)


def main(path: Path) -> None:
    """Rewrite the table of sentences of a file in place."""
    text = path.read_text(encoding="utf-8")
    results.write(path, trust_page.replaced(text, markdown(checked()), BEGIN, END))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
