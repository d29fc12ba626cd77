"""Permute the tokens with their position ids, and all that is read by ids is permuted with them.

A token carries its id p(i) with it, as it carries its embedding. Whatever attention adds or leaves
out because of places, it reads from tables by ids: a row for each id, a bias, a relative key or a
mask for each pair of ids. Nothing is left that σ does not permute, and so the output is permuted.
"""

from orderproof.check.claims import StuckError
from orderproof.proofs.prelude import *
from orderproof.proofs.shared.position_ids import by_ids, moved_along, show_ids, weighed
from orderproof.proofs.shared.travelling import MARKS, PX, X, model_parts
from orderproof.publish.pages.primes import once, primed
from orderproof.symbolic.schemes.models import CONTEXT, SIGMA, Derived, model, positions, travelling

MODELS = ("EBG", "A", "R")  # rows, biases and masks; relative keys; rotations


@theorem(
    title="Attention is equivariant if position ids are permuted with the tokens",
    words=(
        Sentence(
            "If tokens are permuted together with their position ids, and with every "
            "bias, relative key, rotation and mask that is a function of ids, the output "
            "is permuted.",
            (0, 1, 2),
        ),
    ),
    source="[SBP] McIlroy-Young et al. 2024",
    citations=("mcilroyyoung2024",),
    uses=("naturality", "mask_transport", "equivariant_of_fixed_position_table"),
)
def positions_that_travel() -> Proof:
    along = [claim(letters) for letters in MODELS]
    named, alike = names()
    return Proof(
        claims=in_rocq("positions_that_travel", *along),
        neighbour=nearby(
            along[0],
            "If the ids are not permuted, it fails.",
            lhs=model(PX, by_ids(MODELS[0])),
        ),
        show=show_ids(*named, alike=alike),
    )


def names() -> tuple[list[Named], tuple[dict[str, str], ...]]:
    """Names for what the models read by ids and for their parts, primed where tokens are permuted;
    for P X with ids that stay where they are; and which of these are made like which."""
    found, alike = [], []
    for letters, of in zip(MODELS, ("", "_a", "_R"), strict=True):
        terms = by_ids(letters)
        here, there = model_parts(X, terms, of), model_parts(PX, moved_along(terms), of)
        images, pairs = primed(here, there)
        found += [*here, Named("X'", PX, "i", "k"), *images]
        alike.append({"X'": "X"} | pairs)
    stays = model_parts(PX, by_ids(MODELS[0]), "")
    still = [replace(item, name=f"{item.name}_0") for item in stays]
    alike.append({"X'": "X"} | {item.name: item.name[:-2] for item in still})
    return once([*found, *still]), tuple(alike)


def claim(letters: str) -> Claim:
    """f(PX) = P f(X), the ids moved along."""
    terms = by_ids(letters)
    proof = instance(travelling(letters), letters)
    lhs, rhs = model(PX, moved_along(terms)), moved(model(X, terms), i=SIGMA)
    return equality(lhs, rhs, proof, MARKS, row="i", column="v", given=weighed(letters))


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
