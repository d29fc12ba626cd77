"""Which permutations a bias of the scores hides: those that leave it as it is, up to row constants.

A bias B is written as weights G = exp B ≥ 0 on exp(s), so that −∞ is the weight 0, and some weight
of each row is positive. Softmax divides by the sum of a row, so a factor c of a row says nothing:
divide each row by its largest entry (B minus its row maximum). If what is left is the same at
(σi, σj) as at (i, j), permuting the tokens permutes the output, whatever the weights. If it is not,
let W_Q = 0: then attention is G alone, its rows divided by their sums, and at some place these
weights differ. Give the token that is read there the value 1, and all others 0.
"""

import itertools
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orderproof.numeric import reference_sets, symmetry
from orderproof.numeric.bias_matrices import position
from orderproof.symbolic.architecture import masked_softmax
from orderproof.symbolic.attention_variants import normalised
from orderproof.symbolic.language import (
    contract,
    image,
    leaf_of,
    moved,
    multiply,
    place,
    tensor,
)
from orderproof.symbolic.score_biases import outside_account, row_constants_account
from orderproof.symbolic.tactic import fixed
from orderproof.symbolic.terms import Term

from .claims import Claim, Formula, Named, TheoremFile, equivariance, in_rocq, nearby, pushing
from .marks import by_kernel, by_smt, by_sympy_within, entrywise, same_simplified
from .marks_numeric import Inputs, by_numpy, by_numpy_differs
from .script import main
from .vocabulary import SELF, TOKENS, d, d_k, d_v, n, show, sigma
from .witnesses import Witness, by_exact

G = tensor("G", i=n, j=n)
c = tensor("f", i=n)  # a factor for each row
A, SCALED = (masked_softmax(SELF.S, mask, "j") for mask in (G, multiply(c, G)))
Z = contract(A, SELF.V, "j")
ALONE = normalised(G, "j")  # what W_Q = 0 leaves of the weights
ROW, COLUMN = place("a", n), place("b", n)
HERE = {"i": ROW(), "j": COLUMN()}
THERE = {"i": sigma(ROW()), "j": sigma(COLUMN())}
TABLES = {
    leaf_of(G): Formula(r"G \in \mathbb{R}_{\geq 0}^{n \times n}", "G ∈ ℝ≥0^(n×n)"),
    leaf_of(c): Formula(r"f \in \mathbb{R}_{> 0}^{n}", "f ∈ ℝ>0^n"),
}
SHOWN = (("alibi", (3, 4)), ("window", (3, 4)), ("causal", (2, 3)))  # each σ outside, at these n


