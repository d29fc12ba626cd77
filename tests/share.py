"""The share of slow tests that one run of CI draws: by the seed and a test's name alone."""

from __future__ import annotations

from hashlib import sha256


def is_drawn(name: str, seed: str, share: int) -> bool:
    """Whether a test is among one in `share`."""
    return int(sha256(f"{seed} {name}".encode()).hexdigest(), 16) % share == 0
