"""composes(): the permutations for which a statement is true have products, or it says why not."""

import random
from itertools import product

import pytest

from orderproof.symbolic.calculus.terms import Map, Set, Term, at, map_type
from orderproof.symbolic.models.builders import (
    add,
    delta,
    image,
    inverse,
    iota,
    moved,
    multiply,
    number,
    permutation,
    pointwise,
    symbol,
    tensor,
    total,
)
from orderproof.symbolic.statements.logic import composes
from orderproof.symbolic.statements.statement import Atom, Statement
from tests.symbolic.statements.models import Finite, parts, tables, valued
from tests.symbolic.statements.small_statements import FALSE, N, X, Y, n, op, p

sigma, rho = permutation("σ", n), permutation("ρ", n)
FIRST = pointwise("max", number(0), add(number(1), iota(n, "i")))  # tells some tokens apart
GRAM = multiply(X, Y.rename({"i": "j"}))
BY_X = {op(X): (sigma,)}


def pushed(f: Term, moves: dict, **axes: Map) -> Statement:  # type: ignore[type-arg]
    """f(X moved) = f(X) moved."""
    return Statement(Atom(image(f, moves), "=", moved(f, **axes)))


def compose(after: dict, first: dict) -> dict:  # type: ignore[type-arg]
    """The table of a product."""
    return {k: after[(v,)] for k, v in first.items()}


def open_under_products(s: Statement, most: int) -> str:
    """Permutations for which s is true, and whose product is none; nothing if there are none."""
    sets, maps, tensors = parts((s.atom, *s.given))
    acting = sorted((m for m in maps if map_type(m)[2]), key=repr)
    for k in range(most + 1):
        for world in valued(Finite({x.name: k for x in sets}, harsh=False), maps - {*acting}, ()):
            true = []
            for chosen in product(*(list(tables(world, m)) for m in acting)):
                own = world.tables | dict(zip(acting, chosen, strict=True))
                here = Finite(world.sizes, 0, False, False, {}, own, {}, world.lists)
                models = valued(here, (), tensors)
                if all(m.holds(s.atom) for m in models if all(map(m.holds, s.given))):
                    true.append(chosen)
            for one, other in product(true, true):
                both = tuple(map(compose, one, other))
                if both not in true:
                    return f"{one} and {other}"
    return ""


GOOD = {
    "a tensor": pushed(X, BY_X, i=sigma),
    "with a table": pushed(add(X, FIRST), BY_X, i=sigma),
    "with a fixed tensor": pushed(multiply(X, Y), BY_X, i=sigma),
    "a sum": pushed(total(X, "i"), BY_X),
    "a sum with weights": pushed(total(multiply(X, FIRST), "i"), BY_X),
    "two tensors by one": pushed(GRAM, {op(X): (sigma,), op(Y): (sigma,)}, i=sigma, j=sigma),
    "two tensors by two": pushed(GRAM, {op(X): (sigma,), op(Y): (rho,)}, i=sigma, j=rho),
    "rows against columns": pushed(total(multiply(X, Y), "i"), {op(X): (sigma,), op(Y): (rho,)}),
    "a place": pushed(at(X, {"i": p()}), BY_X),
    "a map": pushed(at(X, {"i": symbol("f", (n,), n)("i")}), BY_X, i=sigma),
    "rows": pushed(at(N, {"i": p()}), {op(N): (sigma, None)}),
    "the other way": pushed(add(X, FIRST), BY_X),
}


LONG = ("two tensors by two",)  # for "rows against columns" two maps are composed as well


@pytest.mark.parametrize(
    "what", [pytest.param(x, marks=[pytest.mark.slow] * (x in LONG)) for x in GOOD]
)
def test_where_it_composes_products_of_true_ones_are_true(what: str) -> None:
    """All permutations would be said to follow from generators, and would not."""
    s = GOOD[what]
    assert composes(s) == ""
    assert (
        open_under_products(
            s, 2 if op(N) in s.tensors else 4 if s.tensors == (op(X),) and len(s.maps) < 2 else 3
        )
        == ""
    )


