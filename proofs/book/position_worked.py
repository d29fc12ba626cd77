"""A counterexample of the table worked out: the output of one token before and after σ, as a mean.

The numbers are the replay's; that they give the two sides of the file is checked before anything
is printed. Tokens, places and features are counted from 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from orderproof.proofs.check.page import Example, Formula, Table
from orderproof.proofs.schemes.answers import entries_of, sentence
from orderproof.symbolic.counting import PEOPLE, cycle_text
from orderproof.symbolic.schemes.definitions import PositionScheme
from orderproof.symbolic.witness.arithmetic import dot, side_of
from orderproof.symbolic.witness.fields import Matrix
from orderproof.symbolic.witness.replay import shares
from orderproof.symbolic.witness.scheme_file import PositionWitness

DIGITS = 4  # of what is not rational
SCORES = {  # by the tensor of the scheme, before the division by √d
    "": "q[i] · k[j]",
    "B": "q[i] · k[j] + B[i, j]",
    "A": "q[i] · (k[j] + A[i, j])",
    "R": "q[i] · R[i, j] k[j]",
}

Enclosed = tuple[Fraction, Fraction]


class WrongExample(ValueError):
    """A mean that is not what the counterexample's file says."""


def worked(s: PositionScheme, w: PositionWitness, file: str) -> Example:
    """The example: tokens, weights, and the row that differs as a mean before and after.

    Of one layer, whose tokens are permuted. Raises WrongExample.
    """
    row, column = w.differ
    source = w.sigma[row]
    permuted = [w.x[k] for k in w.sigma]
    before = _reading(s, w, w.x, source, w.rhs[row][column])
    after = _reading(s, w, permuted, row, w.lhs[row][column])
    at = f"_{{{PEOPLE(source)}{f',{PEOPLE(column)}' if w.d > 1 else ''}}}"
    to = f"_{{{PEOPLE(row)}{f',{PEOPLE(column)}' if w.d > 1 else ''}}}"
    parts: list[str | Formula | Table] = [
        f"{sentence(w)[0].upper()}{sentence(w)[1:]}: n = {w.n}, d = {w.d}, "
        f"σ = {cycle_text(w.sigma)}, so that (PX)[i] = X[σ(i)]. {_weights(s, w)}{_entries(w)}",
        f"Before: token {PEOPLE(source)} is row {PEOPLE(source)} of X, and attends to",
        _table(w, w.x, before, column, "X"),
        Formula(f"f(X){at} = {_mean(before, column)} {_side(w.rhs[row][column])}", ""),
        f"After: it is row {PEOPLE(row)} of PX, and attends to",
        _table(w, permuted, after, column, "PX"),
        Formula(f"f(PX){to} = {_mean(after, column)} {_side(w.lhs[row][column])}", ""),
        f"The symmetry asks that they be equal: f(PX) = P f(X), and row {PEOPLE(row)} of P f(X) is "
        f"row {PEOPLE(source)} of f(X). To recheck it: orderproof replay {file}",
    ]
    return Example(f"the counterexample at n = {w.n}", tuple(parts))


Reading = list[tuple[Enclosed, list[Enclosed]] | None]


def _reading(
    s: PositionScheme, w: PositionWitness, x: Matrix | Sequence[Any], i: int, said: Enclosed
) -> Reading:
    """For each token the weight and the value with which row i attends to it, None where it does
    not; their mean must be what the file says."""
    read = shares(w, x, i)
    weights = [weight for weight, _ in read]
    values = [value[w.differ[1]] for _, value in read]
    ((mean,),) = side_of([[dot(weights, values) / sum(weights[1:], weights[0])]])
    if mean[1] < said[0] or said[1] < mean[0]:
        raise WrongExample(f"{w.scheme}: row {PEOPLE(i)} is {_number(mean)}, not {_number(said)}")
    spots, f = [s.spot(k, w.n) for k in range(w.n)], s.frame(w.n)
    sees = [s.seen is None or bool(s.seen(spots[i], spots[j], f)) for j in range(w.n)]
    if sum(sees) != len(read):
        raise WrongExample(
            f"{w.scheme}: row {PEOPLE(i)} attends to {len(read)} tokens, not {sum(sees)}"
        )
    found = iter(read)
    out: Reading = []
    for seen in sees:
        if seen:
            weight, value = next(found)
            (enclosed,) = side_of([[weight, *value]])
            out.append((enclosed[0], list(enclosed[1:])))
        else:
            out.append(None)
    return out


