"""Encloses a counterexample: the model's term in balls, on the input that onnxruntime was run on.

The term is this project's reading of the file, and shares no code with onnxruntime. Where the two
agree on both sides, and the balls of the sides are apart by far more than they differ, the
difference is one of real numbers and none of rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from orderproof.symbolic.witness.arithmetic import Outcome
from orderproof.symbolic.witness.model_file import MEASURED, ModelWitness, axes_of

from . import measured
from .arrays import Evaluator
from .atoms import Mismatch, Whole
from .balls import NotRead, TooLarge, Undecided, enclose, gap
from .check import constants_of, sources
from .draws import permuted
from .graph import Array, Unsupported
from .reading import Reading, first_reading, other_readings
from .run import RunError, Runner
from .samples import fitting
from .search import Claim, Found
from .values import Refused, Tensor

BITS = (128, 256, 512)  # of balls: each layer of a deep model widens them
KEPT = 3  # values of outputs that are kept: one input is compared with several permutations
FARTHER = 10  # times what term and onnxruntime differ by, that the balls have to be apart


@dataclass(frozen=True)
class Verdict:
    """Whether a counterexample is enclosed; if not, why, and whether there was no term at all."""

    enclosed: bool
    why: str = ""
    no_term: bool = False


@dataclass
class Encloser:
    """The readings of one model, and the values of its terms that were found."""

    readings: Callable[[], Iterable[Reading]]
    values: dict[tuple[Any, ...], tuple[Any, Any]] = field(default_factory=dict)
    refused: dict[tuple[int, str], Verdict] = field(default_factory=dict)  # of any input

    def verdict(
        self, runner: Runner, claim: Claim, sizes: Mapping[str, int], found: Found
    ) -> Verdict:
        """Whether the term has the two sides apart as well. The first reading with a term says."""
        without: list[Verdict] = []
        for k, reading in enumerate(self.readings()):
            refused = self.refused.get((k, claim.output))
            one = refused or self._by(k, reading, runner, claim, sizes, found)
            if not one.no_term:
                return one
            without.append(one)
        return without[0] if without else Verdict(False, "the file is not read", no_term=True)

    def _by(
        self, number: int, reading: Reading, runner: Runner, claim: Claim,
        sizes: Mapping[str, int], found: Found,
    ) -> Verdict:  # fmt: skip
        value, every = reading.value(claim.output), fitting(reading.reader, sizes)
        if not isinstance(value, Tensor) or every is None:
            why = value.reason if isinstance(value, Refused) else "it is about other sizes"
            return Verdict(False, f"the output has no term: {why}", no_term=True)
        moved_inputs = permuted(found.inputs, claim.moving, found.sigma)
        entry = found.difference.entry
        source = list(entry)
        for axis in axes_of(claim.output_axis):
            source[axis] = found.sigma[entry[axis]]
        why = ""
        for bits in BITS:
            try:
                one = _value(reading, runner, value, every, moved_inputs or {}, bits)[entry]
                key = number, claim.output, id(found.inputs), bits
                if key not in self.values:
                    at_x = _value(reading, runner, value, every, found.inputs, bits)
                    # the inputs are kept as well, so that no other object gets their id
                    self.values = {
                        **dict([*self.values.items()][-KEPT:]),
                        key: (found.inputs, at_x),
                    }
                other = self.values[key][1][tuple(source)]
            except Undecided as error:
                why = f"balls do not decide it: {error}"
                continue
            except (TooLarge, Unsupported) as error:  # of another input as well
                refused = Verdict(False, f"the term has no balls: {error}", no_term=True)
                return self.refused.setdefault((number, claim.output), refused)
            except (NotRead, Mismatch, Whole, RunError, ValueError, LookupError) as error:
                return Verdict(False, f"the term has no balls: {error}", no_term=True)
            apart = gap(one, other)
            off = abs(float(one.arb.mid()) - found.moved.y64[entry])
            off += abs(float(other.arb.mid()) - found.expected.y64[entry])
            if apart > FARTHER * off:
                return Verdict(True)
            if apart:
                return Verdict(False, "term and onnxruntime differ on this input")
            why = "the balls of both sides overlap"
        return Verdict(False, why)


def _value(
    reading: Reading, runner: Runner, tensor: Tensor, sizes: Mapping[str, int],
    inputs: Mapping[str, Array], bits: int,
) -> Any:  # fmt: skip
    """The term of a tensor in balls, on these inputs."""
    reader, realised = reading.reader, reading.realised
    term = realised.of(tensor)
    names = sorted({*constants_of(reader, realised, reading.graph), *sources(realised)})
    values = {**inputs, **runner.run(inputs, names)}
    return enclose(Evaluator(reader, realised, sizes, values.__getitem__), tensor, term, bits)


def readings_of(runner: Runner, claim: Claim) -> Iterator[Reading]:
    """The readings of a graph for the axis of a claim, each made when it is needed."""
    try:
        first = first_reading(runner.graph, claim.moving[0], claim.moving[1:], runner)
    except (Mismatch, Unsupported):
        return
    yield first
    for way in other_readings(first, claim.moving[1:]):
        reading = way()
        if reading is not None:
            yield reading


def check(w: ModelWitness, path: Path) -> Outcome[ModelWitness]:
    """Recheck a counterexample from its file and the model's: in onnxruntime, and where it is said
    to be enclosed, on the term in balls. WitnessError where the file is another one."""
    outcome, again = measured.again(w, path)
    if again is None or w.evidence == MEASURED:
        return outcome
    encloser = Encloser(lambda: readings_of(again.runner, again.claim))
    verdict = encloser.verdict(again.runner, again.claim, w.sizes, again.found)
    if verdict.enclosed:
        return outcome
    return Outcome("refuted", lambda _: f"it is not enclosed: {verdict.why}", w)
