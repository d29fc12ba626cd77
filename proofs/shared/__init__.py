"""Symbols, models and arguments that several theorem files share. Imports no theorem file."""
