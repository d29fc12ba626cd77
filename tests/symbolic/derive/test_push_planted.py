"""Tactics, bounds and readings that were made wrong on purpose: the sessions find each of them."""

from __future__ import annotations

import dataclasses
from collections import Counter
from typing import Any

import pytest

from orderproof.numeric.rounding import Ball, bounded
from orderproof.symbolic.calculus import kernel
from orderproof.symbolic.calculus.terms import Map, Term, map_type
from orderproof.symbolic.derive.push import Pushed, Stuck, act, push
from orderproof.symbolic.models.builders import image, inverse
from orderproof.symbolic.readings import entries
from orderproof.symbolic.readings import numpy_arrays as read_numpy
from orderproof.symbolic.readings.entries import Model
from orderproof.symbolic.readings.numpy_arrays import Floats
from tests.symbolic.calculus.random_sessions import SESSIONS, agreement, first_fault, session
from tests.symbolic.calculus.random_terms import OWN


def inverted(t: Term, moves: Any, facts: Any) -> Any:
    """A tactic that is believed whatever it says: the result moved by the inverses."""
    result = push(t, moves, facts)
    if isinstance(result, Stuck) or not any(result.motion):
        return result
    back = tuple(inverse(m) if m and map_type(m)[2] else m for m in result.motion)
    rhs = act(t.node, back)
    issued = kernel._issue("trans", result.theorem.lhs, rhs, result.theorem)
    return dataclasses.replace(result, theorem=issued, motion=back)


def unmoved(t: Term, moves: Any, facts: Any) -> Any:
    """A tactic that derives t = t, which is true, and not what was asked."""
    result = push(t, moves, facts)
    if isinstance(result, Stuck):
        return result
    return dataclasses.replace(result, theorem=kernel.cong(t, [None] * len(t.node.args)))


def never_stuck(t: Term, moves: Any, facts: Any) -> Any:
    """A tactic that takes for proved what it cannot derive: that everything moves along."""
    result = push(t, moves, facts)
    if isinstance(result, Pushed):
        return result
    motion = tuple(OWN.get(s) for s in t.node.sets)
    th = kernel._issue("push", image(t, moves).rename(dict(zip(t.axes, range(9), strict=False))),
                       act(t.node, motion))  # fmt: skip
    return Pushed(th, motion, {}, moves)


def dumb(t: Term, moves: Any, facts: Any) -> Any:
    """A tactic that is stuck and does not say where."""
    return Stuck("", "")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (inverted, "differ by"),
        (never_stuck, "differ by"),
        (unmoved, "something else"),
        (dumb, "stuck at nothing"),
    ],
)
def test_a_wrong_tactic_is_found_out(wrong: Any, said: str) -> None:
    """The sessions would have no teeth: they would not see a tactic that is wrong."""
    assert said in first_fault(lambda rng: session(rng, Counter(), wrong), SESSIONS)


def test_a_wrong_bound_is_found_out() -> None:
    """A difference between the sides would be hidden by any bound, or one of rounding reported."""

    def shifted(t: Term, *given: Any, **how: Any) -> Ball:
        ball = bounded(t, *given, **how)
        moved = 0.001 if t.node.op.kind == "at" else 0.0
        return Ball(ball.value + moved, ball.error)

    found = first_fault(lambda rng: session(rng, Counter(), push, shifted), SESSIONS)
    assert "differ by" in found


@pytest.mark.parametrize(
    "what",
    ["reduce", "snd", *(pytest.param(x, marks=pytest.mark.slow) for x in ("inverse", "beside"))],
)
def test_a_wrong_reading_is_found_out(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison would not see a reading that takes a map for its inverse, a part of a sum of
    sets for the other, a minimum for a maximum, or one half of a pair for the other."""
    apply, fold = Model.apply, Floats.reduce

    def wrong(self: Model, m: Map, args: tuple[int, ...]) -> int:
        match m.kind, m.data:
            case "inverse", (f,) if what == "inverse":
                return apply(self, f, args)
            case "beside", (f, _) if what == "beside":
                left = self.size(map_type(f)[0][0])
                return args[0] if args[0] >= left else apply(self, m, args)
            case "snd", (a, b) if what == "snd":
                return args[0] % self.size(a) % self.size(b)
        return apply(self, m, args)

    monkeypatch.setattr(entries.Model, "apply", wrong)
    if what == "reduce":
        other = {"max": "min"}
        monkeypatch.setattr(
            read_numpy.Floats, "reduce", lambda self, kind, x: fold(self, other.get(kind, kind), x)
        )
    assert first_fault(lambda rng: agreement(rng, Counter()), 2000)
