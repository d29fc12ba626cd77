"""A decoder block, post-norm with ReLU and pre-norm with GELU, as terms and from the papers.

n target tokens X, m tokens of memory Y; G a mask as weights, 1 where a target token may look
"""

from orderproof.proofs.prelude import *
from orderproof.proofs.shared.encoder_models import both, each_layer
from orderproof.proofs.shared.encoder_models import named as named
from orderproof.symbolic.models.decoder import DECODER, DecoderBlock, decoder_parts

_PARTS = {
    "N": "the input of self-attention", "M": "what self-attention adds",
    "U": "after self-attention", "B": "the tokens that cross-attention sees",
    "C": "what cross-attention adds", "Y": "after cross-attention",
    "G": "the input of the feed-forward map", "F": "what the feed-forward map adds",
    "Z": "the output",
}  # fmt: skip
TITLES = {
    f"{part}_{kind}": f"{kind.title()}-norm: {said}"
    for kind in ("post", "pre")
    for part, said in _PARTS.items()
}
WEIGHTS = WIDTHS.tensors(DECODER)
G = tensor("G", i=n, j=n)
MASK = (Atom(number(0), "≤", G), Atom(number(0), "<", total(G, "j")))
POST, PRE = both(decoder_parts, X, Y, WEIGHTS, WIDTHS, mask=G)
OPEN_POST, OPEN_PRE = both(decoder_parts, X, Y, WEIGHTS, WIDTHS)

show_blocks = partial(  # how the book writes these tensors
    show,
    bundles={
        tuple(WEIGHTS[f"{name},{part}"].node for name in HEADS): f"theta_{part}" for part in "SC"
    },
)


def show_both(post: DecoderBlock, pre: DecoderBlock) -> Show:
    """How the book writes the parts of a post-norm and of a pre-norm block."""
    return show_blocks(*named(post, "MUCYFZ", "post"), *named(pre, "NMUBCYGFZ", "pre"))


def decoder(*, pre_norm: bool, deep: bool = False) -> Reference:
    """A decoder from the papers: a single block, or if `deep` one for each layer's weights; with
    the mask G where there is one."""

    def expected(t: Values) -> Array:
        layer, activation = reference.decoder.post_norm_decoder_block, reference.encoder.relu
        if pre_norm:
            layer, activation = reference.decoder.pre_norm_decoder_block, reference.encoder.gelu
        x = t["X"]
        for w in each_layer(t, DECODER) if deep else [t]:
            x = layer(x, t["Y"], w, activation, t.get("G"))
        return x

    return expected


def invariant_of_memory(t: Term, **marks: Check) -> Claim:
    """That t does not depend on the order of the memory Y, or of the source tokens that it is made
    of, whatever the mask."""
    return equivariance(t, MEMORY, {}, marks, row="i", column="c", given=(POSITIVE, *MASK))


def with_targets_permuted(claim: Claim, and_so: str = "") -> Neighbour:
    """The falsehood beside that, its target tokens permuted too; `and_so` ends the reason."""
    reason = (
        "If the target tokens are permuted as well, and the mask is not, another row stands in the "
        f"place of each{and_so}."
    )
    return nearby(claim, reason, lhs=image(claim.rhs, MEMORY | TOKENS))


def equivariant_in_targets(t: Term, **marks: Check) -> Claim:
    """That t, without a mask, is equivariant in the target tokens, whatever the memory's order."""
    moves = TOKENS | MEMORY
    return equivariance(t, moves, {"i": sigma}, marks, row="i", column="c", given=[POSITIVE])
