"""Stacks that show their last token a permutation of the others: found where the context group says
so and nowhere else, and rechecked from their files."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from orderproof.numeric.groups import stack_search, symmetry
from orderproof.numeric.groups.bias_matrices import position
from orderproof.numeric.groups.symmetry import Layer
from orderproof.symbolic.witness.fields import WitnessError
from orderproof.symbolic.witness.group_file import StackWitness, dumps, parse
from orderproof.symbolic.witness.group_replay import check
from tests.numeric.groups.matrices import random_heads


def layers(schemes: Iterable[str], seeds: Iterable[int]) -> list[Layer]:
    """Schemes, and random masks and biases of one or two heads, of four tokens."""
    found = [symmetry.of_scheme(position(x, 4)) for x in schemes]
    for seed in seeds:
        heads = random_heads(np.random.default_rng(seed), 4, 1 + seed % 2, 0.4)
        found.append(symmetry.of_heads(heads))
    return found


SCHEMES = ("causal", "window", "alibi", "prefix")


@pytest.mark.parametrize(
    ("schemes", "seeds"),
    [(["window"], [6]), pytest.param(SCHEMES, range(10), marks=pytest.mark.slow)],
    ids=["some", "all"],
)
def test_a_witness_is_found_where_the_depth_says_so(
    schemes: Iterable[str], seeds: Iterable[int]
) -> None:
    """Otherwise the context group at some depth is too large (a stack tells a σ of it), or too
    small (nothing tells a σ outside)."""
    counts: dict[int, int] = {}
    for layer in layers(schemes, seeds):
        for s in itertools.permutations(range(3)):
            sigma = (*s, 3)
            depth = symmetry.context_depths(layer, sigma)
            if depth is None or depth > 0:
                for inside in range(1, 4 if depth is None else depth + 1):
                    assert stack_search.search(layer, sigma, inside, "x") is None
            if depth is not None:
                found = stack_search.search(layer, sigma, depth + 1, "x")
                assert found is not None and found.ok, (layer, sigma, depth)
                counts[depth] = counts.get(depth, 0) + 1
    assert min(counts[k] for k in (0, 1, 2)) > 0


def witness() -> StackWitness:
    """Two causal layers."""
    found = stack_search.search(symmetry.of_scheme(position("causal", 3)), (1, 0, 2), 2, "causal")
    assert found is not None and isinstance(found.witness, StackWitness)
    return found.witness


def test_a_false_stack_is_refuted() -> None:
    """Otherwise any tokens and weights pass: those of nothing, of one layer, the identity, a row
    without a place to attend to, scores too large."""
    w = witness()
    assert check(w).ok
    assert parse(dumps(w).encode(), "w") == w
    assert not check(replace(w, sigma=(0, 1, 2))).ok
    assert not check(replace(w, layers=w.layers[:1])).ok
    nothing = ((Fraction(0),) * 2,) * 3
    assert not check(replace(w, x=nothing)).ok
    assert not check(replace(w, heads=(((None,) * 3,) * 3,))).ok
    raised = ((tuple(Fraction(10**6) for _ in range(3)),) * 3,)
    assert not check(replace(w, heads=raised)).ok


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"sigma": [1, 0, 2]', '"sigma": [1, 2, 0]', "sigma: given"),
        ('"sigma": [1, 0, 2]', '"sigma": [0, 1, 2]', "claim: given"),
        ('"feature": ', '"feature": 9', "feature: given"),
        ('"heads": [[["0", "-inf", "-inf"]', '"heads": [[["0", "-inf"]', "heads"),
        ('"heads": [', '"heads": [[], ', "layers"),
        ('"W_Q"', '"W_X"', "W_Q"),
        ('"x": [', '"x": [["0", "0"], ', "x: given"),
    ],
)
def test_a_changed_stack_is_refused(old: str, new: str, message: str) -> None:
    """Otherwise a file that was changed by hand says one thing and is checked for another."""
    text = dumps(witness())
    assert old in text
    with pytest.raises(WitnessError, match=message):
        parse(text.replace(old, new, 1).encode(), "w.json")


def test_what_is_no_stack_of_biases_has_no_file() -> None:
    """Otherwise rotations or added rows are left out of the model that is run."""
    for name in ("rope", "learned", "shaw", "documents"):
        layer = symmetry.of_scheme(position(name, 5))
        assert stack_search.search(layer, (1, 0, 2, 3, 4), 1, name) is None
