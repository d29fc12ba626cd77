"""If rows that are added to the tokens differ, so can the output of every token that sees all.

Take one feature in which the rows differ, by δ; u are the tokens with their rows on one side, and
u − δ on the other. Where δ does not add up to 0, uniform weights show it: the means differ. Else
let W_K = W_V = 1 in that feature. Where δ is not 0 at token m, let u = δ and W_Q = 1: the other
side is 0, and this one is not, as a query weighs more what is like it. Where it is 0, let u = δ but
z = ±1 at m, and W_Q = z: the other side is g z/(N + g), g = exp z, and this one is
(S + g z)/(T + g), where S > 0 and T are the sums of δ exp δ and exp δ, and N is that of exp 0, over
all other tokens. One of the two z has z (T − N) ≤ 0, and for it the two are not equal.
"""

from orderproof.proofs.prelude import *

from .changes import NEW, OLD, SIGMA, Chosen, Counts, Maps, here, nothing, output_differs, there

ALL_SEEN = {Atom(row("G"), "=", number(1)) for row in (here, there)}
CHANGED = Atom(NEW["E"], "≠", moved(OLD["E"], i=SIGMA), some=True)


@theorem(
    title="If added rows differ, so can the output of every token that sees all",
    words=(
        Sentence(
            "Let E' ≠ P E, and let token m and its image σ(m) see all tokens. Then for some "
            "tokens and weights the output of one layer at m, for the permuted tokens with E', "
            "is not that at σ(m) with E.",
            (0,),
        ),
        Sentence("So it is of two layers, each with its skip.", (1,)),
    ),
    source="positions added to the tokens: Vaswani et al. 2017, section 3.5",
    citations=("vaswani2017",),
    uses=("additive_position_iff",),
)
def output_differs_of_rows() -> Proof:
    """Let the rows differ in one feature, by numbers that we call the difference. If these do not
    add up to zero, uniform weights show it: the means differ. Otherwise let W_K and W_V read that
    feature. If the difference is not zero at m, choose tokens that cancel the rows on one side, as
    for additive_position_iff: the other side attends to the difference, and a query weighs more
    what is like it. If it is zero at m, let the token at m be one, or minus one: both outputs are
    then quotients of sums in which the exponential of that number is added, and for one of the two
    signs they are not equal.
    """
    return output_differs(
        "output_differs_of_rows", "EG", {*ALL_SEEN, CHANGED}, rows_read, fit=all_seen
    )


def all_seen(drawn: Values, maps: Maps) -> None:
    """Tokens m and σ(m) see all."""
    m = maps["m"]
    drawn["G_t"][m], drawn["G"][maps["sigma"][m]] = 1, 1


def rows_read(sizes: Counts, maps: Maps, given: Values) -> Iterator[Chosen]:
    """In one feature: uniform weights; or tokens u that are what the rows differ by, δ; or u = δ
    but ±1 at token m."""
    sigma, m = list(maps["sigma"]), maps["m"]
    for c in range(sizes["d"]):
        delta = given["E_t"][:, c] - given["E"][sigma, c]
        for scale, at_m in ((0.0, 0.0), (1.0, delta[m]), (1.0, 1.0), (-1.0, -1.0)):
            u = delta.copy()
            u[m] = at_m
            x = nothing(sizes)
            x[sigma] = (u - given["E_t"][:, c])[:, None]
            yield x, {"Q": (c, c, scale * np.sqrt(sizes["d"])), "K": (c, c), "V": (c, c)}
    yield nothing(sizes), {}
