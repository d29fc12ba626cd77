"""Feed-forward maps, residuals and all other maps of each row commute with permutations of rows.

The weights of a feed-forward map are the same for all tokens, and a residual adds to each token
what was there before. Nothing here looks from one row to another, so none of it can add order. The
same holds for any map f of rows: nothing need be known of it.
"""

from orderproof.proofs.prelude import *
from orderproof.proofs.symbols import WEIGHTS

from .claims import equivariant

T = tensor("T", i=n, c=d)  # the tokens before some map, that a residual adds back
FED = feed_forward(X, WEIGHTS, relu)
SMOOTH = feed_forward(X, WEIGHTS, gelu)
RESIDUAL = add(T, X)
ANY = opaque("f", {"c": "c"}, X, {"u": d_f})
BOTH = TOKENS | {leaf_of(T): (sigma, None)}


def fed(t: Values, activation: Callable[[Array], Array]) -> Array:
    """The feed-forward map with an activation, from the paper."""
    return reference.encoder.feed_forward(t["X"], t, activation)


@theorem(
    title="Feed-forward maps and residuals are permutation equivariant",
    words="A feed-forward map with ReLU or GELU, a residual and any other map of each row commute "
    "with a permutation of the rows.",
    source="Dive into Deep Learning, thread under section 10.6; feed-forward: Vaswani et al. "
    "2017, eq. (2); GELU: Hendrycks and Gimpel 2016",
    citations=("vaswani2017", "hendrycks2016", "s2"),
    uses=("qkv_equivariant",),
)
def row_wise_equivariant() -> Proof:
    """The {i}-th row of the result is computed from the {i}-th row of the argument, by the same map
    for all i. Permute the rows of the argument, and those of the result are permuted. ReLU and GELU
    maps are of this kind. A residual is a sum of two matrices whose rows move alike:
    {chain Y}
    """
    claims = (
        equivariant(FED, by_numpy(lambda t: fed(t, reference.encoder.relu))),
        equivariant(SMOOTH, by_numpy(lambda t: fed(t, reference.encoder.gelu))),
        equivariant(RESIDUAL, by_numpy(lambda t: t["T"] + t["X"]), moves=BOTH),
        equivariant(ANY, by_numpy(), column="u"),
    )
    terms = {"H_R": FED, "H_G": SMOOTH, "Y": RESIDUAL, "F": ANY}
    return Proof(
        claims=in_rocq("row_wise_equivariant", *claims),
        derivation="""
            H_R′ = ReLUFFN(P X, θ_F)   by definition
                 = P ReLUFFN(X, θ_F)   ReLUFFN acts on each row
                 = P H_R               by definition

            H_G′ = GELUFFN(P X, θ_F)   by definition
                 = P GELUFFN(X, θ_F)   GELUFFN acts on each row
                 = P H_G               by definition

            Y′ = P T + P X             by definition
               = P (T + X)             P A + P B = P (A + B)
               = P Y                   by definition

            F′ = f(P X)                by definition
               = P f(X)                f acts on each row
               = P F                   by definition
        """,
        planted=transposed(claims[0]),
        show=show(*(Named(x, t, "i", "u" if x == "F" else "c") for x, t in terms.items())),
        definitions=(FED.node.op, SMOOTH.node.op),
    )
