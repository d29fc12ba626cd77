"""What is not proved

What does this book leave open? Three kinds of things: a conjecture, what exact real numbers are
silent about, and what stands outside of the models that it speaks of.
"""