TWICE = at(moved(X, i=sigma), {"i": sigma("i")})
ROWS = total(multiply(moved(X, i=sigma), Y), "i")
ADJOINT = ROWS, "=", total(multiply(X, moved(Y, i=sigma)), "i")
PLANTED = {
    "moved by σ twice": Statement(Atom(TWICE, "=", X)),
    "σ and its inverse": Statement(Atom(moved(X, i=sigma), "=", moved(X, i=inverse(sigma)))),
    "by two maps in turn": Statement(Atom(at(moved(X, i=sigma), {"i": rho("i")}), "=", X)),
    "σ in what is moved": Statement(Atom(*ADJOINT)),
    "one occurrence not moved": Statement(
        Atom(moved(delta(n, "i", "j"), i=sigma), "=", moved(delta(n, "i", "j"), j=sigma))
    ),
    "a hypothesis on what is moved": Statement(FALSE, frozenset({Atom(TWICE, "≠", X, some=True)})),
    "another relation": Statement(Atom(add(TWICE, X), "≤", number(0))),
    "at some assignment": Statement(Atom(moved(FIRST, i=sigma), "≠", FIRST, some=True)),
}  # fmt: skip


@pytest.mark.parametrize("what", PLANTED)
def test_what_has_no_products_is_refused(what: str) -> None:
    """X[σσ i] = X[i] is true of every transposition, and not of a product of two."""
    s = PLANTED[what]
    assert open_under_products(s, 3)
    reason = composes(s)
    assert reason and "\n" not in reason


DIAGONAL = at(N, {"i": sigma("k"), "j": sigma("k")})
REFUSED = {
    "two maps for one tensor": Statement(
        Atom(multiply(moved(X, i=sigma), moved(X, i=rho)), "=", moved(multiply(X, X), i=sigma))
    ),
    "one of two not moved": Statement(
        Atom(multiply(moved(X, i=sigma), X), "=", moved(multiply(X, X), i=sigma))
    ),
    "a diagonal": Statement(
        Atom(at(N, {"i": sigma("k"), "j": "k"}), "=", at(N, {"i": sigma("k"), "j": "k"}))
    ),
    "a diagonal, moved": Statement(Atom(DIAGONAL, "=", DIAGONAL)),
    "existence": Statement(Atom(moved(X, i=sigma), "=", X), exists=frozenset({op(X)})),
    "between two sets": Statement(
        Atom(moved(X, i=symbol("s", (Set("m"),), n, bijective=True)), "=", tensor("V", i=Set("m")))
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_not_of_its_form_is_refused_in_words(what: str) -> None:
    """A statement of another form would end in an error, or be taken to compose."""
    reason = composes(REFUSED[what])
    assert reason and "\n" not in reason


@pytest.mark.parametrize(
    ("trials", "least"), [(40, 2), pytest.param(250, 20, marks=pytest.mark.slow)]
)
def test_at_random_whatever_composes_has_products(trials: int, least: int) -> None:
    """A form of statement that nobody planted would slip through. Seed 5."""
    rng = random.Random(5)
    by = [sigma, inverse(sigma), rho, None]

    def act(t: Term) -> Term:
        m = rng.choice(by)
        return moved(t, i=m) if m else t

    def term(depth: int) -> Term:
        if depth == 0:
            return act(rng.choice([X, X, Y, FIRST]))
        kind = rng.choice(["add", "mul", "max", "act", "leaf"])
        if kind in ("act", "leaf"):
            return act(term(depth - 1))
        return pointwise(kind, term(depth - 1), term(depth - 1))

    said, refuted = 0, 0
    for _ in range(trials):
        f = term(rng.randint(0, 2))
        if rng.random() < 0.5:
            f = rng.choice(
                [X, add(X, FIRST), multiply(X, Y), multiply(X, X), add(X, multiply(X, FIRST))]
            )
        right = act(f)
        left = rng.choice([term(rng.randint(0, 1)), image(f, {op(X): (rng.choice(by),)}), act(f)])
        if rng.random() < 0.2:
            left, right = (total(t, "i") for t in (left, right))
        s = Statement(Atom(left, "=", right))
        if composes(s) == "":
            said += 1
            assert open_under_products(s, 3) == "", s
        elif rng.random() < 0.2:
            refuted += bool(open_under_products(s, 3))
    assert said > least and refuted > 0, (said, refuted)
