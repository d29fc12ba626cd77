"""Which permutations a bias of the scores hides: those that leave it as it is, up to row constants.

A bias B is written as weights G = exp B ≥ 0 on exp(s), so that −∞ is the weight 0, and some weight
of each row is positive. Softmax divides by the sum of a row, so a factor of a row says nothing:
divide each row by its largest entry (B minus its row maximum). If what is left, D, is the same at
(σi, σj) as at (i, j), permuting the tokens permutes the output, whatever the weights. Conversely,
let W_Q = 0: then attention is G alone, its rows divided by their sums, N. Give one token the value
1 and all others 0, and the output shows an entry of N: so if it is permuted for every such X, N is
the same at (σi, σj) as at (i, j). And N, its rows divided by their largest entries, is D.
"""

import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from orderproof.numeric.groups import symmetry
from orderproof.numeric.groups.bias_matrices import position
from orderproof.numeric.groups.outside import outside
from orderproof.numeric.reference import sets as reference_sets
from orderproof.proofs.book.script import main
from orderproof.proofs.check.claims import (
    Atom,
    Claim,
    Evidence,
    Named,
    Neighbour,
    Sentence,
    TheoremFile,
    differs,
    equality,
    equivariance,
    holds,
    in_rocq,
    nearby,
    sizes,
)
from orderproof.proofs.marks.exact import Witness, by_exact
from orderproof.proofs.marks.numeric import Inputs, by_numpy, by_numpy_differs
from orderproof.proofs.marks.sympy_entries import by_sympy_within, entrywise, same_simplified
from orderproof.proofs.pages.primes import primed
from orderproof.proofs.shared.bias_halves import Bias, Model, OnlyIf
from orderproof.proofs.shared.bias_models import G, one_head
from orderproof.proofs.shared.symbols import SELF, TOKENS, d, d_k, d_v, n, show, sigma
from orderproof.symbolic.calculus.terms import Term
from orderproof.symbolic.derive.push import fixed
from orderproof.symbolic.models.attention import masked_softmax
from orderproof.symbolic.models.builders import (
    contract,
    exp2,
    image,
    iota,
    leaf_of,
    moved,
    multiply,
    number,
    pointwise,
    subtract,
    tensor,
)
from orderproof.symbolic.schemes.running_means import causal_mask
from orderproof.symbolic.schemes.weights import by_largest
from orderproof.symbolic.smt.chain import by_chain
from orderproof.symbolic.statements.statement import Statement
from orderproof.symbolic.witness.group_file import GroupWitness, WeightsWitness

BIAS = Bias(G)
WEIGHTS, NO_ZERO_ROW = BIAS.weights
c = tensor("f", i=n)  # a factor for each row
A, SCALED = (masked_softmax(SELF.S, mask, "j") for mask in (G, multiply(c, G)))
Z = contract(A, SELF.V, "j")
OUTSIDE = BIAS.kept.opposite()
APART = subtract(iota(n, "i"), iota(n, "j"))
DISTANCE = pointwise("max", APART, pointwise("neg", APART))
SHOWN = {  # weights G of three schemes, and the sizes at which every σ outside is shown
    "alibi": ((3, 4), exp2(pointwise("neg", DISTANCE))),
    "window": ((3, 4), pointwise("at_most", DISTANCE, number(1))),
    "causal": ((2, 3), causal_mask(n)),
}


def halves(model: Model, row: str, column: str) -> tuple[Claim, Claim]:
    """If D is kept, f(PX) = P f(X) for all X and weights; if not, for some it is not so."""
    both = (model.claimed_if(), model.kept_if()), (model.claimed_only_if(), OnlyIf(model))
    first, second = (Claim(s, {"smt": check}, row, column) for s, check in both)
    return first, second


