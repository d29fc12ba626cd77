"""Looks for an input on which a model's output does not follow a permutation, by running the file.

Nothing here reads the model as a term: what is found is what onnxruntime computes, in two
precisions, and is the same on any machine but for rounding.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from orderproof.symbolic.witness.model_file import Difference, OutputAxis, axes_of

from .difference import Both, at_tie, difference, magnified, nudged, steps
from .draws import KINDS, draw, permuted
from .graph import Array, Place
from .precisions import Precisions
from .run import RunError, Runner, same_bits

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
    tie: bool


@dataclass
class Search:
    """A model at given sizes of its dynamic dimensions: the draws, and their outputs, once each.

    RunError where onnxruntime runs no draw, or the same one differs when it is run again.
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
            if all(name != output for name, _ in self.outputs):
                again = self.run(self.inputs[k], output)
                if not (same_bits(y.y32, again.y32) and same_bits(y.y64, again.y64)):
                    raise RunError("two runs on the same input differ: the model draws numbers")
            self.outputs[output, k] = y
        found = {k: y for (name, k), y in self.outputs.items() if name == output}
        if not found and trouble:
            raise trouble
        return found

    def found(self, claim: Claim, sigmas: Sequence[Sequence[int]]) -> Iterator[Found]:
        """What refutes the claim, for one of the permutations: those at no tie first."""
        calls = steps(self.runner.graph, self.runner.ancestors([claim.output]))
        ties = []
        for k, y in self.every(claim.output).items():
            for sigma in sigmas:
                each = self._at(claim, k, y, tuple(sigma))
                if each is None:
                    continue
                if calls and at_tie(self.runner, calls, each.inputs):
                    ties.append(each)
                else:
                    yield each
        for each in ties:
            yield Found(each.inputs, each.sigma, each.moved, each.expected, each.difference, True)

    def _at(self, claim: Claim, k: int, y: Both, sigma: tuple[int, ...]) -> Found | None:
        inputs = self.inputs[k]
        moved_inputs = permuted(inputs, claim.moving, sigma)
        if moved_inputs is None:
            return None
        axes = axes_of(claim.output_axis)
        if any(a >= y.y64.ndim or y.y64.shape[a] != len(sigma) for a in axes):
            raise RunError(f"the output {claim.output} has no such axis of {len(sigma)} places")
        z, expected = self.run(moved_inputs, claim.output), y.taken(sigma, axes)
        least = magnified([*self.every(claim.output).values(), z])
        found = self.compare(claim.output, z, expected, least)
        return None if found is None else Found(inputs, sigma, z, expected, found, False)

    def compare(
        self, output: str, moved: Both, expected: Both, least: float,
        entry: tuple[int, ...] | None = None,
    ) -> Difference | None:  # fmt: skip
        """A difference beyond rounding, at an entry or where it is largest; None where there is
        none."""
        if moved.y64.shape != expected.y64.shape:
            raise RunError("the output has another shape when the input is permuted")
        found = difference(moved, expected, self.precisions.wide(output), least, entry)
        return found if found is not None and found.seen else None

    def steady(self, claim: Claim, found: Found) -> bool:
        """Whether a difference that nothing encloses counts: it is seen in several draws, and where
        the model jumps, in all inputs that are nearly the same."""
        draws = self.every(claim.output)
        seen = (self._at(claim, k, y, found.sigma) is not None for k, y in draws.items())
        if sum(seen) < min(AGAIN, len(draws)):
            return False
        if not steps(self.runner.graph, self.runner.ancestors([claim.output])):
            return True
        return all(self._still(claim, found, x) for x in nudged(found.inputs))

    def _still(self, claim: Claim, found: Found, inputs: Mapping[str, Array]) -> bool:
        """Whether both sides differ on other inputs."""
        moved_inputs = permuted(inputs, claim.moving, found.sigma)
        if moved_inputs is None:
            return False
        y, z = (self.run(x, claim.output) for x in (inputs, moved_inputs))
        expected = y.taken(found.sigma, axes_of(claim.output_axis))
        return self.compare(claim.output, z, expected, found.difference.rounding) is not None
