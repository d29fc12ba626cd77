"""Whether the header of a certificate states what the file asserts, and no other formula."""

from __future__ import annotations

from itertools import zip_longest

from .certificate import SERVES, header_lines

STATED, MISSTATED = "stated", "misstated"


def compared(text: str) -> tuple[str, str]:
    """STATED if all that is given and what is to prove are, as formulas of the text, what the
    header says of them; else MISSTATED and where."""
    import z3

    from .obligation import one_line, written

    if wrong := _bound(text):
        return MISSTATED, wrong
    said = [line for line in header_lines(text) if line[0] in ("given", "to prove")]
    *given, last = z3.parse_smt2_string(text)
    if not z3.is_not(last):
        return MISSTATED, "given a last assertion that is no negation, expected the negated goal"
    asserted = [("given", h) for h in given] + [("to prove", last.arg(0))]
    meant = ((key, one_line(written(formula))) for key, formula in asserted)
    for one, other in zip_longest(said, meant, fillvalue=("nothing", "")):  # up to the first
        if one != other:
            return MISSTATED, f"given a header with {_shown(*one)}, expected {_shown(*other)}"
    return STATED, ""


def _bound(text: str) -> str:
    """Why a certificate is no question of a statement that it says it serves; nothing if it is."""
    from .chain import Served, body, regenerated

    lines = list(header_lines(text))
    name = next((value for key, value in lines if key == "obligation"), "")
    for key, value in lines:
        if key == SERVES:
            try:
                made = regenerated(Served.of(value))
            except ValueError as error:
                return f"no chain of the statement that it serves: {error}"
            if made.get(name) != body(text):
                return f"another question than {name} of the statement that it serves"
    return ""


def _shown(key: str, value: str) -> str:
    return f"'{key}: {value[:60]}'" if value else key
