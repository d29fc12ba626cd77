"""The chapters of the book as documents: prose, theorems in order, tables, from checked pages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from orderproof._paths import PROOFS
from orderproof.check.page import RECORDED, ClaimPage, TheoremPage
from orderproof.proofs import APPENDIX, catalogue
from orderproof.symbolic.counting import count

from . import evidence, markdown, theorem
from .model import (
    Block,
    Display,
    Emphasis,
    Paragraph,
    Proof,
    Remark,
    Theorem,
    TheoremRef,
    Words,
)
from .theorem import BadSlot

KINDS = ("theorem", "lemma", "corollary", "proposition")
STRESSED = r"\*([^*]+)\*"  # in an introduction
OPTION = r"given (short|none)|where none|letters \w+|claims( \d+)+"
Tables = Mapping[str, Callable[[], Sequence[Block]]]  # by the name of their slot


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
    pages: Sequence[TheoremPage], tables: Tables, found: Sequence[Text] | None = None
) -> tuple[Chapter, ...]:
    """The chapters of these texts, by default all. BadSlot names the chapter that asks for what
    there is not."""
    slots = ChapterSlots({page.id: page for page in pages}, tables)
    made: list[Chapter] = []
    appendix = 0
    for k, c in enumerate(texts() if found is None else found, 1):
        appendix += bool(appendix) or c.name == APPENDIX
        try:
            blocks = markdown.blocks(c.source, slots)
        except markdown.BadMarkdown as error:
            raise BadSlot(f"chapter {c.name}: {error}") from error
        number = chr(ord("A") + appendix - 1) if appendix else str(k)
        counted = tuple(_counted(blocks, number))
        made.append(Chapter(c, number, _introduction(c.introduction), counted))
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


def _introduction(text: str) -> tuple[Block, ...]:
    """Paragraphs in which *words* are stressed."""

    def stressed(p: str) -> Words:
        parts = re.split(STRESSED, " ".join(p.split()))
        return tuple(Emphasis(x) if k % 2 else x for k, x in enumerate(parts))

    return tuple(Paragraph(stressed(p)) for p in text.split("\n\n"))


def numbers(found: Sequence[Chapter]) -> dict[str, tuple[str, str]]:
    """For each theorem its kind and its number in the book: ("Lemma", "3.1"). Examples count."""
    return {
        b.id: (b.kind.capitalize(), b.number)
        for c in found for b in c.blocks if isinstance(b, Theorem)
    }  # fmt: skip


# ------------------------------------------------------------------------------------------- slots
class ChapterSlots(theorem.ProofSlots):
    """The slots of a chapter: theorems and what belongs to them, by id; and tables."""

    def __init__(self, pages: Mapping[str, TheoremPage], tables: Tables) -> None:
        super().__init__(None)
        self.pages = pages
        notation = pages.get(theorem.NOTATION)
        self.known = [f for w in notation.where for f in theorem.each(w)] if notation else []
        self.displays |= {
            "proof": self._proof, "chain": self._chain_of, "where": self._where,
            "remarks": lambda rest: [Paragraph((self._page_of(rest).remarks,))],
            "variant": lambda rest: [theorem.variant(self._page_of(rest))],
            "example": self._example, "hypotheses": self._hypotheses,
            "conclusions": self._conclusions, "entries": self._entries,
            **{kind: self._stating(kind) for kind in KINDS},
            **{name: self._tabled(made) for name, made in tables.items()},
        }  # fmt: skip
        self.words |= {"open_claims": lambda rest: self._open_claims()}

    def within(self, slot: str) -> Words:
        """The words of a slot in a line; of a table that is words alone, these."""
        if slot in self.displays and slot not in self.words:
            found = self.displays[slot]("")
            if len(found) == 1 and isinstance(found[0], Paragraph):
                return found[0].words
        return super().within(slot)

    @staticmethod
    def _tabled(made: Callable[[], Sequence[Block]]) -> Callable[[str], Sequence[Block]]:
        return lambda _: made()

    def _page_of(self, name: str) -> TheoremPage:
        if name not in self.pages:
            raise BadSlot(f"given {name}, expected the id of a theorem")
        return self.pages[name]

    def _stating(self, kind: str) -> Callable[[str], Sequence[Block]]:
        def state(rest: str) -> Sequence[Block]:
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

        return state

    def _proof(self, rest: str) -> Sequence[Block]:
        name, _, only = rest.partition(" | ")
        page = self._page_of(name)
        found = theorem.proof(page, only=only.split(), asides=False, whole=False)
        return [Proof(found, (evidence.line(page),), name)]

    def _chain_of(self, rest: str) -> Sequence[Block]:
        name, _, letter = rest.partition(" ")
        return [theorem.without_asides(theorem.chain(self._page_of(name), letter))]

    def _where(self, rest: str) -> Sequence[Block]:
        name, _, letters = rest.partition(": ")
        return [theorem.where(self._page_of(name), letters)]

    def _claim(self, rest: str) -> ClaimPage:
        name, _, number = rest.partition(" ")
        return theorem.claim(self._page_of(name), number)

    def _example(self, rest: str) -> Sequence[Block]:
        name, _, number = rest.partition(" ")
        examples = self._page_of(name).examples
        if not number.isdigit() or not 1 <= int(number) <= len(examples):
            raise BadSlot(f"example {name}: given {number}, there are {len(examples)}")
        return [theorem.example(examples[int(number) - 1])]

    def _hypotheses(self, rest: str) -> Sequence[Block]:
        name, number, *besides = rest.split()
        page = self._page_of(name)
        others = [theorem.claim(page, k) for k in besides]
        found = theorem.hypotheses(theorem.claim(page, number), others)
        if not found:
            raise BadSlot(f"hypotheses {name} {number}: given a claim with none of its own")
        return [Display(tuple(("", f) for f in found))]

    def _conclusions(self, rest: str) -> Sequence[Block]:
        name, *numbered = rest.split()
        page = self._page_of(name)
        found = ((f"({k})", theorem.conclusion(theorem.claim(page, k))) for k in numbered)
        return [Display(tuple(found))]

    def _entries(self, rest: str) -> Sequence[Block]:
        from . import entries

        name, _, tokens = rest.partition(" ")
        self._page_of(name)
        return entries.of_first_claim(catalogue.load(name), int(tokens))

    def _open_claims(self) -> Words:
        """Which claims came out other than declared, or stayed open, or rest on an argument on
        paper; how many are recorded from Rocq."""
        claims = [(page, c) for page in self.pages.values() for c in page.claims]
        weak = ("paper", "conjecture")
        named = {
            "stayed open or came out other than declared": [
                page.id for page, c in claims if not c.as_declared
            ],
            "rest on an argument on paper or are conjectures": [
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
