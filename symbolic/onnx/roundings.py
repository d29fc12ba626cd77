"""From how many roundings on a difference between two outputs counts, and what was measured.

One rounding is 2⁻²³ (float32) or 2⁻⁵² (float64) of the largest entry of the output. This imports
nothing: the page on trust prints these numbers.
"""

from __future__ import annotations

EPS32, EPS64 = 2.0**-23, 2.0**-52
LEAST32, LEAST64 = 1e3, 1e5  # roundings from which on a difference counts
MAGNIFIED, TIMES = 1e-4, 16  # of the scale: precisions this far apart may be further in other draws
HUGE = 1e6  # constants beyond it, masks mostly, absorb other numbers
NUDGES, NUDGE = 8, 1e-3  # changes of an input, and how large they are beside its largest entry

# Over the bank, 137 exports and 131 questions about real architectures, f(PX) and P f(X) were apart
# by so many roundings of float32 and of float64:
INSIDE = (9.3, 15)  # at most, for a permutation that is a symmetry
INSIDE_LARGER = 53  # the same in float32, of inputs that are 8 times as large
OUTSIDE = (2.4e4, 1.3e13)  # at least, for one that is none


def sentence() -> str:
    """Thresholds and measurements, in words."""
    inside, outside = (f"{a:g} and {b:g}" for a, b in (INSIDE, OUTSIDE))
    return (
        f"A difference counts from {LEAST32:,.0f} roundings of float32 on, or {LEAST64:,.0f} of "
        "float64 where all kernels have 64 bits (the others run in float32 there too, those that "
        "sum on numbers that are a little off), and only beyond how far the two precisions are "
        f"apart in any draw, or {TIMES} times that where it is more than {MAGNIFIED:g} of the "
        "largest entry. Measured "
        f"were, in float32 and float64, at most {inside} roundings for permutations that are "
        f"symmetries ({INSIDE_LARGER} in float32 of larger inputs), and at least {outside} for "
        f"others. It has to stay where floats of the input are changed a little, {NUDGES} times, "
        f"and where constants are cut off at {HUGE:g}."
    )
