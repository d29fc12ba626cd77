"""How a command ends: its exit status and, where that is not 0, why.

0 all as declared; 1 a claim failed; 2 bad usage or input; 3 something stayed open.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import NoReturn

from orderproof.input_file import escaped


@dataclass(frozen=True)
class Ending:
    """An exit status and, where it is not 0, what was expected and what was found instead."""

    status: int = 0
    expected: str = ""
    found: str = ""

    def __post_init__(self) -> None:
        if self.status and not (self.expected and self.found):
            raise ValueError(f"given status {self.status} without a reason, expected one")

    def __str__(self) -> str:
        """The reason in one line, whatever the names in it are."""
        return escaped(" ".join(f"expected {self.expected}, found {self.found}".split()))

    def otherwise(self, other: Ending) -> Ending:
        """This ending, or the other one where this is a success."""
        return self if self.status else other


def end(ending: Ending) -> NoReturn:
    """End the process; the last line on standard error says why, where the status is not 0."""
    if ending.status and sys.stderr is not None:  # print would take standard output in its place
        sys.stdout.flush()
        print(f"orderproof: {ending}", file=sys.stderr, flush=True)
    sys.exit(ending.status)


def first_of(found: list[str]) -> str:
    """The first of what was found, and how many there are besides."""
    return found[0] + (f", and {len(found) - 1} more" if len(found) > 1 else "")
