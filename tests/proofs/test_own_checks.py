"""What single theorems bring along: references of models, a lemma that is put in, bounds of π."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from orderproof.check.claims import StuckError, equivariance
from orderproof.check.marks.numeric import by_numpy
from orderproof.check.marks.waves import at_first, by_period
from orderproof.proofs.causal_stacks import not_decoder_block_equivariant_of_causal_mask as masked
from orderproof.proofs.cross_attention import decoders
from orderproof.proofs.offsets.offsets import FURTHER_ON, OFFSET, kept, relative, same_offsets
from orderproof.proofs.prelude import (
    TOKENS,
    add,
    divide,
    exp,
    iota,
    multiply,
    n,
    number,
    pointwise,
    sigma,
    size,
    sizes,
    tensor,
)
from orderproof.proofs.shared import decoder_blocks as blocks
from orderproof.proofs.shared.encoder_models import encoder
from orderproof.symbolic.calculus.terms import Term
from orderproof.symbolic.models.decoder import DECODER
from orderproof.symbolic.schemes.rotations import FREQUENCIES, OMEGA, PAIRS, rows_differ
from orderproof.symbolic.statements.evidence import Evidence, weigh
from orderproof.symbolic.statements.logic import LogicError
from orderproof.symbolic.statements.statement import Atom, Statement
from tests.judged import mark

# ------------------------------------------------------------------------------ models of decoders
ONE, DEEP = blocks.decoder(pre_norm=True), blocks.decoder(pre_norm=True, deep=True)
AFTER_ENCODER = [output for _, output in decoders.MODELS]


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
    check = by_numpy(expected, scale=1 / 8, dtypes=(np.float64,))
    assert check(blocks.invariant_of_memory(model).statement).ok is ok


def test_a_mask_stops_the_push() -> None:
    """A masked block, or by induction a decoder, would be equivariant in tokens that move without
    their mask."""
    one = (blocks.POST.Z, masked.POST.Z)
    for t in (*one, decoders.POST, decoders.PRE, *AFTER_ENCODER[2:]):
        with pytest.raises(StuckError):
            equivariance(t, TOKENS, {"i": sigma}, {})
    assert equivariance(blocks.OPEN_POST.Z, TOKENS, {"i": sigma}, {}).push


# ---------------------------------------------------------------------------------------- offsets
def test_offsets_must_be_those_of_the_model() -> None:
    """Another equation would be put in place of the one that the model's theorem needs; or one that
    was refuted, or only tried."""
    offsets = same_offsets()
    two = number(2)
    doubled = offsets.stating(lhs=multiply(two, FURTHER_ON), rhs=multiply(two, OFFSET))
    assert mark(doubled.marks["smt"], doubled).settles  # true, and another equation
    with pytest.raises(StuckError, match="in it"):
        kept(relative, doubled)
    whole = offsets.statement
    refuted, tried = (
        kept(relative, replace(offsets, marks={"smt": lambda _, found=found: found}))
        for found in (
            Evidence(False, "no", whole), Evidence(True, "some cases", whole, sweep=True)
        )
    )  # fmt: skip
    assert refuted.marks["smt"](refuted.statement).ok is False
    with pytest.raises(LogicError, match="not established"):
        tried.marks["smt"](tried.statement)


# ----------------------------------------------------- rows of the sinusoidal table, by bounds of π
MANY = 10**18
OWN = rows_differ(n, MANY)
K, ANY = iota(PAIRS, "k"), tensor("a", k=PAIRS)
MORE = rows_differ(n, 10 * MANY)
FALSE = {
    "more rows than bounds of π tell apart": MORE,
    "all rows": replace(OWN, given=frozenset({FREQUENCIES})),
    "any frequencies, 2π too": replace(OWN, given=OWN.given - {FREQUENCIES}),
    "no features": replace(OWN, sizes=sizes()),
}


def test_bounds_of_pi_settle_their_own_statement() -> None:
    """The check would show another statement than the one it is named after; or at another first
    frequency, or more rows than it can."""
    assert weigh(OWN, by_period(n, MANY)(OWN)).settles
    twice = Atom(OMEGA, "=", number(2))
    assert by_period(n, MANY // 2, twice)(rows_differ(n, MANY // 2, twice)).ok is True
    assert by_period(n, 10 * MANY)(MORE).ok is None
    assert "hypothesis that is not claimed" in weigh(MORE, by_period(n, MANY)(MORE)).detail


@pytest.mark.parametrize("false", FALSE.values(), ids=FALSE)
def test_bounds_of_pi_show_no_more(false: Statement) -> None:
    """Rows would be told apart that are equal, or that no bound of π tells apart."""
    assert weigh(false, by_period(n, MANY)(false)).ok is False


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        (FREQUENCIES.rhs, 1),
        (pointwise("neg", multiply(number(-3), number(Fraction(1, 2)))), Fraction(3, 2)),
        (number(0), 0),  # all rows are (0, 1)
        (number(-1), -1),
        (multiply(ANY, divide(K, size(PAIRS))), 0),
        (ANY, None),  # it may be 2π
        (multiply(number(2), ANY), None),
        (exp(number(1)), None),
        (exp(add(K, number(0))), None),  # a sum is not read
        (divide(K, number(0)), None),
        (divide(K, ANY), None),
        (pointwise("log", number(1)), None),
    ],
)
def test_the_first_frequency_is_read_from_its_formula(
    formula: Term, value: Fraction | None
) -> None:
    """A frequency could be taken for 1 that is 0, or that is not read, or another than it is."""
    assert at_first(formula) == value
    other = Atom(OMEGA, "=", formula)
    found = by_period(n, 1000, other)(rows_differ(n, 1000, other))
    assert found.ok is (True if value and value > 0 else None)
