"""Positions as angles: the sinusoidal table, rotary queries and keys, and their identities by SMT.

θ over (k) are the frequencies, one for each pair of features; p and q are places, real numbers. A
pair of features is turned by the angle pθ. The identities are of polynomials in sines and cosines:
what is assumed of these are the addition theorems and c² + s² = 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import z3

from .architecture import softmax
from .induction import ARRAY, PAPER, SUM, SUMMING, j, k, n
from .language import (
    add,
    contract,
    divide,
    iota,
    multiply,
    pointwise,
    size,
    sqrt,
    subtract,
    tensor,
    total,
)
from .obligation import Obligation, Outline
from .schema import Account, Schema, axiom, induction, lemma
from .terms import Name, Set, Term, opened

PAIRS = Set("h")
THETA = tensor("theta", k=PAIRS)
OMEGA = tensor("omega", k=PAIRS)  # the frequencies of the papers
P, Q, T = (tensor(name) for name in "pqt")
Pair = tuple[Term, Term]
ANGLES = "the addition theorems of sine and cosine, and c² + s² = 1"


def sine(place: Term, theta: Term = THETA) -> Term:
    """sin(pθ) over (k)"""
    return pointwise("sin", multiply(place, theta))


def cosine(place: Term, theta: Term = THETA) -> Term:
    """cos(pθ) over (k)"""
    return pointwise("cos", multiply(place, theta))


def turned(place: Term, pair: Pair, theta: Term = THETA) -> Pair:
    """A pair of features turned by the angle of a place (Su et al. 2021, eq. 13)."""
    x, y = pair
    c, s = cosine(place, theta), sine(place, theta)
    return subtract(multiply(c, x), multiply(s, y)), add(multiply(s, x), multiply(c, y))


def inner(a: Pair, b: Pair) -> Term:
    """The inner product of two rows of pairs."""
    return total(add(multiply(a[0], b[0]), multiply(a[1], b[1])), "k")


# sums over pairs: a(k) and b(k) are the terms of both sides, m(k) those of a third
A, B, M = (z3.Const(name, ARRAY) for name in "abm")
XS, YS, US, VS = (z3.Const(name, ARRAY) for name in "xyuv")  # pairs of features
Point = tuple[Any, Any]  # cos and sin of the angles of a place, of which only laws are known


def _point(place: str) -> Point:
    return z3.Const(f"cos_{place}", ARRAY), z3.Const(f"sin_{place}", ARRAY)


def _turned(at: Point, pair: tuple[Any, Any]) -> tuple[Any, Any]:
    (c, s), (x, y) = at, pair
    return c[k] * x[k] - s[k] * y[k], s[k] * x[k] + c[k] * y[k]


def _inner(a: tuple[Any, Any], b: tuple[Any, Any]) -> Any:
    return a[0] * b[0] + a[1] * b[1]


def _difference(a: str, b: str, of: str) -> Schema:
    """cos and sin of b − a."""
    (c, s), (e, f), (g, h) = _point(a), _point(b), _point(of)
    law = z3.And(g[k] == c[k] * e[k] + s[k] * f[k], h[k] == c[k] * f[k] - s[k] * e[k])
    return axiom(f"difference_{a}_{b}", f"cos and sin of ({b} − {a})θ", (k,), law)


def _sum(a: str, b: str, of: str) -> Schema:
    """cos and sin of a + b."""
    (c, s), (e, f), (g, h) = _point(a), _point(b), _point(of)
    law = z3.And(g[k] == c[k] * e[k] - s[k] * f[k], h[k] == s[k] * e[k] + c[k] * f[k])
    return axiom(f"sum_{a}_{b}", f"cos and sin of ({a} + {b})θ", (k,), law)


def _circle(a: str) -> Schema:
    c, s = _point(a)
    return axiom(f"circle_{a}", "c² + s² = 1", (k,), c[k] * c[k] + s[k] * s[k] == 1)


def _is(name: str, array: Any, value: Any) -> Schema:
    return axiom(name, f"{array}(k), the term of a side", (k,), array[k] == value)


def _reading(place: str, at: Term) -> dict[str, Term]:
    return {f"cos_{place}": cosine(at), f"sin_{place}": sine(at)}


def _sums(schemas: tuple[Schema, ...], pair: Schema) -> tuple[Schema, ...]:
    """Equal terms have equal sums."""
    equal = induction(
        "equal_sums", "Σ a = Σ b where a(k) = b(k)", (n,), SUM(A, n) == SUM(B, n), 0,
        base=(SUMMING.empty.at(A), SUMMING.empty.at(B)),
        step=(SUMMING.next.at(n, A), SUMMING.next.at(n, B), pair.at(n)),
    )  # fmt: skip
    return *schemas, pair, equal


def _account(
    lhs: Term, rhs: Term, schemas: tuple[Schema, ...], reading: Mapping[str, Term]
) -> Account:
    return Account(lhs, "=", rhs, "k", PAIRS, schemas, reading, f"{PAPER}; {ANGLES}")


def shift_accounts() -> tuple[Account, Account]:
    """PE(p + t) = R_t PE(p): the sines, and the cosines, of each pair."""
    (c, s), (e, f), (g, h) = _point("p"), _point("t"), _point("p + t")
    new_s, new_c = turned_table()
    reading = _reading("p", P) | _reading("t", T) | _reading("p + t", add(P, T))
    law = _sum("p", "t", "p + t")
    found = []
    for name, lhs, rhs, value, old in (
        ("shift_sine", sine(add(P, T)), new_s, e[j] * s[j] + f[j] * c[j], h),
        ("shift_cosine", cosine(add(P, T)), new_c, e[j] * c[j] - f[j] * s[j], g),
    ):
        whole = B[j]
        shifted = lemma(
            name, "the addition theorem", (n, j), old[j] == whole,
            (law.at(j), axiom(f"{name}_term", "b(k), the right side", (j,), whole == value).at(j)),
            least=0,
        )  # fmt: skip
        found.append(_account(lhs, rhs, (shifted,), reading | {"b": rhs}))
    return found[0], found[1]


def turned_table() -> Pair:
    """R_t PE(p): (sin, cos) turned back by tθ, as (cos, sin) is turned forward."""
    cosines, sines = turned(T, (cosine(P), sine(P)))
    return sines, cosines


PAIR = tensor("x", k=PAIRS), tensor("y", k=PAIRS)
QUERY, KEY = PAIR, (tensor("u", k=PAIRS), tensor("v", k=PAIRS))
FEATURES = {"x": QUERY[0], "y": QUERY[1], "u": KEY[0], "v": KEY[1]}


def _terms(lhs: Term, rhs: Term) -> dict[str, Term]:
    """What is summed on both sides."""
    return {"a": summand(lhs), "b": summand(rhs)}


def summand(t: Term) -> Term:
    """a of Σₖ a."""
    _, (part,), ((axis,),), _ = opened(t)
    return part.rename({axis: "k"})


def length_account() -> Account:
    """R_t is a rotation: a pair keeps its length"""
    both = _turned(_point("t"), (XS, YS))
    c, s, x, y = numbers = z3.Reals("c s x y")
    longer = (c * x - s * y) * (c * x - s * y) + (s * x + c * y) * (s * x + c * y)
    square = lemma(
        "square", "(c x − s y)² + (s x + c y)² = x² + y²", tuple(numbers),
        z3.Implies(c * c + s * s == 1, longer == x * x + y * y),
    )  # fmt: skip
    kept = lemma(
        "length", "a pair keeps its length", (k,), A[k] == B[k],
        (_circle("t").at(k), square.at(*(w[k] for w in _point("t")), XS[k], YS[k]),
         _is("left_length", A, _inner(both, both)).at(k),
         _is("right_length", B, XS[k] * XS[k] + YS[k] * YS[k]).at(k)),
    )  # fmt: skip
    moved = turned(T, PAIR)
    lhs, rhs = inner(moved, moved), inner(PAIR, PAIR)
    reading = _terms(lhs, rhs) | FEATURES | _reading("t", T)
    return _account(lhs, rhs, _sums((square,), kept), reading)


def offset_account() -> Account:
    """⟨PE(p), PE(q)⟩ = Σ cos((q − p)θ)"""
    (c, s), (e, f), (g, _) = _point("p"), _point("q"), _point("q - p")
    product = lemma(
        "offset", "sin(pθ) sin(qθ) + cos(pθ) cos(qθ) = cos((q − p)θ)", (k,), A[k] == B[k],
        (_difference("p", "q", "q - p").at(k), _is("right_offset", B, g[k]).at(k),
         _is("left_offset", A, s[k] * f[k] + c[k] * e[k]).at(k)),
    )  # fmt: skip
    lhs = inner((sine(P), cosine(P)), (sine(Q), cosine(Q)))
    rhs = total(cosine(subtract(Q, P)), "k")
    reading = _terms(lhs, rhs) | _angles()
    return _account(lhs, rhs, _sums((), product), reading)


def _angles() -> dict[str, Term]:
    return _reading("p", P) | _reading("q", Q) | _reading("q - p", subtract(Q, P))


def score(p: Term, q: Term) -> Term:
    """The rotary score of a query at p and a key at q."""
    return inner(turned(p, QUERY), turned(q, KEY))


@cache
def _score() -> Schema:
    """The law of a score, of single numbers."""
    x, y, u, v, c, s, e, f, g, h = numbers = z3.Reals("x y u v c_p s_p c_q s_q c s")
    by_offset = x * (g * u - h * v) + y * (h * u + g * v)
    turned_both = (c * x - s * y) * (e * u - f * v) + (s * x + c * y) * (f * u + e * v)
    offset = z3.And(g == c * e + s * f, h == c * f - s * e)
    return lemma(
        "score", "⟨R_p (x, y), R_q (u, v)⟩ = ⟨(x, y), R_{q−p} (u, v)⟩", tuple(numbers),
        z3.Implies(offset, turned_both == by_offset),
    )  # fmt: skip


@cache
def _offsets() -> Schema:
    """The law of a common offset, of single numbers."""
    c, s, e, f, a, b, c1, s1, e1, f1 = numbers = z3.Reals("c_p s_p c_q s_q c s c1 s1 c2 s2")
    further = (
        a * a + b * b == 1, c1 == c * a - s * b, s1 == s * a + c * b,
        e1 == e * a - f * b, f1 == f * a + e * b,
    )  # fmt: skip
    same = z3.And(c1 * e1 + s1 * f1 == c * e + s * f, c1 * f1 - s1 * e1 == c * f - s * e)
    return lemma(
        "offsets", "(q + t) − (p + t) = q − p, of cosines and sines", tuple(numbers),
        z3.Implies(z3.And(*further), same),
    )  # fmt: skip


def _relative(array: Any, side: str, *, moved: bool = False) -> tuple[Schema, ...]:
    """The terms of a score are those of ⟨(x, y), R_{q−p} (u, v)⟩, m; at places p and q, or both t
    further on."""
    p, q = ("p + t", "q + t") if moved else ("p", "q")
    both = _turned(_point(p), (XS, YS)), _turned(_point(q), (US, VS))
    waves = [w[k] for place in (p, q, "q - p") for w in _point(place)]
    known = [_difference("p", "q", "q - p").at(k)]
    if moved:
        at = [w[k] for place in ("p", "q", "t", p, q) for w in _point(place)]
        sums = (_sum(place, "t", f"{place} + t") for place in "pq")
        known += [_offsets().at(*at), _circle("t").at(k), *(law.at(k) for law in sums)]
    pair = [x[k] for x in (XS, YS, US, VS)]
    key = _turned(_point("q - p"), (US, VS))
    told = lemma(
        f"relative_{side}", "the term of a score is m(k)", (k,), array[k] == M[k],
        (*known, _score().at(*pair, *waves), _is(f"score_{side}", array, _inner(*both)).at(k),
         _is("score_relative", M, _inner((XS[k], YS[k]), key)).at(k)),
    )  # fmt: skip
    return (_offsets(), _score(), told) if moved else (_score(), told)


def relative_account() -> Account:
    """The rotary score depends on the offset q − p alone"""
    lhs, rhs = score(P, Q), inner(QUERY, turned(subtract(Q, P), KEY))
    *first, here = _relative(A, "here")
    same = lemma(
        "relative", "the right side is m", (k,), A[k] == B[k],
        (here.at(k), axiom("right_relative", "b(k) is m(k)", (k,), B[k] == M[k]).at(k)),
    )  # fmt: skip
    reading = _terms(lhs, rhs) | FEATURES | _angles() | {"m": summand(rhs)}
    return _account(lhs, rhs, _sums((*first, here), same), reading)


def common_account() -> Account:
    """A common offset of all places changes no rotary score"""
    lhs, rhs = score(add(P, T), add(Q, T)), score(P, Q)
    *first, further = _relative(A, "further", moved=True)
    _, here = _relative(B, "here")
    same = lemma(
        "common", "(q + t) − (p + t) = q − p: both are m", (k,), A[k] == B[k],
        (further.at(k), here.at(k)),
    )  # fmt: skip
    reading = _terms(lhs, rhs) | FEATURES | _angles()
    reading |= _reading("t", T) | _reading("p + t", add(P, T)) | _reading("q + t", add(Q, T))
    reading |= {"m": summand(inner(QUERY, turned(subtract(Q, P), KEY)))}
    return _account(lhs, rhs, _sums((*first, further, here), same), reading)


def rotary_attention(tokens: Term, axis: Name = "c") -> dict[str, Term]:
    """Attention of tokens over (i, axis), at the places 0, 1, …: queries' and keys' features in
    pairs, x and y, before turning (Q, K) and turned by their places (q, k; Su et al. 2021, eq. 34),
    ω the frequencies; values V, scores S, weights A and outputs Z over (i, v)."""
    tokens = tokens.rename({axis: "c"})
    over, features = tokens.sets["i"], tokens.sets["c"]
    memory = tokens.rename({"i": "j"})

    def pairs(name: str, rows: Term) -> Pair:
        first, second = (tensor(f"{name}{x}", c=features, k=PAIRS) for x in "xy")
        return contract(rows, first, "c"), contract(rows, second, "c")

    before = {"Q": pairs("W_Q", tokens), "K": pairs("W_K", memory)}
    query = turned(iota(over, "i"), before["Q"], OMEGA)
    key = turned(iota(over, "j"), before["K"], OMEGA)
    width = sqrt(add(size(PAIRS), size(PAIRS)))
    scores = divide(inner(query, key), width)
    shares = softmax(scores, "j")
    values = contract(memory, tensor("W_V", c=features, v=features), "c")
    rows = {"Q": before["Q"], "K": before["K"], "q": query, "k": key}
    parts = {f"{x}_{y}": t for x, pair in rows.items() for y, t in zip("xy", pair, strict=True)}
    return {**parts, "V": values, "S": scores, "A": shares, "Z": contract(shares, values, "j")}


def table(over: Set, axis: Name) -> Pair:
    """The rows of the sinusoidal table at the places 0, 1, …, in pairs."""
    return sine(iota(over, axis), OMEGA), cosine(iota(over, axis), OMEGA)


def differences_account(further: Term, here: Term, paper: str) -> Outline:
    """(q + t) − (p + t) = q − p, or what is made of the two"""
    p, q, t = z3.Reals("p q t")
    asked = Obligation("common", "(q + t) − (p + t) = q − p", (), (q + t) - (p + t) == q - p)
    return Outline(further, "=", here, (asked,), paper)