def _table(
    w: PositionWitness, x: Matrix | Sequence[Any], read: Reading, column: int, name: str
) -> Table:
    """A row for each position: the token there, its value, its score and its weight."""
    exact = w.kind == "exact"
    feature = f", feature {PEOPLE(column)}" if w.d > 1 else ""
    head = ["j", f"row j of {name}", f"value{feature}", *["score"] * exact, "weight"]
    rows = []
    for j, share in enumerate(read):
        cells = [str(PEOPLE(j)), _vector(x[j])]
        if share is None:
            cells += ["not seen"] + ["–"] * (len(head) - 3)
        else:
            weight, values = share
            score = [str(_exponent(weight[0])).replace("-", "−")] if exact else []
            cells += [_number(values[column]), *score, _number(weight)]
        rows.append(tuple(cells))
    return Table(tuple(head), tuple(rows))


def _mean(read: Reading, column: int) -> str:
    """The mean as a fraction: of weights times values over weights."""
    pairs = [(_latex(share[0]), _latex(share[1][column])) for share in read if share is not None]
    above = " + ".join(rf"{weight} \cdot {value}" for weight, value in pairs)
    return rf"\frac{{{above}}}{{{' + '.join(weight for weight, _ in pairs)}}}"


def _side(v: Enclosed) -> str:
    return ("=" if v[0] == v[1] else r"\approx") + f" {_latex(v)}"


def _weights(s: PositionScheme, w: PositionWitness) -> str:
    """The three matrices, and how a weight comes from them."""
    (layer,) = w.layers
    named = ", ".join(f"{name} = {_matrix(layer[name])}" for name in ("W_Q", "W_K", "W_V"))
    first = "Each token is read with its position row added. " if s.own else ""
    if any(v for row in layer["W_Q"] for v in row):
        root = f" / √{w.d}" if w.kind == "interval" and w.d > 1 else ""
        score = f"the score of i and j is {SCORES[s.tensor]}{root}"
    elif s.tensor == "B":
        score = "the score of i and j is B[i, j]"
    else:
        score = "every score is 0"
    weight = "2 to the score" if w.kind == "exact" else "exp of the score"
    return f"{first}With {named} {score}, and a weight is {weight}."


def _entries(w: PositionWitness) -> str:
    """What the scheme leaves free, as it is chosen here."""
    entries = entries_of(w)
    keys = (f"({key.replace(',', ', ')})" if "," in key else key for key in entries)
    rows = zip(keys, entries.values(), strict=True)
    named = ", ".join(f"{key} ↦ {_vector(row)}" for key, row in rows)
    return f" The scheme's free entries are {named}.".replace("-", "−") if named else ""


def _matrix(rows: Matrix) -> str:
    """0, or the identity."""
    size = range(len(rows))
    if not any(v for row in rows for v in row):
        return "0"
    if all(rows[a][b] == int(a == b) for a in size for b in size):
        return "1" if len(rows) == 1 else "I"
    return ", ".join(_vector(row) for row in rows)


def _vector(row: Sequence[Fraction]) -> str:
    text = ", ".join(map(str, row)).replace("-", "−")
    return text if len(row) == 1 else f"({text})"


def _number(v: Enclosed) -> str:
    low, high = v
    text = str(low) if low == high else f"{float(low):.{DIGITS}f}…"
    return text.replace("-", "−")


def _latex(v: Enclosed) -> str:
    """A rational as it is, else its first digits."""
    if v[0] == v[1] and v[0].denominator > 1:
        minus = "-" if v[0] < 0 else ""
        return rf"{minus}\tfrac{{{abs(v[0].numerator)}}}{{{v[0].denominator}}}"
    return _number(v).replace("−", "-").rstrip("…")


def _exponent(weight: Fraction) -> int:
    """m of a weight 2^m."""
    return weight.numerator.bit_length() - weight.denominator.bit_length()
