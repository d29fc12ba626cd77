"""Any depth is base, step and read-out: composed at depth 3, they give the direct theorem."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from orderproof.symbolic.calculus import kernel
from orderproof.symbolic.calculus.kernel import Theorem, is_theorem
from orderproof.symbolic.calculus.terms import Term, at, reachable
from orderproof.symbolic.derive.equations import chain, slots
from orderproof.symbolic.models.builders import POINT, add, cat, image, leaf_of, moved, tensor
from orderproof.symbolic.schemes.definitions import POSITION_SCHEMES
from orderproof.symbolic.schemes.models import (
    ALL,
    AROUND,
    CONTEXT,
    FEATURES,
    LAST,
    SIGMA,
    any_depth,
    base,
    last_row,
    layer,
    positions,
    read_out,
    step,
    weights,
)

LETTERS = sorted({s.letters for s in POSITION_SCHEMES.values()})
H = tensor("H", i=ALL, k=FEATURES)
C, X = tensor("C", i=CONTEXT, k=FEATURES), tensor("x", i=POINT, k=FEATURES)
MOVES = {leaf_of(C): (SIGMA, None)}


def rewritten(t: Term, th: Theorem) -> Theorem:
    """t = t with the theorem's left side replaced by its right side, by congruence."""
    done = {th.lhs.node: th}
    for node in sorted(reachable(t.node), key=lambda n: n.id):
        if node not in done:
            done[node] = kernel.cong(slots(node), [done[part.node] for part in node.args])
    return done[t.node]


def by_slots(t: Term) -> Term:
    """A term that stands for a tensor: its axes are slots."""
    return t.rename({a: k for k, a in enumerate(t.axes)})


def layers(letters: str, depth: int) -> Iterator[tuple[Term, Theorem]]:
    """The state after each layer, and the theorem that permuting the context permutes it."""
    position, start, proof = positions(letters, ALL), step(letters), base(letters)
    assert start is not None and proof is not None
    state = cat(C, X, "i")
    state = add(state, position["E"]) if "E" in position else state
    for number in map(str, range(1, depth + 1)):
        own = weights(number)
        named = kernel.inst(start, {leaf_of(w): by_slots(own[x]) for x, w in weights().items()})
        here = kernel.inst(named, {leaf_of(H): by_slots(state)})
        entering = layer(image(state, MOVES), position, number)
        proof = chain(rewritten(entering, proof), here)
        state = layer(state, position, number)
        yield state, proof


@pytest.mark.parametrize("letters", LETTERS)
def test_three_layers(letters: str) -> None:
    """Base and step would not fit together, or give another theorem than three layers do."""
    *_, (state, proof) = layers(letters, 3)
    assert (proof.lhs, proof.rhs) == kernel.equation(image(state, MOVES), moved(state, i=AROUND))
    last, end = at(state, {"i": LAST("i")}), read_out()
    assert end is not None
    closed = kernel.inst(end, {leaf_of(H): by_slots(state)})
    whole = chain(rewritten(image(last, MOVES), proof), closed)
    direct = last_row(letters, 3)
    assert is_theorem(whole) and direct is not None
    assert (whole.lhs, whole.rhs) == (direct.theorem.lhs, direct.theorem.rhs)
    found = any_depth(letters)
    assert found is not None and whole.hyps == direct.hyps == found.hyps


@pytest.mark.parametrize("letters", LETTERS)
def test_the_step_is_about_any_state(letters: str) -> None:
    """The step would be about the first layer alone: its state would not be a free tensor, or a
    hypothesis would be about it."""
    th = step(letters)
    assert th is not None and is_theorem(th)
    leaves = {n.op.data[0] for n in reachable(th.lhs.node) if n.op.kind == "leaf"}
    assert {"H", "W_Q", "W_K", "W_V"} <= leaves and not {"C", "x", "E"} & leaves
    assert len(th.hyps) == len(letters.replace("E", ""))
    about = {n.op.data[0] for h in th.hyps for t in h for n in reachable(t.node)
             if n.op.kind == "leaf"}  # fmt: skip
    assert about == set(letters) - {"E"}


def test_without_its_hypothesis_the_step_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """A layer with a bias would commute with every permutation of the context."""
    from orderproof.symbolic.schemes import models as position_models

    monkeypatch.setattr(position_models, "_fixed", lambda t, m, axes: kernel.hyp(t, t))
    assert step.__wrapped__("B") is None and base.__wrapped__("E") is None
    assert step.__wrapped__("") is not None
