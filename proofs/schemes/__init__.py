"""The schemes

Given a position scheme: which symmetries does it leave to attention, and at how many tokens does it
first break the others?
"""
