"""Theorems by pushing, selecting and rewriting: all through the kernel, no solver."""
