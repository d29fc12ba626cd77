"""Two families of readings, by entries and by arrays: an error in one is seen by the other."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from orderproof.numeric.rounding import bounded
from orderproof.symbolic.calculus.terms import Map, Set, Term, at, map_type, reachable
from orderproof.symbolic.models.builders import (
    add,
    constant,
    contract,
    delta,
    divide,
    exp,
    inverse,
    moved,
    multiply,
    number,
    permutation,
    pointwise,
    reduce,
    sqrt,
    symbol,
    symbols,
    tensor,
    total,
)
from orderproof.symbolic.readings.entries import Model, evaluate
from orderproof.symbolic.readings.error import ReadingError
from orderproof.symbolic.readings.exact import entries_of
from orderproof.symbolic.readings.index_arrays import IndexArrays
from orderproof.symbolic.readings.numpy_arrays import Floats, arrays
from orderproof.symbolic.readings.rationals import Exact
from orderproof.symbolic.readings.sympy_entries import formulas

N, M = Set("n"), Set("m")
SUM, PRODUCT = Set("+", (N, M)), Set("×", (N, M))
σ, ρ = permutation("σ", N), permutation("ρ", M)
F, G, Q = symbol("f", (N,), M), symbol("g", (M, N), N), constant("q", N)
X, W = tensor("X", i=N), tensor("W", a=M)
Y, Z = tensor("Y", s=SUM), tensor("Z", t=PRODUCT)
BESIDE = Map("beside", (σ, inverse(ρ)))
TERMS = {
    "symbol": [moved(X, i=σ), moved(W, a=F), at(X, {"i": G("a", "i")}), at(X, {"i": Q()})],
    "inverse": [moved(X, i=inverse(σ)), moved(Y, s=inverse(BESIDE))],
    "identity": [moved(X, i=Map("identity", (N,))), at(X, {"i": σ(Map("identity", (N,))("i"))})],
    "beside": [moved(Y, s=BESIDE), moved(Y, s=Map("beside", (BESIDE.data[0], ρ)))],
    "pair": [at(Z, {"t": Map("pair", (N, M))("i", "a")}),
             at(Z, {"t": Map("pair", (N, M))(σ("i"), F("j"))})],
    "fst": [moved(X, i=Map("fst", (N, M)))],
    "snd": [moved(W, a=Map("snd", (N, M)))],
    "inl": [moved(Y, s=Map("inl", (N, M)))],
    "inr": [moved(Y, s=Map("inr", (N, M)))],
}  # fmt: skip
SIZES = [(n, m) for n in range(5) for m in range(4)]
P = at(delta(N, "i", "j"), {"i": σ("i")})
TRANSPOSED = contract(P, X, "i").rename({"j": "i"})  # PᵀX, which is X moved by σ⁻¹


def tables(n: int, m: int) -> dict[str, Any]:
    """A 3-cycle where there is one: it is not its own inverse. f and g only where they exist."""
    cycle = {k: [1, 2, 0, *range(3, k)] if k > 2 else [*range(k)][::-1] for k in (n, m)}
    found: dict[str, Any] = {"σ": cycle[n], "ρ": cycle[m]}
    if m or not n:
        found["f"] = [(2 * k + 1) % m for k in range(n)]
    if n:
        found |= {"g": lambda a, i: (a + 2 * i) % n, "q": n - 1}
    return found


def given(t: Term, sizes: dict[str, int]) -> dict[str, Any]:
    """Distinct integers for the entries of each tensor."""
    ops = {x.op for x in reachable(t.node) if x.op.kind == "leaf"}
    shapes = {op.data[0]: [IndexArrays(sizes).size(s) for s in op.data[1]] for op in ops}
    return {name: np.arange(np.prod(s)).reshape(s) * 7 % 101 for name, s in shapes.items()}


def apart(t: Term, n: int, m: int) -> str:
    """Where the readings of the two families differ, or one refuses what the other reads."""
    sizes, maps = {"n": n, "m": m}, tables(n, m)
    values = given(t, sizes)
    look = {k: (lambda *i, v=v: Fraction(int(v[i]))) for k, v in values.items()}
    try:
        by_entries = evaluate(t, Model(sizes, maps, look), Exact())
        by_fractions = entries_of(t, sizes, maps, values)
        floats = arrays(t, sizes, maps, values, Floats(np.float64))
    except (ReadingError, LookupError, StopIteration) as error:
        return f"{t} at {sizes}: {error}"
    if by_entries != by_fractions or any(floats[i] != v for i, v in by_entries.items()):
        return f"{t} at {sizes}: {by_entries}, {by_fractions}, {floats}"
    return ""


def disagreement(kind: str) -> str:
    """The first place where the families differ on the terms of a kind of map."""
    for n, m in SIZES:
        for t in TERMS[kind]:
            exist = {x.data[0] for x in symbols(t)[1]} <= set(tables(n, m))
            if exist and (said := apart(t, n, m)):
                return said
    return ""


def wrong(kind: str, size: Callable[[Set], int], apply: Callable[..., int], m: Map, i: Any) -> int:
    """A value of a map by a mistake that one may make of its kind."""
    match kind, m.data:
        case "symbol", (_, _, cod, True):  # its inverse
            return next(j for j in range(size(cod)) if apply(m, (j,)) == i[0])
        case "symbol", (_, (_, _), cod, _):  # its arguments exchanged
            return apply(m, i[::-1])
        case "inverse", (f,):  # not inverted
            return apply(f, i)
        case "identity", (a,):  # the other way round
            return size(a) - 1 - i[0]
        case "beside", (f, _):  # its right part left alone
            return apply(m, i) if i[0] < size(map_type(f)[0][0]) else int(i[0])
        case "pair", (a, _):  # the left part runs fastest
            return int(i[0] + size(a) * i[1])
        case "fst", (a, _):
            return int(i[0] % size(a))
        case "snd", (a, _):
            return int(i[0] // size(a))
        case "inl", (_, b):  # the right part comes first
            return int(size(b) + i[0])
        case "inr", _:
            return int(i[0])
    return apply(m, i)


def plant_in_entries(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The mistake in the index arithmetic of the readings by entries."""
    right = Model.apply

    def apply(self: Model, m: Map, args: tuple[int, ...]) -> int:
        def true(f: Map, at: tuple[int, ...]) -> int:
            return right(self, f, at)

        return wrong(kind, self.size, true, m, args) if m.kind == kind else right(self, m, args)

    monkeypatch.setattr(Model, "apply", apply)


