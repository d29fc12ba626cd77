"""Types of tokens: what the weights of an architecture can tell of a token at all, at every depth.

T₀(i) is the token i with the row that is added at its place, and

    T_{l+1}(i) = (T_l(i), for each head the share of each type among the tokens that i attends to),

where the share of a type c at i is Σ_{j: T_l(j) = c} G[i, j] / Σ_j G[i, j] for weights G = exp B, 0
under a mask. Of all weights, widths and row-wise maps of L layers with skips, some tell two tokens
apart, in one input or in two, if and only if their T_L differ (attention_is_colour_refinement): the
bound of Weisfeiler and Leman for graph networks (Xu et al. 2019), for attention.

Shares are compared exactly. Entries of B are rational, and powers of e with distinct rational
exponents are linearly independent over the rationals (Lindemann and Weierstrass), so that a share
is a quotient of formal sums of powers: two are equal where their cross products are, term by term.
To map e to a number z modulo a prime keeps sums and products, so residues that differ prove that
shares do; where residues agree, the formal sums are compared. A slope that is algebraic and not 0
changes nothing, and so no number of heads with slopes of their own does.

Kinds of position terms ("free" numbers are weights of the model, and any values are meant):

- "B", a bias: as above. Free entries stand for numbers whose differences are all distinct, and
  products of two of their powers then agree only as products of free symbols do.
- "A", relative keys: the score has q(i)·a for the vector a of the pair. With equal queries this is
  a free bias for each vector; nothing else of the pair enters.
- "R", rotations: the pair's offset enters together with key and query, so that each type at each
  offset has a free symbol of its own. The symbols of all types are independent in rotary scores of
  frequency 1: u ↦ exp(Re(u e^{io})) are linearly independent functions for distinct integers o, and
  so are products of two, as e^{io} + e^{io'} has no other such parts. Shares are therefore equal
  where one type is all that is seen, or where the counts of (type, offset) are proportional.

This is a third way to the groups of symmetry.py, and shares nothing with the other two but the
definitions of schemes and the reading of files.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from orderproof.symbolic.counting import PEOPLE

from .bias_matrices import Position
from .exact_matrix import LARGEST, Exact, MatrixError

Integers = NDArray[np.int64]
Sum = dict[int, int]  # a formal sum of powers: how often each exponent occurs
Multiset = dict[int, Sum]  # for each type, the sum of the powers at which it is seen

PRIME = 2**26 - 5  # LARGEST products of two residues still fit into 64 bits
LOOKS = 2  # residues, at independent points, of each share
LONGEST = 2**13  # exponents apart that are multiplied as lists of coefficients
HIDDEN = -1


@dataclass(frozen=True)
class Terms:
    """The position terms of a layer for up to n tokens: an entry of each head for tokens i and j,
    −∞ where i does not attend to j, and what is added at each place, if anything. Fewer tokens use
    the first rows and columns. Of `kind` see above; `fixed` says that entries are not free, and
    `regime` what a person is told of the parameters."""

    heads: tuple[Exact, ...]
    rows: tuple[Hashable, ...] = ()
    kind: str = "B"
    fixed: bool = True
    regime: str = ""

    @property
    def n(self) -> int:
        """The largest number of tokens."""
        return self.heads[0].n


def of_scheme(found: Position) -> Terms:
    """The terms of a named scheme."""
    if found.head is None:
        return replace(of_table(found.rows), regime=found.regime)
    fixed = found.scheme.pair is None or found.scheme.value is not None
    return Terms((found.head,), found.rows, found.kind, fixed, found.regime)


def of_table(rows: Sequence[Hashable]) -> Terms:
    """The terms of rows that are added, and of nothing else."""
    n = len(rows)
    return Terms((Exact(np.zeros((n, n), dtype=np.int64), (0,)),), tuple(rows))


@dataclass(frozen=True)
class Types:
    """The types of inputs: `rounds[l][k][i]` is T_l of token i of input k; equal numbers are equal
    types. From depth `stable` on no further layer tells more apart; None where the rounds ended
    before that was seen."""

    terms: Terms
    rounds: tuple[tuple[Integers, ...], ...]
    stable: int | None

    def at(self, depth: int) -> tuple[Integers, ...]:
        """T_depth of every token of every input. Raises ValueError beyond the rounds where they
        ended early."""
        if self.stable is None and depth >= len(self.rounds):
            raise ValueError(f"types: given depth {depth}, expected at most {len(self.rounds) - 1}")
        return self.rounds[min(depth, len(self.rounds) - 1)]


def refine(terms: Terms, inputs: Sequence[Sequence[Hashable]], depth: int | None = None) -> Types:
    """The types of all tokens of these inputs up to a depth (None: until they are stable). Raises
    MatrixError for an input that is empty or too long, or a token that attends to none."""
    if terms.n > LARGEST:
        raise MatrixError(f"types: given {terms.n} tokens, expected at most {LARGEST}")
    for k, tokens in enumerate(inputs):
        if not 1 <= len(tokens) <= terms.n:
            raise MatrixError(
                f"input {PEOPLE(k)}: given {len(tokens)} tokens, expected from 1 to {terms.n}"
            )
    lengths = list(dict.fromkeys(map(len, inputs)))
    heads = [_Head(terms, h, lengths) for h in range(len(terms.heads))]
    of_length = [[k for k, tokens in enumerate(inputs) if len(tokens) == m] for m in lengths]
    first = _first(terms, inputs)
    now = tuple(np.stack([first[k] for k in of_m]) for of_m in of_length)
    rounds, stable = [now], None
    while depth is None or len(rounds) <= depth:
        after = _refined(heads, now)
        if _count(after) == _count(now):
            stable = len(rounds) - 1
            break
        rounds.append(after)
        now = after
    place = {k: (m, row) for m, of_m in enumerate(of_length) for row, k in enumerate(of_m)}
    each = [place[k] for k in range(len(inputs))]
    return Types(terms, tuple(tuple(found[m][row] for m, row in each) for found in rounds), stable)


def _first(terms: Terms, inputs: Sequence[Sequence[Hashable]]) -> list[Integers]:
    number: dict[Hashable, int] = {}
    rows = terms.rows or (None,) * terms.n
    return [
        np.array([number.setdefault((t, rows[i]), len(number)) for i, t in enumerate(tokens)])
        for tokens in inputs
    ]


def _flat(now: Sequence[Integers]) -> Integers:
    return np.concatenate([types.reshape(-1) for types in now])


def _count(now: Sequence[Integers]) -> int:
    return len(np.unique(_flat(now)))


# ----------------------------------------------------------------------------- position terms
class _Head:
    """A head for inputs of some lengths: for each row the columns that are not masked, first, and
    the numbers of their exponents, HIDDEN where a row has fewer. The exponents of a bias count from
    the least of their row, as a factor that is common to a row changes no share."""

    def __init__(self, terms: Terms, h: int, lengths: Sequence[int]) -> None:
        self.kind = terms.kind
        number: dict[int, int] = {}
        of = f"head {PEOPLE(h)}: " if len(terms.heads) > 1 else ""
        whole = {m: _numbered(terms.heads[h], m, terms.kind, number, of) for m in lengths}
        self.exponents = list(number)
        self.width = max(int((e != HIDDEN).sum(axis=1).max()) for e in whole.values())
        self.columns: dict[int, Integers] = {}
        self.entries: dict[int, Integers] = {}
        for m, e in whole.items():
            self.columns[m] = np.argsort(e == HIDDEN, axis=1, kind="stable")[:, : self.width]
            self.entries[m] = np.take_along_axis(e, self.columns[m], axis=1)
        self.residues: list[dict[int, Integers]] = []  # of a bias, by look and length
        z = 2
        while terms.kind != "R" and len(self.residues) < LOOKS:
            z += 1
            powers = np.array([pow(z, e % (PRIME - 1), PRIME) for e in number], dtype=np.int64)
            made = {m: np.where(e == HIDDEN, 0, powers[e]) for m, e in self.entries.items()}
            if all((rows.sum(axis=1) % PRIME).all() for rows in made.values()):
                self.residues.append(made)

    def looks(self, now: Sequence[Integers], rng: np.random.Generator) -> Integers:
        """Residues of functions of the shares, one line for each token: equal shares have equal
        lines. The types are given as an array for each length, a row for each input."""
        count = 1 + max(int(types.max()) for types in now)
        found: list[Integers] = []
        while len(found) < LOOKS:
            values = rng.integers(1, PRIME, count)
            symbols = rng.integers(1, PRIME, (count, len(self.exponents)))
            made = [self._sums(types, values, symbols, len(found)) for types in now]
            if all(total.all() for _, total in made):
                found.append(_flat([seen * _inverse(total) % PRIME for seen, total in made]))
        return np.column_stack(found)

    def _sums(
        self, types: Integers, values: Integers, symbols: Integers, look: int
    ) -> tuple[Integers, Integers]:
        """For each token the sum of weights times values of types, and that of weights."""
        m = types.shape[1]
        attended = types[:, self.columns[m]]
        if self.kind == "R":
            entries = self.entries[m]
            weights = np.where(entries == HIDDEN, 0, symbols[attended, entries])
        else:
            weights = self.residues[look][m]
        sums = (weights * values[attended]).sum(axis=2), weights.sum(axis=-1)
        return sums[0] % PRIME, sums[1] % PRIME

    def seen(self, now: Sequence[Integers], tokens: Integers) -> Integers:
        """What these tokens attend to, as sorted codes of a type and an exponent, HIDDEN in front:
        equal lines are equal multisets. `tokens` count through all inputs, and increase."""
        parts, start = [], 0
        for types in now:
            m = types.shape[1]
            here = tokens[(tokens >= start) & (tokens < start + types.size)] - start
            columns, entries = self.columns[m][here % m], self.entries[m][here % m]
            codes = types[(here // m)[:, None], columns] * len(self.exponents) + entries
            lines = np.full((len(here), self.width), HIDDEN, dtype=np.int64)
            lines[:, self.width - columns.shape[1] :] = np.where(entries == HIDDEN, HIDDEN, codes)
            parts.append(np.sort(lines, axis=1))
            start += types.size
        return np.concatenate(parts)

    def multiset(self, line: Integers) -> Multiset:
        """A line of codes as formal sums."""
        codes, counts = np.unique(line[line != HIDDEN], return_counts=True)
        found: Multiset = {}
        for code, many in zip(codes.tolist(), counts.tolist(), strict=True):
            kind, at = divmod(code, len(self.exponents))
            found.setdefault(kind, {})[self.exponents[at]] = many
        return found


def _numbered(head: Exact, m: int, kind: str, number: dict[int, int], of: str) -> Integers:
    """The numbers of the exponents of m×m entries. Raises MatrixError for a row that is hidden."""
    ids, values = head.ids[:m, :m], head.values
    hidden = np.array([v is None for v in values])[ids]
    for i in np.flatnonzero(hidden.all(axis=1)):
        raise MatrixError(f"{of}token {PEOPLE(int(i))} of {m} attends to none")
    least = np.where(hidden, len(values), ids).min(axis=1, keepdims=True)
    codes, inverse = np.unique(least * len(values) + ids, return_inverse=True)
    made = []
    for a, b in (divmod(code, len(values)) for code in codes.tolist()):
        low, value = values[a], values[b]
        if low is None or value is None:
            made.append(HIDDEN)
        else:
            made.append(number.setdefault(value - (0 if kind == "R" else low), len(number)))
    return np.asarray(np.array(made, dtype=np.int64)[inverse.reshape(ids.shape)])


def _inverse(residues: Integers) -> Integers:
    """x to the power PRIME − 2, which is 1/x."""
    result, square, power = np.ones_like(residues), residues, PRIME - 2
    while power:
        if power & 1:
            result = result * square % PRIME
        square = square * square % PRIME
        power >>= 1
    return result


# ------------------------------------------------------------------------------ one more layer
def _refined(heads: Sequence[_Head], now: tuple[Integers, ...]) -> tuple[Integers, ...]:
    """The types after one more layer."""
    rng = np.random.default_rng(0)
    keys = np.column_stack([_flat(now), *(head.looks(now, rng) for head in heads)])
    guess = np.unique(keys, axis=0, return_inverse=True)[1].reshape(-1)
    classes = _by_first(_confirmed(heads, now, guess))
    parts = np.split(classes, np.cumsum([types.size for types in now])[:-1])
    return tuple(p.reshape(types.shape) for p, types in zip(parts, now, strict=True))


def _by_first(classes: Integers) -> Integers:
    """The same classes, numbered in the order in which they first occur."""
    _, first, inverse = np.unique(classes, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return np.asarray(rank[inverse.reshape(-1)], dtype=np.int64)


def _confirmed(heads: Sequence[_Head], now: tuple[Integers, ...], guess: Integers) -> Integers:
    """The classes of equal residues, parted where the shares themselves differ."""
    sizes = np.bincount(guess)
    many = np.flatnonzero(sizes[guess] > 1)
    if not len(many):
        return guess
    first = np.unique(guess, return_index=True)[1][guess]  # the first token of each class
    seen = [head.seen(now, many) for head in heads]
    at = np.empty(len(guess), dtype=np.int64)
    at[many] = np.arange(len(many))
    same = np.all([(s == s[at[first[many]]]).all(axis=1) for s in seen], axis=0)

    def equal(a: int, b: int) -> bool:
        pairs = (
            (h, h.multiset(s[at[a]]), h.multiset(s[at[b]]))
            for h, s in zip(heads, seen, strict=True)
        )
        return all(equal_shares(x, y, h.kind) for h, x, y in pairs)

    classes, fresh = guess.copy(), len(sizes)
    leaders: dict[int, list[int]] = {}  # of a class: tokens whose shares differ
    alike: dict[tuple[int, bytes], int] = {}  # a token of this class and with these lines
    for token in many[~same].tolist():
        known = leaders.setdefault(int(guess[token]), [int(first[token])])
        lines = int(guess[token]), b"".join(s[at[token]].tobytes() for s in seen)
        if lines not in alike:
            leader = next((other for other in known if equal(other, token)), None)
            if leader is None:
                known.append(token)
                classes[token] = fresh
                fresh += 1
            else:
                classes[token] = classes[leader]
            alike[lines] = token
        classes[token] = classes[alike[lines]]
    return classes


# ------------------------------------------------------------------------------- exact shares
def equal_shares(a: Multiset, b: Multiset, kind: str = "B") -> bool:
    """Whether each type's share is the same in both, as quotients of formal sums."""
    if a.keys() != b.keys():
        return False
    if len(a) == 1 or _proportional(a, b):
        return True
    if kind == "R":
        return False
    all_a, all_b = total(a), total(b)
    return all(product(a[c], all_b) == product(b[c], all_a) for c in a)


