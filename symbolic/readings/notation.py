"""LaTeX and plain text: two notations for one printer.

A piece of output is a string with the strength of its outermost operator, so that brackets
stand where they are needed and nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

SUM, BIG, PRODUCT, ATOM = range(4)  # strength of the outermost operator; BIG: Σ, and a / b


@dataclass(frozen=True)
class Piece:
    """Output with the strength of its outermost operator."""

    text: str
    strength: int = ATOM


@dataclass(frozen=True)
class Formula:
    """A formula in both notations."""

    latex: str
    plain: str


_GREEK = {
    "sigma": "σ", "rho": "ρ", "tau": "τ", "delta": "δ", "phi": "φ", "pi": "π", "beta": "β",
    "gamma": "γ", "epsilon": "ε", "theta": "θ",
    "psi": "ψ", "omega": "ω", "mu": "μ", "kappa": "κ",
}  # fmt: skip
_NAMES = {letter: name for name, letter in _GREEK.items()}
_SHAPES = {"phi": "varphi", "epsilon": "varepsilon"}  # as the Unicode letters look


_FOREIGN = re.compile(r"[^A-Za-z0-9Α-Ωα-ω_'.,:+−-]")


def _settable(name: str) -> str:
    """A name from elsewhere, which may hold what TeX reads as more than letters: with dots for
    that."""
    return _FOREIGN.sub(".", name.replace("′", "'"))


def _word(name: str) -> str:
    """A function's name without underscores: ShiftedSoftmax."""
    return name.title().replace("_", "") if "_" in name else name


def _factors(sizes: Sequence[str]) -> Sequence[str]:
    """Sizes as factors of a shape: n+1 in brackets, if it is not the only one."""
    return [f"({s})" if "+" in s else s for s in sizes] if len(sizes) > 1 else sizes


class _Notation:
    """What both notations write alike, but for their signs."""

    dots: str
    member: str
    comma: str  # between what is listed, and between formulas in a line
    apart: str
    cross: str  # between the sets of a product
    less_one: str
    signs: Mapping[str, str] = {}  # of relations, where they are others

    def said(self, words: str) -> str:
        """Words within a formula."""
        return words

    def braces(self, text: str) -> str:
        return f"{{{text}}}"

    def listed(self, parts: Iterable[str]) -> str:
        return self.comma.join(parts)

    def beside(self, parts: Iterable[str]) -> str:
        return self.apart.join(parts)

    def product(self, sets: Sequence[str]) -> str:
        return self.cross.join(sets)

    def relation(self, sign: str) -> str:
        return self.signs.get(sign, sign)

    def applied(self, m: str, args: Sequence[str]) -> str:
        return f"{m}({', '.join(args)})" if args else m

    def at_most(self, a: str, b: str) -> str:
        """1 if so, else 0 (Iverson's bracket)."""
        return f"[{a} {self.relation('≤')} {b}]"

    def condition(self, relation: str, values: tuple[int, ...]) -> str:
        if relation == "∈" and len(values) > 1:
            return f" {self.member} {self.braces(', '.join(map(str, values)))}"
        return f" {'=' if relation == '∈' else self.relation(relation)} {values[0]}"

    def range(self, size: str, *, as_numbers: bool = False) -> str:
        """The indices of a set: from 1, or from 0 where they are used as numbers."""
        first, last = ("0", f"{size}{self.less_one}") if as_numbers else ("1", size)
        return self.braces(f"{first}, {self.dots}, {last}")

    def alike(self, names: Sequence[str]) -> str:
        """All of a short list; of a long one the first and the last."""
        shown = names if len(names) < 4 else (names[0], self.dots, names[-1])
        return f"{', '.join(shown)}{self.said(' of the same shapes').rstrip()}"

    def instead(self, new: str, of: str, put: str, for_: str) -> str:
        """How some tensors are made: as others, but for what these are made of."""
        return f"{new}{self.said(': as ')}{of}{self.said(', with ')}{self._put(put, for_)}"

    def primes(self, put: str, for_: str) -> str:
        """What a primed letter stands for; a line may end within."""
        said = self.said("any other prime: the same formula").strip()
        return self.listed([said, f"{self.said('with ').lstrip()}{self._put(put, for_)}"])

    def _put(self, put: str, for_: str) -> str:
        return f"{put}{self.said(' in place of ')}{for_}"


