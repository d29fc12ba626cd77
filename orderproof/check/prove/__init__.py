"""Theorems checked: verdicts, results.json, certificates, and what marks ask to be trusted."""
