"""The book: a folder a chapter, in this order, and a file a theorem.

A chapter's `__init__.py` has its title, its introduction, and its theorems in order; chapter.md is
its text. A proof in words is the docstring of its theorem's function, and formulas.py has what such
proofs state besides. No theorem rests on a later one.
"""

CHAPTERS = (
    "four_questions",
    "notation",
    "self_attention",
    "heads",
    "cross_attention",
    "pooling",
    "causal_stacks",
    "naturality",
    "added_and_biases",
    "position_and_depth",
    "refinement",
    "offsets",
    "schemes",
    "sentences",
    "what_is_not_proved",
    "evidence",
)
APPENDIX = "evidence"  # the first chapter that is an appendix
