"""What a group of permutations of a few places is called, in words that people use."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .stabiliser import Permutation, closure


def name_of(generators: Sequence[Permutation], n: int) -> str:
    """A name from the group's elements; tokens are counted from 1. Nothing where it has none."""
    if not generators:
        return "trivial"
    group = closure(generators)
    orbits = sorted({tuple(sorted({g[k] for g in group})) for k in range(n)})
    if len(group) == math.prod(math.factorial(len(o)) for o in orbits):
        still = [o[0] + 1 for o in orbits if len(o) == 1]
        moved = [o for o in orbits if len(o) > 1]
        if not still and len(moved) == 1:
            return f"all permutations, S_{n}"
        if len(moved) == 1 and len(still) == 1:
            which = {1: "first", n: "last"}.get(still[0], f"{still[0]}.")
            return f"all tokens but the {which}"
        if len(moved) == 1:
            return f"all tokens but {', '.join(map(str, still))}"
        blocks = ", ".join("{" + ", ".join(str(k + 1) for k in o) + "}" for o in orbits)
        return f"within the blocks {blocks}"
    if group == {tuple(range(n)), tuple(reversed(range(n)))}:
        return "reversal"
    shift = tuple((k + 1) % n for k in range(n))
    if shift in group and len(group) == n:
        return "cyclic shifts"
    if shift in group and len(group) == 2 * n and tuple(reversed(range(n))) in group:
        return "cyclic shifts and reversal"
    return f"a group of {len(group)} permutations"
