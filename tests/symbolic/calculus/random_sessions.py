"""Sessions with random terms: what the tactic derives of them, and how they are read, set against
direct evaluation. Each session says what is wrong, or nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np

from orderproof.numeric.rounding import Ball, bounded
from orderproof.symbolic.calculus import kernel
from orderproof.symbolic.calculus.kernel import is_theorem
from orderproof.symbolic.calculus.terms import Term, map_type
from orderproof.symbolic.derive.push import Stuck, act, push
from orderproof.symbolic.models.builders import image
from orderproof.symbolic.readings.entries import Model, evaluate
from orderproof.symbolic.readings.exact import entries_of
from orderproof.symbolic.readings.numpy_arrays import Floats, arrays
from orderproof.symbolic.readings.rationals import Exact
from tests.oracles.meaning import World
from tests.symbolic.calculus.random_terms import (
    AXES,
    DEEPEST,
    FACTS,
    FIRST,
    PI,
    RHO,
    SIGMA,
    Drawn,
    F,
    Grower,
    constructors,
    count,
    world,
)

# --------------------------------------------------------------------------------------- sessions
Read = Callable[..., Ball]


def session(rng: Random, tally: Counter[str], pushed_by: Any = push, read: Read = bounded) -> str:
    """What is wrong with the push of one random term; nothing if nothing is."""
    grower = Grower(rng)
    t = grower.term(rng.randint(1, DEEPEST))
    moves = grower.moves(t)
    facts = FACTS if rng.random() < 0.8 else ()
    result = pushed_by(t, moves, facts)
    tally.update({f"constructor {op.kind}" for op in constructors(t)})
    if isinstance(result, Stuck):
        tally["stuck"] += 1
        return "" if result.tensor and result.reason and str(result) else f"stuck at nothing: {t}"
    tally["derived, with moves" if moves else "derived"] += 1
    th = result.theorem
    slots = dict(enumerate(t.axes))
    asked = kernel.equation(image(t, moves), act(t.node, result.motion).rename(slots))
    if not is_theorem(th) or not th.hyps <= {h for f in FACTS for h in f.hyps}:
        return f"no theorem: {th}"
    said = kernel.equation(th.lhs.rename(slots), th.rhs.rename(slots))
    if said != asked:
        return f"a theorem of something else: {said}, asked {asked}"
    return differs(th, rng, tally, read)


def differs(th: Any, rng: Random, tally: Counter[str], read: Read) -> str:
    """Where both sides of a theorem differ by more than rounding, in a random world."""
    model = world(rng, [th.lhs, th.rhs])
    if model is None:
        return ""
    balls = [
        read(t, model.sizes, model.maps, model.tensors, np.float64, literal=True)
        for t in (th.lhs, th.rhs)
    ]
    order = [th.rhs.axes.index(a) for a in th.lhs.axes]
    value, error = (np.transpose(x, order) for x in (balls[1].value, balls[1].error))
    gap = np.abs(np.asarray(balls[0].value, float) - value)
    room = balls[0].error + error
    seen = np.isfinite(room) & np.isfinite(gap)
    tally["compared" if seen.any() else "no entry has a bound" if seen.size else "empty"] += 1
    tally["sizes with 0"] += 0 in model.sizes.values()
    tally["sizes with 1"] += 1 in model.sizes.values()
    tally["with a 3-cycle"] += model.maps["sigma"] in ([0, 2, 3, 1], [0, 3, 1, 2])
    if np.any(gap[seen] > room[seen]):
        return f"{th.lhs} and {th.rhs} differ by {np.max(gap[seen] - room[seen])} in {model}"
    return ""


def agreement(rng: Random, tally: Counter[str]) -> str:
    """Where the readings of one random term of rational constructors disagree: NumPy as computed
    and to the letter, fractions, entries, and direct evaluation of the meaning."""
    t = Grower(rng, rational=True).term(rng.randint(1, 5))
    model = world(rng, [t], whole=True)
    if model is None or np.prod([count(s, model.sizes) for s in t.node.sets]) > 400:
        return ""
    look = {
        name: (lambda *i, v=v: Fraction(int(v[i])))
        for name, v in model.tensors.items()
        if name != "g"
    }
    exact = evaluate(t, Model(model.sizes, model.maps, look), Exact())
    direct = meaning(t, model)
    fractions = entries_of(t, model.sizes, model.maps, {name: model.tensors[name] for name in look})
    ball = bounded(t, model.sizes, model.maps, model.tensors, np.float64, literal=True)
    computed = arrays(t, model.sizes, model.maps, model.tensors, Floats(np.float64))
    tally["entries"] += len(exact)
    tally["terms"] += 1
    for index, value in exact.items():
        if direct[index] != value:
            return f"entry {index} of {t}: {value} exactly, {direct[index]} in the meaning, {model}"
        if fractions[index] != value:
            return (
                f"entry {index} of {t}: {value} exactly, {fractions[index]} in fractions, {model}"
            )
        for read in (ball.value[index], computed[index]):
            room = 2 * ball.error[index] if np.isfinite(ball.error[index]) else np.inf
            if not abs(Fraction(float(read)) - value) <= Fraction(min(room, 1e300)):
                return f"entry {index} of {t}: {value} exactly, {read} in NumPy, {model}"
    return ""


def meaning(t: Term, model: Drawn) -> dict[Any, Fraction]:
    """Every entry by direct evaluation, with indices for elements."""
    world = World(model.sizes, harsh=False)
    place_of = {s: {x: k for k, x in enumerate(world.elements(s))} for s in {*AXES.values()}}
    for op in {op for op in constructors(t) if op.kind == "leaf" and op.data[0] in model.tensors}:
        sets, values = op.data[1], model.tensors[op.data[0]]
        world.tensors[op] = lambda *x, sets=sets, values=values: Fraction(  # type: ignore[index]
            int(values[tuple(place_of[s][e] for s, e in zip(sets, x, strict=True))])
        )
    for m in (SIGMA, PI, RHO, FIRST, F):
        dom, cod, _ = map_type(m)
        table = model.maps[m.data[0]]
        rows = list(world.assignments(dom))
        if rows and world.elements(cod):
            image_of = [table] if not dom else table
            world.tables[m] = {row: world.elements(cod)[image_of[k]] for k, row in enumerate(rows)}
    return {
        tuple(place_of[t.sets[a]][e] for a, e in zip(t.axes, x, strict=True)): world.value(
            t, dict(zip(t.axes, x, strict=True))
        )
        for x in world.assignments(t.node.sets)
    }


def first_fault(run: Callable[[Random], str], seeds: int) -> str:
    """What the first session that finds something says."""
    return next((f"seed {k}: {said}" for k in range(seeds) if (said := run(Random(k)))), "")


SESSIONS = 800
