"""The symmetries that a position scheme may have, and when its position tensors have them.

What the kernel proves of a model rests on hypotheses such as B(σ(i), σ(j)) = B(i, j). Here they are
settled: at a given n by looking at every entry, and for all n and all parameters by Z3, as
questions about integers. Both read the one definition of the scheme.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import z3

from orderproof.symbolic.smt.obligation import Obligation
from orderproof.symbolic.witness.scheme_file import LEAST

from .definitions import QUERY, Frame, Key, PositionScheme, Spot, pick

Sigma = tuple[int, ...]


@dataclass(frozen=True)
class Symmetry:
    """A family of permutations and what is asked of them. `reads` is "layer": f(PX) = P f(X);
    "last": the last row of f is the same; "offset": f is the same with all positions shifted;
    "ids": f(PX) = P f(X) with the positions permuted along. `depth` counts layers (0: any)."""

    name: str
    says: str
    reads: str
    depth: int
    generators: Callable[[PositionScheme, int], Iterator[Sigma]]

    def unit(self, s: PositionScheme) -> int:
        """What n, less the scheme's last tokens, is a multiple of."""
        if s.unit:
            return s.parameters[s.unit]
        return 2 if self.name == "blocks" else 1

    def fits(self, s: PositionScheme, n: int) -> bool:
        """Whether there is a family for n tokens."""
        return n >= s.extra and (n - s.extra) % self.unit(s) == 0


def _swaps(count: int, n: int) -> Iterator[Sigma]:
    """Swaps of neighbours among the first `count` of n: they generate all permutations of them."""
    for k in range(count - 1):
        yield (*range(k), k + 1, k, *range(k + 2, n))


def _blocks(s: PositionScheme, n: int) -> Iterator[Sigma]:
    """Swaps of neighbouring blocks: the scheme's own, or of 2, before its last tokens."""
    unit = s.parameters[s.unit] if s.unit else 2
    count, rest = divmod(n - s.extra, unit)
    if not rest:
        for swap in _swaps(count, count):
            yield (*(b * unit + r for b in swap for r in range(unit)), *range(n - s.extra, n))


_LAST_FIXED = "permutation of the context, the last token fixed"
SYMMETRIES: dict[str, Symmetry] = {
    s.name: s
    for s in (
        Symmetry("permutation", "any permutation of the tokens of a layer", "layer", 1,
                 lambda s, n: _swaps(n, n)),
        Symmetry("context-1", f"{_LAST_FIXED}, one layer", "last", 1,
                 lambda s, n: _swaps(n - 1, n)),
        Symmetry("context-2", f"{_LAST_FIXED}, two layers", "last", 2,
                 lambda s, n: _swaps(n - 1, n)),
        Symmetry("context-any", f"{_LAST_FIXED}, any depth", "last", 0,
                 lambda s, n: _swaps(n - 1, n)),
        Symmetry("shift", "cyclic shift of the tokens", "layer", 1,
                 lambda s, n: iter([(*range(1, n), 0)] if n > 1 else [])),
        Symmetry("reversal", "reversal of the tokens", "layer", 1,
                 lambda s, n: iter([tuple(range(n))[::-1]] if n > 1 else [])),
        Symmetry("offset", "a common offset of all positions", "offset", 1,
                 lambda s, n: iter([tuple(range(n))])),
        Symmetry("ids", "permutation of tokens together with their positions", "ids", 1,
                 lambda s, n: _swaps(n, n)),
        Symmetry("blocks", "permutation of blocks, each kept in order", "layer", 1, _blocks),
    )
}  # fmt: skip


