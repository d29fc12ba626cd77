"""The readings against each other, and against values worked out by hand."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
import sympy
import z3

from orderproof.symbolic.calculus.terms import Map, Set, Term, at, reachable
from orderproof.symbolic.models.attention import as_computed, attention, softmax
from orderproof.symbolic.models.builders import (
    add,
    call,
    cat,
    constant,
    contract,
    define,
    delta,
    divide,
    exp,
    iota,
    mean,
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
    tensor,
    total,
)
from orderproof.symbolic.readings.entries import Model, evaluate
from orderproof.symbolic.readings.error import ReadingError
from orderproof.symbolic.readings.exact import entries_of as entries_of_fractions
from orderproof.symbolic.readings.numpy_arrays import Floats, arrays
from orderproof.symbolic.readings.rationals import Exact
from orderproof.symbolic.readings.sympy_entries import formulas
from orderproof.symbolic.readings.z3_reals import Reals

N, M, D = Set("n"), Set("m"), Set("d")
SIZES = {"n": 3, "m": 2, "d": 2}
σ = permutation("sigma", N)
MAPS = {"sigma": [1, 2, 0], "q": 1, "g": [1, 0]}
S, A, B = (tensor(x, i=N, j=M) for x in "SAB")
X, a = tensor("X", i=N, c=D), tensor("a", i=N)
b = tensor("b", j=M)


def entries_of(t: Term, seed: int, sizes: dict[str, int]) -> dict[str, dict[Any, Fraction]]:
    """Small integers for the tensors of a term."""
    rng, found = Random(seed), {}
    for n in reachable(t.node):
        if n.op.kind == "leaf":
            name, sets = n.op.data
            found[name] = {i: Fraction(rng.randint(-4, 4)) for i in Model(sizes).indices(sets)}
    return found


def exact(t: Term, given: Any, sizes: dict[str, int]) -> Any:
    """The entries of a term in rationals."""
    tensors = {k: (lambda *i, v=v: v[i]) for k, v in given.items()}
    return evaluate(t, Model(sizes, MAPS, tensors), Exact())


def by_numpy(t: Term, given: Any, sizes: dict[str, int]) -> Any:
    """The array of a term."""
    tensors = {}
    for n in reachable(t.node):
        if n.op.kind == "leaf":
            name, sets = n.op.data
            shape = [Model(sizes).size(s) for s in sets]
            tensors[name] = np.array([float(v) for v in given[name].values()]).reshape(shape)
    return arrays(t, sizes, MAPS, tensors, Floats(np.float64))


def by_sympy(t: Term, given: Any, sizes: dict[str, int]) -> Any:
    """The entries of a term as formulas, with rationals put for the symbols."""
    values = {
        sympy.Symbol(f"{name}_{{{''.join(str(x + 1) for x in i)}}}" if i else name, real=True): (
            sympy.Rational(v.numerator, v.denominator)
        )
        for name, table in given.items()
        for i, v in table.items()
    }
    return {i: sympy.sympify(e).subs(values) for i, e in formulas(t, sizes, MAPS).items()}


def powers_of_two(m: Any) -> z3.RatNumRef:
    """exp for exponents that are integer numerals, in units of ln 2."""
    value = z3.simplify(m)
    if not z3.is_rational_value(value) or value.denominator_as_long() != 1:
        raise ReadingError(f"2^m: given m = {value}, expected an integer")
    return z3.RealVal(str(Fraction(2) ** value.numerator_as_long()))


def by_z3(t: Term, given: Any, sizes: dict[str, int]) -> Any:
    """The entries of a term as numerals of Z3."""
    tensors = {k: (lambda *i, v=v: z3.RealVal(str(v[i]))) for k, v in given.items()}
    found = evaluate(t, Model(sizes, MAPS, tensors), Reals(powers_of_two))
    simple = {i: z3.simplify(e) for i, e in found.items()}
    return {i: Fraction(e.numerator_as_long(), e.denominator_as_long()) for i, e in simple.items()}


def random_term(rng: Random, depth: int) -> Term:
    """A random rational term over some of the axes i and j."""
    if depth == 0:
        return rng.choice(
            [S, A, a, b, number(Fraction(rng.randint(-3, 3), 2)), size(N), iota(N, "i"),
             at(delta(N, "i", "k"), {"k": σ("i")})]
        )  # fmt: skip
    x, y = random_term(rng, depth - 1), random_term(rng, rng.randrange(depth))
    kind = rng.randrange(9)
    if kind < 4:
        return pointwise(rng.choice(["add", "sub", "mul", "max"]), x, y)
    if kind == 4:
        return divide(x, add(number(1), multiply(y, y)))
    if kind == 5 and "j" in x.axes:
        return reduce(rng.choice(["sum", "prod", "max", "min"]), x, "j")
    if kind == 6 and "i" in x.axes:
        return moved(x, i=σ)
    if kind == 7 and "i" in x.axes:
        both = cat(x, pointwise("neg", x), "i")
        first = Map("inl" if rng.random() < 0.5 else "inr", (N, N))
        return at(both, {"i": first("i")})
    if kind == 8 and "j" in x.axes and "j" in y.axes:
        return contract(x, y, "j")
    return pointwise("neg", x)


@pytest.mark.parametrize("count", [30, pytest.param(150, marks=pytest.mark.slow)])
def test_readings_agree_on_rational_terms(count: int) -> None:
    """A reading would give a constructor another meaning than the others do."""
    kinds: set[str] = set()
    for seed in range(count):
        t = random_term(Random(seed), 4)
        kinds |= {n.op.kind for n in reachable(t.node)}
        given = entries_of(t, seed, SIZES)
        true = exact(t, given, SIZES)
        scale = max((abs(v) for v in true.values()), default=Fraction(0))
        got = by_numpy(t, given, SIZES)
        assert got.shape == tuple(SIZES[s.name] for s in t.node.sets)
        for i, v in true.items():
            # integers and halves, and quotients: a wrong entry is off by far more
            assert abs(float(got[i]) - float(v)) <= 1e-9 * (1 + float(scale)), (seed, i)
        assert by_z3(t, given, SIZES) == true
        if seed % 3 == 0:
            symbolic = by_sympy(t, given, SIZES)
            assert {i: Fraction(int(e.p), int(e.q)) for i, e in symbolic.items()} == true
    assert kinds >= {"leaf", "number", "size", "iota", "delta", "pointwise", "reduce", "at", "cat"}


def test_a_reading_with_a_wrong_function_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison would pass whatever a reading computed."""
    monkeypatch.setitem(Exact.functions, "sub", lambda x, y: y - x)
    t = subtract(S, A)
    given = entries_of(t, 1, SIZES)
    true, got = exact(t, given, SIZES), by_numpy(t, given, SIZES)
    assert any(float(got[i]) != v for i, v in true.items())


