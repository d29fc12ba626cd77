"""Rotary positions: a score depends on the offset of its two places alone, and norms are kept.

RoPE turns each pair of features of a query at p and of a key at q by the angles pθ and qθ. Turning
both by the same angle changes no inner product, so only the difference q − p is left: a common
offset of all places changes nothing. Lengths are kept too.
"""

from orderproof.check.marks.waves import worked
from orderproof.proofs.prelude import *
from orderproof.proofs.shared.position_ids import show_ids
from orderproof.symbolic.schemes.rotations import KEY, QUERY, P, Q, T, inner, score, turned

from .turns import identity, length_kept, turns


@theorem(
    title="Rotary scores depend only on the difference of the two positions",
    words=(
        Sentence(
            "With rotary positions the score of a query at p and a key at q depends on q − p "
            "alone.",
            (0,),
        ),
        Sentence("A common offset of all positions changes no score.", (1,)),
        Sentence("Lengths are kept.", (2,)),
    ),
    source="Su et al. 2021, section 3.2",
    citations=("su2021",),
    uses=("sinusoidal_shift_is_rotation",),
)
def rope_relative_score() -> Proof:
    """A pair of features that is turned by a position p is
    {where x_p[k]; y_p[k]}
    and so for the other letters, each at its position. Multiply out, for one pair. A
    feature of the query meets the like feature of the key with
    {of like with like}
    and the other one with
    {of like with other}
    so that what is left is the key turned by the difference of the two positions and the query not
    at all. That is claim (1). A common offset leaves the difference as it is, which is (2), and (3)
    is sinusoidal_shift_is_rotation.
    """
    relative = identity(score(P, Q), inner(QUERY, turned(subtract(Q, P), KEY)))
    common = identity(score(add(P, T), add(Q, T)), score(P, Q))
    length, doubled = length_kept()
    offsets = {"q": Q, "q+t": add(Q, T), "q−p": subtract(Q, P), "p+q": add(P, Q)}
    return Proof(
        claims=in_rocq("rope_relative_score", relative, common, length),
        planted=(
            nearby(
                relative,
                "The key is rotated by (q − p)θ, not by (q + p)θ.",
                rhs=inner(QUERY, turned(add(P, Q), KEY)),
            ),
            nearby(
                common, "An offset of the key alone changes the score.", lhs=score(P, add(Q, T))
            ),
            doubled,
        ),
        show=show_ids(
            *turns(("x", "y"), QUERY, {"p": P, "p+t": add(P, T), "t": T}),
            *turns(("u", "v"), KEY, offsets),
        ),
        examples=(worked("The score of a query and a key", relative),),
    )
