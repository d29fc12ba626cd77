"""The bench of the table scheme × symmetry: all of it from nothing, and each of its witnesses,
beside what two solvers make of the same question put to them directly."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import z3

from orderproof.proofs.schemes.table import Cell, table
from orderproof.symbolic.models.builders import moved, tensor
from orderproof.symbolic.readings.entries import Model, evaluate
from orderproof.symbolic.readings.z3_reals import Reals
from orderproof.symbolic.schemes.definitions import POSITION_SCHEMES
from orderproof.symbolic.schemes.models import CONTEXT, FEATURES, SIGMA, model, positions
from orderproof.symbolic.schemes.search import find
from orderproof.symbolic.schemes.symmetries import SYMMETRIES, label_of
from orderproof.symbolic.schemes.table_counterexample import with_functions
from orderproof.symbolic.smt import solvers

from .measure import Row

DIRECT = (  # cells whose question is put to the solvers; sines cannot be stated to them
    ("learned", "permutation"), ("alibi", "permutation"), ("window", "permutation"),
    ("causal", "context-2"),
)  # fmt: skip


def rows(names: Sequence[str], limit: float) -> Iterator[Row]:
    """The whole table, its witnesses, and some of them against the solvers."""
    first, cells = whole(names)
    yield first
    times = found(cells)
    yield median(times)
    for (scheme, symmetry), ours in times.items():
        if (scheme, symmetry) in DIRECT:
            (cell,) = (c for c in cells if (c.scheme, c.symmetry) == (scheme, symmetry))
            yield from against(cell, ours, limit)


def whole(names: Sequence[str]) -> tuple[Row, list[Cell]]:
    """The table by two processes, against one."""
    times = []
    for jobs in (2, 1):
        start = time.perf_counter()
        cells = table(names, jobs)
        times.append(time.perf_counter() - start)
        if any(c.verdict == "open" for c in cells):
            raise RuntimeError("a cell of the table is open: its time means nothing")
    what = f"table from nothing, {len(names)} schemes × {len(SYMMETRIES)}, 2 processes, against 1"
    ours, other = times
    return Row(what, ours, other, other / ours, "all settled", "all settled"), cells


def found(cells: Sequence[Cell]) -> dict[tuple[str, str], float]:
    """The time of each witness of the table on its own."""
    times = {}
    for c in cells:
        if c.witness is None or c.smallest is None:
            continue
        s, y = POSITION_SCHEMES[c.scheme], SYMMETRIES[c.symmetry]
        start = time.perf_counter()
        if find(s, y, c.smallest, c.witness.sigma) is None:
            raise RuntimeError(f"{c.scheme}, {c.symmetry}: no witness: its time means nothing")
        times[c.scheme, c.symmetry] = time.perf_counter() - start
    return times


def median(times: dict[tuple[str, str], float]) -> Row:
    """The median of all, against the longest."""
    ours, other = statistics.median(times.values()), max(times.values())
    slowest = max(times, key=lambda k: times[k])
    what = f"every witness: median of {len(times)}, against the longest"
    return Row(what, ours, other, other / ours, "all found", ", ".join(slowest))


def against(c: Cell, ours: float, limit: float) -> Iterator[Row]:
    """One witness against the direct encoding of the same question, by each solver that is here;
    a solver that cannot read it says so."""
    if c.witness is None or c.smallest is None:
        raise RuntimeError(f"{c.scheme}, {c.symmetry}: no witness to compare with")
    text = direct(c.scheme, c.symmetry, c.smallest, c.witness.d, c.witness.sigma)
    for solver in solvers.find():
        with solvers.Process(solver) as process:
            answer = process.ask(text, limit)
        gave_up = answer.word in ("unknown", "timeout")
        note = f"unknown at {limit:g} s" if gave_up else answer.word
        if answer.word == "error":
            note = f"cannot state it: {answer.reason}"
        if answer.word == "sat":
            note = "sat, for some function as exp"
        yield Row(
            f"witness, {c.scheme}, {c.symmetry}, n = {c.smallest}, against {solver.name}, directly",
            ours, answer.seconds, answer.seconds / ours, "witness", note, gave_up,
        )  # fmt: skip


def direct(scheme: str, symmetry: str, n: int, d: int, sigma: Sequence[int]) -> str:
    """The question as SMT-LIB: tokens, weights and free entries of the scheme are unknown reals,
    exp an unknown positive function, and some entry of both sides differs."""
    s, y = POSITION_SCHEMES[scheme], SYMMETRIES[symmetry]
    f, spots = s.frame(n), [s.spot(i, n) for i in range(n)]
    depth, solver = y.depth or 2, z3.Solver()
    unknown, root = z3.Function("exp_", z3.RealSort(), z3.RealSort()), z3.Real("root_of_d")
    solver.add(root > 0, root * root == d)

    def exp(a: Any) -> Any:
        solver.add(unknown(a) > 0)
        return unknown(a)

    def free(name: str) -> Callable[..., Any]:
        return lambda *index: z3.Real("_".join(map(str, (name, *index))))

    def pair(i: int, j: int, *c: int) -> Any:
        key = s.pair(spots[i], spots[j], f) if s.pair else ()
        if s.value:
            return z3.RealVal(s.value(key))
        return free(s.tensor)(*label_of(s, key, f), *c)

    def seen(i: int, j: int) -> Any:
        return z3.RealVal(int(s.seen is None or s.seen(spots[i], spots[j], f)))

    def row(i: int, k: int) -> Any:
        return free("E")(*(s.own(spots[i], f) if s.own else ()), k)

    layers = [""] if depth == 1 else [str(k + 1) for k in range(depth)]
    given: dict[str, Any] = {"X": free("X"), "E": row, "B": pair, "A": pair, "G": seen}
    given |= {f"{x}{k}": free(f"{x}{k}") for x in ("W_Q", "W_K", "W_V") for k in layers}
    x = tensor("X", i=CONTEXT, k=FEATURES)
    algebra = with_functions(Reals(), exp=exp, sqrt=lambda _: root)

    def side(tokens: Any) -> dict[tuple[int, int], Any]:
        term = model(tokens, positions(s.letters, CONTEXT), depth)
        at = Model({"n": n, "d": d}, {"sigma": sigma}, given)
        order = [term.axes.index(a) for a in ("i", "v")]
        values = evaluate(term, at, algebra)
        return {(k[order[0]], k[order[1]]): v for k, v in values.items()}

    lhs, rhs = side(moved(x, i=SIGMA)), side(x)
    rows = [n - 1] if y.reads == "last" else range(n)
    solver.add(z3.Or(*(lhs[i, v] != rhs[sigma[i], v] for i in rows for v in range(d))))
    return f"(set-logic ALL)\n{solver.sexpr()}(check-sat)\n"
