"""A refutation for every n: tensors that differ by two solvers, and why attention shows it.

That the position tensors lack a symmetry does not yet say that a model does (a bias that is the
same along each row has the trivial stabiliser and shows nothing). What says it is a theorem of the
catalogue, or an argument of a line; where there is none, a witness at each size that was looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, pairwise

from orderproof.symbolic.differing import Lack, last_row_reads
from orderproof.symbolic.lacking import Sizes, lack
from orderproof.symbolic.position_replay import check
from orderproof.symbolic.position_schemes import PositionScheme
from orderproof.symbolic.position_search import find
from orderproof.symbolic.symmetries import SYMMETRIES, Symmetry

from .marks import settled

LEAST = 3  # sizes from which a guess for every n may be made
GUESSES = 4  # permutations and places that are put to the solvers before none is found
ADDED = "additive_position_iff, for a table with these rows different"
BIASED = "score_bias_iff"
MASKED = "with W_Q = 0 a token has the weight 0 on one side and a positive one on the other"
SILENT = "one layer shows it (W_V = 0 in the others, which then add nothing)"
COLUMNS = (
    "with W_Q = 0 and W_V = 1 in both layers all that changes is what the last token reads of "
    "token j by way of the others: 1/n times the sum of column j of the weights, term by term no "
    "less for one of the two and once more"
)
READ = (
    "with X the opposite of the rows and 1 more at the last token, and W_K = W_V = 1 in a feature "
    "in which the two rows differ by δ, the last output is g/(n − 1 + g) before and "
    "(δ(u − 1/u) + g)/(n − 3 + u + 1/u + g) after, g = exp(W_Q), u = exp(δ W_Q): more, if W_Q is "
    "such that √u − 1/√u = δ"
)
KEYED = (
    "with a first feature that is 1 in all tokens, read by W_Q alone, and W_K = 0, the term is a "
    "bias: score_bias_iff in a second feature"
)
TURNED = (
    "with token i the first and token j the second unit vector, 0 elsewhere, W_Q and W_K = I and "
    "W_V the projection on the first feature, the output at token i is g/(g + exp(−sin(o)/√d) + "
    "n − 2), g = exp(1/√d), at the offset o, and sines of different integers differ"
)
LATER = (
    "for the table with p in row p and X the opposite of the rows, all tokens are 0 on one side "
    "and 1 on the other, and weights add up to 1"
)
SINES = (
    "with X the opposite of the rows and W_Q = 0 the output is 0 on one side, and on the other the "
    "mean of sin(p + 1) − sin(p), p < n, in the first feature: sin(n)/n, which is not 0"
)


@dataclass(frozen=True)
class Everywhere:
    """For which n a refutation is: `regime` in words, and `reason`. `replayed` are the sizes with
    a witness of their own that replays; `proved` says that no size is left out; `rule` that it is
    for all values of the scheme's parameter."""

    regime: str
    reason: str
    replayed: tuple[int, ...]
    proved: bool
    rule: bool


def everywhere(s: PositionScheme, y: Symmetry, sizes: Sizes) -> Everywhere:
    """From the tensors to a difference of outputs: for every n; or for every n from some size on,
    with witnesses before; else at the sizes looked at."""
    shown: list[int] = []
    for k, n in enumerate(sizes.lacked):
        later = sizes.beyond(k)
        for what, read, because in _arguments(s, y):
            found = _proved(s, read, what, later, y)
            if found is not None:
                lacking, how = found
                before = f"n = {listed(tuple(shown))} by a witness, " if shown else ""
                return Everywhere(
                    before + lacking.regime,
                    f"{lacking.says}: {how}; {because}",
                    tuple(shown), True, bool(lacking.parameter and not shown),
                )  # fmt: skip
        if sizes.again or len(later.lacked) < LEAST or not _shown_at(s, y, n, sizes):
            break
        shown.append(n)
    replayed = tuple(n for n in sizes.lacked if n in shown or _shown_at(s, y, n, sizes))
    reason = f"a witness replayed at each of n = {listed(replayed)}"
    for what in ("row", "entry", "mask"):
        found = _proved(s, y, what, sizes, y)
        if found is not None:
            lacking, how = found
            reason += f"; the position tensors lack it for {lacking.regime}: {how}"
            break
    return Everywhere(f"n = {listed(replayed)}", reason, replayed, False, False)


def _arguments(s: PositionScheme, y: Symmetry) -> Iterator[tuple[str, Symmetry, str]]:
    """What would have to differ, under which symmetry, and why an output then does."""
    free = not (s.own and s.transcendental)  # a table that may be 0
    one_layer = y if y.depth == 1 else SYMMETRIES["context-1"]
    silent = "" if y.depth == 1 else f"; {SILENT}"
    last = y.reads == "last"
    if s.letters == "E" and y.reads == "layer":
        yield "row", y, ADDED
    if s.seen and free:
        yield "mask", one_layer, MASKED + silent
    if s.tensor == "B" and y.reads != "offset":
        yield "bias", one_layer, BIASED + silent
    if s.letters == "A" and y.reads != "offset":
        yield "bias", one_layer, KEYED + silent
    if s.seen and free and s.tensor != "B" and last and y.depth != 1:
        yield "columns", y, COLUMNS
    if s.tensor == "R" and (last or (y.reads == "layer" and not s.seen)):
        yield "entry", one_layer, TURNED + silent
    if s.own and not s.tensor and last:
        yield "read", one_layer, READ + silent
    if s.own and y.reads == "offset" and (free or s.letters == "E"):
        yield "later", y, LATER if free else SINES


def _proved(
    s: PositionScheme, y: Symmetry, what: str, sizes: Sizes, of: Symmetry
) -> tuple[Lack, str] | None:
    """The tensors that differ for every n from the smallest on, and the solvers that say so."""
    for guess in islice(lack(s, y, sizes, what, of), GUESSES):
        more = (last_row_reads(),) if what == "read" else ()
        good, said = settled((*guess.obligations(), *more), guess.regime)
        if good is True:
            return guess, said.partition(":")[0]
    return None


def _shown_at(s: PositionScheme, y: Symmetry, n: int, sizes: Sizes) -> bool:
    """Whether there is a witness at n, replayed."""
    w = find(s, y, n, sizes.lacked[n], confirm=False)
    return w is not None and check(w).ok


def listed(sizes: tuple[int, ...]) -> str:
    """Sizes in words: n = 3, …, 8."""
    if len(sizes) > 3 and len({b - a for a, b in pairwise(sizes)}) == 1:
        middle = "…" if sizes[1] == sizes[0] + 1 else f"{sizes[1]}, …"
        return f"{sizes[0]}, {middle}, {sizes[-1]}"
    return ", ".join(map(str, sizes)) or "none"
