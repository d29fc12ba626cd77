"""Models that read their positions by ids, and names for their parts."""

from orderproof.proofs.prelude import *
from orderproof.symbolic.schemes.models import CONTEXT, FEATURES, SIGMA, parts, weights

X = tensor("X", i=CONTEXT, k=FEATURES)
PX = moved(X, i=SIGMA)
TOKENS = {leaf_of(X): (SIGMA, None)}
MARKS = {"sympy": by_sympy_to(3, d=2, m=3), "numeric": by_numpy()}


def model_parts(x: Term, position: dict[str, Term], of: str) -> list[Named]:
    """What a model reads by ids, and its parts."""
    made = parts(add(x, position["E"]) if "E" in position else x, position, weights())
    found = []
    for letter, t in position.items():
        row, column = (*t.axes, None)[:2] if len(t.axes) < 3 else (None, None)
        equal = "" if "i" in t.axes else "_q"
        found.append(Named({"A": "a"}.get(letter, letter) + equal, t, row, column))
    if "E" in position:
        found.append(Named(f"H{of}", add(x, position["E"]), "i", "k"))
    bare = of if "E" in position else "_X"  # of bare tokens they are the same in all models
    return [*found, *made.named("QKV", bare), *made.named("SAZ", of)]


def names_of(
    models: Sequence[tuple[dict[str, Term], dict[str, Term], str]],
) -> tuple[list[Named], list[dict[str, str]]]:
    """Names for what models read by ids, for X and for P X, and for their parts, primed for P X;
    and for each model which of these are made like which."""
    found, alike = [], []
    for position, along, of in models:
        here = model_parts(X, position, of)
        images, pairs = primed(here, model_parts(PX, along, of))
        found += [*here, Named("X'", PX, "i", "k"), *images]
        alike.append({"X'": "X"} | pairs)
    return found, alike
