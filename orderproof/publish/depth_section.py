"""The book's section on position after the first layer: what is said, and the figure's numbers.

Random weights are computed when the book is made; of the trained encoder the numbers are kept in
data/trained_depth.json, so that the book needs no weights, with the hash of those they were
measured on.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from orderproof.check.prove.standing import cited
from orderproof.numeric.by_layer import CONTENTS, KAPPA, LAYERS, POSITIONS, random_stack

KEPT = Path(__file__).parent / "data" / "trained_depth.json"
TITLE = "What happens to position after the first layer?"

SAID = (  # each sentence, and the theorems that say it
    (
        "A layer is given nothing but what the one before computes: position is still there as far "
        "as two tokens that differ in position alone have different rows",
        (),
    ),
    (
        "Let attention have no mask and no bias on its scores, and stand before any norm. Let s be "
        "the largest distance of two rows, x M yᵀ the score of x for y, and κ = ‖M‖ ‖W_V‖ s²/4, "
        "with operator norms or larger numbers. Without a skip, attention multiplies the distance "
        "of two rows by κ at most, and leaves no two of them further apart than ‖M‖ ‖W_V‖ s³/4, "
        "which for small s is far below s",
        ("position_after_first_layer_contracts",),
    ),
    (
        "With a skip the distance is multiplied by a factor between 1 − κ and 1 + κ, so that for "
        "κ < 1 tokens that differ still differ after the layer",
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
    "The figure shows what is measured. Without skips position is gone after a few layers of "
    "random weights; with skips it stays, through as many layers as were computed, and through all "
    "layers of a trained encoder. The theorems are about one layer with a small κ, and promise "
    "nothing of a whole stack: that position stays there is a measurement."
)


@dataclass(frozen=True)
class Curve:
    """One stack of layers, and the distance at its input and after each layer; it ends where
    float64 no longer tells the tokens apart."""

    name: str
    layers: int  # that the stack has
    distances: tuple[float, ...]


@dataclass(frozen=True)
class DepthSection:
    """The section: its sentences, each with the theorems that say it, and its figure."""

    title: str
    sentences: tuple[str, ...]
    citations: tuple[str, ...]  # keys in references.bib
    curves: tuple[Curve, ...]
    caption: str

    @property
    def alt(self) -> str:
        """The caption, and every curve in words."""
        told = [self.caption]
        for c in self.curves:
            first, *later = c.distances
            told.append(f"{c.name}: {first:.2g}, and {later[-1]:.2g} after {len(later)} layers.")
        return " ".join(told)


def section() -> DepthSection:
    """The section, its random stacks computed."""
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    trained, words = tuple(kept["apart"]), ", ".join(kept["words"])
    curves = (
        Curve("random weights, without skips", LAYERS, tuple(random_stack(0.0))),
        Curve("random weights, with skips", LAYERS, tuple(random_stack(1.0))),
        Curve(f"trained encoder {kept['model']}", len(trained) - 1, trained),
    )
    caption = (
        f"The largest distance of two tokens with the same content and other positions, layer by "
        f"layer. The input is a grid, {CONTENTS} contents at each of {POSITIONS} positions, at "
        f"once. Random weights: one head a layer without mask, bias or norm, X ↦ Att(X), with a "
        f"skip X + Att(X), scaled to "
        f"κ = {KAPPA:g} at the input; {LAYERS} layers. The trained encoder {kept['model']} has the "
        f"words {words} for contents, and {len(trained) - 1} layers, with their norms, of which "
        f"the theorems say nothing. A curve "
        f"ends early where float64 tells the tokens no longer apart."
    )
    by = {text: "; ".join(map(cited, ids)) for text, ids in SAID}
    told = [f"{text} ({by[text]})." if by[text] else f"{text}." for text, _ in SAID]
    return DepthSection(TITLE, (*told, MEASURED), ("s0", "dong2021"), curves, caption)
