"""Rows that must not depend on others: what does is found, with its place; what does not is not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from orderproof.numeric.permuted.dependence import Dependence, dependence_error
from tests.numeric.permuted.test_measure import FLOATS, Array, norm, random, softmax

D = 8
X, BATCH, TABLE = random(5, D), random(4, 6, D), random(50, D, seed=4)
IDS = np.array([[23, 34, 35, 29, 46, 25], [22, 27, 21, 28, 22, 28]])
TABLE[:20] = np.nan  # of ids that x does not have
SHOWN = np.arange(6) < np.array([6, 4, 3, 5])[:, None]  # True at real tokens
SHORT = np.arange(6) < np.array([4, 4, 3, 2])[:, None]
CHANCE = np.random.default_rng(0)


def causal(x: Array, fill: float = -1e9) -> Array:
    """Attention, where scores of later tokens get `fill` added."""
    fill = max(fill, float(np.finfo(x.dtype).min) / 2)
    later = np.triu(np.full((x.shape[-2],) * 2, fill, x.dtype), 1)
    return norm(x + softmax(x @ x.swapaxes(-1, -2) + later) @ x)


def padded(x: Array, mask: Array, fill: float = -1e9) -> Array:
    """Attention, where scores of hidden tokens get `fill` added."""
    hidden = np.where(mask, 0, fill).astype(x.dtype)[..., None, :]
    return np.asarray(softmax(x @ x.swapaxes(-1, -2) + hidden) @ x)


def pooled(x: Array, mask: Array) -> Array:
    """The mean of real tokens."""
    shown = mask[..., None].astype(x.dtype)
    return np.asarray((padded(x, mask) * shown).sum(-2) / shown.sum(-2))


def every_second(x: Array) -> Array:
    """The next token, at tokens 2, 4, …: none that the evenly spread rows alone would show."""
    y = np.append(x[1:], x[:1] * 0, 0)
    y[::2] = 0
    return y


def swapped(x: Array) -> Array:
    """Tokens before the batch, or the other way round."""
    return x.swapaxes(0, 1)


def measure(ask: str, f: Any, x: Any, how: Any) -> Dependence:
    """What is found, along axis 0 unless another is given."""
    given = {"axis": 0, "to": 0, **how}
    return dependence_error(f, x, given.pop("axis"), given.pop("to"), ask, **given)


Q: dict[str, Any] = {"axis": 1, "to": 1}
P: dict[str, Any] = {"axis": [(0, 1)], "to": 1, "mask": (1, 1)}
# What is asked, of a function, at x, how; the sizes to which x is cut.
HOLDS: dict[str, tuple[Any, ...]] = {
    "attention": ("causal", causal, X, {}, (1, 4)),
    "token ids": ("causal", lambda i: causal(TABLE[i]), IDS, Q, (1, 5)),
    "many tokens": ("causal", causal, random(40, D), {}, (1, 39)),
    "pairs": ("causal", lambda x: np.tril(x @ x.T), X, {"to": (0, 1)}, (1, 4)),
    "rows of its own": ("causal", lambda x: np.tril(np.ones((5, 5)))[:, : len(x)] @ x, X, {}, ()),
    "one size alone": ("causal", lambda x: x.reshape(5, D), X, {}, ()),
    "logarithms": ("causal", lambda x: np.cumsum(np.log(x), 0), np.abs(X), {}, (1, 4)),
    "overflow of its own": ("causal", np.exp, 20 * X, {}, (1, 4)),
    "requests": ("isolated", causal, BATCH, {}, (1, 3)),
    "requests of ids": ("isolated", lambda i: causal(TABLE[i]), IDS, {}, (1,)),
    "padding": ("padding", padded, (BATCH, SHOWN), P, ()),
    "padding last": ("padding", padded, (BATCH, SHORT), P, (4,)),
    "one mask for all": ("padding", padded, (BATCH, SHORT[:1]), P, (4,)),
    "the mask along": ("padding", padded, (BATCH, SHORT), {**P, "axis": [(0, 1), (1, 1)]}, (4,)),
    "pooled": ("padding", pooled, (BATCH, SHORT), P, (4,)),
    "a size that misleads": ("padding", pooled, (random(4, 8, D), np.tile(SHORT, 2)[:, :8]),
                             {**P, "to": ()}, ()),
    "tokens first": ("padding", lambda x, m: swapped(padded(swapped(x), m)),
                     (swapped(BATCH), SHORT), {**P, "axis": [(0, 0)], "to": 0}, (4,)),
    "1 hides": ("padding", lambda x, m: padded(x, m == 0), (BATCH, 1 - SHORT),
                {**P, "masked": 1}, (4,)),
    "-1e9 hides": ("padding", lambda x, m: padded(x, m == 0), (BATCH, np.where(SHORT, 0, -1e9)),
                   {**P, "masked": -1e9}, (4,)),
    "NaN where hidden": ("padding", lambda x, m: np.where(m[..., None], padded(x, m), np.nan),
                         (BATCH, SHORT), P, (4,)),
}  # fmt: skip
# ...; where one is seen, the row that sees and the one that is seen; how many rows were left.
SEES: dict[str, tuple[Any, ...]] = {
    "two-way": ("causal", lambda x: causal(x, 0), X, {}, None, 5),
    "a small fill": ("causal", lambda x: causal(x, -10), X, {}, None, 5),
    "the next in pairs": ("causal", lambda x: x + every_second(x), random(93, D), {}, None, 93),
    "the last alone": ("causal", lambda x: x + x[-1:] * (np.arange(5) == 1)[:, None], X, {},
                       (1, 4), 5),
    "ids": ("causal", lambda i: i + np.roll(i, -1, 1), IDS, Q, None, 6),
    "truth values": ("causal", lambda x: x ^ x.all(0), X > -1, {}, None, 5),
    "size": ("causal", lambda x: x + x.shape[0], X, {}, None, 1),
    "pairs of all": ("causal", lambda x: x @ x.T, X, {"to": (0, 1)}, None, 5),
    "not a number": ("causal", lambda x: x + 0 * (x[-1] / (np.abs(x[-1]) < 5)), X / 3, {},
                     None, 5),
    "batch norm": ("isolated", lambda x: (x - x.mean((0, 1))) / x.std((0, 1)), BATCH, {},
                   None, 4),
    "the first": ("isolated", lambda x: x + x[:1] * (np.arange(4) == 2)[:, None, None], BATCH, {},
                  (2, 0), 4),
    "size of the batch": ("isolated", lambda x: x / x.shape[0], BATCH, {}, None, 1),
    "a fill for padding": ("padding", lambda x, m: padded(x, m, -5), (BATCH, SHOWN), P,
                           None, 6),
    "pooled with hidden ones": ("padding", lambda x, m: padded(x, m).mean(1), (BATCH, SHORT), P,
                                None, 6),
    "length": ("padding", lambda x, m: x / m.shape[1], (BATCH, SHORT), P, None, 4),
}  # fmt: skip


@pytest.mark.parametrize(("ask", "f", "x", "how", "shorter"), HOLDS.values(), ids=HOLDS)
def test_what_does_not_depend_is_within_half_the_bound(
    ask: str, f: Any, x: Any, how: Any, shorter: Any
) -> None:
    """A correct model would fail by its rounding, at inputs that it cannot take, or for what it
    does at hidden tokens; or nobody would learn that no number of rows was compared."""
    found = measure(ask, f, x, how)
    assert found.ok and found.error <= found.bound / 2
    assert found.shorter == shorter


@pytest.mark.parametrize("dtype", FLOATS)
def test_every_precision_holds(dtype: str) -> None:
    """The bounds would be those of one type of number."""
    for seed in range(3):
        assert measure("causal", causal, random(9, D, dtype=dtype, seed=seed), {"seed": seed}).ok


@pytest.mark.parametrize(("ask", "f", "x", "how", "rows", "kept"), SEES.values(), ids=SEES)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_depends_is_found_with_its_rows(
    ask: str, f: Any, x: Any, how: Any, rows: Any, kept: int
) -> None:
    """A model that sees what it must not would pass, or other rows be named; or contents be taken
    for a number of rows."""
    found = measure(ask, f, x, how)
    assert found.differs and not (found.error <= 2 * found.bound)
    assert (found.kept, found.source is None) == (kept, kept < found.n)
    assert rows in (None, (found.row, found.source))
    if ask == "causal" and found.row is not None and found.source is not None:
        assert found.row < found.source
