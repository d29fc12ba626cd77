"""Without a skip, a layer with uniform weights makes all tokens equal.

If W_Q = 0, all scores are 0 and every weight is 1/n: each output is the mean of the values. What
positions made different is lost after one layer, whatever the tokens are. With other weights, of
bounded norms, distances that are small shrink from layer to layer (Rocq).
"""

from orderproof.proofs.prelude import *

COLLAPSES = "position_after_first_layer_collapses"


@theorem(
    title="Without a skip, uniform weights make all tokens equal",
    words=(
        "If W_Q = 0, all rows of the output are equal.",
        Sentence(
            "With any weights, and s, μ and ω as in position_after_first_layer_contracts, but "
            "for all layers, all distances after L layers without skips, times r = √(μ ω)/2, "
            "are at most (r s)^(3^L).",
            headlines=(COLLAPSES,),
        ),
    ),
    source="AI Stack Exchange, question 32236; the collapse without skips: Dong et al. 2021",
    citations=("dong2021",),
    uses=("position_after_first_layer_contracts",),
)
def position_after_first_layer_uniform() -> Proof:
    """All scores are zero, so every row has the same weights, and every output is the same mean:
    {uniform weights}
    The second sentence is claim (4) of position_after_first_layer_contracts, applied again and
    again; in Rocq, for any seminorm N:
    {headline position_after_first_layer_collapses}
    """
    small = [{"n": n, "d": d, "d_k": 1, "d_v": 1} for n, d in ((1, 1), (2, 2), (3, 1))]
    equal = holds(
        SELF.Z, "=", SELF.Z.rename({"i": "l"}),
        {"sympy": by_sympy_simplified_at(*small), "numeric": by_numpy()},
        given=[Atom(W_Q, "=", number(0))], over=sizes({d_k: 1}),
    )  # fmt: skip
    return Proof(
        claims=in_rocq("position_after_first_layer_uniform", equal),
        headlines=(COLLAPSES,),
        planted=nearby(equal, "With other weights they differ.", given=frozenset()),
        show=show(*SELF.named()),
    )
