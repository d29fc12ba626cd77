"""Prompts of documents for which the order matters, as a table: each in both orders, and what the
query after them reads, computed exactly from the model's term.
"""

from __future__ import annotations

from collections.abc import Sequence

from orderproof.proofs.check.page import Formula, Table
from orderproof.proofs.check.sampling import substituted
from orderproof.proofs.marks.exact import exact_entries, fraction
from orderproof.proofs.shared.documents_broken import BROKEN, Broken

BROKEN_BY = {  # the hypothesis by its word, and how it is broken
    "ids": "ids go on",
    "G": "a document reads the one before",
    "query": "the query's id follows the last",
    "b": "a bias of the place",
    "inside": "another order inside",
    "documents": "two documents become one",
    "E": "rows of the place",
    "e": "the query's row is the last",
    "g": "a mask of the place",
    "B": "a bias of the place inside",
}


def table() -> Table:
    """The prompts of documents_in_parallel_needs_each, a row each."""
    head = ("", "prompt", "ids", "reads", "other order", "ids", "reads")
    return Table(head, tuple(_row(broken) for broken in BROKEN))


def _row(broken: Broken) -> tuple[str | Formula, ...]:
    row: list[str | Formula] = [BROKEN_BY[broken.dropped]]
    tokens = [broken.tokens, [broken.tokens[k] for k in broken.order]]
    second, first = substituted(broken.claim().statement).atom.terms  # position tensors put in
    for k, output in enumerate((first, second)):
        (value,) = exact_entries(output, broken.witness()).values()
        row += [
            _in_documents(tokens[k], broken.documents[k]),
            _in_documents(broken.ids[k], broken.documents[k]),
            fraction(value),
        ]
    return tuple(row)


def _in_documents(numbers: Sequence[int], documents: Sequence[int]) -> str:
    """Numbers of tokens, those of one document together: 1 0 | 2."""
    out = ""
    for k, number in enumerate(numbers):
        if k:
            out += " " if documents[k] == documents[k - 1] else " | "
        out += str(number)
    return out
