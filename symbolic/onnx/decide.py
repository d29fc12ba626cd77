"""The answer to a question about a user's model: does it see the order of an axis?

load, read, push           a theorem under hypotheses about constants, for all sizes
check                      the term's value against onnxruntime's, or there is no theorem
settle                     the hypotheses: for all n, up to a bound, or at one n
refute                     an input for which permuting changes more, by an evaluator of its own
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import sympy

from .arrays import Evaluator
from .atoms import Dim
from .check import Comparison, Ran, compare, random_weights, sample_sizes
from .graph import Array, Graph, ModelError
from .groups import name_of
from .load import load
from .naturality import Conditional, Hypothesis, NoTheorem, Place, conditionals, tokens
from .reader import Reader, read
from .refute import Refuter, ranges
from .report import GroupFound, Piece, Report, Result, StuckAt
from .run import NotConstant, RunError, Runner
from .stabiliser import (
    Permutation,
    constants,
    double_cosets,
    generators,
    stabiliser,
    transpositions,
)
from .values import Constant, Realised, Refused, Tensor

LISTED = 4  # tokens at which all permutations are listed, if no n is asked for
MOST = 6  # tokens at which all permutations are listed at all
BOUND = 64  # sizes up to which hypotheses are looked at one by one


@dataclass
class Question:
    """One axis of one input, and what moves along."""

    graph: Graph
    asked: Place
    along: tuple[Place, ...]
    n: int | None
    deadline: float
    runner: Runner | None
    refuter: Refuter
    fixed: int | None = None  # the size of an axis that is not dynamic
    reader: Reader = field(init=False)
    dim: Dim = field(init=False)
    realised: Realised = field(init=False)

    def __post_init__(self) -> None:
        self.reader, self.dim = read(self.graph, self.asked, evaluate=self._constant())
        self.realised = Realised(self.reader.atoms)
        size = self.reader.atoms.size(self.dim)
        if self.fixed is None and size.is_Integer:  # the model wants it equal to a fixed dimension
            self.fixed = int(size)

    def _constant(self) -> Callable[[str], Array] | None:
        runner = self.runner
        if runner is None:
            return None
        return lambda name: runner.run({}, [name])[name]

    # ---------------------------------------------------------------------------- one answer
    def answer(self, output: str) -> Result:
        """The answer for one output."""
        begin = time.monotonic()
        name, k = self.asked
        result = Result(name, k, tuple(map(place_text, self.along)), output, None, "unknown", "")
        value = self.reader.values.get(output)
        if isinstance(value, Constant):
            result.reason = "the output does not depend on the data of any input"
        elif isinstance(value, Refused):
            result.answer, result.reason = "unsupported", f"{value.node}: {value.reason}"
            result.stuck = (StuckAt(value.tensor, value.node),)
            self._refute(result, None)
        elif isinstance(value, Tensor):
            self._decide(result, value)
        else:
            raise ModelError(f"output {output}: given no such tensor, expected one of the model's")
        result.seconds = time.monotonic() - begin
        return result

    def _scope(self) -> str:
        if self.fixed is not None:
            return f"n = {self.fixed}"
        bound = self._bound()
        return "all n" if bound is None else f"n <= {bound}"

    def _bound(self) -> int | None:
        """The largest n that the model is read for, where there is one."""
        atoms = self.reader.atoms
        own = atoms.size(self.dim)
        found = [
            int(b - (a - own)) for a, b in atoms.limits
            if b.is_Integer and (a - own).is_Integer
        ]  # fmt: skip
        return min(found, default=None)

    def _decide(self, result: Result, value: Tensor) -> None:
        result.value, result.realised = value, self.realised
        over = tokens(self.reader.atoms, self.dim)
        if over is None:
            result.reason = "the axis is merged with others"
            return self._refute(result, None)
        every = conditionals(self.realised, value, self.asked, over, self.along)
        if isinstance(every, NoTheorem):
            result.reason = "; ".join([every.reason, *map(str, every.stuck)])
            result.stuck = self._stuck(s.tensor for s in every.stuck)
            return self._refute(result, value)
        result.stuck = self._stuck(s.tensor for s in every[0].stuck[:1])
        doubt = self._checked(result, value)
        if doubt:
            result.reason = doubt
            return self._refute(result, value)
        self._proved(result, value, every)
        return None

    def _proved(self, result: Result, value: Tensor, every: Sequence[Conditional]) -> None:
        """The kernel's theorems, with their hypotheses settled."""
        found = every[0]
        dims = found.output_dims
        result.output_axis = None if not dims else dims[0] if len(dims) == 1 else dims
        full = "equivariant" if dims else "invariant"
        result.conditions = found.words
        more = tuple(p for p in found.moved if p != self.asked and p not in self.along)
        double = [p for p in more if p[0] == self.asked[0]]
        if double:
            result.reason = f"{place_text(self.asked)} and {place_text(double[0])} are one set"
            return self._refute(result, value)
        result.along = tuple(map(place_text, (*self.along, *more)))
        result.proof = found
        result.conditions = (*found.words, *self._conditions(more))
        scope, failing = self._settled(found.hypotheses)
        if failing > MOST and self._late(result, found, failing):
            return None
        if scope:
            result.answer, result.scope = full, scope
            result.evidence.append(Piece("kernel", detail=repr(found.theorem)))
            if found.hypotheses:
                result.evidence.append(
                    Piece("constants", detail=", ".join(h.name for h in found.hypotheses))
                )
            return None
        return self._group(result, every)

    def _conditions(self, more: Sequence[Place]) -> tuple[str, ...]:
        """What the answer takes for given, in words."""
        own = str(self.reader.atoms.size(self.dim))
        equal = [
            f"{b.as_coeff_Mul()[0]} divides {a}" if f"{a}/" in str(b) else f"{a} = {b}"
            for a, b in self.reader.atoms.equal.items()
        ]
        equal += [f"{a} <= {b}" for a, b in self.reader.atoms.limits if str(a) != own]
        moving = [f"{place_text(p)} moves along" for p in more]
        return (*equal, *moving)

    # --------------------------------------------------------------------------- hypotheses
    def _settled(self, hypotheses: Sequence[Hypothesis]) -> tuple[str, int]:
        """For which sizes every permutation fixes the constants; nothing where one does not at a
        size where permutations are listed; and the size from which on one does not, or 0."""
        if not hypotheses:
            return self._scope(), 0
        if self.fixed is not None:
            found = self._constants(hypotheses, self.fixed)
            fixed = found and all(found.fixed(s) for s in transpositions(self.fixed))
            return self._scope() if fixed else "", 0
        bound = 0
        for n in range(2, min(BOUND, self._bound() or BOUND) + 1):
            found = self._constants(hypotheses, n)
            if found is None:
                continue
            if not all(found.fixed(s) for s in transpositions(n)):
                return (f"n <= {bound}" if n > MOST else ""), n
            bound = n
        return (f"n <= {bound}" if bound else ""), 0

    def _late(self, result: Result, found: Conditional, n: int) -> bool:
        """Whether an input refutes at a size at which the constants differ for the first time."""
        at_n = self._constants(found.hypotheses, n)
        swaps = [s for s in transpositions(n) if at_n is not None and not at_n.fixed(s)]
        witness = self.refuter.search(self, result, result.output_axis, n, swaps[:1])
        if witness is None:
            return False
        result.answer, result.scope = "not equivariant", f"n = {n}"
        result.conditions = (*result.conditions, f"for n < {n} it is {self._full(result)}")
        result.witness, result.witnesses = witness, (witness,)
        result.evidence.append(Piece("witness"))
        return True

    @staticmethod
    def _full(result: Result) -> str:
        return "invariant" if result.output_axis is None else "equivariant"

    def _constants(self, hypotheses: Sequence[Hypothesis], n: int) -> Any:
        """The constants at n tokens; None where the model has none of that size."""
        given = self._size(n)
        for sizes in sample_sizes(self.reader, given, 1) if given is not None else ():
            names = sorted({h.leaf.source for h in hypotheses if h.leaf and h.leaf.source})
            try:
                values = self._values(names, sizes)
            except (RunError, NotConstant):
                return None
            evaluator = Evaluator(self.reader, self.realised, sizes, values.__getitem__)
            return constants(hypotheses, evaluator)
        return None

    def _size(self, n: int) -> dict[str, int] | None:
        """The size symbol at which the axis has n places; None where there is none."""
        size = self.reader.atoms.size(self.dim)
        free = sorted(size.free_symbols, key=str)
        if len(free) != 1:
            return {}
        found = sympy.solve(size - n, free[0])
        return {str(free[0]): int(found[0])} if found and found[0].is_Integer else None

    def _values(self, names: Sequence[str], sizes: Mapping[str, int]) -> Mapping[str, Array]:
        if self.runner is None:
            raise RunError("onnxruntime is not installed")
        limits = {name: (0, top) for name, top in ranges(self.graph).items()}
        return self.runner.constants_at(names, sizes, limits) if names else {}

    # ------------------------------------------------------------------------------- groups
    def _group(self, result: Result, every: Sequence[Conditional]) -> None:
        """The permutations that fix the constants, at one n; and the others refuted."""
        n = self.fixed or self.n or LISTED
        found, group = every[0], list[Permutation]()
        for each in every if n <= MOST else ():
            at_n = self._constants(each.hypotheses, n)
            mine = stabiliser(at_n, n) if at_n is not None else []
            if len(mine) > len(group):
                found, group = each, mine
        if len(group) <= 1:
            return self._refute(result, None, found)
        outside = double_cosets(group, n)
        witnesses = [self.refuter.search(self, result, result.output_axis, n, [s]) for s in outside]
        few = tuple(generators(group))
        result.group = GroupFound(
            n, len(group), few, name_of(few, n), all(w is not None for w in witnesses)
        )
        result.proof = found
        result.answer, result.scope = "subgroup", f"n = {n}"
        result.evidence.append(Piece("kernel", detail=repr(found.theorem)))
        result.witness = next((w for w in witnesses if w is not None), None)
        if result.witness is not None:
            result.evidence.append(Piece("witness"))
        return None

    # ------------------------------------------------------------------------------ refuting
    def _refute(
        self, result: Result, value: Tensor | None, found: Conditional | None = None
    ) -> None:
        """A permutation and an input that show the model to see the order, at the smallest n."""
        axes: list[Any] = [result.output_axis]
        if found is None:
            axes = list(self.refuter.output_axes(self, result.output, value))
            result.output_axis = axes[0] if axes else None
        witnesses = [w for axis in axes if (w := self._first(result, axis)) is not None]
        if axes and len(witnesses) == len(axes):
            result.answer, result.reason = "not equivariant", ""
            result.scope = f"n = {max(len(w.sigma) for w in witnesses)}"
            result.witness, result.witnesses = witnesses[0], tuple(witnesses)
            result.evidence += [Piece("witness")] * len(witnesses)
        elif not result.reason:
            result.reason = "constants that not every permutation fixes, and no input that shows it"
        if not axes:
            result.reason += "; an axis of the output depends on this size otherwise"
        if self.refuter.trouble and result.answer != "not equivariant":
            result.reason += f"; {self.refuter.trouble}"

    def _first(self, result: Result, axis: Any) -> Any:
        """A witness at the smallest n, of one claim."""
        for n in [self.fixed] if self.fixed is not None else range(2, MOST):
            if n is None or n > MOST or time.monotonic() > self.deadline:
                break
            witness = self.refuter.search(self, result, axis, n, None)
            if witness is not None:
                return witness
        return None

    def _stuck(self, names: Any) -> tuple[StuckAt, ...]:
        found = []
        for name in dict.fromkeys(names):
            source = next(
                (x.source for op, x in self.realised.leaves.items() if op.data[0] == name), name
            )
            calls = [c for c in self.graph.calls if source in c.inputs]
            found.append(StuckAt(source or name, calls[0].name if calls else ""))
        return tuple(found)

    # ------------------------------------------------------------------------------ checking
    def _checked(self, result: Result, value: Tensor) -> str:
        """Why the translation of an output is not to be relied on; nothing where it is."""
        if self.runner is None:
            return "onnxruntime is not installed, so that the translation was not checked"
        found = comparisons(self, value, result.output)
        result.checks = tuple(found)
        bad = [c for c in found if not c.agrees]
        if bad:
            what = bad[0].problem or f"error {bad[0].error:.2g} > {bad[0].tolerance:.2g}"
            return f"the translation was not confirmed at {dict(bad[0].sizes)}: {what}"
        if len(found) < 2:
            return "the translation was not confirmed: onnxruntime runs the model at no two sizes"
        result.evidence.append(Piece("check", detail=f"{len(found)} comparisons with onnxruntime"))
        return ""


