"""The groups of `symmetry` once more, by the types of tokens (types.py).

Up to six tokens every permutation is tried, so that both inclusions are confirmed; up to 64 some of
the generators. The formulas of closed_forms.py are a third way, for schemes alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from . import types
from .automorphisms import EngineError, Group
from .symmetry import Answer, Layer
from .types import Terms

LISTED, CHECKED, GENERATORS = 6, 64, 8
SAID = "The types of tokens, refined by a program of their own,"


def terms_of(layer: Layer) -> Terms:
    """The layer's position terms, as types are made of them."""
    if not layer.heads:
        return types.of_table(layer.table)
    return Terms(layer.heads, layer.table, layer.kind)


def agreement(layer: Layer, answer: Answer) -> str:
    """What of these groups was confirmed, as a sentence; nothing for a larger layer. Raises
    EngineError where types say another thing."""
    n, terms = layer.n, terms_of(layer)
    if n > CHECKED:
        return ""
    if n <= LISTED:
        every = list(itertools.permutations(range(n)))
        _compare("the layer", answer.layer, every, types.layer_keeps(terms, every))
        fixing = [s for s in every if s[-1] == n - 1]
        depths = types.context_keeps(terms, fixing, max(answer.context))
        for depth, found in answer.context.items():
            _compare(f"the context at depth {depth}", found, fixing, depths[depth - 1])
        return f"{SAID} give the same groups: {len(every)} σ tried."
    some = answer.layer.generators[:GENERATORS]
    _compare("the layer", answer.layer, some, types.layer_keeps(terms, some), listed=False)
    count = len(some)
    for depth, found in answer.context.items():
        some = found.generators[:GENERATORS]
        kept = types.context_keeps(terms, some, depth)[depth - 1]
        _compare(f"the context at depth {depth}", found, some, kept, listed=False)
        count += len(some)
    if not count:
        return ""
    made = "generator was" if count == 1 else "generators were"
    return f"{SAID} agree: {count} {made} tried."


def _compare(
    what: str,
    found: Group,
    tried: Sequence[Sequence[int]],
    kept: Sequence[bool],
    listed: bool = True,
) -> None:
    """Raises EngineError where a generator is not kept or, if all σ were tried, more are."""
    keeping = {tuple(s) for s, yes in zip(tried, kept, strict=True) if yes}
    of_group = found.generators if listed else tried
    lost = next((list(s) for s in of_group if tuple(s) not in keeping), None)
    if lost is not None:
        raise EngineError(f"{what}: {lost} is in the group, and changes the type of a token")
    more = len(keeping) > found.order and not found.open
    if listed and (more or len(keeping) < found.order):
        raise EngineError(
            f"{what}: the group has order {found.order}, and {len(keeping)} σ keep all types"
        )
