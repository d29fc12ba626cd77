"""Added tables and score biases

Which permutations does attention still not see, once a row is added to every token, or a number to
every score?
"""

THEOREMS = (
    "additive_position_iff",
    "not_equivariant_of_moved_position_table",
    "not_equivariant_of_learned_position",
    "kernel_attention_of_fixed_position_table",
    "uniform_attention_sees_no_table",
    "layer_norm_invariant_of_row_constants",
    "pre_norm_equivariant_of_row_constants",
    "normed_position_iff",
    "not_equivariant_of_normed_position",
    "equivariant_of_fixed_score_bias",
    "score_bias_row_factors",
    "score_bias_iff",
    "score_bias_iff_of_heads",
    "score_bias_iff_of_layers",
    "not_equivariant_of_score_bias",
)
