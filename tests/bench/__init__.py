"""The bench: one module for each kind of comparison."""
