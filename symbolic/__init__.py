"""The calculus and everything that may conclude from it."""
