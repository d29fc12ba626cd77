"""The search for a counterexample against the direct encoding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from orderproof.symbolic.schemes.table_search import direct_encoding, search

from .measure import Row, seconds


def searches(sizes: Sequence[tuple[int, int]], limit: float, runs: int) -> Iterator[Row]:
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
