"""Self-attention is permutation equivariant

Write the tokens of a sentence as the rows of a matrix and shuffle the rows. What happens to the
output of self-attention? The answer of this chapter: the rows of the output are shuffled in the
same way, and nothing else happens.
"""

THEOREMS = (
    "sum_act",
    "perm_transpose_mul",
    "qkv_equivariant",
    "scores_conjugate",
    "softmax_conjugate",
    "softmax_row_stochastic",
    "softmax_shift_invariant",
    "attention_weights_conjugate",
    "self_attention_equivariant",
    "token_output_same_in_any_order",
)
