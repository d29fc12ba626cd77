"""Why an output differs for every n once position tensors do: theorems, and arguments on paper.

Two solvers show that a permutation changes the position tensors of a scheme for every n. That an
output of attention then changes, too, is a second step: a bias that is constant along each row has
no symmetry, and softmax does not see it. Where a theorem of the catalogue takes this step, the
refutation names it. Where none does, there is an argument on paper, which settles nothing and is
printed with a sign. All theorems and all arguments that the table rests on stand in this file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import z3

from orderproof.proofs.catalogue import chosen
from orderproof.symbolic.schemes.definitions import PositionScheme
from orderproof.symbolic.schemes.every_size import last_row_reads
from orderproof.symbolic.schemes.symmetries import Symmetry
from orderproof.symbolic.smt.obligation import Obligation


class WrongTheorem(ValueError):
    """A theorem that does not refute what is said to be refuted by it: says which, and why."""


@dataclass(frozen=True)
class ByTheorem:
    """The theorem of this id says that an output differs."""

    theorem: str

    def to_json(self) -> dict[str, str]:
        """The mark for a program."""
        return {"theorem": self.theorem}


@dataclass(frozen=True)
class OnPaper:
    """An argument in prose that no program has checked."""

    sentence: str

    def __post_init__(self) -> None:
        if not self.sentence.strip():
            raise ValueError("argument on paper: given no words, expected a sentence")

    def to_json(self) -> dict[str, str]:
        """The mark for a program."""
        return {"paper": self.sentence}


Ground = ByTheorem | OnPaper


@dataclass(frozen=True)
class Argument:
    """What must differ (a key of differing.WHAT), and why an output then does. Where `one_layer`
    is set, what one layer reads must differ. `questions` are further ones to the solvers."""

    difference: str
    ground: Ground
    one_layer: bool = True
    questions: tuple[Obligation, ...] = ()


# ------------------------------------------------------------------------------------- theorems
@dataclass(frozen=True)
class Scope:
    """Of which cells a theorem says for every n that f(PX) = P f(X) fails for some X and weights:
    one layer with one head, f being the output of all tokens, whose position tensors are given by
    `letters`. `differences` are what contradicts the theorem's condition, each with the questions
    by which it does."""

    letters: tuple[str, ...]
    differences: dict[str, tuple[Obligation, ...]]


@cache
def theorems() -> dict[str, Scope]:
    """The theorems that refute cells. `additive_position_iff`: only if P E = E; a free table is 1
    in the row that changes and 0 elsewhere. `score_bias_iff`: only if B minus its row maxima is
    kept, where B is −∞ at what is not seen, but not in a whole row (every token sees itself)."""
    b, c, others, m, k = z3.Reals("b c d m k")
    e = z3.Real("e")
    bias = Obligation(
        "difference_kept", "if B minus its row maxima m and k is kept, so are differences in a row",
        (b - m == others - k, c - m == e - k), b - c == others - e,
    )  # fmt: skip
    mask = Obligation(
        "zeros_kept", "if weights divided by their row maxima m and k are kept, so are their zeros",
        (m > 0, k > 0, b / m == c / k), (b == 0) == (c == 0),
    )  # fmt: skip
    return {
        "additive_position_iff": Scope(("E",), {"row": ()}),
        "score_bias_iff": Scope(("B", "G", "BG"), {"bias": (bias,), "mask": (mask,)}),
    }


def unfit(theorem: str, s: PositionScheme, y: Symmetry) -> str | None:
    """Why a theorem of the catalogue does not refute a symmetry of a scheme for every n; None if it
    does. Raises UnknownTheorem for an id that is not in the catalogue."""
    chosen([theorem])
    scope = theorems().get(theorem)
    if scope is None:
        return "it does not say that an output differs for every n"
    if y.reads != "layer":
        return f"it is about the output of all tokens of one layer, and {y.name} is not"
    if s.letters not in scope.letters:
        given = s.letters or "none"
        return f"it is about the position tensors {' or '.join(scope.letters)}, given {given}"
    if s.own and s.transcendental:
        return "its condition is that rows differ, and that sines differ is not proved"
    return None


def require(theorem: str, s: PositionScheme, y: Symmetry) -> None:
    """WrongTheorem, in one line, if the theorem does not refute this for every n."""
    if (why := unfit(theorem, s, y)) is not None:
        raise WrongTheorem(f"{s.name}, {y.name}: refuted by {theorem}, but {why}")


# --------------------------------------------------------------------------------------- on paper
@dataclass(frozen=True)
class Paper:
    """An argument on paper for the cells that it applies to."""

    difference: str
    applies: Callable[[PositionScheme, Symmetry], bool]
    sentence: str
    one_layer: bool = True
    questions: Callable[[], tuple[Obligation, ...]] = tuple


def _sines(s: PositionScheme) -> bool:
    """Whether rows of sines are added, so that the table cannot be chosen."""
    return bool(s.own) and s.transcendental


SINES_DIFFER = "Sines of different integers differ, because π is irrational."
TABLE_ZERO = "Let the added table be 0."
OTHER_LAYERS = (
    "In the other layers let W_V = 0: they add nothing, and what a skip connection adds to the "
    "last token is the same on both sides."
)
PAPER = (
    Paper(
        "row", lambda s, y: s.letters == "E" and _sines(s) and y.reads == "layer",
        "Then P E ≠ E, and additive_position_iff says that an output differs.",
    ),
    Paper(
        "mask", lambda s, y: bool(s.seen) and not _sines(s),
        "With W_Q = 0 each token takes a mean of the values with weights that do not depend on X "
        "and are positive exactly at the tokens that it sees. With W_V = I and X = 0 except at one "
        "token that is seen on one side and not on the other, the output is 0 on one side and "
        "positive on the other.",
    ),
    Paper(
        "bias", lambda s, y: s.tensor == "B" and y.reads == "last",
        "With W_Q = 0 the weight of token j for the last token i is proportional to exp B(i, j), "
        "whatever X is, and some of these weights change. With W_V = I and X = 0 except at one "
        "token whose weight changes, so does the last output.",
    ),
    Paper(
        "bias", lambda s, y: s.tensor == "A" and y.reads != "offset",
        "Let the first feature of every token be 1, let W_Q read it alone, and let W_K = 0. The "
        "score is then the first entry of the relative key a(i, j), as if it were a bias, and "
        "some weights change. With W_V the projection on the second feature, which is 0 except at "
        "one token whose weight changes, so does an output.",
    ),
    Paper(
        "columns", lambda s, y: bool(s.seen) and not _sines(s) and s.tensor != "B"
        and y.reads == "last" and y.depth != 1,
        "With W_Q = 0 and W_V = I each of two layers adds to every token the mean of the tokens "
        "that it sees. The last token sees all n tokens, so what an earlier token j contributes "
        "to its output depends on j only through 1/n times the sum of column j of the matrix of "
        "means. Row by row the entry of the first of the two tokens is no less than that of the "
        "second, and once it is greater, so the two sums differ.",
        one_layer=False,
    ),
    Paper(
        "entry", lambda s, y: s.tensor == "R"
        and (y.reads == "last" or (y.reads == "layer" and not s.seen)),
        "Let token i be the first unit vector, token j the second and every other token 0, "
        "W_Q = W_K = I, and W_V the projection on the first feature. With the offset o = j − i and "
        "g = exp(1/√d) the output of token i is g/(g + exp(−sin(o)/√d) + n − 2), and o changes. "
        f"{SINES_DIFFER}",
    ),
    Paper(
        "read", lambda s, y: bool(s.own) and not s.tensor and y.reads == "last",
        "Let the two rows differ by δ in some feature, the only one that W_Q, W_K and W_V read, "
        "and let X be −E, plus 1 at the last token. Then the last input of the layer is 1 and the "
        "others are 0, but after σ two of them are δ and −δ. With W_Q = q, W_K = W_V = 1, "
        "g = exp(q) and u = exp(qδ) the last output is g/(n − 1 + g) before and "
        "(δ(u − 1/u) + g)/(n − 3 + u + 1/u + g) after, which is greater if √u − 1/√u = δ.",
        questions=lambda: (last_row_reads(),),
    ),
    Paper(
        "later", lambda s, y: bool(s.own) and y.reads == "offset" and not _sines(s),
        "Let row p of the table be p, X = −E and W_V = I. Every input of the layer is 0, and 1 "
        "when all positions are one later, and a mean of equal values is that value.",
    ),
    Paper(
        "later", lambda s, y: s.letters == "E" and _sines(s) and y.reads == "offset",
        "Let X = −E, W_Q = 0 and W_V = I. The output is 0, but with all positions one later it is "
        "the mean of sin(p + 1) − sin(p) over p = 0, …, n − 1 in the first feature. That is "
        "sin(n)/n, which is not 0, because π is irrational.",
    ),
)  # fmt: skip


# ------------------------------------------------------------------------------------------- both
def arguments(s: PositionScheme, y: Symmetry) -> Iterator[Argument]:
    """What is to be shown to differ, and why an output then does: theorems first."""
    for theorem, scope in theorems().items():
        if unfit(theorem, s, y) is None:
            for difference, questions in scope.differences.items():
                yield Argument(difference, ByTheorem(theorem), questions=questions)
    for paper in PAPER:
        if paper.applies(s, y):
            ground = OnPaper(_sentence(paper, s, y))
            yield Argument(paper.difference, ground, paper.one_layer, paper.questions())


def _sentence(paper: Paper, s: PositionScheme, y: Symmetry) -> str:
    """The argument, with what it needs of a table that is added and of further layers."""
    parts = [paper.sentence]
    if s.own and paper.difference in ("mask", "columns"):
        parts.insert(0, TABLE_ZERO)
    if _sines(s) and paper.difference in ("row", "read"):
        parts.insert(0, SINES_DIFFER)
    if paper.one_layer and y.depth != 1:
        parts.append(OTHER_LAYERS)
    return " ".join(parts)
