"""The figure of position after the first layer: its numbers, and what they are of.

Random weights are computed when the book is made; of the trained encoder the numbers are kept in
data/trained_depth.json, so that the book needs no weights, with the hash of those they were
measured on.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from orderproof.numeric.by_layer import CONTENTS, KAPPA, LAYERS, POSITIONS, random_stack

KEPT = Path(__file__).parent / "data" / "trained_depth.json"


@dataclass(frozen=True)
class Curve:
    """One stack of layers, and the distance at its input and after each layer; it ends where
    float64 no longer tells the tokens apart."""

    name: str
    layers: int  # that the stack has
    distances: tuple[float, ...]


@dataclass(frozen=True)
class DepthSection:
    """The curves of the figure, and its caption."""

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
    """The figure, its random stacks computed."""
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
    return DepthSection(curves, caption)
