"""The numeric mark of what there is for all tensors: at what is drawn, and at what is chosen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from orderproof.check.claims import Claim, Counts, Maps, nearby
from orderproof.check.marks.choices import ByChoice
from orderproof.check.marks.inputs import Inputs
from orderproof.check.prove.checking import has_a_model
from orderproof.symbolic.statements.evidence import weigh
from tests.judged import loaded

WEIGHTS, DEEP = loaded("output_differs_of_weights").claims
KEYS, _ = loaded("output_differs_of_relative_keys").claims


def by_choice(claim: Claim) -> ByChoice:
    """The numeric mark of a claim."""
    mark = claim.marks["numeric"]
    assert isinstance(mark, ByChoice)
    return mark


@pytest.mark.parametrize("claim", [WEIGHTS, DEEP, KEYS])
def test_it_confirms_and_does_not_settle(claim: Claim) -> None:
    """Draws would settle a claim of all tensors and sizes, or not be compared."""
    found = claim.marks["numeric"](claim.statement)
    assert found.ok is True and found.sweep and found.states is not None
    assert "12 runs" in found.detail
    judged = weigh(claim.statement, found)
    assert judged.ok is True and not judged.settles


def test_sides_that_are_equal() -> None:
    """Outputs would be taken for different which are the same."""
    same = nearby(WEIGHTS, "Equal sides.", rhs=WEIGHTS.lhs).claim.statement
    kept = WEIGHTS.statement.exists & {*same.tensors}
    assert by_choice(WEIGHTS)(replace(same, exists=kept)).ok is False


def test_choices_that_show_nothing() -> None:
    """Any choice would do."""

    keys = by_choice(KEYS)

    def zero(sizes: Counts, maps: Maps, given: Inputs) -> Iterator[Inputs]:
        for chosen in keys.choose(sizes, maps, given):
            yield {name: np.zeros_like(x) for name, x in chosen.items()}

    assert keys(KEYS.statement).ok is True
    found = replace(keys, choose=zero)(KEYS.statement)
    assert found.ok is False and "not so of what was chosen" in found.detail


def test_draws_that_are_not_as_is_given() -> None:
    """A claim would be looked at where its hypotheses do not hold."""

    keys = by_choice(KEYS)

    def equal(rng: np.random.Generator, sizes: Counts, maps: Maps) -> Inputs:
        return {name: np.ones_like(x) for name, x in keys.draw(rng, sizes, maps).items()}

    found = replace(keys, draw=equal)(KEYS.statement)
    assert found.ok is None and "not as is given" in found.detail
    assert has_a_model(KEYS.statement, [keys])
    (absurd,) = loaded("output_differs_of_columns").claims
    (once,) = (a for a in absurd.statement.given if a.relation == "<" and a.some)
    never = replace(absurd.statement, given=absurd.statement.given | {once.opposite()})
    mark = by_choice(absurd)
    assert has_a_model(absurd.statement, [mark]) and not has_a_model(never, [mark])
    small = replace(keys, over=({"n": 2, "d": 1},))(KEYS.statement)
    assert small.ok is None and "not among those of the claim" in small.detail
    assert replace(keys, over=())(KEYS.statement).ok is None
