"""What attention can tell apart

Two tokens, in one input or in two: do any weights, any widths and any row-wise maps give them
different rows after a given number of layers?
"""

THEOREMS = (
    "attention_is_colour_refinement",
    "two_causal_layers_see_everything",
    "output_differs_of_weights",
    "output_differs_of_rows",
    "output_differs_of_rotations",
    "output_differs_of_relative_keys",
    "output_differs_of_columns",
)
