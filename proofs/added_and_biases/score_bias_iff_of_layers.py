"""Two layers with skips under one bias commute with the permutations that one layer commutes with.

If the bias is kept, up to row constants, each layer commutes with P, and so do its skip and a map
of rows after it. Conversely let the first layer add nothing, W_V = 0: then the second one is given
the tokens themselves, and its output differs as that of one layer does; what the skips carry is the
same on both sides.
"""

from orderproof.proofs.prelude import *
from orderproof.publish.pages.primes import once, primed

from .bias_models import G, deep, two_layers
from .score_bias import NO_ZERO_ROW, WEIGHTS, broken_halves, halves

WEIGHTS_OF = {f"W_{x}2": f"W_{x}1" for x in "QKV"}
LIKE_THE_FIRST = {f"{x}_2": f"{x}_1" for x in "QKVSAT"} | WEIGHTS_OF | {"T_1": "X"}


@theorem(
    title="Two layers with a score bias commute with P if and only if P D Pᵀ = D",
    words=(
        Sentence(
            "Let G = exp B ≥ 0 be the weights on the exponentials of the scores in both "
            "of two layers with skips, no row all 0, and D be G with each row divided by "
            "its largest entry. The two layers commute with P for all tokens and weights "
            "if and only if P D Pᵀ = D, as one layer does.",
            (0, 1),
        ),
        Sentence(
            "If P G Pᵀ = G, they also commute with P where any map of rows, such as a norm, "
            "follows each skip.",
            (2,),
        ),
        Sentence(
            "Whether the group is the same with a norm or with more layers is not claimed here."
        ),
    ),
    source="biases of the scores: Raffel et al. 2020, section 2.1; Press et al. 2022",
    citations=("raffel2020", "press2022"),
    uses=("score_bias_iff", "row_wise_equivariant"),
)
def score_bias_iff_of_layers() -> Proof:
    model = two_layers()
    if_kept, only_if = halves(model, "i", "c")
    mapped = deep(X, G, maps=True)
    whole = mapped[-1].term
    rows = equivariance(
        whole, TOKENS, {"i": sigma},
        {"sympy": by_sympy_to(3), "numeric": by_numpy(scale=1 / 2)}, row="i", column="c",
        facts=[fixed(G, i=sigma, j=sigma)], given=[WEIGHTS, NO_ZERO_ROW],
    )  # fmt: skip
    here = once([*deep(X, G), *mapped])
    images, pairs = primed(here, (replace(x, term=image(x.term, TOKENS)) for x in here))
    return Proof(
        claims=(*in_rocq("score_bias_iff_of_layers", if_kept, only_if), rows),
        iffs=((0, 1),),
        neighbour=transposed(rows),
        neighbours=broken_halves(if_kept, only_if),
        show=show(
            *here,
            Named("D", model.bias.D, "i", "j"),
            *images,
            alike=(LIKE_THE_FIRST, {"X'": "X"} | pairs),
        ),
        pushed=(),
    )
