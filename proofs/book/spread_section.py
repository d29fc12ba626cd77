"""The book's section on position after the first layer: what is said, and the figure's numbers.

Random weights are computed when the book is made; of the trained encoder the numbers are kept in
data/trained_spread.json, so that the book needs no weights, with the hash of those they were
measured on.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from orderproof.numeric.spread_by_layer import (
    CONTENTS,
    KAPPA,
    LAYERS,
    POSITIONS,
    SKIPS,
    Layer,
    exceeded,
    random_stack,
)
from orderproof.numeric.trained.spread import stacks_of

KEPT = Path(__file__).parent / "data" / "trained_spread.json"
TITLE = "What happens to position after the first layer?"
WITH = {0.0: "without skips", 0.5: "skips scaled by ½", 1.0: "with skips"}
NAMES = ("tokens that differ in position alone", "tokens that differ in content alone")

SAID = (  # each sentence, and the theorems that say it
    (
        "A layer is given nothing but what the one before computes: position is still there as far "
        "as two tokens that differ in position alone have different rows",
        (),
    ),
    (
        "Let s be the largest distance of two rows, x M yᵀ the score of x for y, and "
        "κ = ‖M‖ ‖W_V‖ s²/4, with operator norms or larger numbers. Without a skip, attention "
        "multiplies the distance of two rows by κ at most, and leaves no two of them further apart "
        "than ‖M‖ ‖W_V‖ s³/4, which for small s is far below s",
        ("position_after_first_layer_contracts",),
    ),
    (
        "With a skip the distance is multiplied by a factor between 1 − κ and 1 + κ, so that for "
        "κ < 1 position survives the layer, whatever it attends to",
        ("position_after_first_layer_skip",),
    ),
    (
        "For a larger κ the rows of two tokens that differ can become equal, with a skip too",
        ("position_after_first_layer_cancels",),
    ),
    (
        "Where attention is uniform and there is no skip, all rows are equal",
        ("position_after_first_layer_uniform",),
    ),
)
MEASURED = (
    "The figure shows what is measured. Without skips position and content are both gone after a "
    "few layers, of random weights and of a trained encoder, whose norms do not prevent it; with "
    "skips both stay, and neither outlives the other. For the trained encoder κ is far above 1: "
    "there the theorems promise nothing, and that position stays is a measurement. That the κ of "
    "several heads are added, that biases do not enter, and that with a skip scaled by r the "
    "bounds are r − κ and r + κ, are arguments on paper."
)


class WrongFigure(ValueError):
    """A measured spread that is not between the bounds drawn beside it."""


@dataclass(frozen=True)
class Panel:
    """One stack of layers: which weights, the scale of its skips, and what was measured."""

    weights: str
    depth: int  # layers that the stack has; fewer are measured where rows are equal before
    skip: float
    layers: tuple[Layer, ...]

    @property
    def title(self) -> str:
        """What distinguishes it from the others of its row."""
        return WITH[self.skip]

    @property
    def kappas(self) -> tuple[float, float]:
        """The least and the largest κ."""
        found = [x.kappa for x in self.layers[1:]]
        return min(found), max(found)

    @property
    def alt(self) -> str:
        """What one who cannot see it would miss."""
        first, last = self.layers[0], self.layers[-1]
        low, high = (f"{k:.2g}" for k in self.kappas)
        ends = ", ".join(
            f"{name} from {a.measured:.2g} to {b.measured:.2g}"
            for name, a, b in zip(("position", "content"), first.kinds, last.kinds, strict=True)
        )
        return f"{self.weights}, {self.title}: after {last.number} layers {ends}; κ {low} to {high}"


@dataclass(frozen=True)
class SpreadSection:
    """The section: its sentences, each with the theorems that say it, and its figure."""

    title: str
    sentences: tuple[str, ...]
    citations: tuple[str, ...]  # keys in references.bib
    panels: tuple[tuple[Panel, ...], ...]  # row by row
    caption: str

    @property
    def alt(self) -> str:
        """The caption, and every panel in words."""
        return " ".join([self.caption, *(f"{p.alt}." for row in self.panels for p in row)])


def row(weights: str, depth: int, stacks: dict[float, Sequence[Layer]]) -> tuple[Panel, ...]:
    """The panels of these weights; raises WrongFigure where a measured spread is not between its
    bounds."""
    for skip, layers in stacks.items():
        if wrong := exceeded(layers):
            raise WrongFigure(f"{weights}, {WITH[skip]}: {wrong[0]}")
    return tuple(Panel(weights, depth, skip, tuple(layers)) for skip, layers in stacks.items())


@cache
def section() -> SpreadSection:
    """The section, its random stacks computed once."""
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    trained = stacks_of(kept)
    depth = max(x.number for layers in trained.values() for x in layers)
    rows = (
        row("random weights", LAYERS, {r: list(random_stack(r)) for r in SKIPS}),
        row(f"trained encoder {kept['model']}", depth, dict(trained)),
    )
    grid = f"{CONTENTS} contents at each of {POSITIONS} positions"
    words = ", ".join(kept["words"])
    caption = (
        f"The largest distance of two tokens, layer by layer: of two with the same content and "
        f"other positions (circles), and of two with the same position and other contents "
        f"(squares). Every input is a grid, {grid}, at once. Above: one head a layer, X ↦ "
        f"r X + Att(X), random weights scaled to κ = {KAPPA:g} at the input, for r = 0, ½ and 1; "
        f"{LAYERS} layers. Below: the trained encoder {kept['model']} on the words {words}, all "
        f"its {depth} layers (it has no more), measured after attention and skip, before the norm. "
        f"Dashed: the most, and the least where it is not 0, that κ allows from the input of the "
        f"same layer; of several heads the κ are added. A curve ends where float64 tells the "
        f"tokens no longer apart."
    )
    told = [f"{text} ({', '.join(ids)})." if ids else f"{text}." for text, ids in SAID]
    return SpreadSection(TITLE, (*told, MEASURED), ("s0", "dong2021"), rows, caption)
