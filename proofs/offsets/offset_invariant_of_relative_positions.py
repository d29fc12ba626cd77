"""Relative positions are invariant under a common offset: all places t further on, the same output.

Of a position embedding it is said that it "breaks permutation symmetry to translational": that
depends on the scheme.
A bias, mask, relative key or rotation that is made from the difference of two places is the same
when both are t further on, and so is all that is computed from it, layer after layer.
(`orderproof table` has the column "offset" for every scheme.)
"""

from orderproof.proofs.prelude import *
from orderproof.publish.pages.primes import like, once, primed

from .offsets import FURTHER_ON, OFFSET, STRETCHED, kept, relative, same_offsets, shifted, turned

BUILDS = turned, shifted  # with rotations; with relative keys


@theorem(
    title="Two layers with relative positions are invariant under a common offset",
    words=(
        Sentence(
            "If t is added to all positions, the output of two layers with any biases, "
            "masks and rotations, or relative keys, that are functions of the difference "
            "of positions does not change.",
            (0, 1),
        ),
    ),
    source="AI Stack Exchange, question 32236: “breaks permutation symmetry to translational”",
    citations=("s0",),
    uses=("offset_invariant_of_alibi", "rope_relative_score", "sinusoidal_shift_is_rotation"),
)
def offset_invariant_of_relative_positions() -> Proof:
    offsets = same_offsets()
    every = [kept(build, offsets, "i", "k") for build in BUILDS]
    stretched = "If the positions of the keys are multiplied by t, the differences change."
    first, second = (
        nearby(claim, stretched, lhs=build(STRETCHED))
        for claim, build in zip(every, BUILDS, strict=True)
    )
    named, pairs = names()
    return Proof(
        claims=in_rocq("offset_invariant_of_relative_positions", *every),
        neighbour=first,
        neighbours=(second,),
        show=show(*named, alike=pairs),
    )


def names() -> tuple[list[Named], tuple[dict[str, str], ...]]:
    """Names for the two layers, here and, primed, t further on, and of the false variant; and which
    are made like which."""
    found = [Named("o", OFFSET, "i", "j"), Named("o'", FURTHER_ON, "i", "j")]
    alike = []
    for of, keys in (("M", False), ("N", True)):
        here, there = (relative(offset, of, keys=keys) for offset in (OFFSET, FURTHER_ON))
        images, pairs = primed(here, there)
        found += [*here, *images]
        second = {f"{x}_{of}2": f"{x}_M1" for x in "QKV"}  # of both models before positions
        second |= {f"{x}_{of}2": f"{x}_{of}1" for x in "SA"}
        weights = {f"W_{x}2": f"W_{x}1" for x in "QKV"}
        alike += [second | weights | {f"{of}_2": f"{of}_1", f"{of}_1": "X"}, {"o'": "o"} | pairs]
    here = relative(OFFSET, "M")
    stretched = Named("o_w", STRETCHED, "i", "j")
    wide = [replace(x, name=x.name.replace("_o", "_w")) for x in relative(STRETCHED, "W")]
    return once([*found, stretched, *wide]), (*alike, {"o_w": "o"} | like(wide, here))
