"""Chapters for the book's tests: few theorems, and every function that prints one."""

from __future__ import annotations

import pytest

from orderproof.publish.book.prose import Chapter

FIRST = Chapter(
    "01_first",
    source=r"""\chapter{<< title() >>}\label{ch:first}
<< introduction() >>
A permutation $\sigma$ of $X$.\index{permutation}
See <<ref("self_attention_equivariant")>> and <<cite("s1")>>.
<< lemma("sum_act") >>
<< proof("sum_act") >>
<< theorem("self_attention_equivariant") >>
<< begin_proof() >> In words. << section("self_attention_equivariant", "The output") >>
<< end_proof("self_attention_equivariant") >>
<< variant("self_attention_equivariant") >>
<< example("self_attention_equivariant", 1) >>
In a line << inline("sum_act", 1) >>, displayed << claim("self_attention_equivariant", 2) >>
""",
    title="First",
    introduction="A sum, and *attention* of A and B.",
    theorems=("sum_act", "self_attention_equivariant"),
)
SECOND = Chapter(
    "02_second",
    source=r"""\chapter{<< title() >>}\label{trust}
<< introduction() >>
<< proposition("not_equivariant_of_learned_position") >>
<< proof("not_equivariant_of_learned_position") >>
<< evidence() >>
<< trust() >>
""",
    title="Second",
    introduction="A table.",
    theorems=("not_equivariant_of_learned_position",),
)


@pytest.fixture
def two() -> tuple[Chapter, ...]:
    """Two chapters that print three theorems."""
    return FIRST, SECOND