def comparisons(q: Question, value: Tensor, output: str) -> list[Comparison]:
    """The term of an output against the model, at several sizes, with the weights and others."""
    found: list[Comparison] = []
    if q.runner is None:
        return found
    q.realised.of(value)  # so that its leaves are known
    names = sorted({x.source for x in q.realised.leaves.values() if x.source} | {output})
    limits = {name: (0, top) for name, top in ranges(q.graph).items()}
    for seed, sizes in enumerate(sample_sizes(q.reader, {}, 3)):
        for weights in ({}, random_weights(q.graph.constants, seed + 7)):
            inputs = q.runner.random_inputs(sizes, seed, limits)
            try:
                values = q.runner.run(inputs, names, weights)
                if not np.isfinite(values[output].astype(np.float64)).any():
                    inputs = {k: np.abs(x) if x.dtype.kind == "f" else x for k, x in inputs.items()}
                    values = q.runner.run(inputs, names, weights)  # roots, logarithms
            except RunError:
                continue
            ran = Ran({**inputs, **values}.__getitem__)
            error, tolerance, spread, problem = compare(
                q.reader, q.realised, value, output, ran, sizes
            )
            found.append(Comparison(sizes, seed, bool(weights), error, tolerance, spread, problem))
    return found


def place_text(place: Place) -> str:
    """INPUT:K."""
    return f"{place[0]}:{place[1]}"


