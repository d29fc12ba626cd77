"""What Rocq understands of a generated proposition: truths that it proves, and false twins that the
same tactics do not, for each constructor; and every claim of the book, as a proposition."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import pytest

from orderproof.check.rocq.claims import imports
from orderproof.check.rocq.library import MATRICES, Library
from orderproof.check.rocq.run import coqc
from orderproof.proofs import catalogue
from orderproof.symbolic.calculus.terms import Map, Set, Term, at
from orderproof.symbolic.models.builders import (
    add,
    call,
    cat,
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
    sqrt,
    subtract,
    symbol,
    tensor,
    total,
)
from orderproof.symbolic.readings.rocq_statement import proposition
from orderproof.symbolic.statements.statement import Atom, Statement, sizes

HEAD = imports(MATRICES)
n, m = Set("n"), Set("m")
sigma, tau = permutation("σ", n), permutation("τ", m)
a, b, c = tensor("a", i=n), tensor("b", i=m), tensor("c", j=m)
f = symbol("f", (n,), m, bijective=True)
JOIN = (n, m)
inr, inl, pair = (Map(kind, JOIN) for kind in ("inr", "inl", "pair"))
SUM, GRID = Set("+", JOIN), Set("×", JOIN)


@dataclass(frozen=True)
class Twins:
    """A truth, what is false and differs from it in one place, and the tactic that tells them."""

    true: Statement
    false: Statement
    tactic: str


def equal(left: Term, right: Term, wrong: Term, tactic: str = "by []") -> Twins:
    """left = right, and not left = wrong."""
    return Twins(*(Statement(Atom(left, "=", x)) for x in (right, wrong)), tactic)


def twice(x: Term, y: Term) -> Term:
    """x − 2y, by a definition of two formals."""
    u, v = tensor("u"), tensor("v")
    op = define("twice", [u, v], subtract(u, multiply(number(2), v)))
    return call(op, [x, y], [(), ()], ())


ZERO, ONE, HALF = number(0), number(1), number(Fraction(1, 2))
x, y = tensor("x"), tensor("y")
place_ = iota(GRID, "i")
F = {"k": "k"}
X, Y = tensor("X", k=m), tensor("Y", k=m)
TWINS = {
    "iota over a sum": equal(
        at(iota(SUM, "i"), {"i": inr("j")}), add(size(n), iota(m, "j")), iota(m, "j"),
        "by move=> R n m j; rewrite natrD",
    ),
    "iota over a product": equal(
        at(place_, {"i": pair("i", "j")}),
        add(multiply(iota(n, "i"), size(m)), iota(m, "j")),
        add(multiply(iota(n, "i"), size(n)), iota(m, "j")),
        "by move=> R n m i j; rewrite natrD natrM",
    ),
    "the size of a product": equal(
        size(GRID), multiply(size(n), size(m)), size(n), "by move=> R n m; rewrite natrM"
    ),
    "the size of a sum": equal(
        size(SUM), add(size(n), size(m)), size(n), "by move=> R n m; rewrite natrD"
    ),
    "the left part": equal(at(cat(a, b, "i"), {"i": inl("i")}), a, ZERO),
    "the right part": equal(at(cat(a, b, "i"), {"i": inr("i")}), b, ZERO),
    "beside": equal(
        moved(cat(a, b, "i"), i=Map("beside", (sigma, tau))),
        cat(moved(a, i=sigma), moved(b, i=tau), "i"),
        cat(moved(a, i=sigma), b, "i"),
        "by move=> R n m s t a b [i|i]",
    ),
    "the inverse": equal(
        at(a, {"i": inverse(sigma)(sigma("i"))}), a, at(a, {"i": sigma(sigma("i"))}),
        "by move=> R n s a i; rewrite permK",
    ),
    "the inverse between two sets": equal(
        at(a, {"i": inverse(f)(f("i"))}), a, ZERO, "by move=> R n m f g fK gK a i; rewrite fK"
    ),
    "a pair": equal(
        at(a, {"i": Map("fst", JOIN)(pair("i", "j"))}), a, ZERO
    ),
    "the second of a pair": equal(
        at(c, {"j": Map("snd", JOIN)(pair("i", "j"))}), c, ZERO
    ),
    "delta": equal(
        total(multiply(delta(n, "i", "j"), a.rename({"i": "j"})), "j"), a, moved(a, i=sigma),
        "by move=> R n a i; rewrite (bigD1 i) //= eqxx mul1r big1 ?addr0 // => k /negPf ne; "
        "rewrite eq_sym ne mul0r",
    ),
    "a difference": equal(subtract(x, y), add(x, pointwise("neg", y)), add(y, pointwise("neg", x))),
    "a fraction": equal(
        add(HALF, HALF), ONE, ZERO, "by move=> R; rewrite -splitr"
    ),
    "a negative number": equal(add(number(-1), ONE), ZERO, ONE, "by move=> R; rewrite addNr"),
    "at most": equal(
        pointwise("at_most", ZERO, ONE), ONE, ZERO, "by move=> R; rewrite ler01"
    ),
    "not at most": equal(
        pointwise("at_most", ONE, ZERO), ZERO, ONE, "by move=> R; rewrite ler10"
    ),
    "the positive part": equal(
        pointwise("relu", number(-1)), ZERO, number(-1),
        "by move=> R; rewrite max_r // oppr_le0 ler01",
    ),
    "the greater": equal(
        pointwise("max", ONE, ZERO), ONE, ZERO, "by move=> R; rewrite max_l // ler01"
    ),
    "the exponential": equal(
        exp(ZERO), ONE, ZERO, "by move=> R w wP; rewrite exponential0"
    ),
    "the root": equal(
        sqrt(ONE), ONE, ZERO, "by move=> R r rP; rewrite square_root1"
    ),
    "a definition": equal(
        twice(x, y), subtract(x, multiply(number(2), y)), subtract(y, multiply(number(2), x))
    ),
    "any operator": equal(
        opaque("F", F, add(X, ZERO), {"k": m}), opaque("F", F, X, {"k": m}),
        opaque("F", F, add(X, Y), {"k": m}),
        "by move=> R m X F F_ext k; apply: F_ext => i; rewrite addr0",
    ),
    "the largest": Twins(
        Statement(Atom(a, "≤", add(reduce("max", a.rename({"i": "j"}), "j"), multiply(ZERO, a)))),
        Statement(Atom(a, "≤", add(reduce("min", a.rename({"i": "j"}), "j"), multiply(ZERO, a)))),
        "by move=> R n a i; rewrite mul0r addr0; apply: (maximum_leP _ i _ (lexx _))",
    ),
    "the product over none": Twins(
        Statement(Atom(reduce("prod", a, "i"), "=", ONE), sizes=sizes(among={n: (0,)})),
        Statement(Atom(reduce("prod", a, "i"), "=", ONE), sizes=sizes(among={n: (0, 1)})),
        "by move=> R n; rewrite !inE => /eqP-> a; rewrite big_ord0",
    ),
    "less": Twins(
        Statement(Atom(ZERO, "<", ONE)), Statement(Atom(ONE, "<", ZERO)),
        "by move=> R; rewrite ltr01",
    ),
    "a least size": Twins(
        Statement(Atom(ZERO, "<", size(n)), sizes=sizes({n: 1})),
        Statement(Atom(ZERO, "<", size(n))),
        "by move=> R [|n] // _; rewrite ltr0Sn",
    ),
    "a hypothesis": Twins(
        Statement(Atom(ZERO, "<", a), frozenset({Atom(ONE, "<", a)})),
        Statement(Atom(ZERO, "<", a), frozenset({Atom(ZERO, "≤", a)})),
        "by move=> R n a a1 i; rewrite (lt_trans ltr01 (a1 i))",
    ),
    "there is": Twins(
        Statement(Atom(a, "≠", ZERO, some=True), exists=frozenset({leaf_of(a)}),
                  such=frozenset({Atom(a, "=", ONE)}), sizes=sizes({n: 1})),
        Statement(Atom(a, "≠", ZERO, some=True), exists=frozenset({leaf_of(a)}),
                  such=frozenset({Atom(a, "=", ZERO)}), sizes=sizes({n: 1})),
        "by move=> R [|n] // _; exists (fun=> 1); split=> //; exists ord0; apply/eqP/oner_neq0",
    ),
    "a sum of values": equal(total(add(a, ZERO), "i"), total(a, "i"), ZERO,
        "by move=> R n a; apply: eq_bigr => i _; rewrite addr0"),
}  # fmt: skip


@pytest.fixture(scope="module")
def shallow(library: Library) -> Path:
    """What propositions are written with, compiled."""
    return library.folder


@pytest.mark.slow
def test_truths_and_their_false_twins(shallow: Path) -> None:
    """A part of a statement would be written as something else, which is as easily proved."""
    text = [HEAD]
    for twins in TWINS.values():
        text.append(f"Goal {proposition(twins.true)}.\nProof. {twins.tactic}. Qed.")
        text.append(f"Goal {proposition(twins.false)}.\nProof. Fail ({twins.tactic}). Abort.")
    path = shallow / "Twins.v"
    path.write_text("\n".join(text))
    coqc(path, shallow, 300)


@pytest.mark.slow
def test_every_claim_of_the_book_is_a_proposition(shallow: Path) -> None:
    """A claim would be written as something that Rocq cannot read, or gives no type."""
    text = [HEAD]
    for name in catalogue.IDS:
        theorem = catalogue.load(name)
        planted = (n.claim for n in theorem.neighbours)
        for k, claim in enumerate((*theorem.claims, *planted)):
            text.append(f"Definition {name}_{k} : Prop :=\n{proposition(claim.statement)}.\n")
    path = shallow / "Claims.v"
    path.write_text("\n".join(text))
    coqc(path, shallow, 300)
    assert len(text) > 200
