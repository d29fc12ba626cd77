"""A derivation as data, whatever it is printed in: words, names of the model, formulas, tables."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Code:
    """A name of the model, or a file."""

    text: str


@dataclass(frozen=True)
class Math:
    """A formula in LaTeX, names in it standing as numbers (of Document.names); a wide one may be
    broken, or made smaller."""

    latex: str
    wide: bool = False


NEW = "\n"  # a new line within a paragraph or a cell
Inline = str | Code | Math
Line = tuple[Inline, ...]


@dataclass(frozen=True)
class Table:
    """A table; `widths` are shares of a line."""

    head: tuple[str, ...]
    rows: tuple[tuple[Line, ...], ...]
    widths: tuple[float, ...]
    small: bool = False


@dataclass(frozen=True)
class Display:
    """A formula on a line of its own, with a number or name before it."""

    latex: str
    mark: str = ""


Block = Line | Table | Display


@dataclass(frozen=True)
class Section:
    """A heading and what stands below it."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Document:
    """The derivation of one answer."""

    title: Line
    plain: str  # the title without markup
    about: tuple[tuple[str, Line], ...]  # lines as: file, digest
    answer: tuple[Line, ...]
    sections: tuple[Section, ...]
    names: tuple[str, ...]  # of the numbers in formulas
