"""Along which axis of an output its rows are, as the model's own runs have it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .draws import ranges
from .run import RunError, Runner

UNLIKE = (2, 3, 1, 4)  # sizes of other dynamic dimensions: two that are not alike come first
SIZES = (2, 3, 4, 5, 8)  # numbers of rows that are tried of an axis without a fixed size


@dataclass(frozen=True)
class Shapes:
    """The shapes of the outputs by number of rows, at some sizes of all else."""

    by_rows: Mapping[int, Sequence[Mapping[str, tuple[int, ...]]]]
    trouble: str = ""  # why the model does not run with another number

    def axes(self, output: str) -> list[int]:
        """The axes of an output that are as long as there are rows, in each run."""
        pairs = [(n, shapes[output]) for n, every in self.by_rows.items() for shapes in every]
        rank = min((len(shape) for _, shape in pairs), default=0)
        return [k for k in range(rank) if all(shape[k] == n for n, shape in pairs)]

    def constant(self, output: str) -> bool:
        """Whether the shape of an output was seen not to depend on the number of rows."""
        first = [every[0][output] for every in self.by_rows.values()]
        return len(first) > 1 and len({*first}) == 1


def shapes(runner: Runner, names: Sequence[str], sizes: Sequence[int]) -> Shapes:
    """The shapes with these numbers of rows along the dimensions of these names."""
    found: dict[int, list[Mapping[str, tuple[int, ...]]]] = {}
    limits, why = ranges(runner.graph), ""
    for n in sizes:
        every: list[Mapping[str, tuple[int, ...]]] = []
        for other in (*UNLIKE, n):
            at = dict.fromkeys(runner.graph.dynamic, other) | dict.fromkeys(names, n)
            try:
                outputs = runner.run(runner.random_inputs(at, 0, limits))
            except RunError as error:
                why = why or str(error)
                continue
            every.append({name: y.shape for name, y in outputs.items()})
            if len(every) == 2 or {*runner.graph.dynamic} <= {*names}:
                break
        if every:
            found[n] = every
    return Shapes(found, why)