class Latex(_Notation):
    """LaTeX, for use inside math mode (amsmath)."""

    comma, apart, cross, less_one = r",\; ", r", \quad ", r" \times ", "-1"
    signs: Mapping[str, str] = {"≠": r"\neq", "≤": r"\leq", "≥": r"\geq"}
    times, plus, minus, equals, top = r"\,", "+", "-", "=", r"^{\top}"
    one, dots = r"\mathbf{1}", r"\dots"
    exists, forall, member, arrow = r"\exists\;", r"\forall\;", r"\in", r"\to"
    colon, implies, where = r"\colon\; ", r" \;\Rightarrow\; ", r" ,\; \text{where } "

    def of(self, formula: Formula) -> str:
        return formula.latex

    def said(self, words: str) -> str:
        return rf" \text{{{words}}} "

    def braces(self, text: str) -> str:
        return rf"\{{{text}\}}"

    def symbol(self, name: str) -> str:
        base, _, sub = _settable(name).partition("_")
        if base.endswith("'"):
            return self.prime(base[:-1] + (f"_{sub}" if sub else ""))
        base = _NAMES.get(base, base)
        if base in _GREEK:
            base = rf"\{_SHAPES.get(base, base)}"
        elif len(base) > 1:
            base = rf"\mathrm{{{base}}}"
        return base + (f"_{{{self._below(sub)}}}" if sub else "")

    def _below(self, sub: str) -> str:
        """What stands below a symbol: a word (post) upright, letters and numbers as they are."""
        sub = sub.replace("−", "-").replace("_", r"\_")
        return rf"\mathrm{{{sub}}}" if len(sub) > 1 and sub.isalpha() else sub

    def under(self, letters: Sequence[str]) -> str:
        return f"_{{{''.join(letters)}}}" if letters else ""

    def above(self, exponent: str) -> str:
        return f"^{{{exponent}}}"

    def indexed_whole(self, text: str, indices: Sequence[str]) -> str:
        return f"{text}_{{{self._gap(indices).join(indices)}}}"

    def _gap(self, indices: Sequence[str]) -> str:
        if any("+" in i for i in indices):
            return r",\,"
        return r"\," if any(len(i) > 1 for i in indices) else ""

    def prime(self, name: str) -> str:
        base, _, sub = name.partition("_")
        return self.symbol(base) + "'" + (f"_{{{self._below(sub)}}}" if sub else "")

    def function(self, name: str) -> str:
        name = _settable(name)
        if name == "exp":
            return r"\exp"
        if name in _GREEK:
            return self.symbol(name)
        if name[1:2] == "_":
            return self.symbol(name)  # f_1 and f_2, not words
        return name if len(name) == 1 else rf"\operatorname{{{_word(name)}}}"

    def indexed(self, symbol: str, indices: Sequence[str]) -> str:
        if not indices:
            return symbol
        base, _, sub = symbol.partition("_")
        own = rf"{sub[1:-1]},\," if sub else ""  # W_{Q,\,ck}
        return f"{base}_{{{own}{self._gap(indices).join(indices)}}}"

    def bracket(self, text: str) -> str:
        return rf"\left({text}\right)" if r"\frac" in text or r"\sum" in text else f"({text})"

    def fraction(self, a: Piece, b: Piece) -> Piece:
        return Piece(rf"\frac{{{a.text}}}{{{b.text}}}")

    def root(self, a: Piece) -> Piece:
        return Piece(rf"\sqrt{{{a.text}}}")

    def big(self, kind: str, index: str) -> str:
        return {"sum": r"\sum", "prod": r"\prod"}.get(kind, rf"\{kind}") + f"_{{{index}}} "

    def inverse(self, m: str) -> str:
        return f"{m}^{{-1}}"

    def reals(self, sizes: Sequence[str]) -> str:
        shape = r" \times ".join(_factors(sizes))
        return r"\mathbb{R}" + (f"^{{{shape}}}" if sizes else "")

    def symmetric(self, size: str) -> str:
        return f"S_{{{size}}}"

    def grouped(self, symbol: str) -> str:
        """A symbol that may be given an exponent: K'_{h}^{\top} would be an error of TeX."""
        return f"{{{symbol}}}" if "'" in symbol and "_" in symbol else symbol

    def delta(self, a: str, b: str) -> str:
        return rf"\delta_{{{a},\,{b}}}"

    def stacked(self, above: str, below: str) -> str:
        return rf"[{above};\; {below}]"

    def power(self, a: Piece, exponent: str) -> Piece:
        base = a.text if a.strength >= ATOM else f"({a.text})"
        return Piece(f"{base}^{{{exponent}}}")

    def binomial(self, a: str, b: str) -> str:
        return rf"\binom{{{a}}}{{{b}}}"

    def raised(self, times: int) -> str:
        """What stands at the upper right of a factor that is taken so many times."""
        return f"^{{{times}}}"

    def norm(self, text: str) -> str:
        return rf"\left\lVert {text} \right\rVert"

    def absolute(self, text: str) -> str:
        return rf"\left\lvert {text} \right\rvert"


