"""What is suggested for a name that is not known."""

from __future__ import annotations

import pytest

from orderproof.symbolic.suggestions import MOST, suggestion

KNOWN = {"rope": "rotated", "rope-causal": "rotated", "alibi": "a slope, and no rope", "t5": ""}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("causal rope", "did you mean rope-causal?"),
        ("ROPE", "did you mean one of rope, rope-causal, alibi?"),  # names before descriptions
        ("rotat", "did you mean one of rope, rope-causal?"),
        ("otated", "none"),  # a description counts from where a word begins
        ("alibbi", "did you mean alibi?"),
        ("a.*", "did you mean one of rope-causal, alibi?"),  # letters, no pattern
        ("", "none"),
        ("-", "none"),
    ],
)
def test_what_may_be_meant(given: str, said: str) -> None:
    """A part of a name would be answered by nothing, or by names that do not contain it."""
    assert suggestion(given, KNOWN, "none") == said


def test_a_long_list_is_cut() -> None:
    """One line would list the catalogue, or would not say that there are more."""
    many = {f"a{k}": "" for k in range(MOST + 3)}
    assert suggestion("a", many) == "did you mean one of a0, a1, a2, a3, a4 (and 3 more)?"
    assert suggestion("b", {"x": "", "y": ""}) == "expected one of: x, y"
