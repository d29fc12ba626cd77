"""Scripts that make the bank's models: run with PyTorch, never by the tests."""
