"""At κ above 1 a skip need not keep two tokens apart: a layer can make them equal.

Two tokens 1 and −1 with scores ± ln 2 attend with the weights A = [[4/5, 1/5], [1/5, 4/5]]. With
the value weight w, the outputs differ by (x_1 − x_2)(1 + 3 w/5), and w = −5/3 makes that 0. There
κ = (5/3) ln 2 = 1.155…; with smaller scores and a larger w it can be as near to 1 as one likes, as
tanh(o/4) is near to o/4 for small o. With further tokens 0, of n in all, w is −(2n + 1)/3.
"""

from orderproof.proofs.prelude import *

from .distances import ONE, OTHER, there_are
from .position_after_first_layer_skip import LAYER, Y

SIZES = tuple(range(2, 8))


def cancelling(size: int) -> Witness:
    """Tokens 1 and −1, all others 0, and the value weight that cancels their difference."""
    tokens = [[1], [-1]] + [[0]] * (size - 2)
    tensors = {"X": tokens, "W_Q": [[1]], "W_K": [[1]], "W_V": [[-Fraction(2 * size + 1, 3)]]}
    return Witness({"n": size, "d": 1, "d_k": 1}, {"a": 0, "b": 1}, tensors)


@theorem(
    title="With a skip, one layer can make two tokens equal",
    words="There are two tokens that differ, and weights, such that the outputs with a skip are "
    "equal, for n = 2 to 7.",
    source="AI Stack Exchange, question 32236",
    uses=("position_after_first_layer_skip",),
)
def position_after_first_layer_cancels() -> Proof:
    """For two tokens, one and minus one, let the scores be plus and minus the logarithm of two.
    Each token attends to itself with the weight
    {weights of two}
    and to the other with the rest. A value weight of minus five thirds makes an output that is the
    token with its sign turned,
    {the skip cancelled}
    so that with the skip both rows are zero. Further tokens that are zero ask for larger value
    weights.
    """
    (x, other_x), (z, other_z), (y, other_y) = (
        [at(t, {"i": place()}) for place in (ONE, OTHER)] for t in (X, LAYER.Z, Y)
    )
    differ, same = Atom(x, "≠", other_x, some=True), Atom(z, "=", other_z)
    equal = there_are(
        y, "=", other_y, [cancelling(size) for size in SIZES],
        such=[differ], among={n: SIZES, d: (1,), d_k: (1,)},
    )  # fmt: skip
    return Proof(
        claims=(equal,),
        planted=nearby(
            equal,
            "If the layer adds the same to both, they stay as far apart as they were.",
            such=frozenset({differ, same}),
        ),
        show=show(*LAYER.named(), Named("Y", Y, "i", "c")),
    )
