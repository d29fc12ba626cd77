"""The search for a counterexample to any symmetry of any position scheme, in words and numbers.

Where the position tensors have the symmetry the kernel's theorem answers, and nothing is searched.
Where they break it, the first of a short list of candidates whose outputs differ is the witness.
That none of them differs is an answer of its own, which says what was tried and proves nothing;
that time was out, or that enclosures overlap, is another.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from orderproof.symbolic.counting import PEOPLE, for_people
from orderproof.symbolic.schemes.definitions import PositionScheme, position_scheme
from orderproof.symbolic.schemes.search import MOST, WIDTHS, Found, look
from orderproof.symbolic.schemes.sizes import visible_after_one_layer
from orderproof.symbolic.schemes.symmetries import SYMMETRIES, Sigma, Symmetry, holds_at
from orderproof.symbolic.schemes.table_search import SearchError
from orderproof.symbolic.suggestions import suggestion
from orderproof.symbolic.witness.replay import shares
from orderproof.symbolic.witness.scheme_file import MAX_D, MAX_N, PositionWitness, number

from .table import UNPLACED, derived, settled_for_all

SIDES = {  # what the two sides of a witness are called
    "layer": ("P f(X)", "f(PX)"),
    "last": ("the last row of f(X)", "the last row of f(PX)"),
    "offset": ("f(X)", "f(X) with every position one later"),
}
CHOSEN = ("permutation", "context-1", "context-2", "context-any")  # where σ may be given


@dataclass(frozen=True)
class PositionAnswer:
    """ "witness", "symmetric", "none within bound" or "unknown", with the reason; `asked` is the σ
    that was asked for, if one was."""

    answer: str
    scheme: str
    symmetry: str
    n: int
    d: int
    reason: str
    parameters: Mapping[str, int] = field(default_factory=dict)
    sigma: Sigma | None = None
    witness: PositionWitness | None = None
    asked: Sigma | None = None

    def __repr__(self) -> str:
        return f"<PositionAnswer {self.scheme}, {self.symmetry}, n = {self.n}: {self.answer}>"

    def to_json(self, file: str | None = None) -> dict[str, Any]:
        """The answer for a program; `file` is where the witness was written."""
        return {
            "answer": self.answer,
            "file": file,
            "scheme": self.scheme,
            "parameters": dict(self.parameters),
            "symmetry": self.symmetry,
            "n": self.n,
            "d": self.d,
            "sigma": None if self.sigma is None else list(self.sigma),
            "reason": self.reason,
        }


def search(
    name: str, symmetry: str, n: int, d: int, sigma: Sequence[int] | None = None,
    parameters: Mapping[str, int] | None = None, timeout: float = 10.0,
) -> PositionAnswer:  # fmt: skip
    """A counterexample to a symmetry of a scheme for n tokens and d features, or the proof; within
    so many seconds for the candidates.

    Raises SchemeError and SearchError: what was given, what was expected.
    """
    s, y = position_scheme(name, parameters), _symmetry(symmetry)
    sigmas = _checked(s, y, n, d, sigma)

    def said(answer: str, reason: str, **more: Any) -> PositionAnswer:
        return PositionAnswer(
            answer, name, symmetry, n, d, reason, s.parameters,
            asked=None if sigma is None else tuple(sigma), **more,
        )  # fmt: skip

    if y.reads != "offset" and all(g == tuple(range(n)) for g in sigmas):
        which = "σ" if sigma is not None else f"the only permutation of this family at n = {n}"
        return said("symmetric", f"{which} is the identity, and f(X) = f(X)")
    if y.reads in ("offset", "ids") and name in UNPLACED:
        return said("symmetric", "no token has a position of its own")
    theorem = derived(s, y)
    if y.reads == "ids":
        return said(
            "symmetric",
            "proved for all n, all d and all weights: positions are permuted with their tokens",
        )
    breaking = [g for g in sigmas if not holds_at(s, y, n, g)]
    if not breaking:
        proof = settled_for_all(s, y, theorem)
        if proof is not None:
            return said("symmetric", f"proved for {proof.regime}: {proof.reason}")
        which = f"σ = {list(sigma)}" if sigma is not None else y.says
        reason = f"n = {n}, {which}: every entry of the position tensors was looked at, and is kept"
        if theorem is not None:
            reason += f"; so, by the kernel for all d and all weights, {theorem.says}"
        return said("symmetric", reason)
    deadline, found = time.monotonic() + timeout, []
    for g in sorted(breaking, key=lambda g: not visible_after_one_layer(s, y, n, g)):
        found.append(look(s, y, n, g, d, deadline=deadline))
        if (w := found[-1].witness) is not None:
            return said("witness", w.changes(PEOPLE), sigma=g, witness=w)
        if found[-1].ended == "time":
            break
    return said(*_without(found, len(breaking), timeout))


def _without(found: Sequence[Found], breaking: int, timeout: float) -> tuple[str, str]:
    """The answer where no candidate is a witness: "unknown" where the time was out, or where
    enclosures overlap; else "none within bound". Each says what was tried."""
    tried, undecided = sum(f.tried for f in found), sum(f.undecided for f in found)
    what = (
        f"{tried} candidates for {len(found)} of {breaking} permutations that change the position "
        f"tensors (tokens 0 or a unit vector, fewest first, weights 0 or the identity, at most "
        f"{MOST} for each permutation)"
    )
    if found[-1].ended == "time":
        return "unknown", f"the {timeout:g} s given were over after {what}, none of which differs"
    if undecided:
        overlap = f"of {undecided} the enclosures of both sides overlap"
        return "unknown", f"none of {what} is seen to differ, and {overlap}"
    return "none within bound", f"none of {what} differs; this is no proof"


def _symmetry(name: str) -> Symmetry:
    if name in SYMMETRIES:
        return SYMMETRIES[name]
    hint = suggestion(name, {known: y.says for known, y in SYMMETRIES.items()})
    raise SearchError(f"symmetry: given {name!r}, {hint}")


def _checked(
    s: PositionScheme, y: Symmetry, n: int, d: int, sigma: Sequence[int] | None
) -> list[Sigma]:
    """The permutations that are tried; SearchError for what makes no sense."""
    for symbol, value, least, most in (("n", n, 1, MAX_N), ("d", d, WIDTHS.get(s.name, 1), MAX_D)):
        if not least <= value <= most:
            wanted = f"expected an integer from {least} to {most}"
            raise SearchError(f"{symbol}: given {value} for the scheme {s.name}, {wanted}")
    if not s.fits(n):
        raise SearchError(f"n: given {n} for the scheme {s.name}, expected {s.sizes}")
    if not y.fits(s, n):
        wanted = f"expected a multiple of {y.unit(s)}, the length of a block"
        raise SearchError(f"n: given {n} for the symmetry {y.name}, {wanted}")
    if sigma is None:
        return list(y.generators(s, n))
    if y.name not in CHOSEN:
        raise SearchError(f"sigma: given for the symmetry {y.name}, which says what σ is")
    if sorted(sigma) != list(range(n)):
        raise SearchError(f"sigma: given {list(sigma)}, expected a permutation of 0 to {n - 1}")
    if y.reads == "last" and sigma[-1] != n - 1:
        raise SearchError(f"sigma: given {list(sigma)}, expected the last token left where it is")
    return [tuple(sigma)]


# ------------------------------------------------------------------------------------ in words
def text(found: PositionAnswer) -> str:
    """The answer, so that a person can redo it by hand."""
    given = "".join(f", {p} = {v}" for p, v in found.parameters.items())
    says = SYMMETRIES[found.symmetry].says
    if found.asked is not None and found.answer == "symmetric":  # no more was shown
        says = f"for σ = {PEOPLE.images(found.asked)}"
    head = f"{found.answer}: {found.scheme}{given}, {says}, n = {found.n}, "
    scheme = position_scheme(found.scheme, found.parameters)
    out = [
        f"{head}d = {found.d}",
        f"{scheme.says} ({scheme.paper})",
        for_people(found.reason, found.asked, f", tokens {PEOPLE}"),
    ]
    w = found.witness
    if w is None:
        return "\n".join(out)
    out.append(f"σ = {PEOPLE.images(w.sigma)}, tokens {PEOPLE}; (PX)[i] = X[σ(i)]")
    out.append(f"X = {_rows(w.x)}")
    for k, layer in enumerate(w.layers):
        named = ", ".join(f"{name} = {_weight(rows)}" for name, rows in layer.items())
        out.append(f"{named}" if w.depth == 1 else f"layer {PEOPLE(k)}, with skip: {named}")
    if w.table:
        entries = ", ".join(f"{k} ↦ {' '.join(map(str, row))}" for k, row in entries_of(w).items())
        out.append(f"position entries: {entries}")
    if w.kind == "exact":
        slope = "" if scheme.value is None else " (so that is the slope)"
        out.append(
            f"scores, and what is added to them, are in units of ln 2{slope}: a weight is 2^score"
        )
        if w.depth == 1:
            out += _worked(w)
    for name, side in zip(SIDES[w.reads], (w.rhs, w.lhs), strict=True):
        out.append(f"{name} = [{', '.join(_vector([number(v) for v in row]) for row in side)}]")
    return "\n".join(out)


def entries_of(w: PositionWitness) -> dict[str, tuple[Fraction, ...]]:
    """The scheme's free entries, the rows of a table counted from 1; offsets are what they are."""
    own = position_scheme(w.scheme, w.parameters).own
    return {str(PEOPLE(int(k))) if own else k: row for k, row in w.table.items()}


