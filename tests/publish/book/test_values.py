"""What a letter stands for, and the exact values of a term, as formulas of prose."""

from orderproof.check.claims import Named
from orderproof.publish.book.formulas.causal import AVERAGE, FOUR, SHOW, THREE, E, M, column
from orderproof.publish.book.formulas.values import Meaning, Valued
from orderproof.symbolic.schemes.running_means import stacked


def test_values_are_those_of_the_term() -> None:
    """A printed matrix would have other entries than the term, or rows for columns."""
    square = Valued(stacked(M, M), SHOW, THREE, "i", "j").printed()
    assert square.plain == "M M = (1, 0, 0; 3/4, 1/4, 0; 11/18, 5/18, 1/9)"
    turned = Valued(stacked(M, M), SHOW, THREE, "j", "i").printed()
    assert turned.plain == "(M M)ᵀ = (1, 3/4, 11/18; 0, 1/4, 5/18; 0, 0, 1/9)"
    binomials = Valued(E, SHOW, FOUR, "i", "j").printed()
    assert binomials.plain == "E = (1, 0, 0, 0; 1, -1, 0, 0; 1, -2, 1, 0; 1, -3, 3, -1)"
    assert r"\begin{pmatrix}1 & 0 & 0 & 0 \\" in binomials.latex


def test_a_column_lies_on_its_side() -> None:
    """A column of values would print as if it were the tensor, not its transpose."""
    first, second = (Valued(AVERAGE, SHOW, column(3, k), "i", "c").printed() for k in (0, 1))
    assert first.plain == "(M X)ᵀ = (1, 1/2, 1/3)"
    assert second.plain == "(M X)ᵀ = (0, 1/2, 1/3)"


def test_a_letter_means_its_own_term() -> None:
    """E would be said to be what another letter stands for, or E itself."""
    shown = Meaning(Named("E", E, "i", "j"), SHOW).printed()
    assert shown.plain == "E[i, j] = (-1)^j C(i, j)"
    assert shown.latex == r"E_{ij} = (-1)^{j}\,\binom{i}{j}"
    other = Meaning(Named("M", M, "i", "j"), SHOW).printed()
    assert other.plain == "M[i, j] = [j ≤ i] / (Σ_k [k ≤ i])"
