"""What the terminal shows of a theorem: every part of it, within 80 columns."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orderproof.check.page import TheoremPage
from orderproof.check.prove.checking import check
from orderproof.commands import terminal
from orderproof.proofs.catalogue import IDS
from tests.judged import loaded


def shown(name: str) -> tuple[TheoremPage, str]:
    """A theorem's page, its marks left out, and its text."""
    theorem = loaded(name)
    page = check(replace(theorem, claims=tuple(replace(c, marks={}) for c in theorem.claims)))
    return page, terminal.theorem(page)


def too_wide(text: str) -> list[str]:
    """The lines that a terminal of 80 columns would break somewhere."""
    return [line for line in text.splitlines() if len(line) > 80]


QUICK = ("sum_act", "self_attention_equivariant")


@pytest.mark.parametrize(
    "name", [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in IDS]
)
def test_a_theorem_fits_the_terminal(name: str) -> None:
    """A line would be broken at the edge, or a part of a formula lost when it is wrapped."""
    page, text = shown(name)
    assert too_wide(text) == []
    flat = " ".join(text.split())
    for f in (
        *filter(None, [page.given]),
        *page.where,
        *(x.formula for s in page.sections for x in s.lines),
    ):
        assert " ".join(f.plain.split()) in flat
    for section in page.sections:
        assert f"\n{section.title}\n" in text


def test_a_line_that_is_too_wide_is_noticed() -> None:
    """The test above would pass whatever is printed."""
    page, _ = shown("sum_act")
    assert too_wide(terminal.theorem(replace(page, title="x" * 90))) == ["x" * 90]


def test_what_stands_between_two_commas_is_not_broken() -> None:
    """A line would end after W ∈, or between the braces of {1, …, n}."""
    parts = ", ".join(f"W_{k} ∈ ℝ^(d×d)" for k in range(9)) + ", f: {1, …, n} → {1, …, m}"
    lines = terminal._formula(parts).splitlines()
    assert len(lines) == 3
    assert all(line.endswith(",") for line in lines[:-1])
    assert all(line.startswith("    ") for line in lines[1:])
    assert terminal._formula("a, " + "b " * 90).count("\n") == 2  # too long to be kept whole
    nested = " ".join(f"A[σ({k}), f(i, j)] = {k} ⇒" for k in range(9))
    lines = terminal._formula(nested).splitlines()
    assert len(lines) > 2 and all(x.count("[") == x.count("]") for x in lines)
    long = "Σ_i ([i ≤ a] / (1 + Σ_j [j ≤ a])) 1 ≠ Σ_i ([i ≤ b] / (1 + Σ_j [j ≤ b])) 1"
    assert terminal._formula(f"proved: {long}").splitlines()[1].strip().startswith("≠ Σ_i ([i ≤ b]")
