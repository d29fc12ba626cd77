"""What the site says of itself: its slogan, what it is, and how to cite it."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from importlib.metadata import version

from orderproof.check.prove.trust import SHARED, VERDICTS, joins
from orderproof.publish.front import LIMITED, SLOGAN

ABOUT = (
    "Each architecture here is written once, as a term of a small calculus of tensors with named "
    "axes. Each derivation is printed from the theorem that a kernel checked; each counterexample "
    "was replayed in exact arithmetic, or separated from zero by intervals."
)
TRUST = (
    "A mark belongs to one claim and names one layer. Layers are never added up into one word: "
    "which of them to believe is the reader's choice. For each, this is who is trusted."
)


class BadDate(ValueError):
    """A date that is not one."""


@dataclass(frozen=True)
class Front:
    """The words that all pages share."""

    version: str
    date: str  # as people write it
    cite: str
    slogan: str = SLOGAN
    subtitle: str = LIMITED
    about: str = ABOUT
    trust: str = TRUST
    verdicts: str = VERDICTS
    shared: str = SHARED

    @property
    def joins(self) -> str:
        """What is trusted for every mark."""
        return joins()


def front(date: str) -> Front:
    """The words, for a date as 2026-11-21. Raises BadDate."""
    try:
        day = datetime.date.fromisoformat(date)
    except ValueError:
        raise BadDate(f"date {date!r}: expected year-month-day, as 2026-11-21") from None
    release = version("orderproof")
    return Front(
        release,
        f"{day.day} {day:%B %Y}",
        "The orderproof authors. orderproof: what attention sees of the order of its tokens, "
        f"derived and machine-checked. Version {release}, {day.year}.",
    )
