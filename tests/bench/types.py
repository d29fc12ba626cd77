"""Types of tokens by residues against their definition in fractions, and the command."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from fractions import Fraction

from orderproof.numeric.groups import types
from orderproof.numeric.groups.bias_matrices import position
from orderproof.numeric.groups.types import Terms

from .measure import OutOfTime, Row, capped, seconds
from .processes import IMPORTS

SCHEMES, DEPTH, WORDS, PROMPT = ("causal", "window"), 8, "abcdefg", 100


def refinements(tokens: Sequence[int], cap: float, runs: int) -> Iterator[Row]:
    """Types at depth 8, of masks, against the definition, token by token in fractions."""
    for name in SCHEMES:
        for n in tokens:
            terms = types.of_scheme(position(name, n))
            words = random.Random(0).choices(WORDS, k=n)
            ours = seconds(lambda t=terms, w=words: types.refine(t, [w], DEPTH), runs)
            other, note, cut = cap, "", False
            try:
                with capped(cap):
                    other = seconds(lambda t=terms, w=words: by_definition(t, w), 1)
            except OutOfTime:
                note, cut = "cut off", True
            else:
                found = types.refine(terms, [words], DEPTH).at(DEPTH)[0].tolist()
                if _first(found) != _first(by_definition(terms, words)):
                    raise RuntimeError(f"{name}: other types, so the time means nothing")
            yield Row(
                f"types under {name}, n = {n}, depth {DEPTH}, against fractions",
                ours, other, other / ours, "", note, cut,
            )  # fmt: skip


def commands(runs: int) -> Iterator[Row]:
    """The command `distinguish` on two prompts, against the import of its dependencies."""
    words = random.Random(0).choices(WORDS, k=PROMPT - 1)
    other_order = random.Random(1).sample(words, k=PROMPT - 1)
    prompts = [" ".join([*order, "."]) for order in (words, other_order)]
    python = [sys.executable, "-c"]
    other = seconds(lambda: subprocess.run([*python, IMPORTS], check=True), runs)
    for name in SCHEMES:
        asked = ["distinguish", "--scheme", name, "--depth", str(DEPTH), "--json", *prompts]
        program = "from orderproof.cli import main; main()"
        ours = seconds(
            lambda a=asked, p=program: subprocess.run(
                [*python, p, *a], check=True, capture_output=True
            ),
            runs,
        )
        what = f"command distinguish, {name}, {PROMPT} tokens, against importing its dependencies"
        yield Row(what, ours, other, other / ours)


def by_definition(terms: Terms, words: Sequence[str]) -> list[int]:
    """T_DEPTH of each token, as it is defined."""
    (head,) = terms.heads
    hidden = [v is None for v in head.values]
    seen = [[j for j, k in enumerate(row) if not hidden[k]] for row in head.ids.tolist()]
    now = _first(words)
    for _ in range(DEPTH):
        lines = []
        for i, own in enumerate(now):
            shares: dict[int, Fraction] = {}
            for j in seen[i]:
                shares[now[j]] = shares.get(now[j], Fraction(0)) + Fraction(1, len(seen[i]))
            lines.append((own, tuple(sorted(shares.items()))))
        now = _first(lines)
    return now


def _first(lines: Sequence[object]) -> list[int]:
    """Equal lines get equal numbers, in the order in which they occur."""
    number: dict[object, int] = {}
    return [number.setdefault(line, len(number)) for line in lines]
