"""Attention with a score bias commutes with P if and only if P fixes the bias up to row constants.

A bias B is written as weights G = exp B ≥ 0 on exp(s), so that −∞ is the weight 0, and some weight
of each row is positive. Softmax divides by the sum of a row, so a factor of a row cancels:
divide each row by its largest entry (B minus its row maximum). If what is left, D, is the same at
(σi, σj) as at (i, j), permuting the tokens permutes the output, whatever the weights. Conversely,
let W_Q = 0: then attention is G alone, its rows divided by their sums, N. Give one token the value
1 and all others 0, and the output shows an entry of N: so if it is permuted for every such X, N is
the same at (σi, σj) as at (i, j). And N, its rows divided by their largest entries, is D.
"""

from dataclasses import replace

from orderproof.proofs.book.script import main
from orderproof.proofs.check.claims import Named, Sentence, TheoremFile, in_rocq
from orderproof.proofs.pages.primes import primed
from orderproof.proofs.shared.bias_models import one_head
from orderproof.proofs.shared.score_bias import BIAS, NAMED, broken_halves, halves
from orderproof.proofs.shared.symbols import TOKENS, show
from orderproof.symbolic.models.builders import image


def theorem() -> TheoremFile:
    """Both halves, for every size."""
    if_kept, only_if = halves(one_head(), "i", "r")
    without, opposite = broken_halves(if_kept, only_if)
    images, pairs = primed(NAMED, (replace(x, term=image(x.term, TOKENS)) for x in NAMED))
    return TheoremFile(
        id="score_bias_iff",
        title="Attention with a score bias commutes with P if and only if P D Pᵀ = D",
        words=(
            Sentence(
                "Let G = exp B ≥ 0 be the weights on the exponentials of the scores, no row "
                "all 0, and D be G with each row divided by its largest entry. Attention "
                "commutes with P for all tokens and projections if and only if P D Pᵀ = D.",
                (0, 1),
            ),
        ),
        claims=in_rocq("score_bias_iff", if_kept, only_if),
        iffs=((0, 1),),
        uses=("equivariant_of_fixed_mask", "sum_act"),
        neighbour=without,
        neighbours=(opposite,),
        source="biases of the scores: Raffel et al. 2020, section 2.1; Press et al. 2022",
        citations=("raffel2020", "press2022"),
        show=show(
            *NAMED,
            Named("D", BIAS.D, "i", "j"),
            *images,
            alike=({"X'": "X"} | pairs,),
        ),
    )


if __name__ == "__main__":
    main(__spec__)
