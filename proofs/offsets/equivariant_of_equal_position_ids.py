"""Where all tokens have one position id, attention commutes with every P.

All tokens then read the same row, bias, relative key, rotation or mask: there is nothing to permute
but the tokens, and every order looks the same.
"""

from orderproof.proofs.prelude import *
from orderproof.proofs.shared.position_ids import by_ids, show_ids
from orderproof.proofs.shared.travelling import MARKS, PX, TOKENS, X, model_parts
from orderproof.symbolic.schemes.models import SIGMA, model

EQUAL = {"E": "_q", "A": "_aq", "R": "_Rq"}  # of equal ids: one bias or mask for all cancels


@theorem(
    title="Attention is equivariant if all position ids are equal",
    words="If all tokens have one id, f(PX) = P f(X): with rows added to tokens, with relative "
    "keys and with rotations.",
    source="[SBP] McIlroy-Young et al. 2024",
    citations=("mcilroyyoung2024",),
    uses=("positions_that_travel",),
)
def equivariant_of_equal_position_ids() -> Proof:
    """Every token reads the same row of the table, the same relative key, the same rotation. These
    are tensors without a token axis, so permuting the tokens permutes every tensor that has one:
    {ref naturality}, or positions_that_travel with ids that are permuted and stay the same.
    """
    claims, named, alike = [], [], []
    for letter, of in EQUAL.items():
        position = by_ids(letter, same=True)
        whole = model(X, position)
        claims.append(equivariance(whole, TOKENS, {"i": SIGMA}, MARKS, row="i", column="v"))
        here = model_parts(X, position, of)
        images, pairs = primed_images(here, TOKENS)
        named += [*here, Named("X'", PX, "i", "k"), *images]
        alike.append(pairs)
    return Proof(
        claims=tuple(claims),
        planted=transposed(claims[0]),
        show=show_ids(*once(named), alike=tuple(alike)),
        pushed=(),
    )