def theorem() -> TheoremFile:
    """Both halves; G itself kept, by pushing; row constants; every σ outside of three schemes."""
    kept = equivariance(
        Z, TOKENS, {"i": sigma},
        {"sympy": by_sympy_within(3, 4), "numeric": by_numpy(_reference)},
        facts=[fixed(G, i=sigma, j=sigma)],
        row="i", column="r", given=[WEIGHTS, NO_ZERO_ROW],
    )  # fmt: skip
    constants = holds(
        SCALED, "=", A,
        {"smt": by_chain("scale", "support"), "sympy": _by_entries, "numeric": by_numpy()},
        row="i", column="j",
        given=[WEIGHTS, Atom(number(0), "<", c), NO_ZERO_ROW],
    )  # fmt: skip
    sums = BIAS.of_sums()
    kept_sums = equality(
        sums.lhs, sums.rhs, sums, {}, row=0, column=1, given=[WEIGHTS, NO_ZERO_ROW]
    )
    found = {name: list(witnesses(name, at)) for name, (at, _) in SHOWN.items()}
    shown = [
        differs(
            image(Z, TOKENS), moved(Z, i=sigma),
            {"exact": by_exact(found[name]), "numeric": by_numpy_differs(found[name])},
            every=(leaf_of(G), sigma), given=[Atom(G, "=", weights), OUTSIDE], row="i", column="r",
            over=sizes(among={n: at} | dict.fromkeys((d, d_k, d_v), (1,))),
        )
        for name, (at, weights) in SHOWN.items()
    ]  # fmt: skip
    if_kept, only_if = halves(one_head(), "i", "r")
    here = [Named("A", A, "i", "j"), Named("Z", Z, "i", "r")]
    images, pairs = primed(here, (replace(x, term=image(x.term, TOKENS)) for x in here))
    return TheoremFile(
        id="score_bias_iff",
        title="A score bias hides σ exactly if σ keeps it, up to row constants",
        words=(
            Sentence(
                "Let G = exp B ≥ 0 be the weights on the exponentials of the scores, no row all "
                "0, and D what is left where each row is divided by its largest entry. Attention "
                "commutes with P for all tokens and projections if and only if P D Pᵀ = D.",
                (0, 1),
            ),
            Sentence("So it does if P G Pᵀ = G.", (2,)),
            Sentence("A factor for each row of G changes no weight.", (3,)),
            Sentence(
                "If N, which is G with each row divided by its sum, is kept, so is N with each row "
                "divided by its largest entry.",
                (4,),
            ),
            Sentence(
                "ALiBi, a window and the causal mask lose every σ outside: at n = 3 and 4, at n = "
                "3 and 4, and at n = 2 and 3.",
                (5, 6, 7),
            ),
        ),
        claims=(
            if_kept,
            only_if,
            *in_rocq("score_bias_iff", kept),
            constants,
            *in_rocq("score_bias_iff", kept_sums),
            *shown,
        ),
        iffs=((0, 1),),
        derivation="""
            A′[i, j] = G[i, j] exp(S′[i, j]) / (Σ_l G[i, l] exp(S′[i, l]))             by definition
                     = G[σ(i), σ(j)] exp(S[σ(i), σ(j)]) / (Σ_l G[σ(i), σ(l)] exp(S[σ(i), σ(l)]))
                    S′ = P S Pᵀ (scores_conjugate); by hypothesis
                     = G[σ(i), σ(j)] exp(S[σ(i), σ(j)]) / (Σ_l G[σ(i), l] exp(S[σ(i), l]))   Lemma 1
                     = (P A Pᵀ)[i, j]                                                  by definition

            Z′ = A′ V′                                                                 by definition
               = (P A Pᵀ) (P V)                              A′ = P A Pᵀ; V′ = P V (qkv_equivariant)
               = (P A) V                                                          Pᵀ P = I (Lemma 1)
               = P (A V)                                                           (A B) C = A (B C)
               = P Z                                                                   by definition
        """,
        uses=("mask_transport", "sum_act"),
        neighbour=nearby(
            kept,
            "Without the hypothesis it is false: a bias that stays where it is shows the order.",
            given=frozenset({WEIGHTS, NO_ZERO_ROW}),
        ),
        neighbours=(
            *broken_halves(if_kept, only_if),
            nearby(
                kept_sums,
                "The columns, too, must be those of the tokens.",
                lhs=moved(by_largest(BIAS.N, "j"), i=sigma),
                rhs=by_largest(BIAS.N, "j"),
            ),
            nearby(constants, "A factor for each key is not one for each row.", lhs=by_key()),
            *(
                nearby(claim, "A bias that moves with its tokens shows nothing.", lhs=claim.rhs)
                for claim in shown
            ),
        ),
        source="biases of the scores: Raffel et al. 2020, section 2.1; Press et al. 2022",
        citations=("raffel2020", "press2022"),
        show=show(
            *SELF.named("QKVS"),
            *here,
            Named("D", BIAS.D, "i", "j"),
            Named("N", BIAS.N, "i", "j"),
            Named("D_N", by_largest(BIAS.N, "j"), "i", "j"),
            Named("A_f", SCALED, "i", "j"),
            *images,
            alike=({"X'": "X"} | pairs,),
        ),
        cited=dict.fromkeys("QKV", "qkv_equivariant") | {"S": "scores_conjugate"},
        pushed=(kept.pushed,),
    )


def broken_halves(if_kept: Claim, only_if: Claim) -> tuple[Neighbour, Neighbour]:
    """The false statements next to the two halves."""
    (condition,) = if_kept.statement.given - only_if.statement.given
    return (
        nearby(
            if_kept, "Without the condition a bias that stays shows the order.",
            given=if_kept.statement.given - {condition},
        ),
        nearby(
            only_if, "A bias that σ keeps shows nothing.",
            given=only_if.statement.given - {condition.opposite()} | {condition},
        ),
    )  # fmt: skip


def by_key() -> Term:
    """The weights where the factor belongs to the key."""
    return masked_softmax(SELF.S, multiply(c.rename({"i": "j"}), G), "j")


def witnesses(name: str, at: tuple[int, ...]) -> Iterator[Witness]:
    """For every σ outside the group: W_Q = 0, and the value 1 at the token that is read where the
    weights differ. The bias is in units of ln 2, with integers where the scheme has multiples of a
    slope."""
    for size in at:
        layer = symmetry.of_scheme(position(name, size))
        for s in itertools.permutations(range(size)):
            found = outside(layer, s, name)
            if found is not None:
                x = [[int(k == s[_column(found.witness)])] for k in range(size)]
                weights = {"W_Q": [[0]], "W_K": [[0]], "W_V": [[1]]}
                widths = {"d": 1, "d_k": 1, "d_v": 1}
                yield Witness({"n": size, **widths}, {"sigma": s}, {"X": x, **weights})


def _column(w: GroupWitness) -> int:
    """Where the weights of a row differ."""
    if not isinstance(w, WeightsWitness):
        raise TypeError(f"given a witness of {w.kind}, expected one of weights")
    return w.column


def _by_entries(s: Statement) -> Evidence:
    """By entries that are simplified, at two choices of sizes."""
    tried = {"n": 2, "d": 1, "d_k": 2}, {"n": 3, "d": 2, "d_k": 1}
    return entrywise(s, "=", same_simplified, [(each, {}) for each in tried])


def _reference(t: Inputs) -> NDArray[Any]:
    q, k, v = (t["X"] @ t[name] for name in ("W_Q", "W_K", "W_V"))
    return reference_sets.weighted_attention(q, k, v, t["G"])


if __name__ == "__main__":
    main(__spec__)
