"""A stack of any depth: the kernel's theorem by induction, against models of depths written out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from orderproof.symbolic.calculus import kernel
from orderproof.symbolic.calculus.kernel import is_theorem
from orderproof.symbolic.calculus.terms import at, reachable
from orderproof.symbolic.models.builders import POINT, add, cat, tensor
from orderproof.symbolic.readings.numpy_arrays import Floats, arrays
from orderproof.symbolic.schemes.definitions import POSITION_SCHEMES
from orderproof.symbolic.schemes.models import (
    ALL,
    CONTEXT,
    FEATURES,
    LAST,
    any_depth,
    last_row,
    model,
    positions,
    stack,
)

LETTERS = sorted({s.letters for s in POSITION_SCHEMES.values()})
C, X = tensor("C", i=CONTEXT, k=FEATURES), tensor("x", i=POINT, k=FEATURES)
SIZES = {"n": 3, "d": 2}


@pytest.mark.parametrize("letters", LETTERS)
def test_one_theorem_says_it_of_every_depth(letters: str) -> None:
    """Any depth would rest on more than the kernel, or on more hypotheses than three layers do."""
    found, direct = any_depth(letters), last_row(letters, 3)
    assert found is not None and direct is not None
    assert is_theorem(found.theorem) and found.hyps == direct.hyps
    kinds = {n.op.kind for n in reachable(found.theorem.lhs.node)}
    assert "iterate" in kinds


@pytest.mark.parametrize("depth", [0, 1, 2, 3])
@pytest.mark.parametrize("letters", LETTERS)
def test_the_stack_is_the_model_of_each_depth(letters: str, depth: int) -> None:
    """The theorem would be about other models than those of the table."""
    position, tokens = positions(letters, ALL), cat(C, X, "i")
    entering = add(tokens, position["E"]) if "E" in letters else tokens
    last = {"i": LAST("i")}
    rng = np.random.default_rng(11)
    sizes = SIZES | {"L": depth}
    whole = at(stack(entering, position), last)
    given: dict[str, Any] = {}
    for node in reachable(whole.node):
        if node.op.kind == "leaf":
            name, sets = node.op.data
            shape = [{"+": SIZES["n"] + 1, "1": 1}.get(s.name, sizes.get(s.name)) for s in sets]
            given[name] = rng.uniform(0.1, 1, shape)
    each = {
        f"{name.removesuffix(',l')}{k + 1}": values[..., k]
        for name, values in given.items()
        for k in range(depth)
        if name.endswith(",l")
    }
    found = arrays(whole, sizes, {}, given, Floats(np.float64))
    direct = at(model(tokens, position, depth), last) if depth > 1 else None
    if depth > 1 and direct is not None:
        expected = arrays(direct, sizes, {}, given | each, Floats(np.float64))
        order = [direct.axes.index("v" if a == "k" else a) for a in whole.axes]
        assert np.allclose(found, np.transpose(expected, order), rtol=1e-12, atol=0)
    elif depth == 0:
        start = arrays(at(entering, last), sizes, {}, given, Floats(np.float64))
        assert np.array_equal(found.reshape(-1), start.reshape(-1))
    else:
        start = arrays(at(entering, last), sizes, {}, given, Floats(np.float64))
        assert not np.allclose(found.reshape(-1), start.reshape(-1))


def test_without_its_hypothesis_the_induction_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stack with a bias would commute with every permutation of the context."""
    from orderproof.symbolic.schemes import models as position_models

    monkeypatch.setattr(position_models, "_fixed", lambda t, m, axes: kernel.hyp(t, t))
    assert any_depth.__wrapped__("B") is None and any_depth.__wrapped__("E") is None
    assert any_depth.__wrapped__("") is not None
