"""Notation

What does a formula mean, letter by letter? This chapter fixes the letters once; a theorem says only
what it uses beyond them.
"""
