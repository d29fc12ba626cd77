"""The table of prompts whose order matters shows what the model's term gives."""

from fractions import Fraction

import pytest

from orderproof.proofs.book import prompts
from orderproof.proofs.shared.documents_broken import BROKEN


def test_each_prompt_has_a_row_in_which_the_query_reads_two_numbers() -> None:
    """A row would show the same number twice, and so no prompt whose order matters; or a hypothesis
    would have no prompt."""
    rows = prompts.table().rows
    assert len(rows) == len(BROKEN) == len(prompts.BROKEN_BY)
    read = [tuple(getattr(row[k], "plain", row[k]) for k in (3, 6)) for row in rows]
    assert all(first != second for first, second in read)
    assert (str(Fraction(55, 18)), str(Fraction(49, 18))) in read


def test_a_prompt_that_is_not_broken_shows() -> None:
    """A prompt with equal outputs would go unnoticed, were both numbers read from one order."""
    first = BROKEN[0]
    still = type(first)(**{**vars(first), "tokens": [1, 1], "looking": 0})
    row = prompts._row(still)
    assert row[3] == row[6]
    with pytest.raises(KeyError):
        prompts._row(type(first)(**{**vars(first), "dropped": "nothing"}))
