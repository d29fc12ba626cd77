"""Attention whose positions are functions of the difference of two places; all places t further on.

OFFSET the difference j − i, FURTHER_ON the same of i + t and j + t, STRETCHED another: t j − i
"""

from orderproof.check.marks.joined import Lemma, joined, putting
from orderproof.proofs.prelude import *
from orderproof.symbolic.schemes.models import CONTEXT as n
from orderproof.symbolic.schemes.models import FEATURES, weights
from orderproof.symbolic.schemes.models import parts as layer_parts
from orderproof.symbolic.schemes.rotations import T

SLOPE = tensor("s")
PLACES = iota(n, "i"), iota(n, "j")
OFFSET = subtract(PLACES[1], PLACES[0])
FURTHER_ON = subtract(add(PLACES[1], T), add(PLACES[0], T))
STRETCHED = subtract(multiply(T, PLACES[1]), PLACES[0])


def parts(offset: Term, of: str = "") -> tuple[Named, ...]:
    """Self-attention with a slope times a distance added to the scores (Press et al. 2022): bias,
    weights and output by name."""
    bias = multiply(SLOPE, pointwise("max", offset, pointwise("neg", offset)))
    return Named(f"B{of}", bias, "i", "j"), *replace(SELF, score_bias=bias).named("AZ", of)


def biased(offset: Term) -> Term:
    """The output of it."""
    return parts(offset)[-1].term


def relative(offset: Term, of: str = "M", *, keys: bool = False) -> tuple[Named, ...]:
    """Two layers with skips, in which a bias, a mask and a rotation, or what is added to a key, are
    any functions of the offset: these, the parts of the layers and the tokens after each, by name.
    """
    c: dict[Name, Set] = {"c": FEATURES}
    e: dict[Name, Set] = {"e": FEATURES}
    made = {
        "B": opaque("b", {}, offset, {}), "G": opaque("g", {}, offset, {}),
        "R": opaque("r", {}, offset, c | e), "A": opaque("a", {}, offset, c),
    }  # fmt: skip
    position = {x: made[x] for x in ("BGA" if keys else "BGR")}
    found = [Named(f"{x}_o", position[x], "i", "j") for x in "BG"]
    tokens = tensor("X", i=n, k=FEATURES)
    for layer in "12":
        read = layer_parts(tokens, position, weights(layer))
        found += read.named("QKVSA", f"_{of}{layer}")
        tokens = add(tokens, read.Z.rename({"v": "k"}))
        found.append(Named(f"{of}_{layer}", tokens, "i", "k"))
    return tuple(found)


def turned(offset: Term) -> Term:
    """With biases, masks and rotations."""
    return relative(offset)[-1].term


def shifted(offset: Term) -> Term:
    """With biases, masks and relative keys."""
    return relative(offset, keys=True)[-1].term


def same_offsets() -> Claim:
    """The difference of two places does not change when both are t further on."""
    marks: dict[str, Check] = {
        "smt": by_chain(),
        "sympy": by_sympy_simplified,
        "numeric": by_numpy(),
    }
    return holds(FURTHER_ON, "=", OFFSET, marks, row="i", column="j")


def kept(build: Callable[[Term], Term], offsets: Claim, row: Name, column: Name) -> Claim:
    """What is made of the offsets, all places t further on, is what is made of them here: from the
    claim that these are equal, by putting equals for equals."""
    lhs, rhs = build(FURTHER_ON), build(OFFSET)
    lemma = Lemma(offsets.statement, offsets.marks["smt"])
    proof = putting(lhs, lemma.fact)
    return holds(lhs, "=", rhs, {"smt": joined(proof, lemma)}, row=row, column=column)
