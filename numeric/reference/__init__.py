"""Attention written from the papers, in NumPy alone. Imports nothing else of the project."""
