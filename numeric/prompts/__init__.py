"""Which segments of a prompt can be reordered, and witnesses where they cannot."""
