"""The chapters of the book as documents: prose, theorems in order, tables, from checked pages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from orderproof._paths import PROOFS
from orderproof.check.page import RECORDED, TheoremPage
from orderproof.check.prove import trust_decided
from orderproof.check.prove.trust import MARKS, SHARED, VERDICTS, joins
from orderproof.proofs import APPENDIX, catalogue
from orderproof.symbolic.counting import count

from . import evidence, figures, markdown, schemes, sentences, theorem
from .model import Block, Code, Figure, Paragraph, Proof, Remark, Theorem, TheoremRef, Words
from .schemes import PositionChapter
from .theorem import BadSlot

KINDS = ("theorem", "lemma", "corollary", "proposition")
OPTION = r"given (short|none)|where none|letters \w+|claims( \d+)+"
WITHOUT_POSITIONS = (
    "The table of position schemes and their counterexamples are not in this copy of the book; "
    "orderproof book adds them."
)


@dataclass(frozen=True)
class Text(catalogue.Chapter):
    """A chapter with its text, in Markdown."""

    source: str = ""


def texts() -> tuple[Text, ...]:
    """The chapters in order, each with the text in its folder."""
    return tuple(
        Text(**vars(c), source=(PROOFS / c.name / "chapter.md").read_text(encoding="utf-8"))
        for c in catalogue.chapters()
    )


@dataclass(frozen=True)
class Chapter:
    """A chapter: `number` is 4, or a letter in the appendix."""

    text: Text
    number: str
    introduction: tuple[Block, ...]
    blocks: tuple[Block, ...]


def chapters(
    pages: Sequence[TheoremPage],
    positions: PositionChapter | None = None,
    found: Sequence[Text] | None = None,
) -> tuple[Chapter, ...]:
    """The chapters of these texts, by default all. BadSlot names the chapter that asks for what
    there is not."""
    slots = ChapterSlots(pages, positions)
    made: list[Chapter] = []
    appendix = 0
    for k, c in enumerate(texts() if found is None else found, 1):
        appendix += bool(appendix) or c.name == APPENDIX
        try:
            introduction, blocks = (markdown.blocks(x, slots) for x in (c.introduction, c.source))
        except markdown.BadMarkdown as error:
            raise BadSlot(f"chapter {c.name}: {error}") from error
        number = chr(ord("A") + appendix - 1) if appendix else str(k)
        made.append(Chapter(c, number, introduction, tuple(_counted(blocks, number))))
    return tuple(made)


def _counted(blocks: Sequence[Block], chapter: str) -> Iterator[Block]:
    """The blocks of a chapter, theorems and examples with their numbers."""
    k = 0
    for block in blocks:
        if isinstance(block, Theorem) or (isinstance(block, Remark) and block.kind == "example"):
            k += 1
            yield replace(block, number=f"{chapter}.{k}")
        else:
            yield block


def numbers(found: Sequence[Chapter]) -> dict[str, tuple[str, str]]:
    """For each theorem its kind and its number in the book: ("Lemma", "3.1"). Examples count."""
    return {
        b.id: (b.kind.capitalize(), b.number)
        for c in found for b in c.blocks if isinstance(b, Theorem)
    }  # fmt: skip


# ------------------------------------------------------------------------------------------- slots
class ChapterSlots(theorem.ProofSlots):
    """The slots of a chapter: theorems and what belongs to them, by id; tables, pictures, and words
    about trust."""

    def __init__(
        self, pages: Sequence[TheoremPage], positions: PositionChapter | None = None
    ) -> None:
        super().__init__(None)
        self.pages = {page.id: page for page in pages}
        notation = self.pages.get(theorem.NOTATION)
        self.known = [f for w in notation.where for f in theorem.each(w)] if notation else []
        self.displays |= {
            "proof": self._proof, "example": self._example, "entries": self._entries,
            "variant": lambda rest: [theorem.variant(self._page_of(rest))],
            **{kind: partial(self._state, kind) for kind in KINDS},
            "sentences": lambda _: tuple(sentences.blocks(sentences.of_pages(pages))),
            "trust": lambda _: [evidence.marks("mark", MARKS)],
            "trust_decided": lambda _: [
                *_words(trust_decided.ABOUT), evidence.marks("part", trust_decided.DECIDED)
            ],
            "in_common": lambda _: [*_words(SHARED), *_words(joins())],
            "verdicts": lambda _: _words(VERDICTS),
            "evidence": lambda _: [evidence.table(pages)],
            "scheme_about": lambda _: _words(schemes.ABOUT),
            **_of_positions(positions),
        }  # fmt: skip
        self.words |= {"open_claims": lambda rest: self._open_claims()}

    def within(self, slot: str) -> Words:
        """The words of a slot in a line; of a table that is words alone, these."""
        if slot in self.displays and slot not in self.words:
            found = self.displays[slot]("")
            if len(found) == 1 and isinstance(found[0], Paragraph):
                return found[0].words
        return super().within(slot)

    def _of(self, rest: str) -> tuple[TheoremPage, str]:
        name, _, asked = rest.partition(" ")
        return self._page_of(name), asked

    def _page_of(self, name: str) -> TheoremPage:
        if name not in self.pages:
            raise BadSlot(f"given {name}, expected the id of a theorem")
        return self.pages[name]

    def _state(self, kind: str, rest: str) -> Sequence[Block]:
        """{theorem ID | given short | where none | letters OTHER_ID | claims 1}"""
        name, *options = rest.split(" | ")
        if unknown := [x for x in options if re.fullmatch(OPTION, x) is None]:
            raise BadSlot(f"{name}: given the option {unknown[0]}")
        given = dict(option.split(" ", 1) for option in options)
        page = self._page_of(name)
        claims = [int(k) for k in given["claims"].split()] if "claims" in given else None
        for k in claims or ():
            theorem.claim(page, str(k))
        stated = theorem.statement(
            page, claims=claims, given=given.get("given", ""), known=self.known,
            where=given.get("where") != "none",
            letters=self._page_of(given["letters"]) if "letters" in given else None,
        )  # fmt: skip
        return [Theorem(kind, name, page.title, stated)]

    def _proof(self, rest: str) -> Sequence[Block]:
        name, _, only = rest.partition(" | ")
        page = self._page_of(name)
        found = theorem.proof(page, only=only.split(), asides=False, whole=False)
        return [Proof(found, (evidence.line(page),), name)]

    def _example(self, rest: str) -> Sequence[Block]:
        page, number = self._of(rest)
        if not number.isdigit() or not 1 <= int(number) <= len(page.examples):
            raise BadSlot(f"example {page.id}: given {number}, there are {len(page.examples)}")
        return [theorem.example(page.examples[int(number) - 1])]

    def _entries(self, rest: str) -> Sequence[Block]:
        from . import entries

        page, tokens = self._of(rest)
        return entries.of_first_claim(catalogue.load(page.id), int(tokens))

    def _open_claims(self) -> Words:
        """Which claims came out other than declared, or stayed open, or rested on an argument on
        paper; how many are recorded from Rocq."""
        claims = [(page, c) for page in self.pages.values() for c in page.claims]
        weak = ("paper", "conjecture")
        named = {
            "stayed open or came out other than declared": [
                page.id for page, c in claims if not c.as_declared
            ],
            "rested on an argument on paper or on a conjecture": [
                page.id for page, c in claims if any(m.mark in weak for m in c.marks)
            ],
        }
        said: list[str | TheoremRef] = []
        for what, ids in named.items():
            number = f"{len(ids)} claim{'s' if len(ids) != 1 else ''}" if ids else "No claims"
            said.append(f"{number} {what}")
            for k, name in enumerate(dict.fromkeys(ids)):
                said += [", " if k else ": ", TheoremRef(name)]
            said.append(". ")
        if kept := sum(c.verdict == RECORDED for _, c in claims):
            said.append(
                f"Rocq alone proves {count(kept, 'claim')}, and was not run for this copy: what it "
                "said is recorded."
            )
        return tuple(said)


def _words(text: str) -> tuple[Block, ...]:
    """A paragraph in which paths are set as code, which may be broken."""
    parts = re.split(r"([a-z_/]+\.py)", text)
    return (Paragraph(tuple(Code(x) if k % 2 else x for k, x in enumerate(parts))),)


def _of_positions(found: PositionChapter | None) -> theorem.Displays:
    """The slots of the chapter on positions; without it, that it is not there."""
    if found is None:
        names = ("scheme_table", "scheme_notes", "bias_picture", "depth_figure")
        return dict.fromkeys(names, lambda _: _words(WITHOUT_POSITIONS))
    return {
        "scheme_table": lambda _: schemes.overview(found),
        "scheme_notes": lambda _: schemes.notes(found),
        "bias_picture": lambda _: [_figure(figures.BIAS)],
        "depth_figure": lambda _: [_figure(figures.DEPTH)],
    }


def _figure(name: str) -> Figure:
    """The picture of this name, or why there is none."""
    picture = figures.pictures()[name]
    return Figure(name, (picture.caption,), picture.alt, figures.undrawn())
