"""Markdown with slots as blocks: the form of chapters and of proofs in words.

CommonMark without HTML, in which {...} is a slot, and ## A title {-} a heading without a number. A
slot that is alone on its line is displayed, within the paragraph that it interrupts; any other is a
part of its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Protocol

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from .model import Block, Code, Emphasis, Heading, Inline, Items, Paragraph, Words

_SLOT = re.compile(r"\{([^{}]*)\}")
_OF_ITEMS = ("list_item", "paragraph")
_UNNUMBERED = " {-}"


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


def _slot(state: StateInline, silent: bool) -> bool:
    """Reads a slot; braces after an underscore are a formula in words, Σ_{i ≥ j}."""
    if state.src[state.pos] not in "{}":
        return False
    found = _SLOT.match(state.src, state.pos)
    if found is None:
        stray = state.src[state.pos : state.pos + 20]
        raise BadMarkdown(f"given {stray!r}, expected braces in pairs, none within others")
    if not silent and (found[1] == "-" or state.src[: state.pos].endswith("_")):
        state.pending += found[0]
    elif not silent:
        state.push("slot", "", 0).content = found[1]
    state.pos = found.end()
    return True


_READER = MarkdownIt("commonmark").disable(
    ["html_block", "html_inline", "autolink", "entity", "escape", "link", "image", "reference"]
)
_READER.inline.ruler.push("slot", _slot)


def blocks(text: str, slots: Slots) -> tuple[Block, ...]:
    """The blocks of a text."""
    return tuple(_blocks(iter(_READER.parse(text)), slots))


def _blocks(tokens: Iterator[Token], slots: Slots) -> Iterator[Block]:
    for token in tokens:
        match token.type:
            case "heading_open":
                *before, last = ("", *_words(next(tokens).children or [], slots))
                numbered = not (isinstance(last, str) and last.endswith(_UNNUMBERED))
                words = (*before, last if numbered else str(last).removesuffix(_UNNUMBERED))
                yield Heading(words[1:], int(token.tag[1:]) - 1, numbered)
            case "inline":
                yield from _paragraph(token.children or [], slots)
            case "bullet_list_open":
                yield _items(tokens, slots)
            case "paragraph_open" | "paragraph_close" | "heading_close":
                pass
            case other:
                raise BadMarkdown(f"given {other}, expected paragraphs, headings and lists")


def _items(tokens: Iterator[Token], slots: Slots) -> Items:
    found: list[Words] = []
    for token in tokens:
        if token.type == "bullet_list_close":
            break
        if token.type == "inline":
            found.append(_words(token.children or [], slots))
        elif token.type.removesuffix("_open").removesuffix("_close") not in _OF_ITEMS:
            raise BadMarkdown(f"given {token.type} in a list, expected words")
    return Items(tuple(found))


def _paragraph(children: Sequence[Token], slots: Slots) -> Iterator[Block]:
    """A paragraph: words, and what is displayed between them."""
    waiting: list[Token] = []
    begun = False
    for line in _lines(children):
        if [x.type for x in line] != ["slot"]:
            waiting += [Token("softbreak", "", 0)] * bool(waiting) + line
            continue
        if waiting:
            yield Paragraph(_words(waiting, slots), begun)
            waiting = []
        begun = True
        yield from slots.displayed(line[0].content)
    if waiting:
        yield Paragraph(_words(waiting, slots), begun)


def _lines(children: Sequence[Token]) -> Iterator[list[Token]]:
    line: list[Token] = []
    for token in children:
        if token.type == "softbreak":
            yield line
            line = []
        elif token.type != "text" or token.content:
            line.append(token)
    yield line


def _words(children: Sequence[Token], slots: Slots) -> Words:
    """The words of a line, strings that follow one another as one."""
    found: list[Inline] = []
    emphasis = ""
    for token in children:
        match token.type:
            case "em_open" | "strong_open":
                emphasis = token.type
            case "em_close" | "strong_close":
                emphasis = ""
            case "code_inline" if "{" in token.content:
                raise BadMarkdown(f"given {token.content} in code, expected it outside")
            case "code_inline":
                found.append(Code(token.content))
            case "slot" if emphasis:
                raise BadMarkdown(
                    f"given {{{token.content}}} in stressed words, expected it outside"
                )
            case "slot":
                found += slots.within(token.content)
            case "softbreak":
                found.append(" ")
            case "text":
                term = emphasis == "strong_open"
                found.append(Emphasis(token.content, term) if emphasis else token.content)
            case other:
                raise BadMarkdown(f"given {other}, expected words, *stress* and `code`")
    return _joined(found)


def _joined(parts: Sequence[Inline]) -> Words:
    found: list[Inline] = []
    for part in parts:
        last = found[-1] if found else None
        if isinstance(part, str) and isinstance(last, str):
            found[-1] = last + part
        elif part != "":
            found.append(part)
    return tuple(found)
