"""Whether a certificate is, byte for byte, a question made from the statements that it names."""

from __future__ import annotations

from itertools import zip_longest

from .certificate import ABOUT, MODEL, SERVES, lines_of

STATED, MISSTATED = "stated", "misstated"
SHOWN = 60  # characters of a line in a message


def compared(text: str) -> tuple[str, str]:
    """STATED if a certificate is, byte for byte, what is made anew from the statements that its
    header carries; else MISSTATED and where. What its header says it is about is taken as given,
    and so is its model."""
    from .chain import Served, regenerated

    found = lines_of(text, (*ABOUT, MODEL))
    (name, *_), serves = found.pop("obligation") or ("",), found[SERVES]
    for line in serves:
        try:
            made = regenerated(Served.of(line))
        except ValueError as error:
            return MISSTATED, f"no chain of the statement that it serves: {error}"
        if name not in made:
            return MISSTATED, f"no question {name[:SHOWN]!r} of the statement that it serves"
        if wrong := first_difference(text, made[name].smtlib(found)):
            return MISSTATED, f"another question than that of the statement that it serves: {wrong}"
    return (STATED, "") if serves else (MISSTATED, f"a header without {SERVES!r}")


def first_difference(given: str, expected: str) -> str:
    """The first line in which a text is another than expected; nothing if it is the same."""
    if given == expected:
        return ""
    at = next(k for k, (a, b) in enumerate(zip_longest(given, expected)) if a != b)
    start = max(given.rfind("\n", 0, at) + 1, at - SHOWN // 3)  # a line may be long
    shown = (repr(x[start : start + SHOWN].partition("\n")[0]) for x in (given, expected))
    return "line {}: given {}, expected {}".format(given.count("\n", 0, at) + 1, *shown)
