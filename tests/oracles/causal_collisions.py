"""Sequences of two letters that two causal layers cannot tell apart at the last token: none known.

The first layer can tell the token at t its letter and the share of each letter among the first t.
The last token of the second can then know its own type and how often each type occurs, and no
more, whatever the weights (`attention_is_colour_refinement`). Two sequences of one length collide
where these agree; one more letter behind both, and they collide still. That none do, at any length,
is a conjecture; `collisions` decides it for one length, and so for all below it, by going through
all sequences.

Each type has a random number of 64 bits, and a sequence the sum of those of its types. Different
sums are of different multisets, and sequences of equal sums are compared type by type: the answer
does not rest on chance.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator
from fractions import Fraction

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.uint64]
TypeOf = Callable[[int, int, int], Hashable]
LETTERS = "ab"
LONGEST = (
    32  # those with n/2 letters b are held in memory twice: C(32, 16) sums of 8 bytes are 5 GB
)


def first_layer(letter: int, count: int, t: int) -> Hashable:
    """The type T_1 of token t, counted from 1: its letter, and the share of b, of which there are
    `count` among the first t."""
    return letter, Fraction(count, t)


def collisions(n: int, type_of: TypeOf = first_layer) -> list[tuple[str, ...]]:
    """All sets of two or more sequences of n letters that two causal layers cannot tell apart at
    the last token, up to the exchange of the two letters; ValueError unless 1 <= n <= 32. The types
    must tell how many letters b there are, and be exchanged with the letters."""
    if not 1 <= n <= LONGEST:
        raise ValueError(f"given length {n}, expected 1 to {LONGEST}")
    random = np.random.default_rng(0)
    number: dict[Hashable, np.uint64] = {}
    for t in range(1, n + 1):
        for count in range(t + 1):
            for letter in (0, 1):
                number.setdefault(
                    type_of(letter, count, t), random.integers(2**64, dtype=np.uint64)
                )
    halves = Halves(n, lambda letter, count, t: number[type_of(letter, count, t)])
    found = []
    for total in range(n // 2 + 1):
        sums = np.concatenate([block.ravel() for _, block in halves.sums(total)])
        sums.sort()
        again = np.unique(sums[1:][sums[1:] == sums[:-1]])
        if again.size:
            found += _compared(halves.words(total, again), type_of)
    return found


def types(word: str, type_of: TypeOf = first_layer) -> list[Hashable]:
    """The types T_1 of the tokens of a word, first to last."""
    bits = [LETTERS.index(letter) for letter in word]
    return [type_of(x, sum(bits[:t]), t) for t, x in enumerate(bits, 1)]


def _compared(words: list[str], type_of: TypeOf) -> list[tuple[str, ...]]:
    """The words that agree in the multiset of their types and in the last, in sets."""
    alike = defaultdict(list)
    for word in words:
        known = types(word, type_of)
        alike[frozenset(Counter(known).items()), known[-1]].append(word)
    return sorted(tuple(sorted(same)) for same in alike.values() if len(same) > 1)


class Halves:
    """All sequences of n letters, as first halves and second halves that go on from the number of
    letters b so far: each a sum of the numbers of its types, modulo 2^64."""

    def __init__(self, n: int, number: Callable[[int, int, int], np.uint64]) -> None:
        self.n, self.middle = n, n // 2
        self.number = number
        first, words = self._ways(0, 0, self.middle)
        self.first, self.first_words = first, words
        self.second = {k: self._ways(k, self.middle, n) for k in first}

    def _ways(self, count: int, start: int, end: int) -> tuple[dict[int, Codes], dict[int, Codes]]:
        """From `count` letters b among the first `start` on: the sums of all ways to go on to
        `end`, by the letters b there, and the ways themselves as bits."""
        sums = {count: np.zeros(1, np.uint64)}
        words = {count: np.zeros(1, np.uint64)}
        for t in range(start + 1, end + 1):
            counts = range(count, count + t - start + 1)
            steps = {c: [(c - x, x) for x in (0, 1) if c - x in sums] for c in counts}
            sums, words = (
                {
                    c: np.concatenate([sums[b] + self.number(x, c, t) for b, x in steps[c]])
                    for c in counts
                },
                {
                    c: np.concatenate([2 * words[b] + np.uint64(x) for b, x in steps[c]])
                    for c in counts
                },
            )
        return sums, words

    def sums(self, total: int) -> Iterator[tuple[int, Codes]]:
        """The sums of all sequences with so many letters b, by those in the first half."""
        for k, first in self.first.items():
            if total in self.second[k][0]:
                yield k, np.add.outer(first, self.second[k][0][total])

    def words(self, total: int, wanted: Codes) -> list[str]:
        """The sequences with so many letters b whose sum is one of those wanted."""
        found = []
        for k, block in self.sums(total):
            rows, columns = np.nonzero(np.isin(block, wanted))
            ends = self.second[k][1][total]
            for i, j in zip(rows, columns, strict=True):
                code = (int(self.first_words[k][i]) << (self.n - self.middle)) | int(ends[j])
                found.append("".join(LETTERS[int(x)] for x in f"{code:0{self.n}b}"))
        return found
