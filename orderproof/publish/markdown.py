"""Markdown with slots as blocks: the form of chapters and of proofs in words.

CommonMark without HTML, in which {...} is a slot. One that is alone on its line is displayed,
within the paragraph that it interrupts; any other is a part of its line. {remark TITLE} and {end},
each a paragraph of its own, enclose a remark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Protocol

from markdown_it import MarkdownIt
from markdown_it.token import Token

from .model import Block, Code, Emphasis, Heading, Inline, Items, Paragraph, Remark, Words

_SLOT = re.compile(r"(?<!_)\{([^{}]*)\}")  # Σ_{i ≥ j} is a formula in words
_PRIVATE = 0xE000  # characters that stand for slots while the Markdown around them is read
_OF_ITEMS = ("list_item", "paragraph")
_UNNUMBERED = " {-}"
_READER = MarkdownIt("commonmark").disable(
    ["html_block", "html_inline", "autolink", "entity", "escape", "link", "image", "reference"]
)


class BadMarkdown(ValueError):
    """Text that is not in the form of chapters and proofs: one line that says what is wrong."""


class Slots(Protocol):
    """What fills slots; each raises BadMarkdown for a slot that it does not know."""

    def displayed(self, slot: str) -> Sequence[Block]:
        """The blocks of a slot that is alone on its line."""
        ...

    def within(self, slot: str) -> Words:
        """The words of a slot in a line."""
        ...


def blocks(text: str, slots: Slots) -> tuple[Block, ...]:
    """The blocks of a text."""
    kept: list[str] = []

    def keep(found: re.Match[str]) -> str:
        if found[1] == "-":
            return found[0]
        kept.append(found[1])
        return chr(_PRIVATE + len(kept) - 1)

    filled = re.sub(_SLOT, keep, text)
    left = re.sub(r"_\{[^{}]*\}|\{-\}", "", filled)
    if stray := re.search(r"[{}].{0,20}", left):
        raise BadMarkdown(f"given {stray[0]!r}, expected braces in pairs, none within others")
    tokens = _READER.parse(filled)
    return tuple(_remarks(_Reader(kept, slots).blocks(iter(tokens))))


class _End:
    """The end of a remark."""


def _remarks(found: Iterator[Block | _End]) -> Iterator[Block]:
    """The blocks, each remark with those up to its end."""
    opened: Remark | None = None
    for block in found:
        if isinstance(block, _End) or (isinstance(block, Remark) and not block.blocks):
            if isinstance(block, _End) == (opened is None):
                raise BadMarkdown("given {remark} or {end} alone, expected a pair")
            if opened:
                yield opened
            opened = None if isinstance(block, _End) else block
        elif opened:
            opened = Remark(opened.kind, opened.title, (*opened.blocks, block))
        else:
            yield block
    if opened:
        raise BadMarkdown(f"given the remark {opened.title!r} without {{end}}")


class _Reader:
    def __init__(self, kept: Sequence[str], slots: Slots) -> None:
        self.kept, self.slots = kept, slots

    def blocks(self, tokens: Iterator[Token]) -> Iterator[Block | _End]:
        """The blocks up to the end of the tokens."""
        for token in tokens:
            match token.type:
                case "heading_open":
                    words = self._words(next(tokens).children or [])
                    last = words[-1] if words else ""
                    plain = isinstance(last, str) and last.endswith(_UNNUMBERED)
                    if plain and isinstance(last, str):
                        words = (*words[:-1], last.removesuffix(_UNNUMBERED))
                    yield Heading(words, int(token.tag[1:]) - 1, not plain)
                case "inline":
                    yield from self._paragraph(token.children or [])
                case "bullet_list_open":
                    yield self._items(tokens)
                case "paragraph_open" | "paragraph_close" | "heading_close":
                    pass
                case other:
                    raise BadMarkdown(f"given {other}, expected paragraphs, headings and lists")

    def _items(self, tokens: Iterator[Token]) -> Items:
        found: list[Words] = []
        for token in tokens:
            if token.type == "bullet_list_close":
                break
            if token.type == "inline":
                found.append(self._words(token.children or []))
            elif token.type.removesuffix("_open").removesuffix("_close") not in _OF_ITEMS:
                raise BadMarkdown(f"given {token.type} in a list, expected words")
        return Items(tuple(found))

    def _paragraph(self, children: Sequence[Token]) -> Iterator[Block | _End]:
        """A paragraph: words, and what is displayed between them."""
        waiting: list[Token] = []
        begun = False
        for line in _lines(children):
            slot = self._alone(line)
            if slot is None:
                waiting += [Token("softbreak", "", 0)] * bool(waiting) + line
                continue
            if waiting:
                yield Paragraph(self._words(waiting), begun)
                waiting = []
            begun = True
            if slot == "end":
                yield _End()
            elif slot.startswith("remark "):
                yield Remark("remark", slot.removeprefix("remark "), ())
            else:
                yield from self.slots.displayed(slot)
        if waiting:
            yield Paragraph(self._words(waiting), begun)

    def _alone(self, line: Sequence[Token]) -> str | None:
        text = line[0].content.strip() if len(line) == 1 and line[0].type == "text" else ""
        return self._slot(text) if len(text) == 1 else None

    def _slot(self, character: str) -> str | None:
        k = ord(character) - _PRIVATE
        return self.kept[k] if 0 <= k < len(self.kept) else None

    def _words(self, children: Sequence[Token]) -> Words:
        found: list[Inline] = []
        emphasis = ""
        for token in children:
            match token.type:
                case "em_open" | "strong_open":
                    emphasis = token.type
                case "em_close" | "strong_close":
                    emphasis = ""
                case "code_inline":
                    found.append(Code(self._bare(token.content)))
                case "softbreak":
                    found.append(" ")
                case "text" if emphasis:
                    found.append(Emphasis(self._bare(token.content), emphasis == "strong_open"))
                case "text":
                    found += self._filled(token.content)
                case other:
                    raise BadMarkdown(f"given {other}, expected words, *stress* and `code`")
        return _joined(found)

    def _bare(self, text: str) -> str:
        for c in text:
            if (slot := self._slot(c)) is not None:
                raise BadMarkdown(
                    f"given {{{slot}}} in code or stressed words, expected it outside"
                )
        return text

    def _filled(self, text: str) -> Iterator[Inline]:
        last = 0
        for k, c in enumerate(text):
            if (slot := self._slot(c)) is not None:
                yield text[last:k]
                yield from self.slots.within(slot)
                last = k + 1
        yield text[last:]


def _lines(children: Sequence[Token]) -> Iterator[list[Token]]:
    line: list[Token] = []
    for token in children:
        if token.type == "softbreak":
            yield line
            line = []
        else:
            line.append(token)
    yield line


def _joined(parts: Sequence[Inline]) -> Words:
    """The words, strings that follow one another as one."""
    found: list[Inline] = []
    for part in parts:
        last = found[-1] if found else None
        if isinstance(part, str) and isinstance(last, str):
            found[-1] = last + part
        elif part != "":
            found.append(part)
    return tuple(found)
