"""The position schemes: what each adds to attention, as one term and one sentence.

A scheme is a function from the tokens X (axes i, k) to the output (axes i, v), built of terms. It
may hold any position term in any place; those of today add a table to X.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from orderproof.symbolic.calculus.terms import Set, Term
from orderproof.symbolic.models.attention import AttentionLayer, as_keys
from orderproof.symbolic.models.builders import add, moved, permutation, tensor
from orderproof.symbolic.suggestions import suggestion

TOKENS, FEATURES = Set("n"), Set("d")
X = tensor("X", i=TOKENS, k=FEATURES)
WEIGHTS = {
    "W_Q": tensor("W_Q", k=FEATURES, c=FEATURES),
    "W_K": tensor("W_K", k=FEATURES, c=FEATURES),
    "W_V": tensor("W_V", k=FEATURES, v=FEATURES),
}
SIGMA = permutation("σ", TOKENS)


class SchemeError(ValueError):
    """A scheme that is not known: says which was given and which may be meant."""


def layer(tokens: Term) -> AttentionLayer:
    """Self-attention of one head, n×d to n×d: tokens over (i, k), output over (i, v), all three
    projections d×d (Vaswani et al. 2017, eq. 1)."""
    weights = WEIGHTS["W_Q"], WEIGHTS["W_K"], WEIGHTS["W_V"]
    return AttentionLayer(tokens, as_keys(tokens), weights, axes=("k", "c", "c", "v"))


def head(tokens: Term) -> Term:
    """The output of that layer."""
    return layer(tokens).Z


@dataclass(frozen=True)
class Scheme:
    """A named way of telling attention where a token stands.

    `model` takes the tokens, a term over (i, k) of shape n×d, to the output over (i, v), n×d.
    `table` is the position tensor that is added, none where nothing is; `entry` gives its values
    (row, column, d) where the scheme fixes them as `function(row / 10000^power)`.
    """

    name: str
    says: str
    paper: str
    model: Callable[[Term], Term]
    table: Term | None = None
    entry: Callable[[int, int, int], tuple[str, Fraction]] | None = None

    @property
    def lhs(self) -> Term:
        """f(PX): the tokens permuted by σ, and then the model."""
        return self.model(moved(X, i=SIGMA))

    @property
    def rhs(self) -> Term:
        """P f(X): the model, and then its rows permuted by σ."""
        return moved(self.model(X), i=SIGMA)


def sinusoid(row: int, column: int, d: int) -> tuple[str, Fraction]:
    """PE(row, 2i) = sin(row / 10000^(2i/d)), PE(row, 2i+1) = cos of the same: the function and the
    power (Vaswani et al. 2017, section 3.5). Rows and columns count from 0."""
    return ("cos" if column % 2 else "sin"), Fraction(column - column % 2, d)


def _additive(name: str, says: str, paper: str, table: Term, entry: object = None) -> Scheme:
    known = sinusoid if entry is sinusoid else None
    return Scheme(name, says, paper, lambda x: head(add(x, table)), table, known)


_VASWANI = "Vaswani et al. 2017, section 3.5"
_ROWS = tensor("E", i=TOKENS, k=FEATURES)

SCHEMES: dict[str, Scheme] = {
    s.name: s
    for s in (
        Scheme("none", "no position term", "Vaswani et al. 2017, eq. 1", head),
        _additive("constant", "one row is added to every token", _VASWANI, tensor("E", k=FEATURES)),
        _additive("learned", "row i of a free table is added to token i", _VASWANI, _ROWS),
        _additive("sinusoidal", "row i of a table of sines is added", _VASWANI, _ROWS, sinusoid),
    )
}


def scheme(name: str) -> Scheme:
    """The scheme of this name; SchemeError where there is none."""
    if name in SCHEMES:
        return SCHEMES[name]
    raise unknown(name, {s.name: s.says for s in SCHEMES.values()})


def unknown(name: str, known: Mapping[str, str]) -> SchemeError:
    """That no scheme has this name, and which may be meant, by their names and what they say."""
    return SchemeError(f"position scheme: given {name!r}, {suggestion(name, known)}")
