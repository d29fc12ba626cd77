"""What the theorems "this position scheme shows the order" have in common."""

from orderproof.check.marks.exact import vector, witness_files
from orderproof.proofs.prelude import *
from orderproof.publish.pages.primes import like
from orderproof.symbolic.counting import PEOPLE
from orderproof.symbolic.derive.push import Stuck, push
from orderproof.symbolic.schemes.table_search import HANG, search
from orderproof.symbolic.schemes.tables import (
    FEATURES,
    SCHEMES,
    SIGMA,
    WEIGHTS,
    Scheme,
    X,
    head,
    layer,
)
from orderproof.symbolic.schemes.tables import (
    TOKENS as PLACES,
)
from orderproof.symbolic.witness.scheme_file import PositionWitness

from .swaps import swap, upto

LEARNED = "not_equivariant_of_learned_position"
SIZES = ((2, 1), (2, 2), (3, 1), (3, 2))
PLACE, FEATURE = iota(PLACES, "i"), iota(FEATURES, "k")
PX = moved(X, i=SIGMA)
WAVES = [pointwise(f, PLACE) for f in ("sin", "cos")]  # the first frequency is 1
SINES = Atom(  # row i of the table with one or two features: sin i, and cos i in the second
    tensor("E", i=PLACES, k=FEATURES), "=",
    add(
        WAVES[0],
        multiply(pointwise("at_most", number(1), FEATURE), subtract(WAVES[1], WAVES[0])),
    ),
)  # fmt: skip


def refuted(scheme: str, mark: str) -> Proof:
    """f(PX) ≠ P f(X) for a scheme that adds a table, with a witness at each of SIZES."""
    s = SCHEMES[scheme]
    if s.table is None:
        raise ValueError(f"scheme {scheme}: expected one that adds a table")
    tokens, whole = s.model(X), s.rhs
    here, there = (
        _named(add(x, s.table), of, out) for x, of, out in ((X, "", "F"), (PX, "_s", "G"))
    )
    names = Show(
        (*here, *there),
        {SIGMA: "P"},
        {X.node.sets[0]: "ijl", X.node.sets[1]: "kcv"},
        alike=(like(there, here),),
    )
    marks = {mark: by_search(scheme, SIZES)}
    small = sizes(among=dict(zip(X.node.sets, ((2, 3), (1, 2)), strict=True)))
    claim = differs(
        s.lhs, whole, marks, row="i", column="v", over=small,
        every=[leaf_of(s.table)] if s.entry else [], given=[SINES] if s.entry else [],
    )  # fmt: skip
    further = () if s.entry else (for_every_size(s),)
    travel = image(tokens, {leaf_of(t): (SIGMA, None) for t in (X, s.table)})
    false, *others = (
        nearby(
            c,
            "If the table is permuted with the tokens, both sides are equal.",
            lhs=travel,
        )
        for c in (claim, *further)
    )
    return Proof(
        claims=(claim,) if s.entry else in_rocq(LEARNED, claim, *further),
        show=names,
        neighbour=false,
        neighbours=tuple(others),
        examples=tuple(e for e in (_example(scheme, 2, 1),) if e),
        witnesses=witness_files(scheme, SIZES),
    )


def _named(tokens: Term, of: str, output: str) -> tuple[Named, ...]:
    """Tokens with their table and the parts of the layer by name, the output by its own."""
    parts = layer(tokens).named("QKVSA", of)
    return Named(f"H{of}", tokens, "i", "k"), *parts, Named(output, head(tokens), "i", "v")


def for_every_size(s: Scheme) -> Claim:
    """The same for every n ≥ 2, one feature: all tokens 0, and the table (1, 0, …, 0). The first
    row's query gives its own key the weight 2, so it becomes 2/(n+1), and every other row 1/n."""

    def witness(size: int) -> Witness:
        tensors = {"X": [[0]] * size, "E": [[1]] + [[0]] * (size - 1)}
        ones = {"W_Q": [[1]], "W_K": [[1]], "W_V": [[1]]}
        swap = (1, 0, *range(2, size))
        return Witness({"n": size, "d": 1}, {"σ": swap}, tensors | ones)

    found = [witness(size) for size in range(2, 9)]
    table, first = tensor("E", i=PLACES, k=FEATURES), upto(PLACES, 0)
    terms = [Atom(X, "=", number(0)), Atom(table, "=", first), swap(PLACES, SIGMA)]
    terms += [Atom(w, "=", number(1)) for w in WEIGHTS.values()]
    marks: dict[str, Check] = {
        "exact": by_exact(found), "smt": by_chain("first", "scale", "single here", values=terms),
        "numeric": by_numpy_differs(found),
    }  # fmt: skip
    over = sizes({PLACES: 2}, {FEATURES: (1,)})
    return differs(s.lhs, s.rhs, marks, row="i", column="v", over=over)


def _example(scheme: str, n: int, d: int) -> Example | None:
    """The smallest witness, worked out."""
    w = search(scheme, n, d, timeout=HANG).witness
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
    swap = ", ".join(f"σ({PEOPLE(i)}) = {PEOPLE(s)}" for i, s in enumerate(w.sigma))
    return Example(f"n = {n}, d = {d}", (f"{', '.join(weights)}; {swap}.", Table(head, rows)))


def _sines(w: PositionWitness, row: int) -> Formula:
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
