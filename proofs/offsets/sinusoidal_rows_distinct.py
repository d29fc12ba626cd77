"""At the frequencies of the paper, no two of the first 10¹⁸ rows of the sinusoidal table are equal.

The first frequency is 1, so rows p and q are equal in the first pair of features only if p − q is a
multiple of 2π, and then 2π would be a fraction with numerator p − q; but between bounds of 2π every
fraction has a larger one.
"""

from orderproof.proofs.prelude import *
from orderproof.symbolic.schemes.rotations import DISTINCT_ROWS, PAIRS, rows_differ


@theorem(
    title="The first 10¹⁸ rows of the sinusoidal table are distinct",
    words="At the frequencies of the paper, for every even number of features from 2 on, no two "
    "of the first 10¹⁸ rows are equal.",
    source="Vaswani et al. 2017, section 3.5",
    citations=("vaswani2017",),
)
def sinusoidal_rows_distinct() -> Proof:
    """The first frequency is one. The squared distance of two rows in their first pair of features
    is zero only if their positions differ by a multiple of the full angle of the circle, and the
    other pairs add nothing negative. If a whole number were such a multiple, the full angle would
    be a fraction with that number as its numerator. The full angle is enclosed between two rational
    numbers, and the continued fraction of these gives the fraction with the smallest numerator that
    lies between them: it is larger than any difference of two positions here.
    """
    distinct = Claim(
        rows_differ(n, DISTINCT_ROWS),
        {"interval": by_period(n, DISTINCT_ROWS), "numeric": by_numpy()},
    )
    return Proof(
        claims=(distinct,),
        planted=nearby(distinct, "With no features (h = 0) all rows are equal.", sizes=sizes()),
        show=Show((), {}, {PAIRS: "kl", n: "ij"}),
    )
