"""ALiBi is invariant under a common offset: all places t further on, the output is the same.

A bias that is made from the difference of two places is the same when both are t further on, and so
is all that is computed from it.
"""

from dataclasses import replace

from orderproof.proofs.book.script import main
from orderproof.proofs.check.claims import Sentence, TheoremFile, in_rocq, nearby
from orderproof.proofs.marks.numeric import by_numpy
from orderproof.proofs.marks.sympy_entries import by_sympy
from orderproof.proofs.pages.primes import like
from orderproof.proofs.shared.offsets import (
    FURTHER_ON,
    OFFSET,
    STRETCHED,
    biased,
    kept,
    parts,
    same_offsets,
)
from orderproof.proofs.shared.symbols import SELF, show


def theorem() -> TheoremFile:
    """The offsets, by arithmetic; the output, by putting equals for equals."""
    offsets = same_offsets()
    slope = kept(biased, offsets, "i", "r")
    slope = replace(slope, marks={**slope.marks, "sympy": by_sympy, "numeric": by_numpy()})
    near, far, wide = parts(OFFSET), parts(FURTHER_ON, "_t"), parts(STRETCHED, "_w")
    return TheoremFile(
        id="offset_invariant_of_alibi",
        title="Attention with ALiBi is invariant under a common offset of all positions",
        words=(
            Sentence(
                "The difference of two positions does not change if t is added to both.", (0,)
            ),
            Sentence("So the output of attention with ALiBi of one slope does not change.", (1,)),
        ),
        claims=in_rocq("offset_invariant_of_relative_positions", offsets, slope),
        uses=("score_bias_iff",),
        neighbour=nearby(
            slope,
            "If the positions of the keys are multiplied by t, the distances change.",
            lhs=biased(STRETCHED),
        ),
        neighbours=(
            nearby(
                offsets,
                "If the positions of the keys are multiplied by t, the differences change.",
                lhs=STRETCHED,
            ),
        ),
        source="AI Stack Exchange, question 32236: “breaks permutation symmetry to translational”",
        citations=("s0", "press2022"),
        show=show(
            *SELF.named("QKVS"),
            *near,
            *far,
            *wide,
            alike=(like(far, near), like(wide, near)),
        ),
    )


if __name__ == "__main__":
    main(__spec__)
