"""Offsets, sinusoids, rotary positions

A position term breaks the symmetry of all permutations. Is there a symmetry that it leaves: does a
model notice when all positions are counted from further on?
"""

THEOREMS = (
    "offset_invariant_of_alibi",
    "sinusoidal_shift_is_rotation",
    "sinusoidal_rows_distinct",
    "not_equivariant_of_sinusoidal_position",
    "rope_relative_score",
    "offset_invariant_of_relative_positions",
    "not_offset_invariant_of_added_rows",
    "not_equivariant_of_rotary_positions",
    "equivariant_of_equal_position_ids",
)
