"""Channels put into places, and places into channels."""

from __future__ import annotations

from typing import Any

from ..graph import Call
from ..reader import Reader, operator


@operator("DepthToSpace")
def depth_to_space(r: Reader, c: Call, args: list[Any]) -> Any:
    x, k = r.as_tensor(args[0]), int(c.attributes["blocksize"])
    batch, channels, rows, columns = r.sizes(x)
    left = channels / k**2
    if str(c.attributes.get("mode", "DCR")) == "CRD":
        split = r.reshape(x, [batch, left, k, k, rows, columns])
        moved = r.permute(split, [0, 1, 4, 2, 5, 3])
    else:
        split = r.reshape(x, [batch, k, k, left, rows, columns])
        moved = r.permute(split, [0, 3, 4, 1, 5, 2])
    return r.reshape(moved, [batch, left, rows * k, columns * k])


@operator("SpaceToDepth")
def space_to_depth(r: Reader, c: Call, args: list[Any]) -> Any:
    x, k = r.as_tensor(args[0]), int(c.attributes["blocksize"])
    batch, channels, rows, columns = r.sizes(x)
    split = r.reshape(x, [batch, channels, rows / k, k, columns / k, k])
    first = str(c.attributes.get("mode", "DCR")) == "CRD"  # channels before blocks
    moved = r.permute(split, [0, 1, 3, 5, 2, 4] if first else [0, 3, 5, 1, 2, 4])
    return r.reshape(moved, [batch, channels * k**2, rows / k, columns / k])
