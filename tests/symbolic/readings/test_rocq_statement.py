"""Statements as Rocq propositions: the text of each part. How Rocq reads them: tests/rocq."""

from __future__ import annotations

from fractions import Fraction

import pytest

from orderproof.proofs import catalogue
from orderproof.symbolic.calculus.terms import Map, Set, Term, at
from orderproof.symbolic.models.attention import softmax
from orderproof.symbolic.models.builders import (
    POINT,
    add,
    call,
    cat,
    constant,
    define,
    delta,
    exp,
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
from orderproof.symbolic.readings.rocq_statement import proposition
from orderproof.symbolic.statements.statement import Atom, Statement, sizes
from tests.judged import loaded

n, m = Set("n"), Set("m")
sigma = permutation("σ", n)
a, X = tensor("a", i=n), tensor("X", i=n, c=m)


def last(t: Term, relation: str = "=", other: Term | None = None) -> str:
    """The atom t relation 0, the last line of its proposition."""
    right = other if other is not None else number(0)
    return proposition(Statement(Atom(t, relation, right))).splitlines()[-1]


def test_the_whole() -> None:
    """A quantifier, a size, a hypothesis or a side would be missing, or stand elsewhere."""
    given = frozenset({Atom(number(0), "<", a)})
    s = Statement(
        Atom(total(moved(a, i=sigma), "i"), "=", total(a, "i")), given, sizes=sizes({n: 2})
    )
    assert proposition(s) == (
        "forall R : realFieldType,\n"
        "forall n : nat,\n"
        "(2 <= n)%N ->\n"
        "forall sigma : 'S_n,\n"
        "forall a : 'I_n -> R,\n"
        "(forall (i : 'I_n), 0 < a i :> R) ->\n"
        "\\sum_(i : 'I_n) (a (sigma i)) = \\sum_(i : 'I_n) a i :> R"
    )


def test_there_is() -> None:
    """What there is would be claimed for all, or without its condition, or in every entry."""
    atom = Atom(moved(a, i=sigma), "≠", a, some=True)
    such = frozenset({Atom(number(0), "≤", a)})
    s = Statement(atom, exists=frozenset({leaf_of(a)}), such=such, sizes=sizes(among={n: (2, 3)}))
    assert proposition(s).splitlines()[2:] == [
        "n \\in [:: 2%N; 3%N] ->",
        "forall sigma : 'S_n,",
        "exists a : 'I_n -> R,",
        "(forall (i : 'I_n), 0 <= a i :> R) /\\",
        "exists (i : 'I_n), a (sigma i) <> a i :> R",
    ]


def test_joint_sizes() -> None:
    """Sizes that are listed together would be listed apart."""
    s = Statement(Atom(X, "=", X), sizes=sizes(among={n: (2,), m: (1, 3)}))
    assert "(n, m) \\in [:: (2%N, 1%N); (2%N, 3%N)] ->" in proposition(s)


JOIN, GRID = Set("+", (n, m)), Set("×", (n, m))
P, Q = tensor("P", i=JOIN), tensor("Q", i=GRID)
tau = permutation("τ", m)
ATOMS = {
    "relations": (last(a, "≤"), "forall (i : 'I_n), a i <= 0 :> R"),
    "a fraction": (last(number(Fraction(-1, 2))), "- (1 / 2%:R) = 0 :> R"),
    "a size": (last(size(JOIN)), "(n + m)%N%:R = 0 :> R"),
    "delta": (last(delta(n, "i", "j")), "forall (i : 'I_n) (j : 'I_n), (i == j)%:R = 0 :> R"),
    "iota": (last(iota(n, "i")), "forall (i : 'I_n), (nat_of_ord i)%N%:R = 0 :> R"),
    "a product": (
        last(iota(GRID, "i")),
        "forall (i : ('I_n * 'I_m)%type), "
        "((nat_of_ord ((i).1)) * m + nat_of_ord ((i).2))%N%:R = 0 :> R",
    ),
    "a sum": (
        last(cat(a, tensor("b", i=m), "i")),
        "forall (i : ('I_n + 'I_m)%type), "
        "match i with inl a_1 => a a_1 | inr a_1 => b a_1 end = 0 :> R",
    ),
    "the inverse": (
        last(moved(a, i=inverse(sigma))),
        "forall (i : 'I_n), a ((sigma^-1)%g i) = 0 :> R",
    ),
    "beside": (
        last(moved(P, i=Map("beside", (sigma, tau)))),
        "forall (i : ('I_n + 'I_m)%type), P (match i with inl a => @inl 'I_n 'I_m (sigma a) "
        "| inr b => @inr 'I_n 'I_m (tau b) end) = 0 :> R",
    ),
    "a pair": (
        last(at(Q, {"i": Map("pair", (n, m))("i", "j")})),
        "forall (i : 'I_n) (j : 'I_m), Q (i, j) = 0 :> R",
    ),
    "the first of a pair": (
        last(moved(a, i=Map("fst", (n, m)))),
        "forall (i : ('I_n * 'I_m)%type), a (i.1) = 0 :> R",
    ),
    "a place": (last(at(a, {"i": constant("q", n)()})), "a q = 0 :> R"),
    "the largest": (last(reduce("max", a, "i")), "maximum (fun i : 'I_n => a i) = 0 :> R"),
    "at most": (
        last(pointwise("at_most", a, number(1))),
        "forall (i : 'I_n), (a i <= 1 :> R)%R%:R = 0 :> R",
    ),
    "any function": (last(pointwise("gelu", a)), "forall (i : 'I_n), geluf (a i) = 0 :> R"),
}


@pytest.mark.parametrize("what", ATOMS)
def test_atoms(what: str) -> None:
    """A constructor would be written as another, or with its parts exchanged."""
    written, expected = ATOMS[what]
    assert written == expected


def test_what_is_quantified() -> None:
    """A map, an operator or a function would have another type, or no hypothesis of its own."""
    f = symbol("f", (n,), m, bijective=True)
    g = symbol("g", (n, m), n)
    t = opaque("F", {"c": "c"}, at(X, {"i": g("i", "j")}), {"c": m})
    back = at(tensor("b", k=m), {"k": f("i")})
    text = proposition(Statement(Atom(add(t, pointwise("exp", back)), "=", number(0))))
    assert "forall expf : R -> R,\nexponential expf ->" in text
    assert "forall g : 'I_n -> 'I_m -> 'I_n," in text
    assert "forall (f : 'I_n -> 'I_m) (f_inverse : 'I_m -> 'I_n),\n" in text
    assert "cancel f f_inverse ->\ncancel f_inverse f ->" in text
    assert "forall F : ('I_m -> R) -> 'I_m -> R,\n(forall x y : 'I_m -> R, " in text


def test_what_is_known_of_functions() -> None:
    """cos and sin would be any two functions, or one of them alone would be assumed to turn with
    another that is not there; and the exponential to base 2 would be any function."""
    cos, sin, exp2 = (pointwise(f, a) for f in ("cos", "sin", "exp2"))
    text = proposition(Statement(Atom(add(sin, add(cos, exp2)), "=", number(0))))
    assert text.count("circular cosf sinf ->\n") == 1
    assert text.count("exponential exp2f ->\n") == 1
    assert text.index("forall sinf") < text.index("circular") < text.index("forall n : nat")
    assert "circular" not in proposition(Statement(Atom(sin, "=", number(0))))


def test_definitions_and_what_is_shared_are_bound_once() -> None:
    """A deep term would be written in full at each use: two to the power of its depth."""
    t = X
    for _ in range(40):
        t = add(softmax(t, "c"), t)
    text = proposition(Statement(Atom(t, "=", t)))
    assert len(text) < 10_000
    assert text.count("let softmax ") == 1


def test_a_formal_with_the_name_of_a_tensor() -> None:
    """The body of a definition would speak of the tensor outside, and not of what it is given."""
    x = tensor("x", i=n)
    square = multiply(exp(x), exp(x))
    twice = define("twice", [x], add(square, square))
    t = add(add(square, square), call(twice, [tensor("y", i=n)], [["i"]], ["i"]))
    text = proposition(Statement(Atom(t, "=", t)))
    assert "let t1 (i : 'I_n) : R := expf (x i) in" in text
    (line,) = (x for x in text.splitlines() if x.startswith("let twice"))
    assert line.startswith("let twice (x_1 : 'I_n -> R) (i : 'I_n) : R := let t1")
    assert "expf (x_1 j)" in line and "t1_1 j * t1_1 j" in line
    assert "t1 j" not in line and "t2 i" not in line


def test_names() -> None:
    """Two symbols would have one name, or a word of Rocq."""
    both = add(tensor("S", i=n), tensor("let", i=n), tensor("X′", i=n), tensor("fun", k=POINT))
    text = proposition(Statement(Atom(both, "=", number(0))))
    for name in ("S_1 :", "let_1 :", "X' :", "fun_1 : 'I_1"):
        assert f"forall {name}" in text


@pytest.mark.parametrize(
    "name",
    [pytest.param(x, marks=[pytest.mark.slow] * (k % 8 > 0)) for k, x in enumerate(catalogue.IDS)],
)
def test_every_claim_is_written(name: str) -> None:
    """A statement of the book could not be asked of Rocq."""
    for claim in loaded(name).claims:
        assert proposition(claim.statement).startswith("forall R : realFieldType,")
