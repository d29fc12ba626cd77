"""Whether rows of a model's output depend on rows of its inputs that they should not depend on.

The file is run in onnxruntime, on inputs that are drawn and on the same with other contents in some
rows, or with the last rows left out. What is changed beyond rounding is a counterexample, found and
enclosed as those about permutations are. Where nothing is changed, nothing is proved.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from orderproof.symbolic.time_limit import Late, check, limited
from orderproof.symbolic.witness.model_file import DependenceWitness, Difference
from orderproof.symbolic.witness.questions import QUESTIONS

from .claims import Claim, Replaced, Shortened, names_of, places_of
from .decide import outputs_of, place_of, runner_of
from .dependence import DEPENDS, UNKNOWN, UNSEEN, DependenceResult, Grid, Part
from .difference import Both
from .draws import KINDS, ranges
from .enclose import Encloser, readings_of
from .finder import FEWER, LARGE, OTHERS, Finder, certain, values_of
from .graph import VALUES, Array, Graph, ModelError, Place, place_text
from .load import load
from .output_rows import SIZES, Shapes, shapes
from .reading import Reading
from .relations import Layout, layouts, real, some
from .report import Report
from .run import RunError, another
from .search import Found, Search

GIVEN = {"padding": "--mask", "documents": "--ids"}  # what says who should not see whom
OF_LARGE = (2, 3, 8)  # of a model with many weights
MOST = 64
WIDEST = 12  # rows of a grid
APART = 3  # between a draw and that which has other contents: none of the fewer is among these
WHOLE = "none"  # in place of the axis of an output that has no rows
BLIND = 0.1  # of three quarters of the numbers, beyond which rounding explains too much
FAR = -8.0  # times which other contents are, beside those of another draw
FAINT = "an output changed by what rounding may explain, or to no finite number"


@dataclass
class _Tried:
    """What was seen so far of one kind of change."""

    compared: int = 0  # changes of which something finite was compared
    faint: bool = False  # whether something changed, or may have, and is no difference
    refused: str = ""  # the first change that the model does not take


@dataclass
class Question:
    """One axis of one input, what is changed with it, and what says which rows may be seen."""

    finder: Finder
    ask: str
    places: tuple[Place, ...]  # whose rows are changed; the first is the one in question
    mask: Place | None
    ids: Place | None
    masked: float
    n: int | None

    def __post_init__(self) -> None:
        graph = self.finder.graph
        self.given = tuple(p for p in (self.ids, self.mask) if p is not None)
        if self.ask == "padding":
            self.given = self.given[::-1]  # what says who may see whom comes first
        every = (*self.places, *self.given)
        self.names = names_of(graph, every)
        fixed = {d for d in map(graph.dim, every) if isinstance(d, int)}
        if len(fixed) > 1:
            sizes = ", ".join(f"{place_text(p)} of size {graph.dim(p)}" for p in every)
            raise ModelError(f"given axes {sizes}, expected axes of one size")
        self.fixed = next(iter(fixed), None)
        if self.fixed == 1:
            raise ModelError(
                f"axis {place_text(self.places[0])}: given an axis of length 1, expected more"
            )
        if self.fixed and self.n not in (None, self.fixed):
            raise ModelError(f"--n: given {self.n}, expected {self.fixed}, which the file fixes")
        self.encloser = Encloser(lambda: self.readings)
        self.searches: dict[tuple[float, ...], Search] = {}
        self.last_id = ranges(graph).get(self.ids[0], (0, None))[1] if self.ids else None

    @cached_property
    def readings(self) -> list[Reading]:
        """The model as terms; read where there is something to enclose."""
        return [*readings_of(self.finder.usable(), self.places[0], self.places[1:])]

    def layouts(self, n: int) -> list[Layout]:
        """The layouts of n rows that are tried: of requests that are told by axis 0 one more, in
        which the last alone has the mask, or the ids."""
        found = layouts(self.ask, n, self.masked, self.last_id)
        graph, decides = self.finder.graph, self.given[:1] if self.ask in GIVEN else ()
        requests = {graph.inputs[x].dims[0] if k else None for x, k in (*self.places, *decides)}
        if decides and found and len(requests) == 1 and not requests & {None, 1}:
            found.append(replace(found[0], last_only=True, kept=()))
        return found

    @property
    def large(self) -> bool:
        """Whether runs take so long that fewer are made."""
        return self.finder.entries > LARGE

    # -------------------------------------------------------------------------- one output
    @cached_property
    def shapes(self) -> Shapes:
        """The shapes of the outputs; ModelError where the model runs with no number of rows that is
        tried."""
        usual = (self.fixed,) if self.fixed else OF_LARGE if self.large else SIZES
        sizes = [*dict.fromkeys((*usual, *([self.n] if self.n else [])))]
        found = shapes(self.finder.usable(), self.names, sizes)
        if not found.by_rows or (self.n and self.n not in found.by_rows):
            of = f"{self.n or ', '.join(map(str, sizes))} rows along {place_text(self.places[0])}"
            raise ModelError(f"given a model that does not run with {of}: {found.trouble}")
        return found

    @property
    def sizes(self) -> Sequence[int]:
        """The numbers of rows that are tried."""
        return [self.n] if self.n else [*self.shapes.by_rows]

    def axis_of(self, output: str, given: int | str | None) -> int | str | None:
        """The axis of an output that has the rows, by default the same one if it can be, else the
        first; WHOLE for all of an output that has none; None where it cannot be asked of it.
        ModelError where it is not an axis that can be, or where the sizes leave it open."""
        axes: list[int | str] = [*self.shapes.axes(output)]
        certain, constant = len(self.shapes.by_rows) > 1, self.shapes.constant(output)
        whole = self.ask == "padding" and (constant or not certain)
        possible = [*axes, WHOLE] if whole else axes
        expected = " or ".join(map(str, possible)) or "another output"
        if given is not None:
            found = int(given) if str(given).isdecimal() else given
            if found not in possible:
                raise ModelError(f"--output-axis: given {given} of {output}, expected {expected}")
            return found
        if not certain and (len(axes) > 1 or (whole and not axes)):
            words = f"expected {expected} for the rows of {output}"
            raise ModelError(f"--output-axis: not given, {words}, as one size does not tell")
        own = self.places[0][1]
        return own if own in axes else next(iter(possible), None)

    def answer(self, output: str, axis: int | None) -> DependenceResult:
        """The answer for one output, whose rows are along an axis; None: about all of it."""
        begin = time.monotonic()
        options = {"mask": self.mask, "ids": self.ids}
        contents, number = self._part(output, axis, self._other_contents), None
        if self.fixed is None:
            twice = self._another_axis()
            why = f"{twice} has as many rows: expected --with {twice}"
            number = (
                Part(UNKNOWN, reason=why) if twice else self._part(output, axis, self._first_rows)
            )
        result = DependenceResult(
            self.ask, *self.places[0], self.places[1:],
            {name: place_text(p) for name, p in options.items() if p}, output, axis, contents,
            number,
        )  # fmt: skip
        grid, seconds = self._grid(result), time.monotonic() - begin
        return replace(result, grid=grid, seconds=seconds)

    def _part(
        self, output: str, axis: int | None,
        changes: Callable[[_Tried, Search, Layout, str, int | None], Iterator[Found]],
    ) -> Part:  # fmt: skip
        """The answer about one kind of change: the first that is certain, fewest rows first."""
        sizes = list[int]()
        why, tried = "", _Tried()
        try:
            for layout in (x for n in self.sizes for x in self.layouts(n)):
                sizes += [layout.n] if layout.n not in sizes else []
                try:
                    search = self._search(layout)
                    every = search.ties_last(changes(tried, search, layout, output, axis))
                    found = certain(lambda: self.encloser, search, every)
                    if not isinstance(found, str):
                        witness = self._witness(search, found)
                        return Part(DEPENDS, tuple(sizes), witness, layout=layout)
                    why = why or found
                except RunError as error:
                    why = why or str(error)
        except Late:
            return Part(UNKNOWN, tuple(sizes), reason="not all was tried before --timeout")
        if not tried.compared:
            why = why or tried.refused or "no change of a row could be compared"
        why = why or (FAINT if tried.faint else "")
        return Part(UNKNOWN if why else UNSEEN, tuple(sizes), reason=why or tried.refused)

    # ------------------------------------------------------------------------ what is changed
    def _other_contents(
        self, tried: _Tried, search: Search, layout: Layout, output: str, axis: int | None
    ) -> Iterator[Found]:
        """Rows with other contents."""
        for k, y in search.every(output).items():
            x = search.inputs[k]
            plain = search.runner.run(x, [output])[output]
            for other in self._others(search, k):
                for hidden, rows in layout.groups():
                    check()
                    seeing = () if axis is None else rows
                    claim = self._replaced(output, axis, seeing, hidden, other, layout)
                    changed = claim.changed(x)
                    tried.compared += changed is not None and _finite(claim, y)
                    if changed is None or not _changes(search, claim, changed, plain):
                        continue
                    tried.faint = True
                    found = self._one_row(search, claim, other, x, y)
                    found = found or search.differ(claim, x, y)
                    if found is not None:
                        yield found

    def _one_row(
        self, search: Search, claim: Replaced, other: Mapping[str, Array], x: Mapping[str, Array],
        y: Both,
    ) -> Found | None:  # fmt: skip
        """The same of one row of those alone, if one is enough: those nearest to what is compared
        are tried first."""
        at = claim.rows[-1] if claim.rows else 0
        nearest = sorted(claim.replaced, key=lambda j: abs(j - at))[: len(some(search.n))]
        for j in nearest if len(claim.replaced) > 1 else ():
            contents = self._contents(other, (j,), claim.last_only)
            found = search.differ(replace(claim, replaced=(j,), contents=contents), x, y)
            if found is not None:
                return found
        return None

    def _first_rows(
        self, tried: _Tried, search: Search, layout: Layout, output: str, axis: int | None
    ) -> Iterator[Found]:
        """The first rows alone. What rounding explains counts as the same: at other sizes kernels
        add up in another order."""
        places = places_of(self.finder.graph, self.names)
        for k, y in search.every(output).items():
            for kept in layout.kept[:: 3 if self.large else 1]:
                check()
                rows = () if axis is None else tuple(range(kept))
                claim = Shortened(output, axis, rows, kept, places, self.names)
                try:
                    sides = search.sides(claim, search.inputs[k], y)
                except RunError as error:  # the model may take no such number of rows
                    why = f"{kept} of {search.n} rows were refused: {error}"
                    tried.refused = tried.refused or why
                    continue
                if sides is None:
                    continue
                d = search.apart(claim, sides)
                tried.compared += 1
                tried.faint = tried.faint or _unclear(claim, *sides, d)
                if d is not None and d.seen:
                    yield Found(claim, search.inputs[k], *sides, d)

    def _others(self, search: Search, k: int) -> Iterator[dict[str, Array]]:
        """Other contents of every row: those of another draw, and far from them; of whole numbers
        and truth values, others."""
        x, second = search.inputs[k], search.input((k + APART) % len(KINDS))
        graph = self.finder.graph
        for far in (1.0,) if self.large else (1.0, FAR):
            random = np.random.default_rng(k if far == 1 else k + len(KINDS))
            top = ranges(graph) if far == 1 else ranges(graph, sys.maxsize)  # all of a table
            yield {
                name: np.asarray(second[name] * far).astype(x[name].dtype)
                if x[name].dtype.kind == "f"
                else another(x[name], top.get(name, (0, 1)), random)
                for name, _ in self.places
            }

    def _replaced(
        self, output: str, axis: int | None, rows: tuple[int, ...], hidden: tuple[int, ...],
        other: Mapping[str, Array], layout: Layout,
    ) -> Replaced:  # fmt: skip
        """The claim that the hidden rows of others in place of these change none of the rows."""
        contents = self._contents(other, hidden, layout.last_only)
        return Replaced(output, axis, rows, hidden, contents, layout.last_only)

    def _contents(
        self, other: Mapping[str, Array], rows: tuple[int, ...], last_only: bool
    ) -> dict[Place, Array]:
        """Those of the rows, of all requests or of the last."""
        last = slice(-1 if last_only else None, None)
        return {(x, k): np.take(other[x][last], rows, k) for x, k in self.places}

    def _another_axis(self) -> str:
        """An axis of an input in question that has as many rows by its name, and is not named."""
        named = (*self.places, *self.given)
        every = places_of(self.finder.graph, self.names)
        asked = dict(self.places)
        return next((place_text(p) for p in every if p[0] in asked and p not in named), "")

    def _search(self, layout: Layout) -> Search:
        """The search with this layout, at small sizes of other dimensions with which the model
        runs; RunError where it runs with none."""
        graph, n, why = self.finder.graph, layout.n, RunError("")
        key = n, layout.last_only, *layout.values
        if key in self.searches:
            return self.searches[key]
        for other in sorted((*OTHERS, n), key=lambda k: self.large and k > 1):
            sizes = dict.fromkeys(sorted(graph.dynamic), other) | dict.fromkeys(self.names, n)
            try:
                given = self._given(layout, sizes)
                draws = FEWER if self.large else len(KINDS)
                about = self.finder.usable(), self.finder.precisions, sizes, self.places, n
                search = Search(*about, given, draws)
                search.runner.run(search.input(0))
            except RunError as error:
                why = error
            else:
                return self.searches.setdefault(key, search)
        raise why

    def _given(self, layout: Layout, sizes: Mapping[str, int]) -> dict[str, Array]:
        """The mask, and the ids, as a layout has them."""
        graph, found = self.finder.graph, {}
        asked = self.given[0] if self.ask in GIVEN else None
        for name, k in self.given:
            tensor = graph.inputs[name]
            shape = [sizes[d] if isinstance(d, str) else d for d in tensor.dims]
            usual = [real(self.masked) if (name, k) == self.mask else 1.0] * layout.n
            form = [-1 if a == k else 1 for a in range(len(shape))]
            wanted = np.broadcast_to(np.reshape(usual, form), shape).copy()
            if (name, k) == asked:
                wanted[-1 if layout.last_only else None :] = np.reshape(layout.values, form)
            with np.errstate(all="ignore"):  # of what the type does not hold
                found[name] = wanted.astype(tensor.dtype)
            if not np.array_equal(found[name], wanted):
                given = f"{self.masked:g} for the mask {name} of {tensor.dtype}"
                raise ModelError(f"--masked: given {given}, expected a number that it holds")
        return found

    # -------------------------------------------------------------------------- what is said
    def _witness(self, search: Search, found: Found) -> DependenceWitness:
        """A counterexample that was found, as its file has it; RunError where none can hold it."""
        claim = found.claim
        if isinstance(claim, Replaced):
            changed = claim.replaced
            contents = tuple(values_of(claim.contents[p]) for p in self.places)
        elif isinstance(claim, Shortened):
            changed, contents = tuple(range(claim.kept, search.n)), ()
        else:
            raise TypeError(f"{type(claim).__name__} is about permutations")
        return DependenceWitness(
            **self.finder.recorded(search, found), ask=self.ask, places=self.places,
            rows_changed=changed, contents=contents,
            last_only=isinstance(claim, Replaced) and claim.last_only, given=self.given,
            masked=float(self.masked) if self.ask == "padding" else None,
            output_axis=claim.output_axis, rows=claim.rows,
        )  # fmt: skip

    def _grid(self, result: DependenceResult) -> Grid | None:
        """Which row changed with which, at as many rows as the counterexample has, or the most that
        were tried; None where these are too many to be listed."""
        layout = next((p.layout for p in result.parts.values() if p.layout), None)
        try:
            if layout is None:
                n = max((n for n in self.sizes if n <= WIDEST), default=0)
                layout = self.layouts(n)[0] if n else None
            if layout is None or layout.n > WIDEST:
                return None
            return self._grid_of(result, layout)
        except (RunError, Late):
            return None

    def _grid_of(self, result: DependenceResult, layout: Layout) -> Grid:
        search, output, axis, n = self._search(layout), result.output, result.output_axis, layout.n
        size = 1 if axis is None else n
        grid = Grid(layout, np.zeros((size, n)), np.zeros((size, n), bool), whole=axis is None)
        for k, y in [*search.every(output).items()][: 1 if self.large else FEWER]:
            x = search.inputs[k]
            plain = search.runner.run(x, [output])[output]
            for other, j in ((other, j) for other in self._others(search, k) for j in range(n)):
                rows = () if axis is None else tuple(range(n))
                claim = self._replaced(output, axis, rows, (j,), other, layout)
                check()
                changed = claim.changed(x)
                if changed is None or not _changes(search, claim, changed, plain):
                    continue
                sides = search.sides(claim, x, y)
                if sides is None:
                    continue
                for i in range(size):
                    d = search.apart(replace(claim, rows=(i,) if rows else ()), sides)
                    change = math.nan if d is None else min(d.d32, d.d64)
                    grid.changed[i, j] = np.fmax(grid.changed[i, j] or change, change)
                    grid.sees[i, j] |= d is not None and d.seen
        w = result.contents.witness
        if w is not None and len(w.rows_changed) == 1:  # of another draw, perhaps
            grid.sees[0 if w.row is None else w.row, w.rows_changed[0]] = True
        return grid


def _changes(search: Search, claim: Replaced, changed: Mapping[str, Array], plain: Array) -> bool:
    """Whether a changed input changes a number that is compared, as the file computes it: `plain`
    is the output without the change."""
    z = search.runner.run(changed, [claim.output])[claim.output]
    if z.shape != plain.shape:
        raise RunError("the output has another shape when the input is changed")
    compared = claim.compared(z.shape)
    one, other = (z, plain) if compared is None else (z[compared], plain[compared])
    return not np.array_equal(one, other, equal_nan=one.dtype.kind == "f")


def _finite(claim: Claim, y: Both) -> bool:
    """Whether some number that is compared is finite."""
    compared = claim.compared(y.y64.shape)
    return bool(np.any(y.finite if compared is None else y.finite[compared]))


def _unclear(claim: Claim, z: Both, expected: Both, d: Difference | None) -> bool:
    """Whether nothing can be said of two sides of which no difference is seen: one is finite where
    the other is not, or nothing is, or rounding would explain a change as large as most numbers."""
    compared = claim.compared(z.y64.shape)
    fits = np.ones(z.y64.shape, bool) if compared is None else compared
    if d is None or np.any(z.finite[fits] != expected.finite[fits]):
        return True
    sizes = np.abs(expected.y64[fits & expected.finite & (expected.y64 != 0)])
    return bool(d.d64 > 0 and sizes.size and not d.rounding <= BLIND * np.quantile(sizes, 0.25))


def who_sees(
    path: str | Path,
    ask: str,
    axis: str | None = None,
    along: Sequence[str] = (),
    mask: str | None = None,
    ids: str | None = None,
    masked: float = 0.0,
    output: str | None = None,
    output_axis: int | str | None = None,
    n: int | None = None,
    timeout: float = 60.0,
    answered: Callable[[DependenceResult], object] = lambda _: None,
) -> Report:
    """The answers to one of `QUESTIONS` about a model file: for `axis` (INPUT:K; by default each
    dynamic one, if all have one name), with the rows of the inputs `along` changed too, about
    `output` (by default each that has such an axis), whose rows are along `output_axis` ("none":
    it is asked about all of it). A `mask` has `masked` at what it hides. ModelError for bad
    input."""
    if ask not in QUESTIONS:
        raise ModelError(f"--ask: given {ask[:60]!r}, expected one of {', '.join(QUESTIONS)}")
    graph = load(path)
    places = {
        "--mask": mask and place_of(graph, mask, "--mask"),
        "--ids": ids and place_of(graph, ids, "--ids"),
    }
    if ask in GIVEN and not places[GIVEN[ask]]:
        raise ModelError(f"--ask {ask}: given no {GIVEN[ask][2:]}, expected {GIVEN[ask]} INPUT:K")
    fixed = [p for p in places.values() if p]
    asked = [place_of(graph, axis, "--axis")] if axis is not None else _usual(graph, fixed)
    with_it = tuple(place_of(graph, text, "--with") for text in along)
    if len({*asked, *with_it, *fixed}) < len(asked) + len(with_it) + len(fixed):
        raise ModelError("--axis, --with, --mask, --ids: given an axis twice, expected each once")
    if any(k == VALUES for _, k in with_it):
        raise ModelError(f"--with: given values, expected an axis, for --ask {ask}")
    for name, k in with_it:
        if name in dict(fixed):
            raise ModelError(
                f"--with: given {place_text((name, k))}, expected neither mask nor ids"
            )
    others = {d for x, k in asked for a, d in enumerate(graph.inputs[x].dims) if a != k}
    for place in fixed:
        dim = graph.dim(place)
        if isinstance(dim, str) and dim in others - set(map(graph.dim, asked)):
            raise ModelError(f"given {place_text(place)} ({dim}), expected an axis of the rows")
    outputs = outputs_of(graph, output)
    if n is not None and not 2 <= n <= MOST:
        raise ModelError(f"--n: given {n}, expected 2 to {MOST}")
    if not np.isfinite(masked):
        raise ModelError(f"--masked: given {masked}, expected a finite number, such as -1e9")
    finder = Finder(Path(path), graph, runner_of(graph))
    try:
        finder.usable()
    except RunError as why:
        raise ModelError(f"--ask {ask}: {why}") from None
    results = list[DependenceResult]()
    with limited(timeout):
        for place in asked:
            question = Question(
                finder, ask, (place, *with_it), places["--mask"] or None, places["--ids"] or None,
                masked, n,
            )  # fmt: skip
            for name in outputs:
                try:
                    rows = question.axis_of(name, output_axis)
                except Late:  # and the answer is unknown for that
                    rows = WHOLE
                if rows is not None:
                    results.append(question.answer(name, None if rows == WHOLE else int(rows)))
                    answered(results[-1])
            if not any((r.input, r.axis) == place for r in results):
                which = f"the output {output} does not have" if output else "no output has"
                raise ModelError(f"--ask {ask}: given {place_text(place)}, an axis that {which}")
    return Report(graph.sha256, str(path), tuple(results), graph=graph)


def _usual(graph: Graph, fixed: Sequence[Place]) -> list[Place]:
    """The dynamic axes, if all have one name: that of what is `fixed`, where something is."""
    names = {*names_of(graph, fixed)} if fixed else graph.dynamic
    found = [p for p in places_of(graph, names) if p not in fixed]
    if len(names) != 1 or not found:
        every = ", ".join(map(place_text, places_of(graph, graph.dynamic)))
        raise ModelError(f"given no axis, expected --axis INPUT:K, such as {every or 'x:0'}")
    return found
