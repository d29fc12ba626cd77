"""Whether any weights tell two prompts apart: colour refinement of their tokens, exactly.

The type T₀(i) of token i is its word with the row added at its place; T_{l+1}(i) is T_l(i) with,
for each head, the share of each type among the tokens that i attends to, by weights exp B. Some
weights of L layers with skips tell two tokens apart iff T_L does (attention_is_colour_refinement).

A share is a quotient of sums of powers of e; those of distinct rational exponents are independent
(Lindemann and Weierstrass), so cross products are compared term by term. Relative keys are free
biases, as generic numbers; under rotations each type at each offset has a weight of its own.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import mpmath

from orderproof.symbolic.counting import PEOPLE
from orderproof.symbolic.schemes.symmetries import entry

from .bias_matrices import Position, position
from .exact_matrix import Exact, MatrixError

PRIME = 2**61 - 1
Token = tuple[int, int]  # of a prompt, at a place
Seen = dict[tuple[int, int], Counter[int]]  # by type (and offset), how often each exponent is seen


@dataclass
class Refinement:
    """Two prompts under the position terms of each head, −∞ where i does not attend to j, and what
    is added at each place, if anything: the types of all tokens, depth by depth. `kind` is that of
    `Position`; `fixed` says that entries are numbers, not free ones."""

    prompts: Sequence[Sequence[str]]
    heads: Sequence[Exact]
    added: Sequence[Hashable] = ()
    kind: str = "B"
    fixed: bool = True

    def __post_init__(self) -> None:
        self.tokens = [(k, i) for k, words in enumerate(self.prompts) for i in range(len(words))]
        self.rows = {(k, i): self._attended(i, len(self.prompts[k])) for k, i in self.tokens}
        self.rounds: list[dict[Token, int]] = []

    def _attended(self, i: int, m: int) -> list[dict[int, int]]:
        """For each head the exponent at each of the first m tokens that token i attends to, from
        the least on: a factor that a row has in common changes no share."""
        found = []
        for k, head in enumerate(self.heads):
            ids = enumerate(head.ids[i, :m].tolist())
            row = {j: v for j, at in ids if (v := head.values[at]) is not None}
            if not row:
                of = f"head {PEOPLE(k)}: " if len(self.heads) > 1 else ""
                raise MatrixError(f"{of}token {PEOPLE(i)} of {m} attends to none")
            least = 0 if self.kind == "R" else min(row.values())
            found.append({j: v - least for j, v in row.items()})
        return found or [dict.fromkeys(range(m), 0)]

    def seen(self, t: Token, head: int, types: dict[Token, int]) -> Seen:
        """What a token attends to; where that is all of one type, offsets make no difference."""
        row = {j: (types[t[0], j], e) for j, e in self.rows[t][head].items()}
        by_offset = self.kind == "R" and len({kind for kind, _ in row.values()}) > 1
        found: Seen = {}
        for (kind, e), k in Counter(row.values()).items():
            found.setdefault((kind, e if by_offset else 0), Counter())[0 if by_offset else e] += k
        return found

    def refine(self) -> Iterator[dict[Token, int]]:
        """The types at depth 0, 1, …, as long as a layer tells more apart."""
        added = self.added or (None,) * max(map(len, self.prompts))
        now: dict[Token, int] = {}
        number: dict[Hashable, int] = {}
        for k, i in self.tokens:
            now[k, i] = number.setdefault((self.prompts[k][i], added[i]), len(number))
        while not self.rounds or len({*now.values()}) > len({*self.rounds[-1].values()}):
            self.rounds.append(now)
            yield now
            now, count = {}, 0
            classes: dict[Hashable, list[tuple[list[Seen], int]]] = {}
            for t, own in self.rounds[-1].items():
                found = [self.seen(t, h, self.rounds[-1]) for h in range(len(self.rows[t]))]
                alike = classes.setdefault((own, *map(_residues, found)), [])
                known = (c for s, c in alike if all(map(equal_shares, s, found)))
                now[t] = next(known, count)
                if now[t] == count:
                    alike.append((found, count))
                    count += 1

    def tell_apart(self, read: str) -> tuple[int | None, list[dict[str, Any]]]:
        """The least depth that tells the two prompts apart (None: none does), by their last tokens
        or "pooled", by the shares of types; and why, down to words or rows that differ."""
        last = [(k, len(words) - 1) for k, words in enumerate(self.prompts)]
        for depth, now in enumerate(self.refine()):
            if read == "last" and now[last[0]] != now[last[1]]:
                return depth, self._chain(depth, last)
            a, b = (Counter(c for (k, _), c in now.items() if k == of) for of in (0, 1))
            gain = {c: Fraction(a[c], a.total()) - Fraction(b[c], b.total()) for c in a | b}
            if read == "pooled" and any(gain.values()):
                kind = max(gain, key=lambda c: (gain[c], -c))
                of_kind = [[t for t in now if now[t] == kind and t[0] == of] for of in (0, 1)]
                shares = [str(Fraction(x[kind], x.total())) for x in (a, b)]
                first = self._link(depth, None, of_kind, shares=shares)
                if not depth:
                    return depth, [first]
                return depth, [first, *self._chain(depth, self._pair(depth, kind, self.tokens))]
        return None, []

    def _pair(self, depth: int, kind: int, among: Sequence[Token]) -> list[Token]:
        """The first token of this type, and one that was equal to it a layer before."""
        now, before = self.rounds[depth], self.rounds[depth - 1]
        seen = next(t for t in among if now[t] == kind)
        return [seen, next(t for t in among if now[t] != kind and before[t] == before[seen])]

    def _chain(self, depth: int, pair: list[Token]) -> list[dict[str, Any]]:
        """For two tokens that first differ at a depth, a type that they see with different shares;
        the same of a token of it and one equal to that a layer before; down to words or rows."""
        found = []
        for layer in range(depth, 0, -1):
            types = self.rounds[layer - 1]
            both = [[self.seen(t, h, types) for t in pair] for h in range(len(self.rows[pair[0]]))]
            head, (a, b) = next((h, s) for h, s in enumerate(both) if not equal_shares(*s))
            ours, theirs = ({kind for kind, _ in s} for s in (a, b))
            differ = {at[0] for at in (*a, *b) if not _same_share(a, b, at)}
            kind = min(differ, key=lambda c: (c in theirs, c not in ours, c))
            attended = [[(t[0], j) for j in self.rows[t][head]] for t in pair]
            of_kind = [[t for t in row if types[t] == kind] for row in attended]
            shares = None
            if self.kind == "B" and self.fixed:
                scale = self.heads[head].scale if self.heads else 1
                sums = [(s.get((kind, 0), Counter[int]()), _total(s)) for s in (a, b)]
                shares = _shown(sums, scale)
            found.append(self._link(layer, pair, of_kind, head, shares))
            pair = self._pair(layer - 1, kind, [*attended[0], *attended[1]]) if layer > 1 else pair
        return found or [self._link(0, pair, [[], []])]

    def _link(
        self, depth: int, pair: Sequence[Token] | None, seen: Sequence[Sequence[Token]],
        head: int | None = None, shares: Sequence[str] | None = None,
    ) -> dict[str, Any]:  # fmt: skip
        """A link of the chain as JSON has it: two tokens, and where each sees the type."""
        first = next(itertools.chain(*seen), None)
        return {
            "depth": depth,
            "tokens": pair and [self._named(t) for t in pair],
            "head": head,
            "seen": first and self._named(first),
            "shares": shares,
            "places": [[i for _, i in places] for places in seen],
        }

    def _named(self, t: Token) -> dict[str, Any]:
        return {"prompt": t[0], "token": t[1], "word": self.prompts[t[0]][t[1]]}


def of_scheme(found: Position, prompts: Sequence[Sequence[str]]) -> Refinement:
    """Prompts under a scheme at the length of the longest. Raises MatrixError where it is not
    defined at a length, or another one at each length."""
    name, longest = found.scheme.name, len(found.spots)
    for m in {len(words) for words in prompts} - {longest}:
        if _said(position(name, m, **found.options), m) != _said(found, m):
            raise MatrixError(
                f"{name}: given prompts of {m} and {longest} tokens, expected equally many, as "
                "what it adds depends on the number of tokens"
            )
    head, kind = found.head, found.scheme.tensor or "B"
    fixed = found.scheme.pair is None or found.scheme.value is not None
    return Refinement(prompts, () if head is None else (head,), found.table, kind, fixed)


def _said(found: Position, m: int) -> list[object]:
    """What the scheme says of the first m tokens."""
    spots, frame = found.spots[:m], found.scheme.frame(len(found.spots))
    return [entry(found.scheme, i, j, frame) for i in spots for j in spots]


# ------------------------------------------------------------------------------- exact shares
@cache
def _power(exponent: int) -> int:
    return pow(3, exponent % (PRIME - 1), PRIME)


def _residues(seen: Seen) -> Hashable:
    """The shares with 3 in place of e, modulo a prime: equal shares have equal residues."""
    sums = {c: sum(k * _power(e) for e, k in s.items()) for c, s in seen.items()}
    inverse = pow(sum(sums.values()), -1, PRIME)  # where the sum is 0 an error, and no answer
    return frozenset((c, x * inverse % PRIME) for c, x in sums.items())


def equal_shares(a: Seen, b: Seen) -> bool:
    """Whether each type's share is the same in both, as quotients of formal sums."""
    return a.keys() == b.keys() and (a == b or len(a) == 1 or all(_same_share(a, b, c) for c in a))


