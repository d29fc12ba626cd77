"""Encloses a counterexample: the model's term in balls, on the input that onnxruntime was run on.

The term is this project's reading of the file, and shares no code with onnxruntime. Where the two
agree on both sides, and the balls of the sides are apart by far more than they differ, the
difference is one of real numbers and none of rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from orderproof.symbolic.witness.arithmetic import Outcome
from orderproof.symbolic.witness.model_file import MEASURED, Recorded

from . import measured
from .arrays import Evaluator
from .atoms import Mismatch, Whole
from .balls import MOST, NotRead, TooLarge, Undecided, enclose, gap
from .check import constants_of, sources
from .graph import Array, Place, Unsupported
from .reading import Reading, readings
from .run import RunError, Runner
from .samples import fitting
from .search import Found
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

    def verdict(self, runner: Runner, sizes: Mapping[str, int], found: Found) -> Verdict:
        """Whether the term has the two sides apart as well. The first reading with a term says."""
        without: list[Verdict] = []
        for k, reading in enumerate(self.readings()):
            refused = self.refused.get((k, found.claim.output))
            one = refused or self._by(k, reading, runner, sizes, found)
            if not one.no_term:
                return one
            without.append(one)
        return without[0] if without else Verdict(False, "the file is not read", no_term=True)

    def _by(
        self, number: int, reading: Reading, runner: Runner, sizes: Mapping[str, int], found: Found
    ) -> Verdict:
        claim = found.claim
        value, every = reading.value(claim.output), fitting(reading.reader, sizes)
        other = claim.sizes(sizes)
        changed_sizes = every if other is sizes else fitting(reading.reader, other)
        if not isinstance(value, Tensor) or every is None or changed_sizes is None:
            why = value.reason if isinstance(value, Refused) else "it is about other sizes"
            return Verdict(False, f"the output has no term: {why}", no_term=True)
        changed, entry = claim.changed(found.inputs) or {}, found.difference.entry
        why = ""
        for bits in BITS:
            try:
                one = _value(reading, runner, value, changed_sizes, changed, bits)[entry]
                key = number, claim.output, id(found.inputs), bits
                if key not in self.values:
                    at_x = _value(reading, runner, value, every, found.inputs, bits)
                    # the inputs are kept as well, so that no other object gets their id
                    self.values = {
                        **dict([*self.values.items()][-KEPT:]),
                        key: (found.inputs, at_x),
                    }
                two = self.values[key][1][claim.source(entry)]
            except Undecided as error:
                why = f"balls do not decide it: {error}"
                continue
            except (TooLarge, Unsupported) as error:  # of another input as well
                refused = Verdict(False, f"the term has no balls: {error}", no_term=True)
                return self.refused.setdefault((number, claim.output), refused)
            except (NotRead, Mismatch, Whole, RunError, ValueError, LookupError) as error:
                return Verdict(False, f"the term has no balls: {error}", no_term=True)
            apart = gap(one, two)
            off = abs(float(one.arb.mid()) - found.moved.y64[entry])
            off += abs(float(two.arb.mid()) - found.expected.y64[entry])
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
    names = sorted({*constants_of(reader, realised), *sources(realised)})
    values = {**inputs, **runner.run(inputs, names)}
    if sum(values[name].size for name in names) > MOST:
        raise TooLarge(f"its constants have more than {MOST:,} entries")
    return enclose(Evaluator(reader, realised, sizes, values.__getitem__), tensor, term, bits)


def readings_of(runner: Runner, asked: Place, along: tuple[Place, ...]) -> Iterator[Reading]:
    """The readings of a graph for an axis and those along it; none where the axes do not fit."""
    with suppress(Mismatch, Unsupported):
        yield from readings(runner.graph, asked, along, runner)


def check(w: Recorded, path: Path) -> Outcome[Recorded]:
    """Recheck a counterexample from its file and the model's: in onnxruntime, and where it is said
    to be enclosed, on the term in balls. WitnessError where the file is another one."""
    outcome, again = measured.again(w, path)
    if again is None or w.evidence == MEASURED:
        return outcome
    search = again.search
    encloser = Encloser(lambda: readings_of(search.runner, search.moving[0], search.moving[1:]))
    verdict = encloser.verdict(search.runner, w.sizes, again.found)
    if verdict.enclosed:
        return outcome
    return Outcome("refuted", lambda _: f"it is not enclosed: {verdict.why}", w)
