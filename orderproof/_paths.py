"""Where the package keeps the files that it reads: nothing else computes a folder of another."""

from pathlib import Path

PACKAGE = Path(__file__).parent  # the links in it are followed: symbolic/ is PACKAGE / "symbolic"
PROOFS = PACKAGE / "proofs"
REFERENCES = PROOFS / "references.bib"
ROCQ = PROOFS / "rocq"  # the development's sources, and records of what Rocq printed
