"""The Rocq development, how it is compiled, and the propositions that are put before it."""
