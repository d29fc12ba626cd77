"""What a person may have meant by a name that is not known. Standard library alone."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping

MOST = 5  # names that a suggestion lists


def suggestion(given: str, known: Mapping[str, str], otherwise: str = "") -> str:
    """The known names that contain each word of what was given, then those whose description does;
    else the nearest in spelling; else what is said otherwise, by default that one of all names was
    expected."""
    words = re.findall(r"[^\W_]+", given.casefold())
    by_name = [name for name in known if all(w in name.casefold() for w in words)]
    by_text = [
        name
        for name, text in known.items()
        if name not in by_name and all(re.search(rf"\b{w}", text.casefold()) for w in words)
    ]
    found = [*by_name, *by_text] if words else []
    found = found or difflib.get_close_matches(given, known, 1)
    if not found:
        return otherwise or f"expected one of: {', '.join(known)}"
    more = f" (and {len(found) - MOST} more)" if len(found) > MOST else ""
    which = "one of " if len(found) > 1 else ""
    return f"did you mean {which}{', '.join(found[:MOST])}{more}?"
