"""Under a causal mask a decoder block is not equivariant in its target tokens.

Two features, rows x (1, −1), uniform weights and values −2x: self-attention adds −2 times the mean
so far. The tokens x = 1, −1 become −1, −1, and −1, 1 become 1, 1: the first row of the permuted
tokens gives 1, and the second row of the others −1. Norms with gain 5/4 and ε = 9/16 keep 1 and −1
as they are, and all other weights are 0.
"""

from orderproof.proofs.prelude import *
from orderproof.proofs.shared.decoder_blocks import WEIGHTS, named, show_blocks
from orderproof.symbolic.models.decoder import DecoderBlock, decoder_parts
from orderproof.symbolic.schemes.running_means import causal_mask

LAST = 6  # the largest number of target tokens at which the post-norm block is replayed
G, PX = causal_mask(n), image(X, TOKENS)


def blocks(tokens: Term, mask: Term = G) -> tuple[DecoderBlock, DecoderBlock]:
    """The post-norm and the pre-norm block of these target tokens."""
    post, pre = (
        decoder_parts(tokens, Y, WEIGHTS, WIDTHS, relu, pre_norm=pre_norm, mask=mask)
        for pre_norm in (False, True)
    )
    return post, pre


POST, PRE = blocks(X)


def parts(tokens: Term) -> tuple[Named, ...]:
    """The parts of both blocks by name."""
    post, pre = blocks(tokens)
    return *named(post, "MUCYFZ", "post"), *named(pre, "NMUBCYGFZ", "pre")


def witness(size: int) -> Witness:
    """Target tokens x (1, −1) for x = 1, −1, 3, 5, 7, …, the swap of the first two, uniform weights
    and values −2x. What self-attention gives is 1 or −1 times (1, −1), which the norms keep."""
    tokens = [1, -1, *(2 * k - 3 for k in range(3, size + 1))]
    one, two = [[0]], [[0], [0]]
    heads = {
        "W_Q": [two], "b_Q": one, "W_K": [two], "b_K": one, "W_V": [two], "b_V": one,
        "W_O": [[[0, 0]]], "b_O": [0, 0],
    }  # fmt: skip
    own = heads | {"W_V": [[[1], [0]]], "W_O": [[[-2, 2]]]}
    tensors = {
        "X": [[x, -x] for x in tokens], "Y": [[0, 0]], "epsilon": Fraction(9, 16),
        "W_1": two, "b_1": [0], "W_2": [[0, 0]], "b_2": [0, 0],
        **{f"{name},S": value for name, value in own.items()},
        **{f"{name},C": value for name, value in heads.items()},
        **{f"gamma_{k}": [Fraction(5, 4)] * 2 for k in (1, 2, 3)},
        **{f"beta_{k}": [0, 0] for k in (1, 2, 3)},
    }  # fmt: skip
    sizes = {"n": size, "m": 1, "d": 2, "h": 1, "d_k": 1, "d_v": 1, "d_f": 1}
    return Witness(sizes, {"sigma": (1, 0, *range(2, size))}, tensors, query="W_Q,S")


def show_both() -> Show:
    """How the book writes both blocks; of permuted tokens their parts are primed."""
    images, like = primed(parts(X), parts(PX))
    return show_blocks(
        Named("G", G, "i", "j"), Named("X'", PX, "i", "c"), *parts(X), *images,
        alike=({"X'": "X"} | like,),
    )  # fmt: skip


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
    """Let tokens have two features, the second the negative of the first, let attention be uniform
    over the tokens so far, and add to each token minus twice the mean of what it sees; let all
    other weights be 0, and gain and ε of the norms such that these rows stay as they are. Of two
    target tokens the post-norm block makes two equal rows,
    {targets; targets_out}
    and of the same tokens in the other order two others,
    {targets_exchanged; targets_exchanged_out}
    which are not the first two in any order. The witnesses of more tokens, and that of a pre-norm
    block, are made in the same way.
    """

    def claim(t: Term, tokens: range) -> Claim:
        found: list[Witness] = [witness(size) for size in tokens]
        marks = by_witnesses(found)
        among = {n: tuple(tokens), d: (2,)} | dict.fromkeys((m, h, d_k, d_v, d_f), (1,))
        lhs, rhs = sides(t, TOKENS, {"i": sigma})
        return differs(
            lhs, rhs, marks, row="i", column="c", such=[POSITIVE], over=sizes(among=among)
        )

    false_post, false_pre = (block.Z for block in blocks(PX, moved(G, i=sigma, j=sigma)))
    first, second = claim(POST.Z, range(2, LAST + 1)), claim(PRE.Z, range(2, 3))
    reason = "If the mask is permuted with the tokens, both sides are equal."
    return Proof(
        claims=(first, second),
        planted=(nearby(first, reason, lhs=false_post), nearby(second, reason, lhs=false_pre)),
        show=show_both(),
    )
