"""The steps of a lemma chain: each a law, applied to the sums that it fits."""

from __future__ import annotations

from collections.abc import Callable

import z3

from .angles import angles, multiplied
from .builder import INDEX, Builder, Reduced
from .factors import factored, multiplicands, nonnegative, positive
from .induction import SUMMING
from .laws import (
    AGREE,
    CIRCLE_TIMES,
    CONSTANT,
    LARGEST,
    LEAST,
    MORE,
    POSITIVE,
    PRESENT,
    PRODUCT,
    SCALE,
    SINGLE,
    SPLIT,
    SUPPORT,
    permuted,
)
from .lemma import Instance
from .question import REDUCTIONS, Formula, QuestionError, mentions, parts


def _positive(b: Builder) -> None:
    """Sums of exponentials, and of their products and quotients, are positive."""
    for s, body in b.each("sum"):
        if positive(body):
            b.use(POSITIVE, s, [s.array])


def _scale(b: Builder) -> None:
    """A factor that does not depend on the index of a sum is taken out of it."""
    for s, body in b.each("sum", "max", "min"):
        factor, rest, laws = factored(body, INDEX)
        if factor is None:
            continue
        inner = b.array(s, rest)
        law = {"sum": SCALE, "max": LARGEST.scaled, "min": LEAST.scaled}[s.kind]
        product = factor, REDUCTIONS[s.kind](inner, s.size)
        b.use(law, s, [s.array, inner, factor], laws, product)


def _split(b: Builder) -> None:
    """A sum of sums, or of differences, is the sum, or the difference, of sums."""
    for s, body in b.each("sum"):
        if not (z3.is_add(body) or z3.is_sub(body)) or body.num_args() != 2:
            continue
        left, right = (b.array(s, x) for x in body.children())
        values = [s.array, left, right] if z3.is_add(body) else [left, s.array, right]
        b.use(SPLIT, s, values)


def _constant(b: Builder) -> None:
    """A sum of n equal entries is n times one; a sum of zeros is 0."""
    for s, body in b.each("sum"):
        if not mentions(body, INDEX):
            b.use(CONSTANT, s, [s.array, body])
        elif not multiplied(b.question.there_and_back(body), {}):
            b.use(CONSTANT, s, [s.array, z3.RealVal(0)])


def _permute(b: Builder) -> None:
    """A reduction of entries at σ(j) is that of the entries at j."""
    for s, body in b.each(*REDUCTIONS):
        moved = [
            p for p in parts(body)
            if p.decl().kind() == z3.Z3_OP_SELECT and p.arg(1).eq(INDEX)
            and p.arg(0).decl().name().removesuffix("_back") in b.question.maps
        ]  # fmt: skip
        if len(moved) != 1:
            continue
        still = z3.substitute(body, (moved[0], z3.Int("still")))
        if mentions(still, INDEX):
            continue
        inner = b.array(s, z3.substitute(still, (z3.Int("still"), INDEX)))
        sigma = moved[0].arg(0)
        if s.kind in ("max", "min"):
            law = (LARGEST if s.kind == "max" else LEAST).permuted
            b.use(law, s, [inner, s.array, sigma, b.question.back(sigma)])
        else:
            law = permuted(SUMMING if s.kind == "sum" else PRODUCT)
            b.use(law, s, [inner, s.array, sigma])


def _agree(b: Builder) -> None:
    """Sums at the same position in both sides have the same entries."""
    done: list[tuple[Formula, Formula]] = []

    def walk(x: Formula, y: Formula, free: tuple[Formula, ...]) -> None:
        if x.eq(y):
            return
        one, other = b.reduced(x), b.reduced(y)
        if one and other:
            if one[0] != "sum" or other[0] != "sum" or not one[2].eq(other[2]):
                return
            e, f = (b.question.entries[r[1].decl().name()] for r in (one, other))
            inner = b.any(e.over)
            own = tuple(v for v in free if mentions(x, v) or mentions(y, v))
            walk(e.at(one[1].children(), inner), f.at(other[1].children(), inner), (*own, inner))
            if not any(p.eq(x) and q.eq(y) for p, q in done) and all(mentions(x, v) for v in own):
                done.append((x, y))
                of = Reduced(x, "sum", one[1], one[2], e.over, own)
                b.use(AGREE, of, [one[1], other[1]], _turned(b, of, other[1]))
        elif x.num_args() == y.num_args() and x.decl().eq(y.decl()):
            for p, q in zip(x.children(), y.children(), strict=True):
                walk(p, q, free)

    walk(b.left, b.right, b.free)


def _turned(b: Builder, of: Reduced, other: Formula) -> list[Instance]:
    """The entries of another array times c² + s² of each angle that only this one's have."""
    here, there = b.body(of), b.question.entries[other.decl().name()].at(other.children(), INDEX)
    same = angles(there)
    new = [a for a in angles(here) if not any(a.eq(x) for x in same)]
    return [CIRCLE_TIMES.at(a, there) for a in new]


