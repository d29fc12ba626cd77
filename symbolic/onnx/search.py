"""Looks for an input on which a claim about a model is false, by running the file.

Nothing here reads the model as a term: what is found is what onnxruntime computes, in two
precisions, and is the same on any machine but for rounding.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from orderproof.symbolic.witness.model_file import MEASURED, Difference

from .claims import Claim, Inputs
from .difference import Both, at_tie, choices, difference, magnified, nudged
from .draws import KINDS, draw
from .graph import Place, draws
from .precisions import Precisions
from .run import RunError, Runner, same_bits

AGAIN = 2  # draws in which a difference has to be seen that nothing encloses


@dataclass(frozen=True, eq=False)
class Found:
    """An input on which the two sides of a claim differ by more than rounding."""

    claim: Claim
    inputs: Inputs
    moved: Both  # of the changed input
    expected: Both  # what the claim makes of f(X)
    difference: Difference
    tie: bool = False  # as `Search.tie` says it of what is found
    evidence: str = MEASURED


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
    given: Inputs = field(default_factory=dict)  # inputs that are the same in each draw
    draws: int = len(KINDS)
    outputs: dict[tuple[str, int], Both] = field(default_factory=dict)  # of X, by output and draw
    inputs: dict[int, Inputs] = field(default_factory=dict)
    near: dict[tuple[str, int], tuple[Inputs, list[tuple[Inputs, Both]]]] = field(
        default_factory=dict
    )

    def run(self, inputs: Inputs, output: str) -> Both:
        """An output in both precisions."""
        one, other = self.precisions.run(inputs, [output])
        if one[output].dtype.kind not in "fiub":
            raise RunError(f"the output {output} holds no real numbers")
        return Both.of(one[output], other[output])

    def input(self, k: int) -> Inputs:
        """The inputs of a draw by its number."""
        if k not in self.inputs:
            drawn = draw(self.runner, self.sizes, k, self.moving, self.n)
            self.inputs[k] = {**drawn, **self.given}
        return self.inputs[k]

    def every(self, output: str) -> dict[int, Both]:
        """The output of each draw that has one."""
        trouble: RunError | None = None
        if any(map(draws, self.runner.ancestors([output]))):
            raise RunError("the model draws random numbers")
        for k in range(self.draws):
            if (output, k) in self.outputs:
                continue
            try:
                y = self.run(self.input(k), output)
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

    def found(self, claims: Sequence[Claim]) -> Iterator[Found]:
        """What refutes one of the claims, which are about one output: those at no tie first."""
        every = self.every(claims[0].output).items()
        pairs = ((k, y, claim) for k, y in every for claim in claims)
        found = (self.differ(claim, self.inputs[k], y) for k, y, claim in pairs)
        return self.ties_last(each for each in found if each is not None)

    def ties_last(self, every: Iterable[Found]) -> Iterator[Found]:
        """Those at no tie, then the others. RunError where one differs when it is run again."""
        ties = []
        for each in every:
            self.repeat(each)
            if self.tie(each.claim.output, each.inputs):
                ties.append(replace(each, tie=True))
            else:
                yield each
        yield from ties

    def repeat(self, found: Found) -> None:
        """RunError where another run on the same inputs, X or the changed one, differs in a bit."""
        claim = found.claim
        y, z = (
            self.run(x, claim.output) for x in (found.inputs, claim.changed(found.inputs) or {})
        )
        again = z, claim.expected(y, z.y64.shape)
        for one, other in zip(again, (found.moved, found.expected), strict=True):
            if not (same_bits(one.y32, other.y32) and same_bits(one.y64, other.y64)):
                raise RunError("two runs on the same input differ")

    def sides(
        self, claim: Claim, inputs: Inputs, y: Both | None = None
    ) -> tuple[Both, Both] | None:
        """The output for the changed input, and what it has to be; None where nothing is changed.
        `y` is the output on that input, where it is known."""
        changed = claim.changed(inputs)
        if changed is None:
            return None
        z = self.run(changed, claim.output)
        expected = claim.expected(y or self.run(inputs, claim.output), z.y64.shape)
        if z.y64.shape != expected.y64.shape:
            raise RunError("the output has another shape when the input is changed")
        return z, expected

    def apart(
        self, claim: Claim, sides: tuple[Both, Both], entry: tuple[int, ...] | None = None
    ) -> Difference | None:
        """How far both sides are apart, at an entry or where they are so the most; None where no
        finite numbers are compared."""
        z, expected = sides
        compared = claim.compared(z.y64.shape)
        least = magnified([*self.every(claim.output).values(), *sides])
        wide = self.precisions.wide(claim.output)
        return difference(z, expected, wide, least, entry, compared)

    def differ(
        self, claim: Claim, inputs: Inputs, y: Both | None = None,
        entry: tuple[int, ...] | None = None,
    ) -> Found | None:  # fmt: skip
        """Both sides on an input, where they differ by more than rounding."""
        sides = self.sides(claim, inputs, y)
        found = self.apart(claim, sides, entry) if sides else None
        if sides is None or found is None or not found.seen:
            return None
        return Found(claim, inputs, *sides, found)

    def tie(self, output: str, inputs: Inputs) -> bool:
        """Whether the model chooses or compares values of X that rounding could exchange."""
        calls = choices(self.runner.graph, self.runner.ancestors([output]))
        return at_tie(self.runner, calls, inputs)

    def steady(self, found: Found) -> bool:
        """Whether a difference that nothing encloses counts: it is seen in several draws, in all
        inputs that are nearly the same, and without huge constants. What jumps, or absorbs small
        numbers, may do so alike in both precisions, but not in all of these."""
        claim = found.claim
        every = self.every(claim.output)
        given = ((self.inputs[k], y) for k, y in every.items())
        seen = sum(self.differ(claim, *each) is not None for each in given)
        near = (self.differ(claim, *each) for each in self.nearby(found))
        if seen < min(AGAIN, len(every)) or not all(x is not None for x in near):
            return False
        other = self.clipped
        return other is None or other.differ(claim, found.inputs) is not None

    def nearby(self, found: Found) -> Iterator[tuple[Inputs, Both]]:
        """Inputs that are nearly the same as these, with their outputs, which are kept."""
        output = found.claim.output
        # the inputs are kept as well, so that no others get their id
        _, kept = self.near.setdefault((output, id(found.inputs)), (found.inputs, []))
        for k, x in enumerate(nudged(found.inputs)):
            if k == len(kept):
                kept.append((x, self.run(x, output)))
            yield kept[k]

    @cached_property
    def clipped(self) -> Search | None:
        """The same search without huge constants; None where there are none."""
        precisions = self.precisions.clipped
        if precisions is None:
            return None
        return replace(self, precisions=precisions, outputs={}, inputs={}, near={})
