"""NumPy evidence: references, trained weights, exact groups. May import symbolic, never proofs."""
