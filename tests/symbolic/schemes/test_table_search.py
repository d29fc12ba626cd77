"""The search: finds witnesses that hold, and says no more than it knows where it finds none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import count, permutations
from types import SimpleNamespace
from typing import Any

import pytest

from orderproof.symbolic.readings.entries import Model, evaluate
from orderproof.symbolic.readings.interval import Intervals, ends
from orderproof.symbolic.readings.rationals import Exact, power_of_two
from orderproof.symbolic.schemes import table_counterexample as counterexample
from orderproof.symbolic.schemes import table_search as module
from orderproof.symbolic.schemes.table_counterexample import both, in_units
from orderproof.symbolic.schemes.table_search import (
    SearchError,
    SearchResult,
    search,
    search_bounded,
)
from orderproof.symbolic.schemes.tables import SCHEMES, Scheme, SchemeError, scheme
from orderproof.symbolic.witness.replay import check
from orderproof.symbolic.witness.scheme_file import PositionWitness, dumps

SIZES = [(2, 1), (3, 2), *(pytest.param(*s, marks=pytest.mark.slow) for s in ((2, 2), (3, 1)))]


def witness(result: SearchResult) -> PositionWitness:
    """The witness of a search that found one."""
    assert result.answer == "witness" and result.witness is not None
    return result.witness


@pytest.mark.parametrize(("n", "d"), SIZES)
@pytest.mark.parametrize("name", ["learned", "sinusoidal"])
def test_positions_break_the_symmetry(name: str, n: int, d: int) -> None:
    """No counterexample would be found for a position table, or one that does not hold."""
    for sigma in list(permutations(range(n)))[1:]:
        found = witness(search(name, n, d, sigma=sigma))
        assert check(found).ok and found.sigma == sigma
        moved = tuple(found.tensors["X"][s] for s in sigma)
        assert moved != found.tensors["X"]  # two different tokens change places
        assert dumps(witness(search(name, n, d, sigma=sigma))) == dumps(found)


@pytest.mark.parametrize(("n", "d"), SIZES)
def test_witness_is_simple(n: int, d: int) -> None:
    """A person could not redo the learned counterexample: all entries are 0 or 1, most are 0."""
    found = witness(search("learned", n, d))
    entries = [v for rows in found.tensors.values() for row in rows for v in row]
    assert set(entries) <= {Fraction(0), Fraction(1)} and sum(entries) == 5
    if (n, d) == (2, 1):
        assert {v for side in (found.lhs, found.rhs) for row in side for v, _ in row} == {
            Fraction(1),
            Fraction(32, 17),
        }


@pytest.mark.parametrize(("n", "d"), SIZES)
def test_witness_holds_with_the_true_exponential(n: int, d: int) -> None:
    """2^m might not stand for exp(m·ln 2): W_Q with its factor √d·ln 2, in intervals."""
    found, algebra = witness(search("learned", n, d)), Intervals()
    of = algebra.functions
    factor = of["mul"](
        of["sqrt"](algebra.number(Fraction(d))), of["log"](algebra.number(Fraction(2)))
    )

    def entries(name: str, unit: Any = None) -> Callable[..., Any]:
        def entry(i: int, k: int) -> Any:
            value = algebra.number(found.tensors[name][i][k])
            return value if unit is None else value * unit

        return entry

    tensors = {name: entries(name) for name in found.tensors}
    tensors["W_Q"] = entries("W_Q", factor)
    sides = both(scheme("learned"), n, d, found.sigma, tensors, algebra)
    for computed, recorded in zip(sides, (found.lhs, found.rhs), strict=True):
        for (i, k), v in computed.items():
            low, high = ends(v)
            assert low <= recorded[i][k][0] <= high and high - low < Fraction(1, 10**40)
    tensors["W_Q"] = entries("W_Q")  # without the factor these are other numbers
    left, _ = both(scheme("learned"), n, d, found.sigma, tensors, algebra)
    values = {key: found.lhs[key[0]][key[1]][0] for key in left}
    assert not all(ends(left[key])[0] <= v <= ends(left[key])[1] for key, v in values.items())


@pytest.mark.parametrize(("n", "d"), SIZES)
@pytest.mark.parametrize("name", ["none", "constant"])
def test_equal_rows_are_no_proof(name: str, n: int, d: int) -> None:
    """`unsat` within a bound would be reported as a proof, or without its bound."""
    for run in (search, search_bounded):
        result = run(name, n, d)
        assert result.answer == "none within bound"
        assert result.witness is None and result.proof is None
        for part in (f"n = {n}, d = {d}", "|m| <= 4", "multiple m·ln 2", "this is no proof"):
            assert part in result.reason


def test_symmetric_is_said_with_a_proof_alone() -> None:
    """The search would claim the symmetry itself, or ask the solver although it is proved."""
    asked: list[Scheme] = []

    def proof(chosen: Scheme) -> object | None:
        asked.append(chosen)
        return "the proof" if chosen.name == "constant" else None

    result = search("constant", 3, 2, proof=proof, timeout=0)
    assert (result.answer, result.proof, result.witness) == ("symmetric", "the proof", None)
    assert search("none", 2, 1, proof=proof).answer == "none within bound"
    assert [s.name for s in asked] == ["constant", "none"]
    for name in SCHEMES:
        for identity in (search(name, 1, 2), search(name, 3, 1, sigma=[0, 1, 2])):
            assert identity.answer == "symmetric" and "identity" in identity.reason
    assert search_bounded("learned", 1, 1).answer == "none within bound"


def test_given_tables() -> None:
    """A given table would be searched as another, or a cycle on which it is constant missed."""
    rows = [[Fraction(3, 10)], [Fraction(7, 10)]]
    found = witness(search("learned", 2, 1, table=rows))
    assert found.tensors["E"] == tuple(map(tuple, rows))
    second = witness(search("learned", 2, 2, table=[[5, 1], [5, 2]]))
    assert second.tensors["W_V"] == ((0, 0), (0, 1))  # the feature that tells places apart
    table = [[1], [1], [5]]
    assert search("learned", 3, 1, table=table, sigma=[1, 0, 2]).answer == "none within bound"
    assert witness(search("learned", 3, 1, table=table)).sigma == (0, 2, 1)
    equal = search("learned", 3, 1, table=[[2]] * 3)
    assert equal.answer == "none within bound" and "any swap of neighbours" in equal.reason
    assert "and E" not in equal.reason


@pytest.mark.parametrize(
    ("n", "d"),
    [
        (2, 30),
        (12, 20),
        pytest.param(2, 64, marks=pytest.mark.slow),
        pytest.param(50, 64, marks=pytest.mark.slow),
        pytest.param(64, 1, marks=pytest.mark.slow),
    ],
)
def test_any_size_has_its_witness(n: int, d: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A size beyond the solver would stay open, though the table refutes every one."""
    monkeypatch.delattr(counterexample.Search, "attempt")
    found = witness(search("learned", n, d))
    assert check(found).ok and (found.n, found.d) == (n, d)
    one, other = Fraction(32, n + 15), Fraction(4, n + 2)
    assert (found.lhs[0][0], found.rhs[0][0]) == ((one, one), (other, other))