BY_HAND: list[tuple[Term, dict[str, Any], list[Any]]] = [
    (moved(a, i=σ), {"a": [10, 20, 30]}, [20, 30, 10]),
    (moved(a, i=Map("inverse", (σ,))), {"a": [10, 20, 30]}, [30, 10, 20]),
    (at(a, {"i": constant("q", N)()}), {"a": [10, 20, 30]}, [20]),
    (total(a, "i"), {"a": [10, 20, 30]}, [60]),
    (mean(a, "i"), {"a": [10, 20, 31]}, [Fraction(61, 3)]),
    (reduce("prod", a, "i"), {"a": [2, 3, -4]}, [-24]),
    (cat(a, b.rename({"j": "i"}), "i"), {"a": [1, 2, 3], "b": [4, 5]}, [1, 2, 3, 4, 5]),
    (softmax(b, "j"), {"b": [0, 1]}, [Fraction(1, 3), Fraction(2, 3)]),  # in units of ln 2
    (multiply(iota(N, "i"), a), {"a": [1, 1, 5]}, [0, 1, 10]),
    (contract(a, delta(N, "i", "k"), "i"), {"a": [7, 8, 9]}, [7, 8, 9]),
    (reduce("sum", number(1), "i", N), {}, [3]),
    (at(tensor("p", o=Set("×", (N, M))), {"o": Map("pair", (N, M))(constant("q", N)(), "j")}),
     {"p": [0, 1, 2, 3, 4, 5]}, [2, 3]),
    (sqrt(multiply(b, b)), {"b": [3, -5]}, [3, 5]),
]  # fmt: skip


