"""A refutation for every n: tensors that differ by two solvers, and why an output then does.

A theorem of the catalogue says why (refutations.py). Where none does, nothing is known of every n,
and there is a witness at each size that was looked at.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice, pairwise

from orderproof.proofs.marks.smt import settled
from orderproof.symbolic.schemes.definitions import PositionScheme
from orderproof.symbolic.schemes.every_size import Broken
from orderproof.symbolic.schemes.rotations import DISTINCT_ROWS
from orderproof.symbolic.schemes.search import find
from orderproof.symbolic.schemes.sizes import Sizes, candidates
from orderproof.symbolic.schemes.symmetries import SYMMETRIES, Symmetry
from orderproof.symbolic.smt.obligation import Obligation
from orderproof.symbolic.witness.replay import check

from .refutations import Argument, ByTheorem, arguments

LEAST = 3  # sizes from which a guess for every n may be made
GUESSES = 4  # permutations and places that are put to the solvers before none is found


@dataclass(frozen=True)
class Everywhere:
    """For which n a refutation is: `regime` in words, and `reason`. `replayed` are the sizes with
    a witness of their own that replays. `ground` is what every n rests on, None if nothing does;
    `rule` says that it is proved for all values of the scheme's parameter; `below`, if set, that it
    is for n below that alone."""

    regime: str
    reason: str
    replayed: tuple[int, ...]
    ground: ByTheorem | None = None
    rule: bool = False
    below: int | None = None


def everywhere(s: PositionScheme, y: Symmetry, sizes: Sizes) -> Everywhere:
    """From the tensors to a difference of outputs: for every n; or for every n from some size on,
    with witnesses before; else at the sizes looked at."""
    shown: list[int] = []
    for k, n in enumerate(sizes.breaking):
        later = sizes.beyond(k)
        for argument in arguments(s, y):
            found = _proved(s, y, argument, later)
            if found is not None:
                return _stated(argument, *found, tuple(shown))
        if sizes.again or len(later.breaking) < LEAST or not _shown_at(s, y, n, sizes):
            break
        shown.append(n)
    replayed = _replayed(s, y, sizes)
    reason = f"a witness was replayed at each of n = {listed(replayed)}"
    for what in ("row", "entry", "mask"):
        found = _differing(s, y, y, what, sizes)
        if found is not None:
            broken, how = found
            reason += f"; the position tensors change for {broken.regime} ({how})"
            break
    return Everywhere(f"n = {listed(replayed)}", reason, replayed)


def _stated(argument: Argument, broken: Broken, how: str, shown: tuple[int, ...]) -> Everywhere:
    """The refutation by an argument; `shown` are smaller sizes, refuted by witnesses."""
    before = f"n = {listed(shown)} by a witness, " if shown else ""
    differs = f"{broken.says} ({how})"
    reason = f"{before}{broken.regime}: {differs}; so an output differs by {argument.ground}"
    rule = bool(broken.parameter and not shown)
    regime = before + broken.regime
    return Everywhere(regime, reason, shown, argument.ground, rule, broken.below)


def _proved(
    s: PositionScheme, y: Symmetry, argument: Argument, sizes: Sizes
) -> tuple[Broken, str] | None:
    """The tensors that differ as an argument asks, and the solvers that say so."""
    single = argument.one_layer and y.depth != 1
    read = SYMMETRIES["context-1"] if single else y
    return _differing(s, read, y, argument.difference, sizes, *argument.questions)


def _differing(
    s: PositionScheme, read: Symmetry, of: Symmetry, what: str, sizes: Sizes, *more: Obligation
) -> tuple[Broken, str] | None:
    """Tensors that differ for every n from the smallest on, and the solvers that say so."""
    for guess in islice(candidates(s, read, sizes, what, of), GUESSES):
        for broken in (guess, replace(guess, below=DISTINCT_ROWS))[: 1 + s.transcendental]:
            good, said = settled((*broken.obligations(), *more), broken.regime)
            if good is True:
                return broken, said.partition(":")[0]
    return None


def _replayed(s: PositionScheme, y: Symmetry, sizes: Sizes) -> tuple[int, ...]:
    """The sizes at which there is a witness, replayed."""
    return tuple(n for n in sizes.breaking if _shown_at(s, y, n, sizes))


def _shown_at(s: PositionScheme, y: Symmetry, n: int, sizes: Sizes) -> bool:
    """Whether there is a witness at n, replayed."""
    w = find(s, y, n, sizes.breaking[n], confirm=False)
    return w is not None and check(w).ok


def listed(sizes: tuple[int, ...]) -> str:
    """Sizes in words: n = 3, …, 8."""
    if len(sizes) > 3 and len({b - a for a, b in pairwise(sizes)}) == 1:
        middle = "…" if sizes[1] == sizes[0] + 1 else f"{sizes[1]}, …"
        return f"{sizes[0]}, {middle}, {sizes[-1]}"
    return ", ".join(map(str, sizes)) or "none"
