"""A decoder of any depth does not depend on the order of its memory: Z(X, R Y) = Z(X, Y).

Every layer is given the same memory, and none depends on its order: by induction on the layers.
"""

from orderproof.proofs.prelude import *
from orderproof.proofs.shared.decoder_blocks import MASKS

from .decoders import POST, PRE, decoded, show_deep


@theorem(
    title="A decoder of any depth is invariant under permuting its memory",
    words=(
        Sentence(
            "Permuting the memory changes nothing in the outputs of a decoder of any depth, "
            "each layer with weights of its own, whatever the mask: with the norms after the "
            "residuals, and before the maps.",
            (0, 1),
        ),
    ),
    source="AI Stack Exchange, question 32236 (“There are multiple of them”); Vaswani et al. "
    "2017, section 3.1; Xiong et al. "
    "2020",
    citations=("vaswani2017", "xiong2020", "s0"),
    uses=("decoder_block_invariant_of_memory",),
)
def decoder_invariant_of_memory() -> Proof:
    last = by_numpy(lambda t: decoded(t, pre_norm=True), scale=1 / 8, dtypes=(np.float64,))
    first, second = (
        equivariance(t, MEMORY, {}, marks, row="i", column="c", given=MASKS)
        for t, marks in ((POST, {}), (PRE, {"numeric": last}))
    )
    reason = (
        "If the target tokens are permuted as well, and the mask is not, another row stands in "
        "the place of each"
    )
    return Proof(
        claims=(first, second),
        derivation="""
            Z_post′ = PostNormDecoder^L(X, R Y, G, θ_L)   by definition
                    = PostNormDecoder^L(X, Y, G, θ_L)     induction on the layers
                    = Z_post                              by definition

            Z_pre′ = PreNormDecoder^L(X, R Y, G, θ_L)     by definition
                   = PreNormDecoder^L(X, Y, G, θ_L)       induction on the layers
                   = Z_pre                                by definition
        """,
        neighbour=nearby(first, f"{reason}.", lhs=image(POST, MEMORY | TOKENS)),
        neighbours=(nearby(second, f"{reason}, pre-norm too.", lhs=image(PRE, MEMORY | TOKENS)),),
        show=show_deep({"Z_post": POST, "Z_pre": PRE}),
    )
