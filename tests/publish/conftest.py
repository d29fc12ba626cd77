"""Chapters for the tests of book and site: few theorems, and every slot that prints one."""

from __future__ import annotations

import pytest

from orderproof.publish.chapters import Text

FIRST = Text(
    "01_first",
    "First",
    "A sum, and *attention* of A and B.",
    ("sum_act", "self_attention_equivariant"),
    """A **permutation** σ of X. See self_attention_equivariant and {cite s1}.

{lemma sum_act}

{proof sum_act}

{theorem self_attention_equivariant}

{proof self_attention_equivariant}

{variant self_attention_equivariant}

{example self_attention_equivariant 1}

In a line {claim sum_act 1}, displayed
{claim self_attention_equivariant 2}
""",
)
SECOND = Text(
    "02_second",
    "Second",
    "A table.",
    ("not_equivariant_of_learned_position",),
    """{proposition not_equivariant_of_learned_position}

{proof not_equivariant_of_learned_position}

{evidence}

{trust}
""",
)


@pytest.fixture
def two() -> tuple[Text, ...]:
    """Two chapters that print three theorems."""
    return FIRST, SECOND
