"""What is claimed, and the checked rules between statements. No solver, no reading, no mark."""
