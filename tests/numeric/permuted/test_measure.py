"""The measurement: what sees the order is beyond the bound, what does not is far below it."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

from orderproof.numeric.permuted.inputs import permutations_of
from orderproof.numeric.permuted.measure import SHARE, permutation_error
from tests.numeric.permuted.kinds import Capsule, Tensor

Array = np.ndarray[Any, np.dtype[Any]]
FLOATS = ["float64", "float32", "float16"]
D = 8


def random(*shape: int, dtype: Any = np.float32, seed: int = 0) -> Array:
    """Numbers of size 1."""
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


def softmax(scores: Array, axis: int = -1) -> Array:
    """Softmax, shifted."""
    weights = np.exp(scores - scores.max(axis, keepdims=True))
    return np.asarray(weights / weights.sum(axis, keepdims=True))


def attention(x: Array, heads: int = 2, axis: int = -1) -> Array:
    """Attention with fixed random weights, in the precision of x."""
    w = random(4, heads, D, D // heads, dtype=x.dtype, seed=1)
    scale = x.dtype.type(np.sqrt(D))
    q, k, v = (x @ w[i] / scale for i in range(3))  # (heads, n, D / heads)
    z = softmax(q @ k.swapaxes(-1, -2), axis) @ v
    return np.asarray(np.concatenate(z, axis=-1))


def unmerged(x: Array) -> Array:
    """Attention whose heads are merged without the transposition: a bug that people made."""
    w = random(3, 2, D, D // 2, dtype=x.dtype, seed=1)
    q, k, v = x @ w
    return np.asarray((softmax(q @ k.swapaxes(-1, -2)) @ v).reshape(x.shape))


def norm(x: Array) -> Array:
    """Layer normalisation."""
    y = x - x.mean(-1, keepdims=True)
    return np.asarray(y / np.sqrt((y * y).mean(-1, keepdims=True) + x.dtype.type(1e-3)))


def encoder(x: Array, layers: int = 12) -> Array:
    """Blocks of attention and a feed-forward map, normalised after each."""
    for layer in range(layers):
        a, b = random(2, D, D, dtype=x.dtype, seed=layer) / x.dtype.type(np.sqrt(D))
        x = norm(x + attention(x))
        x = norm(x + np.maximum(x @ a, 0) @ b)
    return x


def deep_set(x: Array) -> Array:
    """ρ(Σ φ(x)): invariant."""
    w = random(D, 16, dtype=x.dtype, seed=2)
    return np.asarray(np.tanh(np.maximum(x @ w, 0).sum(0) @ w.T))


def places(x: Array) -> Array:
    """0, 1, … as a column."""
    return np.arange(len(x), dtype=x.dtype)[:, None]


def fill(dtype: Any) -> Any:
    """What people write where a mask hides."""
    return dtype.type(-65504 if dtype == np.float16 else -1e9)


Case = tuple[Callable[[Array], Array], int | None]  # a function, and the axis of its output

HOLDS: dict[str, Case] = {
    "attention": (attention, 0),
    "attention, normalised over the queries": (
        lambda x: attention(x, axis=-2),
        0,
    ),  # no order in it
    "encoder": (encoder, 0),
    "the mean taken away": (lambda x: x - x.mean(0), 0),
    "nothing but 0": (lambda x: x * 0, 0),
    "order of each column": (lambda x: np.argsort(np.argsort(x, 0), 0), 0),  # whole numbers
    "deep set": (deep_set, None),
    "mean": (lambda x: x.mean(0), None),
    "one after another": (lambda x: np.add.accumulate(x, 0)[-1], None),
    "all in one": (lambda x: x.sum(), None),
    "max": (lambda x: x.max(0), None),
    "log-sum-exp": (lambda x: np.log(np.exp(x).sum(0)), None),
    "how many": (lambda x: (x > 0).sum(0), None),
}
SEES: dict[str, Case] = {
    "position added": (lambda x: encoder(x + places(x) * x.dtype.type(0.1), 2), 0),
    "causal mean": (lambda x: np.cumsum(x, 0) / (places(x) + 1), 0),
    "heads merged without a transposition": (unmerged, 0),
    "off by a thousandth": (lambda x: attention(x) + places(x) * x.dtype.type(1e-3), 0),
    "sorted": (lambda x: np.sort(x, 0), 0),
    "NaN": (lambda x: x * np.nan, 0),
    "NaN for some orders": (lambda x: np.where(x[0, 0] < x[1, 0], x, np.nan), 0),
    "infinite": (lambda x: x / (x * 0 + 0), 0),
    "infinite for some orders": (lambda x: np.where(x[0, 0] < x[1, 0], x, np.inf), 0),
    "first": (lambda x: x[0], None),
    "weighted": (lambda x: (x * places(x)).sum(0), None),
    "pooled, off by a thousandth": (lambda x: deep_set(x) + x[0] * x.dtype.type(1e-3), None),
    "place of the largest": (lambda x: x.argmax(0), None),
    "pooled to NaN": (lambda x: x.sum(0) * np.nan, None),
}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(("f", "to"), HOLDS.values(), ids=HOLDS)
def test_what_holds_is_within_half_the_bound(f: Any, to: Any, dtype: str) -> None:
    """A correct model would fail in its test, or pass by luck."""
    found = permutation_error(f, random(7, D, dtype=dtype), 0, to)
    assert found.ok
    assert found.error <= found.bound / 2


@pytest.mark.parametrize("dtype", FLOATS[:2])
@pytest.mark.parametrize(("f", "to"), SEES.values(), ids=SEES)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_sees_the_order_is_beyond_twice_the_bound(f: Any, to: Any, dtype: str) -> None:
    """A model that sees the order, or has no value at all, would pass its test."""
    found = permutation_error(f, random(7, D, dtype=dtype), 0, to)
    assert not found.ok and found.differs
    assert not (found.error <= 2 * found.bound)


@pytest.mark.parametrize("n", [2, 3, 31])
@pytest.mark.parametrize("seed", range(3))
def test_an_encoder_of_twelve_layers_passes_at_every_size(n: int, seed: int) -> None:
    """The bound would hold at the size and seed that it was made for, and at no other."""
    found = permutation_error(encoder, random(n, D, seed=seed), 0, 0, seed=seed)
    assert found.ok and found.error > 0
    assert found.bound < 1e-3


def test_the_bound_follows_the_function() -> None:
    """It would be a constant in disguise: too large here, too small there."""

    def steep(x: Array) -> Array:
        return np.asarray(np.exp(300 * x.sum(0)))

    x = random(9, D, dtype=np.float64, seed=3) / D
    gentle, rough = (permutation_error(f, x, 0, None) for f in (deep_set, steep))
    assert gentle.ok and rough.ok
    assert gentle.bound / gentle.size < 1e-14 < 1e-13 < rough.bound / rough.size
    assert rough.error / rough.size > 1e-15  # what a constant for the first would refuse


def last_bit(x: Array) -> Array:
    """What a rounding unit changes wholly."""
    return np.asarray(np.floor(np.add.accumulate(x, 0)[-1] * 2.0**22) % 2)


def dropout(x: Array, made: np.random.Generator) -> Array:
    """Some numbers are left out, by chance."""
    return np.asarray((x * made.integers(0, 2, x.shape)).sum(0))


def test_a_measurement_that_could_not_fail_is_not_ok() -> None:
    """A function beyond measuring, or with dropout, would pass whatever it sees."""
    made = np.random.default_rng(0)
    for f in (last_bit, lambda x: dropout(x, made)):
        found = permutation_error(f, random(7, D), 0, None)
        assert not found.ok and found.blind and not found.differs
        assert found.bound > SHARE * found.size
    assert found.repeated > 0
    constant = permutation_error(lambda x: x[0] * 0 + 1, random(7, D), 0, None)
    assert constant.ok and constant.bound < SHARE


def test_equal_to_the_last_bit_is_ok_whatever_the_bound() -> None:
    """A function that rounds each token to a grid would fail, though no order changes it."""
    found = permutation_error(lambda x: np.floor(x * 2.0**24) % 2, random(7, D), 0, 0)
    assert found.bound > SHARE * found.size
    assert found.ok and found.error == 0


def test_token_ids_are_bounded_by_what_is_known() -> None:
    """Ids cannot be moved by a rounding: a correct model on them would fail, or a false one
    pass."""
    table = random(50, D, seed=4)
    ids = np.array([3, 14, 15, 9, 26, 5])
    found = permutation_error(lambda i: encoder(table[i]), ids, 0, 0)
    assert found.ok and found.error > 0
    assert found.bound == 256 * 2.0**-24 * found.size
    moved = permutation_error(lambda i: encoder(table[i] + places(table[i])), ids, 0, 0)
    assert moved.error > 100 * moved.bound


def masked(x: Array, mask: Array) -> Array:
    """Averages of the tokens that a mask lets through."""
    return np.asarray(softmax(np.where(mask, x @ x.T, -1e9)) @ x)


def last(x: Array) -> Array:
    """The tokens, on axis 1, without their mean, on axis 2."""
    return np.asarray((x - x.mean(1, keepdims=True)).swapaxes(1, 2))


def gram(x: Array) -> Array:
    """Weights for pairs of tokens."""
    return softmax(x @ x.T)


def mostly_masked(x: Array, mask: Array) -> Array:
    """Scores of pairs, nearly all of them masked."""
    return np.asarray(np.where(mask, x @ x.T, fill(x.dtype)))


class Two(NamedTuple):
    """Two outputs with names."""

    tokens: Any
    pooled: Any


def two(x: Any) -> Two:
    """The tokens, and the first of them."""
    return Two(x, x[0])


def sums(x: Array) -> dict[str, Array]:
    """Causal sums under a name that an array has, and the tokens."""
    return {"imag": np.cumsum(x, 0), "values": x}


X, STACK, LONG = random(5, D), random(2, 5, D), random(9, D, dtype=np.float64)
TOGETHER = [(0, 0), (1, 0), (1, 1)]
CAUSAL, FEW = np.tril(np.ones((5, 5), bool)), np.eye(9, dtype=bool)
# A function, its input, the axes that move, that of the output, which output, whether it holds.
QUESTIONS: dict[str, tuple[Any, Any, Any, Any, Any, bool]] = {
    "a mask that moves": (masked, (X, CAUSAL), TOGETHER, 0, None, True),
    "a mask that stays": (masked, (X, CAUSAL), TOGETHER[:1], 0, None, False),
    "the rows of a mask alone": (masked, (X, CAUSAL), TOGETHER[:2], 0, None, False),
    "another axis": (last, STACK, 1, 2, None, True),
    "axes from the end": (last, STACK, -2, -1, None, True),
    "every second": (lambda x: x[:, ::2].sum(1), STACK, 1, None, None, False),
    "the axis of features": (lambda x: np.cumsum(x, 1), STACK, 2, 2, None, True),
    "pairs": (gram, X, 0, (0, -1), None, True),
    "rows of pairs": (gram, X, 0, 0, None, False),
    "causal pairs": (lambda x: np.tril(x @ x.T), X, 0, (0, 1), None, False),
    "the first of two": (lambda x: (x, x[0]), X, 0, 0, 0, True),
    "the second of two": (lambda x: (x, x[0]), X, 0, None, 1, False),
    "a field": (two, X, 0, 0, "tokens", True),
    "an attribute": (lambda x: SimpleNamespace(tokens=x), X, 0, 0, "tokens", True),
    "a key": (sums, X, 0, 0, "values", True),
    "a key that is an attribute of arrays": (sums, X, 0, 0, "imag", False),
    "what a function selects": (two, X, 0, None, lambda t: t.tokens.sum(0), True),
    "an array at place 0": (lambda x: np.cumsum(x, 0), X, 0, 0, 0, False),
    "nearly all masked": (mostly_masked, (LONG, FEW), TOGETHER, (0, 1), None, True),
    "an order where nearly all is masked": (
        lambda x, mask: mostly_masked(x + places(x) * 0.01, mask),
        (LONG, FEW), TOGETHER, (0, 1), None, False,
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("f", "x", "axis", "to", "output", "ok"), QUESTIONS.values(), ids=QUESTIONS
)
def test_what_moves_and_which_output_is_judged(
    f: Any, x: Any, axis: Any, to: Any, output: Any, ok: bool
) -> None:
    """Another axis, input or output would be judged than was asked about, a mask stay where it is,
    or an attribute of an array (the imaginary part, which is 0) be taken for an output."""
    found = permutation_error(f, x, axis, to, output=output)
    assert (found.ok, found.differs) == (ok, not ok)


@pytest.mark.parametrize("kind", [Tensor, Capsule])
def test_a_model_is_called_with_arrays_of_its_library(kind: Any) -> None:
    """A model in another library would be called with NumPy arrays, which it refuses."""

    def first(x: Any) -> Any:
        assert type(x) is kind
        return kind(x.values[0])

    assert permutation_error(first, kind(X), 0, None).differs
    assert permutation_error(lambda x: x.mean(), kind(X), 0, None).ok


@pytest.mark.parametrize(
    ("f", "output", "one_of"),
    [
        *((lambda x: (x, x[0]), output, r"\[0, 1\]") for output in (None, 2, "other")),
        *((lambda x: np.cumsum(x, 0), output, r"\[0\]") for output in ("imag", "T", "count")),
        *((sums, output, r"\['imag', 'values'\]") for output in (None, "T", "count")),
        (two, "count", r"\[0, 1\]"),
    ],
)
def test_an_output_that_is_not_there_is_refused(f: Any, output: Any, one_of: str) -> None:
    """A wrong output would be judged, or a method of what holds the outputs."""
    with pytest.raises(ValueError, match=rf"^given .*, expected .*one of {one_of}$"):
        permutation_error(f, X, 0, 0, output=output)


def test_what_a_function_writes_into_its_input_is_not_seen() -> None:
    """A function that adds to its input in place would be measured at an ever other input."""

    def adds(x: Array) -> Array:
        x += 1
        return x

    x = random(4, D)
    before = x.copy()
    found = permutation_error(adds, x, 0, 0)
    assert found.error == found.repeated == 0
    assert (x == before).all()


def test_generators_and_random_permutations_are_tried() -> None:
    """A symmetry under all rotations, or under one swap alone, would pass for all of them."""

    def rotations(x: Array) -> Array:
        return np.asarray(x + np.roll(x, 1, 0))

    def first_two(x: Array) -> Array:
        return np.asarray(x + np.where(places(x) < 2, 1, 0).astype(x.dtype))

    for f in (rotations, first_two):
        assert permutation_error(f, random(6, D), 0, 0, permutations=0).differs
    found = [*permutations_of(5, 8, seed=0)]
    assert found[:2] == [(1, 0, 2, 3, 4), (1, 2, 3, 4, 0)]
    assert len(found) == len(set(found)) and len(found) > 8
    assert found == [*permutations_of(5, 8, seed=0)] != [*permutations_of(5, 8, seed=1)]
    assert [*permutations_of(2, 8, seed=0)] == [(1, 0)]


@pytest.mark.parametrize(
    ("f", "x", "axis", "to", "message"),
    [
        (lambda x: x, X[:1], 0, 0, "given 1 tokens on the named axes, expected one number"),
        (lambda x: x, X[:0], 0, 0, "given 0 tokens"),
        (lambda x: x, X, 2, 0, "given axis 2 and an input of shape (5, 8), expected an axis"),
        (lambda x: x, X, -3, 0, "given axis -3"),
        (lambda x: x, X, "0", 0, "given axis='0', expected a number"),
        (lambda x: x, (X,), 0, 0, "given axis=0, expected pairs (argument, axis)"),
        (lambda x: x, (X,), [], 0, "given no axis"),
        (lambda x: x, (X,), [(1, 0)], 0, "given axis (1, 0), expected an array among 1 arguments"),
        (lambda x, y: x, (X, X[:3]), [(0, 0), (1, 0)], 0, "given 5 and 3 tokens"),
        (lambda x: x, X * 0 + 1, 0, 0, "given tokens that are all equal"),
        (lambda x: x, np.where(X > 1, np.nan, X), 0, 0, "given an input with NaN"),
        (lambda x: x.T, X, 0, 0, "given output_axis 0 and an output of shape (8, 5)"),
        (lambda x: x, X, 0, 2, "given output_axis 2"),
        (lambda x: x, X, 0, (0, 1), "given output_axis (0, 1) and an output of shape (5, 8)"),
        (lambda x: x, X, 0, (), "given output_axis ()"),
        (lambda x: x.sum(), X, 0, 0, "given output_axis 0 and an output of shape ()"),
        (lambda x: x[:, :0], X, 0, 0, "given an output of shape (5, 0), expected numbers"),
        (lambda x: x[x[:, 0] > x[0, 0]], X, 0, None, "expected one shape"),
        (lambda x: "text", X, 0, 0, "given str of <U4, expected an array"),
        (lambda x: None, X, 0, 0, "given NoneType, expected an array"),
    ],
)
def test_what_cannot_be_measured_is_refused_in_one_line(
    f: Any, x: Any, axis: Any, to: Any, message: str
) -> None:
    """A test would pass, or fail far from the mistake."""
    with pytest.raises(ValueError) as caught:
        permutation_error(f, x, axis, to)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def one_masked(f: Callable[[Array], Array], value: float) -> Callable[[Array], Array]:
    """f with a column of one large number."""

    def masked(x: Array) -> Array:
        y = f(x).copy()
        y[:, 3] = value
        return y

    return masked


@pytest.mark.parametrize(
    ("dtype", "value"),
    [
        ("float64", -1e9),
        ("float32", -1e9),
        ("float32", np.finfo(np.float32).min),
        ("float16", -65504),
    ],
)
def test_one_large_number_hides_no_other(dtype: str, value: float) -> None:
    """A model with one masked logit would pass, whatever it does to the others."""
    x = random(5, 4, dtype=dtype)
    faulty, right = one_masked(lambda x: x + places(x), value), one_masked(np.tanh, value)
    assert permutation_error(faulty, x, 0, 0).differs
    assert permutation_error(right, x, 0, 0).ok


def test_large_numbers_hide_nothing_in_a_pooled_output() -> None:
    """A pooled output with one large entry, or as many large ones as others, would pass."""
    x = random(5, 4)
    large = {
        "one": lambda x: np.exp(x[:1, 0] * 0 + 20),
        "half, that move": lambda x: 1e9 * x.sum(0),
        "nearly all, that are one fill": lambda x: np.full(200, -1e9, x.dtype),
        "two fills": lambda x: np.repeat(np.array([-1e4, -1e9], x.dtype), 50),
    }
    for f in large.values():
        first = permutation_error(lambda x, f=f: np.concatenate([x[0], f(x)]), x, 0, None)
        right = permutation_error(lambda x, f=f: np.concatenate([x.sum(0), f(x)]), x, 0, None)
        assert first.differs and right.ok


def test_masked_tokens_of_ids_are_seen() -> None:
    """Scores of which a mask hides some would pass where no rounding moves the input."""
    ids, table = np.array([3, 14, 15, 9, 26]), random(50, D, seed=4)
    for f, ok in ((encoder, True), (lambda x: encoder(x + places(x) * np.float32(0.01)), False)):
        found = permutation_error(lambda i, f=f: one_masked(f, -1e9)(table[i]), ids, 0, 0)
        assert found.ok == ok


def test_noise_in_one_column_is_not_hidden_by_a_large_one() -> None:
    """A column that no measurement can judge would pass beside a large one."""

    def model(x: Array) -> Array:
        return np.concatenate([np.floor(x.sum(0) * 2.0**22) % 2, 1000 * x.max(0)])

    found = permutation_error(model, random(7, D), 0, None)
    assert not found.ok


def rectified(x: Array) -> Array:
    """What is 0 for some tokens, and nearly so for others."""
    return np.maximum(attention(x) - x.dtype.type(0.3), 0)


def residual(x: Array) -> Array:
    """Averages, and what is left of 1 by rounding alone."""
    w = softmax(x @ x.T)
    return np.concatenate([w @ x, w.sum(1, keepdims=True) - w.dtype.type(1)], 1)


TRUE: dict[str, tuple[Callable[[Array], Array], int | None]] = {
    "masked logits": (lambda x: one_masked(attention, fill(x.dtype))(x), 0),
    "masked rows": (lambda x: np.where(x[:, :1] > 0, attention(x), fill(x.dtype)), 0),
    "probabilities": (lambda x: one_masked(softmax, fill(x.dtype))(9 * attention(x)), 0),
    "rectified": (rectified, 0),
    "residual": (residual, 0),
    "two scales": (lambda x: np.concatenate([attention(x), 100 * (x - x.mean(0))], 1), 0),
    "layer norm": (lambda x: norm(x - x.mean(0)), 0),
    "sums that cancel": (lambda x: x.sum(0), None),
    "sums one after another": (lambda x: np.add.accumulate(x, 0)[-1], None),
    "sums beside a fill": (lambda x: np.append(x.sum(0), fill(x.dtype)), None),
}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", TRUE)
@pytest.mark.parametrize("step", [15, pytest.param(1, marks=pytest.mark.slow)])
def test_entries_near_zero_raise_no_false_alarm(name: str, dtype: str, step: int) -> None:
    """An entry in which large terms cancel would be held to its own size, and a true model fail."""
    f, to = TRUE[name]
    for seed in range(0, 100, step):
        x = random(4 + seed % 29, D, dtype=dtype, seed=seed)
        found = permutation_error(f, x, 0, to, seed=seed)
        assert found.ok, (seed, found)
