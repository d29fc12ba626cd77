"""Terms of a user's model as formulas: tensors by their names, numbers as the file has them.

In a formula a name stands as a number in `\\text{...}`, as wide as the name is, until the document
is written: LaTeX and HTML escape it each in its way, so that no name is ever read as markup.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from orderproof.symbolic.calculus.terms import Ap, Index, Map, Name, Node, Op, Set, Term, map_type
from orderproof.symbolic.models.builders import POINT
from orderproof.symbolic.readings.notation import ATOM, SUM, Latex, Piece
from orderproof.symbolic.readings.printer import Label, Printer, Style

from . import names

TOKENS = "ijklmpq"  # letters for places of the axis in question
OTHERS = "cdefghrstuvwabz"
PLACEHOLDER = re.compile(r"\\text\{(0*\d+)\}")
PLAIN = re.compile(r"[A-Za-zσ]")


@dataclass
class Symbols:
    """Names in formulas, each with a number."""

    short: Mapping[str, str]  # of tensors, by their full names
    shown: list[str] = field(default_factory=list)
    _numbers: dict[str, str] = field(default_factory=dict)

    def of(self, name: str) -> str:
        """What stands for a name in a formula."""
        if name not in self._numbers:
            text = self.short.get(name) or names.cut(name, names.IN_FORMULA)
            self._numbers[name] = rf"\text{{{len(self.shown):0{max(len(text), 1)}}}}"
            self.shown.append(text)
        return self._numbers[name]


class Notation(Latex):
    """LaTeX with the names of a model."""

    def __init__(self, symbols: Symbols) -> None:
        self.symbols = symbols

    def symbol(self, name: str) -> str:
        """An index, a map or the size of a set: a letter as it is."""
        return super().symbol(name) if PLAIN.fullmatch(name) else self.symbols.of(name)

    def tensor(self, name: str, primed: bool = False) -> str:
        """A tensor of the model."""
        return self.symbols.of(name) + ("'" if primed else "")

    def function(self, name: str) -> str:
        """A function: by its name."""
        known = re.fullmatch(r"[a-z][A-Za-z0-9]{0,15}", name)
        return super().function(name) if known else self.symbols.of(name)

    def indexed(self, symbol: str, indices: Sequence[str]) -> str:
        """An entry; there is no underscore in a symbol here."""
        return f"{symbol}_{{{self._gap(indices).join(indices)}}}" if indices else symbol


class ModelPrinter(Printer):
    """A printer that writes every labelled node as its label, but the one that is open."""

    to: Notation

    def __init__(self, symbols: Symbols, style: Style, sizes: Mapping[Set, int]) -> None:
        super().__init__(Notation(symbols), style)
        self.sizes = sizes
        self.open: Node | None = None

    def _label(self, node: Node) -> Label | None:
        return None if node is self.open else super()._label(node)

    def _symbol(self, label: Label) -> str:
        return self.to.tensor(label.name, label.primed)

    def _entry(self, node: Node, slots: Sequence[str]) -> Piece:
        if node.op.kind == "number":
            return number(node.op.data[0])
        return super()._entry(node, slots)

    def _function(self, name: str, parts: Sequence[Piece]) -> Piece:
        if name == "mul" and parts[0].text == "1":
            return parts[1]
        return super()._function(name, parts)

    def _index(self, e: Index, slots: Sequence[str]) -> str:
        if isinstance(e, Ap) and not e.args and map_type(e.map)[1] == POINT:
            return "1"  # the place of a point, counted from 1
        text = super()._index(e, slots)
        whole = re.fullmatch(r"\d+(\+\d+)+", text)
        return str(sum(map(int, text.split("+")))) if whole else text

    def size(self, s: Set) -> str:
        """The size of an index set: a number where the model fixes it."""
        return str(self.sizes[s]) if s in self.sizes else super().size(s)

    def plain_size(self, s: Set) -> str:
        """The size of an index set, in words."""
        if s in self.sizes:
            return str(self.sizes[s])
        return " + ".join(map(self.plain_size, s.parts)) if s.parts else s.name

    def map(self, m: Map) -> str:
        """A map of index sets."""
        return self._map(m)

    def entry(self, t: Term, letters: Mapping[Name, str], *, opened: bool = False) -> str:
        """An entry of a term at indices of these letters; opened, what it is made of."""
        self.open = t.node if opened else None
        slots = ["1" if s == POINT else letters[a] for a, s in t.sets.items()]
        self._scope += slots
        try:
            return self._entry(t.node, slots).text
        finally:
            del self._scope[len(self._scope) - len(slots) :]
            self.open = None


def letters_for(sets: Mapping[Name, Set], over: Set | None, style: Style) -> dict[Name, str]:
    """A letter for each axis, each once."""
    found: dict[Name, str] = {}
    for axis, s in sets.items():
        choice = style.letters.get(s, "") + (TOKENS if s == over else OTHERS) + TOKENS + OTHERS
        free = (c for c in choice if c not in found.values())
        found[axis] = next(free, f"i_{{{len(found)}}}")
    return found


def letters_of(sets: Sequence[Set], over: Set | None) -> dict[Set, str]:
    """Which letters a printer takes for indices of each set, the likeliest first."""
    found = {}
    for s in sets:
        hint = s.name[:1].lower()
        own = hint if hint in OTHERS and len(s.name) == 1 else ""
        found[s] = TOKENS if s == over else own + OTHERS
    return found


def number(value: Fraction) -> Piece:
    """A number: as a whole one, a short fraction, or the decimal that names this float."""
    if value.denominator <= 1000 and abs(value.numerator) < 10**6:
        plain = value >= 0 and value.denominator == 1
        return Piece(str(value), ATOM if plain else SUM)
    try:
        exact = float(value)
    except OverflowError:
        return Piece(r"\infty" if value > 0 else r"-\infty", SUM)
    small = np.float32(exact) if abs(exact) < 3e38 else np.float64(exact)
    text = str(small) if Fraction(float(small)) == value else repr(exact)
    digits, _, power = text.partition("e")
    digits = digits.removesuffix(".0")
    if power:
        ten = f"10^{{{int(power)}}}"
        one = {"1": "", "-1": "-"}.get(digits)
        text = f"{one}{ten}" if one is not None else rf"{digits} \cdot {ten}"
        return Piece(text, SUM)
    return Piece(digits, SUM if digits.startswith("-") else ATOM)


def label(name: str, axes: Sequence[Name], primed: bool = False) -> Label:
    """The label of a node that a tensor's term is: its indices in the order of its dimensions."""
    order = sorted(range(len(axes)), key=lambda k: axes[k])  # type: ignore[arg-type, return-value]
    return Label(name, tuple(order), primed)


def leaf_label(op: Op) -> Label:
    """The label of an input or a constant."""
    return Label(str(op.data[0]), tuple(range(len(op.data[1]))))