class Plain(_Notation):
    """Plain text in Unicode, for a terminal."""

    comma, apart, cross, less_one = ", ", ", ", " × ", " − 1"
    times, plus, minus, equals, top = " ", "+", "−", "=", "ᵀ"
    one, dots = "1", "…"
    exists, forall, member, arrow = "∃ ", "∀ ", "∈", "→"
    colon, implies, where = ": ", "  ⇒  ", ", where "

    def of(self, formula: Formula) -> str:
        return formula.plain

    def symbol(self, name: str) -> str:
        base, _, sub = name.partition("_")
        if base.endswith("'"):
            return self.prime(base[:-1] + (f"_{sub}" if sub else ""))
        below = f"_({sub})" if {"+", "−"} & set(sub) else f"_{sub}"  # x_(p+t)
        return _GREEK.get(base, base) + (below if sub else "")

    def under(self, letters: Sequence[str]) -> str:
        return f"_{''.join(letters)}" if letters else ""

    def above(self, exponent: str) -> str:
        return f"^{exponent}" if len(exponent) == 1 else f"^({exponent})"

    def indexed_whole(self, text: str, indices: Sequence[str]) -> str:
        return f"{text}[{', '.join(indices)}]"

    def prime(self, name: str) -> str:
        return self.symbol(name) + "′"

    def function(self, name: str) -> str:
        return self.symbol(name) if name[1:2] == "_" else _GREEK.get(name, _word(name))

    def indexed(self, symbol: str, indices: Sequence[str]) -> str:
        return f"{symbol}[{', '.join(indices)}]" if indices else symbol

    def bracket(self, text: str) -> str:
        return f"({text})"

    def fraction(self, a: Piece, b: Piece) -> Piece:
        left = a.text if a.strength >= PRODUCT else self.bracket(a.text)
        right = b.text if b.strength == ATOM else self.bracket(b.text)
        return Piece(f"{left} / {right}", BIG)

    def root(self, a: Piece) -> Piece:
        return Piece(f"√{a.text}" if len(a.text) == 1 else f"√({a.text})")

    def big(self, kind: str, index: str) -> str:
        return {"sum": "Σ", "prod": "Π"}.get(kind, kind) + f"_{index} "

    def inverse(self, m: str) -> str:
        return f"{m}⁻¹"

    def reals(self, sizes: Sequence[str]) -> str:
        shape = "×".join(_factors(sizes))
        return "ℝ" + (f"^{shape}" if len(sizes) == 1 else f"^({shape})" if sizes else "")

    def symmetric(self, size: str) -> str:
        return f"S_{size}"

    def grouped(self, symbol: str) -> str:
        return symbol

    def delta(self, a: str, b: str) -> str:
        return f"δ[{a}, {b}]"

    def stacked(self, above: str, below: str) -> str:
        return f"[{above}; {below}]"

    def power(self, a: Piece, exponent: str) -> Piece:
        base = a.text if a.strength >= ATOM else f"({a.text})"
        return Piece(f"{base}^{exponent}" if len(exponent) == 1 else f"{base}^({exponent})")

    def binomial(self, a: str, b: str) -> str:
        return f"C({a}, {b})"

    def raised(self, times: int) -> str:
        return "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(digit)] for digit in str(times))

    def norm(self, text: str) -> str:
        return f"‖{text}‖"

    def absolute(self, text: str) -> str:
        return f"|{text}|"


Notation = Latex | Plain


def in_both(write: Callable[[Notation], str]) -> Formula:
    """A formula, written in each notation."""
    return Formula(write(Latex()), write(Plain()))


def equation(left: Formula, right: Formula) -> Formula:
    """left = right."""
    return in_both(lambda to: f"{to.of(left)} = {to.of(right)}")
