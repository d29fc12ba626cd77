"""The sympy mark against `simplify` over all permutations."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import sympy

from orderproof.proofs.catalogue import load
from orderproof.proofs.check.sampling import generators
from orderproof.symbolic.readings.sympy_entries import formulas
from orderproof.symbolic.statements.logic import composes

from .measure import OutOfTime, Row, capped, seconds

MAIN = "self_attention_equivariant"


def _sides(n: int, sigma: tuple[int, ...]) -> list[tuple[Any, Any]]:
    """The entries of Z′ and of P Z, in pairs: n tokens, one feature."""
    atom = load_main().statement.atom
    sizes = {"n": n, "d": 1, "d_k": 1, "d_v": 1}
    left, right = (formulas(t, sizes, {"sigma": sigma}) for t in atom.terms)
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
    if composes(load_main().statement):
        raise RuntimeError("generators do not stand for their products: no comparison")


def simplified(n: int) -> None:
    """Every permutation, each difference put before `simplify` as it stands."""
    for sigma in itertools.permutations(range(n)):
        for a, b in _sides(n, sigma):
            if sympy.simplify(sympy.Add(a, -b, evaluate=False)) != 0:
                raise RuntimeError("the sides differ: the comparison means nothing")


def marks(sizes: Sequence[int], cap: float, runs: int) -> Iterator[Row]:
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
