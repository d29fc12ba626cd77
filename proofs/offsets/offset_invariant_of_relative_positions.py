"""Relative positions are invariant under a common offset: all places t further on, the same output.

Of a position embedding it is said that it "breaks permutation symmetry to translational": that
depends on the scheme.
A bias, mask, relative key or rotation that is made from the difference of two places is the same
when both are t further on, and so is all that is computed from it, layer after layer.
(`orderproof table` has the column "offset" for every scheme.)
"""

from orderproof.proofs.prelude import *

from .offsets import FURTHER_ON, OFFSET, STRETCHED, Build, kept, relative, same_offsets

MODELS: dict[str, Build] = {"M": relative, "N": partial(relative, of="N", keys=True)}


@theorem(
    title="Two layers with relative positions are invariant under a common offset",
    words="If t is added to all positions, the output of two layers with any biases, masks and "
    "rotations, or relative keys, that are functions of the difference of positions does not "
    "change.",
    source="AI Stack Exchange, question 32236: “breaks permutation symmetry to translational”",
    citations=("s0",),
    uses=("offset_invariant_of_alibi", "rope_relative_score", "sinusoidal_shift_is_rotation"),
)
def offset_invariant_of_relative_positions() -> Proof:
    """By claim (1) of offset_invariant_of_alibi each of the functions is given what it was given
    before. So the first layer’s output is the same, the second is given the same, and so its output
    is.
    """
    offsets = same_offsets()
    every = [kept(build, offsets) for build in MODELS.values()]
    stretched = "If the positions of the keys are multiplied by t, the differences change."
    first, second = (
        nearby(claim, stretched, lhs=build(STRETCHED)[-1].term)
        for claim, build in zip(every, MODELS.values(), strict=True)
    )
    return Proof(
        claims=in_rocq("offset_invariant_of_relative_positions", *every),
        planted=(first, second),
        show=named(),
    )


def named() -> Show:
    """How the book writes the two layers, here and, primed, t further on, and the false variant."""
    found = [Named("o", OFFSET, "i", "j"), Named("o'", FURTHER_ON, "i", "j")]
    alike = []
    for of, build in MODELS.items():
        here = build(OFFSET)
        images, pairs = primed(here, build(FURTHER_ON))
        found += [*here, *images]
        second = {f"{x}_{of}2": f"{x}_M1" for x in "QKV"}  # of both models before positions
        second |= {f"{x}_{of}2": f"{x}_{of}1" for x in "SA"}
        weights = {f"W_{x}2": f"W_{x}1" for x in "QKV"}
        alike += [second | weights | {f"{of}_2": f"{of}_1", f"{of}_1": "X"}, {"o'": "o"} | pairs]
    wide = [replace(x, name=x.name.replace("_o", "_w")) for x in relative(STRETCHED, "W")]
    alike.append({"o_w": "o"} | like(wide, relative(OFFSET)))
    return show(*once([*found, Named("o_w", STRETCHED, "i", "j"), *wide]), alike=tuple(alike))
