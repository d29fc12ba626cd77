"""The tactic and the readings, on random terms of every constructor, with random moves.

Whatever the tactic derives is what was asked for, and holds in floating point within the rounding
bound; where it does not derive, it is stuck at something with a name, and never crashes. The
NumPy reading, exact rationals and direct evaluation of the meaning agree with each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orderproof.symbolic.calculus.terms import Op, Term, build
from orderproof.symbolic.derive.push import Stuck, push
from orderproof.symbolic.models.builders import number, tensor
from orderproof.symbolic.readings.numpy_arrays import Floats, arrays
from tests.symbolic.calculus.random_sessions import SESSIONS, agreement, first_fault, session
from tests.symbolic.calculus.random_terms import RHO, M, N

randoms = st.randoms(use_true_random=False)


EXAMPLES = pytest.mark.parametrize("count", [60, pytest.param(250, marks=pytest.mark.slow)])


def for_all(count: int, fault: Callable[[Random, Counter[str]], object]) -> None:
    """Nothing is wrong in so many random examples."""

    @settings(max_examples=count, derandomize=True)
    @given(randoms)
    def none(rng: Random) -> None:
        assert not fault(rng, Counter())

    none()


@EXAMPLES
def test_whatever_is_derived_holds_in_floating_point(count: int) -> None:
    """The tactic would crash on a term, be stuck without saying where, or derive a falsehood."""
    for_all(count, session)


@EXAMPLES
def test_the_readings_agree(count: int) -> None:
    """A reading would give a term another value than the others do."""
    for_all(count, agreement)


@pytest.mark.slow
def test_sessions_reach_everything() -> None:
    """The sessions would be empty: a constructor that never comes, no derivation with moves, none
    that is stuck, no sizes of 0 and 1, no 3-cycle, or bounds that are no bounds."""
    tally: Counter[str] = Counter()
    assert not first_fault(lambda rng: session(rng, tally), SESSIONS)
    print(dict(sorted(tally.items())))
    kinds = ["leaf", "number", "size", "iota", "delta", "pointwise", "reduce", "at", "cat"]
    kinds += ["apply", "opaque"]
    assert [k for k in kinds if tally[f"constructor {k}"] < 20] == []
    for what in ("stuck", "derived, with moves", "sizes with 0", "sizes with 1", "with a 3-cycle"):
        assert tally[what] >= 40, (what, tally)
    assert tally["compared"] >= 0.8 * (tally["compared"] + tally["no entry has a bound"])


@pytest.mark.slow
def test_agreements_reach_everything() -> None:
    """The readings would be compared on nothing."""
    tally: Counter[str] = Counter()
    assert not first_fault(lambda rng: agreement(rng, tally), 400)
    print(dict(tally))
    assert tally["terms"] >= 300 and tally["entries"] >= 2000


@pytest.mark.slow
def test_many_sessions() -> None:
    """A fault would be too rare for the quick sessions."""
    assert not first_fault(lambda rng: session(rng, Counter()), 20_000)
    assert not first_fault(lambda rng: agreement(rng, Counter()), 5_000)


# --------------------------------------------------------------------------- what this has found
def joined(part: Term) -> Term:
    """A part over A, and a part that does not have the axis over B, on one axis over A + B."""
    return build(Op("cat", (M, N)), [part, number(2)], [["a"], ["i"]], ["c"])


def test_a_part_of_cat_without_its_axis_is_read() -> None:
    """The NumPy reading would take one entry for a part that is the same along its axis."""
    t = joined(tensor("Y", a=M))
    for n in (0, 1, 3):
        read = arrays(t, {"n": n, "m": 2}, {}, {"Y": np.array([5.0, 7.0])}, Floats(np.float64))
        assert read.tolist() == [5, 7, *[2] * n]


def test_a_part_of_cat_without_its_axis_is_stuck() -> None:
    """The push would end in a KeyError."""
    result = push(joined(tensor("Y", a=M)), {tensor("Y", a=M).node.op: (RHO,)})
    assert isinstance(result, Stuck) and result.tensor and "does not have the axis" in result.reason
