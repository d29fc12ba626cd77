"""Every entry of both sides of a claim, step by step: each tensor from those before it.

Entries are numbered from 1: Q_12 stands in row 1 and column 2 of Q.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from orderproof.check.claims import TheoremFile
from orderproof.check.prove.entry_steps import largest_definition, least_case, steps
from orderproof.check.sampling import substituted
from orderproof.publish.pages.statements import stated, style_of
from orderproof.symbolic.counting import PEOPLE
from orderproof.symbolic.readings.notation import Plain

from .shared import WIDTH

LARGEST = 5000  # symbols in an entry of a definition that is written out, say an encoder block


def entries(theorem: TheoremFile, tokens: int) -> str:
    """Every entry of both sides of each claim, in generic real symbols that satisfy its hypotheses:
    so many tokens, other sizes at most 2 where the claim admits that, permutations that move all.
    """
    out: list[str] = []
    for number, claim in enumerate(theorem.claims, 1):
        bare = substituted(claim.statement)
        case = least_case(bare, tokens)
        if case is None:
            out.append(f"claim {number}: no case with {tokens} tokens")
            continue
        if (size := largest_definition(bare, case[0])) > LARGEST:
            said = f"an entry of a definition in it has {size} symbols, more than {LARGEST}"
            out.append(_wrapped(f"claim {number}: not printed entry by entry: {said}", ""))
            continue
        found = steps(bare, style_of(theorem).labels, *case)
        out.append(_wrapped(f"claim {number}: {stated(claim, theorem).plain}", ""))
        out.append(_wrapped(f"at {', '.join(_chosen(*case)) or 'its only size'}", "  "))
        out += [_equation(str(symbol), value) for symbol, value in found.named]
        for title, side in zip(("left", "right"), found.sides, strict=True):
            out.append(f"  {title} side")
            for index, value in side.items():
                place = ", ".join(str(k + 1) for k in index)
                out.append(_equation(f"[{place}]", value))
    return "\n".join(out)


def _chosen(sizes: Mapping[str, int], maps: Mapping[str, Any]) -> Iterator[str]:
    """Sizes, and maps from 1."""
    to = Plain()
    yield from (f"{to.symbol(name)} = {k}" for name, k in sizes.items())
    for name, table in maps.items():
        if isinstance(table, int):
            yield f"{to.symbol(name)} = {PEOPLE(table)}"
        elif isinstance(table, Sequence):
            places = ", ".join(f"{to.symbol(name)}({PEOPLE(k)})" for k in range(len(table)))
            yield f"({places}) = ({', '.join(map(str, PEOPLE.images(table)))})"


def _equation(name: str, value: Any) -> str:
    return _wrapped(_bare(f"{name} = {value}"), "    ")


def _bare(text: str) -> str:
    """Q_12 for Q_{12}."""
    return re.sub(r"_\{([\d,]+)\}", r"_\1", text)


def _wrapped(text: str, indent: str) -> str:
    return textwrap.fill(
        text, WIDTH, initial_indent=indent, subsequent_indent=indent + "    ",
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
