"""What `decide --ask` answers about who sees whom: a result for each axis and output, as data."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from orderproof.symbolic.witness.model_file import ENCLOSED, DependenceWitness

from .graph import Array, Place, place_text
from .relations import Layout
from .report import Piece

DEPENDS, UNSEEN, UNKNOWN, INDEPENDENT = "depends", "unseen", "unknown", "independent"


@dataclass(frozen=True)
class Part:
    """The answer about the contents of other rows, or about their number."""

    answer: str
    sizes: tuple[int, ...] = ()  # numbers of rows that were tried; the last is where it was seen
    witness: DependenceWitness | None = None
    reason: str = ""  # why it is unknown, or what could not be tried
    layout: Layout | None = None  # in which it was seen

    def to_json(self) -> dict[str, Any]:
        """The part as JSON has it."""
        return {"answer": self.answer, "sizes": list(self.sizes), "reason": self.reason}


@dataclass(frozen=True, eq=False)
class Grid:
    """Which row of an output changed with which row of the inputs, at the inputs of some draws."""

    layout: Layout
    # By row of the output (one where it has none) and of the inputs: by how much the output
    # changed, NaN where to no finite number; and whether that is more than rounding.
    changed: Array
    sees: Array
    whole: bool  # whether the output has no rows

    def hides(self, i: int, j: int) -> bool:
        """Whether row i of the output should not know of row j."""
        return bool(self.layout.hidden[:, j].any() if self.whole else self.layout.hidden[i, j])

    def to_json(self) -> dict[str, Any]:
        """The grid as JSON has it."""
        return {
            "n": self.layout.n,
            "values": list(self.layout.values),
            "last_only": self.layout.last_only,
            "changed": [[None if math.isnan(x) else x for x in row] for row in self.changed],
            "sees": self.sees.tolist(),
        }


@dataclass(frozen=True)
class DependenceResult:
    """One answer: whether rows of an output depend on rows of an input that they should not."""

    ask: str
    input: str
    axis: int
    along: tuple[Place, ...]  # whose rows are changed with it
    given: Mapping[str, str]  # the mask and the ids, as INPUT:K by option
    output: str
    output_axis: int | None
    contents: Part = Part(UNKNOWN)
    number: Part | None = None  # None where the axis has a fixed size
    grid: Grid | None = None
    written: tuple[Piece, ...] = ()  # the witnesses, where they were written to files
    seconds: float = 0.0

    @property
    def parts(self) -> dict[str, Part]:
        """The parts by what they are about."""
        every = {"contents": self.contents, "number": self.number}
        return {name: part for name, part in every.items() if part is not None}

    @property
    def answer(self) -> str:
        """That of contents and number together."""
        found = [part.answer for part in self.parts.values()]
        return next(a for a in (DEPENDS, UNKNOWN, UNSEEN) if a in found)

    @property
    def decided(self) -> bool:
        """Whether a counterexample answers it."""
        return self.answer == DEPENDS

    @property
    def witnesses(self) -> tuple[DependenceWitness, ...]:
        """The counterexamples."""
        return tuple(p.witness for p in self.parts.values() if p.witness is not None)

    @property
    def evidence(self) -> tuple[Piece, ...]:
        """What it rests on."""
        return self.written or tuple(Piece(w.evidence) for w in self.witnesses)

    @property
    def measured(self) -> bool:
        """Whether it rests on a counterexample that nothing encloses."""
        return any(w.evidence != ENCLOSED for w in self.witnesses)

    @property
    def said(self) -> str:
        """The answer, and in brackets the question."""
        about = " and ".join(k for k, part in self.parts.items() if part.answer == self.answer)
        asked = f"{self.input}, axis {self.axis} → {self.output}"
        return f"{self.answer} {'on' if self.decided else 'of'} {about} ({self.ask}: {asked})"

    def as_expected(self, expect: str | None) -> bool:
        """Whether it is the answer that a person expects; what was not seen may be independent."""
        return self.answer == (UNSEEN if expect == INDEPENDENT else expect)

    def to_json(self) -> dict[str, Any]:
        """The result as JSON has it; places are counted from 0."""
        return {
            "ask": self.ask,
            "input": self.input,
            "axis": self.axis,
            "with": [place_text(p) for p in self.along],
            **self.given,
            "output": self.output,
            "output_axis": self.output_axis,
            "answer": self.answer,
            "contents": self.contents.to_json(),
            "number": self.number and self.number.to_json(),
            "who_sees_whom": self.grid and self.grid.to_json(),
            "evidence": [asdict(e) for e in self.evidence],
            "seconds": round(self.seconds, 3),
        }
