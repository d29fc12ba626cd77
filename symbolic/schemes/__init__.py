"""Position schemes, their symmetries, and the searches for what breaks them."""
