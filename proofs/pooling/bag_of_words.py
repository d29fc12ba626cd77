"""The mean of the outputs of self-attention depends on the multiset of the tokens alone.

The rows of the output move with the tokens (self_attention_equivariant), and their mean does not
depend on their order. Two sequences with the same tokens, each as often, are permutations of one
another.
"""

from orderproof.proofs.prelude import *
from orderproof.proofs.shared.cat_and_dog import REORDERED, pooled
from orderproof.symbolic.models.attention import attention

KEYS_ALONE = attention(SELF.Q, moved(SELF.K, j=sigma), SELF.V, "j", "k")
z = mean(SELF.Z, "i")  # self-attention, and the mean of its rows


@theorem(
    title="The mean output of self-attention is permutation invariant",
    words=(
        "Permuting the tokens does not change the mean of the outputs of self-attention.",
        Sentence(
            "Two sequences with the same tokens, each as often, are permutations of one "
            "another: so the mean depends on the multiset of the tokens alone."
        ),
    ),
    source="Why positionnal Embedding Matters?; Zaheer et al. 2017, theorem 2",
    citations=("zaheer2017",),
    uses=("self_attention_equivariant", "pooling_invariant", "sum_act"),
)
def bag_of_words() -> Proof:
    numeric = by_numpy(
        lambda t: np.mean(
            reference.attention.self_attention(t["X"], t["W_Q"], t["W_K"], t["W_V"]), axis=0
        )
    )
    marks = {"sympy": by_sympy, "exact": by_exact(REORDERED), "numeric": numeric}
    claim = equivariance(z, TOKENS, {}, marks, over=sizes({n: 1}))  # the mean of nothing is none
    return Proof(
        claims=in_rocq("bag_of_words", claim),
        derivation="""
            z′[r] = (Σ_i Z′[i, r]) / n     by definition
                  = (Σ_i Z[σ(i), r]) / n   Z′ = P Z (self_attention_equivariant)
                  = (Σ_i Z[i, r]) / n      sum_act
                  = z[r]                   by definition
        """,
        planted=nearby(
            claim,
            "If the keys alone are permuted, a weight multiplies the value of another token.",
            lhs=mean(KEYS_ALONE, "i"),
        ),
        show=show(Named("Z", SELF.Z, "i", "r"), Named("z", z)),
        cited={"Z": "self_attention_equivariant"},
        titles={"z": "The mean after self-attention"},
        examples=(pooled(z),),
    )