def _same_share(a: Seen, b: Seen, c: tuple[int, int]) -> bool:
    left, right, none = Counter[int](), Counter[int](), Counter[int]()
    for found, part, whole in (
        (left, a.get(c, none), _total(b)),
        (right, b.get(c, none), _total(a)),
    ):
        for (x, m), (y, k) in itertools.product(part.items(), whole.items()):
            found[x + y] += m * k
    return left == right


def _total(seen: Seen) -> Counter[int]:
    return sum(seen.values(), Counter[int]())


def _shown(sums: Sequence[tuple[Counter[int], Counter[int]]], scale: int) -> list[str] | None:
    """Two shares as fractions, or with 6, 12 or 24 digits, as many as part them."""
    if all(len(every) == 1 for _, every in sums):
        return [str(Fraction(part.total(), every.total())) for part, every in sums]
    with mpmath.workdps(34):
        weights = [[mpmath.fsum(k * mpmath.exp(mpmath.mpf(e) / scale) for e, k in s.items())
                    for s in share] for share in sums]  # fmt: skip
        shown = [[mpmath.nstr(part / every, digits) if part else "0" for part, every in weights]
                 for digits in (6, 12, 24)]  # fmt: skip
    return next((shares for shares in shown if shares[0] != shares[1]), None)
