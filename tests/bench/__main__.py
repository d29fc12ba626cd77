"""The speed of the project as ratios, each measured side by side in one run: `make bench`."""

from __future__ import annotations

import itertools
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click
import sympy

from orderproof.check.prove.certificates import certificates, questions
from orderproof.check.sampling import generators
from orderproof.command_line import PURPOSES
from orderproof.numeric.groups import symmetry
from orderproof.numeric.groups.bias_matrices import position
from orderproof.proofs.catalogue import CHAPTER_OF, load
from orderproof.symbolic.readings.sympy_entries import formulas
from orderproof.symbolic.smt.recheck import recheck
from tests.bench.stacks import pushing
from tests.oracles import permutation_groups

IMPORTS = "import numpy, sympy, z3, mpmath, click, rich, markdown_it"
COMMAND = "from orderproof.cli import main; main()"
CLI = "orderproof.command_line, orderproof.commands."
READING = (  # commands that only read, each with the modules that it needs
    ("--help", ", ".join(f"{CLI}{name}" for names in PURPOSES.values() for name in names)),
    ("list", f"{CLI}list, orderproof.proofs.catalogue"),
    ("cite", f"{CLI}cite, orderproof.source_tree, orderproof.publish.bibliography, {{}}"),
    ("show", f"{CLI}show, orderproof.publish.theorem, orderproof.check.prove.unchecked, {{}}"),
)
THEOREM, SMALL = "self_attention_equivariant", "not_invariant_self_attention"
DEPTHS = (10, 100)
MODELS = ("encoder_pre_norm_stack", "positions_learned")  # one proved, one refuted
GROWN = {  # encoders: layers, width and vocabulary of a small and a large one
    "layers": ((2, 32, 0), (8, 32, 0)),
    "width": ((1, 64, 0), (1, 256, 0)),
    "vocabulary": ((1, 64, 1_000), (1, 64, 100_000)),
}


@dataclass(frozen=True)
class Row:
    """One comparison, and the seconds of each side."""

    what: str
    ours: float
    other: float

    def line(self) -> str:
        """As it is printed: how many times longer the other way takes."""
        return (
            f"{self.what:64} {self.ours:8.3f} s {self.other:8.3f} s {self.other / self.ours:8.3g}"
        )


