"""The symbols of the encoder: heads, row-wise maps, blocks and layers, and how they are written.

h heads, d_f hidden features; in matrices a head is a subscript: Q_h, and W_{O,h} the rows of the
output projection that are head h's
γ and β the gain and bias of a norm, ε > 0 what keeps its divisor from 0; θ weights taken together
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from orderproof.proofs.check.claims import Atom, Named, Show
from orderproof.symbolic.calculus.terms import Set
from orderproof.symbolic.models.attention import BLOCK, FEED_FORWARD, HEADS, Widths
from orderproof.symbolic.models.builders import number

from .symbols import LETTERS, MATRICES, d, d_k, d_v, n

h, g, d_f = (Set(name) for name in ("h", "g", "d_f"))
WIDTHS = Widths(i=n, c=d, h=h, k=d_k, r=d_v, u=d_f)
WEIGHTS = WIDTHS.tensors(BLOCK)  # of one block
EPSILON = WEIGHTS["epsilon"]


def layer(number: int) -> dict[str, Any]:
    """The weights of a layer, ε the same in all."""
    return {**WIDTHS.tensors(BLOCK, f",{number}"), "epsilon": EPSILON}


LAYERS = [layer(number) for number in range(1, 13)]
POSITIVE = Atom(number(0), "<", EPSILON)
BUNDLES = {
    tuple(WEIGHTS[name].node for name in HEADS): "theta_A",
    tuple(WEIGHTS[name].node for name in FEED_FORWARD): "theta_F",
} | {
    tuple(w[name].node for name in BLOCK): f"theta_{number}" for number, w in enumerate(LAYERS, 1)
}  # fmt: skip


def show(*named: Named, alike: tuple[Mapping[str, str], ...] = ()) -> Show:
    """How the book writes these tensors."""
    letters = LETTERS | {d: "ce", h: "h", g: "g", d_f: "u"}
    return Show(named, MATRICES, letters, frozenset({h, g}), BUNDLES, alike)


def of_layer(given: dict[str, NDArray[Any]], number: int) -> dict[str, NDArray[Any]]:
    """The weights of a layer by the names that they have in a block."""
    own = {name: given[f"{name},{number}"] for name in BLOCK if name != "epsilon"}
    return own | {"epsilon": given["epsilon"]}
