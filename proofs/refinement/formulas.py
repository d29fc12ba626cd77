"""Shares of types, and the sums over a row that depend on these alone."""

from __future__ import annotations

from orderproof.check.formulas import Meaning, Shown, Stated
from orderproof.proofs.prelude import *
from orderproof.proofs.symbols import LETTERS, MATRICES
from orderproof.symbolic.models.builders import symbol

TYPES = Set("q")
of = symbol("type", (n,), TYPES)  # the type of each token
G, F = tensor("G", i=n, j=n), tensor("F", i=n, k=TYPES)
OF_TYPE = moved(delta(TYPES, "j", "k"), j=of)  # over j, whether token j has type k
SHARES = divide(total(multiply(G, OF_TYPE), "j"), total(G, "j"))  # over i and k
BY_TYPE = moved(F.rename({"k": "j"}), j=of)  # over i and j, what token j counts for i
SHOW = Show((Named("M", SHARES, "i", "k"),), MATRICES, LETTERS | {TYPES: "k"})

FORMULAS: dict[str, Shown] = {
    "shares_of_types": Meaning(Named("M", SHARES, "i", "k"), SHOW),
    "sum_over_types": Stated(
        holds(
            divide(total(multiply(G, BY_TYPE), "j"), total(G, "j")), "=",
            total(multiply(SHARES, F), "k"),
            {"numeric": by_numpy()}, given=[Atom(total(G, "j"), "≠", number(0))],
        ),
        SHOW, told=True,
    ),
}  # fmt: skip
