"""The evaluator behind the readings: it agrees with the meaning, or refuses to read."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orderproof.symbolic.calculus.terms import Map, Op, Set, ShapeError, Term, at, reachable
from orderproof.symbolic.models.builders import (
    constant,
    delta,
    exp,
    iota,
    multiply,
    number,
    opaque,
    permutation,
    pointwise,
    reduce,
    size,
    tensor,
    total,
)
from orderproof.symbolic.readings.entries import Entries, Model, evaluate
from orderproof.symbolic.readings.error import ReadingError
from tests.oracles.meaning import World, symbols, world
from tests.symbolic.calculus.random_terms import Grower

N, M = Set("n"), Set("m")
X = tensor("X", i=N)
σ = permutation("σ", N)


class Values:
    """The algebra of a world."""

    def __init__(self, model: World) -> None:
        self.model = model
        names = ("add", "sub", "mul", "div", "max", "neg", "sqrt", "exp")
        self.functions = {s: lambda *v, s=s: model.function(s, v) for s in names}

    def number(self, value: Fraction) -> Fraction:
        return value

    def reduce(self, kind: str, values: Sequence[Any], counts: Sequence[Any]) -> Any:
        many = [v for v, c in zip(values, counts, strict=True) for _ in range(int(c))]
        return self.model.fold(kind, many)


def entries(t: Term, model: World) -> Entries:
    """The entries of a term by the evaluator, with the tables of a world."""

    def position(s: Set, x: Any) -> int:
        return model.elements(s).index(x)

    def named(sets: Sequence[Set], i: Sequence[int]) -> tuple[Any, ...]:
        return tuple(model.elements(s)[k] for s, k in zip(sets, i, strict=True))

    def operator(op: Op) -> Any:
        _, binds, yields = op.data

        def run(*tables: Any) -> Any:
            told = [
                [(named(b, i), v) for i, v in table.items()]
                for b, table in zip(binds, tables, strict=True)
            ]
            out = Model(model.sizes).indices(yields)
            return {i: model.operator(op, named(yields, i), told) for i in out}

        return run

    maps: dict[str, Any] = {}
    for m in symbols(t.node):
        if isinstance(m, Map) and m.kind == "symbol":
            name, dom, cod, _ = m.data
            table = {
                tuple(map(position, dom, k)): position(cod, v) for k, v in model.table(m).items()
            }
            short = [table[(i,)] for i in range(len(table))] if len(dom) == 1 else None
            maps[name] = short if short is not None else lambda *i, table=table: table[i]
            if not dom:
                maps[name] = table[()]
    tensors: dict[str, Any] = {}
    for n in reachable(t.node):
        if n.op.kind == "leaf":
            tensors[n.op.data[0]] = lambda *i, op=n.op: model.tensor(op, named(op.data[1], i))
        if n.op.kind == "opaque":
            tensors[n.op.data[0]] = operator(n.op)
    return evaluate(t, Model(model.sizes, maps, tensors), Values(model))


def meant(t: Term, model: World) -> Entries:
    """The entries of a term by its meaning."""
    sets = list(t.sets.values())
    lists = [model.elements(s) for s in sets]
    return {
        tuple(e.index(x) for e, x in zip(lists, xs, strict=True)): model.value(
            t, dict(zip(t.axes, xs, strict=True))
        )
        for xs in model.assignments(sets)
    }


def unambiguous(t: Term) -> bool:
    """Whether each name stands for one tensor, operator and map: the evaluator goes by name."""
    ops = {n.op for n in reachable(t.node) if n.op.kind in ("leaf", "opaque")}
    maps = [m.data[0] for m in symbols(t.node) if isinstance(m, Map) and m.kind == "symbol"]
    return len({op.data[0] for op in ops}) == len(ops) and len(set(maps)) == len(maps)


@settings(max_examples=120)
@given(st.integers(0, 2**48), st.booleans())
def test_entries_are_the_meaning(seed: int, harsh: bool) -> None:
    """A reading would show other entries than the theorem is about."""
    assert_read(seed, harsh)


@pytest.mark.slow
@settings(max_examples=1000)
@given(st.integers(0, 2**48), st.booleans())
def test_more_entries_are_the_meaning(seed: int, harsh: bool) -> None:
    """The same, for longer."""
    assert_read(seed, harsh)


def assert_read(seed: int, harsh: bool) -> None:
    """The entries of a random term, where they are few, are what it means."""
    rng = Random(seed)
    try:
        t = Grower(rng).term(3)
    except (ShapeError, AttributeError):
        return
    if any(n.op.kind in ("size", "apply") for n in reachable(t.node)):
        harsh = False  # the evaluator counts by the algebra's own sum; a mean is defined by a size
    model = world(rng, (t.node,), harsh, most=3)
    if model is None or not unambiguous(t) or len(list(model.assignments(t.sets.values()))) > 300:
        return
    found = entries(t, model)
    assert found == meant(t, model)
    assert not found or found != meant(pointwise("other", t), model)


def test_the_agreement_covers_every_constructor() -> None:
    """The agreement would be empty for a constructor: no random term that is compared has it."""
    seen: set[str] = set()
    for seed in range(400):
        try:
            t = Grower(Random(seed)).term(3)
        except (ShapeError, AttributeError):
            continue
        if unambiguous(t) and world(Random(seed), (t.node,), most=3):
            seen |= {n.op.kind for n in reachable(t.node)}
    assert seen == {
        "leaf", "number", "size", "iota", "delta", "pointwise", "reduce", "at", "cat", "apply",
        "opaque",
    }  # fmt: skip


MODEL = Model({"n": 2}, {"σ": [1, 0]}, {"X": lambda i: Fraction(i)})
READ = Values(World({"n": 2}, harsh=False))
REFUSED = {
    "function f9: unknown": (pointwise("f9", X), MODEL),
    "map σ: no table": (at(X, {"i": σ("i")}), Model({"n": 2}, {}, MODEL.tensors)),
    "map σ: given .*expected a permutation": (
        at(X, {"i": σ("i")}), Model({"n": 2}, {"σ": [1, 1]}, MODEL.tensors)),
    "map σ: given .* expected a permutation": (
        at(X, {"i": σ("i")}), Model({"n": 2}, {"σ": [0, 2]}, MODEL.tensors)),
    "index set n: no size": (X, Model({}, {}, MODEL.tensors)),
    "tensor X: no values": (X, Model({"n": 2})),
    "operator g: no function": (opaque("g", {"i": "i"}, X, {"k": N}), MODEL),
    "iota over n: its elements have": (iota(N, "i"), Model({"n": 1}, counts={"n": [3]})),
    "delta over n: its elements have": (delta(N, "i", "j"), Model({"n": 1}, counts={"n": [3]})),
}  # fmt: skip


@pytest.mark.parametrize("match", REFUSED)
def test_what_cannot_be_read_is_refused(match: str) -> None:
    """A reading would guess."""
    t, model = REFUSED[match]
    with pytest.raises(ReadingError, match=match):
        evaluate(t, model, READ)


def test_what_can_be_read_is_not_refused() -> None:
    """The refusals above would have another reason: their corrections are read."""
    t = at(X, {"i": σ("i")})
    assert evaluate(t, MODEL, READ) == {(0,): Fraction(1), (1,): Fraction(0)}
    assert evaluate(t, MODEL, READ) != evaluate(X, MODEL, READ)


def test_an_unknown_constructor_or_map_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A constructor that is new to the evaluator would be read as something else."""
    t = total(X, "i")
    with monkeypatch.context() as patch:
        patch.setitem(t.node.op.__dict__, "kind", "scan")
        with pytest.raises(ReadingError, match=r"scan: given .* expected a known constructor"):
            evaluate(t, MODEL, READ)
    swap = Map("identity", (Set("fresh"),))
    with monkeypatch.context() as patch:
        patch.setitem(swap.__dict__, "kind", "swap")
        with pytest.raises(ReadingError, match=r"map swap: given .* expected a known kind"):
            MODEL.apply(swap, (0,))


def test_lumped_counts_are_the_expanded_set() -> None:
    """An element of multiplicity three would be counted once."""
    lumped = Model({"n": 2}, {}, {"X": lambda i: Fraction(i + 2)}, {"n": [3, 2]})
    spread = Model({"n": 5}, {}, {"X": lambda i: Fraction([2, 2, 2, 3, 3][i])})
    once = Model({"n": 2}, {}, lumped.tensors)
    pair = Set("×", (N, Set("+", (N, Set("1")))))
    terms = [reduce(kind, multiply(X, X), "i") for kind in ("sum", "prod", "max", "min")]
    terms += [size(N), size(pair), reduce("sum", number(2), "t", pair), exp(total(X, "i"))]
    for t in terms:
        assert evaluate(t, lumped, READ) == evaluate(t, spread, READ)
    assert all(evaluate(t, lumped, READ) != evaluate(t, once, READ) for t in terms[:2])


def test_a_place_selects_one_entry() -> None:
    """A place would be read as another index."""
    t = at(X, {"i": constant("p", N)()})
    for k in range(2):
        assert evaluate(t, Model({"n": 2}, {"p": k}, MODEL.tensors), READ) == {(): Fraction(k)}
