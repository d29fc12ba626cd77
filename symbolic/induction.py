"""The one lemma for every n, by induction in SMT: a reduction is blind to the order of its terms.

Arrays are functions from ℕ. A reduction R of the first n entries by ⊕ is known by R(a, 0) = e and
R(a, n+1) = R(a, n) ⊕ a(n) alone. Each obligation is one question, sound for all its free constants:
its assumptions are instances of the two equations, of the laws of ⊕, of what earlier obligations
prove, and of the induction hypothesis. The way, for the sum and for any commutative monoid: an
entry that changes (`update`), two that are exchanged (`swap`), and then `permuted`, as every
permutation of {0, …, n} is one that leaves n alone and then a swap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import z3

from .language import divide, reduce, size
from .obligation import Account, Obligation
from .terms import Map, Name, Term, at

INT, REAL = z3.IntSort(), z3.RealSort()
ARRAY = z3.ArraySort(INT, REAL)
SUM = z3.Function("S", ARRAY, INT, REAL)

VALUE = z3.DeclareSort("M")  # of a commutative monoid of which nothing else is known
VALUES = z3.ArraySort(INT, VALUE)
FOLD = z3.Function("R", VALUES, INT, VALUE)
OP, NEUTRAL = z3.Function("op", VALUE, VALUE, VALUE), z3.Const("e", VALUE)


@dataclass(frozen=True)
class Reduction:
    """R(a, n) = a(0) ⊕ … ⊕ a(n−1), by its two equations."""

    name: str
    array: Any  # the sort of what is reduced
    of: Callable[[Any, Any], Any]
    op: Callable[[Any, Any], Any]
    neutral: Any

    def defined(self, *pairs: tuple[Any, Any]) -> Iterator[Any]:
        """R(a, 0) = e and R(a, n+1) = R(a, n) ⊕ a(n) for these (a, n)."""
        for a, n in pairs:
            yield self.of(a, 0) == self.neutral
            yield self.of(a, n + 1) == self.op(self.of(a, n), z3.Select(a, n))


SUMMING = Reduction("sum", ARRAY, SUM, lambda x, y: x + y, z3.RealVal(0))
FOLDING = Reduction("monoid", VALUES, FOLD, OP, NEUTRAL)


def sums(*pairs: tuple[Any, Any]) -> Iterator[Any]:
    """S(a, 0) = 0 and S(a, n+1) = S(a, n) + a(n) for these (a, n)."""
    yield from SUMMING.defined(*pairs)


i, j, k, l, n = z3.Ints("i j k l n")  # noqa: E741 (an index, as mathematics writes it)


# ----------------------------------------------------------------------- one entry, then two
def _beyond(r: Reduction, a: Any, i: Any, v: Any, m: Any) -> Any:
    """An entry i ≥ m does not matter to R(·, m)."""
    return z3.Implies(i >= m, r.of(z3.Store(a, i, v), m) == r.of(a, m))


def _updated_sum(a: Any, i: Any, v: Any, m: Any) -> Any:
    """Entry i < m of a sum becomes v."""
    new = SUM(a, m) - z3.Select(a, i) + v
    return z3.Implies(z3.And(i >= 0, i < m), SUM(z3.Store(a, i, v), m) == new)


def _updated(a: Any, i: Any, v: Any, m: Any) -> Any:
    """Entry i < m becomes v: there is no minus, so it is overwritten by e, and then ⊕ v."""
    new = OP(FOLD(z3.Store(a, i, NEUTRAL), m), v)
    return z3.Implies(z3.And(i >= 0, i < m), FOLD(z3.Store(a, i, v), m) == new)


def _exchanged(a: Any, i: Any, j: Any) -> Any:
    return z3.Store(z3.Store(a, i, z3.Select(a, j)), j, z3.Select(a, i))


def _blind_to_swap(r: Reduction, a: Any, i: Any, j: Any, m: Any) -> Any:
    """Exchanging two entries below m changes nothing."""
    inside = z3.And(i >= 0, i < m, j >= 0, j < m, i != j)
    return z3.Implies(inside, r.of(_exchanged(a, i, j), m) == r.of(a, m))


def _laws(*triples: tuple[Any, Any, Any]) -> Iterator[Any]:
    """x ⊕ e = x and (x ⊕ y) ⊕ z = x ⊕ (y ⊕ z) and y ⊕ z = z ⊕ y for these x, y, z."""
    for x, y, z in triples:
        yield OP(x, NEUTRAL) == x
        yield OP(OP(x, y), z) == OP(x, OP(y, z))
        yield OP(y, z) == OP(z, y)


def one_entry(r: Reduction) -> tuple[Obligation, ...]:
    """From one entry to two: beyond n, below n, and two entries exchanged."""
    a, v = z3.Const("a", r.array), z3.Const("v", r.array.range())
    summing = r is SUMMING
    update = _updated_sum if summing else _updated
    says = "adds v − a(i)" if summing else "is overwritten by e and v combined"
    b, bare = z3.Store(a, i, v), z3.Store(a, i, r.neutral)
    others = [a] if summing else [bare]  # what R(b, n) is compared with
    laws = () if summing else _laws((FOLD(bare, n), v, a[n]), (FOLD(bare, n), a[n], v))
    half = z3.Store(a, i, a[j])
    if summing:
        facts = [update(a, i, a[j], n), update(half, j, a[i], n)]
    else:  # a itself is a with entry i becoming a(i); without i and j, both sides are the same
        facts = [
            update(a, i, a[i], n), update(bare, j, a[j], n), update(half, j, a[i], n),
            update(z3.Store(a, j, NEUTRAL), i, a[j], n),
        ]  # fmt: skip
    beyond = [_beyond(r, a, i, v, m) for m in (0, n, n + 1)]
    below = [update(a, i, v, m) for m in (0, n, n + 1)]
    apart, defined = (
        tuple(r.defined((a, n), (b, n))),
        tuple(r.defined((b, n), *((x, n) for x in others))),
    )
    unseen = [_beyond(r, a, i, x, n) for x in ((v,) if summing else (v, NEUTRAL))]
    return (
        Obligation(f"{r.name}_outside_base", "an entry beyond n does not matter: n = 0",
                   apart, beyond[0]),
        Obligation(f"{r.name}_outside_step", "an entry beyond n does not matter: from n to n + 1",
                   (n >= 0, *apart, beyond[1]), beyond[2]),
        Obligation(f"{r.name}_update_base", f"entry i < n becoming v {says}: n = 0",
                   defined, below[0]),
        Obligation(f"{r.name}_update_step", f"entry i < n becoming v {says}: from n to n + 1",
                   (n >= 0, *defined, *unseen, *laws, below[1]), below[2]),
        Obligation(f"{r.name}_swap", "exchanging entries i and j < n changes nothing",
                   tuple(facts), _blind_to_swap(r, a, i, j, n)),
    )  # fmt: skip


# ------------------------------------------------------------------------------ every permutation
SIGMA, TAU, BOTH = (z3.Const(name, z3.ArraySort(INT, INT)) for name in ("sigma", "tau", "rho"))


def _permutes(s: Any, m: Any) -> tuple[Any, Any]:
    """s is injective from {0, …, m−1} into itself."""
    below, both = z3.And(k >= 0, k < m), z3.And(k >= 0, k < m, l >= 0, l < m, k != l)
    within = z3.ForAll([k], z3.Implies(below, z3.And(s[k] >= 0, s[k] < m)))
    return within, z3.ForAll([k, l], z3.Implies(both, s[k] != s[l]))


def _moved(b: Any, a: Any, s: Any, m: Any) -> Any:
    """b(k) = a(s(k)) for k < m."""
    return z3.ForAll([k], z3.Implies(z3.And(k >= 0, k < m), b[k] == a[s[k]]))


def _swapped(s: Any) -> Any:
    """s, and then the exchange of the values n and σ(n)."""
    return z3.If(s == n, SIGMA[n], z3.If(s == SIGMA[n], n, s))


def generated_by_swaps() -> tuple[Obligation, ...]:
    """Every σ is a swap after a permutation that leaves the last place alone; they compose."""
    rest = z3.ForAll([k], TAU[k] == _swapped(SIGMA[k]))
    composed = z3.ForAll([k], BOTH[k] == TAU[SIGMA[k]])
    return (
        Obligation(
            "permutation_generated",
            "a permutation σ of {0, …, n} is τ, then the swap of n and σ(n), where τ leaves n "
            "alone and permutes {0, …, n−1}",
            (n >= 0, *_permutes(SIGMA, n + 1), rest),
            z3.And(SIGMA[j] == _swapped(TAU[j]), TAU[n] == n, *_permutes(TAU, n)),
        ),
        Obligation(
            "permutation_composed", "σ and then τ is a permutation ρ",
            (*_permutes(SIGMA, n), *_permutes(TAU, n), composed), z3.And(*_permutes(BOTH, n)),
        ),
    )  # fmt: skip


def every_permutation(r: Reduction) -> tuple[Obligation, ...]:
    """R(b, n) = R(a, n) whenever b(k) = a(σ(k)) for k < n, for all a, b, σ at once, by induction
    on n from the swap; the induction hypothesis is instantiated at the exchanged a, at b and τ."""
    a, b, c = (z3.Const(name, r.array) for name in "abc")
    last = _exchanged(a, SIGMA[n], n)

    def blind(b: Any, a: Any, s: Any, m: Any) -> Any:
        given = z3.And(*_permutes(s, m), _moved(b, a, s, m))
        return z3.Implies(given, r.of(b, m) == r.of(a, m))

    rest = z3.ForAll([k], TAU[k] == _swapped(SIGMA[k]))
    steps = [x for m, x in enumerate(r.defined((b, n), (last, n))) if m % 2]
    return (
        Obligation(
            f"{r.name}_permuted_base", "a reduction does not see the order of its terms: n = 0",
            tuple(r.defined((a, n), (b, n))), blind(b, a, SIGMA, 0),
        ),
        Obligation(
            f"{r.name}_permuted_step",
            "a reduction does not see the order of its terms: from n to n + 1",
            (
                n >= 0, rest, *steps, _blind_to_swap(r, a, SIGMA[n], n, n + 1),
                blind(b, last, TAU, n),
            ),
            blind(b, a, SIGMA, n + 1), (n == 0,),
        ),
        Obligation(
            f"{r.name}_permuted_composed",
            "blind to σ and to τ is blind to σ and then τ: ρ(k) = τ(σ(k))",
            (
                *_permutes(SIGMA, n), *_permutes(TAU, n),
                z3.ForAll([k], BOTH[k] == TAU[SIGMA[k]]), _moved(c, a, TAU, n),
                blind(c, a, TAU, n), blind(b, c, SIGMA, n),
            ),
            blind(b, a, BOTH, n), (n == 0,),
        ),
    )  # fmt: skip


# ------------------------------------------------------- what is a commutative monoid, and the mean
def _adjoined(name: str, extra: str) -> tuple[Any, Any, Any]:
    """ℝ with one element more: that element, the inclusion of ℝ, and its inverse."""
    sort = z3.Datatype(name)
    sort.declare(extra)
    sort.declare("real", ("value", REAL))
    made = sort.create()
    return getattr(made, extra), made.real, made.value


EXTREMES = {"max": _adjoined("Below", "bottom"), "min": _adjoined("Above", "top")}


def _is_monoid(
    name: str, says: str, op: Callable[[Any, Any], Any], e: Any, given: tuple[Any, ...]
) -> Obligation:
    """x ⊕ e = x, associativity and commutativity of ⊕."""
    x, y, z = (z3.Const(v, e.sort()) for v in "xyz")
    laws = z3.And(op(x, e) == x, op(op(x, y), z) == op(x, op(y, z)), op(y, z) == op(z, y))
    return Obligation(f"{name}_is_a_monoid", says, given, laws)


def extreme_is_monoid(kind: str) -> tuple[Obligation, ...]:
    """The maximum (minimum) of ℝ with −∞ (+∞) adjoined is a commutative monoid whose neutral
    element that is, and of one real and of two it is the maximum (minimum) of reals."""
    nothing, real, value = EXTREMES[kind]
    sort = nothing.sort()
    join = z3.Function("join", sort, sort, sort)

    def best(p: Any, q: Any) -> Any:
        return z3.If(p >= q if kind == "max" else p <= q, p, q)

    def joined(p: Any, q: Any) -> Any:
        both = z3.If(q == nothing, p, real(best(value(p), value(q))))
        return join(p, q) == z3.If(p == nothing, q, both)

    x, y, z = (z3.Const(v, sort) for v in "xyz")
    pairs = (x, nothing), (x, y), (join(x, y), z), (y, z), (x, join(y, z)), (z, y)
    u, w = z3.Reals("u w")
    word = {"max": "the maximum, −∞ adjoined,", "min": "the minimum, +∞ adjoined,"}[kind]
    return (
        _is_monoid(
            kind, f"{word} is a commutative monoid", join, nothing, tuple(joined(*p) for p in pairs)
        ),
        Obligation(
            f"{kind}_of_reals", f"{word} of one real, and of two, is that of the reals",
            (joined(nothing, real(u)), joined(real(u), real(w))),
            z3.And(join(nothing, real(u)) == real(u), join(real(u), real(w)) == real(best(u, w))),
        ),
    )  # fmt: skip


def product_is_monoid() -> tuple[Obligation, ...]:
    """(ℝ, ·, 1) is a commutative monoid."""
    says = "the product of reals is a commutative monoid"
    return (_is_monoid("prod", says, lambda x, y: x * y, z3.RealVal(1), ()),)


def mean_from_sum() -> tuple[Obligation, ...]:
    """Equal sums over the same size give equal means."""
    a, b = z3.Const("a", ARRAY), z3.Const("b", ARRAY)
    return (
        Obligation(
            "mean_from_sum", "equal sums over the same number n ≥ 1 have equal means",
            (n >= 1, SUM(b, n) == SUM(a, n)),
            SUM(b, n) / z3.ToReal(n) == SUM(a, n) / z3.ToReal(n),
        ),
    )  # fmt: skip


def sum_is_order_blind() -> tuple[Obligation, ...]:
    """Σ_{k<n} a(σ(k)) = Σ_{k<n} a(k) for every n and every σ."""
    return (*one_entry(SUMMING), *generated_by_swaps(), *every_permutation(SUMMING))


def monoid_is_order_blind() -> tuple[Obligation, ...]:
    """⨁_{k<n} a(σ(k)) = ⨁_{k<n} a(k) for every n, every σ and every commutative monoid."""
    return (*one_entry(FOLDING), *generated_by_swaps(), *every_permutation(FOLDING))


# ------------------------------------------------------------------------------ what they say
PAPER = "the principle of induction over n"


def sum_account(a: Term, axis: Name, sigma: Map) -> Account:
    """Σⱼ a(σ(j)) = Σⱼ a(j)"""
    return reduction_account("sum", a, axis, sigma)


def reduction_account(kind: str, a: Term, axis: Name, sigma: Map) -> Account:
    """⊕ⱼ a(σ(j)) = ⊕ⱼ a(j) for a sum, product, maximum or minimum."""
    laws = {"prod": product_is_monoid}.get(kind, lambda: extreme_is_monoid(kind))
    obligations = sum_is_order_blind() if kind == "sum" else (*laws(), *monoid_is_order_blind())
    moved = at(a, {axis: sigma(axis)})
    return Account(reduce(kind, moved, axis), "=", reduce(kind, a, axis), obligations, PAPER)


def mean_account(a: Term, axis: Name, sigma: Map) -> Account:
    """The mean of a(σ(j)) over j is that of a(j): the sum over the size."""
    blind = reduction_account("sum", a, axis, sigma)
    lhs, rhs = (divide(t, size(a.sets[axis])) for t in (blind.lhs, blind.rhs))
    return Account(lhs, "=", rhs, (*blind.obligations, *mean_from_sum()), PAPER)
