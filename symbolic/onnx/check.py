"""The translation against onnxruntime: the term's value and the model's, at several sizes.

Every run compares the outputs with their terms, with the weights of the file and with others; and
bit for bit, under two inputs, what the reading took for constant: the leaves of the term that the
graph computes, the whole numbers that it knows for all sizes, the values that it looked at. A
comparison that could not have failed (the output does not change with the input, or the tolerance
is too wide) agrees, but confirms nothing: see `doubt`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from .arrays import Evaluator, along, number
from .atoms import symbol
from .graph import Array
from .reader import Reader
from .run import RunError, Runner, same_bits
from .samples import ids, random_weights, sample_sizes, sizes_text, too_large
from .values import Constant, Realised, Tensor

COUNT = 4  # sizes at which a model is run; some may be refused by onnxruntime
# multiplications, from which on a model is evaluated in 32 bits alone; and at all sizes together,
# which more than two sizes do not exceed
WORK, ALL_WORK = 1 << 32, 1 << 35
ROWS = 5  # of an input, beside its long dimension
LONG_WORK = 1 << 30  # multiplications that a long input may take
MANY = 1 << 24  # weights of which no second copy with other values is made, but of vectors
WIDE = 1 << 10  # entries of an input for each of its rows, from which it is run with few of them
TRIES = 3  # seeds, where a comparison could not have failed


@dataclass(frozen=True)
class Comparison:
    """One comparison of a term with the model, at the entries where they fit worst: the error, what
    it may be there, and the spread of these entries. `problem` says why they do not agree,
    `vacuous` why the comparison could hardly have failed."""

    sizes: Mapping[str, int]
    seed: int
    random_weights: bool
    error: float = math.inf
    tolerance: float = 0.0
    spread: float = 0.0
    problem: str = ""
    output: str = ""
    vacuous: str = ""
    coarse: bool = False  # in 32 bits alone

    @property
    def agrees(self) -> bool:
        """Whether the two agree."""
        return not self.problem and self.error <= self.tolerance


def check(
    reader: Reader, realised: Realised, runner: Runner, tensors: Mapping[str, Tensor]
) -> list[Comparison]:
    """The terms of tensors against the model, at several sizes, with the weights and others. Sizes
    at which onnxruntime refuses the model are left out, and those beyond two that are more work
    than is done."""
    from threadpoolctl import threadpool_limits

    for tensor in tensors.values():
        realised.of(tensor)  # so that its leaves are known
    graph = reader.graph
    runs = _Runs(reader, realised, runner, tensors)
    given = [[d for d in t.dims if isinstance(d, int)] for t in graph.inputs.values()]
    wide = max(map(math.prod, given), default=1) >= WIDE
    longest = 0 if wide else LONG_WORK / (ROWS * max(runs.weights, 1))
    few = wide or runs.weights > MANY
    found: list[Comparison] = []
    ran = work = 0
    with threadpool_limits(1, "blas"):  # threads are more work than gain for products this small
        for sizes in sample_sizes(reader, {}, 3 * COUNT, longest):
            work += runs.work(sizes)
            if ran == (2 if few else COUNT) or (ran >= 2 and work > ALL_WORK):
                break
            one = list(runs.at(sizes, ran, other_alone=ran >= 2))
            found += one
            ran += bool(one)
            if any(not c.agrees for c in one):
                break
    return found


def extent(found: Sequence[Comparison]) -> str:
    """How much was compared, in words; and in how far that is less than usual."""
    sizes = len({(*c.sizes.items(),) for c in found})
    less = [f"at {sizes} sizes"] if 1 < sizes < COUNT else []
    less += ["in 32 bits alone"] if all(c.coarse for c in found) else []
    return ", ".join([f"{len(found)} comparisons with onnxruntime", *less])


def doubt(reader: Reader, found: Sequence[Comparison], outputs: Sequence[str]) -> str:
    """Why comparisons do not confirm a translation, in one line; nothing where they do: all agree,
    and of each output two could have failed, at two sizes where the model has more than one."""
    if not found and (why := too_large(reader)):
        return why
    for c in found:
        if not c.agrees:
            what = c.problem or f"error {c.error:.2g}, tolerance {c.tolerance:.2g}"
            at = sizes_text(c.sizes)
            return f"{c.output}{f' at {at}' if at else ''}: {what}"
    names = reader.graph.dynamic
    dynamic = any(reader.atoms.canonical(symbol(d)).free_symbols for d in names)
    for name in outputs:
        mine = [c for c in found if c.output == name]
        sound = [c for c in mine if not c.vacuous]
        places = {(*c.sizes.items(), *(() if dynamic else (c.seed, c.random_weights)))
                  for c in sound}  # fmt: skip
        if len(places) < 2:
            why = f" ({mine[-1].vacuous})" if mine and len(sound) < len(mine) else ""
            where = "at no two sizes" if dynamic else "in no two runs"
            return f"{name} was compared {where}{why}"
    return ""


@dataclass(frozen=True)
class _Runs:
    reader: Reader
    realised: Realised
    runner: Runner
    tensors: Mapping[str, Tensor]

    @cached_property
    def weights(self) -> int:
        """The number of all weights."""
        return sum(x.size for x in self.reader.graph.constants.values())

    def work(self, sizes: Mapping[str, int]) -> int:
        """About how many multiplications the model is at these sizes."""
        return self.weights * math.prod(sizes.values())

    def at(self, sizes: Mapping[str, int], seed: int, other_alone: bool) -> Iterator[Comparison]:
        """The comparisons at one set of sizes, with the weights of the file and with others, or
        with these alone; none where onnxruntime refuses it."""
        coarse, graph = self.work(sizes) > WORK, self.reader.graph
        used, many = self.reader.used, self.weights > MANY
        for other in (True,) if coarse or many or other_alone else (False, True):
            for attempt in range(TRIES):
                mine = seed + 1000 * attempt + 250 * other
                drawn = random_weights(graph.constants, mine + 7, used, many) if other else {}
                try:
                    one = list(self.run(sizes, mine, drawn, coarse))
                except RunError:
                    if not attempt:
                        return
                    break
                if any(not c.agrees for c in one) or not any(c.vacuous for c in one):
                    break
            yield from one

    def run(
        self, sizes: Mapping[str, int], seed: int, weights: Mapping[str, Array], coarse: bool
    ) -> Iterator[Comparison]:
        """One comparison of each output, at one input; constants under another as well."""
        reader, realised, runner = self.reader, self.realised, self.runner
        wanted = constants_of(reader, realised)
        names = sorted({*self.tensors, *wanted, *sources(realised)})
        limits = ids(reader, sizes)
        first, second = (inputs_at(runner, sizes, s, limits) for s in (seed, seed + 500))
        values = runner.run(first, names, weights)
        again = runner.run(second, sorted({*self.tensors, *wanted}), weights)
        wrong = _not_constant(reader, sizes, wanted, values, again, weights) or _varies(
            realised, values
        )
        fetch = {**first, **values}.__getitem__
        for name, tensor in self.tensors.items():
            at = Comparison(sizes, seed, bool(weights), output=name, coarse=coarse)
            one = compared(reader, realised, tensor, fetch, at)
            vacuous = one.vacuous
            if one.spread == 0 and same_bits(values[name], again[name]):
                vacuous = vacuous or "the output does not change with the input"
            yield replace(one, problem=wrong or one.problem, vacuous=vacuous)


def inputs_at(runner: Runner, sizes: Mapping[str, int], seed: int, limits: Any) -> dict[str, Array]:
    """Random inputs; in a second attempt no float is negative (of degrees, roots may be taken), in
    a third whole numbers are not 0 or 1 alone."""
    if seed // 1000 == 2:
        whole = [n for n, t in runner.graph.inputs.items() if t.dtype.kind in "iu"]
        limits = {**dict.fromkeys(whole, (0, 9)), **limits}
    found = runner.random_inputs(sizes, seed, limits)
    if seed // 1000 == 1:
        return {k: np.abs(x) if x.dtype.kind == "f" else x for k, x in found.items()}
    return found


def sources(realised: Realised) -> list[str]:
    """The tensors of the graph that a term has as leaves."""
    return sorted({leaf.source for leaf in realised.leaves.values() if leaf.source})


def constants_of(reader: Reader, realised: Realised) -> list[str]:
    """The tensors that the graph computes and the reading takes for constant: leaves of the term,
    whole numbers that it knows for all sizes, values that it looked at."""
    computed = {n for call in reader.graph.calls for n in call.outputs if n}
    known = {
        name
        for name, v in reader.values.items()
        if isinstance(v, Constant) and v.ints is not None and v.ints.size <= 64
    }
    leaves = {x.source for x in realised.leaves.values() if x.source and x.role != "input"}
    return sorted(computed & {*known, *leaves, *reader.used})


def _not_constant(
    reader: Reader, sizes: Mapping[str, int], names: Sequence[str],
    values: Mapping[str, Array], again: Mapping[str, Array], weights: Mapping[str, Array],
) -> str:  # fmt: skip
    """What was taken for constant and is not, or is another constant."""
    for name in names:
        if not same_bits(values[name], again[name]):
            return f"{name} depends on the values of the inputs"
        used, value = reader.used.get(name), reader.values.get(name)
        if used is not None and not weights and not same_bits(used, values[name]):
            return f"{name} depends on the sizes of the inputs"
        if not isinstance(value, Constant):
            continue
        shape = tuple(number(reader.atoms, s, sizes) for s in value.sizes)
        if values[name].shape != shape:
            return f"{name} has the shape {values[name].shape}, read as {shape}"
        if value.ints is not None:
            expected: Any = [number(reader.atoms, x, sizes, signed=True) for x in value.ints.flat]
            if values[name].ravel().astype(object).tolist() != expected:
                return f"{name} is {values[name].ravel()[:8]}, read as {expected[:8]}"
    return ""


def _varies(realised: Realised, values: Mapping[str, Array]) -> str:
    """Which constant differs along an axis that its leaf has not: in a kernel's last digits it may,
    which treats the entries of a row by several at once and the last ones singly."""
    for leaf in realised.leaves.values():
        if leaf.role == "constant":
            value = np.asarray(values[leaf.source])
            part = value[along(leaf)]
            digits = FACTOR * np.finfo(value.dtype).eps if value.dtype.kind == "f" else 0
            if part.shape != value.shape and not np.allclose(
                value, part, rtol=digits, atol=0, equal_nan=value.dtype.kind == "f"
            ):
                return f"{leaf.source} differs along an axis along which it is read as the same"
    return ""


# ------------------------------------------------------------------- how far the two may be apart
# A model computes in 32 bits what the term is in 64. How far apart the two may be is told by how
# far the term's own value in 32 bits is from that in 64, at the same input: the model adds in
# another order and has other kernels, so FACTOR times that, and as many units of the largest entry.
# Of a large model there are no 64 bits: there the term's value in 32 bits is compared, and the
# estimate is how far it moves when each entry of the inputs moves by some units in its last place.
FACTOR = 64  # sums in another order, and kernels with more steps: times the error of the term's
UNITS = 4  # in the last place, by which inputs of a large model are moved
SHARE = 5e-4  # the largest part of the spread of entries that a tolerance may be
COARSE = 0.05  # the same for numbers of 16 bits
BEYOND = 1e36  # numbers that 32 bits hardly hold
HUGE, GAP = 1e5, 1e4  # entries this large, and so much larger than all others, are compared apart


def compared(
    reader: Reader,
    realised: Realised,
    tensor: Tensor,
    ran: Callable[[str], Array],
    at: Comparison,
) -> Comparison:
    """The comparison of one tensor of the graph, of which `at` says at what. `ran` gives the value
    of a tensor of the model by its name."""
    wanted = np.asarray(ran(at.output))
    try:
        exact, rough = values(reader, realised, tensor, ran, at)
    except (ValueError, LookupError, MemoryError):  # of sizes, of places outside a table
        return replace(at, problem="the formula that was read has no value there")
    if exact.shape != wanted.shape:
        return replace(at, problem=f"shape {exact.shape} of the term, {wanted.shape} of the model")
    same = wanted.astype(np.float64)
    usual = np.isfinite(same)
    if not usual.all():
        # what is beyond 32 bits in the model is so in the term's value in 32 bits, and says nothing
        beyond = np.isfinite(exact) & ~(np.abs(rough) < BEYOND)
        apart = ~usual & ~beyond
        if not np.array_equal(exact[apart], same[apart], equal_nan=True):
            return replace(at, problem="values that are not finite differ")
        exact, rough, same = (x[usual] for x in (exact, rough, same))
    if not exact.size:
        return replace(at, error=0.0, vacuous="no value is finite")
    if not np.all(np.isfinite(exact)):
        return replace(at, problem="values of the term that are not finite")
    rough = np.where(np.isfinite(rough), rough, exact)
    if wanted.dtype.kind in "iub":
        worst, spread = float(np.max(np.abs(same - exact))), float(np.ptp(exact))
        return replace(at, error=worst, spread=spread)
    unit = float(np.finfo(wanted.dtype if wanted.dtype.kind == "f" else np.float32).eps)
    parts = (_of_floats(exact[s], rough[s], same[s], unit, at) for s in magnitudes(exact))
    return max(parts, key=lambda c: (not c.agrees, c.vacuous != "", c.error))


def _of_floats(exact: Array, rough: Array, same: Array, unit: float, at: Comparison) -> Comparison:
    """Entries of like magnitude, of floats of which this is the unit of rounding."""
    top, spread = float(np.max(np.abs(exact))), float(np.ptp(exact))
    ratio = max(unit / float(np.finfo(np.float32).eps), 1e-9)
    tolerance = FACTOR * (float(np.max(np.abs(rough - exact))) * ratio + unit * top)
    vacuous = "all entries are 0" if top == 0 else ""
    if not tolerance <= (SHARE if unit < 1e-5 else COARSE) * (spread or top):
        vacuous = vacuous or "the tolerance is wide beside the entries"
    error = float(np.max(np.abs(same - exact)))
    return replace(at, error=error, tolerance=tolerance, spread=spread, vacuous=vacuous)


def values(
    reader: Reader, realised: Realised, tensor: Tensor, ran: Callable[[str], Array], at: Comparison
) -> list[Array]:
    """The term's value, and another by which its rounding is judged; both as 64 bits."""
    term, plain = realised.of(tensor), Evaluator(reader, realised, at.sizes, ran)
    pairs = [(plain, np.float64), (plain, np.float32)]
    if at.coarse:
        # of a model of token ids the weights that are vectors: few numbers, at every depth
        graph = reader.graph
        floats = {n for n, t in graph.inputs.items() if t.dtype.kind == "f"}
        vectors = {n for n, x in graph.constants.items() if x.ndim == 1 and x.dtype.kind == "f"}
        names = floats or vectors
        other = Evaluator(
            reader, realised, at.sizes, lambda n: _changed(ran(n)) if n in names else ran(n)
        )
        pairs = [(plain, np.float32), (other, np.float32)]
    return [np.asarray(e.value(tensor, term, t), np.float64) for e, t in pairs]


def _changed(value: Array) -> Array:
    """Floats with each entry some units in the last place away."""
    signs = np.random.default_rng(5).integers(0, 2, value.shape) * 2 - 1
    return np.asarray(value * (1 + signs * UNITS * np.finfo(value.dtype).eps)).astype(value.dtype)


def magnitudes(values: Array) -> list[Any]:
    """Entries as where they are: those that are huge (of a mask) apart from the others."""
    size = np.abs(values)
    if not np.max(size) > HUGE:
        return [...]
    ordered = np.unique(size[size > 0])
    steps = np.flatnonzero((ordered[1:] > HUGE) & (ordered[1:] > GAP * ordered[:-1]))
    if not steps.size:
        return [...]
    split = ordered[steps[-1] + 1]
    return [size >= split, size < split]
