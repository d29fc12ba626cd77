"""Statements that are proved by chains of laws, with the steps of each: shared by the tests."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from orderproof.symbolic.calculus.terms import Set, Term
from orderproof.symbolic.models.attention import attention, masked_softmax, shifted_softmax, softmax
from orderproof.symbolic.models.builders import (
    POINT,
    add,
    at,
    constant,
    contract,
    divide,
    image,
    inverse,
    iota,
    leaf_of,
    mean,
    moved,
    multiply,
    number,
    permutation,
    pointwise,
    reduce,
    size,
    subtract,
    tensor,
    total,
)
from orderproof.symbolic.models.variants import normalised
from orderproof.symbolic.schemes.rotations import (
    KEY,
    PAIR,
    QUERY,
    P,
    Q,
    T,
    cosine,
    inner,
    score,
    sine,
    turned,
    turned_table,
)
from orderproof.symbolic.schemes.running_means import weight_of
from orderproof.symbolic.schemes.weights import by_largest
from orderproof.symbolic.statements.statement import Atom, Sizes, Statement, sizes

n, m, d = Set("n"), Set("m"), Set("d")
sigma = permutation("sigma", n)
rho = permutation("rho", m)
a = tensor("a", j=n)
S, G = tensor("S", i=n, j=m), tensor("G", i=n, j=m)
A = softmax(S, "j")
X, E, SHIFT = tensor("X", i=n, c=d), tensor("E", i=n, c=d), tensor("b", i=n)
value, factor = tensor("v", r=d), tensor("f", i=n)
END, ONE, NEXT = constant("m", n), constant("j", n), constant("l", n)


@dataclass(frozen=True)
class Case:
    """A statement, the steps that prove it, and false statements next to it."""

    name: str
    statement: Statement
    steps: tuple[str, ...]
    false: tuple[Statement, ...]
    values: frozenset[Atom] = frozenset()


def all_(lhs: Term, relation: str, rhs: Term, *given: Atom, least: dict[Set, int] | None = None,
         some: bool = False) -> Statement:  # fmt: skip
    """For all values."""
    return Statement(Atom(lhs, relation, rhs, some), frozenset(given), sizes=sizes(least or {}))


def says(s: Statement, lhs: Term | None = None, rhs: Term | None = None) -> Statement:
    """The statement with another side."""
    return replace(s, atom=replace(s.atom, lhs=lhs or s.atom.lhs, rhs=rhs or s.atom.rhs))


def above(t: Term) -> Atom:
    """0 < t"""
    return Atom(number(0), "<", t)


def from_zero(t: Term) -> Atom:
    """0 ≤ t"""
    return Atom(number(0), "≤", t)


def without(s: Statement) -> tuple[Statement, ...]:
    """The statement without each of its hypotheses."""
    return tuple(replace(s, given=s.given - {x}) for x in s.given)


def one_each() -> list[Case]:
    """The statements of softmax, of sums, and of masks."""
    kinds = ("sum", "prod", "max", "min")
    order = [
        all_(reduce(k, moved(a, j=sigma), "j"), "=", reduce(k, a, "j"),
             least={n: 1} if k in ("max", "min") else {})
        for k in kinds
    ]  # fmt: skip
    weighted = multiply(tensor("w", j=n), moved(a, j=sigma))
    plain = multiply(tensor("w", j=n), a)
    rows = all_(total(A, "j"), "=", number(1), least={m: 1})
    positive = all_(number(0), "<", A, least={m: 1})
    shifted = all_(shifted_softmax(S, "j"), "=", A, least={m: 1})
    mask = from_zero(G), above(total(G, "j"))
    equal = all_(contract(A, value, "j"), "=", value, least={m: 1})
    masked = all_(contract(masked_softmax(S, G, "j"), value, "j"), "=", value, *mask)
    scaled, seen = (masked_softmax(S, g, "j") for g in (multiply(factor, G), G))
    factors = all_(scaled, "=", seen, *mask, above(factor))
    form = all_(by_largest(normalised(G, "j"), "j"), "=", by_largest(G, "j"), *mask)
    averaged = all_(mean(moved(a, j=sigma), "j"), "=", mean(a, "j"))
    by_key = masked_softmax(S, multiply(tensor("g", j=m), G), "j")
    more = add(X, SHIFT)
    centred = all_(subtract(more, mean(more, "c")), "=", subtract(X, mean(X, "c")), least={d: 1})
    uniform = all_(total(add(moved(X, i=sigma), E), "i"), "=", total(add(X, E), "i"))
    return [
        *(
            Case(k, s, ("permute",), (says(s, reduce(k, weighted, "j"), reduce(k, plain, "j")),))
            for k, s in zip(kinds, order, strict=True)
        ),
        Case("mean", averaged, ("permute",), (says(averaged, rhs=total(a, "j")),)),
        Case(
            "rows", rows, ("positive", "scale"),
            (says(rows, rhs=number(2)), replace(rows, sizes=Sizes())),
        ),
        Case("positive", positive, ("positive",), (says(positive, lhs=number(1)),)),
        Case("shift", shifted, ("positive", "scale"), (says(shifted, rhs=moved(A, j=rho)),)),
        Case("constant", equal, ("positive", "scale"),
             (says(equal, rhs=multiply(number(2), value)), replace(equal, sizes=Sizes()))),
        Case("masked", masked, ("scale", "support"), without(masked)),
        Case("factors", factors, ("scale", "support"), (says(factors, by_key), *without(factors))),
        Case("form", form, ("scale", "signed"), (says(form, normalised(G, "j")),)),
        Case("centred", centred, ("split", "constant"), (says(centred, more),)),
        Case("uniform", uniform, ("split", "permute"), (says(uniform, rhs=total(E, "i")),)),
    ]  # fmt: skip


def angles() -> list[Case]:
    """The statements of sines and cosines."""
    sines, cosines = turned_table()
    length = all_(inner(turned(T, PAIR), turned(T, PAIR)), "=", inner(PAIR, PAIR))
    offset = all_(inner((sine(P), cosine(P)), (sine(Q), cosine(Q))), "=",
                  total(cosine(subtract(Q, P)), "k"))  # fmt: skip
    relative = all_(score(P, Q), "=", inner(QUERY, turned(subtract(Q, P), KEY)))
    common = all_(score(add(P, T), add(Q, T)), "=", score(P, Q))
    pairs = (
        ("sines", all_(sine(add(P, T)), "=", sines), sine(subtract(P, T))),
        ("cosines", all_(cosine(add(P, T)), "=", cosines), cosine(subtract(P, T))),
        ("length", length, multiply(number(2), length.atom.lhs)),
        ("offset", offset, inner((sine(P), cosine(P)), (cosine(Q), sine(Q)))),
        ("relative", relative, score(Q, P)),
        ("common", common, score(add(P, T), Q)),
    )
    return [Case(name, s, ("agree",), (says(s, lhs=false),)) for name, s, false in pairs]


def places() -> list[Case]:
    """Offsets of places, and the weights of two causal layers."""
    i, j = iota(n, "i"), iota(n, "j")
    further = subtract(add(j, T), add(i, T))
    stretched = subtract(multiply(T, j), i)
    offsets = all_(further, "=", subtract(j, i))

    def biased(offset: Term) -> Term:
        shares = softmax(add(tensor("S", i=n, j=n), multiply(tensor("s"), offset)), "j")
        return contract(shares, tensor("V", j=n, r=d), "j")

    slope = all_(biased(further), "=", biased(subtract(j, i)))

    def here(token: object) -> Term:
        return at(iota(n, "i"), {"i": token()})  # type: ignore[operator]

    given = (
        Atom(here(NEXT), "=", add(here(ONE), number(1))),
        Atom(add(here(END), number(1)), "=", size(n)),
    )
    early, late = weight_of(n, END, ONE), weight_of(n, END, NEXT)
    decreasing = all_(late, "<", early, *given)
    return [
        Case("offsets", offsets, (), (says(offsets, stretched),)),
        Case("slope", slope, ("agree",), (says(slope, biased(stretched)),)),
        Case(
            "decreasing", decreasing, ("present", "more"),
            (says(decreasing, early, late), replace(decreasing, given=frozenset({given[1]}))),
        ),
    ]  # fmt: skip


# ------------------------------------------------------------------------------------- attention
e = tensor("e", i=n, c=POINT)
UNITS = [tensor(f"u_{x}", c=POINT, **{y: POINT}) for x, y in (("Q", "k"), ("K", "k"), ("V", "r"))]
ONES = tuple(Atom(u, "=", number(1)) for u in UNITS)
OUTSIDE = ("largest right", "split", "scale", "permute", "constant", "positive", "outweigh")


def one_feature(tokens: Term) -> Term:
    """Attention of tokens with one feature."""
    q, k, v = (contract(tokens.rename({"i": i}), u, "c")
               for i, u in zip("ijj", UNITS, strict=True))  # fmt: skip
    return attention(q, k, v, "j", "k")


def uniform_attention(tokens: Term) -> Term:
    """The same with a constant weight function."""
    v = contract(tokens.rename({"i": "j"}), UNITS[2], "c")
    return divide(total(v, "j"), multiply(size(n), divide(tokens, tokens)))


def outside() -> Case:
    """A table that σ moves is seen; not with a constant weight function, and not where P e = e."""
    opposite = pointwise("neg", moved(e, i=inverse(sigma)))
    nothing, shown = add(moved(opposite, i=sigma), e), add(opposite, e)

    def seen(attend: object, given: Iterable[Atom]) -> Statement:
        left, right = attend(nothing), moved(attend(shown), i=sigma)  # type: ignore[operator]
        return all_(left, "≠", right, *given, some=True)

    changed = Atom(moved(e, i=sigma), "≠", e, True)
    true = seen(one_feature, (changed, *ONES))
    output = one_feature(add(tensor("X", i=n, c=POINT), e))
    itself = all_(output, "≠", output, changed, *ONES, some=True)
    false = (itself, seen(uniform_attention, (changed, *ONES)), seen(one_feature, ONES))
    return Case("outside", true, OUTSIDE, false)


def swap(over: Set, s: object) -> Atom:
    """σ is the swap of the first two elements: ι(σ(i)) = i + 2[i ≤ 0] − [i ≤ 1]."""
    i = iota(over, "i")

    def upto(k: int) -> Term:
        return pointwise("at_most", i, number(k))

    return Atom(moved(i, i=s), "=", subtract(add(i, multiply(number(2), upto(0))), upto(1)))  # type: ignore[arg-type]


def witnesses() -> list[Case]:
    """Output rows move; keys alone, and values alone, are seen: for every size from 2 on."""
    k, r = Set("k"), Set("r")
    q_, k_, v_ = tensor("Q", i=d, k=k), tensor("K", j=m, k=k), tensor("V", j=m, r=r)
    z = attention(q_, k_, v_, "j", "k")
    here, ones = (d, k, r), frozenset({(1, 1, 1)})
    first = pointwise("at_most", iota(m, "j"), number(0))
    values = frozenset({Atom(q_, "=", number(1)), *(Atom(t, "=", first) for t in (k_, v_)),
                        swap(m, rho)})  # fmt: skip
    there = frozenset({*map(leaf_of, (q_, k_, v_)), rho})
    found = []
    for name, alone in (("keys", k_), ("values", v_)):
        atom = Atom(image(z, {leaf_of(alone): (rho, None)}), "≠", z, True)
        of = Sizes(frozenset({(m, 2)}), here, ones)
        s = Statement(atom, exists=there, sizes=of)
        small = replace(s, sizes=Sizes(frozenset({(m, 1)}), here, ones))
        both = {leaf_of(k_): (rho, None), leaf_of(v_): (rho, None)}
        same = says(s, lhs=image(z, both))
        found.append(Case(name, s, ("first", "scale", "single"), (small, same), values))
    return found


def cases() -> list[Case]:
    """All of them."""
    return [*one_each(), *angles(), *places(), outside(), *witnesses()]
