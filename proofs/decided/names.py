"""The names of a user's model: as names of files, in LaTeX, in HTML, and short in formulas.

They are anything that a file of ONNX holds: paths, mathematics, markup. None is ever a path, a
command of TeX or a tag.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable

from markupsafe import Markup, escape

LONGEST = 80  # letters of the name of a file
SHOWN = 100  # letters of a name in words
IN_FORMULA = 30
RUN = 10  # letters after which a name without punctuation may break
PLAIN = re.compile(r"[a-z0-9][a-z0-9_]*")
_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}",
    "'": r"\textquotesingle{}", "`": r"\textasciigrave{}", "-": "{-}", ",": "{,}", " ": r"\ ",
    "…": r"\dots{}", "σ": r"$\sigma$", "′": r"$'$", "×": r"$\times$",
}  # fmt: skip
_LETTERS = frozenset("ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿ")


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
    """A name without characters that show nothing, or that turn the direction of a line."""
    return "".join(
        c if unicodedata.category(c)[0] not in "CZ" or c == " " else "\ufffd" for c in text
    )


def cut(text: str, longest: int = SHOWN) -> str:
    """A name, its middle left out where it is very long."""
    text = visible(text)
    if len(text) <= longest:
        return text
    half = (longest - 1) // 2
    return f"{text[:half]}…{text[-half:]}"


def _pieces(text: str) -> list[str]:
    """A name cut where a line may end."""
    return re.findall(rf"[^/_.:\-]{{1,{RUN}}}[/_.:\-]?|[/_.:\-]", text)


def _tex_character(c: str) -> str:
    if c in _SPECIAL:
        return _SPECIAL[c]
    if " " <= c <= "~" or c in _LETTERS:
        return c
    return rf"\textbackslash{{}}u{{}}{ord(c):04x}"  # as Python writes it


def tex(text: str) -> Markup:
    """A name in typewriter letters, for words in LaTeX; lines may end within it."""
    pieces = ("".join(map(_tex_character, p)) for p in _pieces(cut(text)))
    return Markup(r"\texttt{" + r"\allowbreak{}".join(pieces) + "}")


def tex_in_formula(text: str) -> str:
    """A name in upright typewriter letters, for math mode."""
    plain = re.fullmatch(r"[A-Za-z0-9_./:]+", text)
    if plain:
        return r"\mathtt{" + re.sub("([./:])", r"{\1}", text.replace("_", r"\_")) + "}"
    return r"\text{\ttfamily\upshape " + "".join(map(_tex_character, text)) + "}"


def html(text: str) -> Markup:
    """A name for words in HTML; lines may end within it."""
    return Markup("<code>{}</code>").format(
        Markup("<wbr>").join(escape(p) for p in _pieces(cut(text)))
    )


def short(names: Iterable[str]) -> dict[str, str]:
    """For each name the shortest end of its path that no other has, for formulas: at most
    IN_FORMULA letters, the middle left out of others, numbered where they would look alike."""
    every = list(dict.fromkeys(names))
    found: dict[str, str] = {}
    counted: dict[str, int] = {}
    known = set(every)
    ends = {name: _ends(_bare(name, known)) for name in every}
    for own in ends.values():
        for end in own:
            counted[end] = counted.get(end, 0) + 1
    taken: set[str] = set()
    for name in every:
        best = next((e for e in ends[name] if counted[e] == 1 and e not in known - {name}), name)
        text = first = cut(best, IN_FORMULA)
        number = 1
        while text in taken:
            number += 1
            text = f"{first}#{number}"
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
