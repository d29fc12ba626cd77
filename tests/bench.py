"""The speed of the project as ratios, each measured side by side in one run: `make bench`.

python -m tests.bench --limit 10 --runs 5
"""

from __future__ import annotations

import itertools
import os
import platform
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import click
import numpy as np
import sympy
from rich.console import Console
from rich.table import Table

from orderproof.numeric import symmetry
from orderproof.numeric.automorphisms import Encoded
from orderproof.numeric.bias_matrices import Options, position
from orderproof.numeric.symmetry import Answer, Layer
from orderproof.proofs.catalogue import IDS, load
from orderproof.proofs.certificates import certificates
from orderproof.proofs.marks import generators
from orderproof.symbolic import tactic
from orderproof.symbolic.architecture import attention
from orderproof.symbolic.language import (
    add,
    call,
    contract,
    define,
    divide,
    leaf_of,
    mean,
    multiply,
    number,
    permutation,
    pointwise,
    sqrt,
    subtract,
    tensor,
)
from orderproof.symbolic.position_schemes import POSITION_SCHEMES
from orderproof.symbolic.read_sympy import formulas
from orderproof.symbolic.recheck import Report, recheck
from orderproof.symbolic.search import direct_encoding, search
from orderproof.symbolic.terms import Op, Set, Term
from tests import bench_positions

TOKENS, FEATURES, HIDDEN = Set("n"), Set("d"), Set("h")
SIGMA = permutation("sigma", TOKENS)
MAIN, SMALL = "self_attention_equivariant", "not_invariant_self_attention"
IMPORTS = "import numpy, sympy, z3, mpmath, click, rich, jinja2"


@dataclass(frozen=True)
class Row:
    """One comparison: seconds of each side, what is said of the other's answer, and the ratio."""

    what: str
    ours: float
    other: float
    ratio: float
    ours_note: str = ""
    other_note: str = ""
    at_least: bool = False  # the other side was cut off: its time, and the ratio, are lower bounds


class OutOfTime(Exception):
    """A cell that took longer than its cap."""


