"""Why an output differs for every n once position tensors do: theorems of the catalogue.

Two solvers show that a permutation changes the position tensors of a scheme for every n. That an
output of attention then changes, too, is a second step: a bias that is constant along each row has
no symmetry, and softmax does not see it. A theorem of the catalogue takes this step, and the
refutation names it. All theorems that the table rests on stand in this file, each with the cells
that it is about. That sines of different integers differ is a theorem, too, which is named beside.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import z3

from orderproof.proofs.catalogue import chosen
from orderproof.symbolic.schemes.definitions import PositionScheme
from orderproof.symbolic.schemes.symmetries import Symmetry
from orderproof.symbolic.smt.obligation import Obligation

ROWS_DIFFER = "sinusoidal_rows_distinct"
SHIFT_ROTATES = "sinusoidal_shift_is_rotation"  # so that rotations differ where rows do
TENSOR_OF = {"mask": "G", "bias": "BA", "row": "E", "entry": "R", "columns": "G"}


class WrongTheorem(ValueError):
    """A theorem that does not refute what is said to be refuted by it: says which, and why."""


@dataclass(frozen=True)
class ByTheorem:
    """The theorem of this id says that an output differs; that the position tensors do is said by
    those `beside` it where sines are to differ, and by solvers."""

    theorem: str
    beside: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.theorem + (f" with {' and '.join(self.beside)}" if self.beside else "")

    def to_json(self) -> dict[str, Any]:
        """The mark for a program."""
        return {"theorem": self.theorem} | ({"beside": [*self.beside]} if self.beside else {})


@dataclass(frozen=True)
class Argument:
    """What must differ (a key of every_size.WHAT), and the theorem by which an output then does.
    Where `one_layer` is set, what one layer reads must differ. `questions` are further ones to the
    solvers."""

    difference: str
    ground: ByTheorem
    one_layer: bool = True
    questions: tuple[Obligation, ...] = ()


@dataclass(frozen=True)
class Scope:
    """Of which cells a theorem says for every n that an output differs for some X and weights.

    The position tensors are given by one of `letters`; a theorem that speaks of more tensors than
    a scheme has is about the scheme with 0 for E, B and A, the identity for R and 1 for G. `reads`
    are those of the symmetries, and `depths` the numbers of layers, each with its skip where there
    are two. `differences` are what the theorem asks of the position tensors, each with the
    questions by which its hypothesis follows. `one_layer` says that what the last token reads in
    one layer must differ, whatever the depth; `one_feature` that tokens have a single feature,
    which a free table may have, and a table of sines has not."""

    letters: tuple[str, ...]
    differences: Mapping[str, tuple[Obligation, ...]]
    reads: tuple[str, ...] = ("layer",)
    depths: tuple[int, ...] = (1,)
    one_layer: bool = True
    one_feature: bool = False


ALL_READS, BOTH_DEPTHS = ("layer", "last", "offset"), (1, 2)


@cache
def theorems() -> dict[str, Scope]:
    """The theorems that refute cells, those of one condition and its converse first.

    `additive_position_iff`: only if P E = E; a free table is 1 in the row that changes and 0
    elsewhere. `score_bias_iff`: only if B minus its row maxima is kept, where B is −∞ at what is
    not seen, but not in a whole row (every token sees itself). `output_differs_of_weights`: weights
    G exp B of two tokens are in another proportion; where a token is seen on one side alone, those
    of that token and of the one that looks. The others ask for what is said to differ."""
    kept = {"bias": (_bias_kept(),), "mask": (_mask_kept(),)}
    changed = {"mask": (_mask_changed(),), "bias": (_bias_changed(),)}
    return {
        "additive_position_iff": Scope(("E",), {"row": ()}, one_feature=True),
        "score_bias_iff": Scope(("B", "G", "BG"), kept),
        "output_differs_of_weights": Scope(
            ("B", "G", "BG", "RG", "EG"), changed, ALL_READS, BOTH_DEPTHS
        ),
        "output_differs_of_relative_keys": Scope(("A",), {"bias": ()}, ALL_READS, BOTH_DEPTHS),
        "output_differs_of_rows": Scope(("E", "EG"), {"row": ()}, ALL_READS, BOTH_DEPTHS),
        "output_differs_of_rotations": Scope(("R", "RG"), {"entry": ()}, ALL_READS, BOTH_DEPTHS),
        "output_differs_of_columns": Scope(
            ("G", "RG"), {"columns": ()}, ("last",), (2,), one_layer=False
        ),
    }


def layers(y: Symmetry) -> int:
    """With how many layers a refutation of a symmetry is: that of any depth is refuted by two."""
    return y.depth or 2


def beside(s: PositionScheme, difference: str) -> tuple[str, ...]:
    """The theorems by which entries of sines differ where the places do, if that is asked."""
    if not s.transcendental or difference not in ("row", "entry"):
        return ()
    return (ROWS_DIFFER,) if difference == "row" else (ROWS_DIFFER, SHIFT_ROTATES)


def unfit(theorem: str, s: PositionScheme, y: Symmetry) -> str | None:
    """Why a theorem of the catalogue does not refute a symmetry of a scheme for every n; None if it
    does. Raises UnknownTheorem for an id that is not in the catalogue."""
    chosen([theorem])
    scope = theorems().get(theorem)
    if scope is None:
        return "it does not say that an output differs for every n"
    if y.reads not in scope.reads:
        of = {("last",): "the last token", ALL_READS: "a token"}
        tokens = of.get(scope.reads, "all tokens of one layer")
        return f"it is about the output of {tokens}, and {y.name} is not"
    if layers(y) not in scope.depths:
        return f"it is about {_count(scope.depths)}, and {y.name} is about {_count((layers(y),))}"
    if s.letters not in scope.letters:
        given = s.letters or "none"
        return f"it is about the position tensors {' or '.join(scope.letters)}, given {given}"
    if scope.one_feature and s.transcendental:
        return "it is about a table of one feature, and sines have two for each frequency"
    return None


def _count(depths: tuple[int, ...]) -> str:
    return " or ".join("one layer" if k == 1 else f"{k} layers" for k in depths)


def require(ground: ByTheorem, s: PositionScheme, y: Symmetry) -> None:
    """WrongTheorem, in one line, if the theorem does not refute this for every n, or if those
    beside it are not those by which sines differ."""
    if (why := unfit(ground.theorem, s, y)) is not None:
        raise WrongTheorem(f"{s.name}, {y.name}: refuted by {ground.theorem}, but {why}")
    fit = {beside(s, difference) for difference in _spoken(ground.theorem, s)}
    if ground.beside not in fit:
        given = " and ".join(ground.beside) or "nothing"
        wanted = " or ".join(sorted(" and ".join(x) or "nothing" for x in fit))
        raise WrongTheorem(
            f"{s.name}, {y.name}: refuted by {ground.theorem}, given {given} beside it, "
            f"expected {wanted}"
        )


def _spoken(theorem: str, s: PositionScheme) -> tuple[str, ...]:
    """The differences that a theorem asks for, of tensors that the scheme has."""
    found = theorems()[theorem].differences
    return tuple(x for x in found if set(TENSOR_OF[x]) & set(s.letters))


def arguments(s: PositionScheme, y: Symmetry) -> Iterator[Argument]:
    """What is to be shown to differ, and by which theorem an output then does."""
    for theorem, scope in theorems().items():
        if unfit(theorem, s, y) is None:
            for difference in _spoken(theorem, s):
                ground = ByTheorem(theorem, beside(s, difference))
                questions = scope.differences[difference]
                yield Argument(difference, ground, scope.one_layer, questions)


# ------------------------------------------------------ from what differs to a theorem's condition
def _bias_kept() -> Obligation:
    b, c, others, e, m, k = z3.Reals("b c d e m k")
    return Obligation(
        "difference_kept", "if B minus its row maxima m and k is kept, so are differences in a row",
        (b - m == others - k, c - m == e - k), b - c == others - e,
    )  # fmt: skip


def _mask_kept() -> Obligation:
    b, c, m, k = z3.Reals("b c m k")
    return Obligation(
        "zeros_kept", "if weights divided by their row maxima m and k are kept, so are their zeros",
        (m > 0, k > 0, b / m == c / k), (b == 0) == (c == 0),
    )  # fmt: skip


def _mask_changed() -> Obligation:
    g, h, m, k = z3.Reals("g h m k")
    return Obligation(
        "proportion_of_mask",
        "where of weights g and h one alone is 0, and m and k are positive, g k is not h m",
        (m > 0, k > 0, z3.Xor(g == 0, h == 0)), g * k != h * m,
    )  # fmt: skip


def _bias_changed() -> Obligation:
    """Of a row b, c of biases and their images d, e: u is exp(b + e) and v is exp(d + c)."""
    b, c, others, e, u, v = z3.Reals("b c d e u v")
    one, other = b + e, others + c
    increasing = (z3.Implies(one < other, u < v), z3.Implies(other < one, v < u))
    return Obligation(
        "proportion_of_bias",
        "where b − c is not d − e, exp b exp e is not exp d exp c, as exp is increasing",
        (*increasing, b - c != others - e), u != v,
    )  # fmt: skip
