"""An answer about a model against the model's own runs, at several sizes and permutations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Any

import numpy as np
import onnxruntime

from orderproof.symbolic.onnx.report import Result
from orderproof.symbolic.onnx.stabiliser import closure
from tests.models.random_growing import Array, inputs

SIZES = (2, 3, 4, 5, 7, 8, 12, 33, 65, 80)  # at which answers are tried
OTHERS = (3, 2, 1, 5, 66)  # of the other dynamic dimension
SAME, DIFFERENT = 2e-4, 2e-3  # of the largest entry; between them nothing is said


def _looked_at(condition: str, at: Mapping[str, int]) -> bool:
    """Whether sizes are among those of a condition such as "m is 3 or 5"."""
    name, is_, numbers = condition.partition(" is ")
    wanted = numbers.replace(",", " or ").split(" or ")
    return not is_ or name not in at or str(at[name]) in [x.strip() for x in wanted]


@dataclass
class Judge:
    """A model's own runs, against what is said of it."""

    session: onnxruntime.InferenceSession
    dims: Mapping[str, tuple[str | int, ...]]

    def sizes(self, r: Result, n: int) -> Iterator[dict[str, int]]:
        """Sizes with n tokens that fit the conditions."""
        own = self.dims[r.input][r.axis]
        if isinstance(own, int) and own != n:
            return
        for other in OTHERS:
            at = {"n": other, "m": other}
            if isinstance(own, str):
                at[own] = n
            for c in r.conditions:
                if " = " in c and "axis" not in c:
                    a, b = c.split(" = ")
                    if b in at or a in at:
                        value = n if own in (a, b) else at.get(b, at.get(a, other))
                        if b.isdigit():
                            value = int(b)
                        at |= {k: value for k in (a, b) if k in at}
            if isinstance(own, str) and at[own] != n:
                continue
            if not all(_looked_at(c, at) for c in r.conditions):
                continue
            yield at
            if set(at) == {own}:
                return

    def outputs(
        self, r: Result, sigma: Sequence[int], at: Mapping[str, int], seed: int
    ) -> tuple[Array, Array] | None:
        """The output, and that of the inputs permuted; None where the model does not run."""
        given = inputs(self.dims, at, seed)
        moved = dict(given)
        for text in {f"{r.input}:{r.axis}", *r.along}:
            name, k = text.split(":")
            moved[name] = np.take(moved[name], sigma, int(k))
        try:
            return tuple(self.session.run([r.output], x)[0] for x in (given, moved))  # type: ignore
        except Exception:  # onnxruntime has no class of its own for these
            return None

    def passes(self, both: tuple[Array, Array], sigma: Sequence[int], axes: Any) -> bool | None:
        """Whether the output moves along these axes; None where that cannot be told."""
        before, after = both
        if not (np.isfinite(before).all() and np.isfinite(after).all()):
            return None
        scale = max(1e-3, float(np.abs(before).max(initial=0)))
        for k in axes:
            if k >= before.ndim or before.shape[k] != len(sigma):
                return False
            before = np.take(before, sigma, k)
        error = float(np.abs(before - after).max(initial=0)) / scale
        return True if error < SAME else False if error > DIFFERENT else None

    def always(self, r: Result, axes: Any, sizes: Sequence[int], seeds: int = 2) -> str:
        """Where a claim of all permutations fails; nothing where it is not seen to."""
        rng = np.random.default_rng(7)
        for n in sizes:
            for at in self.sizes(r, n):
                for seed in range(seeds):
                    sigma = rng.permutation(n) if seed else np.roll(np.arange(n), 1)
                    both = self.outputs(r, sigma, at, seed)
                    if both is not None and self.passes(both, sigma, axes) is False:
                        return f"at {at} it is not so of {list(sigma)[:8]}"
        return ""

    def holds(self, r: Result, sizes: Sequence[int], axes: Any) -> bool:
        """Whether a claim of all permutations is seen wherever the model runs, and somewhere."""
        seen = False
        rng = np.random.default_rng(7)
        for n in sizes:
            for at in self.sizes(r, n):
                for seed, sigma in ((2, np.roll(np.arange(n), 1)), (3, rng.permutation(n))):
                    both = self.outputs(r, sigma, at, seed)
                    told = None if both is None else self.passes(both, sigma, axes)
                    if told is False:
                        return False
                    seen = seen or bool(told and n > 2)
        return seen

    def wrong(self, r: Result) -> str:
        """What is false of an answer; nothing where it was seen to hold, or nothing is said."""
        axes = () if r.output_axis is None else (
            r.output_axis if isinstance(r.output_axis, tuple) else (r.output_axis,)
        )  # fmt: skip
        worded = any("axis" in c for c in r.conditions)  # of a part of an axis: not tried
        bound = int(r.scope.partition(" <= ")[2]) if "n <= " in r.scope else max(SIZES)
        sizes = [n for n in SIZES if n <= bound] + [bound]
        if r.scope.startswith("n = "):
            sizes = [int(r.scope[4:])]
        if r.answer in ("equivariant", "invariant"):
            return "" if worded else self.always(r, axes, sizes)
        if r.answer == "subgroup" and r.group is not None and not worded:
            return self._group(r, axes)
        if r.answer == "not equivariant" and int(r.scope.removeprefix("n = ")) <= SIZES[6]:
            rank = self._rank(r)
            for how in [(), *((k,) for k in range(rank)), *combinations(range(rank), 2)]:
                if self.holds(r, SIZES[:7], how):
                    return f"it is so along {how}"
        return ""

    def _rank(self, r: Result) -> int:
        for n in SIZES:
            for at in self.sizes(r, n):
                both = self.outputs(r, np.arange(n), at, 0)
                if both is not None:
                    return both[0].ndim
        return 0

    def _group(self, r: Result, axes: Any) -> str:
        n = r.group.n if r.group is not None else 0
        members = closure(r.group.generators) if r.group is not None else set()
        for at in self.sizes(r, n):
            for sigma in permutations(range(n)):
                told = []
                for seed in range(6):
                    both = self.outputs(r, sigma, at, seed)
                    if both is not None and any(both[0].shape[k] != n for k in axes):
                        return ""  # of a part of the tokens: not tried
                    told.append(None if both is None else self.passes(both, sigma, axes))
                if sigma in members and False in told:
                    return f"at {at} not under {sigma}"
                exact = r.group is not None and r.group.exact
                if sigma not in members and exact and all(told) and at.get("m", 3) == 3:
                    return f"at {at} under {sigma} too"
        return ""
