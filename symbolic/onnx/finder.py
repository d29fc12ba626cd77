"""The searches about one model file, and which of their finds are certain.

What is found is what onnxruntime computes (search.py); it is enclosed where the model has a term
that is small enough (enclose.py). The two must agree, or nothing is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from orderproof.symbolic.witness.model_file import ENCLOSED, KINDS, MAX_VALUES, Values, recorded

from .graph import Array, Graph, ModelError
from .precisions import Precisions
from .run import RunError, Runner
from .search import Found, Search
from .tensors import digests
from .words import NO_RUNNER, TOO_LARGE, UNCERTAIN

OTHERS = (2, 1, 3, 4)  # sizes that are tried for dynamic dimensions that no question is about
LARGE = 2_000_000  # entries of all constants, and LONG places, from which on less is tried
LONG = 64
FEWER = 2  # draws of such a model, of who sees whom
LARGEST = 200_000_000  # entries of all constants: beyond, two precisions need too much memory
TRIES = 5  # counterexamples that are not enclosed, after which no other is tried


@dataclass
class Finder:
    """Searches about one model file."""

    path: Path
    graph: Graph
    runner: Runner | None

    @cached_property
    def data(self) -> tuple[tuple[str, str], ...]:
        """The digests of the model's external data; RunError where they lie elsewhere."""
        try:
            return digests(self.graph.proto, self.path.parent)
        except ModelError as error:
            raise RunError(str(error)) from None

    @cached_property
    def precisions(self) -> Precisions:
        """The model in two precisions. RunnerMissing where nothing runs it."""
        return Precisions(self.graph)

    @cached_property
    def entries(self) -> int:
        """The number of entries of all constants."""
        return entries_of(self.graph)

    def usable(self) -> Runner:
        """What runs the model; RunError where nothing does, or it is too large."""
        if self.runner is None or self.entries > LARGEST:
            raise RunError(TOO_LARGE if self.runner else NO_RUNNER)
        return self.runner

    def recorded(self, search: Search, found: Found) -> dict[str, Any]:
        """What the file of any counterexample holds of it, by field; RunError where none can."""
        part, _ = recorded(found.moved.y64.shape, found.difference.entry)
        moved, expected = (
            tuple(y.y64.ravel()[part].tolist()) for y in (found.moved, found.expected)
        )
        return {
            "model": self.path.name, "sha256": self.graph.sha256, "data": self.data,
            "sizes": dict(search.sizes),
            "inputs": {x: values_of(array) for x, array in found.inputs.items()},
            "output": found.claim.output, "shape": found.moved.y64.shape,
            "moved": moved, "expected": expected, "difference": found.difference,
            "evidence": found.evidence, "tie": found.tie,
        }  # fmt: skip


def certain(encloser: Callable[[], Any], search: Search, every: Iterable[Found]) -> Found | str:
    """The first that is enclosed, or that counts without; or why there is none, "" where nothing
    was found. `encloser` makes what encloses them, where there is one to enclose."""
    why = ""
    for found in islice(every, TRIES):
        verdict = encloser().verdict(search.runner, search.sizes, found)
        if verdict.enclosed:
            return replace(found, evidence=ENCLOSED)
        if verdict.no_term and search.steady(found):
            return found
        why = f"it goes away nearby, and {verdict.why}" if verdict.no_term else verdict.why
    return why and f"{UNCERTAIN}{why}"


def entries_of(graph: Graph) -> int:
    """The number of entries of all constants."""
    return sum(c.size for c in graph.constants.values())


def values_of(x: Array) -> Values:
    """An array as a file holds it; RunError of what it does not hold."""
    kind = next((name for name, kinds in KINDS.items() if x.dtype.kind in kinds), None)
    if kind is None or x.size > MAX_VALUES:
        raise RunError(f"an input of {x.size} entries of type {x.dtype} is not written to a file")
    number = float if kind == "real" else int
    return Values(x.shape, kind, tuple(Fraction(number(v)) for v in x.ravel()))
