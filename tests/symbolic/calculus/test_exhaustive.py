"""The kernel's theorems of a few steps are true in all small models, and of a kernel with one fault
in it some are not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any

import numpy as np
import pytest

from orderproof.symbolic.calculus import kernel, terms
from orderproof.symbolic.models import builders
from tests.oracles.finite_models import Models
from tests.oracles.meaning import World, symbols
from tests.symbolic.calculus.exhaustive import Search
from tests.symbolic.calculus.planted_kernels import Calculus, Edit, Stale, compiled, dropped
from tests.symbolic.calculus.unsound import BACKED, FAULTS, LOCKED, SECOND_LOCK

MOST = 500  # theorems that are used again; the planted faults need up to 400
RULES = {
    "sym", "trans", "cong", "hyp", "discharge", "inst", "unfold", "at_at", "at_op", "at_cat",
    "at_equal", "reindex", "at_delta", "sum_delta", "iterate",
}  # fmt: skip
QUICK = ("the law of premises is lost",)


def search(edits: list[Edit], most: int = MOST) -> Search:
    """A search through the theorems of a kernel with these edits, and what it took."""
    found = Search(compiled(*edits))
    said = found.run(most)
    print(f"{found.calls} calls, {len(found.seen)} theorems: {said or 'none is false'}")
    return found


def test_no_small_theorem_is_false() -> None:
    """A rule would be unsound: a theorem of few steps is false in a small model."""
    found = search([], 40)
    assert not found.false
    assert set(found.by_rule) == RULES - {"discharge"}


@pytest.mark.slow
def test_no_theorem_of_the_whole_search_is_false() -> None:
    """A rule would be unsound in a way that takes more steps."""
    found = search([])
    assert not found.false
    assert set(found.by_rule) == RULES and len(found.seen) > 8_000


@pytest.mark.slow
@pytest.mark.parametrize("name", QUICK)
def test_a_fault_that_is_found_soon(name: str) -> None:
    """The search would have no teeth, and the hole that was once in inst could come back."""
    assert " ≠ " in search(FAULTS[name]).false


@pytest.mark.slow
@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_found(name: str) -> None:
    """The search would have no teeth: it would not see this fault."""
    assert search(FAULTS[name]).false


CONDITIONS = dropped()


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [c for c in CONDITIONS if c not in BACKED and not c.startswith(SECOND_LOCK)]
)
def test_a_dropped_side_condition_is_found(name: str) -> None:
    """A side condition of the kernel could go, and nobody would see it."""
    assert search([CONDITIONS[name]]).false


def test_every_backed_condition_is_there() -> None:
    """A condition would count as backed by another that is no longer in the source."""
    assert set(BACKED) <= set(CONDITIONS)
    assert {c.split(":")[0] + ": " for c in CONDITIONS} >= set(SECOND_LOCK)


@pytest.mark.slow
@pytest.mark.parametrize("name", LOCKED)
def test_the_door_is_a_lock_of_its_own(name: str) -> None:
    """The door would let through what a mistake in a rule and one in build have made."""
    assert not search(LOCKED[name], 0).false


def test_a_fault_without_a_place_is_refused() -> None:
    """A fault would be planted nowhere, and the search would be blamed or praised for nothing."""
    with pytest.raises(Stale, match=r"0 times in kernel.py: no such line"):
        compiled(Edit("kernel", "no such line", ""))
    with pytest.raises(Stale, match=r"times in kernel.py: need"):
        compiled(Edit("kernel", "need", ""))


@dataclass
class SlowWorld(World):
    """The other evaluator, with the functions of this one for what no law says anything of."""

    law: str = "perm"

    def words(self, values: Iterable[Any]) -> Any:
        """Values as words."""
        return np.array([int(v) % 2**64 for v in values], np.uint64)

    def function(self, name: str, values: tuple[Any, ...]) -> Any:
        """A function of this model's values."""
        if self.law == "ring" and name == "mul":
            return prod(values)
        return int(Models({}, "perm", 1)._function(name, [self.words([v]) for v in values])[0])

    def fold(self, kind: str, values: list[Any]) -> Any:
        """A reduction of this model's values."""
        if self.law == "ring" and kind == "sum":
            return sum(values)
        return int(Models({}, "perm", 1)._reduced(kind, self.words(values)[None])[0])


def entry(place: Any, sets: Any, tensor: Any, *x: Any) -> Any:
    """The entry of an array at elements of index sets."""
    return int(tensor[tuple(place[s][e] for s, e in zip(sets, x, strict=True))])


@pytest.mark.slow
@pytest.mark.parametrize("law", ["perm", "ring"])
def test_two_evaluators_agree(law: str) -> None:
    """The search would evaluate both sides in the same wrong way."""
    real = Search(Calculus(terms, kernel, builders))
    assert not real.run(0)
    sides = [t for th in list(real.seen.values())[::2] for t in (th.lhs, th.rhs)]
    compared, maps = 0, set()
    for node in {t.node for t in sides}:
        if "opaque" in {n.op.kind for n in terms.reachable(node)}:
            continue
        t = terms.Term(node, tuple(range(len(node.sets))))
        fast = Models({"n": 2, "m": 2}, law)
        value = fast.value(node)
        maps |= {m.kind for m in fast.graphs}
        for k in (1, 4):
            slow = SlowWorld({"n": 2, "m": 2}, law=law)
            sets = [s for s in symbols(node) if isinstance(s, terms.Set)]
            place = {s: {x: i for i, x in enumerate(slow.elements(s))} for s in sets}
            for op, tensor in fast.tensors.items():
                slow.tensors[op] = partial(entry, place, op.data[1], tensor[k])
            for m, graph in fast.graphs.items():
                if m.kind == "symbol":
                    dom, cod, _ = terms.map_type(m)
                    rows = slow.assignments(dom)
                    flat = graph[k].reshape(-1)
                    slow.tables[m] = {
                        r: slow.elements(cod)[i] for r, i in zip(rows, flat, strict=True)
                    }
            for x in slow.assignments(t.node.sets):
                at = tuple(place[s][e] for s, e in zip(t.node.sets, x, strict=True))
                expected = int(slow.value(t, dict(zip(t.axes, x, strict=True)))) % 2**64
                assert int(value[(k, *at)]) == expected, (t, at)
                compared += 1
    assert compared > 1000
    assert maps == {
        "symbol", "identity", "inverse", "inl", "inr", "beside", "pair", "fst", "snd",
    }  # fmt: skip
