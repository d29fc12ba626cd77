"""The answer to a question about a user's model: does it see the order of an axis?

load, read, push           a theorem under hypotheses about constants, for all sizes
check                      the term's value against onnxruntime's, or there is no theorem
constant_symmetry          the hypotheses: at which n every entry of the constants was compared
both_sides                 of a theorem, how far floats are apart, in a run of the file
refute                     an input for which permuting changes more, in runs of the file
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from orderproof.symbolic.calculus.terms import ShapeError

from .atoms import Mismatch, Whole
from .both_sides import measure
from .check import check, doubt
from .constant_symmetry import (
    Compared,
    Differs,
    Looked,
    at_sizes,
    compare,
    other_sizes,
    unlike,
)
from .graph import VALUES, Graph, ModelError, Place, Unsupported, place_text
from .groups import name_of
from .load import load
from .naturality import Conditional, NoTheorem, conditionals, refused_at
from .reading import Reading, first_reading, other_readings
from .refute import Refuter
from .report import GroupFound, Piece, Report, Result, StuckAt
from .run import Runner, RunnerMissing
from .stabiliser import Permutation, double_cosets, generators, stabiliser
from .values import Constant, Refused, Tensor

LISTED = 4  # tokens at which all permutations are listed, if no n is asked for
MOST = 6  # tokens at which all permutations are listed at all


@dataclass(frozen=True)
class Proved:
    """A theorem of one reading whose translation was confirmed, and for which sizes all of its
    hypotheses hold: none where `scope` is empty; and where they do not for the first time."""

    reading: Reading
    found: Conditional
    scope: str
    differs: Differs | None = None
    conditions: tuple[str, ...] = ()  # what the constants were looked at with


@dataclass
class Question:
    """One axis of one input, what moves along, and what is found for one output after another."""

    graph: Graph
    asked: Place
    along: tuple[Place, ...]
    n: int | None
    deadline: float
    runner: Runner | None
    refuter: Refuter

    def __post_init__(self) -> None:
        try:
            self.first = first_reading(
                self.graph, self.asked, self.along, self.runner, self.deadline
            )
        except Mismatch as e:
            places = ", ".join(map(place_text, (self.asked, *self.along)))
            raise ModelError(f"--with: given {places}, expected axes of one length: {e}") from None
        self._others: list[Reading] = []
        self._ways = other_readings(self.first, self.along)

    def readings(self) -> Iterator[Reading]:
        """The readings of the graph, the others made only when they are asked for, and once."""
        yield self.first
        yield from self._others
        while self._ways:
            reading = self._ways.pop(0)()
            if reading is not None:
                self._others.append(reading)
                yield reading

    @cached_property
    def encloser(self) -> Any:
        """What encloses counterexamples by the readings; made where one is found."""
        from .enclose import Encloser

        return Encloser(self.readings)

    # ---------------------------------------------------------------------------- one answer
    def answer(self, output: str) -> Result:
        """The answer for one output."""
        begin, self.refuter.trouble = time.monotonic(), ""
        name, k = self.asked
        result = Result(name, k, tuple(map(place_text, self.along)), output, None, "unknown", "")
        proofs: list[Proved] = []
        for reading in self.readings():
            if reading is not self.first and time.monotonic() > self.deadline:
                continue
            proved = self._proved(result, reading, output)
            proofs += proved
            full = next((p for p in proved if p.scope and not reading.cut), None)
            if full is not None and not self._late(result, full):
                self._state(result, full)
                break
            if result.answer == "not equivariant":
                break
        else:
            self._stuck(result, proofs)
            if not self._group(result, proofs):
                self._refute(result, output, proofs)
        if result.proof is None and proofs:
            self._keep(result, proofs[0])
        result.seconds = time.monotonic() - begin
        return result

    def _stuck(self, result: Result, proofs: Sequence[Proved]) -> None:
        """Of constants that the push meets, the first that some permutation moves: a table whose
        rows are equal is not where order enters."""
        n = self.first.fixed or self.n or LISTED
        for p in proofs[:1] if n <= MOST else ():
            moved: list[StuckAt] = []
            for h in p.found.hypotheses:
                every = at_sizes(p.reading, [h], n) or ()
                if h.leaf and unlike(p.reading, every, n) is not None:
                    moved += stuck_at(p.reading, [h.name])
            if moved and not set(result.stuck) & set(moved):
                result.stuck = (moved[0],)

    def _keep(self, result: Result, proved: Proved) -> None:
        """A theorem under hypotheses that do not hold of every permutation: what is refuted may be
        shown with it."""
        result.proof, result.reading = proved.found, proved.reading
        result.value = proved.reading.value(result.output)

    def _proved(self, result: Result, reading: Reading, output: str) -> list[Proved]:
        """The theorems of a reading about an output; what is in the way is noted in the result, of
        the first reading."""
        try:
            return self._theorems(result, reading, output)
        except (Mismatch, Whole) as e:
            self._note(result, reading, f"dimensions do not fit: {e}")
        except Unsupported as e:  # where a term was to be made of what was read
            self._refused(result, reading, StuckAt("", e.node), str(e))
        return []

    def _refused(self, result: Result, reading: Reading, at: StuckAt, reason: str) -> None:
        if reading is self.first:
            late = time.monotonic() > self.deadline
            result.answer, result.stuck = "unknown" if late else "unsupported", (at,)
        self._note(result, reading, reason)

    def _theorems(self, result: Result, reading: Reading, output: str) -> list[Proved]:
        value = reading.value(output)
        if isinstance(value, Constant):
            value = reading.reader.as_tensor(value)
        if isinstance(value, Refused):
            at = StuckAt(value.tensor, value.node)
            self._refused(result, reading, at, f"node {value.node}: {value.reason}")
            return []
        if not isinstance(value, Tensor):
            raise ModelError(f"output {output}: given no such tensor, expected one of the model's")
        if reading is self.first:
            result.value, result.reading = value, reading
        if reading.over is None:
            self._note(result, reading, "the model splits the axis, or joins it with others")
            return []
        about = self.asked, reading.over, self.along
        try:
            every = conditionals(reading.realised, value, *about)
        except ShapeError:
            node = refused_at(reading.realised, value, *about)
            every = NoTheorem(f"a step of the proof is refused at node {node}")
            if reading is self.first:
                result.stuck = (StuckAt("", node),)
        if reading is self.first and (not isinstance(every, NoTheorem) or every.stuck):
            stuck = every.stuck if isinstance(every, NoTheorem) else every[0].stuck[:1]
            result.stuck = stuck_at(reading, [s.tensor for s in stuck])
        if isinstance(every, NoTheorem):
            self._note(result, reading, "; ".join([every.reason, *map(str, every.stuck)]))
            return []
        doubted = self._checked(result, reading, value, output)
        if doubted:
            self._note(result, reading, doubted)
            return []
        found = []
        for each in every:
            double = [p for p in each.moved if p[0] == self.asked[0] and p != self.asked]
            if any(p not in self.along for p in double):
                both = place_text(double[0])
                self._note(result, reading, f"a proof needs {both} to move too: --with {both}")
                continue
            alike = (
                compare(reading, each.hypotheses, self.n or LISTED)
                if each.hypotheses
                else Compared(reading.scope())
            )
            found.append(Proved(reading, each, alike.scope, alike.differs, alike.conditions))
            if alike.scope and not alike.differs:
                break
        return found

    def _note(self, result: Result, reading: Reading, reason: str) -> None:
        if reading is self.first:
            result.reason = reason

    def _state(self, result: Result, proved: Proved) -> None:
        """The theorem as the answer."""
        self._about(result, proved)
        result.answer = "equivariant" if proved.found.output_dims else "invariant"
        result.scope, result.reason = proved.scope, ""
        if proved.differs:  # and no input was found that shows it
            open_at = f"for n = {proved.differs.n} it is open, for constants differ there"
            result.conditions = (*result.conditions, open_at)
        if self.runner is not None:
            result.rounding = measure(proved.reading, self.runner, result.output, proved)

    def _about(self, result: Result, proved: Proved) -> None:
        """What a theorem says of the output and of what moves along."""
        found, reading = proved.found, proved.reading
        result.output_axis = found.output_axis
        more = self._more(proved)
        result.along = tuple(map(place_text, (*self.along, *more)))
        result.conditions = self._conditions(proved)
        result.proof, result.reading = found, reading
        result.value = reading.value(result.output)
        result.evidence.append(Piece("kernel", detail=repr(found.theorem)))
        if found.hypotheses:
            names = ", ".join(h.name for h in found.hypotheses)
            result.evidence.append(Piece("constants", detail=names))

    def _more(self, proved: Proved) -> tuple[Place, ...]:
        """What moves along of which nobody said so."""
        return tuple(p for p in proved.found.moved if p != self.asked and p not in self.along)

    def _conditions(self, proved: Proved) -> tuple[str, ...]:
        """What a theorem is given besides its scope."""
        moving = [f"{place_text(p)} moves along" for p in self._more(proved)]
        every = (*proved.found.words, *proved.reading.conditions(), *moving, *proved.conditions)
        return tuple(dict.fromkeys(every))

    def _late(self, result: Result, proved: Proved) -> bool:
        """Whether inputs refute, at a size at which the constants differ for the first time, every
        way in which the output could be moved."""
        if not proved.differs:
            return False
        axis = proved.found.output_axis
        value = self.first.value(result.output)
        tensor = value if isinstance(value, Tensor) else None
        ways = dict.fromkeys((axis, *self.refuter.output_axes(self, result.output, tensor)))
        witnesses = [self._differing(result, proved, way) for way in ways]
        if None in witnesses:
            return False
        given = [c for c in self._conditions(proved) if c not in proved.found.words]
        where = f", where {' and '.join(given)}," if given else ""
        small = "invariant" if axis is None else "equivariant"
        result.answer, result.reason = "not equivariant", ""
        result.scope = f"n = {proved.differs.n}"
        result.conditions = (f"for {proved.scope}{where} it is {small}",)
        result.output_axis = axis
        result.refuted_by(witnesses)
        return True

    def _differing(self, result: Result, proved: Proved, axis: Any) -> Any:
        """A witness at the sizes at which the constants of a theorem differ for the first time."""
        d = proved.differs
        return d and self.refuter.search(self, result, axis, d.n, [d.swap], d.sizes)

    # ------------------------------------------------------------------------------- groups
    def _group(self, result: Result, proofs: Sequence[Proved]) -> bool:
        """Whether some permutations leave the constants as they are: the most that a theorem shows,
        at one n; and the others refuted, one of each double coset."""
        n = self.first.fixed or self.n or LISTED
        best: tuple[list[Permutation], Proved] | None = None
        sizes: list[dict[str, int]] = [{}]  # of other dimensions, for which the group is one
        for proved in proofs if n <= MOST else ():
            every = at_sizes(proved.reading, proved.found.hypotheses, n)
            if not every:  # of n tokens the model means nothing
                continue
            _, count = proved.reading.part(n)
            group = [proved.reading.embedded(s, n) for s in stabiliser(every, count)]
            if proved.differs and len(group) == math.factorial(count):
                continue  # of other numbers of tokens not every permutation is one
            if len(group) > 1 and (best is None or len(group) > len(best[0])):
                sizes = [other_sizes(proved.reading, c) for c in every]
                if not (proved.reading.cut and proved.scope):
                    looked = Looked(proved.reading, proved.found.hypotheses)
                    looked.note(n, every)
                    proved = replace(proved, conditions=looked.conditions(n))
                best = group, proved
        if best is None:
            return False
        group, proved = best
        self._about(result, proved)
        outside = double_cosets(group, n)
        axis = result.output_axis

        def refuted(sigma: Permutation) -> Any:
            found = (self.refuter.search(self, result, axis, n, [sigma], x) for x in sizes)
            return next((w for w in found if w is not None), None)

        witnesses = [refuted(s) for s in outside]
        few = tuple(generators(group))
        exact = all(w is not None for w in witnesses)
        if exact and proved.found.words:  # does σ move the output there as the refuter has it?
            exact = all(refuted(s) is None for s in few)
        result.refuted_by(w for w in witnesses if w is not None)
        is_exact, measured = exact and not result.measured, exact and result.measured
        result.group = GroupFound(n, len(group), few, name_of(few, n), is_exact, measured)
        result.answer, result.reason = "subgroup", ""
        result.scope = proved.scope if proved.reading.cut and proved.scope else f"n = {n}"
        return True

    # ------------------------------------------------------------------------------ refuting
    def _refute(self, result: Result, output: str, proofs: Sequence[Proved]) -> None:
        """A permutation and an input that show the model to see the order, at the smallest n, or at
        sizes at which constants differ: for each way in which the output could be moved."""
        value = self.first.value(output)
        tensor = value if isinstance(value, Tensor) else None
        axes = list(self.refuter.output_axes(self, output, tensor))
        result.output_axis = axes[0] if axes else None
        witnesses = []
        for axis in axes:
            found = self._first(result, axis)
            if found is None:
                differing = (self._differing(result, p, axis) for p in proofs)
                found = next((w for w in differing if w is not None), None)
            if found is None:
                break
            witnesses.append(found)
        if axes and len(witnesses) == len(axes):
            result.answer, result.reason = "not equivariant", ""
            result.scope = f"n = {max(len(w.sigma) for w in witnesses)}"
            result.refuted_by(witnesses)
            return
        if not result.reason:
            result.reason = "a proof needs constants that were not shown to be alike in every order"
        result.reason += f"; {self._not_refuted(axes)}"

    def _not_refuted(self, axes: Sequence[Any]) -> str:
        """Why there is no counterexample, in words."""
        fixed = self.first.fixed
        if not axes:
            return "no counterexample was looked for: an output's axis has another number of places"
        if self.refuter.trouble:
            return self.refuter.trouble
        if fixed is not None and fixed > MOST:
            return f"no counterexample was found; of {fixed} places the reversal alone was tried"
        late = " within the time of --timeout" if time.monotonic() > self.deadline else ""
        return f"no counterexample was found{late}"

    def _first(self, result: Result, axis: Any) -> Any:
        """A witness at the smallest n, of one claim."""
        fixed = self.first.fixed
        for n in [fixed] if fixed is not None else range(2, MOST):
            if time.monotonic() > self.deadline:
                break
            reversal = [tuple(reversed(range(n)))] if n > MOST else None  # one that moves the most
            witness = self.refuter.search(self, result, axis, n, reversal)
            if witness is not None:
                return witness
        return None

    # ------------------------------------------------------------------------------ checking
    def _checked(self, result: Result, reading: Reading, value: Tensor, output: str) -> str:
        """Why the translation of an output is not to be relied on; nothing where it is."""
        if self.runner is None:
            return "onnxruntime is not installed, and unchecked nothing counts as proved"
        tensors = {output: value}
        found = check(reading.reader, reading.realised, self.graph, self.runner, tensors)
        if reading is self.first:
            result.checks = tuple(found)
        why = doubt(reading.reader, found, [output])
        if why:
            return f"the translation was not confirmed: {why}"
        result.checks = tuple(found)
        result.evidence = [e for e in result.evidence if e.kind != "check"]
        result.evidence.append(Piece("check", detail=f"{len(found)} comparisons with onnxruntime"))
        return ""


def stuck_at(reading: Reading, names: Sequence[str]) -> tuple[StuckAt, ...]:
    """Tensors of a term as tensors of the graph, with the node that takes each."""
    leaves = {str(op.data[0]): leaf.source for op, leaf in reading.realised.leaves.items()}
    found = []
    for name in dict.fromkeys(names):
        source = leaves.get(name) or name
        calls = [c for c in reading.graph.calls if source in c.inputs]
        found.append(StuckAt(source, calls[0].name if calls else ""))
    return tuple(found)


def place_of(graph: Graph, text: str, what: str) -> Place:
    """INPUT:K as an input of the model and one of its dimensions; of what moves along, INPUT:values
    too."""
    name, colon, number = text.rpartition(":")
    known = ", ".join(
        f"{t.name}:{k}" + (f" ({dim})" if isinstance(dim, str) else "")
        for t in graph.inputs.values()
        for k, dim in enumerate(t.dims)
    )
    if colon and name in graph.inputs and number == "values" and what == "--with":
        if graph.inputs[name].dtype.kind not in "iu":
            raise ModelError(f"{what}: given {text[:60]!r}, expected an input of whole numbers")
        return name, VALUES
    if not colon or name not in graph.inputs or not number.lstrip("-").isdigit():
        raise ModelError(f"{what}: given {text[:60]!r}, expected INPUT:K, one of {known}")
    rank = len(graph.inputs[name].dims)
    if not -rank <= int(number) < rank:
        raise ModelError(f"{what}: given axis {number} of {name}, which has {rank} dimensions")
    return name, int(number) % rank


def decide(
    path: str | Path,
    axis: str | None = None,
    along: Sequence[str] = (),
    output: str | None = None,
    n: int | None = None,
    timeout: float = 60.0,
    answered: Callable[[Result], object] = lambda _: None,
) -> Report:
    """The answers about a model file: for `axis` (INPUT:K; all dynamic axes by default), with the
    inputs `along` moving with it, about `output` (all by default); `answered` is told each as it is
    found. ModelError for bad input."""
    graph = load(path)
    asked = [place_of(graph, axis, "--axis")] if axis is not None else dynamic(graph)
    with_it = tuple(place_of(graph, text, "--with") for text in along)
    named = [*asked, *with_it] if axis is not None else with_it
    if len({*named}) < len(named):
        raise ModelError(f"--with: given {', '.join(along)}, expected each axis once")
    outputs = outputs_of(graph, output)
    if n is not None and not 2 <= n <= MOST:
        raise ModelError(f"--n: given {n}, expected 2 to {MOST}")
    deadline = time.monotonic() + timeout
    runner = runner_of(graph)
    refuter = Refuter(Path(path), graph, runner)
    results = []
    for place in asked:
        if place in with_it:
            continue
        if graph.dim(place) == 1:
            raise ModelError(f"axis {place_text(place)}: given an axis of length 1, expected more")
        question = Question(graph, place, with_it, n, deadline, runner, refuter)
        for name in outputs:
            results.append(question.answer(name))
            answered(results[-1])
    return Report(graph.sha256, str(path), tuple(results), graph=graph)


def outputs_of(graph: Graph, output: str | None) -> list[str]:
    """The outputs that are looked at: one that is given, or all; ModelError for what is none."""
    if output is not None and output not in graph.outputs:
        raise ModelError(
            f"--output: given {output[:60]!r}, expected one of {', '.join(graph.outputs)}"
        )
    return [*graph.outputs] if output is None else [output]


def runner_of(graph: Graph) -> Runner | None:
    """What runs a graph; None where onnxruntime is not installed."""
    try:
        return Runner(graph)
    except RunnerMissing:
        return None


def dynamic(graph: Graph) -> list[Place]:
    """The dynamic axes of all inputs; ModelError where there is none."""
    found = [
        (t.name, k)
        for t in graph.inputs.values()
        for k, d in enumerate(t.dims)
        if isinstance(d, str)
    ]
    if not found:
        raise ModelError("no input has a dynamic axis: expected --axis INPUT:K to name a fixed one")
    return found
