"""Does position survive depth?

The position table is added before the first layer, and never again. What is left of it after the
first layer, and after the twenty-fourth?
"""

THEOREMS = (
    "attention_contracts",
    "position_after_first_layer_contracts",
    "position_after_first_layer_uniform",
    "position_after_first_layer_skip",
    "position_after_first_layer_cancels",
)
