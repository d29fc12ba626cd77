"""A document as plain text for a terminal, broken to 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence

from orderproof.check.page import Formula, Section, broken
from orderproof.proofs import catalogue

from .bibliography import short_names
from .model import (
    Block,
    ChapterRef,
    Citation,
    Code,
    Display,
    Emphasis,
    Figure,
    Folded,
    Heading,
    Inline,
    Items,
    Link,
    MarkName,
    Paragraph,
    Proof,
    Remark,
    Source,
    Table,
    Theorem,
    TheoremRef,
    Verdict,
    Words,
)

WIDTH = 80
LONG = 60  # letters of a formula that is broken rather than put on a line of its own
GAP = 2  # columns between those of a table


def text(blocks: Iterable[Block]) -> str:
    """The blocks, an empty line between those that do not belong to the paragraph before."""
    parts: list[str] = []
    for b in blocks:
        parts += [""] if parts and not _goes_on(b) else []
        parts += _lines(b)
    return "\n".join(parts)


def _goes_on(b: Block) -> bool:
    return isinstance(b, Display | Section) or (isinstance(b, Paragraph) and b.continues)


def _lines(b: Block) -> Iterator[str]:
    match b:
        case Paragraph():
            yield wrapped(words(b.words))
        case Heading():
            yield wrapped(words(b.words))
        case Display():
            for mark, f in b.formulas:
                yield formula(f"{mark} {f.plain}" if mark else f.plain, "    ")
        case Section():
            yield from chain(b)
        case Source():
            yield textwrap.indent(broken(b.text, WIDTH - 4), "    ")
        case Items():
            for item in b.items:
                yield wrapped(words(item), "- ", "  ", first=True)
        case Table():
            yield from table(b)
        case Figure():
            yield wrapped(b.missing or f"[{words(b.caption)} {b.alt}]")
        case Theorem():
            yield wrapped(f"{b.kind.capitalize()}: {b.title} ({b.id})")
            yield text(b.blocks)
        case Proof():
            yield "Proof."
            yield text(b.blocks)
            if b.checked:
                yield wrapped(b.checked)
        case Remark():
            yield wrapped(f"{b.kind.capitalize()}: {b.title}")
            yield textwrap.indent(text(b.blocks), "    ")
        case Folded():
            yield wrapped(b.title)
            yield text(b.blocks)


# ------------------------------------------------------------------------------------------- words
def words(found: Words) -> str:
    """Words in a line."""
    return "".join(map(_inline, found))


def _inline(x: Inline) -> str:
    match x:
        case str():
            return x
        case Formula():
            return x.plain
        case Emphasis() | Code() | Verdict() | Link():
            return x.text
        case Citation():
            return f"[{'; '.join(short_names(x.keys))}]"
        case TheoremRef():
            return x.id
        case ChapterRef():
            return f"“{catalogue.chapter(x.name).title}”"
        case MarkName():
            return f"{x.name} {x.count}".strip()


def wrapped(said: str, indent: str = "", hang: str = "", *, first: bool = False) -> str:
    """Words over lines; `hang` is before all lines but the first, with `first` in place of the
    indent."""
    return textwrap.fill(
        said, WIDTH, initial_indent=indent, subsequent_indent=hang if first else indent + hang
    )


# ---------------------------------------------------------------------------------------- formulas
def formula(said: str, indent: str = "", after: str = ",") -> str:
    """A formula over lines that end after its commas (or other signs) outside brackets; in a part
    that is too long, before its relations too; and in what is too long even then, anywhere."""
    found = []
    for part in _split(said, lambda before, _: before[-1:] in after):
        long = len(part) >= LONG
        found += _split(part, lambda _, then: then[:1] in "=≠<≤⇒") if long else [part]
    whole = (p.replace(" ", "\u00a0") if len(p) < LONG else p for p in found)
    return wrapped(" ".join(whole), indent, "    ").replace("\u00a0", " ")


def _split(said: str, here: Callable[[str, str], bool]) -> list[str]:
    """A text taken apart at those spaces outside brackets of which `here` says so, given what
    stands before the space and after it."""
    cuts, depth = [-1], 0
    for k, c in enumerate(said):
        depth += (c in "([{") - (c in ")]}")
        if c == " " and depth == 0 and here(said[:k], said[k + 1 :]):
            cuts.append(k)
    return [said[a + 1 : b] for a, b in zip(cuts, [*cuts[1:], len(said)], strict=True)]


def chain(s: Section) -> Iterator[str]:
    """A chain of equal formulas, a line each, its reason at the right or, where there is no room,
    below."""
    if s.title:
        yield wrapped(s.title)
    for k, line in enumerate(s.lines):
        shown = ("  " if k == 0 else "    = ") + line.formula.plain
        reason = words(line.reason)
        if not reason:
            yield shown
        elif len(shown) + len(reason) + 3 <= WIDTH:
            yield f"{shown}{reason:>{WIDTH - len(shown)}}"
        else:
            yield wrapped(shown, "", " " * 8)
            yield wrapped(reason, " " * 8)
        if line.aside:
            yield wrapped(f"[{line.aside.plain}]", " " * 8)


# ------------------------------------------------------------------------------------------ tables
def table(t: Table, indent: str = "    ") -> Iterator[str]:
    """A table in columns; where it is too wide, the cells of its last column are wrapped."""
    rows = [[words(cell) for cell in row] for row in ([t.head] if any(t.head) else []) + [*t.rows]]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    room = WIDTH - len(indent) - sum(w + GAP for w in widths[:-1])
    for row in rows:
        yield from _row(row, widths, max(room, 20), indent)


def _row(row: Sequence[str], widths: Sequence[int], room: int, indent: str) -> Iterator[str]:
    *cells, last = row
    begin = "".join(c.ljust(w + GAP) for c, w in zip(cells, widths, strict=False))
    first, *others = textwrap.wrap(last, room) or [""]
    yield f"{indent}{begin}{first}".rstrip()
    yield from (indent + " " * len(begin) + line for line in others)
