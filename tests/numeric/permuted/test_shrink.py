"""A failing input made small: with few tokens, and still failing."""

from __future__ import annotations

from typing import Any

import numpy as np

from orderproof.numeric.permuted import shrink
from orderproof.numeric.permuted.measure import permutation_error
from orderproof.numeric.permuted.shrink import shrunk

X = np.random.default_rng(0).normal(size=(6, 4)).astype(np.float32)
PAIRS = ((0, 0),)
ROTATION = (1, 2, 3, 4, 5, 0)


def failing(model: Any) -> Any:
    """Whether a measurement of the model, which must not change its tokens' order, fails."""
    return lambda args: permutation_error(model, args, PAIRS, None, permutations=2).differs


def test_two_tokens_are_left() -> None:
    """A person would have to read the input that was measured, of any size."""
    (found,) = shrunk((X,), PAIRS, ROTATION, failing(lambda x: x[0]))
    assert found.dtype == np.float32 and found.shape == (2, 4)
    assert {tuple(row) for row in found.tolist()} < {tuple(row) for row in X.tolist()}


def test_what_needs_three_tokens_keeps_three() -> None:
    """Tokens would be taken away beyond what fails."""

    def third(x: Any) -> Any:
        return x[2] if len(x) > 2 else x.sum(0)

    (found,) = shrunk((X,), PAIRS, ROTATION, failing(third))
    assert found.shape == (3, 4)
    assert failing(third)((found,))


def test_a_model_of_one_size_keeps_it() -> None:
    """An input would be shown that the model refuses."""

    def fixed(x: Any) -> Any:
        return (x * np.arange(6, dtype=np.float32)[:, None]).sum(0)

    (found,) = shrunk((X,), PAIRS, ROTATION, failing(fixed))
    assert found is X


def test_what_moves_together_shrinks_together() -> None:
    """Inputs of different numbers of tokens would be shown."""
    mask = np.tril(np.ones((6, 6), bool))
    pairs = ((0, 0), (1, 0), (1, 1))

    def fails(args: Any) -> bool:
        def model(x: Any, m: Any) -> Any:
            return np.where(m, x[:, 0], 0).sum() * x[0, 1]

        return permutation_error(model, args, pairs, None, permutations=2).differs

    found = shrunk((X, mask), pairs, ROTATION, fails)
    assert [a.shape for a in found] == [(2, 4), (2, 2)]
    assert found[1].dtype == bool
    assert fails(found)


def test_the_function_is_called_a_bounded_number_of_times() -> None:
    """A test of a large or slow model would hang where it should fail."""
    calls = 0

    def fails(args: Any) -> bool:
        nonlocal calls
        calls += 1
        return len(args[0]) > 60

    large = np.random.default_rng(1).normal(size=(400, 2))
    shrunk((large,), PAIRS, tuple(range(400)), fails)
    assert shrink.CANDIDATES / 2 < calls <= shrink.CANDIDATES
