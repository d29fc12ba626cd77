"""A trained encoder, with its positions and without. Runs without the calculus, but for confirm."""
