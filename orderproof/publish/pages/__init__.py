"""Statements, definitions and derivations printed, from the terms that are checked."""
