"""Masks and causal stacks

A causal mask lets each token look at itself and at those before it. Nothing is added to the tokens,
no table of positions is stored. Is a causal mask a position term all the same? How much of the
order does the last token see after one layer, after two, after any number of them? And can such a
model know the order of its whole prompt?
"""

THEOREMS = (
    "mask_transport",
    "equivariant_of_fixed_mask",
    "causal_last_token_invariant",
    "not_equivariant_of_causal_mask",
    "not_decoder_block_equivariant_of_causal_mask",
    "two_causal_layers_see_order",
    "causal_weights_at_every_depth",
    "causal_variance",
    "constant_sequence_blind",
    "causal_position_recoverable",
)
