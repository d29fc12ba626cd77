"""Rechecks a counterexample about an ONNX file in onnxruntime: its input, run again.

Nothing of the search is used but how two outputs are compared, and nothing that reads a model as a
term.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from orderproof.symbolic.witness.arithmetic import Outcome
from orderproof.symbolic.witness.fields import WitnessError
from orderproof.symbolic.witness.model_file import (
    KINDS,
    MEASURED,
    RENAMED,
    DependenceWitness,
    ModelWitness,
    Recorded,
    Values,
    recorded,
)

from .claims import Claim, Inputs, Permuted, Replaced, Shortened, names_of, places_of
from .draws import KINDS as DRAWS
from .finder import FEWER, LARGE, entries_of
from .graph import VALUES, Array, Graph, ModelError, Place, Tensor
from .load import load
from .output_rows import SIZES, shapes
from .precisions import Precisions
from .roundings import TIMES
from .run import RunError, Runner, RunnerMissing
from .search import Found, Search
from .tensors import digests

SPREAD = 4 * TIMES  # by which what rounding may explain can be another on another machine


@dataclass(frozen=True)
class Again:
    """What a counterexample says, as it is found again."""

    search: Search
    found: Found


def check(w: Recorded, path: Path) -> Outcome[Recorded]:
    """Recheck a counterexample in onnxruntime alone."""
    return again(w, path)[0]


def again(w: Recorded, path: Path) -> tuple[Outcome[Recorded], Again | None]:
    """The counterexample run again, and what was found. WitnessError where the file is not the one
    that it is about."""
    try:
        graph = load(path)
        data = digests(graph.proto, path.parent)
        runner, precisions = Runner(graph), Precisions(graph)
    except (ModelError, RunnerMissing) as error:
        raise WitnessError(str(error)) from None
    if graph.sha256 != w.sha256:
        raise WitnessError(f"{path}: given a file with SHA-256 {graph.sha256}, expected {w.sha256}")
    if data != w.data:
        raise WitnessError(f"{path}: given other external data than the counterexample names")
    try:
        inputs = arrays(w, graph)
        claim, moving, fixed = _claim(w, graph)
        n = inputs[moving[0][0]].shape[moving[0][1]]
        given = {name: inputs[name] for name in fixed}
        large = isinstance(w, DependenceWitness) and entries_of(graph) > LARGE
        draws = FEWER if large else len(DRAWS)  # as many as when it was found
        search = Search(runner, precisions, w.sizes, moving, n, given, draws)
        _check_rows(w, graph, runner)
        found = _found(w, claim, inputs, search)
        if w.evidence == MEASURED and not search.steady(found):
            raise RunError("the difference is seen on this input alone, and none that is near")
    except RunError as error:
        why = str(error)
        return Outcome("refuted", lambda _: why, w), None
    return Outcome("ok", w.says, w), Again(search, found)


def _claim(w: Recorded, graph: Graph) -> tuple[Claim, tuple[Place, ...], Sequence[str]]:
    """What a counterexample refutes, the axes that it is about, and inputs that no draw changes."""
    if isinstance(w, ModelWitness):
        places = [(name, VALUES if k == RENAMED else int(k)) for name, k in w.moving]
        moving = ((w.input, w.axis), *places)
        return Permuted(moving, w.output, w.output_axis, w.sigma), moving, ()
    if not isinstance(w, DependenceWitness):
        raise RunError(f"given a {type(w).__name__}")
    about, given = (w.output, w.output_axis, w.rows), [name for name, _ in w.given]
    if w.contents:
        pairs = zip(w.places, w.contents, strict=True)
        new = {p: as_array(v, graph.inputs[p[0]].dtype) for p, v in pairs}
        return Replaced(*about, w.rows_changed, new, w.last_only), w.places, given
    names = names_of(graph, (*w.places, *w.given))
    cut = Shortened(*about, w.rows_changed[0], places_of(graph, names), names)
    return cut, w.places, given


def _check_rows(w: Recorded, graph: Graph, runner: Runner) -> None:
    """RunError where the output's rows are not along the axis that a counterexample says."""
    if not isinstance(w, DependenceWitness):
        return
    names = names_of(graph, (*w.places, *w.given))
    if names and w.output in graph.outputs:
        seen = shapes(runner, names, SIZES[:3])
        if len(seen.by_rows) < 2:
            return
        if w.output_axis is None and not seen.constant(w.output):
            raise RunError(f"the shape of {w.output} depends on the number of rows")
        if w.output_axis is not None and w.output_axis not in seen.axes(w.output):
            raise RunError(f"the rows of {w.output} are not along its axis {w.output_axis}")


