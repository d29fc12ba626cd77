"""A document: blocks of words and formulas, which three writers print as text, LaTeX and HTML.

Plain text has one convention everywhere: the id of a theorem cites it, W_Q and P_σ are letters with
an index, and a single letter that is no English word (X, i, σ) is mathematics.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass

from orderproof.check.page import Formula, Section


@dataclass(frozen=True)
class Emphasis:
    """Stressed words; or a term where it is defined, which the index lists."""

    text: str
    term: bool = False


@dataclass(frozen=True)
class Code:
    """An identifier, a command or the name of a file."""

    text: str


@dataclass(frozen=True)
class Citation:
    """References of proofs/references.bib, by their keys."""

    keys: tuple[str, ...]


@dataclass(frozen=True)
class TheoremRef:
    """A theorem by its number; needed for an id without an underscore, which is an English word."""

    id: str


@dataclass(frozen=True)
class ChapterRef:
    """A chapter by its number; `name` is that of its folder."""

    name: str


@dataclass(frozen=True)
class Link:
    """Words that lead to a file or page, from the top of the site, or to an address; coloured as a
    verdict where they have a shade, with a longer text for those who hear the page."""

    text: str
    address: str
    shade: str = ""
    label: str = ""


@dataclass(frozen=True)
class Verdict:
    """A verdict, or a judgement, coloured in HTML as `shade`: proved, recorded, open, refuted."""

    text: str
    shade: str


@dataclass(frozen=True)
class MarkName:
    """A mark; `count` says for how many claims where it is not for all, `says` more of it."""

    name: str
    count: str = ""
    says: str = ""


Inline = (
    str | Formula | Emphasis | Code | Citation | TheoremRef | ChapterRef | Link | Verdict | MarkName
)
Words = tuple[Inline, ...]


@dataclass(frozen=True)
class Paragraph:
    """Words; `continues` the paragraph before, which a display has interrupted."""

    words: Words
    continues: bool = False


@dataclass(frozen=True)
class Heading:
    """A heading within a document, the least `level` being 1."""

    words: Words
    level: int = 1
    numbered: bool = True
    anchor: str = ""


@dataclass(frozen=True)
class Display:
    """Formulas on lines of their own, each with a mark such as "(1)" or none; short ones may share
    a line."""

    formulas: tuple[tuple[str, Formula], ...]


@dataclass(frozen=True)
class Source:
    """Text that is printed letter by letter, as a statement of Rocq; with a mark as a formula."""

    text: str
    mark: str = ""


@dataclass(frozen=True)
class Items:
    """A list."""

    items: tuple[Words, ...]


@dataclass(frozen=True)
class Table:
    """A table; `shares` are those of a line for columns of paragraphs, 0 for one as wide as its
    text; the heads of a wide table are `turned`."""

    head: tuple[Words, ...]
    rows: tuple[tuple[Words, ...], ...]
    shares: tuple[float, ...] = ()
    turned: bool = False
    anchors: tuple[str, ...] = ()  # of the rows


@dataclass(frozen=True)
class Figure:
    """A picture, figures/NAME.pdf in LaTeX and NAME.svg in HTML; or why it is `missing`."""

    name: str
    caption: Words
    alt: str
    missing: str = ""


@dataclass(frozen=True)
class Theorem:
    """A theorem as a document states it, under its kind ("lemma"), title and number in the book."""

    kind: str
    id: str
    title: str
    blocks: tuple[Block, ...]
    number: str = ""


@dataclass(frozen=True)
class Proof:
    """A proof, by what its claims were checked, and whose it is, where it has an id."""

    blocks: tuple[Block, ...]
    checked: Words = ()
    id: str = ""


@dataclass(frozen=True)
class Remark:
    """A remark or an example with its title; examples are numbered with the theorems."""

    kind: str  # remark, example
    title: str
    blocks: tuple[Block, ...]
    number: str = ""


@dataclass(frozen=True)
class Folded:
    """What most readers pass over: HTML folds it, LaTeX prints it small."""

    title: str
    blocks: tuple[Block, ...]


Block = (
    Paragraph | Heading | Display | Section | Source | Items | Table | Figure
    | Theorem | Proof | Remark | Folded
)  # fmt: skip


_ID = re.compile(r"(?<![\w#/])[a-z]{2,}(?:_[a-z]+)+(?![\w/]|\.(?:py|v|json))")


def cited(text: str, known: Container[str]) -> Iterator[str | TheoremRef]:
    """Plain text, the ids of these theorems in it as references."""
    last = 0
    for found in re.finditer(_ID, text):
        if found[0] in known:
            yield text[last : found.start()]
            yield TheoremRef(found[0])
            last = found.end()
    yield text[last:]


def anchor(name: str) -> str:
    """A name as part of an anchor or a class: rocq-recorded."""
    return "-".join(re.findall(r"\w+", name)).lower()
