"""Permute the tokens with their position ids, and every position scheme is symmetric.

A token carries its id p(i) with it, as it carries its embedding. Whatever attention adds or leaves
out because of places, it reads from tables by ids: a row for each id, a bias, a relative key or a
mask for each pair of ids. Nothing is left that σ does not permute, and so the output is permuted.
And where all ids are equal, there is nothing to carry: every order looks the same.
"""

from dataclasses import replace

from orderproof.proofs.book.script import main
from orderproof.proofs.check.claims import (
    Claim,
    Named,
    Sentence,
    StuckError,
    TheoremFile,
    equality,
    equivariance,
    nearby,
)
from orderproof.proofs.marks.numeric import by_numpy
from orderproof.proofs.marks.sympy_entries import by_sympy_to
from orderproof.proofs.pages.primes import once, primed
from orderproof.proofs.shared.position_ids import by_ids, moved_along, parts_named, show, weighed
from orderproof.symbolic.calculus import kernel
from orderproof.symbolic.calculus.kernel import Theorem
from orderproof.symbolic.calculus.terms import Term
from orderproof.symbolic.models.builders import add, inverse, leaf_of, moved, tensor
from orderproof.symbolic.schemes.models import (
    CONTEXT,
    FEATURES,
    SIGMA,
    Derived,
    model,
    parts,
    positions,
    travelling,
    weights,
)

X = tensor("X", i=CONTEXT, k=FEATURES)
PX = moved(X, i=SIGMA)
TOKENS = {leaf_of(X): (SIGMA, None)}
MARKS = {
    "sympy": by_sympy_to(3, d=2, m=3), "numeric": by_numpy(),
}  # fmt: skip
MODELS = ("EBG", "A", "R")  # rows, biases and masks; relative keys; rotations
EQUAL = ("E", "A", "R")  # of equal ids: one bias or mask for all says nothing


def theorem() -> TheoremFile:
    """With ids moved along, for each kind of position term; and where all ids are equal."""
    along, equal = [_along(letters) for letters in MODELS], [_equal(letters) for letters in EQUAL]
    named, alike = _names()
    first = along[0]
    return TheoremFile(
        id="positions_that_travel",
        title="Positions that travel with their tokens show no order",
        words=(
            Sentence(
                "Permute tokens together with their position ids, and with every bias, "
                "relative key, rotation and mask that is computed from ids: the output is "
                "permuted.",
                (0, 1, 2),
            ),
            Sentence("If all tokens have one id, f(PX) = P f(X).", (3, 4, 5)),
        ),
        claims=(*along, *equal),
        uses=("naturality", "mask_transport", "equivariant_of_fixed_position_table"),
        neighbour=nearby(
            first,
            "Ids that stay where they are do not travel.",
            lhs=model(PX, by_ids(MODELS[0])),
        ),
        neighbours=(
            nearby(
                equal[0],
                "The output moves with the tokens, not against them.",
                rhs=moved(model(X, by_ids(EQUAL[0], same=True)), i=inverse(SIGMA)),
            ),
        ),
        source="[SBP] McIlroy-Young et al. 2024",
        citations=("mcilroyyoung2024",),
        show=show(*named, alike=alike),
        pushed=(),
    )


def _names() -> tuple[list[Named], tuple[dict[str, str], ...]]:
    """Names for what the models read by ids and for their parts, primed where tokens are permuted;
    for P X with ids that stay where they are; and which of these are made like which."""
    found, alike = [], []
    tokens = Named("X'", PX, "i", "k")
    for letters, of in zip(MODELS, ("", "_a", "_R"), strict=True):
        terms = by_ids(letters)
        here, there = _parts(X, terms, of), _parts(PX, moved_along(terms), of)
        images, pairs = primed(here, there)
        found += [*here, tokens, *images]
        alike.append({"X'": "X"} | pairs)
    for letters, of in zip(EQUAL, ("_q", "_aq", "_Rq"), strict=True):
        terms = by_ids(letters, same=True)
        here = _parts(X, terms, of)
        images, pairs = primed(here, _parts(PX, terms, of))
        found += [*here, *images]
        alike.append({"X'": "X"} | pairs)
    still = [replace(item, name=f"{item.name}_0") for item in _parts(PX, by_ids(MODELS[0]), "")]
    alike.append({"X'": "X"} | {item.name: item.name[:-2] for item in still})
    return once([*found, *still]), tuple(alike)


def _parts(x: Term, position: dict[str, Term], of: str) -> list[Named]:
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
    return [*found, *parts_named(made, bare, "QKV"), *parts_named(made, of, "SAZ")]


def _along(letters: str) -> Claim:
    """f(PX) = P f(X), the ids moved along."""
    terms = by_ids(letters)
    proof = instance(travelling(letters), letters)
    lhs, rhs = model(PX, moved_along(terms)), moved(model(X, terms), i=SIGMA)
    return equality(lhs, rhs, proof, MARKS, row="i", column="v", given=weighed(letters))


def _equal(letters: str) -> Claim:
    """f(PX) = P f(X), every token having the same id."""
    whole = model(X, by_ids(letters, same=True))
    given = weighed(letters)
    return equivariance(whole, TOKENS, {"i": SIGMA}, MARKS, row="i", column="v", given=given)


def instance(derived: Derived | None, letters: str) -> Theorem:
    """A theorem about position tensors, of those that are read by ids."""
    if derived is None:
        raise StuckError(f"position tensors {letters}: the push did not go through")
    found = by_ids(letters)
    terms = {
        leaf_of(t): found[x].rename(dict(zip(t.axes, range(len(t.axes)), strict=True)))
        for x, t in positions(letters, CONTEXT).items()
    }
    return kernel.inst(derived.theorem, terms)


if __name__ == "__main__":
    main(__spec__)