def _found(w: Recorded, claim: Claim, inputs: Inputs, search: Search) -> Found:
    """Both sides as they are now; RunError where they are not as the counterexample has them."""
    graph, had = search.runner.graph, w.difference
    if w.output not in graph.outputs:
        raise RunError(f"given the output {w.output}, expected one of {sorted(graph.outputs)}")
    sides = search.sides(claim, inputs)
    if sides is not None and sides[0].y64.shape != w.shape:
        shape = list(sides[0].y64.shape)
        raise RunError(f"the output has the shape {shape}, not {list(w.shape)}")
    found = search.differ(claim, inputs, entry=had.entry)
    if found is None:
        raise RunError("both sides are the same there, but for rounding")
    search.repeat(found)
    part, now = recorded(w.shape, had.entry)[0], found.difference
    rounding = 4 * max(now.rounding, had.rounding)  # of float32 on another machine, on both sides
    numbers: list[Any] = [
        (found.moved.y64.ravel()[part], w.moved, now.rounding),
        (found.expected.y64.ravel()[part], w.expected, now.rounding),
        ((now.d64, now.scale), (had.d64, had.scale), now.rounding),
        (now.d32, had.d32, rounding),
    ]
    close = (np.allclose(a, b, rtol=0, atol=atol, equal_nan=True) for a, b, atol in numbers)
    if not all(close):
        raise RunError("the outputs, or how far they are apart, are not what the file has")
    if not now.rounding / SPREAD <= had.rounding <= SPREAD * now.rounding:
        raise RunError(f"rounding may explain {now.rounding:.3g}, not {had.rounding:.3g}")
    tie = search.tie(w.output, inputs)
    if tie is not w.tie:
        raise RunError(f"the input is {'' if tie else 'not '}at a tie")
    return found


def arrays(w: Recorded, graph: Graph) -> dict[str, Array]:
    """The inputs of a counterexample in the model's types."""
    for what, given, expected in (("inputs", w.inputs, graph.inputs),
                                  ("sizes", w.sizes, graph.dynamic)):  # fmt: skip
        if {*given} != {*expected}:
            raise RunError(f"given {what} {sorted(given)}, expected {sorted(expected)}")
    return {name: _array(v, graph.inputs[name], w.sizes) for name, v in w.inputs.items()}


def _array(v: Values, tensor: Tensor, sizes: Mapping[str, int]) -> Array:
    shape = tuple(sizes.get(d, -1) if isinstance(d, str) else d for d in tensor.dims)
    if v.shape != shape or tensor.dtype.kind not in KINDS[v.type]:
        raise RunError(
            f"{tensor.name}: given {v.type} values of shape {list(v.shape)}, expected "
            f"{tensor.dtype} of shape {list(shape)}"
        )
    return as_array(v, tensor.dtype)


def as_array(v: Values, dtype: np.dtype[Any]) -> Array:
    """Values as an array; RunError where a number is none of this type."""
    found = np.array([float(e) if v.type == "real" else int(e) for e in v.entries])
    cast = found.astype(dtype).reshape(v.shape)
    if any(e != f for e, f in zip(v.entries, cast.ravel().tolist(), strict=True)):
        raise RunError(f"given a number that no {dtype} holds")
    return cast