# ------------------------------------------------------------------------ at a size, entry by entry
def holds_at(s: PositionScheme, symmetry: Symmetry, n: int, sigma: Sigma) -> bool:
    """Whether the hypotheses of the kernel's theorem hold of the tensors of n places: those of
    the last row where one layer is read there, else those of all."""
    f, shift = s.frame(n), int(symmetry.reads == "offset")
    before = [s.spot(i, n) for i in range(n)]
    after = [s.spot(i, n, shift) for i in sigma]
    rows = [n - 1] if symmetry.reads == "last" and symmetry.depth == 1 else range(n)
    return all(
        entry(s, before[i], before[j], f) == entry(s, after[i], after[j], f)
        for i in rows
        for j in range(n)
    )


def entry(s: PositionScheme, i: Spot, j: Spot, f: Frame) -> tuple[Any, Any, Any]:
    """What the tensors' entries at two places are functions of: label of the pair (where it is
    seen: what is not may be taken as 0), row of the second, and whether it is seen."""
    seen = s.seen(i, j, f) if s.seen else True
    label = s.label(s.pair(i, j, f), f) if s.pair and seen else None
    return label, s.own(j, f) if s.own else None, seen


def label_of(s: PositionScheme, key: Key, f: Frame) -> Key:
    """What the entry of a free table is found by, as a tuple."""
    label = s.label(key, f)
    return label if isinstance(label, tuple) else (label,)


# ------------------------------------------------------------------------ for all n, by Z3
def obligations(
    s: PositionScheme,
    symmetry: Symmetry,
    *,
    within_edge: bool = False,
    own_parameters: bool = False,
) -> tuple[Obligation, ...] | None:
    """The hypotheses as questions about integers, for every n and all parameters (those within the
    scheme's edge, or its own alone); None where a permutation of this family does not say where a
    place goes."""
    if own_parameters:
        return _of_own_parameters(s, symmetry)
    f = {name: z3.Int(name) for name in ("n", *s.parameters)}
    assume = [f["n"] >= 1, *(f[name] >= LEAST[name] for name in s.parameters)]
    if within_edge and s.edge:
        assume.append(s.edge[1](f))
    i, j = (_place(s, name, f, assume) for name in "ij")
    if symmetry.reads == "last" and symmetry.depth == 1:
        return _last_row(s, f, assume)
    moved = [_moved(s, symmetry, p, f, assume) for p in (i, j)]
    if None in moved:
        return None
    a, b = (m for m in moved if m is not None)
    return tuple(
        Obligation(f"{s.name}_{symmetry.name}_{what}", f"{what} for all n", tuple(assume), goal)
        for what, goal in _equal(s, (i, j), (a, b), f)
    )


def _of_own_parameters(s: PositionScheme, symmetry: Symmetry) -> tuple[Obligation, ...] | None:
    """The same for the numbers that the parameters are: all places are by their numbers."""
    n, i, j = z3.Ints("n i j")
    f: Frame = {"n": n, **s.parameters}
    assume = [n >= 1, i >= 0, i < n, j >= 0, j < n]
    if (unit := symmetry.unit(s)) > 1:
        assume.append(n == unit * z3.Int("m") + s.extra)
    one_row = symmetry.reads == "last" and symmetry.depth == 1
    sigma = z3.Function("sigma", z3.IntSort(), z3.IntSort())
    to: Any = {
        "permutation": sigma, "context-1": sigma, "context-2": sigma, "context-any": sigma,
        "blocks": sigma,  # of any permutation, and so of those of blocks
        "shift": lambda x: pick(x + 1 < n, x + 1, 0), "reversal": lambda x: n - 1 - x,
        "offset": lambda x: x,
    }.get(symmetry.name)  # fmt: skip
    if to is None:
        return None
    if to is sigma:
        assume += [c for x in (i, j) for c in (sigma(x) >= 0, sigma(x) < n)]
        assume.append((sigma(i) == sigma(j)) == (i == j))
        if symmetry.reads == "last":
            assume += [(sigma(x) == n - 1) == (x == n - 1) for x in (i, j)]
    if one_row:
        assume.append(i == n - 1)
    shift = int(symmetry.reads == "offset")
    pairs = [s.spot(x, n) for x in (i, j)], [s.spot(to(x), n, shift) for x in (i, j)]
    (a, b), (c, e) = pairs
    return tuple(
        Obligation(f"{s.name}_{symmetry.name}_own_{what}", f"{what} for all n", tuple(assume), goal)
        for what, goal in _equal(s, (a, b), (c, e), f, coarse=True)
    )


