"""Attention with a score bias commutes with P if and only if P fixes the bias up to row constants.

A bias B is written as weights G = exp B ≥ 0 on exp(s), so that −∞ is the weight 0, and some weight
of each row is positive. Softmax divides by the sum of a row, so a factor of a row cancels:
divide each row by its largest entry (B minus its row maximum). If what is left, D, is the same at
(σi, σj) as at (i, j), permuting the tokens permutes the output, whatever the weights. Conversely,
let W_Q = 0: then attention is G alone, its rows divided by their sums, N. Give one token the value
1 and all others 0, and the output shows an entry of N: so if it is permuted for every such X, N is
the same at (σi, σj) as at (i, j). And N, its rows divided by their largest entries, is D.
"""

from orderproof.proofs.prelude import *

from .score_bias import BIAS, LAYER, Model, commutes_iff_kept, one


@theorem(
    title="Attention with a score bias commutes with P if and only if P D Pᵀ = D",
    words="Let G = exp B ≥ 0 be the weights on the exponentials of the scores, no row all 0, and "
    "D be G with each row divided by its largest entry. Attention commutes with P for all tokens "
    "and projections if and only if P D Pᵀ = D.",
    source="biases of the scores: Raffel et al. 2020, section 2.1; Press et al. 2022",
    citations=("raffel2020", "press2022"),
    uses=("equivariant_of_fixed_mask", "sum_act"),
)
def score_bias_iff() -> Proof:
    """*If.* By score_bias_row_factors attention with D in place of G is the same; and if D is kept,
    equivariant_of_fixed_score_bias applies to it.

    *Only if.* Let all queries be zero. Then all scores are, and attention is G with each row
    divided by its sum, which we call N,
    {no queries}
    so that the two sides, with the permutation first and last, are
    {permuted before}
    {permuted after}
    Let the value of one token be one and that of all others zero. The two sides then show, row by
    row, one column of the matrix that stands before V, with its columns permuted on one side and
    with its rows on the other. If the sides are equal for each choice of that token, N is the same
    at i and j as at their images; and then so is N with each row divided by its largest entry
    (score_bias_row_factors), which is D:
    {shares and largest}
    If therefore D is not kept, one of these tokens is a counterexample.
    """
    return commutes_iff_kept("score_bias_iff", one_head(), LAYER.named())


def one_head() -> Model:
    """Self-attention; W_V is such that each value is the token, times 1."""

    def layers(tokens: Term, mask: Term) -> list[AttentionLayer]:
        return [Attention(tokens, as_keys(tokens), mask=mask)]

    return Model(BIAS, layers, lambda layer: layer.Z, one(d_v, "r"), sizes({d: 1, d_v: 1}))
