"""An answer about a model against the model's own runs, at several sizes and permutations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import numpy as np
import onnxruntime
import sympy

from orderproof.symbolic.onnx.graph import place_text
from orderproof.symbolic.onnx.report import Result
from orderproof.symbolic.onnx.stabiliser import closure
from orderproof.symbolic.witness.model_file import ModelWitness, axes_of
from tests.models.draw import permuted
from tests.models.random_growing import KINDS, Array, Dims, inputs

SIZES = (2, 3, 4, 5, 7, 8, 12, 33, 65, 80)  # at which answers are tried
OTHERS = (3, 2, 1, 4, 5, 66)  # of the other dynamic dimension, and the same as the one asked about
SAME, DIFFERENT = 2e-4, 2e-3  # of the largest entry; between them nothing is said
ROUNDED = (1 + 1e-6, 1 - 1e-6, 1 + 3e-6)  # by which inputs are multiplied: ties stay, roundings not
PARTS = re.compile(r"axis (\d+) of the output has (.+) places: σ moves .+")
RELATIONS: Any = {"=": lambda a, b: a == b, "<=": lambda a, b: a <= b, ">=": lambda a, b: a >= b,
                  "divides": lambda a, b: b % a == 0}  # fmt: skip


def number(text: str, at: Mapping[str, int]) -> int:
    """A size, at these of dynamic dimensions."""
    return int(sympy.floor(sympy.sympify(text).subs(at)))


def fits(condition: str, at: Mapping[str, int], n: int) -> bool:
    """Whether what an answer takes for given is so at these sizes, of n tokens."""
    if condition.endswith(" moves along") or PARTS.fullmatch(condition):
        return True
    name, is_, numbers = condition.partition(" is ")
    if is_:
        values = [str(n) if x == "n" else x for x in re.split(", | or ", numbers)]
        return name not in at or str(at[name]) in values
    left, relation, right = re.split(" (=|<=|>=|divides) ", condition)
    return bool(RELATIONS[relation](number(left, at), number(right, at)))


def ways(y: Array, sigma: Sequence[int], axis: int, places: Sequence[Sequence[int]]) -> Any:
    """y with σ acting on an axis of, say, 3 × (n + n) places, in each way in which it may act on
    parts of n: an answer does not say on which."""
    shape = y.shape
    split = y.reshape(*shape[:axis], *map(sum, places), *shape[axis + 1 :])
    fit = [(i, j) for i, parts in enumerate(places) for j, n in enumerate(parts) if n == len(sigma)]
    for count in range(1, len(fit) + 1):
        for chosen in combinations(fit, count):
            found = split
            for i, parts in enumerate(places):
                order: list[int] = []
                for j, n in enumerate(parts):
                    order += [len(order) + k for k in (sigma if (i, j) in chosen else range(n))]
                found = np.take(found, order, axis + i)
            yield found.reshape(shape)


@dataclass
class Judge:
    """A model's own runs, against what is said of it."""

    session: onnxruntime.InferenceSession
    dims: Mapping[str, Dims]

    def sizes(self, r: Result, n: int) -> Iterator[dict[str, int]]:
        """Sizes with n tokens that fit the conditions."""
        own = self.dims[r.input][r.axis]
        if own not in ("n", "m", n):
            return
        free = {d for dims in self.dims.values() for d in dims if isinstance(d, str)} - {own}
        for others in product((*OTHERS, n), repeat=len(free)):
            at = dict(zip(sorted(map(str, free)), others, strict=True))
            at |= {own: n} if isinstance(own, str) else {}
            if all(fits(c, at, n) for c in r.conditions if c != r.scope):
                yield at

    def outputs(
        self, r: Result, sigma: Sequence[int], at: Mapping[str, int], seed: int, by: float = 1
    ) -> tuple[Array, Array] | None:
        """The output, and that of the inputs permuted; None where the model does not run."""
        given = {
            k: np.asarray(x * by, x.dtype) if k[0] == "x" else x
            for k, x in inputs(self.dims, at, seed).items()
        }
        places = [p.split(":") for p in {f"{r.input}:{r.axis}", *map(place_text, r.along)}]
        if any(k == "values" and given[name].max(initial=0) >= len(sigma) for name, k in places):
            return None
        moved = permuted(given, [(name, k) for name, k in places], tuple(sigma))
        try:
            return tuple(self.session.run([r.output], x)[0] for x in (given, moved))  # type: ignore
        except Exception:  # onnxruntime has no class of its own for these
            return None

    def passes(
        self, r: Result, sigma: Sequence[int], at: Mapping[str, int], seed: int, axes: Any
    ) -> bool | None:
        """Whether the output moves along these axes; None where that cannot be told, as of a step
        that rounding decides."""
        both = self.outputs(r, sigma, at, seed)
        if both is None or not all(np.isfinite(y).all() for y in both):
            return None
        before, after = (np.asarray(y, np.float64) for y in both)
        parts = {int(m[1]): m[2] for c in r.conditions if (m := PARTS.fullmatch(c))}
        expected = [before]
        for k in axes:
            if k in parts:
                factors = [f.strip("()").split(" + ") for f in parts[k].split(" × ")]
                if any("(" in part for f in factors for part in f):
                    return None  # of rounded sizes the words are not taken apart
                places = [[number(part, at) for part in f] for f in factors]
                expected = [new for y in expected for new in ways(y, sigma, k, places)]
            elif k >= before.ndim or before.shape[k] != len(sigma):
                return False
            else:
                expected = [np.take(y, sigma, k) for y in expected]
        scale = max(1e-3, float(np.abs(before).max(initial=0)))
        error = min((float(np.abs(y - after).max(initial=0)) for y in expected), default=np.inf)
        if error < SAME * scale:
            return True
        near = [self.outputs(r, sigma, at, seed, by) for by in ROUNDED]
        steps = [np.abs(y[0] - before).max(initial=0) for y in near if y is not None]
        return False if error > max(DIFFERENT * scale, *(30 * s for s in steps)) else None

    def always(self, r: Result, axes: Any, sizes: Sequence[int], seeds: int = 2) -> str:
        """Where a claim of all permutations fails; nothing where it is not seen to."""
        rng = np.random.default_rng(7)
        for n in sizes:
            for at in self.sizes(r, n):
                for seed in range(seeds):
                    sigma = rng.permutation(n) if seed else np.roll(np.arange(n), 1)
                    if self.passes(r, sigma, at, seed, axes) is False:
                        return f"at {at} it is not so of {list(sigma)[:8]}"
        return ""

    def holds(self, r: Result, sizes: Sequence[int], axes: Any) -> bool:
        """Whether a claim of all permutations is seen wherever the model runs, and somewhere."""
        seen = False
        rng = np.random.default_rng(7)
        for n in sizes:
            for at in self.sizes(r, n):
                for seed, sigma in ((2, np.roll(np.arange(n), 1)), (3, rng.permutation(n))):
                    told = self.passes(r, sigma, at, seed, axes)
                    if told is False:
                        return False
                    seen = seen or bool(told and n > 2)
        return seen

    def wrong(self, r: Result) -> str:
        """What is false of an answer; nothing where it was seen to hold, or nothing is said."""
        axes = axes_of(r.output_axis)
        named = [int(k) for k in re.findall(r"\d+", r.scope)]  # n <= 64, and n = 65, 66, say
        small = not r.scope.startswith("n = ")
        sizes = [n for n in SIZES if small and n <= (named or SIZES[-1:])[0]] + named
        if r.answer in ("equivariant", "invariant"):
            return self.always(r, axes, sizes)
        if r.answer == "subgroup" and not any(PARTS.fullmatch(c) for c in r.conditions):
            return self._group(r, axes)
        if r.answer == "not equivariant" and int(r.scope.removeprefix("n = ")) <= SIZES[6]:
            for c in r.conditions:
                below = re.fullmatch(r"for n <= (\d+)(?:, and n = .+)? it is (\w+)", c)
                how = axes if below and below[2] == "equivariant" else ()
                if below and self.always(r, how, [n for n in SIZES if n <= int(below[1])]):
                    return f"it is not so {c.partition(' it is ')[0]}"
            rank = self._rank(r)
            refuted = [axes_of(w.output_axis) for w in r.witnesses if self._witnessed(w)]
            if len(refuted) < len(r.witnesses):
                return "a witness has other values"
            for how in [(), *((k,) for k in range(rank)), *combinations(range(rank), 2)]:
                if how not in refuted and self.holds(r, SIZES[:7], how):
                    return f"it is so along {how}"
        return ""

    def _witnessed(self, w: ModelWitness) -> bool:
        """Whether both sides are as a witness has them, unless onnxruntime refuses its sizes."""
        given = {
            k: np.reshape([float(e) for e in v.entries], v.shape).astype(KINDS[k[0]])
            for k, v in w.inputs.items()
        }
        moved = permuted(given, [(w.input, w.axis), *w.moving], w.sigma)
        try:
            z, y = (self.session.run([w.output], x)[0] for x in (moved, given))
        except Exception:  # onnxruntime has no class of its own for these
            return True
        for k in axes_of(w.output_axis):
            y = np.take(y, w.sigma, k)
        both = zip((z, y), w.at_entry(), strict=True)
        entry = w.difference.entry
        return all(  # a root of what is rounded below 0 is none
            np.isnan(x[entry]) or abs(x[entry] - side) <= DIFFERENT * (1 + abs(side))
            for x, side in both
        )

    def _rank(self, r: Result) -> int:
        for n in SIZES:
            for at in self.sizes(r, n):
                both = self.outputs(r, np.arange(n), at, 0)
                if both is not None:
                    return both[0].ndim
        return 0

    def _group(self, r: Result, axes: Any) -> str:
        n = r.group.n if r.group is not None else 0
        for at in self.sizes(r, n):
            for sigma in closure(r.group.generators) if r.group is not None else ():
                for seed in range(2):
                    both = self.outputs(r, sigma, at, seed)
                    if both is not None and any(both[0].shape[k] != n for k in axes):
                        return ""  # of a part of the tokens: not tried
                    if self.passes(r, sigma, at, seed, axes) is False:
                        return f"at {at} not under {sigma}"
        return ""