@pytest.mark.parametrize("case", range(len(BY_HAND)))
def test_values_worked_out_by_hand(case: int) -> None:
    """All readings would agree, and all be wrong: in the convention of P, or of an index."""
    t, lists, expected = BY_HAND[case]
    given = {k: {(i,): Fraction(v) for i, v in enumerate(vs)} for k, vs in lists.items()}
    assert list(exact(t, given, SIZES).values()) == expected
    logs = ["b"] if any(n.op.kind == "apply" for n in reachable(t.node)) else []
    assert list(entries_of_fractions(t, SIZES, MAPS, lists, logs=logs).values()) == expected
    assert list(exact(t, given, SIZES).values()) != [*expected[:-1], expected[-1] + 1]
    if any(n.op.kind == "apply" for n in reachable(t.node)):
        got = by_numpy(t, given, SIZES)
        e = np.exp(np.array(lists["b"], dtype=float))
        np.testing.assert_allclose(got, e / e.sum(), rtol=1e-14)
        return
    got = by_numpy(t, given, SIZES).ravel()
    np.testing.assert_allclose(got, [float(v) for v in expected], rtol=1e-14)
    symbolic = by_sympy(t, given, SIZES)
    assert [Fraction(str(e)) for e in symbolic.values()] == expected


def test_definitions_are_read_axis_by_axis() -> None:
    """A definition's axes would come out in the order of its body, or be lost where unused."""
    given = entries_of(S, 3, SIZES)
    t = softmax(S, "j")
    got = by_numpy(t, given, SIZES)
    row = np.array([float(v) for v in given["S"].values()]).reshape(3, 2)
    e = np.exp(row)
    wanted = e / e.sum(1, keepdims=True)
    order = [t.axes.index("i"), t.axes.index("j")]
    np.testing.assert_allclose(np.transpose(got, order), wanted, rtol=1e-13)
    formal = tensor("s", j=M)
    ignores = call(define("one", [formal], reduce("sum", number(1), "j", M)), [S], [["j"]], [])
    assert ignores.axes == ("i",)
    assert by_numpy(ignores, given, SIZES).tolist() == [2.0, 2.0, 2.0]
    assert list(exact(ignores, given, SIZES).values()) == [2, 2, 2]


@pytest.mark.parametrize("kind", ["sum", "prod"])
def test_no_entries_are_nothing_or_one(kind: str) -> None:
    """With n = 0 a sum would not be 0, or a product not 1; the calculus means n = 0 too."""
    empty = {"n": 0, "m": 2, "d": 0}
    expected = 0 if kind == "sum" else 1
    t = reduce(kind, S, "i")
    given = entries_of(t, 1, empty)
    wanted = {(0,): expected, (1,): expected}
    assert exact(t, given, empty) == by_sympy(t, given, empty) == by_z3(t, given, empty) == wanted
    assert by_numpy(t, given, empty).tolist() == [expected, expected]
    contraction = contract(X, X.rename({"i": "k"}), "c")
    full = {"n": 2, "m": 2, "d": 0}
    assert by_numpy(contraction, entries_of(contraction, 1, full), full).tolist() == [
        [0, 0],
        [0, 0],
    ]
    over = moved(S, i=σ)
    MAPS_EMPTY = {"sigma": []}
    none = arrays(over, empty, MAPS_EMPTY, {"S": np.zeros((0, 2))}, Floats(np.float64))
    assert none.shape == (0, 2)


@pytest.mark.parametrize("kind", ["max", "min"])
def test_no_largest_of_nothing(kind: str) -> None:
    """With n = 0 a maximum would be made up."""
    empty = {"n": 0, "m": 2, "d": 0}
    t = reduce(kind, S, "i")
    given = entries_of(t, 1, empty)
    for reading in (exact, by_z3, by_numpy):
        with pytest.raises(ValueError, match=r"no values|zero-size|identity"):
            reading(t, given, empty)
    bottom = sympy.oo if kind == "min" else -sympy.oo  # where there are numbers for it
    assert set(formulas(t, empty, {}).values()) == {bottom}


