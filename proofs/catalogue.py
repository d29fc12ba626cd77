"""The book's theorems in order: which there are, and the file that states each.

What chapters and theorem files say is read from their text, so that none is imported for a list.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, cast

from orderproof._paths import PROOFS
from orderproof.symbolic.suggestions import suggestion

from . import CHAPTERS

if TYPE_CHECKING:  # so that listing the theorems imports no library
    from orderproof.check.claims import TheoremFile


@dataclass(frozen=True)
class Chapter:
    """A chapter as its folder states it."""

    name: str  # of its folder
    title: str = ""
    introduction: str = ""  # paragraphs of plain text; *words* are stressed
    theorems: tuple[str, ...] = ()  # their ids, in order


def chapter(name: str) -> Chapter:
    """The chapter of a folder: the docstring of its `__init__.py`, and THEOREMS, if it has any."""
    tree = ast.parse((PROOFS / name / "__init__.py").read_text(encoding="utf-8"))
    title, _, introduction = (ast.get_docstring(tree) or "").partition("\n\n")
    theorems: tuple[str, ...] = ()
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "THEOREMS":
            theorems = ast.literal_eval(node.value)
    return Chapter(name, title, introduction, theorems)


@cache
def chapters() -> tuple[Chapter, ...]:
    """The chapters of the book, in order."""
    return tuple(map(chapter, CHAPTERS))


CHAPTER_OF = {name: c.name for c in chapters() for name in c.theorems}  # in the book's order
IDS = tuple(CHAPTER_OF)


class UnknownTheorem(ValueError):
    """An id that is not in the catalogue: says which, and which may be meant."""


def chosen(ids: Sequence[str]) -> list[str]:
    """The ids given, checked, in the book's order; all of them if none is given."""
    for name in ids:
        if name not in IDS:
            raise UnknownTheorem(f"theorem {name!r}: {unknown(name)}")
    return [name for name in IDS if not ids or name in ids]


def unknown(name: str) -> str:
    """That an id is not in the catalogue, and which may be meant: by their ids and titles."""
    titles = {known: title(known) for known in IDS}
    hint = suggestion(name, titles, "expected one that `orderproof list` shows")
    return f"not in the catalogue; {hint}"


def file(name: str) -> str:
    """The file that states a theorem, from the root of the project."""
    return f"proofs/{CHAPTER_OF[name]}/{name}.py"


def title(name: str) -> str:
    """The title of a theorem: the keyword `title` in its file, read without building the theorem.
    Raises ValueError if there is none, or more than one."""
    path = PROOFS / CHAPTER_OF[name] / f"{name}.py"
    text = path.read_text(encoding="utf-8")
    decorator = re.search(r"^@(theorem\(\n.*?^\))$", text, re.MULTILINE | re.DOTALL)
    nodes = ast.walk(ast.parse(decorator[1] if decorator else text))
    found = [
        k.value for x in nodes if isinstance(x, ast.Call) for k in x.keywords if k.arg == "title"
    ]
    if len(found) != 1 or not isinstance(found[0], ast.Constant):
        raise ValueError(f"{path.name}: {len(found)} titles found, expected one, as title='...'")
    return str(found[0].value)


def load(name: str) -> TheoremFile:
    """The theorem of this id, as its file states it."""
    module = import_module(f"{__package__}.{CHAPTER_OF[name]}.{name}")
    return cast("Callable[[], TheoremFile]", getattr(module, name))()
