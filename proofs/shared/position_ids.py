"""Shared symbols of the theorems on position ids: all position tensors are read from tables by ids.

p(i) the id of token i, out of m ids
T_E(p) is added to the token with id p; T_B(p, q) to a score; T_G(p, q) ≥ 0 is a mask as weights;
T_A(p, q) is added to a key
"""

from orderproof.proofs.prelude import *
from orderproof.symbolic.schemes.models import ALL, CONTEXT, FEATURES, SHAPES, SIGMA
from orderproof.symbolic.schemes.rotations import PAIRS

IDS, BLOCKS = Set("m"), Set("h")
ONE = constant("q", IDS)
PLACE = symbol("p", (CONTEXT,), IDS)
TABLES = {
    x: tensor(f"T_{x}", **{a: IDS if a in "ij" else FEATURES for a in axes})
    for x, axes in SHAPES.items()
}


def by_ids(letters: str, *, same: bool = False) -> dict[str, Term]:
    """The position tensors of these letters, each read from a table by ids; or by one id q."""
    return {
        x: at(TABLES[x], {a: ONE() if same else PLACE(a) for a in SHAPES[x] if a in "ij"})
        for x in letters
    }


def moved_along(position: dict[str, Term]) -> dict[str, Term]:
    """The position tensors with σ on every axis of places."""
    return {
        x: at(t, {a: SIGMA(a) for a in t.axes if t.sets[a] == CONTEXT}) for x, t in position.items()
    }


def weighed(letters: str) -> list[Atom]:
    """That the mask among these position tensors, as weights by ids, is positive."""
    return [Atom(number(0), "<", TABLES[x]) for x in letters if x == "G"]


def show_ids(*named: Named, alike: tuple[Mapping[str, str], ...] = ()) -> Show:
    """How the book writes these tensors."""
    letters = {
        CONTEXT: "ijl", ALL: "ijl", POINT: "o", IDS: "pq", BLOCKS: "rs", PAIRS: "kl",
        FEATURES: "kcev",
    }  # fmt: skip
    return Show(named, {SIGMA: "P"}, letters, alike=alike)
