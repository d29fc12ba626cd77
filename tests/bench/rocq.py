"""Rocq's check of its development, and of certificates for stacks of encoder blocks."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from orderproof.proofs.rocq import certificate as rocq_certificate
from orderproof.proofs.rocq import library as rocq_library
from orderproof.proofs.rocq import run as rocq_run
from orderproof.symbolic.derive.push import push
from orderproof.symbolic.models.builders import leaf_of, tensor

from .measure import Row
from .stacks import FEATURES, SIGMA, TOKENS, stack

MOVES = {leaf_of(tensor("X", i=TOKENS, c=FEATURES)): (SIGMA, None)}


def rows(depths: Sequence[int]) -> Iterator[Row]:
    """The library against its files one after the other; depth against depth, of which 1 is linear.
    No row where Rocq is not installed."""
    if not depths:
        return
    if not rocq_run.installed():
        print("SKIP: Rocq is not installed; no row for it")
        return
    with tempfile.TemporaryDirectory() as folder:
        library = rocq_library.compile(Path(folder))
        if wrong := rocq_library.differences(library):
            raise RuntimeError(f"{wrong[0]}: the comparison means nothing")
        alone = sum(library.seconds.values())
        yield Row(
            "Rocq's check of the library, two files at a time, against one",
            library.elapsed, alone, alone / library.elapsed, f"{len(library.headlines)} theorems",
        )  # fmt: skip
        times = {depth: certified(depth, Path(folder)) for depth in depths}
    for shallow, deep in pairwise(depths):
        linear = times[shallow] * deep / shallow
        yield Row(
            f"certificate of {deep} blocks, checked by Rocq, against {deep / shallow:g} times "
            f"{shallow}",
            times[deep], linear, linear / times[deep],
        )  # fmt: skip


def certified(depth: int, folder: Path) -> float:
    """The seconds that Rocq takes for the certificate of so many blocks."""
    term = stack(depth)
    path = folder / f"blocks_{depth}.v"
    path.write_text(rocq_certificate.certificate(push(term, MOVES), term, "deep"), "utf-8")
    found = rocq_certificate.check_file(path, folder)
    if not found.ok:
        raise RuntimeError(f"{found.detail}: the comparison means nothing")
    return found.seconds
