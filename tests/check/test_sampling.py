"""Cases of a statement: the sizes, maps and values that its hypotheses admit, read off it."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from typing import Any

import pytest
from sympy.combinatorics import Permutation, PermutationGroup

from orderproof.check.claims import Atom, holds, sizes
from orderproof.check.marks.sympy_entries import by_sympy
from orderproof.check.sampling import (
    admits,
    generators,
    least_cases,
    orbits,
    signs,
    small_cases,
    substituted,
    unread,
)
from orderproof.proofs.symbols import X, d, m, n, sigma
from orderproof.symbolic.calculus.terms import Map, Term, at
from orderproof.symbolic.models.builders import (
    add,
    constant,
    iota,
    leaf_of,
    moved,
    multiply,
    number,
    tensor,
    total,
)
from orderproof.symbolic.statements.logic import composes
from orderproof.symbolic.statements.statement import Sizes, Statement
from tests.judged import loaded, main_claim, ok, under_hypothesis

x, y, z = tensor("x", i=n), tensor("y", i=n), tensor("z")
ZERO = number(0)


def statement(lhs: Term, rhs: Term, relation: str = "=", **conditions: Any) -> Statement:
    """lhs relation rhs."""
    return holds(lhs, relation, rhs, {}, **conditions).statement


# ------------------------------------------------------------------------------- which cases exist
def covered(s: Statement) -> tuple[dict[int, set[Any]], dict[str, set[int]]]:
    """For each n the permutations that occur, and for each other set the sizes, n ≤ 4."""
    tables: dict[int, set[Any]] = defaultdict(set)
    widths: dict[str, set[int]] = defaultdict(set)
    for sizes_, maps in small_cases(s, composes(s) == ""):
        tables[sizes_["n"]].add(tuple(maps["sigma"]))
        if sizes_["n"] <= 4:
            for name in sizes_.keys() - {"n"}:
                widths[name].add(sizes_[name])
    return tables, widths


def test_every_permutation_to_4_and_generators_to_8() -> None:
    """The sympy mark would miss a permutation, a size, or what generates the group."""
    s = main_claim().statement
    tables, widths = covered(s)
    assert sorted(tables) == list(range(9))
    for size in range(5):
        assert tables[size] == set(itertools.permutations(range(size)))
    for size in range(5, 9):
        assert tables[size] == set(generators(size)) and len(tables[size]) == 2
    assert widths == {name: {0, 1, 2, 3, 4} for name in ("d", "d_k", "d_v")}
    fixed = under_hypothesis().statement  # what fixes E depends on σ: generators are not enough
    assert sorted(covered(fixed)[0]) == [0, 1, 2, 3, 4]


def test_every_permutation_meets_every_width() -> None:
    """Some σ would be tried at one feature size alone."""
    met = {
        (sizes_["d"], tuple(maps["sigma"]))
        for sizes_, maps in small_cases(main_claim().statement, composes=True)
        if sizes_["n"] <= 4
    }
    assert len(met) == 5 * (1 + 1 + 2 + 6 + 24)


def test_two_permutations_are_paired_and_unequal_sizes_tried() -> None:
    """softmax(P S Rᵀ) would be tried at square matrices alone, or with R tied to P."""
    pairs: dict[tuple[int, int], set[Any]] = defaultdict(set)
    for sizes_, maps in small_cases(loaded("softmax_conjugate").claims[0].statement, True):
        pairs[sizes_["n"], sizes_["m"]].add((tuple(maps["sigma"]), tuple(maps["rho"])))
    for size in itertools.product((1, 2, 3), repeat=2):
        assert len(pairs[size]) == math.factorial(size[0]) * math.factorial(size[1])
    assert any(a != b for a, b in pairs[3, 3])


@pytest.mark.parametrize("size", range(1, 9))
def test_generators_generate(size: int) -> None:
    """What is checked for the two would not follow for all n! permutations."""
    group = PermutationGroup([Permutation(list(g)) for g in generators(size)])
    assert group.order() == math.factorial(size)
    if size > 2:  # the cycle alone is not enough
        assert PermutationGroup([Permutation(list(generators(size)[1]))]).order() == size


def test_generators_of_two_permutations_generate() -> None:
    """What is checked for pairs would not follow for all pairs: of (swap, swap) and the like, all
    products are even together."""
    s = loaded("softmax_conjugate").claims[0].statement
    for size in (6, 8):
        pairs = {
            (tuple(maps["sigma"]), tuple(maps["rho"]))
            for sizes_, maps in small_cases(s, composes=True)
            if sizes_["n"] == size
        }
        both = [Permutation([*a, *(size + k for k in b)]) for a, b in pairs]
        assert PermutationGroup(both).order() == math.factorial(size) ** 2


def test_only_sizes_of_the_statement_are_tried() -> None:
    """A claim for n ≥ 2, or for listed sizes, would be looked at where it says nothing; or a listed
    size would be left out."""
    bare = statement(moved(X, i=sigma), X)
    for over in (sizes({n: 2}), sizes({d: 3}), sizes(among={n: (2, 3), d: (1,)})):
        s = Statement(bare.atom, sizes=over)
        found = list(small_cases(s, composes=True))
        assert found and all(admits(s, at_) for at_, _ in found)
    joint = Sizes(of=(n, d), among=frozenset({(2, 1), (3, 2)}))
    seen = {(at_["n"], at_["d"]) for at_, _ in small_cases(Statement(bare.atom, sizes=joint), True)}
    assert seen == {(2, 1), (3, 2)}  # and not (2, 2), (3, 1)
    assert not admits(Statement(bare.atom, sizes=joint), {"n": 3, "d": 1})


def test_the_least_size_of_each_set_is_tried() -> None:
    """A claim that is false of no features, or of the least number of them, would pass."""
    for least in (0, 1, 2):
        s = statement(x, x, over=sizes({n: least}))
        assert min(at_["n"] for at_, _ in small_cases(s, composes=False)) == least
    # Σ over d of 1 is d: 0 at d = 0 alone
    count = total(add(multiply(X, ZERO), number(1)), "c")
    assert ok(by_sympy, holds(multiply(count, x), "=", ZERO, {})) is False


# ---------------------------------------------------------------------------- maps and hypotheses
def test_only_maps_that_satisfy_the_hypotheses() -> None:
    """σ(q) = q or σ∘τ = τ∘σ would be ignored, so that a true claim fails, or nothing is left."""
    selected, commuting = (c.statement for c in loaded("naturality_of_fixed_index").claims)
    places = [m_ for _, m_ in small_cases(selected, composes=False)]
    assert places and all(m_["sigma"][m_["q"]] == m_["q"] for m_ in places)
    assert any(m_["sigma"] != tuple(range(len(m_["sigma"]))) for m_ in places)
    free = [m_ for _, m_ in small_cases(Statement(selected.atom), composes=False)]
    assert len(free) > len(places)
    inner = [m_ for _, m_ in small_cases(commuting, composes=False)]
    for m_ in inner:
        assert [m_["sigma"][k] for k in m_["tau"]] == [m_["tau"][k] for k in m_["sigma"]]
    assert any(m_["sigma"] != m_["tau"] for m_ in inner)


def test_an_inequality_of_places_is_a_hypothesis() -> None:
    """a < b would be ignored, and a claim about two places be looked at where they are one."""
    a, b = constant("a", n), constant("b", n)
    one, other = (at(iota(n, "i"), {"i": p()}) for p in (a, b))
    s = statement(one, other, "≠", given=[Atom(one, "<", other)])
    found = [(maps["a"], maps["b"]) for _, maps in small_cases(s, composes=False)]
    assert found and all(p < q for p, q in found)
    never = statement(one, other, given=[Atom(one, "<", other), Atom(other, "<", one)])
    assert list(small_cases(never, composes=False)) == []


def test_other_maps_are_not_one_alone() -> None:
    """A gather would be looked at for a constant map only, or a map of heads to groups have no
    table, or one that leaves its range."""
    cases = small_cases(loaded("naturality").claims[2].statement, composes=False)
    tables = {tuple(maps["g"]) for at_, maps in cases if at_["n"] == at_["m"] == 3}
    assert tables == {(0, 0, 0), (0, 1, 2), (2, 1, 0)}
    grouped = loaded("multi_head_equivariant").claims[2].statement
    models = least_cases(grouped, 1, {"h": 5, "g": 2})
    found = [maps["phi"] for at_, maps in models if at_["n"]]
    assert found == [[0, 0, 0, 0, 0], [0, 1, 0, 1, 0], [0, 1, 0, 1, 0]]
    every = [maps for _, maps in least_cases(main_claim().statement, 2, {})]
    assert every == [{"sigma": t} for t in ((), (0,), (0, 1), (1, 0))]  # σ is a permutation


# ----------------------------------------------------------------------------- orbits and signs
def test_orbits() -> None:
    """A tensor that σ leaves as it is would not be the same along the cycles of σ."""
    s = under_hypothesis().statement
    first = orbits(s, {"n": 6, "d": 1}, {"sigma": (1, 2, 0, 4, 3, 5)})["E"]
    assert [first((i, 0))[0] for i in range(6)] == [0, 0, 0, 3, 3, 5]
    assert first((2, 0))[1] == 0  # features stay
    assert orbits(main_claim().statement, {"n": 2}, {"sigma": (1, 0)}) == {}


def test_signs() -> None:
    """A weight that may be 0 would be taken for positive, or another relation for a sign."""
    positive, plain = Atom(ZERO, "<", x), Atom(ZERO, "≤", x)
    assert signs([plain]) == {"x": "≤"} and signs([positive]) == {"x": "<"}
    assert signs([plain, positive]) == signs([positive, plain]) == {"x": "<"}
    for other in (Atom(x, "<", ZERO), Atom(ZERO, "<", x, some=True), Atom(ZERO, "≠", x)):
        assert signs([other]) == {}
    for other in (Atom(number(1), "<", x), Atom(ZERO, "<", total(x, "i"))):
        assert signs([other]) == {}


def test_an_equation_that_nothing_here_satisfies_is_told() -> None:
    """Generic values would be used although a hypothesis does not hold of them."""
    squares = Atom(multiply(x, x), "=", x)
    assert "an equation" in unread(statement(x, x, given=[squares]))
    assert unread(statement(x, x, given=[Atom(ZERO, "<", total(x, "i"))])) == ""
    assert ok(by_sympy, holds(x, "=", x, {}, given=[squares])) is None


# -------------------------------------------------------------------------------- t in place of x
def test_a_definition_is_put_in_place() -> None:
    """x = y + y would be passed over, or x stay in some atom."""
    twice = Atom(x, "=", add(y, y))
    s = substituted(statement(add(x, x), y, given=[twice, Atom(x, "≠", y)]))
    four = add(add(y, y), add(y, y))
    assert s.atom == Atom(four, "=", y) and s.given == {Atom(add(y, y), "≠", y)}
    assert leaf_of(x) not in s.tensors
    assert ok(by_sympy, holds(x, "=", add(y, y), {}, given=[twice])) is True
    assert ok(by_sympy, holds(x, "=", y, {}, given=[twice])) is False
    itself = Atom(x, "=", add(x, y))
    assert substituted(statement(x, y, given=[itself])).given == {itself}


def exists(s: Statement, *there: object, such: tuple[Atom, ...] = ()) -> Statement:
    """That there are such."""
    tensors: Any = frozenset(t if isinstance(t, Map) else leaf_of(t) for t in there)  # type: ignore[arg-type]
    return Statement(s.atom, s.given, tensors, frozenset(such), s.sizes)


def test_what_is_any_tensor_is_not_chosen_by_a_condition() -> None:
    """∀x ∃y: x = y and y ≠ 0, false at x = 0, would become ∃y: y ≠ 0."""
    s = exists(statement(y, ZERO, "≠", some=True), y, such=(Atom(x, "=", y),))
    assert substituted(s) == s
    turned = exists(statement(y, ZERO, "≠", some=True), y, x, such=(Atom(x, "=", y),))
    assert leaf_of(x) not in substituted(turned).tensors


def test_no_set_no_map_and_no_axis_goes_with_a_definition() -> None:
    """∃z, p: z = p's number would hold where there is no p; or an entry that differs be found where
    there is no entry."""
    p = constant("p", m)
    found = at(iota(m, "q"), {"q": p()})
    y_ = tensor("w")
    s = exists(statement(y_, ZERO, "≠", some=True), y_, z, p, such=(Atom(z, "=", found),))
    assert substituted(s) == s
    one = exists(
        statement(x, ZERO, "≠", some=True), x, y, such=(Atom(x, "=", number(1)), Atom(y, "=", y))
    )
    assert substituted(one) == one  # 1 ≠ 0 is true of no token too
    every = statement(x, ZERO, "≠", given=[Atom(x, "=", add(multiply(y, ZERO), number(1)))])
    assert substituted(every) != every  # the axis stays