def _support(b: Builder) -> None:
    """A sum is positive if that of some of the factors of its terms is, and the others are."""
    for s, body in b.each("sum"):
        factors = multiplicands(body)
        open_ = [f for f in factors if not positive(f)]
        if len(open_) == 1 < len(factors) and mentions(open_[0], INDEX):
            b.use(SUPPORT, s, [b.array(s, open_[0]), s.array])


def _present(b: Builder) -> None:
    """A sum of 0 and 1, and of others that are not negative by form, is positive if one entry is:
    that at an index which the entries depend on."""
    for s, body in b.each("sum"):
        for p in s.array.children() if nonnegative(body) else ():
            if b.question.over(p) == s.over:
                b.use(PRESENT, s, [s.array, p])


def _more(b: Builder) -> None:
    """The sum on the left is less than that on the right, if an entry at a constant is."""
    left, right = b.reduced(b.left), b.reduced(b.right)
    if left and right and left[0] == right[0] == "sum" and left[2].eq(right[2]):
        s = b.made("sum", left[1], b.free)
        for p in b.constants(s.over):
            b.use(MORE, s, [left[1], right[1], p])


def _signed(b: Builder) -> None:
    """If the largest entry is not positive, the sum is not."""
    for s, _ in b.each("max"):
        top = LARGEST.top(s.array, s.size)
        b.use(LARGEST.signed, s, [s.array, top], about=top)


def _largest(b: Builder, word: str) -> None:
    """In the row at the index of the largest value of the sums on one side: bounds for it, and for
    these values at each constant."""
    root = b.reduced(b.side(word))
    if root is None or root[0] != "sum":
        return
    s = b.made("sum", root[1], b.free)
    values = [f for f in multiplicands(b.body(s)) if not positive(f) and mentions(f, INDEX)]
    rows = [a for a in root[1].children() if b.question.over(a) == s.over]
    if len(values) != 1 or len(rows) != 1:
        return
    array = b.array(s, values[0])
    largest = b.made("max", array)
    top = LARGEST.top(array, s.size)
    for p in [top, *b.constants(s.over)]:
        b.use(LARGEST.bound, largest, [array, p], about=top)
        b.use(LARGEST.signed, largest, [array, p], about=top)
    (row,) = rows
    place = b.question.back(row.arg(0))[top] if row.num_args() else top
    b.outweighed = word, array, b.constants(s.over)
    b.put({a: z3.IntVal(0) if z3.is_int_value(i) else place for a, i in b.env.items()})


def _outweigh(b: Builder) -> None:
    """In that row, with a factor that is more than 1 where the value is positive and less where it
    is negative, the terms add up to more than the values."""
    if b.outweighed is None:
        return
    word, array, places = b.outweighed
    b.signs = True
    term = b.question.sides(b.question.statement.atom, b.place)[word == "right"]
    for found in filter(None, (b.reduced(inner) for _, inner in b.products(term))):
        s = b.made("sum", found[1])
        for p in places:
            b.use(MORE, s, [array, found[1], p])


def _first(b: Builder) -> None:
    """A statement about some entry: it holds at the first index of every axis. Hypotheses are used
    at the first two."""
    b.put(dict.fromkeys(b.env, z3.IntVal(0)))
    b.question.numerals = [z3.IntVal(0), z3.IntVal(1)]


def _single(b: Builder, where: str = "moved") -> None:
    """Terms that are equal except at the first token, wherever a permutation puts it (or, `here`,
    at index 0): 0 where there is a factor of unknown sign, else exp 0 = 1."""
    if where not in ("moved", "here"):
        raise QuestionError(f"single {where}: expected moved or here")
    b.signs = True
    for s, body in b.each("sum"):
        open_ = [f for f in multiplicands(body) if not positive(f) and mentions(f, INDEX)]
        if not (open_ or positive(body)):
            continue
        moved = [
            p.arg(0) for p in parts(*(open_ or [body]))
            if p.decl().kind() == z3.Z3_OP_SELECT and p.arg(1).eq(INDEX)
        ]  # fmt: skip
        away = moved and where == "moved"
        first = b.question.back(moved[0])[0] if away else z3.IntVal(0)
        b.use(SINGLE, s, [s.array, z3.RealVal(0 if open_ else 1), first])


STEPS: dict[str, Callable[..., None]] = {
    "positive": _positive,
    "scale": _scale,
    "split": _split,
    "constant": _constant,
    "permute": _permute,
    "agree": _agree,
    "support": _support,
    "present": _present,
    "more": _more,
    "signed": _signed,
    "largest": _largest,
    "outweigh": _outweigh,
    "first": _first,
    "single": _single,
}
