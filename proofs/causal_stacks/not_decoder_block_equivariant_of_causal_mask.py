"""Under a causal mask a decoder block is not equivariant in its target tokens.

Two features, rows x (1, −1), uniform weights and values −2x: self-attention adds −2 times the mean
so far. The tokens x = 1, −1 become −1, −1, and −1, 1 become 1, 1: the first row of the permuted
tokens gives 1, and the second row of the others −1. Norms with gain 5/4 and ε = 9/16 keep 1 and −1
as they are, and all other weights are 0.
"""

from orderproof.proofs.prelude import *
from orderproof.proofs.shared.decoder_blocks import show_blocks

from .decoder_causal import IMAGES, NAMED, POST, PRE, moved_mask, witness

LAST = 6  # the largest number of target tokens at which the post-norm block is replayed


@theorem(
    title="Under a causal mask a decoder block need not be equivariant in its targets",
    words=(
        Sentence(
            f"For n = 2 to {LAST} there are target tokens, weights and a permutation for which "
            "the rows of a post-norm decoder block with a causal mask are not permuted with "
            "the tokens.",
            (0,),
        ),
        Sentence("For n = 2 so there are of a pre-norm block.", (1,)),
    ),
    source="Vaswani et al. 2017, section 3.2.3",
    citations=("vaswani2017",),
    uses=("decoder_block_equivariant_without_mask", "not_equivariant_of_causal_mask"),
)
def not_decoder_block_equivariant_of_causal_mask() -> Proof:

    def claim(t: Term, tokens: range) -> Claim:
        found: list[Witness] = [witness(size) for size in tokens]
        marks = {"exact": by_exact(found), "numeric": by_numpy_differs(found)}
        among = {n: tuple(tokens), d: (2,)} | dict.fromkeys((m, h, d_k, d_v, d_f), (1,))
        lhs, rhs = sides(t, TOKENS, {"i": sigma})
        return differs(
            lhs, rhs, marks, row="i", column="c", such=[POSITIVE], over=sizes(among=among)
        )

    post, pre = claim(POST.Z, range(2, LAST + 1)), claim(PRE.Z, range(2, 3))
    reason = "If the mask is permuted with the tokens, both sides are equal."
    return Proof(
        claims=(post, pre),
        neighbour=nearby(post, reason, lhs=moved_mask(pre_norm=False)),
        neighbours=(nearby(pre, reason, lhs=moved_mask(pre_norm=True)),),
        show=show_blocks(*NAMED, alike=(IMAGES,)),
    )
