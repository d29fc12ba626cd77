"""Rechecks a counterexample about an ONNX file in onnxruntime: its input, run again.

Nothing of the search is used but how two outputs are compared, and nothing that reads a model as a
term.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from orderproof.symbolic.witness.arithmetic import Outcome
from orderproof.symbolic.witness.fields import WitnessError
from orderproof.symbolic.witness.model_file import ModelWitness, Values, axes_of, recorded

from .difference import magnified
from .draws import permuted
from .external_data import digests
from .graph import VALUES, Array, Graph, ModelError, Tensor
from .load import load
from .precisions import Precisions
from .run import RunError, Runner, RunnerMissing
from .search import Claim, Found, Search

TYPES = {"real": "f", "integer": "iu", "truth": "b"}


@dataclass(frozen=True)
class Again:
    """What a counterexample says, as it is found again."""

    runner: Runner
    claim: Claim
    found: Found


def check(w: ModelWitness, path: Path) -> Outcome[ModelWitness]:
    """Recheck a counterexample in onnxruntime alone."""
    return again(w, path)[0]


def again(w: ModelWitness, path: Path) -> tuple[Outcome[ModelWitness], Again | None]:
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
    places = [(name, VALUES if k == "values" else int(k)) for name, k in w.moving]
    claim = Claim(((w.input, w.axis), *places), w.output, w.output_axis)
    search = Search(runner, precisions, w.sizes, claim.moving, len(w.sigma))
    try:
        found = _found(w, claim, search)
        if w.evidence == "measured" and not search.steady(claim, found):
            raise RunError("the difference is seen on this input alone, and none that is near")
    except RunError as error:
        why = str(error)
        return Outcome("refuted", lambda _: why, w), None
    return Outcome("ok", w.says, w), Again(runner, claim, found)


def _found(w: ModelWitness, claim: Claim, search: Search) -> Found:
    """Both sides as they are now; RunError where they are not as the counterexample has them."""
    inputs = arrays(w, search.runner.graph)
    moved_inputs = permuted(inputs, claim.moving, w.sigma)
    if moved_inputs is None:
        raise RunError("the input is not changed by the permutation")
    y, z = (search.run(x, w.output) for x in (inputs, moved_inputs))
    if any(a >= y.y64.ndim or y.y64.shape[a] != len(w.sigma) for a in axes_of(w.output_axis)):
        raise RunError(f"the output has the shape {list(y.y64.shape)}: sigma moves no axis of it")
    expected, entry = y.taken(w.sigma, axes_of(w.output_axis)), w.difference.entry
    if z.y64.shape != w.shape or expected.y64.shape != w.shape:
        raise RunError(f"the output has the shape {list(z.y64.shape)}, not {list(w.shape)}")
    found = search.compare(w.output, z, expected, magnified([y, z]), entry)
    if found is None:
        raise RunError("both sides are the same there, but for rounding")
    part, _ = recorded(w.shape, entry)
    for name, side, kept in (("f(PX)", z, w.moved), ("the other side", expected, w.expected)):
        now = side.y64.ravel()[part]
        if not np.allclose(now, kept, rtol=0, atol=found.rounding, equal_nan=True):
            raise RunError(f"{name} is not what the counterexample has")
    return Found(inputs, w.sigma, z, expected, found, w.tie)


def arrays(w: ModelWitness, graph: Graph) -> dict[str, Array]:
    """The inputs of a counterexample in the model's types."""
    if set(w.inputs) != set(graph.inputs):
        raise RunError(f"given inputs {sorted(w.inputs)}, expected {sorted(graph.inputs)}")
    return {name: _array(v, graph.inputs[name], w.sizes) for name, v in w.inputs.items()}


def _array(v: Values, tensor: Tensor, sizes: Mapping[str, int]) -> Array:
    shape = tuple(sizes.get(d, -1) if isinstance(d, str) else d for d in tensor.dims)
    if v.shape != shape or tensor.dtype.kind not in TYPES[v.type]:
        raise RunError(
            f"{tensor.name}: given {v.type} values of shape {list(v.shape)}, expected "
            f"{tensor.dtype} of shape {list(shape)}"
        )
    found = np.array([float(e) if v.type == "real" else int(e) for e in v.entries])
    cast = found.astype(tensor.dtype).reshape(shape)
    if any(e != f for e, f in zip(v.entries, cast.ravel().tolist(), strict=True)):
        raise RunError(f"{tensor.name}: given a number that no {tensor.dtype} holds")
    return cast