def place_of(graph: Graph, text: str, what: str) -> Place:
    """INPUT:K as an input of the model and one of its dimensions."""
    name, colon, number = text.rpartition(":")
    if not colon or name not in graph.inputs or not number.lstrip("-").isdigit():
        known = ", ".join(
            f"{t.name}:{k}" for t in graph.inputs.values() for k in range(len(t.dims))
        )
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
) -> Report:
    """The answers about a model file: for `axis` (INPUT:K; all dynamic axes by default), with the
    inputs `along` moving with it, about `output` (all by default). ModelError for bad input."""
    graph = load(path)
    asked = [place_of(graph, axis, "--axis")] if axis is not None else dynamic(graph)
    with_it = tuple(place_of(graph, text, "--with") for text in along)
    if output is not None and output not in graph.outputs:
        raise ModelError(
            f"--output: given {output[:60]!r}, expected one of {', '.join(graph.outputs)}"
        )
    if n is not None and not 2 <= n <= MOST:
        raise ModelError(f"--n: given {n}, expected 2 to {MOST}")
    deadline = time.monotonic() + timeout
    runner = _runner(graph)
    refuter = Refuter(Path(path), graph)
    results = []
    for place in asked:
        if place in with_it:
            continue
        size = graph.inputs[place[0]].dims[place[1]]
        if size == 1:
            raise ModelError(f"axis {place_text(place)}: given an axis of length 1, expected more")
        fixed = size if isinstance(size, int) else None
        question = Question(graph, place, with_it, n, deadline, runner, refuter, fixed)
        results += [question.answer(o) for o in ([output] if output else graph.outputs)]
    return Report(graph.sha256, str(path), tuple(results), graph=graph)


def _runner(graph: Graph) -> Runner | None:
    from .run import RunnerMissing

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
