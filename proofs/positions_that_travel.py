"""Permute the tokens with their position ids, and every position scheme is symmetric.

A token carries its id p(i) with it, as it carries its embedding. Whatever attention adds or leaves
out because of places, it reads from tables by ids: a row for each id, a bias, a relative key or a
mask for each pair of ids. Nothing is left that σ does not permute, and so the output is permuted.
And where all ids are equal, there is nothing to carry: every order looks the same.
"""

from orderproof.symbolic import kernel
from orderproof.symbolic.kernel import Theorem
from orderproof.symbolic.language import inverse, leaf_of, moved, tensor
from orderproof.symbolic.position_models import (
    CONTEXT,
    FEATURES,
    SIGMA,
    Derived,
    model,
    positions,
    travelling,
)

from .claims import Claim, Named, StuckError, TheoremFile, equality, equivariance, nearby, pushing
from .marks import by_kernel, by_sympy_to
from .marks_numeric import by_numpy
from .script import main
from .travelling import as_meant, by_ids, moved_along, show

X = tensor("X", i=CONTEXT, k=FEATURES)
PX = moved(X, i=SIGMA)
TOKENS = {leaf_of(X): (SIGMA, None)}
MARKS = {
    "kernel": by_kernel, "sympy": by_sympy_to(3, d=2, m=3), "numeric": by_numpy(drawn=as_meant),
}  # fmt: skip
MODELS = ("EBG", "A", "R")  # rows, biases and masks; relative keys; rotations
EQUAL = ("E", "A", "R")  # of equal ids: one bias or mask for all says nothing


def theorem() -> TheoremFile:
    """With ids moved along, for each kind of position term; and where all ids are equal."""
    along, equal = [_along(letters) for letters in MODELS], [_equal(letters) for letters in EQUAL]
    named = []
    for letters, other in zip(MODELS, EQUAL, strict=True):
        terms, same = by_ids(letters), by_ids(other, same=True)
        named += [
            Named(f"F_{letters}", model(X, terms), "i", "v"),
            Named(f"F'_{letters}", model(PX, moved_along(terms)), "i", "v"),
            Named(f"G_{other}", model(X, same), "i", "v"),
            Named(f"G'_{other}", model(PX, same), "i", "v"),
        ]
    first = along[0]
    return TheoremFile(
        id="positions_that_travel",
        title="Positions that travel with their tokens show no order",
        words="Permute tokens together with their position ids, and with every bias, relative key, "
        "rotation and mask that is computed from ids: the output is permuted, for every scheme. If "
        "all tokens have one id q, f(PX) = P f(X).",
        source="[SBP] McIlroy-Young et al. 2024",
        citations=("mcilroyyoung2024",),
        claims=(*along, *equal),
        show=show(*named),
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
        uses=("naturality", "mask_transport", "equivariant_of_fixed_position_table"),
    )


def _along(letters: str) -> Claim:
    """f(PX) = P f(X), the ids moved along."""
    terms = by_ids(letters)
    proof = instance(travelling(letters), letters)
    lhs, rhs = model(PX, moved_along(terms)), moved(model(X, terms), i=SIGMA)
    return equality(lhs, rhs, proof, MARKS, row="i", column="v")


def _equal(letters: str) -> Claim:
    """f(PX) = P f(X), every token having the same id."""
    whole = model(X, by_ids(letters, same=True))
    pushed = pushing(whole, TOKENS)
    return equivariance(whole, TOKENS, {"i": SIGMA}, pushed, MARKS, row="i", column="v")


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
