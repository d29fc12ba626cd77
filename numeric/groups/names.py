"""Names of permutation groups, each from a reason that is checked: S_n, C_n, D_n, S_a ≀ S_b, ..."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from orderproof.symbolic.counting import cycles

from .automorphisms import Group, Item, Permutation, orbits

WORDS = 400  # products that are tried as the rotation of a cyclic or dihedral group


def name(group: Group) -> str | None:
    """The group's name: "trivial", "S_5", "S_2 × Z_2", "S_128 ≀ S_4", "D_6"; None where it has no
    common one, or where it is open; "Z_2 (reversal)" where the only other permutation reverses the
    order. What twins generate is a product of symmetric groups; the rest acts on the items."""
    if group.open:
        return None
    if group.order == 2 and group.generators[0] == tuple(reversed(range(group.n))):
        return "Z_2 (reversal)"
    items, outer = group.items, group.outer
    q = len(items)
    around = orbits(q, outer)
    still = [o[0] for o in around if len(o) == 1]
    moved = [o for o in around if len(o) > 1]
    fixed = _product([items[k].inner for k in still])
    if not moved:
        return fixed or "trivial"
    acting = _acting(q, outer, group.outer_order, moved)
    if acting is None:
        return None
    return _product([fixed, *_extended(items, moved, acting)])


def _extended(items: Sequence[Item], moved: Sequence[tuple[int, ...]], acting: str) -> list[str]:
    """The moved items' insides with the group that acts on them."""
    inner = [items[o[0]].inner for o in moved]
    if not any(inner):
        return [acting]
    if len(moved) == 1:
        return [f"{_bracket(inner[0])} ≀ {acting}"]
    below = _product([s for o in moved for s in [items[o[0]].inner] * len(o)])
    return [f"({below}) ⋊ {_bracket(acting)}"]


def _acting(
    q: int, generators: Sequence[Permutation], order: int, moved: Sequence[tuple[int, ...]]
) -> str | None:
    """The name of a group of that order on q points."""
    if order == 2:
        return "Z_2"
    for orbit in moved:  # it acts on one orbit as Sym, and order leaves no kernel
        if order == math.factorial(len(orbit)) and _is_symmetric(orbit, generators):
            return f"S_{len(orbit)}"
    squares = all(_compose(g, g) == tuple(range(q)) for g in generators)
    if squares and all(_compose(g, h) == _compose(h, g) for g in generators for h in generators):
        k = order.bit_length() - 1
        return " × ".join(["Z_2"] * k) if k < 4 else f"Z_2^{k}"
    words = list(_words(generators))
    for r in words:
        period = _period(r)
        if period == order:
            return f"C_{order}"
        if 2 * period == order and period > 2:
            inverse = _inverse(r)
            for s in words:
                # s r s = r⁻¹ with r of order over 2: s is no power of r
                if _period(s) == 2 and _compose(_compose(s, r), s) == inverse:
                    return f"D_{period}"
    return None


def _is_symmetric(orbit: Sequence[int], generators: Sequence[Permutation]) -> bool:
    """Whether the action on the orbit is all of Sym(orbit): by swaps among the generators that
    connect it, by a swap of neighbours in a cycle of all, or by Schreier and Sims (SymPy) where it
    is small.

    With |G| = |orbit|! this makes G isomorphic to Sym(orbit)."""
    moved = [[t for t in orbit if g[t] != t] for g in generators]
    swaps = [g for g, some in zip(generators, moved, strict=True) if len(some) == 2]
    pairs = {frozenset(some) for some in moved if len(some) == 2}
    for g in generators:
        around = [orbit[0]]
        while g[around[-1]] != orbit[0]:
            around.append(g[around[-1]])
        if len(around) == len(orbit) and any({a, g[a]} in pairs for a in around):
            return True
    place = {t: k for k, t in enumerate(orbit)}
    acting = [tuple(place[g[t]] for t in orbit) for g in swaps]
    if len(orbits(len(orbit), acting)) == 1:
        return True
    if len(orbit) > 64:
        return False
    from sympy.combinatorics import Permutation as Perm
    from sympy.combinatorics import PermutationGroup

    whole = PermutationGroup([Perm([place[g[t]] for t in orbit]) for g in generators])
    return bool(whole.order() == math.factorial(len(orbit)))


def _words(generators: Sequence[Permutation]) -> Iterator[Permutation]:
    """Generators, and products of two, three, ... of them, up to a limit."""
    seen = dict.fromkeys(generators)
    level = list(seen)
    while level and len(seen) < WORDS:
        fresh = {_compose(g, h): None for g in level for h in generators if g != h}
        level = [w for w in fresh if w not in seen][: WORDS - len(seen)]
        seen.update(dict.fromkeys(level))
    yield from seen


def _compose(f: Permutation, g: Permutation) -> Permutation:
    """First g, then f."""
    return tuple(f[k] for k in g)


def _inverse(f: Permutation) -> Permutation:
    inverse = [0] * len(f)
    for k, image in enumerate(f):
        inverse[image] = k
    return tuple(inverse)


def _period(sigma: Permutation) -> int:
    return math.lcm(*(len(c) for c in cycles(sigma)))


def _bracket(text: str) -> str:
    return f"({text})" if " " in text else text


def _product(names: Sequence[str]) -> str:
    """A direct product of those that are not trivial, equal ones as a power."""
    counted: dict[str, int] = {}
    for part in names:
        if part:
            counted[part] = counted.get(part, 0) + 1
    if len(counted) == 1 and 1 in counted.values():
        return next(iter(counted))
    return " × ".join(
        f"{_bracket(p)}^{k}" if k > 1 else (f"({p})" if "≀" in p or "⋊" in p else p)
        for p, k in counted.items()
    )
