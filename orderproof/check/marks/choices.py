"""The mark numeric of a claim that for all tensors there are others, at drawn tensors.

A theorem file says how tensors that satisfy the hypotheses are drawn, and which others are chosen
for them. Both are checked here against the statement: the hypotheses at what was drawn, and the
atom at what was chosen, each beyond its rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from orderproof.check.claims import Counts, Maps
from orderproof.check.sampling import admits, admitted
from orderproof.symbolic.calculus.terms import map_type
from orderproof.symbolic.statements.evidence import Check, Evidence
from orderproof.symbolic.statements.statement import Statement, in_text_order

from .bounds import holds_at, shown, sides
from .inputs import SEED, Inputs
from .numeric import FLOATS

TRIALS = 3  # at each choice of sizes
DRAWS = 40  # of maps and tensors, until they satisfy the hypotheses
Draw = Callable[[np.random.Generator, Counts, Maps], Inputs]
Choose = Callable[[Counts, Maps, Inputs], Iterable[Inputs]]


@dataclass(frozen=True)
class ByChoice:
    """At each of these sizes, for random maps and the tensors that are drawn, the atom is true of
    one of the choices. None where what was drawn does not satisfy the hypotheses."""

    draw: Draw
    choose: Choose
    over: Sequence[Counts]

    def __call__(self, s: Statement) -> Evidence:
        if not s.exists or s.such:
            return Evidence(None, "this check is of claims that there are tensors")
        rng, count = np.random.default_rng(SEED), 0
        looked: set[tuple[int, ...]] = set()
        for sizes in self.over:
            if not admits(s, sizes):
                return Evidence(None, f"sizes {sizes} are not among those of the claim")
            for _ in range(TRIALS):
                found = self._drawn(s, sizes, rng)
                if found is None:
                    return Evidence(None, f"sizes {sizes}: what was drawn is not as is given")
                maps, given = found
                chosen = [given | more for more in self.choose(sizes, maps, given)]
                for dtype in FLOATS:
                    if not any(
                        shown(*sides(s.atom, sizes, maps, c, dtype), s.atom) for c in chosen
                    ):
                        said = f"{dtype.__name__}, sizes {sizes}: not so of what was chosen"
                        return Evidence(False, said)
                    count += 1
                looked.add(tuple(sizes[x.name] for x in s.sets))
        if not count:
            return Evidence(None, "no sizes given")
        said = f"{count} runs, float64 and float32, seed {SEED}: so of what was chosen"
        return Evidence(True, said, s.at(s.sets, looked), sweep=True)

    def has_a_model(self, s: Statement) -> bool:
        """Whether what is drawn at the first sizes satisfies every hypothesis."""
        rng = np.random.default_rng(SEED)
        return any(self._drawn(s, sizes, rng) is not None for sizes in self.over[:1])

    def _drawn(
        self, s: Statement, sizes: Counts, rng: np.random.Generator
    ) -> tuple[Maps, Inputs] | None:
        """Maps and tensors that satisfy every hypothesis; None if none of those drawn does."""
        asked = in_text_order(s.given)
        for _ in range(DRAWS):
            maps = {m.data[0]: _table(m, sizes, rng) for m in s.maps}
            if admitted(s, sizes, maps):
                given = self.draw(rng, sizes, maps)
                if all(holds_at(a, sizes, maps, given) for a in asked):
                    return maps, given
        return None


def _table(m: Any, sizes: Counts, rng: np.random.Generator) -> Any:
    """A permutation, or an element."""
    dom, cod, bijective = map_type(m)
    size = sizes[cod.name]
    if bijective:
        return tuple(int(x) for x in rng.permutation(size))
    if dom:
        return [int(x) for x in rng.integers(size, size=sizes[dom[0].name])]
    return int(rng.integers(size))


def by_choice(draw: Draw, choose: Choose, over: Sequence[Counts]) -> Check:
    """The mark of a claim of existence for all tensors: see `ByChoice`."""
    return ByChoice(draw, choose, over)