def seconds(work: Callable[[], object], runs: int) -> float:
    """The median time of several runs."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def python(program: str, *arguments: str) -> None:
    """A process of its own."""
    subprocess.run([sys.executable, "-c", program, *arguments], check=True, capture_output=True)


def stacks(runs: int) -> Iterator[Row]:
    """Depth against depth: 1 is linear, and more is better (the definition is proved once)."""
    shallow, deep = (seconds(pushing(depth), runs) for depth in DEPTHS)
    times = DEPTHS[1] // DEPTHS[0]
    yield Row(f"push, {DEPTHS[1]} blocks, against {times} times {DEPTHS[0]}", deep, times * shallow)


def entries(runs: int) -> Iterator[Row]:
    """The sympy mark of Z′ = P Z, which tries generators and compares structure, against
    `simplify` for every permutation."""
    left, right = load(THEOREM).claims[0].statement.atom.terms
    n, rest = 3, {"d": 1, "d_k": 1, "d_v": 1}

    def compared(sigma: tuple[int, ...], same: Callable[[object, object], bool]) -> None:
        a, b = (formulas(t, {"n": n, **rest}, {"sigma": sigma}) for t in (left, right))
        if not all(same(a[i], b[i]) for i in a):
            raise RuntimeError("the sides differ: the comparison means nothing")

    def simplified(a: object, b: object) -> bool:
        return bool(sympy.simplify(sympy.Add(a, sympy.Mul(-1, b), evaluate=False)) == 0)

    def ours() -> None:
        for sigma in generators(n):
            compared(sigma, lambda a, b: bool(a == b))

    def other() -> None:
        for sigma in itertools.permutations(range(n)):
            compared(sigma, simplified)

    yield Row(
        f"sympy mark of Z′ = P Z, n = {n}, against simplify", seconds(ours, runs), seconds(other, 1)
    )


def groups(runs: int) -> Iterator[Row]:
    """All groups of a scheme, proved, against nauty's bare count of automorphisms."""
    n = 64
    layer = symmetry.of_scheme(position("blocks", n, blocks=(n // 4,) * 4))
    ours = seconds(lambda: symmetry.answer(layer), runs)
    other = seconds(lambda: permutation_groups.by_nauty(layer.colours), runs)
    yield Row(f"symmetry of blocks, n = {n}, against a bare count", ours, other)


def commands(runs: int) -> Iterator[Row]:
    """`orderproof prove`, in a process of its own, against the import of what it needs; from
    nothing, and from the cache."""
    with tempfile.TemporaryDirectory() as folder:
        prove = partial(python, COMMAND, "prove", SMALL, "--out", f"{folder}/out")
        imports = seconds(lambda: python(IMPORTS), runs)
        first = seconds(lambda: prove("--no-cache"), runs)
        prove("--cache", f"{folder}/cache")
        again = seconds(lambda: prove("--cache", f"{folder}/cache"), runs)
    yield Row(f"prove {SMALL}, against imports", first, imports)
    yield Row("the same from the cache, against the first time", again, first)


def reading(runs: int) -> Iterator[Row]:
    """Commands that only read, each against the import of what it needs: they take at most 1.3
    times as long, a ratio of 0.77 or more."""
    module = f"orderproof.proofs.{CHAPTER_OF[THEOREM]}.{THEOREM}"
    for name, needs in READING:
        command = [name] if name in ("--help", "list") else [name, THEOREM]
        ours = seconds(partial(python, COMMAND, *command), runs)
        other = seconds(partial(python, f"import {needs.format(module)}"), runs)
        yield Row(f"{name}, against the import of what it needs", ours, other)


def rechecks(_: int) -> Iterator[Row]:
    """All certificates of a theorem by every solver that is here, against one of them."""
    with tempfile.TemporaryDirectory() as folder:
        texts = certificates(load(SMALL))
        for name, text in texts.items():
            Path(folder, name).write_text(text, "utf-8")
        times = []
        for count in (len(texts), 1):
            for name in list(texts)[count:]:
                Path(folder, name).unlink()
            report = recheck(Path(folder), 10, _about)
            there = [row.verdict for row in report.rows if Path(folder, row.file).exists()]
            if there != ["checked"] * count:
                raise RuntimeError("a certificate is not checked: the comparison means nothing")
            times.append(report.seconds)
    yield Row(f"recheck of {len(texts)} certificates, against one", *times)


def _about(theorem: str) -> dict[str, dict[str, tuple[str, ...]]]:
    return {name: dict(about) for name, (_, about) in questions(load(theorem)).items()}


def decided(path: Path) -> None:
    """The answers about a model, where there are some."""
    from orderproof.symbolic.onnx.decide import decide

    if any(not r.decided for r in decide(path).results):
        raise RuntimeError(f"{path.name} is not decided: its time means nothing")


def models(runs: int) -> Iterator[Row]:
    """`decide` on a small model, against loading it in onnxruntime."""
    from onnxruntime import InferenceSession

    from tests.models.files import model_file

    for name in MODELS:
        path = model_file(f"{name}.onnx")
        decided(path)  # what is imported at the first decision
        load = partial(InferenceSession, str(path), providers=["CPUExecutionProvider"])
        ours, other = seconds(partial(decided, path), runs), seconds(load, runs)
        yield Row(f"decide {name}, against loading it", ours, other)


def grown(runs: int) -> Iterator[Row]:
    """`decide` on an encoder with more layers, more features, a larger vocabulary: against as many
    times the smaller one, which is linear; against one with a small vocabulary, of which only the
    rows that are chosen count."""
    from tests.real_models.large import make

    with tempfile.TemporaryDirectory() as folder:
        for k, (what, sizes) in enumerate(GROWN.items()):
            times = []
            for layers, width, vocabulary in sizes:
                path = Path(folder, f"{what}-{layers}-{width}-{vocabulary}.onnx")
                make(path, layers, width, 4, 2 * width, vocabulary)
                times.append(seconds(partial(decided, path), runs))
            small, large = (size[k] for size in sizes)
            factor = 1 if what == "vocabulary" else large // small
            against = f"{factor} times {small:,}" if factor > 1 else f"{small:,}"
            yield Row(f"decide, {what} {large:,}, against {against}", times[1], factor * times[0])


ROWS = (stacks, entries, groups, commands, reading, rechecks, models, grown)


@click.command(epilog="Example: python -m tests.bench --runs 5")
@click.option("--runs", type=click.IntRange(min=1), default=3, help="Of which the median is taken.")
def main(runs: int) -> None:
    """Print speed ratios, each when it is measured: how many times longer the other way takes."""
    click.echo(f"Python {platform.python_version()}, {os.cpu_count()} cores, medians of {runs}")
    click.echo(f"{'what':64} {'here':>10} {'against':>10} {'ratio':>8}")
    for rows in ROWS:
        for row in rows(runs):
            click.echo(row.line())


if __name__ == "__main__":
    main()
