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
from orderproof.symbolic.models.attention import BLOCK, FEED_FORWARD, HEADS, Weights, Widths
from orderproof.symbolic.models.builders import number, tensor

from .symbols import LETTERS, MATRICES, d, d_k, d_v, n

h, g, d_f = (Set(name) for name in ("h", "g", "d_f"))
WIDTHS = Widths(i=n, c=d, h=h, k=d_k, r=d_v, u=d_f)
WEIGHTS = WIDTHS.tensors(BLOCK)  # of one block
EPSILON = WEIGHTS["epsilon"]


L = Set("L")  # the layers of a stack


def of_all_layers(
    widths: Widths, shapes: Mapping[str, str], layers: Set, suffix: str = ""
) -> Weights:
    """The weights of all layers, with an axis l over the layers; ε, the same in all, without."""
    own = {
        name: tensor(f"{name}{suffix}", **{a: getattr(widths, a) for a in axes}, l=layers)
        for name, axes in shapes.items()
        if name != "epsilon"
    }
    return own | {"epsilon": EPSILON}


def each_layer(
    t: Mapping[str, NDArray[Any]], shapes: Mapping[str, str], suffix: str = ""
) -> list[dict[str, NDArray[Any]]]:
    """The weights of each layer by their names in a block: the axis of layers is the last one."""
    names = [name for name in shapes if name != "epsilon"]
    depth = t[f"{names[0]}{suffix}"].shape[-1]
    return [
        {name: t[f"{name}{suffix}"][..., k] for name in names} | {"epsilon": t["epsilon"]}
        for k in range(depth)
    ]


OF_LAYERS = of_all_layers(WIDTHS, BLOCK, L)
POSITIVE = Atom(number(0), "<", EPSILON)
BUNDLES = {
    tuple(WEIGHTS[name].node for name in HEADS): "theta_A",
    tuple(WEIGHTS[name].node for name in FEED_FORWARD): "theta_F",
    tuple(OF_LAYERS[name].node for name in BLOCK): "theta_L",
}


def show(*named: Named, alike: tuple[Mapping[str, str], ...] = ()) -> Show:
    """How the book writes these tensors."""
    letters = LETTERS | {d: "ce", h: "h", g: "g", d_f: "u", L: "l"}
    return Show(named, MATRICES, letters, frozenset({h, g}), BUNDLES, alike)
