"""Exact symmetry groups against a bare count of automorphisms."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from orderproof.numeric.groups import symmetry
from orderproof.numeric.groups.bias_matrices import Options, position
from orderproof.numeric.groups.symmetry import Answer, Layer
from tests.oracles import permutation_groups

from .measure import OutOfTime, Row, capped, seconds
from .processes import IMPORTS

GROUPS: list[tuple[str, dict[str, Any], int]] = [  # a name, options and the order at n = 8
    ("alibi", {}, 2),
    ("window", {"window": 2}, 2),
    ("causal", {}, 1),
    ("circulant-even", {}, 16),
    ("blocks", {}, 384),
    ("none", {}, 40320),
]


def groups(tokens: Sequence[int], cap: float, runs: int) -> Iterator[Row]:
    """`symmetry` of a scheme, all its groups proved, against igraph's bare count for the layer:
    no twins, no proof, no context groups."""
    for name, options, expected in GROUPS:
        for n in tokens:
            chosen = options | ({"blocks": (n // 4,) * 4} if name == "blocks" else {})
            ours = seconds(lambda n=n, name=name, chosen=chosen: groups_of(name, n, chosen), runs)
            layer, answer = groups_of(name, n, chosen)
            if n == 8 and answer.layer.order != expected:
                raise RuntimeError(f"{name}: order {answer.layer.order}, so the time means nothing")
            other, note, cut = cap, "", False
            try:
                with capped(cap):
                    other = seconds(lambda m=layer.colours: permutation_groups.by_igraph(m), 1)
            except OutOfTime:
                note, cut = "cut off", True
            size = f"order {answer.layer.order}" if answer.layer.order < 10**6 else ""
            yield Row(
                f"symmetry of {name}, n = {n}, against a bare count",
                ours, other, other / ours, size, note, cut,
            )  # fmt: skip


def whole_groups(tokens: Sequence[int], runs: int) -> Iterator[Row]:
    """The command `symmetry`, in a process of its own, against the import of its dependencies."""
    python = [sys.executable, "-c"]
    other = seconds(lambda: subprocess.run([*python, IMPORTS], check=True), runs)
    for name, options, _ in GROUPS:
        for n in tokens:
            given = [text for k, v in options.items() for text in (f"--{k}", str(v))]
            if name == "blocks":
                given = ["--blocks", ",".join([str(n // 4)] * 4)]
            program = "from orderproof.cli import main; main()"
            asked = ["symmetry", "--scheme", name, "--n", str(n), "--json", *given]
            ours = seconds(
                lambda a=asked, p=program: subprocess.run(
                    [*python, p, *a], check=True, capture_output=True
                ),
                runs,
            )
            what = f"command symmetry, {name}, n = {n}, against importing its dependencies"
            yield Row(what, ours, other, other / ours)


def groups_of(name: str, n: int, options: dict[str, Any]) -> tuple[Layer, Answer]:
    """The layer of a scheme, and all that `symmetry` says of it."""
    layer = symmetry.of_scheme(position(name, n, Options(**options)))
    return layer, symmetry.answer(layer)
