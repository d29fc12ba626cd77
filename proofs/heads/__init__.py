"""Heads, norms, blocks, every depth

A Transformer is more than one head of attention. It has many heads, which may share their keys;
residuals, normalisations and feed-forward maps; a choice of where the norms stand; many layers; and
there are models that replace softmax by something cheaper. Does any of these see the order of the
tokens? Each could: it is enough that one part treats row 3 in another way than row 5. This chapter
goes through the parts one by one, and then puts them together.
"""

THEOREMS = (
    "multi_head_equivariant",
    "row_wise_equivariant",
    "norms_equivariant",
    "encoder_block_equivariant",
    "every_depth",
    "encoder_equivariant",
    "kernel_attention_equivariant",
    "linear_attention_equivariant",
    "random_features_equivariant",
    "sigmoid_attention_equivariant",
)
