"""Positions as angles: the sinusoidal table, rotary queries and keys, and their identities.

θ over (k) are the frequencies, one for each pair of features; p and q are places, real numbers. A
pair of features is turned by the angle pθ. The identities are of polynomials in sines and cosines:
what is assumed of these are the addition theorems and c² + s² = 1.
"""

from __future__ import annotations

from orderproof.symbolic.calculus.terms import Name, Set, Term
from orderproof.symbolic.models.attention import softmax
from orderproof.symbolic.models.builders import (
    add,
    contract,
    delta,
    divide,
    exp,
    iota,
    multiply,
    number,
    pointwise,
    size,
    sqrt,
    subtract,
    tensor,
    total,
)
from orderproof.symbolic.statements.statement import Atom, Statement, sizes

DISTINCT_ROWS = 10**18  # so many rows of the table are proved to be distinct
PAIRS = Set("h")
THETA = tensor("theta", k=PAIRS)
OMEGA = tensor("omega", k=PAIRS)  # the frequencies of the papers
P, Q, T = (tensor(name) for name in "pqt")
Pair = tuple[Term, Term]

PART = divide(iota(PAIRS, "k"), size(PAIRS))
FREQUENCIES = Atom(  # ω_k = 10000^(−k/h) for d = 2h features, k from 0
    OMEGA, "=",
    exp(pointwise("neg", multiply(pointwise("log", number(10000)), PART))),
)  # fmt: skip


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


def turned_table() -> Pair:
    """R_t PE(p): (sin, cos) turned back by tθ, as (cos, sin) is turned forward."""
    cosines, sines = turned(T, (cosine(P), sine(P)))
    return sines, cosines


PAIR = tensor("x", k=PAIRS), tensor("y", k=PAIRS)
QUERY, KEY = PAIR, (tensor("u", k=PAIRS), tensor("v", k=PAIRS))


def score(p: Term, q: Term) -> Term:
    """The rotary score of a query at p and a key at q."""
    return inner(turned(p, QUERY), turned(q, KEY))


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


def rows_differ(over: Set, most: int, frequencies: Atom = FREQUENCIES) -> Statement:
    """Any two rows of the table of sines and cosines have a positive distance, if there are no more
    of them than `most`, for any number of pairs of features but none."""
    first, second = (table(over, axis) for axis in "ij")
    apart = subtract(first[0], second[0]), subtract(first[1], second[1])
    atom = Atom(number(0), "<", add(inner(apart, apart), delta(over, "i", "j")))
    few = Atom(size(over), "≤", number(most))
    return Statement(atom, frozenset({frequencies, few}), sizes=sizes({PAIRS: 1}))
