"""The formulas of the prose proofs about position and depth, each with its check."""

from __future__ import annotations

from fractions import Fraction

from orderproof.check.claims import Atom, Named, holds
from orderproof.check.formulas import Stated, Written
from orderproof.check.marks import by_numpy
from orderproof.proofs.position_and_depth.attention_contracts import WEIGHTS, A, V, Z
from orderproof.proofs.position_and_depth.distances import FORM, difference, variation
from orderproof.proofs.position_and_depth.position_after_first_layer_contracts import SCORES
from orderproof.proofs.position_and_depth.position_after_first_layer_contracts import A as SOFTMAX
from orderproof.proofs.position_and_depth.position_after_first_layer_skip import LAYER, Y
from orderproof.proofs.symbols import SELF, W_Q, X, d_k, n, show
from orderproof.symbolic.calculus.terms import Name, Term
from orderproof.symbolic.models.builders import (
    add,
    contract,
    divide,
    exp,
    exp2,
    multiply,
    number,
    pointwise,
    size,
    subtract,
    tensor,
    total,
)
from orderproof.symbolic.statements.statement import sizes

NUMBERS = {"numeric": by_numpy()}
ADDED = LAYER.Z.rename({"r": "c"})  # by the layer, beside its skip
OWN = Fraction(4, 5)  # the weight that a token gives to itself
ONE, ZERO = number(1), number(0)
x, r = (tensor(name) for name in "xr")
o = tensor("o", j=n)  # any numbers
AVERAGES = show(
    Named("A", A, "i", "j"), Named("Z", Z, "i", "r"), Named("T", variation(A), "i", "l")
)
MORE = total(pointwise("max", difference(A), ZERO), "j")
LAYERS = show(*SELF.named(), *LAYER.named("VZ"), Named("Y", Y, "i", "c"), Named("F", FORM))


def gap(t: Term, key: Name) -> Term:
    """What the scores of i and of l for one key differ by."""
    return difference(t).rename({"j": key})


def at(t: Term, token: Name, key: Name) -> Term:
    """An entry."""
    return t.rename({"i": token, "j": key})


def weight(score: int, other: int) -> Term:
    """Of two scores, in units of ln 2, the weight of the first."""
    first, second = exp2(number(score)), exp2(number(other))
    return divide(first, add(first, second))


RATIO = exp(subtract(gap(SCORES, "j"), gap(SCORES, "k")))
REST = subtract(ONE, x)
SQUARED = multiply(r, r)
SHARED = add(x, multiply(SQUARED, REST))
LEAST = divide(x, SHARED)
UP = add(r, ONE)
LESS = subtract(SHARED, multiply(multiply(UP, UP), multiply(x, REST)))
ROOT = subtract(x, multiply(r, REST))
TANH = divide(subtract(exp(o), ONE), pointwise("add", exp(o), ONE))

FORMULAS = {
    "two rows of averages": Stated(
        holds(
            difference(Z), "=", contract(difference(A), V, "j"),
            NUMBERS, given=WEIGHTS,
        ),
        AVERAGES, told=True,
    ),
    "as much more as less": Stated(
        holds(MORE, "=", variation(A), NUMBERS, given=WEIGHTS), AVERAGES, told=True,
    ),
    "how scores vary": Stated(
        holds(subtract(gap(SELF.S, "a"), gap(SELF.S, "b")), "=", FORM, NUMBERS), LAYERS
    ),
    "ratios of weights": Stated(
        holds(
            multiply(at(SOFTMAX, "i", "j"), at(SOFTMAX, "l", "k")), "=",
            multiply(RATIO, multiply(at(SOFTMAX, "i", "k"), at(SOFTMAX, "l", "j"))), NUMBERS,
        ),
        show(Named("A_T", SOFTMAX, "i", "j")),
    ),
    "the least weight": Written(LEAST, show()),
    "how much less": Stated(
        holds(
            subtract(x, LEAST), "=",
            divide(multiply(multiply(x, REST), subtract(SQUARED, ONE)), SHARED), NUMBERS,
        ),
        show(),
    ),
    "a square": Stated(holds(LESS, "=", multiply(ROOT, ROOT), NUMBERS), show()),
    "tanh below its tangent": Stated(
        holds(TANH, "≤", divide(o, number(2)), NUMBERS, given=[Atom(ZERO, "≤", o)]), show()
    ),
    "with a skip": Stated(
        holds(
            difference(Y), "=",
            add(difference(X), difference(ADDED)),
            NUMBERS,
        ),
        LAYERS,
    ),
    "weights of two": Stated(
        holds(weight(1, -1), "=", number(OWN), NUMBERS), show()
    ),
    "the skip cancelled": Stated(
        holds(
            ONE, "=",
            multiply(number(Fraction(5, 3)), subtract(number(OWN), number(1 - OWN))),
            NUMBERS,
        ),
        show(),
    ),
    "uniform weights": Stated(
        holds(
            SELF.A, "=", divide(ONE, size(n)), NUMBERS,
            given=[Atom(W_Q, "=", ZERO)], over=sizes({d_k: 1}),
        ),
        LAYERS, told=True,
    ),
}  # fmt: skip
