"""The book: one theorem, one file."""
