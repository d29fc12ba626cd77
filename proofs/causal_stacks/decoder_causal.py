"""Decoder blocks with a causal mask, and target tokens at which they are not equivariant."""

from orderproof.proofs.prelude import *
from orderproof.proofs.shared.decoder_blocks import WEIGHTS, named
from orderproof.publish.pages.primes import primed
from orderproof.symbolic.models.decoder import DecoderBlock, decoder_parts
from orderproof.symbolic.schemes.running_means import causal_mask


def _block(mask: Term, *, pre_norm: bool, tokens: Term = X) -> DecoderBlock:
    return decoder_parts(tokens, Y, WEIGHTS, WIDTHS, relu, pre_norm=pre_norm, mask=mask)


G = causal_mask(n)
PX = image(X, TOKENS)
POST, PRE = (_block(G, pre_norm=pre_norm) for pre_norm in (False, True))


def moved_mask(*, pre_norm: bool) -> Term:
    """A block of permuted tokens whose causal mask is permuted with them."""
    return _block(moved(G, i=sigma, j=sigma), pre_norm=pre_norm, tokens=PX).Z


def _named() -> tuple[tuple[Named, ...], dict[str, str]]:
    """The parts of both blocks, those of permuted tokens primed; and which is which."""
    found, like = [Named("G", G, "i", "j"), Named("X'", PX, "i", "c")], {"X'": "X"}
    for pre_norm, parts, kind in ((False, "MUCYFZ", "post"), (True, "NMUBCYGFZ", "pre")):
        blocks = (_block(G, pre_norm=pre_norm, tokens=t) for t in (X, PX))
        here, there = (named(b, parts, kind) for b in blocks)
        images, which = primed(here, there)
        found, like = [*found, *here, *images], like | which
    return tuple(found), like


NAMED, IMAGES = _named()


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
