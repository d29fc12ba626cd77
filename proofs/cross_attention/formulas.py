"""One query over pairs of which one is unlike the others; two target tokens of a causal decoder."""

from __future__ import annotations

from orderproof.check.formulas import Meaning, Shown, Stated, Written
from orderproof.proofs.causal_stacks import not_decoder_block_equivariant_of_causal_mask as decoder
from orderproof.proofs.prelude import *
from orderproof.proofs.symbols import MATRICES

PLACE = iota(m, "j")
FIRST = pointwise("at_most", PLACE, number(0))
SECOND = multiply(pointwise("at_most", number(1), PLACE), pointwise("at_most", PLACE, number(1)))
SHOW = Show((Named("a", FIRST), Named("b", SECOND)), MATRICES, {m: "jl"})


def read(values: Term, share: int) -> Claim:
    """What a query in units of ln 2 reads of these values, if the first key alone is 1."""
    weights = softmax(multiply(pointwise("log", number(2)), FIRST), "j")
    return holds(
        contract(weights, values, "j"), "=",
        divide(number(share), add(size(m), number(1))),
        {"numeric": by_numpy()}, over=sizes({m: 2}),
    )  # fmt: skip


def targets(term: Term) -> Written:
    """Two target tokens of the decoder block that is not equivariant, or what becomes of them."""
    return Written(term, decoder.show_both(), decoder.witness(2), "i", "c")


FORMULAS: dict[str, Shown] = {
    "first_pair": Meaning(Named("a", FIRST), SHOW),
    "second_pair": Meaning(Named("b", SECOND), SHOW),
    "pairs_together": Stated(read(FIRST, 2), SHOW),
    "pairs_apart": Stated(read(SECOND, 1), SHOW),
    "targets": targets(X),
    "targets_out": targets(decoder.POST.Z),
    "targets_exchanged": targets(decoder.PX),
    "targets_exchanged_out": targets(image(decoder.POST.Z, TOKENS)),
}
