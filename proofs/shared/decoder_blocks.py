"""A decoder block, post-norm with ReLU and pre-norm with GELU, as terms and from the papers.

n target tokens X, m tokens of memory Y; G a mask as weights, 1 where a target token may look
"""

from orderproof.proofs.prelude import *
from orderproof.symbolic.models.decoder import DECODER, DecoderBlock, decoder_parts

_TITLES = {
    "N": "the input of self-attention", "M": "what self-attention adds",
    "U": "after self-attention", "B": "the tokens that cross-attention sees",
    "C": "what cross-attention adds", "Y": "after cross-attention",
    "G": "the input of the feed-forward map", "F": "what the feed-forward map adds",
    "Z": "the output",
}  # fmt: skip
TITLES = {
    f"{part}_{kind}": f"{kind.title()}-norm: {said}"
    for kind in ("post", "pre")
    for part, said in _TITLES.items()
}
SMALL = {"d": 2} | dict.fromkeys(("h", "d_k", "d_v", "d_f"), 1)  # of SymPy, whose entries are large
WEIGHTS = WIDTHS.tensors(DECODER)
G = tensor("G", i=n, j=n)
MASKS = (POSITIVE, Atom(number(0), "≤", G), Atom(number(0), "<", total(G, "j")))
POST = decoder_parts(X, Y, WEIGHTS, WIDTHS, relu, pre_norm=False, mask=G)
PRE = decoder_parts(X, Y, WEIGHTS, WIDTHS, gelu, pre_norm=True, mask=G)
OPEN_POST = decoder_parts(X, Y, WEIGHTS, WIDTHS, relu, pre_norm=False)
OPEN_PRE = decoder_parts(X, Y, WEIGHTS, WIDTHS, gelu, pre_norm=True)

_BUNDLES = {
    tuple(WEIGHTS[f"{name},{part}"].node for name in HEADS): f"theta_{part}" for part in "SC"
} | {tuple(WEIGHTS[name].node for name in FEED_FORWARD): "theta_F"}


def post(t: Values) -> Array:
    """The post-norm block with ReLU, from the paper; with the mask G where there is one."""
    return reference.decoder.post_norm_decoder_block(
        t["X"], t["Y"], t, reference.encoder.relu, t.get("G")
    )


def pre(t: Values) -> Array:
    """The pre-norm block with GELU, from the paper; with the mask G where there is one."""
    return reference.decoder.pre_norm_decoder_block(
        t["X"], t["Y"], t, reference.encoder.gelu, t.get("G")
    )


def named(block: DecoderBlock, parts: str, suffix: str) -> tuple[Named, ...]:
    """The tensors of a block by name, with tokens as rows and features as columns."""
    return tuple(Named(f"{x}_{suffix}", getattr(block, x), "i", "c") for x in parts)


show_blocks = partial(show, bundles=_BUNDLES)  # how the book writes these tensors
