"""Positions as angles: the sinusoidal table, rotary queries and keys, and their identities by SMT.

θ over (k) are the frequencies, one for each pair of features; p and q are places, real numbers. A
pair of features is turned by the angle pθ. The identities are of polynomials in sines and cosines:
what is assumed of these are the addition theorems and c² + s² = 1.
"""

from __future__ import annotations

import z3

from .induction import ARRAY, SUM
from .language import add, multiply, pointwise, subtract, tensor, total
from .obligation import Obligation, Outline
from .outlines import PAPER, sums
from .terms import Set, Term

PAIRS = Set("h")
THETA = tensor("theta", k=PAIRS)
P, Q, T = (tensor(name) for name in "pqt")
Pair = tuple[Term, Term]
ANGLES = "the addition theorems of sine and cosine, and c² + s² = 1"


def sine(place: Term) -> Term:
    """sin(pθ) over (k)"""
    return pointwise("sin", multiply(place, THETA))


def cosine(place: Term) -> Term:
    """cos(pθ) over (k)"""
    return pointwise("cos", multiply(place, THETA))


def turned(place: Term, pair: Pair) -> Pair:
    """A pair of features turned by the angle of a place (Su et al. 2021, eq. 13)."""
    x, y = pair
    c, s = cosine(place), sine(place)
    return subtract(multiply(c, x), multiply(s, y)), add(multiply(s, x), multiply(c, y))


def inner(a: Pair, b: Pair) -> Term:
    """The inner product of two rows of pairs."""
    return total(add(multiply(a[0], b[0]), multiply(a[1], b[1])), "k")


def _wave(name: str) -> tuple[z3.ArithRef, z3.ArithRef]:
    return z3.Real(f"c_{name}"), z3.Real(f"s_{name}")


def _difference(a: str, b: str) -> tuple[z3.BoolRef, z3.BoolRef]:
    """cos and sin of b − a."""
    (c, s), (e, f), (g, h) = _wave(a), _wave(b), _wave(b + a)
    return g == c * e + s * f, h == c * f - s * e


def _sum_of_equals() -> tuple[Obligation, ...]:
    """Equal terms have equal sums."""
    a, b, k = z3.Const("a", ARRAY), z3.Const("b", ARRAY), z3.Int("k")
    same = "Σ a = Σ b where a(k) = b(k)"
    return (
        Obligation("equal_base", f"{same}: k = 0", tuple(sums((a, k), (b, k))),
                   SUM(a, 0) == SUM(b, 0)),
        Obligation("equal_step", f"{same}: from k to k + 1",
                   (k >= 0, a[k] == b[k], *sums((a, k), (b, k)), SUM(a, k) == SUM(b, k)),
                   SUM(a, k + 1) == SUM(b, k + 1)),
    )  # fmt: skip


def shift_accounts() -> tuple[Outline, Outline]:
    """PE(p + t) = R_t PE(p): the sines, and the cosines, of each pair."""
    (c, s), (e, f), (g, h) = _wave("p"), _wave("t"), _wave("tp")
    added = (g == c * e - s * f, h == s * e + c * f)
    new_s, new_c = turned_table()
    return (
        Outline(sine(add(P, T)), "=", new_s,
                (Obligation("shift_sine", "sin((p + t)θ) = cos(tθ) sin(pθ) + sin(tθ) cos(pθ)",
                            added, h == e * s + f * c),), ANGLES),
        Outline(cosine(add(P, T)), "=", new_c,
                (Obligation("shift_cosine", "cos((p + t)θ) = cos(tθ) cos(pθ) − sin(tθ) sin(pθ)",
                            added, g == e * c - f * s),), ANGLES),
    )  # fmt: skip


def turned_table() -> Pair:
    """R_t PE(p): (sin, cos) turned back by tθ, as (cos, sin) is turned forward."""
    cosines, sines = turned(T, (cosine(P), sine(P)))
    return sines, cosines


def length_account() -> Outline:
    """R_t is a rotation: a pair keeps its length"""
    (c, s), (x, y) = _wave("t"), z3.Reals("x y")
    pair = tensor("x", k=PAIRS), tensor("y", k=PAIRS)
    kept = Obligation(
        "length", "(c x − s y)² + (s x + c y)² = x² + y²", (c * c + s * s == 1,),
        (c * x - s * y) * (c * x - s * y) + (s * x + c * y) * (s * x + c * y) == x * x + y * y,
    )  # fmt: skip
    turned_pair = turned(T, pair)
    obligations = (kept, *_sum_of_equals())
    return Outline(inner(turned_pair, turned_pair), "=", inner(pair, pair), obligations,
                   f"{PAPER}; {ANGLES}")  # fmt: skip


def offset_account() -> Outline:
    """⟨PE(p), PE(q)⟩ = Σ cos((q − p)θ)"""
    (c, s), (e, f) = _wave("p"), _wave("q")
    product = Obligation(
        "offset", "sin(pθ) sin(qθ) + cos(pθ) cos(qθ) = cos((q − p)θ)", _difference("p", "q"),
        s * f + c * e == _wave("qp")[0],
    )  # fmt: skip
    rhs = total(cosine(subtract(Q, P)), "k")
    lhs = inner((sine(P), cosine(P)), (sine(Q), cosine(Q)))
    return Outline(lhs, "=", rhs, (product, *_sum_of_equals()), f"{PAPER}; {ANGLES}")


QUERY = tensor("x", k=PAIRS), tensor("y", k=PAIRS)
KEY = tensor("u", k=PAIRS), tensor("v", k=PAIRS)


def score(p: Term, q: Term) -> Term:
    """The rotary score of a query at p and a key at q."""
    return inner(turned(p, QUERY), turned(q, KEY))


def relative_account() -> Outline:
    """The rotary score depends on the offset q − p alone"""
    return Outline(score(P, Q), "=", inner(QUERY, turned(subtract(Q, P), KEY)),
                   (_relative(), *_sum_of_equals()), f"{PAPER}; {ANGLES}")  # fmt: skip


def _relative() -> Obligation:
    x, y, u, v = z3.Reals("x y u v")
    (c, s), (e, f), (g, h) = _wave("p"), _wave("q"), _wave("qp")
    return Obligation(
        "relative", "⟨R_p (x, y), R_q (u, v)⟩ = ⟨(x, y), R_{q−p} (u, v)⟩", _difference("p", "q"),
        (c * x - s * y) * (e * u - f * v) + (s * x + c * y) * (f * u + e * v)
        == x * (g * u - h * v) + y * (h * u + g * v),
    )  # fmt: skip


def _common() -> Obligation:
    p, q, t = z3.Reals("p q t")
    return Obligation("common", "(q + t) − (p + t) = q − p", (), (q + t) - (p + t) == q - p)


def common_account() -> Outline:
    """A common offset of all places changes no rotary score"""
    return Outline(score(add(P, T), add(Q, T)), "=", score(P, Q),
                   (_common(), _relative(), *_sum_of_equals()), f"{PAPER}; {ANGLES}")  # fmt: skip


def differences_account(further: Term, here: Term) -> Outline:
    """What is made from (q + t) − (p + t) is what is made from q − p"""
    paper = "what is made in one way from equal parts is equal"
    return Outline(further, "=", here, (_common(),), paper)
