"""Cross-attention, the cache, and the order of the prompt

A decoder looks back at a memory: at the outputs of an encoder, or at its own cache of keys and
values. Take a step of generation in which the token C looks at the cached pairs of A and B, in this
order: the cache [A, B]. Is it the same step with the cache [B, A]? And if it is, does the answer of
a language model not depend on the order of its prompt?
"""

THEOREMS = (
    "cross_attention_equivariant",
    "not_cross_attention_of_keys_alone",
    "multi_head_cross_attention_equivariant",
    "generation_order_independent",
    "decoder_block_invariant_of_memory",
    "decoder_invariant_of_memory",
    "encoder_decoder_invariant_of_source",
    "decoder_block_equivariant_without_mask",
    "decoder_equivariant_without_mask",
)
