"""A learned position table can show the order: f(P X) ≠ P f(X) for some table, tokens and weights.

Z3 looks for the tokens, the table and the weights at once, among those whose scores are integer
multiples of ln 2, so that every attention weight is a power of 2 over a sum of powers of 2. What
it finds is replayed in rational arithmetic by code that shares nothing with the search. And for
every n ≥ 2 there is a table that can be told: (1, 0, …, 0), one feature, with all tokens 0.
"""

from orderproof.proofs.prelude import *
from orderproof.proofs.shared.position_theorems import refuted


@theorem(
    title="Self-attention with a learned position table need not be equivariant",
    words=(
        Sentence(
            "For n = 2, 3 and d = 1, 2 there are tokens, a table, weights and a "
            "permutation with f(PX) ≠ P f(X).",
            (0,),
        ),
        Sentence(
            "For d = 1 there are such for every n ≥ 2.",
            (1,),
        ),
    ),
    source="learned positions, added to the tokens: Vaswani et al. 2017, section 3.5",
    citations=("vaswani2017",),
    uses=("equivariant_of_fixed_position_table",),
)
def not_equivariant_of_learned_position() -> Proof:
    return refuted("learned", "exact")
