"""What the theorems "this position scheme shows the order" have in common."""

from __future__ import annotations

from typing import Any

from orderproof.symbolic.derivation import Named, Show
from orderproof.symbolic.kernel import Theorem
from orderproof.symbolic.language import image, leaf_of
from orderproof.symbolic.schemes import SCHEMES, SIGMA, Scheme, X
from orderproof.symbolic.search import search
from orderproof.symbolic.tactic import Stuck, push
from orderproof.symbolic.witness import Witness

from .claims import Claim, TheoremFile, nearby
from .pages import Example, Formula, Table
from .witnesses import by_search, vector, witness_files

SIZES = ((2, 1), (2, 2), (3, 1), (3, 2))
SINES = Formula(
    r"E_{i,2k} = \sin\frac{i-1}{10000^{2k/d}},\; E_{i,2k+1} = \cos\frac{i-1}{10000^{2k/d}}",
    "E[i, 2k] = sin((i−1)/10000^(2k/d)), E[i, 2k+1] = cos of the same",
)
SCOPE = "n = 2, 3 and d = 1, 2"


def refuted(scheme: str, mark: str, **about: Any) -> TheoremFile:
    """f(PX) ≠ P f(X) for a scheme that adds a table, with a witness at each of SIZES."""
    s = SCHEMES[scheme]
    if s.table is None:
        raise ValueError(f"scheme {scheme}: expected one that adds a table")
    tokens, whole = s.model(X), s.rhs
    names = Show(
        (Named("F", tokens, "i", "v"), Named("G", s.lhs, "i", "v")),
        {SIGMA: "P"},
        {X.node.sets[0]: "ijl", X.node.sets[1]: "kcv"},
    )
    marks = {mark: by_search(scheme, SIZES)}
    claim = Claim(
        "exists", s.lhs, whole, marks, SCOPE, relation="≠", row="i", column="v",
        sizes=dict(zip(X.node.sets, (("∈", (2, 3)), ("∈", (1, 2))), strict=True)),
        tables={leaf_of(s.table): SINES} if s.entry else {},
    )  # fmt: skip
    travel = image(tokens, {leaf_of(t): (SIGMA, None) for t in (X, s.table)})
    return TheoremFile(
        claims=(claim,),
        show=names,
        citations=("vaswani2017",),
        neighbour=nearby(
            claim,
            "Where the positions travel with their tokens nothing differs: only what is left "
            "unpermuted can show an order.",
            lhs=travel,
        ),
        uses=("equivariant_of_fixed_position_table",),
        examples=tuple(e for e in (_example(scheme, 2, 1),) if e),
        witnesses=witness_files(scheme, SIZES),
        **about,
    )


def _example(scheme: str, n: int, d: int) -> Example | None:
    """The smallest witness, worked out."""
    w = search(scheme, n, d).witness
    if w is None:
        return None
    head = ("token", "X", "E", "G = f(PX)", "P F = P f(X)")
    rows: tuple[tuple[str | Formula, ...], ...] = tuple(
        (
            str(i + 1),
            vector(w.tensors["X"][i]),
            vector(w.tensors["E"][i]) if "E" in w.tensors else _sines(w, i),
            *(_side(side[i]) for side in (w.lhs, w.rhs)),
        )
        for i in range(n)
    )
    unit = " in units of √d·ln 2" if w.kind == "exact" else ""
    weights = [
        f"{name} = {vector([x for row in w.tensors[name] for x in row]).plain}"
        + (unit if name == "W_Q" else "")
        for name in ("W_Q", "W_K", "W_V")
    ]
    swap = ", ".join(f"σ({i + 1}) = {s + 1}" for i, s in enumerate(w.sigma))
    return Example(f"n = {n}, d = {d}", (f"{', '.join(weights)}; {swap}.", Table(head, rows)))


def _sines(w: Witness, row: int) -> Formula:
    parts = [("\\cos" if k % 2 else "\\sin") + f" {row}" for k in range(w.d)]
    return Formula(",\\; ".join(parts), ", ".join(p.strip("\\") for p in parts))


def _side(entries: Any) -> Formula:
    """A row of exact entries, or of enclosures by their first digits."""
    if all(low == high for low, high in entries):
        return vector([low for low, _ in entries])
    digits = [_common(f"{float(low):.12f}", f"{float(high):.12f}") + "…" for low, high in entries]
    text = ", ".join(digits)
    return Formula(text.replace("…", r"\dots"), text)


def _common(low: str, high: str) -> str:
    """The digits that both ends of an enclosure share."""
    same = [a for a, b in zip(low, high, strict=False) if a == b]
    return low[: min(len(same), 8)]


def symmetry_proof(scheme: Scheme) -> Theorem | None:
    """The kernel's theorem f(PX) = P f(X) for a scheme, for every n, d and all weights, if the
    push goes through."""
    pushed = push(scheme.model(X), {leaf_of(X): (SIGMA, None)})
    return None if isinstance(pushed, Stuck) else pushed.theorem
