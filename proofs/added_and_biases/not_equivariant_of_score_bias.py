"""ALiBi, a window and the causal mask, at small n: no P that does not fix them is a symmetry.

Let W_Q = 0, so that attention is the weights of the bias alone, and give one token the value 1 and
all others 0: the output shows an entry of these weights.
"""

import itertools

from orderproof.numeric.groups import symmetry
from orderproof.numeric.groups.bias_matrices import position
from orderproof.numeric.groups.outside import outside
from orderproof.proofs.prelude import *
from orderproof.symbolic.models.builders import exp2
from orderproof.symbolic.schemes.running_means import causal_mask
from orderproof.symbolic.witness.group_file import WeightsWitness

from .score_bias import BIAS, LAYER, show_bias

APART = subtract(iota(n, "i"), iota(n, "j"))
DISTANCE = pointwise("max", APART, pointwise("neg", APART))
SHOWN = {  # weights G of three schemes, and the sizes at which every σ outside is shown
    "alibi": ((3, 4), exp2(pointwise("neg", DISTANCE))),
    "window": ((3, 4), pointwise("at_most", DISTANCE, number(1))),
    "causal": ((2, 3), causal_mask(n)),
}


@theorem(
    title="Three biases at small n: attention commutes with no P that changes them",
    words="With ALiBi and with a window at n = 3 and 4, and with the causal mask at n = 2 and 3, "
    "attention commutes with no P that changes the bias by more than row constants.",
    source="ALiBi: Press et al. 2022",
    citations=("press2022",),
    uses=("score_bias_iff",),
)
def not_equivariant_of_score_bias() -> Proof:
    found = {name: list(witnesses(name, at)) for name, (at, _) in SHOWN.items()}
    shown = [
        differs(
            *sides(LAYER.Z, TOKENS, {"i": sigma}),
            by_witnesses(found[name]),
            every=(leaf_of(BIAS.G), sigma), row="i", column="r",
            given=[Atom(BIAS.G, "=", weights), BIAS.kept.opposite()],
            over=sizes(among={n: at} | dict.fromkeys((d, d_k, d_v), (1,))),
        )
        for name, (at, weights) in SHOWN.items()
    ]  # fmt: skip
    along = "If the bias is permuted with the tokens, both sides are equal."
    first, *others = (nearby(claim, along, lhs=claim.rhs) for claim in shown)
    return Proof(
        claims=in_rocq("score_bias_iff", *shown),
        planted=(first, *others),
        show=show_bias(LAYER.named(), BIAS),
    )


def witnesses(name: str, at: tuple[int, ...]) -> Iterator[Witness]:
    """For every σ outside the group: W_Q = 0, and the value 1 at the token that is read where the
    weights differ. The bias is in units of ln 2, with integers where the scheme has multiples of a
    slope."""
    for size in at:
        layer = symmetry.of_scheme(position(name, size))
        for s in itertools.permutations(range(size)):
            found = outside(layer, s, name)
            if found is not None and isinstance(found.witness, WeightsWitness):
                token = s[found.witness.column]
                x = [[int(k == token)] for k in range(size)]
                tensors = {"X": x, "W_Q": [[0]], "W_K": [[0]], "W_V": [[1]]}
                yield Witness({"n": size, "d": 1, "d_k": 1, "d_v": 1}, {"sigma": s}, tensors)
