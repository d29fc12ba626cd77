"""Four questions, four answers

Transformers read sentences, and a sentence is more than the words in it. Yet the one operation by
which their tokens exchange anything, attention, is a weighted sum, and a sum has no order. Four
questions follow from this, and people ask them again and again. This chapter gives the answers; the
rest of the book gives the reasons.
"""