@pytest.mark.parametrize("reading", [exact, by_sympy, by_z3, by_numpy])
def test_an_unknown_function_is_refused(reading: Callable[..., Any]) -> None:
    """A reading would guess what a function is."""
    t = pointwise("mystery", a)
    with pytest.raises(ReadingError, match="mystery"):
        reading(t, entries_of(t, 1, SIZES), SIZES)


def test_exact_arithmetic_refuses_what_is_not_rational() -> None:
    """An irrational root, a division by 0 or 2 to a half would be rounded."""
    for t, entry, match in (
        (sqrt(a), 2, "square"),
        (divide(number(1), a), 0, "division"),
        (exp(a), Fraction(1, 2), "integer"),
        (sqrt(a), -4, "square"),
    ):
        given = {"a": {(i,): Fraction(entry) for i in range(3)}}
        with pytest.raises(ReadingError, match=match):
            exact(t, given, SIZES)


def test_missing_and_misshapen_tensors_are_refused() -> None:
    """A tensor of another shape would be broadcast, or one not given be a KeyError."""
    with pytest.raises(ReadingError, match="shape"):
        arrays(a, SIZES, MAPS, {"a": np.zeros(4)}, Floats(np.float64))
    with pytest.raises(ReadingError, match="tensor a"):
        arrays(a, SIZES, MAPS, {}, Floats(np.float64))
    with pytest.raises(ReadingError, match="tensor a"):
        exact(a, {}, SIZES)
    with pytest.raises(ReadingError, match="index set n"):
        arrays(a, {}, MAPS, {"a": np.zeros(3)}, Floats(np.float64))


def test_an_opaque_operator_is_a_function_of_the_row() -> None:
    """The row of an opaque map would be another axis, or the result come out transposed."""
    t = opaque("f", {"c": "c"}, X, {"k": D})
    x = np.arange(6.0).reshape(3, 2)
    got = arrays(t, SIZES, MAPS, {"X": x, "f": lambda r, k: np.cumsum(r, -1)}, Floats(np.float64))
    order = [t.axes.index("i"), t.axes.index("k")]
    np.testing.assert_array_equal(np.transpose(got, order), np.cumsum(x, 1))


def test_contractions_are_not_multiplied_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A matrix product of 2,000 × 2,000 × 2,000 would allocate 64 gigabytes."""

    def refuse(*parts: Any) -> Any:
        raise AssertionError("a product was formed entry by entry")

    to = Floats(np.float32)
    to.functions = {**Floats.functions, "mul": refuse}
    big = {"n": 2000, "d": 2000}
    x = np.zeros((2000, 2000), dtype=np.float32)
    x[3, 4] = 2.0
    t = contract(X, X.rename({"i": "k"}), "c")
    got = arrays(t, big, MAPS, {"X": x}, to)
    assert got[3, 3] == 4.0
    assert np.count_nonzero(got) == 1
    K, V = tensor("K", j=M, c=D), tensor("V", j=M, r=D)
    arrays(attention(X, K, V, "j", "c"), SIZES, MAPS,
           {"X": np.ones((3, 2)), "K": np.ones((2, 2)), "V": np.ones((2, 2))}, to)  # fmt: skip
    with pytest.raises(AssertionError, match="entry by entry"):  # the twin: a product by itself
        arrays(multiply(X, X), SIZES, MAPS, {"X": np.ones((3, 2))}, to)


def test_the_shifted_softmax_does_not_overflow() -> None:
    """exp(1000)/Σ in floating point is NaN: the array reading would not be the shifted form."""
    t = softmax(b, "j")
    got = arrays(t, SIZES, MAPS, {"b": np.array([1000.0, 0.0])}, Floats(np.float32))
    assert got.tolist() == [1.0, 0.0]
    assert not any(n.op.kind == "apply" for n in reachable(as_computed(t).node))
    plain = divide(exp(b), total(exp(b), "j"))
    with np.errstate(all="ignore"):
        naive = arrays(plain, SIZES, MAPS, {"b": np.array([1000.0, 0.0])}, Floats(np.float32))
    assert np.isnan(naive[0])
