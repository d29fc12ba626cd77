"""Sources to the letter: spans as they stand there, in their order, by the key in references.bib.

Two asterisks on either side are the source's emphasis. What stands in quotation marks in a chapter,
in a row of quoted.py or in the source of a theorem is part of a span, or of the book's own phrases
that a test lists; […] marks what is left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

OMITTED = "[…]"
FIRST_LINE = "an earlier first line of this project"

SPANS: Mapping[str, tuple[str, ...]] = {
    "s0": (
        "Transformer architecture (without position embedding) is by the very construction "
        "equivariant to the permutation of tokens.",
        "Without the positional embedding (learned of fixed), that breaks permutation symmetry to "
        "translational there is no notion of location.",
        "However, I wonder, whether this notion makes sense after the first self-attention layer.",
        "So, I wonder, whether the notion of position (absolute or relative) still makes sense in "
        "this case?",
        "My guess is, that since Transformers involve skip connections, these transfer the notion "
        "of the location to the next layers. But this depends on the relative magnitude between "
        "the activation of the given self-attention layer and the skip-connections",
        "Attention mechanism solves this problem by allowing the decoder to “look-back” at the "
        "encoder's hidden states based on its current state.",
        "But what about fully encoder architectures? Like ViTs in computer vision?",
        "There are multiple of them, hence the question remains.",
    ),
    "s1": (
        "Positional embeddings are crucial for transformers. Without them, the model is "
        "fundamentally **permutation invariant**, meaning it treats the input as a "
        '"bag of words" rather than an ordered sequence.',
        "The attention scores will be different because they are calculated using these "
        "position-aware vectors.",
        'The Query, Key, and Value vectors for "cat" will be different in each sentence.',
        "This property is known as **permutation equivariance**.",
        "the transformer requires positional embeddings to break this symmetry and understand "
        "sequential information.",
    ),
    "s2": (
        "I have found in some articles “explaining” the paper that these three Q,K,V are actually "
        "the same input matrices.",
        "First just for clarification, Q,K and V don’t need to be the same.",
        "Then why do we say that the word order is not preserved in self-attention?",
        "attention doesn’t “send” sequential information to the next layer (e.g. in transformer, "
        "the “add&norm” layer will lose the sequential information).",
    ),
    "s3": (
        "where $e()$ denotes the embedding vector (or more generally, the hidden state) of a token",
        "The softmax function normalizes each row of the attention matrix: softmax(q × kᵀ) × v",
        "The final output is: q(C)·k(A) v(A) + q(C)·k(B) v(B) + q(C)·k(C) v(C)",
        "which has the exact same value as before because the summation operation does not depend "
        "on the order of its inputs",
    ),
    "vaswani2017": (
        "Since our model contains no recurrence and no convolution, in order for the model to make "
        "use of the order of the sequence, we must inject some information about the relative or "
        "absolute position of the tokens in the sequence.",
    ),
    "dufter2022": (
        "By definition, a Transformer is invariant with respect to reordering of the input.",
    ),
    "zuo2024": (
        "the prediction for output token n+1 of Transformer architectures without one of the "
        "mechanisms of positional encodings and causal attention is invariant to permutations of "
        "input tokens 1, 2, ..., n-1.",
    ),
    "irie2025": (
        "Do autoregressive Transformer language models require explicit positional encodings "
        "(PEs)? The answer is ‘no’ provided they have more than one layer—they can distinguish "
        "sequences with permuted tokens without the need for explicit PEs.",
        "(in contrast, one-layer models require PEs to discern order information of their inputs)",
    ),
    "haviv2022": (
        "We conjecture that causal attention enables the model to infer the number of predecessors "
        "that each token can attend to, thereby approximating its absolute position.",
    ),
    FIRST_LINE: (
        "Attention cannot see the order of its tokens. What it sees of order is exactly what you "
        "did not permute.",
    ),
}


def quotes(text: str, source: str) -> bool:
    """Whether a text stands so in a source: its parts around […] in spans, one after the other."""
    spans, start, k = SPANS.get(source, ()), 0, 0
    for part in map(str.strip, text.split(OMITTED)):
        # It neither begins nor ends within a word: "variant" is none of "invariant".
        before, after = (r"\b" if c.isalnum() else "" for c in (part[:1], part[-1:]))
        whole, found = re.compile(f"{before}{re.escape(part)}{after}"), None
        while part and k < len(spans) and found is None:
            found = whole.search(spans[k], start)
            k, start = (k, found.end()) if found else (k + 1, 0)
        if found is None:
            return False
    return True
