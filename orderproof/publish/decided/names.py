"""The names of a user's model: as names of files, in words, and short in formulas.

They are anything that a file of ONNX holds: paths, mathematics, markup. None is ever a path or a
command of TeX.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable

LONGEST = 80  # letters of the name of a file
SHOWN = 100  # letters of a name in words
IN_FORMULA = 20
PLAIN = re.compile(r"[a-z0-9][a-z0-9_]*")
_LETTER = re.compile("[ -~À-ÖØ-öø-ÿ]")  # what both a terminal and TeX have a letter for


class FileNames:
    """Names for files of one folder, made of names in a model: each safe, and given once."""

    def __init__(self) -> None:
        self._given: set[str] = set()

    def of(self, *parts: str | int, ending: str, apart: str = "-") -> str:
        """A name from these parts: of letters, digits and _ alone; where that loses something, with
        digits of a digest of the parts."""
        each = [str(p) for p in parts]
        text = apart.join(re.sub(r"[^A-Za-z0-9_]+", "_", p).strip("_") or "_" for p in each)
        if not all(PLAIN.fullmatch(p) for p in each) or len(text) > LONGEST:
            digest = hashlib.sha256("\0".join(each).encode("utf-8", "surrogatepass")).hexdigest()
            text = f"{text[:LONGEST]}{apart}{digest[:8]}"
        name, number = text, 1
        while f"{name}.{ending}".lower() in self._given:
            number += 1
            name = f"{text}{apart}{number}"
        self._given.add(f"{name}.{ending}".lower())
        return f"{name}.{ending}"


def visible(text: str) -> str:
    """A text without characters that show nothing, or that turn the direction of a line."""
    return "".join(
        c if unicodedata.category(c)[0] not in "CZ" or c in " \n" else "\ufffd" for c in text
    )


def cut(text: str, longest: int = SHOWN) -> str:
    """A name in letters that can be read and set, others as Python escapes them; the middle left
    out where it is very long."""
    text = "".join(c if _LETTER.fullmatch(c) else ascii(c)[1:-1] for c in text)
    if len(text) <= longest:
        return text
    half = (longest - 1) // 2
    return f"{text[:half]}…{text[-half:]}"


def symbols(names: Iterable[str]) -> dict[str, str]:
    """For each name a symbol for formulas: the shortest end of its path that no other has, with a
    dot for what is no letter or digit; at most IN_FORMULA letters, numbered where two are alike."""
    every = list(dict.fromkeys(names))
    found: dict[str, str] = {}
    counted: dict[str, int] = {}
    known = set(every)
    ends = {name: _ends(_bare(name, known)) for name in every}
    for own in ends.values():
        for end in own:
            counted[end] = counted.get(end, 0) + 1
    taken = {"sigma"}  # the permutation
    for name in every:
        best = next((e for e in ends[name] if counted[e] == 1 and e not in known - {name}), name)
        whole = re.sub(r"[^A-Za-z0-9_]+", ".", best).strip("._")
        end = whole[-IN_FORMULA:]
        cut_off = len(whole) > IN_FORMULA and "." in end
        text = first = (end.partition(".")[2] if cut_off else end) or "T"
        number = 1
        while text in taken:
            number += 1
            text = f"{first}.{number}"
        taken.add(text)
        found[name] = text
    return found


def _bare(name: str, known: set[str]) -> str:
    """A name without what exporters put after the name of a node."""
    bare = name.removesuffix("_output_0")
    return bare if bare.strip("/") and bare not in known else name


def _ends(name: str) -> list[str]:
    """The ends of a path that may stand for it, the shortest first."""
    parts = [p for p in re.split("/", name) if p][-8:]
    ends = ["/".join(parts[-k:]) for k in range(1, len(parts) + 1)]
    return [*ends, name] if name not in ends else ends
