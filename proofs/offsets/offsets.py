"""Attention whose positions are functions of the difference of two places; all places t further on.

OFFSET the difference j − i, FURTHER_ON the same of i + t and j + t, STRETCHED another: t j − i
"""

from orderproof.proofs.prelude import *
from orderproof.symbolic.schemes.models import CONTEXT as n
from orderproof.symbolic.schemes.models import FEATURES, parts, weights
from orderproof.symbolic.schemes.rotations import T

SLOPE = tensor("s")
FIRST, SECOND = iota(n, "i"), iota(n, "j")
OFFSET = subtract(SECOND, FIRST)
FURTHER_ON = subtract(add(SECOND, T), add(FIRST, T))
STRETCHED = subtract(multiply(T, SECOND), FIRST)
Build = Callable[[Term], Sequence[Named]]  # of the offsets: the parts of a model, its output last


def alibi(offset: Term, of: str = "") -> tuple[Named, ...]:
    """Self-attention with a slope times a distance added to the scores (Press et al. 2022): bias,
    weights and output by name."""
    bias = multiply(SLOPE, pointwise("max", offset, pointwise("neg", offset)))
    return Named(f"B{of}", bias, "i", "j"), *replace(SELF, score_bias=bias).named("AZ", of)


def relative(offset: Term, of: str = "M", *, keys: bool = False) -> tuple[Named, ...]:
    """Two layers with skips, in which a bias, a mask and a rotation, or what is added to a key, are
    any functions of the offset: these, the parts of the layers and the tokens after each, by name.
    """
    c: dict[Name, Set] = {"c": FEATURES}
    turned = {"R": opaque("r", {}, offset, {**c, "e": FEATURES})}
    position = {"B": opaque("b", {}, offset, {}), "G": opaque("g", {}, offset, {})}
    found = [Named(f"{x}_o", t, "i", "j") for x, t in position.items()]
    position |= {"A": opaque("a", {}, offset, c)} if keys else turned
    tokens = tensor("X", i=n, k=FEATURES)
    for layer in "12":
        read = parts(tokens, position, weights(layer))
        found += read.named("QKVSA", f"_{of}{layer}")
        tokens = add(tokens, read.Z.rename({"v": "k"}))
        found.append(Named(f"{of}_{layer}", tokens, "i", "k"))
    return tuple(found)


def same_offsets() -> Claim:
    """The difference of two places does not change when both are t further on."""
    marks: dict[str, Check] = {
        "smt": by_chain(),
        "sympy": by_sympy_simplified,
        "numeric": by_numpy(),
    }
    return holds(FURTHER_ON, "=", OFFSET, marks, row="i", column="j")


def kept(build: Build, offsets: Claim) -> Claim:
    """What is made of the offsets, all places t further on, is what is made of them here: from the
    claim that these are equal, by putting equals for equals."""
    lhs, output = build(FURTHER_ON)[-1].term, build(OFFSET)[-1]
    lemma = Lemma(offsets.statement, offsets.unmade("smt"))
    marks = {"smt": joined(putting(lhs, lemma.fact), lemma)}
    return holds(lhs, "=", output.term, marks, row=output.row, column=output.column)
