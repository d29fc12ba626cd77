"""Chains of lemmas, certificates, and the solvers that recheck them. Imports no reading."""
