"""Whether any weights tell two prompts apart, from which depth on, and by which types.

A prompt is a sequence of words. At the last token two prompts are told apart at the least depth l
at which their last tokens differ in T_l (types.py); pooled by a mean over the tokens, at the least
at which the share of some type among all tokens differs.

Why is a chain. Two tokens whose types first differ at depth l ≥ 1 attend to some type c of depth
l − 1 with different shares. Their types agree at l − 1, and so do the shares of types of depth
l − 2: hence c has a sibling, of equal type at l − 2, that one of the two attends to as well. A
token of c and one of its sibling first differ at depth l − 1, and so on down to two words, or two
rows that are added, that differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import mpmath
import numpy as np

from . import types
from .bias_matrices import Options, found_scheme, places, position
from .exact_matrix import Exact, MatrixError
from .types import Integers, Multiset, Terms, Types

READS = ("last", "pooled")
DIGITS = (6, 12, 24)  # of shares that are not rational: as many as part them


@dataclass(frozen=True)
class Token:
    """Token `place` of a prompt."""

    prompt: int
    place: int


@dataclass(frozen=True)
class Difference:
    """One link of the chain: two tokens (none: the means over all tokens) that first differ at this
    depth. At depth 1 or more, the head, and a token of the type of one layer before whose share
    differs; its two shares (None where they depend on free numbers, or 24 digits do not part them);
    and where, of what is attended to, that type stands. Without tokens all of a prompt count, and
    the type is of this depth."""

    depth: int
    tokens: tuple[Token, Token] | None
    head: int | None = None
    seen: Token | None = None
    shares: tuple[str, str] | None = None
    places: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())


@dataclass(frozen=True)
class Verdict:
    """The least depth that tells the prompts apart, of any number of layers (None: no depth does),
    and the chain of differences."""

    read: str
    depth: int | None
    chain: tuple[Difference, ...]


def terms_for(name: str, lengths: Sequence[int], options: Options) -> Terms:
    """The terms of a scheme for prompts of these lengths. Raises MatrixError for a scheme that is
    unknown, that is not defined at a length, or that is another one at each length."""
    longest = max(lengths)
    terms = types.of_scheme(position(name, longest, options))
    for m in sorted(set(lengths) - {longest}):
        position(name, m, options)
        if _keys(name, m, m, options) != _keys(name, longest, m, options):
            raise MatrixError(
                f"{name}: given prompts of {m} and {longest} tokens, expected equally many, as "
                "what it adds depends on the number of tokens"
            )
    return terms


def _keys(name: str, n: int, m: int, options: Options) -> list[object]:
    """What the scheme says of the first m of n tokens."""
    scheme, spots, _ = places(found_scheme(name, options), n, options)
    frame, spots = scheme.frame(n), spots[:m]
    own = [scheme.own(s, frame) for s in spots] if scheme.own else []
    pair, seen, label = scheme.pair, scheme.seen, scheme.label
    return [
        own,
        [label(pair(i, j, frame), frame) for i in spots for j in spots] if pair else [],
        [seen(i, j, frame) for i in spots for j in spots] if seen else [],
    ]


def tell_apart(terms: Terms, prompts: Sequence[Sequence[str]], read: str) -> Verdict:
    """The verdict for two prompts, read at the last token or pooled by a mean."""
    found = types.refine(terms, prompts)
    last = tuple(Token(k, len(prompt) - 1) for k, prompt in enumerate(prompts))
    for depth in range(len(found.rounds)):
        a, b = found.at(depth)
        if read == "last" and a[-1] != b[-1]:
            return Verdict(read, depth, _chain(found, depth, (last[0], last[1])))
        if read == "pooled" and (kind := _pooled(a, b)) is not None:
            return Verdict(read, depth, _pooled_chain(found, depth, kind))
    return Verdict(read, None, ())


# ---------------------------------------------------------------------------------------- pooled
def _shares_of_all(a: Integers) -> dict[int, Fraction]:
    return {kind: Fraction(k, len(a)) for kind, k in Counter(a.tolist()).items()}


def _pooled(a: Integers, b: Integers) -> int | None:
    """A type whose share among all tokens differs; preferably one that is commoner in the first."""
    ours, theirs = _shares_of_all(a), _shares_of_all(b)
    gains = {c: ours.get(c, Fraction(0)) - theirs.get(c, Fraction(0)) for c in ours | theirs}
    kind = max(gains, key=lambda c: (gains[c], -c))
    return kind if gains[kind] else None


def _pooled_chain(found: Types, depth: int, kind: int) -> tuple[Difference, ...]:
    now = found.at(depth)
    spots = [tuple(np.flatnonzero(t == kind).tolist()) for t in now]
    shares = [str(_shares_of_all(t).get(kind, Fraction(0))) for t in now]
    seen = _tokens(spots)[0]
    first = Difference(depth, None, None, seen, (shares[0], shares[1]), (spots[0], spots[1]))
    if not depth:
        return (first,)
    before = found.at(depth - 1)
    alike = before[seen.prompt][seen.place]
    everywhere = _tokens([range(len(t)) for t in now])
    sibling = _sibling(found, depth, kind, int(alike), everywhere)
    return (first, *_chain(found, depth, (seen, sibling)))


def _tokens(spots: Sequence[Sequence[int]]) -> list[Token]:
    return [Token(k, place) for k, of_prompt in enumerate(spots) for place in of_prompt]


def _sibling(found: Types, depth: int, kind: int, alike: int, among: Sequence[Token]) -> Token:
    """A token of another type at this depth, of the same one layer before."""
    now, before = found.at(depth), found.at(depth - 1)
    return next(
        t for t in among if now[t.prompt][t.place] != kind and before[t.prompt][t.place] == alike
    )


# ------------------------------------------------------------------------------------- the chain
def _chain(found: Types, depth: int, tokens: tuple[Token, Token]) -> tuple[Difference, ...]:
    """The differences of two tokens that first differ at this depth, and of those behind them."""
    if depth == 0:
        return (Difference(0, tokens),)
    links = []
    for layer in range(depth, 0, -1):
        now = found.at(layer - 1)
        views = [_View(found.terms, now[t.prompt], t) for t in tokens]
        head, kind = _differing(found.terms, views)
        spots = [view.places(head, kind) for view in views]
        seen = _tokens_seen(tokens, spots)[0]
        shares = _shown(found.terms, head, kind, views)
        links.append(Difference(layer, tokens, head, seen, shares, (spots[0], spots[1])))
        if layer > 1:
            alike = int(found.at(layer - 2)[seen.prompt][seen.place])
            attended = _tokens_seen(tokens, [view.attended(head) for view in views])
            tokens = seen, _sibling(found, layer - 1, kind, alike, attended)
    return tuple(links)


def _tokens_seen(tokens: tuple[Token, Token], spots: Sequence[Sequence[int]]) -> list[Token]:
    return [Token(t.prompt, p) for t, places in zip(tokens, spots, strict=True) for p in places]


@dataclass(frozen=True)
class _View:
    """What a token attends to, by the types of one layer before."""

    terms: Terms
    types: Integers
    token: Token

    def attended(self, head: int) -> tuple[int, ...]:
        return tuple(
            j for j in range(len(self.types)) if _entry(self.terms, head, self.token, j) is not None
        )

    def places(self, head: int, kind: int) -> tuple[int, ...]:
        return tuple(j for j in self.attended(head) if self.types[j] == kind)

    def multiset(self, head: int) -> Multiset:
        """By type, how often each exponent occurs."""
        found: Multiset = {}
        for j in self.attended(head):
            value = _entry(self.terms, head, self.token, j)
            if value is not None:
                part = found.setdefault(int(self.types[j]), {})
                part[value] = part.get(value, 0) + 1
        return found


def _entry(terms: Terms, head: int, token: Token, j: int) -> int | None:
    matrix: Exact = terms.heads[head]
    return matrix.values[int(matrix.ids[token.place, j])]


def _differing(terms: Terms, views: Sequence[_View]) -> tuple[int, int]:
    """A head and a type whose share differs; one that is seen in the first alone, if there is."""
    for head in range(len(terms.heads)):
        a, b = (view.multiset(head) for view in views)
        if not types.equal_shares(a, b, terms.kind):
            kinds = sorted(a.keys() | b.keys(), key=lambda c: (c in b, c not in a, c))
            return head, next(c for c in kinds if not _same_share(a, b, c, terms.kind))
    raise ValueError("types: given two tokens of one type, expected two types")


def _same_share(a: Multiset, b: Multiset, c: int, kind: str) -> bool:
    """Whether this one type has equal shares; of rotations, whether its counts at each offset are
    the same part of all that is seen."""
    if c not in a or c not in b:
        return False
    all_a, all_b = types.total(a), types.total(b)
    if kind == "R":
        count_a, count_b = sum(all_a.values()), sum(all_b.values())
        offsets = a[c].keys() | b[c].keys()
        return all(a[c].get(o, 0) * count_b == b[c].get(o, 0) * count_a for o in offsets)
    return types.product(a[c], all_b) == types.product(b[c], all_a)


def _shown(terms: Terms, head: int, kind: int, views: Sequence[_View]) -> tuple[str, str] | None:
    """The two shares: fractions, or as many digits as part them."""
    if terms.kind != "B" or not terms.fixed:
        return None
    found = [view.multiset(head) for view in views]
    if all(len(types.total(m)) == 1 for m in found):
        counts = [(sum(m.get(kind, {}).values()), sum(types.total(m).values())) for m in found]
        a, b = (str(Fraction(k, n)) for k, n in counts)
        return a, b
    for digits in DIGITS:
        a, b = (_decimal(m, kind, terms.heads[head].scale, digits) for m in found)
        if a != b:
            return a, b
    return None


def _decimal(m: Multiset, kind: int, scale: int, digits: int) -> str:
    if kind not in m:
        return "0"
    with mpmath.workdps(digits + 10):
        top = max(types.total(m))

        def weight(part: types.Sum) -> mpmath.mpf:
            return mpmath.fsum(k * mpmath.exp(mpmath.mpf(e - top) / scale) for e, k in part.items())

        return str(mpmath.nstr(weight(m[kind]) / weight(types.total(m)), digits))
