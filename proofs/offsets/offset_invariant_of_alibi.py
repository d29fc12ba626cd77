"""ALiBi is invariant under a common offset: all places t further on, the output is the same.

A bias that is made from the difference of two places is the same when both are t further on, and so
is all that is computed from it.
"""

from orderproof.proofs.prelude import *

from .offsets import FURTHER_ON, OFFSET, STRETCHED, alibi, kept, same_offsets


@theorem(
    title="Attention with ALiBi is invariant under a common offset of all positions",
    words=(
        Sentence("The difference of two positions does not change if t is added to both.", (0,)),
        Sentence("So the output of attention with ALiBi of one slope does not change.", (1,)),
    ),
    source="AI Stack Exchange, question 32236: “breaks permutation symmetry to translational”",
    citations=("s0", "press2022"),
    uses=("score_bias_iff",),
)
def offset_invariant_of_alibi() -> Proof:
    """The first claim is arithmetic. The bias is made of the difference, the weights of the bias,
    and the output of the weights: equals are put for equals.
    """
    offsets = same_offsets()
    slope = kept(alibi, offsets)
    slope = replace(slope, marks={**slope.marks, "sympy": by_sympy, "numeric": by_numpy()})
    near, far, wide = alibi(OFFSET), alibi(FURTHER_ON, "_t"), alibi(STRETCHED, "_w")
    return Proof(
        claims=in_rocq("offset_invariant_of_relative_positions", offsets, slope),
        planted=(
            nearby(
                slope,
                "If the positions of the keys are multiplied by t, the distances change.",
                lhs=wide[-1].term,
            ),
            nearby(
                offsets,
                "If the positions of the keys are multiplied by t, the differences change.",
                lhs=STRETCHED,
            ),
        ),
        show=show(
            *SELF.named("QKVS"), *near, *far, *wide, alike=(like(far, near), like(wide, near))
        ),
    )
