"""The front page's four questions, answered in sentences of theorems: no answer is typed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from orderproof.check.page import WEAKEST_FIRST, TheoremPage

from .manifest import outcome
from .model import Verdict

QUESTIONS = {  # theorems and sentences of theirs
    "Does attention see the order of its tokens?": (
        ("self_attention_equivariant", 0),
        ("encoder_equivariant", 0),
        ("not_invariant_self_attention", 0),
        ("pooled_encoder_invariant", 0),
        ("two_causal_layers_see_order", 0),
    ),
    "What do positions add?": (
        ("additive_position_iff", 0),
        ("additive_position_iff", 1),
        ("score_bias_iff", 0),
        ("rope_relative_score", 0),
        ("positions_that_travel", 0),
    ),
    "Does position survive the first layer?": (
        ("position_after_first_layer_contracts", 2),
        ("position_after_first_layer_skip", 1),
        ("position_after_first_layer_cancels", 0),
        ("position_after_first_layer_uniform", 0),
    ),
    "Does generation depend on the order of the prompt?": (
        ("generation_order_independent", 0),
        ("generation_order_independent", 3),
        ("generation_order_independent", 4),
        ("documents_in_parallel", 1),
    ),
}


class BadAnswer(ValueError):
    """A sentence of an answer that is not there, or that no claim says."""


@dataclass(frozen=True)
class Said:
    """A sentence of an answer, its theorem, and the weakest verdict of the claims that say it,
    if that is not proved."""

    theorem: str
    text: str
    weaker: Verdict | None


def answered(
    pages: Mapping[str, TheoremPage],
    questions: Mapping[str, Sequence[tuple[str, int]]] = QUESTIONS,
) -> dict[str, list[Said]]:
    """The questions, but for those with a theorem that is not among the pages. BadAnswer for a
    sentence that no claim says."""
    return {
        question: [_said(pages[name], k) for name, k in cited]
        for question, cited in questions.items()
        if all(name in pages for name, _ in cited)
    }


def _said(page: TheoremPage, k: int) -> Said:
    if not 0 <= k < len(page.words) or not page.words[k][1]:
        raise BadAnswer(f"{page.id}: given sentence {k}, expected one that claims say")
    text, claims = page.words[k]
    weak = min((page.claims[c] for c in claims), key=lambda c: WEAKEST_FIRST.index(c.verdict))
    weaker = None if weak.verdict == "proved" else Verdict(outcome(weak), weak.shade)
    return Said(page.id, text, weaker)
