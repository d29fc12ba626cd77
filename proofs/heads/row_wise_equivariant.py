"""Feed-forward maps, residuals and all other maps of each row commute with permutations of rows.

The weights of a feed-forward map are the same for all tokens, and a residual adds to each token
what was there before. Nothing here looks from one row to another, so none of it can add order. The
same holds for any map f of rows: nothing need be known of it.
"""

from orderproof.proofs.prelude import *
from orderproof.proofs.symbols import WEIGHTS

T = tensor("T", i=n, c=d)  # the tokens before some map, that a residual adds back
FED = feed_forward(X, WEIGHTS, relu)
SMOOTH = feed_forward(X, WEIGHTS, gelu)
RESIDUAL = add(T, X)
ANY = opaque("f", {"c": "c"}, X, {"u": d_f})
BOTH = TOKENS | {leaf_of(T): (sigma, None)}


def fed(activation: reference.encoder.Activation) -> Callable[[Values], Array]:
    """The feed-forward map with an activation, from the paper."""
    return lambda t: reference.encoder.feed_forward(t["X"], t, activation)


@theorem(
    title="Feed-forward maps and residuals are permutation equivariant",
    words=(
        Sentence(
            "A feed-forward map with ReLU or GELU, a residual and any other map of each row "
            "commute with a permutation of the rows.",
            (0, 1, 2, 3),
        ),
    ),
    source="Dive into Deep Learning, thread under section 10.6; feed-forward: Vaswani et al. "
    "2017, eq. (2); GELU: Hendrycks and Gimpel 2016",
    citations=("vaswani2017", "hendrycks2016", "s2"),
    uses=("qkv_equivariant",),
)
def row_wise_equivariant() -> Proof:

    def claim(
        t: Term, expected: Reference | None, column: str = "c", moves: dict[Op, Any] = TOKENS
    ) -> Claim:
        marks = {"sympy": by_sympy_to(3, d=3), "numeric": by_numpy(expected)}
        return equivariance(t, moves, {"i": sigma}, marks, row="i", column=column)

    first = claim(FED, fed(reference.encoder.relu))
    terms = {"H_R": FED, "H_G": SMOOTH, "Y": RESIDUAL, "F": ANY}
    return Proof(
        claims=in_rocq(
            "row_wise_equivariant",
            first,
            claim(SMOOTH, fed(reference.encoder.gelu)),
            claim(RESIDUAL, lambda t: t["T"] + t["X"], moves=BOTH),
            claim(ANY, None, column="u"),
        ),
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
        neighbour=transposed(first),
        show=show(*(Named(x, t, "i", "u" if x == "F" else "c") for x, t in terms.items())),
        definitions=(FED.node.op, SMOOTH.node.op),
    )
