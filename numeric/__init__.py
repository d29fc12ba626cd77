"""NumPy evidence: references written from the papers, a trained encoder, the numeric marks."""