def _last_row(s: PositionScheme, f: Frame, assume: list[Any]) -> tuple[Obligation, ...] | None:
    """The last place treats any two places of the context alike."""
    if s.unit:
        return None
    last, j, k = Spot(f["n"] - 1), Spot(z3.Int("j")), Spot(z3.Int("k"))
    assume += [j.number >= 0, j.number < f["n"] - 1, k.number >= 0, k.number < f["n"] - 1]
    return tuple(
        Obligation(f"{s.name}_last_row_{what}", f"{what} of the last row", tuple(assume), goal)
        for what, goal in _equal(s, (last, j), (last, k), f)
    )


def _equal(
    s: PositionScheme, one: tuple[Spot, Spot], other: tuple[Spot, Spot], f: Frame,
    *, coarse: bool = False,
) -> Iterator[tuple[str, Any]]:  # fmt: skip
    """That the entries at two pairs of places are functions of the same: of the same key, or
    (`coarse`) of the same label."""
    if s.own:
        rows = zip(s.own(one[1], f), s.own(other[1], f), strict=True)
        yield "row", z3.And(*(a == b for a, b in rows))
    if s.pair:
        keys = [s.pair(*one, f), s.pair(*other, f)]
        if coarse:
            keys = [label_of(s, key, f) for key in keys]
        yield "entry", z3.And(*(a == b for a, b in zip(*keys, strict=True)))
    if s.seen:
        yield "mask", s.seen(*one, f) == s.seen(*other, f)


def _place(s: PositionScheme, name: str, f: Frame, assume: list[Any]) -> Spot:
    """Any place: by its number, or where sizes are multiples by block and rank (n = m·unit)."""
    if not s.unit:
        number = z3.Int(name)
        assume += [number >= 0, number < f["n"]]
        return Spot(number)
    block, rank, blocks = z3.Int(f"{name}_block"), z3.Int(f"{name}_rank"), z3.Int("m")
    inside = z3.And(block >= 0, block < blocks, rank >= 0, rank < f[s.unit])
    query = z3.And(block == QUERY, rank == f[s.unit])
    assume += [blocks >= 0, z3.Or(inside, query) if s.extra else inside]
    return Spot(None, block, rank)


def _moved(
    s: PositionScheme, symmetry: Symmetry, p: Spot, f: Frame, assume: list[Any]
) -> Spot | None:
    """Where a permutation of the family takes a place."""
    blocks = z3.Int("m")
    match symmetry.name:
        case "permutation" | "context-2" | "context-any" | "blocks" if not s.unit:
            sigma = z3.Function("sigma", z3.IntSort(), z3.IntSort())
            assume += [sigma(p.number) >= 0, sigma(p.number) < f["n"]]
            return Spot(sigma(p.number))
        case "shift" if not s.unit:
            return Spot(z3.If(p.number + 1 < f["n"], p.number + 1, 0))
        case "reversal" if not s.unit:
            return Spot(f["n"] - 1 - p.number)
        case "reversal" if not s.extra and s.unit:
            return Spot(None, blocks - 1 - p.block, f[s.unit] - 1 - p.rank)
        case "offset" if not s.unit:
            return Spot(p.number + z3.Int("by"))
        case "offset" if s.grid:
            return Spot(None, p.block + z3.Int("rows"), p.rank + z3.Int("columns"))
        case "blocks" if s.unit:
            tau, back = (z3.Function(x, z3.IntSort(), z3.IntSort()) for x in ("tau", "tau_inverse"))
            assume += [back(tau(p.block)) == p.block, (tau(p.block) == QUERY) == (p.block == QUERY)]
            return Spot(None, tau(p.block), p.rank)
    return None
