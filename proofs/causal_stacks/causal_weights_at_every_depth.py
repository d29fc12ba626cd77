"""What the last token sees of each token after any number of uniform causal layers, exactly.

A layer r I + w M adds w times the running mean M to r times the state; M alone is a layer without a
skip. The signed binomials E_jm = (−1)^m C(j, m) are eigenvectors of M, with eigenvalues 1/(m + 1),
and E E = I. So a stack is E diag(μ) E with μ_m = Π (r_l + w_l/(m + 1)), and its last row is an
alternating sum of the μ_m. These weights are equal for all tokens but the last, at every n, exactly
if the polynomial Π (r_l + w_l u) has degree at most 1: at most one layer attends, or one is 0.
"""

from orderproof.proofs.prelude import *
from orderproof.symbolic.schemes.running_means import (
    averaging_layer,
    causal_weight,
    running_means,
    stacked,
)

from .two_causal_layers_see_order import END, ONE, after

NAME = "causal_weights_at_every_depth"
LAYERS = tuple((tensor(f"r_{k}"), tensor(f"w_{k}")) for k in (1, 2, 3))
STACKS = {  # so many layers, one after another: over i and j
    depth: stacked(*(averaging_layer(n, *pair) for pair in LAYERS[:depth])) for depth in (2, 3)
}
LAST = Atom(after(END, 1), "=", size(n))
PLAIN = [Atom(t, "=", number(k)) for pair in LAYERS[:2] for k, t in enumerate(pair)]


@theorem(
    title="The weights of uniform causal layers at every depth, in closed form",
    words=(
        Sentence(
            "After two or three uniform causal layers with skips, the last of n tokens weighs "
            "each token by an alternating sum of products over the layers.",
            (0, 1),
        ),
        Sentence(
            "So it does after any number of layers, with a factor for each of them.",
            headlines=(NAME,),
        ),
        Sentence("Of three tokens, two layers give the first 11/18, the second 5/18.", (2, 3)),
        Sentence(
            "The last token is blind to the order of the others at every length if and only if "
            "at most one layer has w ≠ 0, or a layer has r = w = 0; one length of more tokens "
            "than layers suffices.",
            headlines=(NAME,),
        ),
    ),
    source="uniform causal attention; the eigenvectors of running means: Hausdorff 1921",
    citations=("hausdorff1921",),
    uses=("two_causal_layers_see_order",),
)
def causal_weights_at_every_depth() -> Proof:
    """The columns of E are eigenvectors of M. In the sum over the past of a token, binomials add
    up,
    {sum_of_binomials}
    and division by the number of these tokens leaves the eigenvalue; and the signs make E its own
    inverse, by the binomial theorem:
    {eigenvectors; involution}
    So a layer is diagonal between two copies of E, and where two layers meet, two copies of E
    cancel:
    {one_averaging_layer; two_averaging_layers}
    Layers can thus be multiplied as numbers are. A stack of L layers has one factor for each layer
    in every eigenvalue:
    {averaging_layer}
    {averaging_stack; stack_by_eigenvectors; diagonal_of_stack; factors_of_stack}
    What is left is to multiply out. A product of two binomial coefficients, one of each copy of E,
    is
    {product_of_binomials}
    and of the two signs that of k is left. Hence the weight of token j at token i:
    {weights_of_stack}
    At the last token this is (1) for two layers and (2) for three; without skips, and at three
    tokens, it gives the entries of the last row of the square of M, which are (3) and (4).

    When is the last token blind to the order of the others? When all of them weigh the same. That
    is so for one layer, whatever its r and w. If all weights but the last are equal, then the row
    of the stack is that of a single layer, and its eigenvalues are those of one: the product of the
    layers, a polynomial in the reciprocal of a number of tokens, takes the values of a polynomial
    of degree at most 1, at as many places as there are tokens. With more tokens than layers it *is*
    one. A product of factors has degree at most 1 only if a factor is 0 or at most one factor has a
    w that is not 0.
    """
    marks = {"sympy": by_sympy_simplified_at({"n": 3}), "numeric": by_numpy()}
    two, three = (
        holds(
            at(stack, {"i": END()}), "=", causal_weight(n, LAYERS[:depth]), marks,
            column="j", given=[LAST],
        )
        for depth, stack in STACKS.items()
    )  # fmt: skip
    values = [  # of three tokens, without skips, in eighteenths
        holds(
            multiply(number(18), at(two.lhs, {"j": ONE()})), "=", number(share),
            {"sympy": by_sympy_simplified, "numeric": by_numpy()},
            given=[LAST, Atom(after(ONE), "=", number(token)), *PLAIN],
            over=sizes(among={n: (3,)}),
        )
        for token, share in enumerate((11, 5))
    ]  # fmt: skip
    return Proof(
        claims=in_rocq(NAME, two, three, *values),
        headlines=(NAME,),
        in_symbols=("averaging_stack", "averaging_layer", "weights_of_stack"),
        planted=(
            nearby(
                two,
                "The products over the layers are of r + w/(j + k), not of r + w/j alone.",
                rhs=causal_weight(n, LAYERS[:1]),
            ),
            nearby(three, "The third layer counts, too.", rhs=causal_weight(n, LAYERS[:2])),
            *(nearby(c, "A fraction of 18, and another one.", rhs=number(1)) for c in values),
        ),
        show=show(
            Named("M", running_means(n), "i", "j"),
            *(Named(f"N_{depth}", stack, "i", "j") for depth, stack in STACKS.items()),
        ),
    )
