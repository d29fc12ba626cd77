"""The truth about a model of the bank: all n! permutations listed, in onnxruntime, for n <= 5.

`python -m tests.models.truth` measures every model, says where that differs from what bank.json
has, and with `--write` puts what was measured there. What the author of a model declared is never
written by it: a model that is not what its author thought is an error.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.models.doubles import Runner
from tests.models.draw import OTHER_SIZES, Inputs, draw, permuted
from tests.models.files import HERE, model_file, read_bank

Array = NDArray[Any]
Permutation = tuple[int, ...]
# Inputs drawn for each size, at first and where so few leave a set that is no group. Of masks and
# edges many are the same after a permutation, and at n = 2 half of them: there the second holds.
DRAWS = (3, 20, 100)
# Relative deviations: what counts as the same, and what as different. Nothing may lie between.
MARGINS = {True: (1e-10, 1e-5), False: (1e-5, 1e-3)}  # by: computed in float64


class BankError(Exception):
    """A model that cannot be measured, or is not what was declared: in one line."""


@dataclass(frozen=True)
class Reading:
    """How an output might move: not at all, or along axes, in `n` places from `start` on, or as
    the first or the second factor of merged axes."""

    axes: tuple[int, ...] = ()
    start: int = 0
    merged: str = ""  # "rows": places σ(i)·c + j; "columns": places j·n + σ(i)

    def moved(self, value: Array, sigma: Permutation) -> Array:
        """The value with its places permuted as the reading says."""
        n = len(sigma)
        for axis in self.axes:
            places = np.arange(value.shape[axis])
            if self.merged == "rows":
                places = places.reshape(n, -1)[list(sigma)].reshape(-1)
            elif self.merged == "columns":
                places = places.reshape(-1, n)[:, list(sigma)].reshape(-1)
            else:
                places[self.start : self.start + n] = self.start + np.array(sigma)
            value = np.take(value, places, axis=axis)
        return value

    def record(self) -> dict[str, Any]:
        """As it stands in bank.json."""
        axes = list(self.axes)
        found: dict[str, Any] = {
            "output_axis": axes if len(axes) > 1 else axes[0] if axes else None
        }
        if self.start:
            found["start"] = self.start
        if self.merged:
            found["merged"] = self.merged
        return found


def readings(shapes: Mapping[int, tuple[int, ...]]) -> list[Reading]:
    """All that fit the shapes of the output at every n: along which axes it may move."""
    found, whole = [Reading()], []
    for axis in range(len(next(iter(shapes.values())))):
        sizes = {n: shape[axis] for n, shape in shapes.items()}
        if all(size == n for n, size in sizes.items()):
            whole.append(axis)
        extra = {size - n for n, size in sizes.items()}
        if len(extra) == 1 and min(extra) >= 0:
            found += [Reading((axis,), start) for start in range(min(min(extra), 2) + 1)]
        factor = {size / n for n, size in sizes.items()}
        if len(factor) == 1 and min(factor) > 1 and min(factor) == int(min(factor)):
            found += [Reading((axis,), 0, merged) for merged in ("rows", "columns")]
    return found + [Reading(pair) for pair in combinations(whole, 2)]


class Measured:
    """A question put to a model: which permutations pass, at which size, under which reading."""

    def __init__(self, run: Runner, model: Mapping[str, Any], question: Mapping[str, Any]) -> None:
        self._run, self._specs, self._question = run, model["inputs"], question
        self._name = f"{model['file']}, {question['input']} axis {question['axis']}"
        dim = self._specs[question["input"]]["dims"][question["axis"]]
        self._sizes = dict(OTHER_SIZES, **question.get("other_sizes", {}))
        self._symbol = dim if isinstance(dim, str) else ""
        own = (question["input"], question["axis"])
        self._moved = [own, *((name, axis) for name, axis in question["with"])]

        kinds = {spec["kind"] for spec in self._specs.values()}
        self._discrete = bool(kinds - {"normal", "places"})

    def at(self, n: int, draws: int = DRAWS[0]) -> list[tuple[Inputs, Array]]:
        """Some inputs with the axis of size n, and the output for each."""
        sizes = dict(self._sizes, **({self._symbol: n} if self._symbol else {}))
        drawn = [draw(self._specs, sizes, seed) for seed in range(draws)]
        return [(inputs, self._output(inputs)) for inputs in drawn]

    def _output(self, inputs: Inputs) -> Array:
        value = self._run(inputs)[self._question["output"]]
        if value.dtype.kind == "f" and not np.isfinite(value).all():
            raise BankError(f"{self._name}: an output is not finite")
        return value

    def passes(
        self,
        reading: Reading,
        sigma: Permutation,
        at: list[tuple[Inputs, Array]],
        moved: list[Array],
    ) -> bool:
        """Whether the output for the permuted inputs is what the reading expects, for all."""
        same, different = MARGINS[self._run.double]
        worst = 0.0
        for (_, before), after in zip(at, moved, strict=True):
            expected = reading.moved(before, sigma)
            if before.dtype.kind != "f":
                worst = max(worst, float(not np.array_equal(after, expected)))
                continue
            scale = max(float(np.abs(before).max(initial=0)), 1e-3)
            worst = max(worst, float(np.abs(after - expected).max(initial=0)) / scale)
        if same < worst < different:
            raise BankError(f"{self._name}: {sigma} changes {reading.record()} by {worst:.1e}")
        return worst <= same

    def after(self, sigma: Permutation, at: list[tuple[Inputs, Array]]) -> list[Array]:
        """The outputs for the inputs permuted."""
        return [self._output(permuted(inputs, self._moved, sigma)) for inputs, _ in at]

    def groups(self, sizes: list[int]) -> dict[Reading, dict[int, list[Permutation]]]:
        """For each reading and each n, the permutations that pass; each set is checked: a group."""
        shapes = {n: self.at(n)[0][1].shape for n in sizes}
        found: dict[Reading, dict[int, list[Permutation]]] = {r: {} for r in readings(shapes)}
        for n in sizes:
            for draws in DRAWS[n < 4 or self._discrete :]:
                members = self._members(list(found), n, draws)
                if all(closed(group) for group in members.values()):
                    break
            else:
                raise BankError(f"{self._name}: at n = {n} what passes is no group: {members}")
            for reading, group in members.items():
                found[reading][n] = group
        return found

    def _members(self, read: list[Reading], n: int, draws: int) -> dict[Reading, list[Permutation]]:
        at = self.at(n, draws)
        found: dict[Reading, list[Permutation]] = {reading: [] for reading in read}
        for sigma in permutations(range(n)):
            moved = self.after(sigma, at)
            for reading in read:
                if self.passes(reading, sigma, at, moved):
                    found[reading].append(sigma)
        return found

    def holds(self, reading: Reading, n: int) -> bool:
        """Whether all swaps of neighbours pass at n: they generate all permutations."""
        at = self.at(n)
        return all(self.passes(reading, s, at, self.after(s, at)) for s in neighbours(n))


def neighbours(n: int) -> Iterator[Permutation]:
    """The swaps of i and i + 1."""
    for i in range(n - 1):
        yield (*range(i), i + 1, i, *range(i + 2, n))


def closed(members: list[Permutation]) -> bool:
    """Whether the product of any two members is a member: a finite such set is a group."""
    known = set(members)
    return all(tuple(a[i] for i in b) in known for a, b in product(known, known))


def generators(members: list[Permutation]) -> list[Permutation]:
    """A few members that generate all, found in lexicographic order."""
    chosen: list[Permutation] = []
    known = {tuple(range(len(members[0])))}
    for sigma in sorted(members):
        if sigma in known:
            continue
        chosen.append(sigma)
        frontier = set(known)
        while frontier:
            fresh = {tuple(a[i] for i in g) for a in frontier for g in chosen} - known
            known |= fresh
            frontier = fresh
        known = _generated(chosen)
    return chosen


def _generated(chosen: list[Permutation]) -> set[Permutation]:
    known = {tuple(range(len(chosen[0])))}
    frontier = known
    while frontier:
        frontier = {tuple(a[i] for i in g) for a in frontier for g in chosen} - known
        known = known | frontier
    return known


def measure(run: Runner, model: Mapping[str, Any], question: Mapping[str, Any]) -> dict[str, Any]:
    """What bank.json has as the truth about a question.

    All permutations pass under some reading: "equivariant" or "invariant" (both, if both: the
    second stands under "also"). Otherwise the reading with the largest group at the largest n:
    "subgroup" if that group is not trivial. Of equals the one that was declared comes first.
    """
    sizes = list(question["sizes"])
    measured = Measured(run, model, question)
    found = measured.groups(sizes)
    wanted = question["declared"]

    def rank(reading: Reading) -> tuple[int, bool, int]:
        orders = [len(found[reading][n]) for n in sizes]
        same = all(reading.record().get(k) == wanted.get(k) for k in ("output_axis", "start"))
        return -orders[-1], not same, -sum(orders)

    best = min(found, key=rank)
    full = [r for r in found if all(len(found[r][n]) == _factorial(n) for n in sizes)]
    answer = _answer(best, best in full, len(found[best][sizes[-1]]))
    truth = {
        "answer": answer,
        **best.record(),
        "groups": {
            str(n): {"generators": [list(s) for s in generators(g)], "order": len(g)}
            for n, g in found[best].items()
        },
        "also": [_answer(r, True, 0) for r in full if r != best],
    }
    if "breaks_at" in question:
        edge = question["breaks_at"]
        if not measured.holds(best, edge - 1) or measured.holds(best, edge):
            raise BankError(f"{model['file']}: it does not break between {edge - 1} and {edge}")
        truth["scope"] = f"n <= {edge - 1}"
    return truth


def _factorial(n: int) -> int:
    return int(np.prod(range(1, n + 1)))


def _answer(reading: Reading, full: bool, order: int) -> str:
    if full:
        return "equivariant" if reading.axes else "invariant"
    return "subgroup" if order > 1 else "not equivariant"


def disagreement(question: Mapping[str, Any], truth: Mapping[str, Any]) -> str:
    """In what the truth is not as declared; "" if it is."""
    declared = question["declared"]
    given = (declared["answer"], declared["output_axis"], declared.get("start", 0))
    # If nothing passes, no reading is better than another.
    axis = declared["output_axis"] if truth["answer"] == "not equivariant" else truth["output_axis"]
    seen = (truth["answer"], axis, truth.get("start", 0))
    if truth["answer"] == "not equivariant":
        seen = (*seen[:2], given[2])
    if given != seen:
        return f"declared {given}, measured {seen}"
    for n, order in declared.get("orders", {}).items():
        if n in truth["groups"] and truth["groups"][n]["order"] != order:
            return f"declared order {order} at n = {n}, measured {truth['groups'][n]['order']}"
    return ""


def settle(model: Mapping[str, Any], sizes: list[int] | None = None) -> list[dict[str, Any]]:
    """The truth about every question of a model, each as its author declared it.

    :raises BankError: if one is not, or cannot be measured.
    """
    run = Runner(model_file(model["file"]))
    found = []
    for question in model["questions"]:
        truth = measure(run, model, question)
        problem = disagreement(question, truth)
        if problem:
            name = f"{model['file']}: {question['input']} axis {question['axis']}"
            raise BankError(f"{name} to {question['output']}: {problem}; {truth['groups']}")
        found.append(dict(truth, arithmetic="float64" if run.double else "float32"))
    return found


def text_of(models: list[dict[str, Any]]) -> str:
    """bank.json: keys and models sorted, one model a paragraph, one question a line."""
    models = sorted(models, key=lambda model: str(model["file"]))
    parts = []
    for model in models:
        head = {k: v for k, v in model.items() if k != "questions"}
        lines = ",\n".join("   " + json.dumps(q, sort_keys=True) for q in model["questions"])
        start = json.dumps(head, sort_keys=True, ensure_ascii=False)[:-1]
        parts.append(f'  {start},\n   "questions": [\n{lines}]}}')
    return '{"models": [\n' + ",\n".join(parts) + "\n]}\n"


def main(arguments: list[str]) -> int:
    """Measure all models again; 1 if one is not as declared or as recorded."""
    models, status = read_bank(), 0
    for model in models:
        try:
            for question, truth in zip(model["questions"], settle(model), strict=True):
                if "--write" in arguments:
                    question["truth"] = truth
                elif question["truth"] != truth:
                    raise BankError(f"{model['file']}: recorded {question['truth']}, now {truth}")
        except BankError as problem:
            print(problem)
            status = 1
    if "--write" in arguments and status == 0:
        (HERE / "bank.json").write_text(text_of(models))
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
