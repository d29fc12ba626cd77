"""One convention for counting: what people read counts from 1, JSON counts from 0.

Tokens, places, rows, columns, features, heads and layers have an index from 0 in the program, in
JSON and in the Python functions; `PEOPLE` gives the number that is printed. Standard library alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Counting:
    """The number of the first; called with an index, it gives the number that is written."""

    first: int

    def __call__(self, index: int) -> int:
        return index + self.first

    def images(self, sigma: Sequence[int]) -> list[int]:
        """σ as the list of its images: of the swap of two [2, 1] for people, [1, 0] in JSON."""
        return [self(k) for k in sigma]

    def __str__(self) -> str:
        return f"counted from {self.first}"


JSON, PEOPLE = Counting(0), Counting(1)
Said = Callable[[Counting], str]  # a sentence that names indices, in either counting


def for_people(text: str, sigma: Sequence[int] | None, note: str = "") -> str:
    """A sentence of JSON that names no index but in "σ = [1, 0]": with σ counted from 1, and with
    a note after it."""
    if sigma is None:
        return text
    theirs, ours = (f"σ = {c.images(sigma)}" for c in (JSON, PEOPLE))
    return text.replace(theirs, ours + note)


def indices(given: Sequence[int], n: int) -> tuple[int, ...] | None:
    """A permutation that a person gives, of 1, …, n or of 0, …, n − 1, by its indices. The two
    cannot be confused, for only one of them has a 0; None for anything else."""
    for first in (1, 0) if len(given) == n else ():
        if sorted(given) == [*range(first, n + first)]:
            return tuple(k - first for k in given)
    return None


def count(number: int, what: str) -> str:
    """So many of a thing."""
    return f"{number} {what}" + ("" if number == 1 else "s")


def joined(each: Sequence[str]) -> str:
    """Words as a list: "a, b and c"."""
    return " and ".join([", ".join(each[:-1]), each[-1]] if len(each) > 1 else each)


def cycles(sigma: Sequence[int]) -> list[tuple[int, ...]]:
    """The cycles of length over 1, by indices, each from its least."""
    seen: set[int] = set()
    found = []
    for start in range(len(sigma)):
        cycle = []
        k = start
        while k not in seen:
            seen.add(k)
            cycle.append(k)
            k = sigma[k]
        if len(cycle) > 1:
            found.append(tuple(cycle))
    return found


def cycle_text(sigma: Sequence[int], *, short: bool = False) -> str:
    """A permutation as a product of cycles, tokens counted from 1; perhaps shortened."""

    def one(cycle: Sequence[int]) -> str:
        tokens = [str(PEOPLE(t)) for t in cycle]
        whole = not short or len(tokens) <= 8
        return f"({' '.join(tokens if whole else [*tokens[:4], '…', tokens[-1]])})"

    found = cycles(sigma)
    most = 4 if short else len(found)
    more = f"…({len(found)} cycles)" if len(found) > most else ""
    return "".join(map(one, found[:most])) + more or "the identity"


def runs(numbers: Iterable[int]) -> list[list[int]]:
    """The first and the last of each run of consecutive numbers: of 1, 3, 4, 5 [1, 1], [3, 5]."""
    found: list[list[int]] = []
    for k in numbers:
        if found and k == found[-1][1] + 1:
            found[-1][1] = k
        else:
            found.append([k, k])
    return found


def token_text(tokens: Sequence[int]) -> str:
    """Tokens as ranges, counted from 1: "tokens 1-6, 8"."""
    found = runs(map(PEOPLE, tokens))
    parts = [str(a) if a == b else f"{a}-{b}" if b > a + 1 else f"{a}, {b}" for a, b in found]
    more = ", …" if len(parts) > 6 else ""
    return ("tokens " if len(tokens) > 1 else "token ") + ", ".join(parts[:6]) + more
