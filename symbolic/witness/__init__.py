"""Counterexample files and their replay. Standard library alone; no solver, calculus or search."""
