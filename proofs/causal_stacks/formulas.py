"""Running means, the signed binomials that are their eigenvectors, and stacks of any depth."""

from __future__ import annotations

from orderproof.check.formulas import Meaning, Shown, Stated, Written
from orderproof.proofs.prelude import *
from orderproof.proofs.symbols import LETTERS, MATRICES
from orderproof.symbolic.models.builders import call, define
from orderproof.symbolic.models.stacks import stacked as layers_of
from orderproof.symbolic.schemes.running_means import (
    averaging_layer,
    binomial,
    causal_mask,
    running_means,
    sign,
    stacked,
)

LAYERS = Set("L")
ONE, M = delta(n, "i", "j"), running_means(n)
i, j, k = (iota(n, axis) for axis in "ijk")
C = binomial(n, i, j)
E = multiply(sign(n, j), C)  # the signed binomials
D = divide(ONE, add(j, number(1)))  # the eigenvalues of M
r, w = tensor("r"), tensor("w")
rs, ws = tensor("r", l=LAYERS), tensor("w", l=LAYERS)

# a layer, a stack of them, and its closed form
AVERAGE = contract(M, X.rename({"i": "j"}), "j")
BODY = add(multiply(r, X), multiply(w, AVERAGE))
LAYER = define("Layer", [X, r, w], BODY)
STACK = layers_of(call(LAYER, [X, rs, ws], [("i", "c"), (), ()], ("i", "c")), "l")
FACTORS = reduce("prod", add(rs, divide(ws, add(j, k, number(1)))), "l")
WEIGHTS = multiply(
    C, total(multiply(sign(n, k), binomial(n, subtract(i, j), k), FACTORS), "k")
)  # fmt: skip
MU = reduce("prod", add(rs, divide(ws, add(j, number(1)))), "l")
D_L = multiply(ONE, MU)

SHOW = Show(
    (
        Named("M", M, "i", "j"), Named("E", E, "i", "j"), Named("D", D, "i", "j"),
        Named("D_L", D_L, "i", "j"), Named("mu", MU), Named("N_L", WEIGHTS, "i", "j"),
    ),
    MATRICES, LETTERS | {n: "ijkh", LAYERS: "l"},
)  # fmt: skip


def matrices(lhs: Term, rhs: Term) -> Stated:
    """An equation of matrices over the tokens."""
    return _stated(holds(lhs, "=", rhs, {"numeric": by_numpy()}, row="i", column="j"))


def _stated(claim: Claim) -> Stated:
    return Stated(claim, SHOW)


def layer(number_: str) -> tuple[Term, Term]:
    """A layer r I + w M, and r I + w D."""
    skip, share = tensor(f"r_{number_}"), tensor(f"w_{number_}")
    return averaging_layer(n, skip, share), add(multiply(skip, ONE), multiply(share, D))


def column(length: int, one: int) -> Witness:
    """Tokens of which one is 1 and all others 0."""
    return Witness({"n": length, "d": 1}, {}, {"X": [[int(t == one)] for t in range(length)]})


def binomials() -> Stated:
    """C(i, m) C(m, j) = C(i, j) C(i − j, k) for m = j + k."""
    places = {x: constant(x, n) for x in "ijkm"}
    here = {x: at(iota(n, "i"), {"i": place()}) for x, place in places.items()}
    a, b = iota(n, "a"), iota(n, "b")

    def choose(top: str, bottom: str) -> Term:
        return at(binomial(n, a, b), {"a": places[top](), "b": places[bottom]()})

    left = at(
        binomial(n, subtract(a, iota(n, "c")), b),
        {"a": places["i"](), "c": places["j"](), "b": places["k"]()},
    )
    given = [
        Atom(here["m"], "=", add(here["j"], here["k"])),
        Atom(here["m"], "≤", here["i"]),
    ]
    return _stated(holds(
        multiply(choose("i", "m"), choose("m", "j")), "=", multiply(choose("i", "j"), left),
        {"numeric": by_numpy()}, given=given,
    ))  # fmt: skip


(one, own), (two, later) = layer("1"), layer("2")
EARLIER = causal_mask(n).rename({"j": "l"})
SUMMED = total(multiply(EARLIER, binomial(n, iota(n, "l"), j)), "l")
FORM = holds(
    STACK, "=", contract(WEIGHTS, X.rename({"i": "j"}), "j"), {"numeric": by_numpy(scale=1 / 2)},
    row="i", column="c",
)  # fmt: skip
FIRST, SECOND = column(3, 0), column(3, 1)
THREE = Witness({"n": 3}, {}, {})

MASK = causal_mask(n)
COUNTED = total(MASK, "j")  # a causal sum of ones, and one with 1 more in its denominator
SHARED = divide(COUNTED, add(number(1), COUNTED))
FOUR = Witness({"n": 4}, {}, {})

FORMULAS: dict[str, Shown] = {
    "running_means": Meaning(Named("M", M, "i", "j"), SHOW),
    "signed_binomials": Meaning(Named("E", E, "i", "j"), SHOW),
    "eigenvalues": Meaning(Named("D", D, "i", "j"), SHOW),
    "sum_of_binomials": matrices(SUMMED, multiply(divide(add(i, number(1)), add(j, number(1))), C)),
    "eigenvectors": matrices(stacked(E, M), stacked(D, E)),
    "involution": matrices(stacked(E, E), ONE),
    "one_averaging_layer": matrices(
        averaging_layer(n, r, w), stacked(E, add(multiply(r, ONE), multiply(w, D)), E)
    ),
    "two_averaging_layers": matrices(stacked(one, two), stacked(E, stacked(own, later), E)),
    "averaging_layer": _stated(
        holds(
            call(LAYER, [X, r, w], [("i", "c"), (), ()], ("i", "c")),
            "=",
            BODY,
            {"numeric": by_numpy()},
            row="i",
            column="c",
        )
    ),
    "averaging_stack": _stated(FORM),
    "diagonal_of_stack": Meaning(Named("D_L", D_L, "i", "j"), SHOW),
    "factors_of_stack": Meaning(Named("mu", MU), SHOW),
    "stack_by_eigenvectors": matrices(WEIGHTS, stacked(E, D_L, E)),
    "product_of_binomials": binomials(),
    "weights_of_stack": Meaning(Named("N_L", WEIGHTS, "i", "j"), SHOW),
    "means_of_first": Written(AVERAGE, SHOW, FIRST, "i", "c"),
    "means_of_second": Written(AVERAGE, SHOW, SECOND, "i", "c"),
    "three_means": Written(M, SHOW, THREE, "i", "j"),
    "three_means_twice": Written(stacked(M, M), SHOW, THREE, "i", "j"),
    "means_of_four": Written(AVERAGE, SHOW, column(4, 0), "i", "c"),
    "counted_ones": Written(COUNTED, SHOW, FOUR, "i"),
    "shared_ones": Written(SHARED, SHOW, FOUR, "i"),
    "four_binomials": Written(E, SHOW, FOUR, "i", "j"),
}
