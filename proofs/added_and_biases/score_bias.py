"""Self-attention with a bias of the scores, as weights G on their exponentials.

G = exp B ≥ 0, no row all 0; D is what is left where each row of G is divided by its largest entry,
N where it is divided by its sum
"""

from orderproof.proofs.prelude import *

from .bias_halves import Bias, Model, OnlyIf
from .bias_models import G

BIAS = Bias(G)
WEIGHTS, NO_ZERO_ROW = BIAS.weights
LAYER = replace(SELF, mask=G)
A, Z = LAYER.A, LAYER.Z
OUTSIDE = BIAS.kept.opposite()
NAMED = LAYER.named("QKVSAZ")


def halves(model: Model, row: str, column: str) -> tuple[Claim, Claim]:
    """If D is kept, f(PX) = P f(X) for all X and weights; if not, for some it is not so."""
    both = (model.claimed_if(), model.kept_if()), (model.claimed_only_if(), OnlyIf(model))
    first, second = (Claim(s, {"smt": check}, row, column) for s, check in both)
    return first, second


def broken_halves(if_kept: Claim, only_if: Claim) -> tuple[Neighbour, Neighbour]:
    """The false statements next to the two halves."""
    (condition,) = if_kept.statement.given - only_if.statement.given
    return (
        nearby(
            if_kept,
            "Without the condition it fails: a bias that P does not fix can break the symmetry.",
            given=if_kept.statement.given - {condition},
        ),
        nearby(
            only_if, "If P fixes the bias, both sides are equal.",
            given=only_if.statement.given - {condition.opposite()} | {condition},
        ),
    )  # fmt: skip
