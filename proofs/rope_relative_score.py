"""Rotary positions: a score sees the offset of its two places alone, and norms are kept.

RoPE turns each pair of features of a query at p and of a key at q by the angles pθ and qθ. Turning
both by the same angle changes no inner product, so only the difference q − p is left: a common
offset of all places changes nothing. Lengths are kept too. Order is seen all the same: with the
rational rotation (3/5, 4/5), which no power brings back to where it began, two tokens that change
places have other scores.
"""

from dataclasses import replace
from fractions import Fraction

from orderproof.proofs.book.script import main
from orderproof.proofs.check.claims import (
    Atom,
    Named,
    Sentence,
    TheoremFile,
    differs,
    nearby,
    sizes,
)
from orderproof.proofs.marks.exact import Witness, by_exact
from orderproof.proofs.marks.numeric import by_numpy_differs
from orderproof.proofs.marks.waves import FREQUENCIES, by_enclosures, worked
from orderproof.proofs.pages.primes import once, primed
from orderproof.proofs.shared.position_ids import parts_named, show
from orderproof.symbolic.calculus.terms import Term
from orderproof.symbolic.models.builders import (
    add,
    delta,
    image,
    iota,
    leaf_of,
    moved,
    multiply,
    number,
    subtract,
    tensor,
)
from orderproof.symbolic.schemes.models import (
    CONTEXT,
    FEATURES,
    SIGMA,
    model,
    parts,
    positions,
    weights,
)
from orderproof.symbolic.schemes.rotations import (
    KEY,
    OMEGA,
    PAIRS,
    QUERY,
    P,
    Q,
    T,
    inner,
    rotary_attention,
    score,
    turned,
)

from .sinusoidal_shift_is_rotation import identity, turns

X = tensor("X", i=CONTEXT, k=FEATURES)
MODEL = model(X, positions("R", CONTEXT))
TURNED = rotary_attention(X, "k")  # at the frequencies of the paper
TRUE = TURNED["Z"]
NONE = ((1, 0), (0, 1))


def theorem() -> TheoremFile:
    """The score, a common offset, norms; and two tokens that change places."""
    relative = identity(score(P, Q), inner(QUERY, turned(subtract(Q, P), KEY)))
    common = identity(score(add(P, T), add(Q, T)), score(P, Q))
    further = turned(T, QUERY)
    length = identity(inner(further, further), inner(QUERY, QUERY))
    offsets = {"q": Q, "q+t": add(Q, T), "q−p": subtract(Q, P), "p+q": add(P, Q)}
    tokens = {leaf_of(X): (SIGMA, None)}
    here = parts_named(parts(X, positions("R", CONTEXT), weights()))
    there, like = primed(here, (replace(x, term=image(x.term, tokens)) for x in here))
    at_true = [
        Named(f"{x}_r" if len(x) == 1 else f"{x}r", t, *places(x)) for x, t in TURNED.items()
    ]
    at_true = [x for x in at_true if x.term not in {item.term for item in here}]
    swapped_true, like_true = primed(
        at_true, (replace(x, term=image(x.term, tokens)) for x in at_true)
    )
    swapped = differs(
        image(MODEL, {leaf_of(X): (SIGMA, None)}), moved(MODEL, i=SIGMA),
        {"exact": by_exact([WITNESS]), "numeric": by_numpy_differs([WITNESS])},
        every=(leaf_of(ROTATION),), given=[TURNING], row="i", column="v",
        over=sizes(among=dict.fromkeys((CONTEXT, FEATURES), (2,))),
    )  # fmt: skip
    true = differs(
        image(TRUE, {leaf_of(X): (SIGMA, None)}), moved(TRUE, i=SIGMA),
        {"interval": by_enclosures([AT_TRUE])},
        every=(leaf_of(OMEGA),), given=[FREQUENCIES], row="i", column="v",
        over=sizes(among={CONTEXT: (2,)} | dict.fromkeys((FEATURES, PAIRS), (1,))),
    )  # fmt: skip
    travel = {leaf_of(X): (SIGMA, None), leaf_of(ROTATION): (SIGMA, SIGMA, None, None)}
    return TheoremFile(
        id="rope_relative_score",
        title="Rotary scores see the offset of two places alone",
        words=(
            Sentence(
                "With rotary positions the score of a query at p and a key at q depends on q "
                "− p alone.",
                (0,),
            ),
            Sentence("A common offset of all places changes no score.", (1,)),
            Sentence("Lengths are kept.", (2,)),
            Sentence(
                "Exchanging two tokens changes the output: for the rotation (3/5, 4/5), and "
                "at the frequency 1.",
                (3, 4),
            ),
        ),
        claims=(relative, common, length, swapped, true),
        uses=("positions_that_travel",),
        neighbour=nearby(
            relative,
            "The key is turned by q − p, not by q + p.",
            rhs=inner(QUERY, turned(add(P, Q), KEY)),
        ),
        neighbours=(
            nearby(common, "An offset of the query alone is seen.", lhs=score(add(P, T), Q)),
            nearby(length, "The length is kept, not doubled.", rhs=add(length.rhs, length.rhs)),
            nearby(true, "The same order on both sides shows nothing.", lhs=true.rhs),
            nearby(
                swapped,
                "Rotations that travel with their tokens show nothing.",
                lhs=image(MODEL, travel),
            ),
        ),
        source="Su et al. 2021, section 3.2",
        citations=("su2021",),
        show=show(
            *turns(("x", "y"), QUERY, {"p": P, "p+t": add(P, T), "t": T}),
            *turns(("u", "v"), KEY, offsets),
            *once([*here, Named("X'", image(X, tokens), "i", "k"), *there, *at_true]),
            *swapped_true,
            alike=({"X'": "X"} | like, {"X'": "X"} | like_true),
        ),
        examples=(worked("The score of a query and a key", relative),),
    )


def places(part: str) -> str:
    """The axes of a part of attention, its rows and columns."""
    return {"V": "jv", "S": "ij", "A": "ij", "Z": "iv"}.get(part, "ik" if part[0] in "Qq" else "jk")


ROTATION = positions("R", CONTEXT)["R"]


def turning() -> Term:
    """Of two tokens: R[i, j] turns by the angle of (3/5, 4/5), j − i times. Its diagonal is 3/5
    where i ≠ j, else 1; beside it stands 4/5 times (j − i) times −1 above and 1 below."""
    i, j = iota(CONTEXT, "i"), iota(CONTEXT, "j")
    c, e = iota(FEATURES, "c"), iota(FEATURES, "e")
    apart = subtract(number(1), delta(CONTEXT, "i", "j"))
    diagonal = subtract(number(1), multiply(number(Fraction(2, 5)), apart))
    beside = multiply(number(Fraction(4, 5)), multiply(subtract(j, i), subtract(c, e)))
    return add(multiply(delta(FEATURES, "c", "e"), diagonal), beside)


TURNING = Atom(ROTATION, "=", turning())
WITNESS = Witness(
    {"n": 2, "d": 2}, {"sigma": (1, 0)},
    {
        "X": [[1, 0], [0, 5]],
        "W_Q": NONE, "W_K": NONE, "W_V": NONE,
    },
)  # fmt: skip
AT_TRUE = Witness(
    {"n": 2, "d": 1, "h": 1}, {"sigma": (1, 0)},
    {
        "X": [[1], [2]], "W_Qx": [[1]], "W_Qy": [[0]], "W_Kx": [[0]], "W_Ky": [[1]], "W_V": [[1]],
    },
)  # fmt: skip


if __name__ == "__main__":
    main(__spec__)
