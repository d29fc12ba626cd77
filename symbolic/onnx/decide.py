"""The answer to a question about a user's model: does it see the order of an axis?

load, read, push           a theorem under hypotheses about constants, for all sizes
check                      the term's value against onnxruntime's, or there is no theorem
constant_symmetry          the hypotheses: at which n every entry of the constants was compared
both_sides                 of a theorem, how far floats are apart, in a run of the file
refute                     an input for which permuting changes more, in runs of the file
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import tee
from pathlib import Path
from typing import Any

from orderproof.symbolic.calculus.terms import ShapeError
from orderproof.symbolic.time_limit import Late, limited
from orderproof.symbolic.time_limit import check as in_time
from orderproof.symbolic.witness.model_file import ModelWitness, OutputAxis

from . import words
from .atoms import Mismatch, Whole
from .both_sides import measure
from .check import check, doubt, extent
from .claims import places_of
from .constant_symmetry import Proved, at_sizes, compare, conditions, unlike
from .finder import Finder
from .graph import VALUES, Graph, ModelError, Place, Unsupported, place_text
from .groups import name_of
from .load import load
from .naturality import NoTheorem, conditionals
from .reading import Reading, readings
from .refute import MOST, Refuter
from .report import GroupFound, Report, Result, StuckAt
from .run import RunError, Runner, RunnerMissing
from .stabiliser import Constants, Permutation, double_cosets, generators, stabiliser
from .values import Constant, Refused, Tensor
from .words import Condition

LISTED = 4  # tokens at which all permutations are listed, if no n is asked for


@dataclass(frozen=True)
class Step:
    """What one reading gives for an output: theorems, or why there is none."""

    reading: Reading
    proofs: tuple[Proved, ...] = ()
    reason: str = ""
    stuck: tuple[StuckAt, ...] = ()
    unsupported: bool = False  # a node is not read
    checked: str = ""  # by how many comparisons it was confirmed

    @property
    def full(self) -> Proved | None:
        """A theorem for every permutation."""
        return next((p for p in self.proofs if p.scope and not self.reading.cut), None)


@dataclass
class Question:
    """One axis of one input, and what is permuted along; answered for one output after another."""

    finder: Finder
    asked: Place
    along: tuple[Place, ...]
    n: int | None

    def __post_init__(self) -> None:
        self.graph, self.runner = self.finder.graph, self.finder.runner
        self._readings = self._read()

    def _read(self) -> Iterator[Reading]:
        try:
            yield from readings(self.graph, self.asked, self.along, self.runner)
        except Mismatch as e:
            places = ", ".join(map(place_text, (self.asked, *self.along)))
            raise ModelError(f"--with: given {places}, expected axes of one length: {e}") from None

    def readings(self) -> Iterator[Reading]:
        """The readings of the graph, each made when it is needed, and once."""
        self._readings, found = tee(self._readings)
        return found

    @cached_property
    def first(self) -> Reading:
        """The first reading of the graph."""
        return next(self.readings())

    @property
    def listed_at(self) -> int:
        """The number of tokens at which a group is listed."""
        return self.first.fixed or self.n or LISTED

    @cached_property
    def encloser(self) -> Any:
        """What encloses counterexamples by the readings; made where one is found."""
        try:
            from .enclose import Encloser
        except ImportError as e:
            in_time()  # of an interrupted import it may be said that nothing is there
            raise RunError(f"{e.name} is not installed") from None
        return Encloser(self.readings)

    @cached_property
    def refuter(self) -> Refuter:
        """The searches for counterexamples."""
        return Refuter(self.finder, self.first, lambda: self.encloser)

    # ---------------------------------------------------------------------------- one answer
    def answer(self, output: str) -> Result:
        """The answer for one output: the first that a stage gives."""
        begin, steps = time.monotonic(), list[Step]()
        try:
            for reading in self.readings():
                in_time()
                steps.append(self._step(reading, output))
                if steps[-1].full:
                    break
        except Late:
            pass
        found = self._answer(output, steps)
        return replace(found, seconds=time.monotonic() - begin)

    def _answer(self, output: str, steps: Sequence[Step]) -> Result:
        size = words.size_name(self.graph, self.asked)
        base = Result(*self.asked, self.along, output, None, size=size)
        if not steps:
            return replace(base, reason=words.NOT_READ)
        proofs = [p for step in steps for p in step.proofs]
        base = replace(
            base,
            stuck=steps[0].stuck,
            checked=next((s.checked for s in reversed(steps) if s.checked), ""),
            reading=proofs[0].reading if proofs else self.first,
            proof=proofs[0].found if proofs else None,
        )
        full = steps[-1].full
        if full is not None:
            return self._refuted_later(base, full) or self._for_all(base, full)
        try:
            base = replace(base, stuck=self._changed(proofs, base.stuck))
            found = self._group(base, proofs)
        except Late:
            found = None
        return found or self._refuted(base, proofs, steps)

    def _changed(self, proofs: Sequence[Proved], stuck: tuple[StuckAt, ...]) -> tuple[StuckAt, ...]:
        """Of constants that the push meets, the first that some permutation changes: a table whose
        rows are equal is not where order enters."""
        n = self.listed_at
        if not proofs or n > MOST:
            return stuck
        reading, changed = proofs[0].reading, list[StuckAt]()
        for h in proofs[0].found.hypotheses:
            every = at_sizes(reading, [h], n) or ()
            if h.leaf and unlike(reading, every, n) is not None:
                changed += stuck_at(reading, [h.name])
        return (changed[0],) if changed and not {*stuck} & {*changed} else stuck

    # ------------------------------------------------------------------------------- reading
    def _step(self, reading: Reading, output: str) -> Step:
        """The theorems of a reading about an output; or what is in the way."""
        try:
            return self._theorems(reading, output)
        except (Mismatch, Whole) as e:
            return Step(reading, reason=f"dimensions do not fit: {e}")
        except Unsupported as e:  # where a term was to be made of what was read
            reason = words.refused(self.graph, e.node, e.reason)
            return Step(reading, (), reason, (StuckAt("", e.node),), unsupported=True)

    def _theorems(self, reading: Reading, output: str) -> Step:
        value = reading.value(output)
        if isinstance(value, Constant):
            value = reading.reader.as_tensor(value)
        if isinstance(value, Refused):
            in_time()  # then it was not read for that
            refused = StuckAt(value.tensor, value.node)
            reason = words.refused(self.graph, value.node, value.reason)
            return Step(reading, (), reason, (refused,), unsupported=True)
        if not isinstance(value, Tensor):
            raise ModelError(f"output {output}: given no such tensor, expected one of the model's")
        if reading.over is None:
            return Step(reading, reason=words.SPLIT)
        about = self.asked, reading.over, self.along
        try:
            every = conditionals(reading.realised, value, *about)
        except ShapeError:
            return Step(reading, reason=words.NO_STEP)
        if isinstance(every, NoTheorem):
            at = stuck_at(reading, [s.tensor for s in every.stuck])
            return Step(reading, (), every.reason, at)
        stuck = stuck_at(reading, [s.tensor for s in every[0].stuck[:1]])
        if self.runner is None:
            return Step(reading, (), words.UNCHECKED, stuck)
        checks = check(reading.reader, reading.realised, self.runner, {output: value})
        why = doubt(reading.reader, checks, [output])
        if why:
            reason = f"the translation was not confirmed: {why}"
            return Step(reading, (), reason, stuck)
        found, reason = list[Proved](), ""
        for each in every:
            double = [p for p in each.moved if p[0] == self.asked[0] and p != self.asked]
            if not {*double} <= {*self.along}:
                both = place_text(double[0])
                reason = f"a proof needs {both} to move too: --with {both}"
                continue
            found.append(compare(reading, each, self.n or LISTED))
            if found[-1].scope and not found[-1].differs:
                break
        return Step(reading, tuple(found), reason, stuck, checked=extent(checks))

    # ------------------------------------------------------------------ for every permutation
    def _for_all(self, base: Result, proved: Proved) -> Result:
        """The theorem as the answer."""
        found = self._by(base, proved)
        open_at = []
        if proved.differs:  # and no input was found that shows it
            at = f"for n = {proved.differs.n} it is open, for constants differ there"
            open_at = [Condition(at, words.SCOPE)]
        found = replace(
            found,
            answer="equivariant" if proved.found.output_dims else "invariant",
            scope=proved.scope,
            conditions=(*found.conditions, *open_at),
        )
        try:
            return replace(
                found, rounding=self.runner and measure(self.runner, base.output, proved)
            )
        except Late:
            return found

    def _by(self, base: Result, proved: Proved) -> Result:
        """What a theorem says of the output and of what is permuted along, and its conditions."""
        found, more = proved.found, self._more(proved)
        along = (Condition(f"{place_text(p)} moves along", words.ALONG, p) for p in more)
        output = (Condition(text, words.OUTPUT) for text in found.words)
        sizes = map(Condition, proved.reading.conditions())
        return replace(
            base,
            proof=found,
            reading=proved.reading,
            output_axis=found.output_axis,
            along=(*self.along, *more),
            conditions=tuple(dict.fromkeys((*output, *sizes, *along, *proved.conditions))),
        )

    def _more(self, proved: Proved) -> tuple[Place, ...]:
        """What has to be permuted along and was not named."""
        return tuple(p for p in proved.found.moved if p not in (self.asked, *self.along))

    def _refuted_later(self, base: Result, proved: Proved) -> Result | None:
        """Counterexamples, at a size at which the constants differ for the first time, to every
        way in which the output could be moved."""
        if not proved.differs:
            return None
        axis, axes = proved.found.output_axis, self.refuter.output_axes(base.output)
        ways = dict.fromkeys((axis, *(axes if not isinstance(axes, str) else ())))
        each = [self._differing(base.output, proved, way) for way in ways]
        witnesses = tuple(w for w in each if not isinstance(w, str))
        if len(witnesses) < len(each):
            return None
        given = [c for c in self._by(base, proved).conditions if c.kind != words.OUTPUT]
        where = f", where {' and '.join(given)}," if given else ""
        small = "invariant" if axis is None else "equivariant"
        below = Condition(f"for {proved.scope}{where} it is {small}", words.SCOPE)
        return replace(
            base,
            answer="not equivariant",
            scope=f"n = {proved.differs.n}",
            conditions=(below,),
            output_axis=axis,
            witnesses=witnesses,
        )

    def _differing(self, output: str, proved: Proved, axis: OutputAxis) -> ModelWitness | str:
        """A witness at the sizes at which the constants of a theorem differ for the first time."""
        d, moving = proved.differs, (self.asked, *self.along)
        if d is None:
            return ""
        return self.refuter.search(moving, output, axis, d.n, [d.swap], d.sizes)

    # ------------------------------------------------------------------------------- groups
    def _group(self, base: Result, proofs: Sequence[Proved]) -> Result | None:
        """Where some permutations leave the constants as they are: the most that a theorem gives,
        at one n; and the others refuted, one of each double coset."""
        n = self.listed_at
        groups = list[tuple[list[Permutation], Proved, list[Constants]]]()
        for p in proofs if n <= MOST else ():
            every = at_sizes(p.reading, p.found.hypotheses, n)
            if every:  # else of n tokens the model means nothing
                _, count = p.reading.part(n)
                group = [p.reading.embedded(s, n) for s in stabiliser(every, count)]
                # of other numbers of tokens, where constants differ, not every permutation is one
                if len(group) > 1 and not (p.differs and len(group) == math.factorial(count)):
                    groups.append((group, p, every))
        if not groups:
            return None
        group, proved, every = max(groups, key=lambda found: len(found[0]))
        for_all = proved.scope if proved.reading.cut else ""  # all permutations of a part
        if not for_all:
            seen = [(n, c.depends, c.sizes_of_model) for c in every]
            at_n = conditions(proved.reading, proved.found, seen, n)
            proved = replace(proved, conditions=at_n)
        found = self._by(base, proved)
        moving, axis = (self.asked, *self.along, *self._more(proved)), found.output_axis

        def refuted(sigma: Permutation) -> ModelWitness | str:
            why = ""
            for c in every:
                one = self.refuter.search(moving, base.output, axis, n, [sigma], c.depends)
                if not isinstance(one, str):
                    return one
                why = why or one
            return why

        each, few = [refuted(s) for s in double_cosets(group, n)], tuple(generators(group))
        witnesses = tuple(w for w in each if not isinstance(w, str))
        every_one = len(witnesses) == len(each)
        if every_one and proved.found.words:  # is the output moved there as the refuter has it?
            every_one = all(isinstance(refuted(s), str) for s in few)
        found = replace(found, witnesses=witnesses)
        exact, measured = every_one and not found.measured, every_one and found.measured
        return replace(
            found,
            group=GroupFound(n, len(group), few, name_of(few, n), exact, measured),
            answer="subgroup",
            reason=next((w for w in each if isinstance(w, str) and w), ""),
            scope=for_all or f"n = {n}",
        )

    # ------------------------------------------------------------------------------ refuting
    def _refuted(self, base: Result, proofs: Sequence[Proved], steps: Sequence[Step]) -> Result:
        """A permutation and an input by which the model sees the order, at the smallest n, or at
        sizes at which constants differ: for each way in which the output could be moved. Else
        nothing is known, for these reasons."""
        found, moving = self.refuter.output_axes(base.output), (self.asked, *self.along)
        axes, why = ([], found) if isinstance(found, str) else (found, "")
        witnesses = list[ModelWitness]()
        for axis in axes:
            one = self.refuter.smallest(moving, base.output, axis)
            if isinstance(one, str):
                why = one
                differing = (self._differing(base.output, p, axis) for p in proofs)
                one = next((w for w in differing if not isinstance(w, str)), "")
            if isinstance(one, str):
                break
            witnesses.append(one)
        base = replace(base, output_axis=axes[0] if axes else None)
        if axes and len(witnesses) == len(axes):
            return replace(
                base,
                answer="not equivariant",
                scope=f"n = {max(len(w.sigma) for w in witnesses)}",
                reason=next((s.reason for s in steps if s.checked and s.reason), ""),
                witnesses=tuple(witnesses),
            )
        return replace(
            base,
            answer="unsupported" if steps[0].unsupported else "unknown",
            reason=f"{steps[0].reason or words.NOT_ALIKE}; {why}",
        )


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
    """INPUT:K as an input of the model and one of its dimensions; for --with INPUT:values too."""
    name, _, number = text.rpartition(":")
    tensor, values = graph.inputs.get(name), number == "values" and what == "--with"
    if tensor is None or not (values or re.fullmatch(r"-?\d{1,9}", number)):
        known = ", ".join(
            f"{t.name}:{k}" + (f" ({dim})" if isinstance(dim, str) else "")
            for t in graph.inputs.values()
            for k, dim in enumerate(t.dims)
        )
        raise ModelError(f"{what}: given {text[:60]!r}, expected INPUT:K, one of {known}")
    if values and tensor.dtype.kind not in "iu":
        raise ModelError(f"{what}: given {text[:60]!r}, expected an input of whole numbers")
    rank = len(tensor.dims)
    if not values and not -rank <= int(number) < rank:
        raise ModelError(f"{what}: given axis {number} of {name}, which has {rank} dimensions")
    return name, VALUES if values else int(number) % rank


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
    inputs `along` permuted with it, about `output` (all by default); `answered` is called with each
    as it is found. ModelError for bad input."""
    graph = load(path)
    asked = [place_of(graph, axis, "--axis")] if axis is not None else dynamic_axes(graph)
    with_it = tuple(place_of(graph, text, "--with") for text in along)
    named = [*asked, *with_it] if axis is not None else with_it
    if len({*named}) < len(named):
        raise ModelError(f"--with: given {', '.join(along)}, expected each axis once")
    outputs = outputs_of(graph, output)
    if n is not None and not 2 <= n <= MOST:
        raise ModelError(f"--n: given {n}, expected 2 to {MOST}")
    for length, place in ((graph.dim(p), p) for p in asked):
        if length in (0, 1):
            given = f"axis {place_text(place)}: given an axis of length {length}"
            raise ModelError(f"{given}, expected more")
    finder, results = Finder(Path(path), graph, runner_of(graph)), list[Result]()
    with limited(timeout):
        for place in (p for p in asked if p not in with_it):
            question = Question(finder, place, with_it, n)
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


def dynamic_axes(graph: Graph) -> Sequence[Place]:
    """The dynamic axes of all inputs; ModelError where there is none."""
    found = places_of(graph, graph.dynamic)
    if not found:
        raise ModelError("no input has a dynamic axis: expected --axis INPUT:K to name a fixed one")
    return found