def plant_in_arrays(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The mistake in the index arithmetic of the readings by arrays."""
    right = IndexArrays._table

    def table(self: IndexArrays, m: Map) -> Any:
        def true(f: Map, at: tuple[int, ...]) -> int:
            return int(right(self, f)[at])

        whole = right(self, m)
        if m.kind != kind:
            return whole
        every = [wrong(kind, self.size, true, m, i) for i in np.ndindex(whole.shape)]
        return np.array(every, dtype=np.intp).reshape(whole.shape)

    monkeypatch.setattr(IndexArrays, "_table", table)


@pytest.mark.parametrize("kind", TERMS)
def test_the_families_agree(kind: str) -> None:
    """The two would give a map of this kind different values, at sizes from 0 on."""
    assert disagreement(kind) == ""


@pytest.mark.parametrize("plant", [plant_in_entries, plant_in_arrays])
@pytest.mark.parametrize("kind", TERMS)
def test_a_mistake_in_either_family_is_seen(
    kind: str, plant: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The families would share the code of this kind of map: they would agree, and be wrong."""
    plant(kind, monkeypatch)
    assert disagreement(kind)


def test_every_kind_of_map_is_compared() -> None:
    """A kind of map would be left out of the comparison, or be named and not occur."""
    kinds = {"symbol", "identity", "inverse", "inl", "inr", "beside", "pair", "fst", "snd"}
    assert set(TERMS) == kinds
    for kind, terms in TERMS.items():
        for t in terms:
            assert kind in {m.kind for e in t.node.op.data[0] for m in maps_in(e)}


def maps_in(e: Any) -> list[Map]:
    """The maps in an index expression, those that another is made of included."""
    if isinstance(e, Map):
        return [e, *(m for part in e.data if isinstance(part, Map) for m in maps_in(part))]
    return [m for x in (e.map, *e.args) for m in maps_in(x)] if hasattr(e, "map") else []


def green(lhs: Term, rhs: Term) -> tuple[bool, bool]:
    """Whether an equation holds in SymPy's reading, and in floating point within rounding."""
    by_sympy = by_numpy = True
    for n in range(1, 5):
        sizes, maps = {"n": n}, tables(n, 0)
        values = given(lhs, sizes)
        by_sympy &= formulas(lhs, sizes, maps) == formulas(rhs, sizes, maps)
        left, right = (bounded(t, sizes, maps, values, np.float64) for t in (lhs, rhs))
        gap = np.abs(left.value - right.value)
        by_numpy &= bool(np.all(gap <= left.error + right.error))
    return by_sympy, by_numpy


@pytest.mark.parametrize(
    ("plant", "wrongly", "rightly"),
    [
        (None, (False, False), (True, True)),
        (plant_in_entries, (True, False), (False, True)),
        (plant_in_arrays, (False, True), (True, False)),
    ],
)
def test_no_mistake_turns_sympy_and_numeric_together(
    plant: Any, wrongly: Any, rightly: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """σ read for σ⁻¹ would make "X moved by σ⁻¹ is X moved by σ" green in both marks at once, and
    "PᵀX is X moved by σ⁻¹" red."""
    if plant:
        plant("inverse", monkeypatch)
    assert green(moved(X, i=inverse(σ)), moved(X, i=σ)) == wrongly
    assert green(TRANSPOSED, moved(X, i=inverse(σ))) == rightly


BAD_TABLES: list[tuple[Term, dict[str, Any], str]] = [
    (moved(X, i=σ), {}, "no table given"),
    (moved(X, i=σ), {"σ": [0, 0, 1]}, "expected a permutation"),
    (moved(X, i=σ), {"σ": [0, 1]}, "expected a permutation"),
    (moved(W, a=F), {"f": [0, 1]}, "expected .* values below 2"),
    (moved(W, a=F), {"f": [0, 1, 2]}, "expected .* values below 2"),
    (moved(W, a=F), {"f": [0, 1, -1]}, "expected .* values below 2"),
    (at(X, {"i": Q()}), {"q": 3}, "expected .* values below 3"),
]


@pytest.mark.parametrize("case", range(len(BAD_TABLES)))
def test_a_table_that_is_no_such_map_is_refused(case: int) -> None:
    """An index −1 would be read as the last, and a table of another length as one of this."""
    t, maps, said = BAD_TABLES[case]
    sizes = {"n": 3, "m": 2}
    with pytest.raises(ReadingError, match=said):
        arrays(t, sizes, maps, given(t, sizes), Floats(np.float64))


def test_an_unknown_set_or_map_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new way to make a set or a map would be read as one of those that are known."""
    power = Set("×", (N, N))
    with monkeypatch.context() as patch:
        patch.setitem(power.__dict__, "name", "^")
        with pytest.raises(ReadingError, match="expected a sum or a product"):
            IndexArrays({"n": 2}).size(power)
    with pytest.raises(ReadingError, match="index set n: no size given"):
        IndexArrays({"m": 2}).size(PRODUCT)
    swap = Map("identity", (Set("another"),))
    with monkeypatch.context() as patch:
        patch.setitem(swap.__dict__, "kind", "swap")
        with pytest.raises(ReadingError, match=r"map swap: given .* expected a known kind"):
            IndexArrays({"another": 2}).table(swap)


def test_fractions_refuse_what_is_not_rational() -> None:
    """An irrational root, a division by 0 or 2 to a half would be rounded; another root than that
    of the width be read as one of it."""
    one = number(1)
    for t, entry, said in (
        (sqrt(X), 2, "expected r²"), (sqrt(X), -4, "expected r²"),
        (divide(one, X), 0, "division"), (exp(X), Fraction(1, 2), "integer"),
        (reduce("max", W, "a"), 0, "no values"), (pointwise("mystery", X), 0, "mystery"),
    ):  # fmt: skip
        with pytest.raises(ReadingError, match=said):
            entries_of(t, {"n": 1, "m": 0}, {}, {"X": [entry], "W": []}, logs=in_logs(t))
    read = {"X": [Fraction(9, 4)]}
    assert entries_of(sqrt(X), {"n": 1}, {}, read) == {(0,): Fraction(3, 2)}
    assert entries_of(exp(X), {"n": 1}, {}, {"X": [-3]}, logs=["X"]) == {(0,): Fraction(1, 8)}
    with pytest.raises(ReadingError, match="expected a multiple of ln 2"):
        entries_of(exp(X), {"n": 1}, {}, {"X": [-3]})
    wide = {"X": [2], "Q": [[1, 1]]}  # a query of width 2: then √2 is exact, and √3 is not
    both = add(sqrt(X), multiply(number(0), total(total(tensor("Q", i=N, c=M), "c"), "i")))
    assert entries_of(both, {"n": 1, "m": 2}, {}, wide, "Q")[0,] != 1
    with pytest.raises(ReadingError, match=r"expected r² or 2·r²"):
        entries_of(both, {"n": 1, "m": 2}, {}, wide | {"X": [3]}, "Q")


def in_logs(t: Term) -> list[str]:
    """X in units of ln 2 where its exponential is taken."""
    return ["X"] if t.node is exp(X).node else []


def test_fractions_of_nothing_stay_fractions() -> None:
    """An empty sum would be Python's 0, and 0 / 3 the float 0.0."""
    for t, expected in ((total(X, "i"), 0), (reduce("prod", X, "i"), 1), (contract(X, X, "i"), 0)):
        (value,) = entries_of(divide(t, number(3)), {"n": 0}, {}, {"X": []}).values()
        assert type(value) is Fraction and value == Fraction(expected, 3)
