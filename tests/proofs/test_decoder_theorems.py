"""The theorems on decoder blocks: what the marks compare with, and the counterexample by hand."""

from fractions import Fraction

import numpy as np
import pytest

from orderproof.check.claims import StuckError, equivariance
from orderproof.check.marks.exact import exact_entries
from orderproof.check.marks.numeric import by_numpy
from orderproof.numeric.reference import decoder
from orderproof.numeric.reference import encoder as rows
from orderproof.numeric.rounding import bounded
from orderproof.proofs.catalogue import load
from orderproof.proofs.causal_stacks import (
    not_decoder_block_equivariant_of_causal_mask as decoder_causal,
)
from orderproof.proofs.cross_attention import decoders, encoder_decoder
from orderproof.proofs.shared import decoder_blocks
from orderproof.proofs.shared.causal import swapped as two_swapped
from orderproof.proofs.symbols import MEMORY, TOKENS, sigma
from orderproof.symbolic.derive.push import Stuck, push
from orderproof.symbolic.models.attention import BLOCK
from orderproof.symbolic.models.decoder import DECODER


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


def test_another_block_is_rejected() -> None:
    """The numeric mark would take the weights of self-attention for those of cross-attention."""
    swap = str.maketrans("SC", "CS")

    def swapped(t):
        given = {k[:-1] + k[-1].translate(swap) if k[-2:-1] == "," else k: t[k] for k in t}
        return decoder.pre_norm_decoder_block(t["X"], t["Y"], given, rows.gelu, t["G"])

    def checked(expected):
        marks = {"numeric": by_numpy(expected, scale=1 / 8)}
        claim = equivariance(decoder_blocks.PRE.Z, MEMORY, {}, marks, given=decoder_blocks.MASKS)
        return claim.marks["numeric"](claim.statement).ok

    assert checked(decoder_blocks.pre) is True
    assert checked(swapped) is False


def test_a_mask_stops_the_push() -> None:
    """A masked block would be equivariant in tokens that move without their mask."""
    assert isinstance(push(decoder_blocks.POST.Z, TOKENS), Stuck)
    assert isinstance(push(decoder_causal.POST.Z, TOKENS), Stuck)
    assert not isinstance(push(decoder_blocks.OPEN_POST.Z, TOKENS), Stuck)


def test_step_in_a_second_layer() -> None:
    """11/18 and 5/18 would not be what the step gives for the two orders."""
    claim = load("generation_order_independent").claims[5]
    sides = (exact_entries(t, two_swapped(2)) for t in (claim.rhs, claim.lhs))
    assert [list(s.values()) for s in sides] == [[Fraction(11, 18)], [Fraction(5, 18)]]


def test_a_stack_against_its_layers() -> None:
    """The numeric mark would take a decoder with its layers in another order, or one layer less."""

    def checked(expected):
        check = by_numpy(expected, scale=1 / 8, dtypes=(np.float64,))
        given = decoder_blocks.MASKS
        claim = equivariance(decoders.PRE, MEMORY, {}, {"numeric": check}, given=given)
        return claim.marks["numeric"](claim.statement).ok

    def last_first(t):
        layered = {*decoders.DECODER} - {"epsilon"}
        turned = {k: v[..., ::-1] if k in layered else v for k, v in t.items()}
        return decoders.decoded(turned, pre_norm=True)

    assert checked(last_first) is False
    assert checked(lambda t: t["X"]) is False


def test_a_masked_stack_is_stuck() -> None:
    """By induction a decoder would be equivariant in tokens that move without their mask."""
    for t in (decoders.POST, decoders.PRE, *decoders.BOTH):
        assert isinstance(push(t, TOKENS), Stuck)
    with pytest.raises(StuckError):
        equivariance(decoders.POST, TOKENS, {"i": sigma}, {}, given=decoder_blocks.MASKS)


def test_encoder_and_decoder_against_the_papers() -> None:
    """The decoder would look at something else than what the encoder gives."""
    rng, (n, c, m) = np.random.default_rng(3), (4, 3, 5)
    axes = {"c": c, "h": 2, "k": 2, "r": 2, "u": 3}

    def drawn(shapes, suffix):
        found = {k: rng.normal(size=[axes[a] for a in v]) / 2 for k, v in shapes.items()}
        return {f"{k}{suffix}": v for k, v in found.items() if k != "epsilon"}

    encoder, layer = drawn(BLOCK, ",E"), drawn(DECODER, ",D")
    given = {"X": rng.normal(size=(n, c)), "Y": rng.normal(size=(m, c)), "G": np.ones((n, n))}
    given |= {"epsilon": np.float64(0.1), **encoder, **layer}
    counts = {"n": n, "m": m, "d": c, "h": 2, "d_k": 2, "d_v": 2, "d_f": 3}

    def own(t, suffix):
        return {k.removesuffix(suffix): v for k, v in t.items()} | {"epsilon": given["epsilon"]}

    memory = rows.pre_norm_block(given["Y"], own(encoder, ",E"), rows.gelu)
    expected = decoder.pre_norm_decoder_block(given["X"], memory, own(layer, ",D"), rows.gelu)
    found = bounded(encoder_decoder.PRE[1], counts, {}, given, np.float64, literal=True)
    assert encoder_decoder.PRE[1].axes == ("i", "c")
    assert np.allclose(found.value, expected, rtol=1e-9, atol=1e-9)
    other = decoder.pre_norm_decoder_block(given["X"], given["Y"], own(layer, ",D"), rows.gelu)
    assert not np.allclose(found.value, other, rtol=1e-9, atol=1e-9)