def test_any_table_has_its_witness(monkeypatch: pytest.MonkeyPatch) -> None:
    """The construction would miss a table, or a σ, that another one is needed for."""
    monkeypatch.delattr(counterexample.Search, "attempt")
    table = [[Fraction(k * k, 6), Fraction(3)] for k in range(4)]
    for sigma in list(permutations(range(4)))[1:]:
        found = witness(search("learned", 4, 2, table=table, sigma=sigma))
        assert check(found).ok and found.tensors["E"] == tuple(map(tuple, table))
        assert {v for row in found.lhs for v in row} == {(0, 0)}


def test_a_table_beyond_the_bound_of_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scores of which no file can hold the weights would be computed for ever, or end in a
    traceback, not with the solver."""
    monkeypatch.setattr(
        counterexample.Search, "attempt", lambda self: (counterexample.z3.unknown, None)
    )
    far = [[Fraction(0)], [Fraction(1)], [Fraction(10**6)]]
    assert search("learned", 3, 1, table=far, sigma=[1, 2, 0]).answer == "unknown"


def test_giving_up_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that ran out of time or steps would be reported as finding none."""
    for name in ("none", "constant"):
        result = search(name, 3, 2, timeout=0)
        assert result.answer == "unknown" and result.witness is None
    monkeypatch.setattr(counterexample, "STEPS", 1)
    assert search("constant", 3, 2).answer == "unknown"