def _proportional(a: Multiset, b: Multiset) -> bool:
    if any(a[c].keys() != b[c].keys() for c in a):
        return False
    pairs = [(a[c][e], b[c][e]) for c in a for e in a[c]]
    m, k = pairs[0]
    return all(x * k == y * m for x, y in pairs)


def total(a: Multiset) -> Sum:
    """The sum over all types."""
    found: Counter[int] = Counter()
    for part in a.values():
        found.update(part)
    return dict(found)


def product(a: Sum, b: Sum) -> Sum:
    """The product of two formal sums of powers; the coefficients are positive."""
    low, lowest = min(a), min(b)
    step = math.gcd(*(e - low for e in a), *(e - lowest for e in b)) or 1
    if (max(a) - low + max(b) - lowest) // step <= LONGEST:
        dense = np.convolve(_coefficients(a, low, step), _coefficients(b, lowest, step))
        at = np.flatnonzero(dense).tolist()
        return {low + lowest + k * step: int(dense[k]) for k in at}
    found: Counter[int] = Counter()
    for x, m in a.items():
        for y, k in b.items():
            found[x + y] += m * k
    return dict(found)


def _coefficients(a: Sum, low: int, step: int) -> Integers:
    found = np.zeros((max(a) - low) // step + 1, dtype=np.int64)
    for e, m in a.items():
        found[(e - low) // step] = m
    return found


# ------------------------------------------------------------------------ groups, from types
def layer_keeps(terms: Terms, sigmas: Sequence[Sequence[int]]) -> list[bool]:
    """Whether one layer commutes with each σ, for all weights: on tokens that all differ, token i
    of P X has the type that token σ(i) has on X."""
    n = terms.n
    identity, *moved = refine(terms, [range(n), *sigmas], 1).at(1)
    return [
        bool((types == identity[np.asarray(s)]).all())
        for s, types in zip(sigmas, moved, strict=True)
    ]


def context_keeps(terms: Terms, sigmas: Sequence[Sequence[int]], depth: int) -> list[list[bool]]:
    """Whether each σ fixes the last token and, for all weights, its output after 1, …, depth layers
    with skips: on tokens that all differ its type is kept. By depth, then by σ."""
    found = refine(terms, [range(terms.n), *sigmas], depth)
    return [
        [int(types[-1]) == int(identity[-1]) and s[-1] == terms.n - 1
         for s, types in zip(sigmas, moved, strict=True)]
        for identity, *moved in map(found.at, range(1, depth + 1))
    ]  # fmt: skip
