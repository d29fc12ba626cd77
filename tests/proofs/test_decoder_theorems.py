"""The theorems on decoder blocks: what the marks compare with, and the counterexample by hand."""

from fractions import Fraction

import numpy as np
import pytest

from orderproof.check.claims import StuckError, equivariance
from orderproof.check.marks.exact import exact_entries
from orderproof.check.marks.numeric import by_numpy
from orderproof.proofs.catalogue import load
from orderproof.proofs.causal_stacks import (
    not_decoder_block_equivariant_of_causal_mask as decoder_causal,
)
from orderproof.proofs.cross_attention import decoders
from orderproof.proofs.shared import decoder_blocks as blocks
from orderproof.proofs.shared.causal import swapped as two_swapped
from orderproof.proofs.shared.encoder_models import encoder
from orderproof.proofs.symbols import TOKENS, sigma
from orderproof.symbolic.models.decoder import DECODER

ONE, DEEP = blocks.decoder(pre_norm=True), blocks.decoder(pre_norm=True, deep=True)
AFTER_ENCODER = [output for _, output in decoders.MODELS]


@pytest.mark.parametrize("size", range(2, 7))
def test_causal_block_by_hand(size: int) -> None:
    """The counterexample would not have the values that its file claims."""

    def first(x: list[int]) -> list[Fraction]:
        """x − 2 × (the mean so far): 1 or −1, which norms and zero maps keep."""
        return [t - 2 * Fraction(sum(x[: k + 1]), k + 1) for k, t in enumerate(x)]

    x = [1, -1, *range(3, 2 * size - 2, 2)]
    w = decoder_causal.witness(size)
    assert [row[0] for row in w.tensors["X"]] == x
    claim = load("not_decoder_block_equivariant_of_causal_mask").claims[0]
    here, there = first(x), first([x[1], x[0], *x[2:]])
    assert here[:2] == [-1, -1] and there[:2] == [1, 1] and {*here[2:], *there[2:]} <= {1}
    for side, values in ((claim.lhs, there), (claim.rhs, [here[1], here[0], *here[2:]])):
        found = exact_entries(side, w)
        axes = [side.axes.index(a) for a in ("i", "c")]
        got = {tuple(index[a] for a in axes): v for index, v in found.items()}
        assert got == {(k, c): v * (1 - 2 * c) for k, v in enumerate(values) for c in (0, 1)}


def heads_exchanged(t):
    """The weights of self-attention for those of cross-attention, and the other way round."""
    swap = str.maketrans("SC", "CS")
    return {k[:-1] + k[-1].translate(swap) if k[-2:-1] == "," else k: v for k, v in t.items()}


def last_first(t):
    """The weights of the layers in the contrary order."""
    layered = {*DECODER} - {"epsilon"}
    return {k: v[..., ::-1] if k in layered else v for k, v in t.items()}


def own(t, part):
    """The weights of the encoder (E) or of the decoder (D) by their names in a block."""
    return {k.removesuffix(f",{part}"): v for k, v in t.items()}


def after_encoder(t):
    """A decoder block that looks at what an encoder block makes of the source."""
    memory = encoder(pre_norm=True, deep=False)(own(t, "E") | {"X": t["Y"]})
    return ONE(own(t, "D") | {"Y": memory})


@pytest.mark.parametrize(
    ("model", "expected", "ok"),
    [
        (blocks.PRE.Z, ONE, True),
        (blocks.PRE.Z, lambda t: ONE(heads_exchanged(t)), False),
        (decoders.PRE, lambda t: DEEP(last_first(t)), False),
        (decoders.PRE, lambda t: t["X"], False),  # no layer
        (AFTER_ENCODER[1], after_encoder, True),
        (AFTER_ENCODER[1], lambda t: ONE(own(t, "D")), False),  # looks at the source itself
    ],
)
def test_another_model_is_rejected(model, expected, ok) -> None:
    """The numeric mark would take one model for another, or the decoder would look at something
    else than what the encoder gives."""
    mark = by_numpy(expected, scale=1 / 8, dtypes=(np.float64,))
    assert mark(blocks.invariant_of_memory(model).statement).ok is ok


def test_a_mask_stops_the_push() -> None:
    """A masked block, or by induction a decoder, would be equivariant in tokens that move without
    their mask."""
    one = (blocks.POST.Z, decoder_causal.POST.Z)
    for t in (*one, decoders.POST, decoders.PRE, *AFTER_ENCODER[2:]):
        with pytest.raises(StuckError):
            equivariance(t, TOKENS, {"i": sigma}, {})
    assert equivariance(blocks.OPEN_POST.Z, TOKENS, {"i": sigma}, {}).push


def test_step_in_a_second_layer() -> None:
    """11/18 and 5/18 would not be what the step gives for the two orders."""
    claim = load("generation_order_independent").claims[5]
    sides = (exact_entries(t, two_swapped(2)) for t in (claim.rhs, claim.lhs))
    assert [list(s.values()) for s in sides] == [[Fraction(11, 18)], [Fraction(5, 18)]]