def test_giving_up_takes_no_longer_than_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    """A question that is large would be put together, or asked, long after its time."""
    looks = count()  # a clock on which every look takes a second
    clock = SimpleNamespace(monotonic=lambda: float(next(looks)))
    for timed in (counterexample, module):
        monkeypatch.setattr(timed, "time", clock)
    monkeypatch.setattr(counterexample.z3.Solver, "check", None)  # which is not asked any more
    assert search("constant", 40, 40, timeout=100).answer == "unknown"
    assert 100 < next(looks) < 110


def test_one_unknown_of_several_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two permutations one none within bound and one unknown would add up to none."""
    answers = iter(["none within bound", "unknown"])
    monkeypatch.setattr(counterexample.Search, "run", lambda self: next(answers))
    assert search("learned", 3, 1).answer == "unknown"


def test_a_false_witness_is_not_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bug of the search would reach the user as a counterexample."""
    found = witness(search("learned", 2, 1))
    false = replace(found, lhs=found.rhs)
    monkeypatch.setattr(counterexample.Search, "run", lambda self: false)
    with pytest.raises(RuntimeError, match="the search and the replay disagree"):
        search("learned", 2, 1)
    sines = witness(search("sinusoidal", 2, 1))
    false = replace(sines, table={"0": (Fraction(1),)})  # its file, without the row, holds
    with pytest.raises(RuntimeError, match="the search and its file disagree"):
        search("learned", 2, 1)


def test_overlapping_enclosures_are_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    """At a precision too low to separate the sides, they would be called different."""
    monkeypatch.setattr(module, "Intervals", lambda: Intervals(26))
    assert search("sinusoidal", 2, 1).answer == "unknown"


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"name": "sinusodal"}, SchemeError, "given 'sinusodal', did you mean sinusoidal?"),
        ({"name": "xyz"}, SchemeError, "given 'xyz', expected one of: none, constant, learned"),
        ({"n": 0}, SearchError, "n: given 0, expected an integer from 1 to 64"),
        ({"d": -1}, SearchError, "d: given -1, expected an integer from 1 to 64"),
        ({"n": 65}, SearchError, "n: given 65"),
        ({"sigma": [0, 0]}, SearchError, "sigma: given [0, 0], expected a permutation of 0 to 1"),
        ({"sigma": [0, 1, 2]}, SearchError, "sigma: given [0, 1, 2]"),
        ({"table": [[1]]}, SearchError, "table: given 1 rows of lengths [1], expected 2 rows of"),
        ({"table": [[1], [1, 2]]}, SearchError, "table: given 2 rows of lengths [1, 2]"),
        ({"table": [[1], [2]], "name": "none"}, SearchError, "given for the scheme none"),
    ],
)
def test_bad_input(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    """A mistake of the user would end in a traceback, or be searched as something else."""
    given = {"name": "learned", "n": 2, "d": 1} | arguments
    with pytest.raises(error) as caught:
        search(**given)
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_bounded_search_needs_a_rational_table() -> None:
    """The solver would be given sines as if they were unknown reals."""
    with pytest.raises(SearchError, match="expected a rational table"):
        search_bounded("sinusoidal", 2, 1)


def test_json() -> None:
    """A program would read other names or answers than the contract's."""
    data = search("learned", 2, 1).to_json("w.json")
    assert (data["answer"], data["file"], data["sigma"]) == ("witness", "w.json", [1, 0])
    data = search("none", 3, 1).to_json()
    assert (data["answer"], data["file"], data["sigma"]) == ("none within bound", None, None)


def test_schemes_are_what_they_say() -> None:
    """A scheme would add another table, or σ act the other way: entries of X + E by hand."""
    with_table = [s.name for s in SCHEMES.values() if s.table is not None]
    assert with_table == ["constant", "learned", "sinusoidal"]
    constant, learned = SCHEMES["constant"].table, SCHEMES["learned"].table
    assert constant is not None and learned is not None
    assert constant.axes == ("k",) and learned.axes == ("i", "k")
    # One feature, W_Q = 0: the output is the mean of the values, in every row.
    model = Model(
        {"n": 2, "d": 1},
        {"σ": [1, 0]},
        {
            "X": lambda i, k: Fraction(i),
            "E": lambda *i: Fraction(10),
            "W_Q": lambda k, c: Fraction(0),
            "W_K": lambda k, c: Fraction(1),
            "W_V": lambda k, v: Fraction(1),
        },
    )
    exact = in_units(Exact(), power_of_two)
    for name, value in (("none", Fraction(1, 2)), ("constant", Fraction(21, 2))):
        assert set(evaluate(scheme(name).rhs, model, exact).values()) == {value}
