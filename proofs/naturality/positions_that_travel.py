"""Permute the tokens with their position ids, and all that is read by ids is permuted with them.

A token carries its id p(i) with it, as it carries its embedding. Whatever attention adds or leaves
out because of places, it reads from tables by ids: a row for each id, a bias, a relative key or a
mask for each pair of ids. Nothing is left that σ does not permute, and so the output is permuted.
"""

from orderproof.check.claims import StuckError
from orderproof.proofs.prelude import *
from orderproof.proofs.shared.position_ids import by_ids, moved_along, show_ids, weighed
from orderproof.proofs.shared.travelling import MARKS, PX, X, model_parts, names_of
from orderproof.symbolic.schemes.models import CONTEXT, SIGMA, model, positions, travelling

MODELS = ("EBG", "A", "R")  # rows, biases and masks; relative keys; rotations


@theorem(
    title="Attention is equivariant if position ids are permuted with the tokens",
    words="If tokens are permuted together with their position ids, and with every bias, relative "
    "key, rotation and mask that is a function of ids, the output is permuted.",
    source="[SBP] McIlroy-Young et al. 2024",
    citations=("mcilroyyoung2024",),
    uses=("naturality", "mask_transport", "equivariant_of_fixed_position_table"),
)
def positions_that_travel() -> Proof:
    """A table read by ids that have been permuted is the permuted table. So rows, biases, masks,
    relative keys and rotations are all permuted with the tokens, and {ref naturality} applies: the
    scores move by row and by column, as in mask_transport, and the rest is as without positions.
    """
    along = [claim(letters) for letters in MODELS]
    read = [by_ids(letters) for letters in MODELS]
    named, alike = names_of(
        [(t, moved_along(t), of) for t, of in zip(read, ("", "_a", "_R"), strict=True)]
    )
    stays = model_parts(PX, read[0], "")  # of P X with ids that are not permuted
    alike.append({"X'": "X"} | {f"{part.name}_0": part.name for part in stays})
    named += [replace(part, name=f"{part.name}_0") for part in stays]
    return Proof(
        claims=in_rocq("positions_that_travel", *along),
        planted=nearby(along[0], "If the ids are not permuted, it fails.", lhs=model(PX, read[0])),
        show=show_ids(*once(named), alike=tuple(alike)),
    )


def claim(letters: str) -> Claim:
    """f(PX) = P f(X), the ids moved along: a case of what holds of any position tensors."""
    terms, derived = by_ids(letters), travelling(letters)
    if derived is None:
        raise StuckError(f"position tensors {letters}: the push did not go through")
    read = {
        leaf_of(t): terms[x].rename(dict(zip(t.axes, range(len(t.axes)), strict=True)))
        for x, t in positions(letters, CONTEXT).items()
    }
    proof = kernel.inst(derived.theorem, read)
    lhs, rhs = model(PX, moved_along(terms)), moved(model(X, terms), i=SIGMA)
    return equality(lhs, rhs, proof, MARKS, row="i", column="v", given=weighed(letters))
