"""Order enters only through what is not permuted

Chapter after chapter had the same proof: permute the tokens, push the permutation through the
model, and find it on the other side. Then came a causal mask, and the push was stuck at the mask,
which nobody had permuted. Is that all there is? Is it *always* something that was not permuted by
which a model sees order? And if one permutes that too, is the symmetry back, for masks, for
position tables, for whole prompts of documents?
"""

THEOREMS = (
    "naturality",
    "naturality_of_fixed_index",
    "equivariant_of_fixed_position_table",
    "positions_that_travel",
    "documents_in_parallel",
)
