"""Sentences that people quote

Which of the sentences that one reads about attention and order are true as they stand? Few, and the
reasons are nearly always the same three. “Invariant” is said where “equivariant” is meant. “Will be
different” is said where some weights make a difference and others do not. And a sentence that is
true of one layer, or without a mask, is said of Transformers.
"""
