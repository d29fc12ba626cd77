"""Where all tokens have one position id, attention commutes with every P.

All tokens then read the same row, bias, relative key, rotation or mask: there is nothing to permute
but the tokens, and every order looks the same.
"""

from orderproof.proofs.prelude import *
from orderproof.proofs.shared.position_ids import by_ids, show_ids, weighed
from orderproof.proofs.shared.travelling import MARKS, PX, TOKENS, X, model_parts
from orderproof.publish.pages.primes import once, primed
from orderproof.symbolic.schemes.models import SIGMA, model

EQUAL = ("E", "A", "R")  # of equal ids: one bias or mask for all cancels


def claim(letters: str) -> Claim:
    """f(PX) = P f(X), every token having the same id."""
    whole = model(X, by_ids(letters, same=True))
    return equivariance(
        whole, TOKENS, {"i": SIGMA}, MARKS, row="i", column="v", given=weighed(letters)
    )


@theorem(
    title="Attention is equivariant if all position ids are equal",
    words=(
        Sentence(
            "If all tokens have one id, f(PX) = P f(X): with rows added to tokens, with "
            "relative keys and with rotations.",
            (0, 1, 2),
        ),
    ),
    source="[SBP] McIlroy-Young et al. 2024",
    citations=("mcilroyyoung2024",),
    uses=("positions_that_travel",),
)
def equivariant_of_equal_position_ids() -> Proof:
    equal = [claim(letters) for letters in EQUAL]
    named, alike = names()
    return Proof(
        claims=tuple(equal),
        neighbour=transposed(equal[0]),
        show=show_ids(*named, alike=alike),
        pushed=(),
    )


def names() -> tuple[list[Named], tuple[dict[str, str], ...]]:
    """Names for what the models read and for their parts, primed where tokens are permuted; and
    which of these are made like which."""
    found, alike = [], []
    for letters, of in zip(EQUAL, ("_q", "_aq", "_Rq"), strict=True):
        terms = by_ids(letters, same=True)
        here = model_parts(X, terms, of)
        images, pairs = primed(here, model_parts(PX, terms, of))
        found += [*here, Named("X'", PX, "i", "k"), *images]
        alike.append({"X'": "X"} | pairs)
    return once(found), tuple(alike)
