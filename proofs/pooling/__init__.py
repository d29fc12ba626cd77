"""Equivariant is not invariant

The rows of the output move with the tokens: that is what the last chapters proved, and it is
*equivariance*. Often one reads instead that a Transformer is *invariant* under reordering its
input, which would be another property. Has self-attention the second? And if not, what turns the
one into the other?
"""

THEOREMS = (
    "not_invariant_self_attention",
    "pooling_invariant",
    "class_token_invariant",
    "bag_of_words",
    "pooled_encoder_invariant",
)
