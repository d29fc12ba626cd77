"""The front page's four questions, answered in sentences of theorems, and its list by chapter.

A question names theorems and sentences of theirs; no answer is typed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from orderproof.check.page import WEAKEST_FIRST, TheoremPage
from orderproof.proofs.catalogue import chapters

from .facts import outcome

QUESTIONS: tuple[tuple[str, tuple[tuple[str, int], ...]], ...] = (
    (
        "Does attention see the order of its tokens?",
        (
            ("self_attention_equivariant", 0),
            ("encoder_equivariant", 0),
            ("not_invariant_self_attention", 0),
            ("pooled_encoder_invariant", 0),
            ("two_causal_layers_see_order", 0),
        ),
    ),
    (
        "What do positions add?",
        (
            ("additive_position_iff", 0),
            ("additive_position_iff", 1),
            ("score_bias_iff", 0),
            ("rope_relative_score", 0),
            ("positions_that_travel", 0),
        ),
    ),
    (
        "Does position survive the first layer?",
        (
            ("position_after_first_layer_contracts", 2),
            ("position_after_first_layer_skip", 1),
            ("position_after_first_layer_cancels", 0),
            ("position_after_first_layer_uniform", 0),
        ),
    ),
    (
        "Does generation depend on the order of the prompt?",
        (
            ("generation_order_independent", 0),
            ("generation_order_independent", 3),
            ("generation_order_independent", 4),
            ("documents_in_parallel", 1),
        ),
    ),
)


class BadAnswer(ValueError):
    """A sentence of an answer that is not there, or that no claim says."""


@dataclass(frozen=True)
class Said:
    """A sentence of an answer: its theorem, the claims (numbered from 1) that say it, the weakest
    verdict of these as a class, and what is to be said of that if it is not proved."""

    theorem: str
    text: str
    claims: tuple[int, ...]
    verdict: str
    unproved: str = ""


@dataclass(frozen=True)
class Answered:
    """A question with the sentences that answer it."""

    question: str
    said: tuple[Said, ...]


Rows = Sequence[tuple[str, Sequence[tuple[str, int]]]]


def answered(pages: Mapping[str, TheoremPage], rows: Rows = QUESTIONS) -> list[Answered]:
    """The questions; of those with a theorem that is not among the pages, none. BadAnswer for a
    sentence that no claim says."""
    found = []
    for question, cited in rows:
        if all(name in pages for name, _ in cited):
            found.append(Answered(question, tuple(_said(pages[name], k) for name, k in cited)))
    return found


def _said(page: TheoremPage, k: int) -> Said:
    if not 0 <= k < len(page.words) or not page.words[k][1]:
        raise BadAnswer(f"{page.id}: given sentence {k}, expected one that claims say")
    text, claims = page.words[k]
    weak = min((page.claims[c] for c in claims), key=lambda c: WEAKEST_FIRST.index(c.verdict))
    said = "" if weak.verdict == "proved" else outcome(weak)
    return Said(page.id, text, tuple(c + 1 for c in claims), weak.shade, said)


def by_chapter(pages: Sequence[TheoremPage]) -> list[tuple[str, list[TheoremPage]]]:
    """The theorems below the titles of their chapters."""
    found = ((c.title, [p for p in pages if p.id in c.theorems]) for c in chapters())
    return [(title, below) for title, below in found if below]