def _worked(w: PositionWitness) -> list[str]:
    """The row that differs, as the mean of what it reads: of f(X), and of the other side."""
    row = w.n - 1 if w.reads == "last" else w.differ[0]
    source = w.sigma[row]
    permuted, shift = [w.x[k] for k in w.sigma], int(w.reads == "offset")
    lines = []
    after = SIDES["offset"][1] if shift else "f(PX)"
    for name, x, i, by in (("f(X)", w.x, source, 0), (after, permuted, row, shift)):
        read = shares(w, w.x if w.reads == "offset" else x, i, by)
        column = w.differ[1]
        terms = " + ".join(f"{weight}·{value[column]}" for weight, value in read)
        total = " + ".join(str(weight) for weight, _ in read)
        lines.append(f"row {PEOPLE(i)} of {name} = ({terms}) / ({total})")
    return lines


def _rows(rows: Sequence[Sequence[Fraction]]) -> str:
    return f"[{', '.join(_vector([str(v) for v in row]) for row in rows)}]"


def _vector(entries: Sequence[str]) -> str:
    return entries[0] if len(entries) == 1 else f"({', '.join(entries)})"


def _weight(rows: Sequence[Sequence[Fraction]]) -> str:
    size = range(len(rows))
    if not any(v for row in rows for v in row):
        return "0"
    if all(rows[a][b] == int(a == b) for a in size for b in size):
        return "1" if len(rows) == 1 else "I"
    return _rows(rows)
