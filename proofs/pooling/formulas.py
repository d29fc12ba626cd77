"""One token unlike the others, in self-attention: its outputs in closed form, and in numbers."""

from __future__ import annotations

from orderproof.check.formulas import Meaning, Shown, Stated, Written
from orderproof.proofs.pooling.not_invariant_self_attention import witness
from orderproof.proofs.prelude import *

FIRST = pointwise("at_most", iota(n, "i"), number(0))  # 1 at the first token, 0 at the others
KEYS = FIRST.rename({"i": "j"})
SHOW = show(Named("x", FIRST))


def outputs() -> Claim:
    """Self-attention of tokens with this one feature, all weights 1, queries in units of ln 2."""
    scores = multiply(pointwise("log", number(2)), FIRST, KEYS)
    first = divide(number(2), add(size(n), number(1)))
    other = divide(number(1), size(n))
    rest = subtract(number(1), FIRST)
    return holds(
        contract(softmax(scores, "j"), KEYS, "j"), "=",
        add(multiply(FIRST, first), multiply(rest, other)),
        {"numeric": by_numpy()}, over=sizes({n: 1}),
    )  # fmt: skip


def valued(term: Term) -> Written:
    """Three tokens, the first of which is 1; and their images, the first two exchanged."""
    return Written(
        term, show(*SELF.named()), witness(3), "i", "r", primes=(pushing(SELF.Z, TOKENS),)
    )


FORMULAS: dict[str, Shown] = {
    "one_token": Meaning(Named("x", FIRST), SHOW),
    "outputs_of_one_token": Stated(outputs(), SHOW),
    "outputs_in_order": valued(SELF.Z),
    "outputs_exchanged": valued(image(SELF.Z, TOKENS)),
}