@contextmanager
def capped(seconds: float) -> Iterator[None]:
    """OutOfTime after that many seconds."""

    def stop(*_: object) -> None:
        raise OutOfTime

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def seconds(work: Callable[[], object], runs: int) -> float:
    """The median time of several runs."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


# ------------------------------------------------------------------------------------- the search
def searches(sizes: list[tuple[int, int]], limit: float, runs: int) -> Iterator[Row]:
    """The search for the learned counterexample against the direct encoding."""
    for n, d in sizes:
        ours = seconds(lambda n=n, d=d: _found(n, d), runs)
        answer, other = direct_encoding(n, d, limit)
        yield Row(
            f"search, learned table, n = {n}, d = {d}, against the direct encoding",
            ours, other, other / ours, "witness",
            f"{answer}, for some function as exp" if answer == "sat" else answer,
            answer == "unknown",
        )  # fmt: skip


def _found(n: int, d: int) -> None:
    if search("learned", n, d).answer != "witness":
        raise RuntimeError(f"no witness at n = {n}, d = {d}: the comparison means nothing")


# ---------------------------------------------------------------------------------------- pushing
def _norm(t: Term, gain: Term, bias: Term) -> Term:
    """Layer norm over the features."""
    centred = subtract(t, mean(t, "c"))
    spread = sqrt(add(mean(multiply(centred, centred), "c"), tensor("eps")))
    return add(multiply(divide(centred, spread), gain), bias)


def block() -> tuple[Op, list[Term]]:
    """An encoder block of one head as a definition: attention, residual, layer norm, feed-forward,
    residual, layer norm (Vaswani et al. 2017, section 3.1); and its formals, the tokens first."""
    x = tensor("x", i=TOKENS, c=FEATURES)
    square = {"c": FEATURES, "k": FEATURES}
    w_q, w_k, w_v = (tensor(name, **square) for name in ("w_q", "w_k", "w_v"))
    w_1, b_1 = tensor("w_1", c=FEATURES, f=HIDDEN), tensor("b_1", f=HIDDEN)
    w_2, b_2 = tensor("w_2", f=HIDDEN, c=FEATURES), tensor("b_2", c=FEATURES)
    norms = [tensor(name, c=FEATURES) for name in ("g_1", "h_1", "g_2", "h_2")]
    memory = x.rename({"i": "j"})
    values = contract(memory, w_v, "c").rename({"k": "c"})
    mixed = attention(contract(x, w_q, "c"), contract(memory, w_k, "c"), values, "j", "k")
    first = _norm(add(x, mixed), *norms[:2])
    inner = pointwise("max", add(contract(first, w_1, "c"), b_1), number(0))
    whole = _norm(add(first, add(contract(inner, w_2, "f"), b_2)), *norms[2:])
    formals = [x, w_q, w_k, w_v, w_1, b_1, w_2, b_2, *norms, tensor("eps")]
    return define("block", formals, whole), formals


def stack(depth: int) -> Term:
    """That many blocks, each with weights of its own."""
    definition, formals = block()
    tokens = tensor("X", i=TOKENS, c=FEATURES)
    for k in range(depth):
        weights = [
            tensor(f"{f.node.op.data[0]}_{k}", **{str(a): s for a, s in f.sets.items()})
            for f in formals[1:]
        ]
        parts = [tokens, *weights]
        tokens = call(definition, parts, [p.axes for p in parts], ["i", "c"])
    return tokens


def push_time(depth: int, runs: int) -> float:
    """Pushing a permutation of the tokens through a stack, its one definition included."""
    term, moves = stack(depth), {leaf_of(tensor("X", i=TOKENS, c=FEATURES)): (SIGMA, None)}

    def push() -> None:
        tactic._lemmas.clear()
        if isinstance(tactic.push(term, moves), tactic.Stuck):
            raise RuntimeError("the push is stuck: the comparison means nothing")

    return seconds(push, runs)


def pushes(depths: list[int], runs: int) -> Iterator[Row]:
    """Depth against depth: 1 is linear, and less than 1 better (the definition is proved once)."""
    times = {depth: push_time(depth, runs) for depth in depths}
    for shallow, deep in itertools.pairwise(depths):
        linear = times[shallow] * deep / shallow
        yield Row(
            f"push, {deep} blocks, against {deep // shallow} times {shallow}",
            times[deep], linear, linear / times[deep],
            f"{1000 * times[deep] / deep:.2f} ms a block",
            f"{1000 * times[shallow] / shallow:.2f} ms a block",
        )  # fmt: skip


# ------------------------------------------------------------------------------------------ sympy
def _sides(n: int, sigma: tuple[int, ...]) -> list[tuple[Any, Any]]:
    """The entries of Z′ and of P Z, in pairs: n tokens, one feature."""
    claim = load_main()
    sizes = {"n": n, "d": 1, "d_k": 1, "d_v": 1}
    left, right = (formulas(t, sizes, {"sigma": sigma}) for t in (claim.lhs, claim.rhs))
    return [(left[i], right[i]) for i in left]


@cache
def load_main() -> Any:
    """The claim Z′ = P Z."""
    return load(MAIN).claims[0]


def mark(n: int) -> None:
    """What the mark does at n: generators, structural equality, the composition rule."""
    for sigma in generators(n):
        if not all(a == b for a, b in _sides(n, sigma)):
            raise RuntimeError("the sides differ: the comparison means nothing")
    if not load_main().motion:
        raise RuntimeError("generators do not stand for their products: no comparison")


def simplified(n: int) -> None:
    """Every permutation, each difference put before `simplify` as it stands."""
    for sigma in itertools.permutations(range(n)):
        for a, b in _sides(n, sigma):
            if sympy.simplify(sympy.Add(a, -b, evaluate=False)) != 0:
                raise RuntimeError("the sides differ: the comparison means nothing")


def marks(sizes: list[int], cap: float, runs: int) -> Iterator[Row]:
    """The sympy mark against `simplify` over all permutations."""
    for n in sizes:
        ours = seconds(lambda n=n: mark(n), runs)
        start, note = time.perf_counter(), f"{len(list(itertools.permutations(range(n))))} σ"
        cut = False
        try:
            with capped(cap):
                simplified(n)
        except OutOfTime:
            cut = True
        other = time.perf_counter() - start
        yield Row(
            f"sympy mark of Z′ = P Z, n = {n}, against simplify over all σ",
            ours, other, other / ours, f"{len(generators(n))} σ", note, cut,
        )  # fmt: skip


# ------------------------------------------------------------------------------ symmetry groups
GROUPS: list[tuple[str, dict[str, Any], int]] = [  # a name, options and the order at n = 8
    ("alibi", {}, 2),
    ("window", {"window": 2}, 2),
    ("causal", {}, 1),
    ("circulant-even", {}, 16),
    ("blocks", {}, 384),
    ("none", {}, 40320),
]


def groups(tokens: list[int], cap: float, runs: int) -> Iterator[Row]:
    """`symmetry` of a scheme, all its groups proved, against the engine's bare count for the layer:
    no twins, no refinement, no context groups."""
    for name, options, expected in GROUPS:
        for n in tokens:
            chosen = options | ({"blocks": (n // 4,) * 4} if name == "blocks" else {})
            ours = seconds(lambda n=n, name=name, chosen=chosen: groups_of(name, n, chosen), runs)
            layer, answer = groups_of(name, n, chosen)
            if n == 8 and answer.layer.order != expected:
                raise RuntimeError(f"{name}: order {answer.layer.order}, so the time means nothing")
            diagonal = np.unique(np.diagonal(layer.colours), return_inverse=True)[1]
            other, note, cut = cap, "", False
            try:
                with capped(cap):
                    other = seconds(lambda m=layer, c=diagonal: Encoded(m.colours).count(c), 1)
            except OutOfTime:
                note, cut = "cut off", True
            size = f"order {answer.layer.order}" if answer.layer.order < 10**6 else ""
            yield Row(
                f"symmetry of {name}, n = {n}, against a bare count",
                ours, other, other / ours, size, note, cut,
            )  # fmt: skip


def groups_of(name: str, n: int, options: dict[str, Any]) -> tuple[Layer, Answer]:
    """The layer of a scheme, and all that `symmetry` says of it."""
    layer = symmetry.of_heads(position(name, n, Options(**options)).heads)
    return layer, symmetry.answer(layer)


# ------------------------------------------------------------------------------------ the whole
def whole(ids: list[str], runs: int) -> Iterator[Row]:
    """`orderproof prove` and `audit` against the import of their dependencies, each in a process of
    its own."""
    python = [sys.executable, "-c"]

    def command(name: str) -> None:
        with tempfile.TemporaryDirectory() as out:
            to = ["--out", out] if name == "prove" else []
            program = "from orderproof.cli import main; main()"
            arguments = [name, *ids, "--jobs", "2", *to]
            subprocess.run([*python, program, *arguments], check=True, capture_output=True)

    other = seconds(lambda: subprocess.run([*python, IMPORTS], check=True), runs)
    for name in ("prove", "audit"):
        ours = seconds(lambda name=name: command(name), runs)
        what = f"{name} {' '.join(ids)}".strip()
        yield Row(
            f"{what}, against importing its dependencies", ours, other, other / ours, "2 processes"
        )


# ---------------------------------------------------------------------------------- the recheck
def rechecks(ids: list[str]) -> Iterator[Row]:
    """Rechecking every certificate of these theorems (all, if none) by all solvers found, against
    starting the same solvers on one of them."""
    texts = {k: t for name in ids or IDS for k, t in certificates(load(name)).items()}
    with tempfile.TemporaryDirectory() as folder:
        for name, text in texts.items():
            Path(folder, name).write_text(text, "utf-8")
        everything = _rechecked(Path(folder), len(texts))
        for name in list(texts)[1:]:
            Path(folder, name).unlink()
        one = _rechecked(Path(folder), 1)
    solvers = ", ".join(s.name for s in everything.solvers)
    yield Row(
        f"recheck of {len(texts)} certificates by {solvers}, against one of them",
        everything.seconds, one.seconds, one.seconds / everything.seconds,
    )  # fmt: skip


def _rechecked(folder: Path, count: int) -> Report:
    report = recheck(folder, 10)
    if [row.verdict for row in report.rows] != ["checked"] * count:
        raise RuntimeError("a certificate is not checked: the comparison means nothing")
    return report


# ---------------------------------------------------------------------------------------- printing
def shown(time: float, note: str = "", at_least: bool = False) -> str:
    """A time in a cell."""
    text = f"{1000 * time:.1f} ms" if time < 1 else f"{time:.2f} s"
    return ("> " if at_least else "") + text + (f" ({note})" if note else "")


def table(rows: list[Row]) -> Table:
    """The one table."""
    result = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("what", "here", "against", "ratio"):
        result.add_column(column, justify="right" if column == "ratio" else "left")
    for row in rows:
        result.add_row(
            row.what,
            shown(row.ours, row.ours_note),
            shown(row.other, row.other_note, row.at_least),
            ("> " if row.at_least else "") + f"{row.ratio:.3g}",
        )
    return result


def measured(
    sizes: list[tuple[int, int]],
    depths: list[int],
    tokens: list[int],
    positions: list[int],
    ids: list[str],
    limit: float,
    cap: float,
    runs: int,
    schemes: Sequence[str] = tuple(POSITION_SCHEMES),
) -> list[Row]:
    """All rows."""
    return [
        *searches(sizes, limit, runs),
        *pushes(depths, runs),
        *marks(tokens, cap, runs),
        *groups(positions, cap, min(runs, 3)),
        *(Row(w, a, b, b / a, *more) for w, a, b, *more in bench_positions.rows(schemes, limit)),
        *whole(ids, max(1, runs // 2)),
        *rechecks(ids),
    ]


@click.command(epilog="Example: python -m tests.bench --limit 10 --runs 5")
@click.option("--limit", default=10.0, show_default=True, help="Seconds for the direct encoding.")
@click.option("--cap", default=60.0, show_default=True, help="Seconds for one cell of simplify.")
@click.option("--runs", default=5, show_default=True, help="Runs of which the median is taken.")
@click.option("--small", is_flag=True, help="The smallest sizes alone.")
def main(limit: float, cap: float, runs: int, small: bool) -> None:
    """Print the table of speed ratios: how many times longer the other way takes."""
    rows = (
        measured([(2, 1)], [1, 2], [2], [8], [SMALL], limit, cap, runs, ["alibi", "causal"])
        if small
        else measured(
            [(2, 1), (2, 2), (3, 2)], [1, 10, 100], [2, 3, 4, 5], [8, 64, 512], [], limit, cap, runs
        )
    )
    console = Console(width=None if sys.stdout.isatty() else 140, highlight=False)
    console.print(f"Python {platform.python_version()}, {os.cpu_count()} cores, medians of {runs}")
    console.print(table(rows))


if __name__ == "__main__":
    main()
