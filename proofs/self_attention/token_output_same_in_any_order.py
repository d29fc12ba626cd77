"""A token's output is the same vector wherever the token stands.

After a permutation, the token that stood at place i stands at σ⁻¹(i). Its output there is the
output that it had: it depends on the token itself and on the others as a multiset, not on places.
"the cat chased the dog" and "the dog chased the cat" give "cat" the same vector, digit by digit.
"""

from orderproof.proofs.prelude import *
from orderproof.proofs.shared.cat_and_dog import REORDERED, one_token


@theorem(
    title="The output of a token does not depend on the order of the tokens",
    words=(
        "Whatever the position of a token, its output is the same vector.",
        Sentence(
            "So of the other tokens the output depends on their multiset, not on their order.", ()
        ),
    ),
    source="Why positionnal Embedding Matters?",
    uses=("self_attention_equivariant",),
)
def token_output_same_in_any_order() -> Proof:
    pushed = pushing(SELF.Z, TOKENS)
    back = {0: inverse(sigma)(0)}
    put = kernel.cong(at(pushed.theorem.lhs, back), [pushed.theorem])
    there = kernel.at_at(SELF.Z.rename({"i": 0, "r": 1}), {0: sigma(0)}, back)
    marks = {"sympy": by_sympy, "numeric": by_numpy(), "exact": by_exact(REORDERED)}
    came = chain(put, there)
    claim = equality(at(image(SELF.Z, TOKENS), {"i": inverse(sigma)("i")}), SELF.Z, came, marks)
    return Proof(
        claims=in_rocq("token_output_same_in_any_order", claim),
        derivation="""
            Z′[σ⁻¹(i), r] = Z[σ(σ⁻¹(i)), r]   Z′ = P Z (self_attention_equivariant)
                          = Z[i, r]           composition of maps
        """,
        planted=nearby(
            claim,
            "Another token is now at position i, and row i is its output.",
            lhs=image(SELF.Z, TOKENS),
        ),
        show=show(*SELF.named()),
        primes=(pushed,),
        chains=((Named("The output of the token at its new position", SELF.Z), came),),
        lemmas={pushed.theorem: "Z′ = P Z (self_attention_equivariant)"},
        examples=(one_token(),),
    )