def theorem() -> TheoremFile:
    """If, by pushing; row constants, by algebra; only if, at a place; every σ outside, replayed."""
    pushed = pushing(Z, TOKENS, [fixed(G, i=sigma, j=sigma)])
    marks = {
        "kernel": by_kernel,
        "sympy": by_sympy_within(3, 4),
        "numeric": by_numpy(_reference, drawn=_weights),
    }
    kept = equivariance(Z, TOKENS, {"i": sigma}, pushed, marks, row="i", column="r")
    account = row_constants_account(SELF.S, G, c, "j")
    constants = Claim(
        "row constants", account.lhs, account.rhs,
        {"smt": by_smt(account), "sympy": _by_entries, "numeric": by_numpy(drawn=_weights)},
        scope="all n, all factors f > 0", row="i", column="j", nonzero=account.where,
    )  # fmt: skip
    apart = outside_account(ALONE, HERE, THERE)
    only_if = Claim(
        "iff, only if", apart.lhs, apart.rhs, {"smt": by_smt(apart)},
        scope="all n; a is a row that differs, and b the place of the largest gain", relation="≠",
        provided=Formula(
            r"P G P^{\top} \neq G,\; \max_{j} G_{i, j} = 1 \text{ for each } i",
            "P G Pᵀ ≠ G, max_j G[i, j] = 1 for each i",
        ),
    )  # fmt: skip
    found = {name: list(witnesses(name, sizes)) for name, sizes in SHOWN}
    shown = [
        Claim(
            "exists", image(Z, TOKENS), moved(Z, i=sigma),
            {"exact": by_exact(found[name]), "numeric": by_numpy_differs(found[name])},
            scope=f"{name}, n = {' and '.join(map(str, sizes))}: every σ outside the group",
            relation="≠", row="i", column="r",
            sizes={n: ("∈", sizes)} | dict.fromkeys((d, d_k, d_v), ("∈", (1,))),
        )
        for name, sizes in SHOWN
    ]  # fmt: skip
    kept_if, kept_only_if = in_rocq("score_bias_iff", kept, only_if)
    claims = (kept_if, constants, kept_only_if, *shown)
    return TheoremFile(
        id="score_bias_iff",
        title="A score bias hides σ exactly if σ keeps it, up to row constants",
        words="Softmax(QKᵀ + B)V, −∞ allowed in B but not in a whole row, commutes with σ for all "
        "weights if and only if B minus its row maxima is the same at (σi, σj) as at (i, j). Here "
        "G = exp(B minus its row maxima).",
        source="biases of the scores: Raffel et al. 2020, section 2.1; Press et al. 2022",
        citations=("raffel2020", "press2022"),
        claims=tuple(replace(claim, tables=TABLES) for claim in claims),
        pushed=(pushed,),
        show=show(
            *SELF.named("QKVS"),
            Named("A", A, "i", "j"),
            Named("Z", Z, "i", "r"),
            Named("N", ALONE, "i", "j"),
            Named("A_f", SCALED, "i", "j"),
            Named("A_0", image(A, TOKENS), "i", "j"),
            Named("Z_0", image(Z, TOKENS), "i", "r"),
        ),
        cited=dict.fromkeys("QKV", "qkv_equivariant") | {"S": "scores_conjugate"},
        neighbour=nearby(
            kept,
            "Without the hypothesis it is false: a bias that stays where it is shows the order.",
            hyps=frozenset(),
        ),
        neighbours=(
            nearby(constants, "A factor for each key is not one for each row.", lhs=by_key()),
            *(
                nearby(claim, "A bias that moves with its tokens shows nothing.", lhs=claim.rhs)
                for claim in shown
            ),
        ),
        uses=("mask_transport", "sum_act"),
    )


def by_key() -> Term:
    """The weights where the factor belongs to the key."""
    return masked_softmax(SELF.S, multiply(c.rename({"i": "j"}), G), "j")


def witnesses(name: str, sizes: tuple[int, ...]) -> Iterator[Witness]:
    """For every σ outside the group: W_Q = 0, and the value 1 at the token that is read where the
    weights differ. The bias is in units of ln 2, with integers where the scheme has multiples of a
    slope."""
    for size in sizes:
        layer = symmetry.of_heads(position(name, size).heads)
        head = layer.heads[0]
        scale = head.scale
        entries = [[head.entry(i, j) for j in range(size)] for i in range(size)]
        mask = [
            [Fraction(0) if v is None else Fraction(2) ** (v * scale) for v in row]
            for row in entries
        ]
        for s in itertools.permutations(range(size)):
            outside = symmetry.witness_outside(layer, s)
            if outside is not None:
                x = [[int(k == s[outside.column])] for k in range(size)]
                weights = {"W_Q": [[0]], "W_K": [[0]], "W_V": [[1]]}
                at = {"n": size, "d": 1, "d_k": 1, "d_v": 1}
                yield Witness(at, {"sigma": s}, {"X": x, "G": mask, **weights})


def _by_entries(claim: Claim) -> tuple[bool | None, str]:
    """By entries that are simplified, at two choices of sizes."""
    sizes = {"n": 2, "d": 1, "d_k": 2}, {"n": 3, "d": 2, "d_k": 1}
    return entrywise(claim, "=", same_simplified, [(each, {}) for each in sizes])


def _weights(given: Inputs) -> Inputs:
    """Weights as they are meant: about half of them 0 and no row without one; positive factors."""
    drawn = {x: np.maximum(given[x], 0) for x in ("G",) if x in given}
    for w in drawn.values():
        w[np.diag_indices(len(w))] += 1
    if "f" in given:
        drawn["f"] = np.exp(given["f"])
    return given | drawn


def _reference(t: Inputs) -> NDArray[Any]:
    q, k, v = (t["X"] @ t[name] for name in ("W_Q", "W_K", "W_V"))
    return reference_sets.weighted_attention(q, k, v, t["G"])


if __name__ == "__main__":
    main(__spec__)
