"""Reads the plain notation back: a parser and an evaluator of printed formulas, on arrays.

Written from what a person would read, and sharing nothing with the printer. The grammar is strict
(a sum in a product, or one quotient in another, needs brackets), so what could be read in two ways
is not read at all. In matrix notation 1 is the vector of ones, f(X) acts on each row, a function
of several arguments on whole matrices, and an index (of a head) picks a matrix out of several.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

POWERS = "²³⁴⁵⁶⁷⁸⁹"
# PostNorm^L and PostNorm^(L_E) are functions
NAME = rf"[^\W\dᵀ{POWERS}][^\Wᵀ{POWERS}]*(?:\^(?:\w|\(\w+\)))?′?"
TOKEN = re.compile(rf"\s*((?:Σ|Π|max|min)_\w+|\d+|√|⁻¹|ᵀ|{NAME}|[-−+/()\[\],;|{POWERS}])")
MAPS = "σρτpβ"


class Unreadable(ValueError):
    """A formula that the grammar has no reading for, or more than one."""


@dataclass
class Meaning:
    """What the names in formulas stand for: arrays with their axes, functions of rows, tables."""

    arrays: Mapping[str, Any]
    functions: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    maps: Mapping[str, list[int]] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)
    matrices: Mapping[str, str] = field(default_factory=dict)  # P ↦ σ

    def entries(self, text: str, axes: Mapping[str, int]) -> Any:
        """The array that a formula in index notation denotes, over these free letters."""
        tree = _parsed(text)
        result = np.empty(tuple(axes.values()))
        for i in product(*map(range, axes.values())):
            result[i] = self._entry(tree, dict(zip(axes, i, strict=True)))
        return result

    def matrix(self, text: str, at: Mapping[str, int] | None = None) -> Any:
        """The matrix or vector that a formula in matrix notation denotes, of these heads."""
        return self._matrix(_parsed(text), at or {})

    # --------------------------------------------------------------------------- entries
    def _entry(self, tree: Any, at: Mapping[str, int]) -> float:
        match tree:
            case ("number", n):
                return float(n)
            case ("+" | "-" | "*" | "/" as op, a, b):
                return _arithmetic(op, self._entry(a, at), self._entry(b, at))
            case ("neg", a):
                return -self._entry(a, at)
            case ("root", a):
                return float(np.sqrt(self._entry(a, at)))
            case ("power", a, times):
                return float(self._entry(a, at) ** times)
            case ("size", a):
                return abs(self._entry(a, at))
            case ("big", kind, letter, body):
                if letter in at:
                    raise Unreadable(f"{kind}_{letter}: this letter is in use around it")
                inner = range(self._range(letter, body))
                values = [self._entry(body, {**at, letter: j}) for j in inner]
                how = {"Σ": np.sum, "Π": np.prod, "max": np.max, "min": np.min}[kind]
                return float(how(values))
            case ("cat", a, b, where):
                (la, na), (lb, nb) = self._free(a, at), self._free(b, at)
                i = self._index(where, at)
                inside, letter = (a, la) if i < na else (b, lb)
                del nb
                return self._entry(inside, {**at, letter: i if i < na else i - na})
            case ("call", name, made, args, where):
                if name in ("exp", "max") and not made:
                    values = [self._entry(a, at) for a in args]
                    return float(np.exp(values[0]) if name == "exp" else max(values))
                if name == "δ":
                    raise Unreadable("δ with round brackets")
                if len(args) > 1 and not made and where is None:  # a number of several rows
                    return float(self.functions[name](*(self._row(a, at) for a in args)))
                (arg,) = args
                value = np.asarray(self.functions[name](self._row(arg, at, made)))
                if not made and where is None:
                    return float(value)
                return float(value[at[made] if where is None else self._index(where[0], at)])
            case ("entry", a, index):  # of a matrix: (P A Pᵀ)[i, j]
                return float(self._matrix(a, at)[tuple(self._index(e, at) for e in index)])
            case ("name", "δ", (a, b)):
                return float(self._index(a, at) == self._index(b, at))
            case ("name", name, index):
                if not index and name in self.sizes:
                    return float(self.sizes[name])
                if not index and name in at:
                    return float(at[name])  # the index itself, as a number
                return float(self.arrays[name][tuple(self._index(e, at) for e in index)])
        raise Unreadable(f"{tree}")

    def _row(self, arg: Any, at: Mapping[str, int], made: str = "") -> Any:
        if arg[0] == "name" and not made and np.ndim(self.arrays.get(arg[1], 0)) == len(arg[2]) + 1:
            return self.arrays[arg[1]][tuple(self._index(e, at) for e in arg[2])]  # Q[i], a row
        letter, size = self._free(arg, at, made)
        return np.asarray([self._entry(arg, {**at, letter: j}) for j in range(size)])

    def _index(self, e: Any, at: Mapping[str, int]) -> int:
        match e:
            case ("call", "id", "", (a,), None):
                return self._index(a, at)
            case ("number", "1"):  # the only index of a point
                return 0
            case ("+", ("name", name, ()), a):  # n+1: in the second part of two
                return self.sizes[name] + self._index(a, at)
            case ("*", ("+", ("name", left, ()), ("name", right, ())), a):  # side by side
                return self.maps[f"{left}+{right}"][self._index(a, at)]
            case ("name", name, ()):
                return at[name] if name in at else self.maps[name]  # type: ignore[return-value]
            case ("call", name, "", (a,), None):
                return self.maps[name][self._index(a, at)]
            case ("inverse", name, a):
                return self.maps[name].index(self._index(a, at))
        raise Unreadable(f"index {e}")

    def _range(self, letter: str, tree: Any) -> int:
        """How far a bound letter runs: the axis of a tensor, or the map, that it stands in."""
        sizes = {n for name, n in self._places(tree) if name == letter}
        if len(sizes) != 1:
            raise Unreadable(f"{letter} ranges over {sizes}")
        return sizes.pop()

    def _free(self, tree: Any, at: Mapping[str, int], made: str = "") -> tuple[str, int]:
        """The one letter of a row that stands for no index around it, and how far it runs."""
        bound = {t[2] for t in _subtrees(tree) if t[0] == "big"}
        bound |= {t[2] for t in _subtrees(tree) if t[0] == "call" and t[2]}
        places = set(self._places(tree))
        found = {p for p in places if p[0] == made}
        found = found or {p for p in places if p[0] not in at and p[0] not in bound}
        if len(found) != 1:
            raise Unreadable(f"a row of {tree}: its letter may be any of {found}")
        return found.pop()

    def _places(self, tree: Any) -> Iterator[tuple[str, int]]:
        for t in _subtrees(tree):
            match t:
                case ("name", name, index) if index and name != "δ":
                    for e, n in zip(index, np.shape(self.arrays[name]), strict=False):
                        inner = e[3][0] if e[:2] == ("call", "id") else e
                        if inner[0] == "name" and inner[1] not in self.maps:
                            yield inner[1], n
                case ("call", name, "", (("name", letter, ()),), None) if name in self.maps:
                    if letter not in self.maps:
                        yield letter, len(self.maps[name])
                case ("inverse", name, ("name", letter, ())):
                    yield letter, len(self.maps[name])

    # -------------------------------------------------------------------------- matrices
    def _matrix(self, tree: Any, at: Mapping[str, int]) -> Any:
        match tree:
            case ("number", n):
                return float(n)
            case ("name", "I", ()):
                return "I"
            case ("name", name, ()):
                if name in self.matrices:
                    table = self.maps[self.matrices[name]]
                    return np.eye(len(table))[table]  # (P X)ᵢ = X_{σ(i)}
                return self.arrays[name] if name in self.arrays else float(self.sizes[name])
            case ("ᵀ", a):
                value = self._matrix(a, at)
                return value if isinstance(value, str) else np.transpose(value)
            case ("root", a):
                return np.sqrt(self._matrix(a, at))
            case ("neg", a):
                return -self._matrix(a, at)
            case ("*", ("number", "1"), ("ᵀ", b)) if np.ndim(self._matrix(b, at)) == 1:
                return self._matrix(b, at)[None, :]
            case ("*", a, ("ᵀ", ("number", "1"))) if np.ndim(self._matrix(a, at)) == 1:
                return self._matrix(a, at)[:, None]
            case ("*", a, b):
                return _times(self._matrix(a, at), self._matrix(b, at))
            case ("above", a, b):
                return np.concatenate([self._matrix(a, at), self._matrix(b, at)])
            case ("+" | "-" | "/" as op, a, b):
                x, y = self._matrix(a, at), self._matrix(b, at)
                x, y = (
                    np.eye(*np.shape(o)) if isinstance(m, str) else m for m, o in ((x, y), (y, x))
                )
                return _arithmetic(op, x, y)
            case ("name", name, index):
                return self.arrays[name][tuple(self._index(e, at) for e in index)]
            case ("big", "Σ", letter, body) if letter not in at:
                inner = range(self._range(letter, body))
                return sum(self._matrix(body, {**at, letter: j}) for j in inner)
            case ("call", name, "", (a, *others), None) if others:
                return self.functions[name](*(self._matrix(x, at) for x in (a, *others)))
            case ("call", name, "", (a,), None):
                value = self._matrix(a, at)
                return np.apply_along_axis(self.functions[name], -1, value)
        raise Unreadable(f"{tree}")


def _times(a: Any, b: Any) -> Any:
    if isinstance(a, str) or isinstance(b, str):
        return b if isinstance(a, str) else a
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return a * b
    if np.ndim(b) == 2 and b.shape[0] == 1 and a.shape[-1] != 1:  # 1 bᵀ has as many rows as needed
        b = np.broadcast_to(b, (a.shape[-1], b.shape[1]))
    return a @ b


def _arithmetic(op: str, a: Any, b: Any) -> Any:
    match op:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
    return a / b


def _subtrees(tree: Any) -> Iterator[Any]:
    if isinstance(tree, tuple):
        if tree and isinstance(tree[0], str):
            yield tree
        for t in tree:
            yield from _subtrees(t)


# ------------------------------------------------------------------------------- parsing
def _parsed(text: str) -> Any:
    tokens, at = [], 0
    while at < len(text.rstrip()):
        found = TOKEN.match(text, at)
        if not found:
            raise Unreadable(f"{text!r} at {at}")
        tokens.append(found[1])
        at = found.end()
    reader = _Reader(tokens)
    tree = reader.total()
    if reader.rest:
        raise Unreadable(f"{text!r}: {reader.rest} is left over")
    return tree


class _Reader:
    def __init__(self, tokens: list[str]) -> None:
        self.rest = tokens
        self.inside = False  # of | |

    def take(self, *wanted: str) -> str:
        if self.rest and (self.rest[0] in wanted or not wanted):
            return self.rest.pop(0)
        if wanted == ("",):
            return ""
        raise Unreadable(f"expected {wanted} before {self.rest}")

    def sees(self, *wanted: str) -> bool:
        return bool(self.rest) and self.rest[0] in wanted

    def total(self) -> Any:
        tree = self.term()
        while self.sees("+", "−"):
            op = "+" if self.take() == "+" else "-"
            tree = (op, tree, self.term())
        return tree

    def term(self) -> Any:
        if self.sees("−", "-"):
            self.take()
            return ("neg", self.quotient())
        return self.big() if self.is_big() else self.quotient()

    def is_big(self) -> bool:
        return bool(self.rest) and re.match(r"(Σ|Π|max|min)_", self.rest[0]) is not None

    def big(self) -> Any:
        kind, letter = self.take().split("_", 1)
        return ("big", kind, letter, self.big() if self.is_big() else self.quotient())

    def quotient(self) -> Any:
        tree = self.factor()
        ends = "+−-/)],;" + "|" * self.inside
        while self.rest and self.rest[0] not in ends and not self.is_big():
            tree = ("*", tree, self.factor())
        if self.sees("/"):
            self.take()
            tree = ("/", tree, self.factor())
        if self.rest and self.rest[0] not in ("+", "−", "-", ")", "]", ",", ";", "|"):
            raise Unreadable(f"{self.rest[0]} after a product or a quotient")
        return tree

    def factor(self) -> Any:
        tree = self.atom()
        while self.sees("ᵀ"):
            self.take()
            tree = ("ᵀ", tree)
        if self.sees(*POWERS):
            tree = ("power", tree, POWERS.index(self.take()) + 2)
        return tree

    def atom(self) -> Any:
        token = self.take()
        if token.isdigit():
            return ("number", token)
        if token == "(":
            tree = self.total()
            self.take(")")
            return ("entry", tree, self.indices()) if self.sees("[") else tree
        if token == "|":
            if self.inside:
                raise Unreadable("| within | |")
            self.inside = True
            tree = self.total()
            self.take("|")
            self.inside = False
            return ("size", tree)
        if token == "√":
            return ("root", self.atom())
        if token == "[":
            first = self.total()
            self.take(";")
            second = self.total()
            self.take("]")
            if not self.sees("["):
                return ("above", first, second)
            (where,) = self.indices()
            return ("cat", first, second, where)
        if not re.match(r"[^\W\d]", token):
            raise Unreadable(f"{token} where a formula starts")
        if self.sees("⁻¹"):
            self.take()
            self.take("(")
            tree = self.total()
            self.take(")")
            return ("inverse", token, tree)
        name, _, under = token.partition("_")
        if under.isdigit() or "^" in token:  # f_1 and f_2 are two functions, and so is f^(L_E)
            name, under = token, ""
        applied = len(name.partition("_")[0]) > 1 or name[0] in "fgwφF"
        if self.sees("(") and (token in MAPS or (applied and not under[:1].isupper())):
            self.take()
            args = [self.total()]
            while self.sees(","):
                self.take()
                args.append(self.total())
            self.take(")")
            return ("call", name, under, tuple(args), self.indices() if self.sees("[") else None)
        return ("name", token, self.indices() if self.sees("[") else ())

    def indices(self) -> tuple[Any, ...]:
        self.take("[")
        found = [self.total()]
        while self.sees(","):
            self.take()
            found.append(self.total())
        self.take("]")
        return tuple(found)
