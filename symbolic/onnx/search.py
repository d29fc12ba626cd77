"""Looks for an input on which a model's output does not follow a permutation, by running the file.

Nothing here reads the model as a term: what is found is what onnxruntime computes, in two
precisions, and is the same on any machine but for rounding.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from orderproof.symbolic.witness.model_file import Difference, OutputAxis, axes_of

from .difference import Both, at_tie, choices, difference, magnified, nudged
from .draws import KINDS, draw, permuted
from .graph import Array, Place
from .precisions import Precisions
from .roundings import HUGE
from .run import RunError, Runner, same_bits
from .scopes import draws

AGAIN = 2  # draws in which a difference has to be seen that nothing encloses


@dataclass(frozen=True)
class Claim:
    """That σ on these axes of inputs moves the output along its axes (None: leaves it alone)."""

    moving: tuple[Place, ...]  # the first is the one in question
    output: str
    output_axis: OutputAxis


@dataclass(frozen=True, eq=False)
class Found:
    """An input on which the two sides of a claim differ by more than rounding."""

    inputs: Mapping[str, Array]
    sigma: tuple[int, ...]
    moved: Both  # f(PX)
    expected: Both  # P f(X), or f(X)
    difference: Difference
    tie: bool = False  # as `Search.tie` says it of what is found


@dataclass
class Search:
    """A model at given sizes of its dynamic dimensions: the draws, and their outputs, once each.

    RunError where onnxruntime runs no draw, or one differs when it is run again.
    """

    runner: Runner
    precisions: Precisions
    sizes: Mapping[str, int]
    moving: tuple[Place, ...]
    n: int
    outputs: dict[tuple[str, int], Both] = field(default_factory=dict)  # of X, by output and draw
    inputs: dict[int, Mapping[str, Array]] = field(default_factory=dict)

    def run(self, inputs: Mapping[str, Array], output: str) -> Both:
        """An output in both precisions."""
        one, other = self.precisions.run(inputs, [output])
        if one[output].dtype.kind not in "fiub":
            raise RunError(f"the output {output} holds no real numbers")
        return Both.of(one[output], other[output])

    def every(self, output: str) -> dict[int, Both]:
        """The output of each draw that has one."""
        trouble: RunError | None = None
        if any(map(draws, self.runner.ancestors([output]))):
            raise RunError("the model draws random numbers")
        for k in range(len(KINDS)):
            if (output, k) in self.outputs:
                continue
            try:
                if k not in self.inputs:
                    self.inputs[k] = draw(self.runner, self.sizes, k, self.moving, self.n)
                y = self.run(self.inputs[k], output)
            except RunError as error:
                trouble = trouble or error
                if k == 0:
                    break  # of a shape that the model does not take
                continue
            self.outputs[output, k] = y
        found = {k: y for (name, k), y in self.outputs.items() if name == output}
        if not found and trouble:
            raise trouble
        return found

    def found(self, claim: Claim, sigmas: Sequence[Sequence[int]]) -> Iterator[Found]:
        """What refutes the claim, for one of the permutations: those at no tie first."""
        ties = []
        for k, y in self.every(claim.output).items():
            for sigma in sigmas:
                each = self.differ(claim, tuple(sigma), self.inputs[k], y)
                if each is None:
                    continue
                self.repeat(claim, each)
                if self.tie(claim, each.inputs):
                    ties.append(replace(each, tie=True))
                else:
                    yield each
        yield from ties

    def repeat(self, claim: Claim, found: Found) -> None:
        """RunError where another run on the same inputs, X or PX, differs in a bit."""
        moved_inputs = permuted(found.inputs, claim.moving, found.sigma) or {}
        y, z = (self.run(x, claim.output) for x in (found.inputs, moved_inputs))
        again = z, y.taken(found.sigma, axes_of(claim.output_axis))
        for one, other in zip(again, (found.moved, found.expected), strict=True):
            if not (same_bits(one.y32, other.y32) and same_bits(one.y64, other.y64)):
                raise RunError("two runs on the same input differ")

    def differ(
        self, claim: Claim, sigma: tuple[int, ...], inputs: Mapping[str, Array],
        y: Both | None = None, entry: tuple[int, ...] | None = None,
    ) -> Found | None:  # fmt: skip
        """Both sides on an input, where they differ by more than rounding: at an entry, or where
        they do so the most. `y` is the output on that input, where it is known."""
        moved_inputs = permuted(inputs, claim.moving, sigma)
        if moved_inputs is None:
            return None
        y = y or self.run(inputs, claim.output)
        z, shape = self.run(moved_inputs, claim.output), y.y64.shape
        if any((a, len(sigma)) not in enumerate(shape) for a in axes_of(claim.output_axis)):
            raise RunError(
                f"the output has the shape {list(shape)}: sigma moves no such axis of it"
            )
        if z.y64.shape != shape:
            raise RunError("the output has another shape when the input is permuted")
        expected = y.taken(sigma, axes_of(claim.output_axis))
        least = magnified([*self.every(claim.output).values(), y, z])
        found = difference(z, expected, self.precisions.wide(claim.output), least, entry)
        if found is None or not found.seen:
            return None
        return Found(inputs, sigma, z, expected, found)

    def tie(self, claim: Claim, inputs: Mapping[str, Array]) -> bool:
        """Whether the model chooses or compares values of X that rounding could exchange."""
        calls = choices(self.runner.graph, self.runner.ancestors([claim.output]))
        return at_tie(self.runner, calls, inputs)

    def steady(self, claim: Claim, found: Found) -> bool:
        """Whether a difference that nothing encloses counts: it is seen in several draws, in all
        inputs that are nearly the same, and without huge constants. What jumps, or absorbs small
        numbers, may do so alike in both precisions, but not in all of these."""
        every = self.every(claim.output)
        given = ((self.inputs[k], y) for k, y in every.items())
        seen = sum(self.differ(claim, found.sigma, *each) is not None for each in given)
        near = (self.differ(claim, found.sigma, x) for x in nudged(found.inputs))
        if seen < min(AGAIN, len(every)) or not all(x is not None for x in near):
            return False
        graph = self.runner.graph
        huge = {n: x for n, x in graph.constants.items() if x.dtype.kind == "f" and _huge(x)}
        if not huge:
            return True
        clipped = {n: np.clip(x, -HUGE, HUGE) for n, x in huge.items()}
        precisions = Precisions(replace(graph, constants={**graph.constants, **clipped}))
        other = Search(self.runner, precisions, self.sizes, self.moving, self.n)
        return other.differ(claim, found.sigma, found.inputs) is not None


def _huge(x: Array) -> bool:
    return bool(np.any(np.abs(x) > HUGE))
