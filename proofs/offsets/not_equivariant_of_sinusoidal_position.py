"""The sinusoidal table can show the order, at its true frequencies.

Its entries are sines and cosines, so both sides are enclosed in intervals, and the enclosures do
not meet: the difference is not zero.
"""

from orderproof.proofs.prelude import *
from orderproof.proofs.shared.position_theorems import E, refuted
from orderproof.symbolic.schemes.tables import FEATURES
from orderproof.symbolic.schemes.tables import TOKENS as PLACES

SINE, COSINE = (pointwise(f, iota(PLACES, "i")) for f in ("sin", "cos"))  # the first frequency is 1
SECOND = pointwise("at_most", number(1), iota(FEATURES, "k"))
SINES = Atom(E, "=", add(SINE, multiply(SECOND, subtract(COSINE, SINE))))  # one or two features


@theorem(
    title="Self-attention with the sinusoidal table need not be equivariant",
    words="For n = 2, 3 and d = 1, 2 there are tokens, weights and a permutation with f(PX) ≠ P "
    "f(X) for the table of sines and cosines.",
    source="sinusoidal positions: Vaswani et al. 2017, section 3.5",
    citations=("vaswani2017",),
    uses=("equivariant_of_fixed_position_table",),
)
def not_equivariant_of_sinusoidal_position() -> Proof:
    return refuted("sinusoidal", "interval", given=[SINES])
