"""Resizing: along each dimension a table of weights, from the places between positions."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import sympy

from ..graph import Array, Call
from ..reader import Reader, operator
from ..values import SizeAt, Tensor
from .scans import linear

ROUNDED: Any = {
    "round_prefer_floor": lambda x: np.ceil(x - 0.5),
    "round_prefer_ceil": lambda x: np.floor(x + 0.5),
    "floor": np.floor,
    "ceil": np.ceil,
}
PLACED = ("half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric")


@dataclass(frozen=True)
class Resized:
    """How positions of a dimension of `own` entries become `count`; without a scale it is
    count / own."""

    own: Any
    count: Any
    scale: Any
    mode: str
    placed: str
    rounded: str
    coefficient: float
    inside_only: bool

    def weights(self, at: SizeAt) -> Array:
        """The table: of each new position the weights of the old ones."""
        own, count = at(self.own), at(self.count)
        scale = count / own if self.scale is None else float(self.scale)
        x = np.arange(count, dtype=float)
        match self.placed:
            case "asymmetric":
                x = x / scale
            case "align_corners":
                x = x * (own - 1) / (count - 1) if count > 1 else x * 0
            case "pytorch_half_pixel" if count == 1:
                x = x * 0
            case "half_pixel_symmetric":
                x = own / 2 * (1 - count / (own * scale)) + (x + 0.5) / scale - 0.5
            case _:
                x = (x + 0.5) / scale - 0.5
        if self.mode == "nearest":
            places, parts = [ROUNDED[self.rounded](x)], [np.ones_like(x)]
        else:
            low = np.floor(x)
            t = x - low
            places, parts = [low, low + 1], [1 - t, t]
            if self.mode == "cubic":
                places = [low + k for k in (-1, 0, 1, 2)]
                parts = [self._cubic(np.abs(t - k)) for k in (-1, 0, 1, 2)]
        table = np.zeros((count, own))
        for place, part in zip(places, parts, strict=True):
            if self.inside_only:
                part = np.where((place >= 0) & (place < own), part, 0)
            kept = np.clip(place, 0, own - 1).astype(int)
            np.add.at(table, (np.arange(count), kept), part)
        return table / table.sum(axis=1, keepdims=True) if self.inside_only else table

    def _cubic(self, d: Any) -> Any:
        a = self.coefficient
        near = (a + 2) * d**3 - (a + 3) * d**2 + 1
        far = a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a
        return np.where(d <= 1, near, np.where(d < 2, far, 0))


@operator("Resize")
def resize(r: Reader, c: Call, args: list[Any]) -> Any:
    x, get = r.as_tensor(args[0]), c.attributes.get
    args = [*args, *[None] * (4 - len(args))]
    placed = str(get("coordinate_transformation_mode", "half_pixel"))
    mode = str(get("mode", "nearest"))
    policy = str(get("keep_aspect_ratio_policy", "stretch"))
    if placed not in PLACED or mode not in ("nearest", "linear", "cubic"):
        raise r.refuse(f"a resize with {placed} and {mode}")
    if get("antialias", 0) or policy != "stretch":
        raise r.refuse("a resize with antialias or keep_aspect_ratio_policy")
    dims = r.dimensions(get("axes", range(len(x.dims))), len(x.dims))
    scales, sizes = _asked(r, args, [r.sizes(x)[d] for d in dims])
    for dim, scale, count in zip(dims, scales, sizes, strict=True):
        own = r.sizes(x)[dim]
        count = r.atoms.canonical(count)
        if count == own and scale in (None, 1):
            continue
        exact = own if scale is None else own * sympy.Rational(*scale.as_integer_ratio())
        if placed == "align_corners" and scale is not None and sympy.expand(count - exact) != 0:
            raise r.refuse("a resize to a size that is no whole number, with align_corners")
        how = Resized(
            own, count, scale, mode, placed, str(get("nearest_mode", "round_prefer_floor")),
            float(np.float32(get("cubic_coeff_a", -0.75))), bool(get("exclude_outside", 0)),
        )  # fmt: skip
        x = _along(r, x, dim, how)
    return x


def _asked(r: Reader, args: list[Any], own: list[Any]) -> tuple[list[Any], list[Any]]:
    """The scale and the new size of each dimension; of given sizes no scale."""
    if args[3] is not None and r.sizes_of(args[3]) != (0,):
        return [None] * len(own), list(r.ints(args[3], "the sizes").flat)
    given = r.array(args[2]) if args[2] is not None else None
    if given is None or given.size != len(own):
        raise r.refuse("scales that depend on data or sizes, expected constants")
    scales = [Fraction(float(s)) for s in given.reshape(-1)]
    found = [sympy.floor(n * sympy.Rational(s.numerator, s.denominator))
             for n, s in zip(own, scales, strict=True)]  # fmt: skip
    return list(scales), found


def _along(r: Reader, x: Tensor, dim: int, how: Resized) -> Tensor:
    new = x.dims[dim] if how.count == how.own else r.atoms.new(how.count, "positions")
    if not new or not r.atoms.resolve(x.dims[dim]):
        new = r.atoms.new(how.count, "positions")
    name = f"weights of {r.node}, dimension {dim}"
    return linear(r, x, r.table(name, [new, x.dims[dim]], lambda _, at: how.weights(at)), dim)
