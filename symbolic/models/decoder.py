"""The decoder block, as a term: masked self-attention, cross-attention to a memory, feed-forward.

Tokens are over (i, c), the memory over (j, c). Weights of self-attention are called "…,S", those of
cross-attention "…,C"; the feed-forward map and the three norms have the names of an encoder block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from orderproof.symbolic.calculus.terms import Term

from .attention import (
    FEED_FORWARD,
    HEADS,
    NORMS,
    Activation,
    Weights,
    Widths,
    as_keys,
    defined,
    feed_forward,
    heads_over,
    multi_head,
    normed,
    own_tokens,
)
from .builders import add

SELF = {f"{name},S": axes for name, axes in HEADS.items()}
CROSS = {f"{name},C": axes for name, axes in HEADS.items()}
DECODER = SELF | CROSS | FEED_FORWARD | NORMS | {"gamma_3": "c", "beta_3": "c"}


def cross_heads(tokens: Term, memory: Term, weights: Weights, widths: Widths) -> Term:
    """Attention with heads of tokens (i, c) to a memory (j, c), as a definition of both."""
    m = memory.sets["j"]

    def body(given: Sequence[Term], w: Weights) -> Term:
        return add(heads_over(given[0], given[1], w).O, w["b_O"])

    given = [own_tokens(tokens, widths), (memory, "Y", {"j": m, "c": widths.c})]
    return defined("CrossHeads", given, widths, HEADS, body, weights)


def masked_heads(tokens: Term, mask: Term, weights: Weights, widths: Widths) -> Term:
    """Self-attention with heads and with a mask as weights over (i, j), as a definition of both."""

    def body(given: Sequence[Term], w: Weights) -> Term:
        return add(heads_over(given[0], as_keys(given[0]), w, given[1]).O, w["b_O"])

    both = [own_tokens(tokens, widths), (mask, "G", {"i": widths.i, "j": widths.i})]
    return defined("MaskedHeads", both, widths, HEADS, body, weights)


def _part(weights: Weights, mark: str) -> Weights:
    """The weights of the heads of self-attention (S) or of cross-attention (C)."""
    return {name: weights[f"{name},{mark}"] for name in HEADS}


@dataclass(frozen=True)
class DecoderBlock:
    """The tensors of a decoder block from its tokens X: M what self-attention adds, U the tokens
    with it, C what cross-attention adds, Y the tokens with it, F what the feed-forward map adds, Z
    the output. N, B and G are the tokens as self-attention, cross-attention and the feed-forward
    map see them. Post-norm as Vaswani et al. 2017, section 3.1: U = LN(X + M), Y = LN(U + C),
    Z = LN(Y + F); pre-norm as Xiong et al. 2020, section 3.1: N, B and G normed."""

    N: Term
    M: Term
    U: Term
    B: Term
    C: Term
    Y: Term
    G: Term
    F: Term
    Z: Term


def decoder_parts(
    tokens: Term, memory: Term, w: Weights, widths: Widths, activation: Activation,
    *, pre_norm: bool, mask: Term | None = None,
) -> DecoderBlock:  # fmt: skip
    """A decoder block, written out; without a mask every token attends to all tokens."""

    def seen(t: Term, number: int) -> Term:
        return normed(t, w, number) if pre_norm else t

    def after(t: Term, number: int) -> Term:
        return t if pre_norm else normed(t, w, number)

    own, across = _part(w, "S"), _part(w, "C")
    first = seen(tokens, 1)
    heads = (
        multi_head(first, own, widths) if mask is None else masked_heads(first, mask, own, widths)
    )
    u = after(add(tokens, heads), 1)
    second = seen(u, 2)
    looked = cross_heads(second, memory, across, widths)
    y = after(add(u, looked), 2)
    third = seen(y, 3)
    wide = feed_forward(third, w, activation)
    return DecoderBlock(first, heads, u, second, looked, y, third, wide, after(add(y, wide), 3))


def decoder_block(
    tokens: Term, memory: Term, weights: Weights, widths: Widths, activation: Activation,
    *, pre_norm: bool, mask: Term | None = None,
) -> Term:  # fmt: skip
    """A decoder block, as a definition of its tokens, its memory, its mask and its weights."""
    there = {"j": memory.sets["j"], "c": widths.c}
    given = [own_tokens(tokens, widths), (memory, "Y", there)]
    if mask is not None:
        given.append((mask, "G", {"i": widths.i, "j": widths.i}))

    def body(t: Sequence[Term], w: Weights) -> Term:
        masked = t[2] if mask is not None else None
        return decoder_parts(t[0], t[1], w, widths, activation, pre_norm=pre_norm, mask=masked).Z

    name = ("Pre" if pre_norm else "Post") + "NormDecoder"
    return defined(name, given, widths, DECODER, body, weights)
