"""Small statements that use every constructor, every kind of map and every field."""

from dataclasses import replace
from fractions import Fraction

from orderproof.symbolic.calculus.terms import Map, Op, Set, at, build
from orderproof.symbolic.models.builders import (
    POINT,
    add,
    call,
    cat,
    constant,
    define,
    delta,
    inverse,
    iota,
    leaf_of,
    moved,
    multiply,
    number,
    opaque,
    permutation,
    pointwise,
    reduce,
    size,
    symbol,
    tensor,
    total,
)
from orderproof.symbolic.statements.statement import Atom, Sizes, Statement, sizes

n, m, d = Set("n"), Set("m"), Set("d")
X, Y, Z, C = tensor("X", i=n), tensor("Y", i=n), tensor("Z", j=m), tensor("C")
A, B, F = tensor("A", i=n), tensor("B", i=n), tensor("F", i=n)
ZERO, ONE = number(0), number(1)
sigma, rho, p, f = permutation("σ", n), permutation("ρ", n), constant("p", n), symbol("f", (n,), m)
swap = symbol("s", (n,), m, bijective=True)
EQUAL = Atom(X, "=", Y)


def odd() -> dict[str, Statement]:
    """Small statements that use every constructor, every kind of map and every field."""
    both = Map("beside", (sigma, inverse(swap)))
    joined = cat(X, tensor("Z", i=m), "i")
    inner = define("inner", [F], multiply(F, total(F, "i")))
    outer = define("outer", [A, B], add(call(inner, [A], [["i"]], ["i"]), B))
    pair, fst = (Map(kind, (n, m)) for kind in ("pair", "fst"))
    merged = tensor("G", i=Set("×", (n, m)))
    unknown = opaque("T", {"i": "k"}, multiply(X, Z), {"k": d})
    least = Statement(Atom(X, "<", C, some=True), sizes=sizes({n: 2}))
    return {
        "numbers": Statement(Atom(ONE, "=", number(Fraction(-1, 2)))),
        "sizes of sets": Statement(Atom(size(n), "=", size(m))),
        "a point": Statement(Atom(tensor("P", c=POINT), "=", ZERO)),
        "an operator": Statement(Atom(unknown, "=", tensor("R", k=d, j=m))),
        "an operator of no argument": Statement(
            Atom(build(Op("opaque", ("T", (), (n,))), [], [], "i"), "=", X)
        ),
        "sums of sets": Statement(
            Atom(
                at(tensor("S", i=Set("+", (n, n))), {"i": both("q")}),
                "=",
                tensor("U", q=Set("+", (n, m))),
            )
        ),
        "sides of a sum": Statement(
            Atom(
                at(joined, {"i": Map("inl", (n, m))("i")}),
                "=",
                at(joined, {"i": Map("inr", (n, m))(f("i"))}),
            )
        ),
        "products of sets": Statement(
            Atom(
                at(merged, {"i": pair("i", "j")}),
                "≠",
                multiply(at(X, {"i": fst("q")}), at(merged, {"i": "q"})),
                some=True,
            )
        ),
        "definitions": Statement(
            Atom(call(outer, [X, Y], [["i"], ["i"]], ["i"]), "=", call(inner, [Y], [["i"]], ["i"]))
        ),
        "functions": Statement(
            Atom(pointwise("exp", X), "<", reduce("max", pointwise("max", X, Y, ONE), "i"))
        ),
        "places": Statement(Atom(at(X, {"i": p()}), "=", at(Y, {"i": constant("q", n)()}))),
        "identity, iota, delta": Statement(
            Atom(
                at(delta(n, "a", "b"), {"a": sigma("i"), "b": "i"}),
                "=",
                at(iota(n, "i"), {"i": Map("identity", (n,))("i")}),
            )
        ),
        "a map of two": Statement(Atom(at(X, {"i": symbol("g", (n, m), n)("i", "j")}), "=", Z)),
        "a bound": least,
        "another bound": replace(least, sizes=sizes({n: 3})),
        "a list": replace(least, sizes=sizes(among={n: [0, 2, 3]})),
        "a joint list": Statement(
            Atom(X, "=", Z), sizes=Sizes(of=(m, n), among=frozenset({(1, 2), (3, 1)}))
        ),
        "its mirror": Statement(
            Atom(X, "=", Z), sizes=Sizes(of=(n, m), among=frozenset({(1, 2), (3, 1)}))
        ),
        "both": Statement(Atom(X, "=", Z), sizes=sizes({m: 1}, {n: [1, 2]})),
        "existence": Statement(
            EQUAL,
            frozenset({Atom(Y, "≠", ZERO)}),
            frozenset({leaf_of(X)}),
            frozenset({Atom(X, "≤", Y)}),
        ),
        "existence of a map": Statement(
            Atom(moved(X, i=sigma), "≠", X, True), exists=frozenset({sigma})
        ),
        "existence of all": Statement(
            Atom(moved(X, i=sigma), "≠", X, True), exists=frozenset({sigma, leaf_of(X)})
        ),
        "existence of an operator": Statement(
            Atom(unknown, "=", ZERO), exists=frozenset({unknown.node.op})
        ),
        "alike": Statement(
            EQUAL, frozenset({Atom(A, "≤", ONE), Atom(B, "≤", ONE), Atom(A, "<", B)})
        ),
        "alike, the other way": Statement(
            Atom(X, "=", Y),
            frozenset({Atom(A, "≤", ONE), Atom(B, "≤", ONE), Atom(A, "<", B), Atom(B, "=", ZERO)}),
        ),
        "alike over two sets": Statement(
            Atom(X, "=", Z), frozenset({Atom(A, "≤", ONE), Atom(tensor("B", j=m), "≤", ONE)})
        ),
        "alike in maps": Statement(
            EQUAL,
            frozenset(
                {
                    Atom(moved(A, i=sigma), "=", A),
                    Atom(moved(A, i=rho), "=", A),
                    Atom(moved(B, i=rho), "=", B),
                }
            ),
        ),
        "a ring of hypotheses": Statement(
            EQUAL, frozenset({Atom(A, "<", B), Atom(B, "<", F), Atom(F, "<", A)})
        ),
    }


ODD = odd()


LOW = Atom(tensor("L", j=m), "≤", ONE)
BASE = Statement(
    Atom(add(multiply(X, moved(Y, i=sigma)), C), "<", ONE, some=True),
    frozenset({Atom(Y, "≤", C), Atom(moved(Y, i=rho), "≠", Z, some=True), LOW}),
    frozenset({leaf_of(X)}),
    frozenset({Atom(X, "=", Y), Atom(X, "≠", ZERO)}),
    sizes({m: 1}, {n: [2, 3]}),
)
