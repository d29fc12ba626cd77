"""The sinusoidal table can show the order, at its true frequencies.

Its entries are sines and cosines, so both sides are enclosed in intervals, and the enclosures do
not meet: the difference is not zero.
"""

from orderproof.proofs.book.script import main
from orderproof.proofs.check.claims import Sentence, TheoremFile
from orderproof.proofs.shared.position_theorems import refuted


def theorem() -> TheoremFile:
    """For n = 2 and 3, d = 1 and 2."""
    return refuted(
        "sinusoidal",
        "interval",
        id="not_equivariant_of_sinusoidal_position",
        title="Self-attention with the sinusoidal table need not be equivariant",
        words=(
            Sentence(
                "For n = 2, 3 and d = 1, 2 there are tokens, weights and a permutation with "
                "f(PX) ≠ P f(X) for the table of sines and cosines.",
                (0,),
            ),
        ),
        source="sinusoidal positions: Vaswani et al. 2017, section 3.5",
    )


if __name__ == "__main__":
    main(__spec__)
